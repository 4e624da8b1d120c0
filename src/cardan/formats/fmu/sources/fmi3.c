
/* ---- FMI 3.0: the functions of the standard (fmi-standard.org), with its types where no header has declared them ---- */

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef fmi3Functions_h
typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean, fmi3Clock;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef const char *fmi3String;
typedef float fmi3Float32;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
    fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);
#endif

typedef struct {
    model_machine m;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    fmi3Boolean events; /* whether the importer makes the events at communication points */
} model_instance;

static void model_log(const model_instance *one, const char *words)
{
    if (one->log) {
        one->log(one->environment, fmi3Error, "logStatusError", words);
    }
}

#include "fmi.c"

FMI3_Export const char *fmi3FullName(fmi3GetVersion)(void)
{
    return "3.0";
}

FMI3_Export fmi3Instance fmi3FullName(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log)
{
    const model_instance given = {.environment = environment, .log = log};
    return model_made(token, given);
}

FMI3_Export fmi3Instance fmi3FullName(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
    const fmi3ValueReference intermediate[], size_t n, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update)
{
    const model_instance given = {.environment = environment, .log = log, .events = events};
    return model_made(token, given);
}

FMI3_Export fmi3Instance fmi3FullName(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock)
{
    return NULL;
}

#define ABSENT_TYPE(type) ABSENT(fmi3Get##type, fmi3##type) ABSENT(fmi3Set##type, const fmi3##type)
ABSENT_TYPE(Float32)
ABSENT_TYPE(Int8)
ABSENT_TYPE(UInt8)
ABSENT_TYPE(Int16)
ABSENT_TYPE(UInt16)
ABSENT_TYPE(Int32)
ABSENT_TYPE(UInt32)
ABSENT_TYPE(Int64)
ABSENT_TYPE(UInt64)

NOTHING_TO_DO(fmi3EvaluateDiscreteStates)
NOTHING_TO_DO(fmi3EnterStepMode)
#define VR const fmi3ValueReference
MISSING(fmi3GetBinary, VR r[], size_t n, size_t s[], fmi3Binary v[], size_t c)
MISSING(fmi3SetBinary, VR r[], size_t n, const size_t s[], const fmi3Binary v[], size_t c)
MISSING(fmi3GetClock, VR r[], size_t n, fmi3Clock v[])
MISSING(fmi3SetClock, VR r[], size_t n, const fmi3Clock v[])
MISSING(fmi3GetNumberOfVariableDependencies, fmi3ValueReference r, size_t *n)
MISSING(fmi3GetVariableDependencies, fmi3ValueReference d, size_t e[], fmi3ValueReference i[], size_t f[],
    fmi3DependencyKind k[], size_t n)
MISSING(fmi3GetAdjointDerivative, VR u[], size_t n, VR k[], size_t m, const fmi3Float64 s[], size_t i, fmi3Float64 o[],
    size_t j)
MISSING(fmi3GetIntervalDecimal, VR r[], size_t n, fmi3Float64 i[], fmi3IntervalQualifier q[])
MISSING(fmi3GetIntervalFraction, VR r[], size_t n, fmi3UInt64 c[], fmi3UInt64 s[], fmi3IntervalQualifier q[])
MISSING(fmi3GetShiftDecimal, VR r[], size_t n, fmi3Float64 s[])
MISSING(fmi3GetShiftFraction, VR r[], size_t n, fmi3UInt64 c[], fmi3UInt64 s[])
MISSING(fmi3SetIntervalDecimal, VR r[], size_t n, const fmi3Float64 i[])
MISSING(fmi3SetIntervalFraction, VR r[], size_t n, const fmi3UInt64 c[], const fmi3UInt64 s[])
MISSING(fmi3SetShiftDecimal, VR r[], size_t n, const fmi3Float64 s[])
MISSING(fmi3SetShiftFraction, VR r[], size_t n, const fmi3UInt64 c[], const fmi3UInt64 s[])
MISSING(fmi3GetOutputDerivatives, VR r[], size_t n, const fmi3Int32 o[], fmi3Float64 v[], size_t c)
MISSING(fmi3ActivateModelPartition, fmi3ValueReference c, fmi3Float64 t)

API fmi3FullName(fmi3EnterConfigurationMode)(fmi3Instance instance)
{
    return model_refused(instance, "fmi3EnterConfigurationMode is not available");
}

API fmi3FullName(fmi3ExitConfigurationMode)(fmi3Instance instance)
{
    return model_refused(instance, "fmi3ExitConfigurationMode is not available");
}

API fmi3FullName(fmi3UpdateDiscreteStates)(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *ends,
    fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *defined, fmi3Float64 *next)
{
    const double least = ((model_instance *)instance)->events ? 0.0 : M->rtol;
    int changed = 0, fault = model_make_events(M, least, &changed);
    *again = *nominals = false;
    *ends = M->ended != 0;
    *values = changed != 0;
    *defined = M->finish < 1e300;
    *next = M->finish;
    return model_told(instance, fault);
}

API fmi3FullName(fmi3GetNumberOfEventIndicators)(fmi3Instance instance, size_t *n)
{
    *n = MODEL_NG;
    return fmi3OK;
}

API fmi3FullName(fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t *n)
{
    *n = MODEL_NX;
    return fmi3OK;
}

API fmi3FullName(fmi3DoStep)(fmi3Instance instance, fmi3Float64 now, fmi3Float64 h, fmi3Boolean forward,
    fmi3Boolean *event, fmi3Boolean *ends, fmi3Boolean *early, fmi3Float64 *last)
{
    const fmi3Status status = model_moved(instance, now, h);
    *event = ((model_instance *)instance)->events && model_is_due(M);
    *early = false;
    *ends = M->ended != 0;
    *last = M->t;
    return status;
}
