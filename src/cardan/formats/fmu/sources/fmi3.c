
/* ---- FMI 3.0: the functions of the standard (fmi-standard.org), with its types where no header has declared them ---- */

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef fmi3Functions_h
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(void *, fmi3Status, const char *, const char *);
typedef void (*fmi3IntermediateUpdateCallback)(void *, double, bool, bool, bool, bool, bool *, double *);
typedef void (*fmi3ClockUpdateCallback)(void *);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);
#endif

typedef struct {
    model_machine m;
    void *environment;
    fmi3LogMessageCallback log;
    bool events; /* whether the importer makes the events at communication points */
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

FMI3_Export void *fmi3FullName(fmi3InstantiateModelExchange)(const char *name, const char *token,
    const char *resources, bool visible, bool logging, void *environment, fmi3LogMessageCallback log)
{
    const model_instance given = {.environment = environment, .log = log};
    return model_made(token, given);
}

FMI3_Export void *fmi3FullName(fmi3InstantiateCoSimulation)(const char *name, const char *token,
    const char *resources, bool visible, bool logging, bool events, bool early, const uint32_t intermediate[], size_t n,
    void *environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    const model_instance given = {.environment = environment, .log = log, .events = events};
    return model_made(token, given);
}

FMI3_Export void *fmi3FullName(fmi3InstantiateScheduledExecution)(const char *name, const char *token,
    const char *resources, bool visible, bool logging, void *environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    return NULL;
}

ABSENT_TYPE(Float32, float)
ABSENT_TYPE(Int8, int8_t)
ABSENT_TYPE(UInt8, uint8_t)
ABSENT_TYPE(Int16, int16_t)
ABSENT_TYPE(UInt16, uint16_t)
ABSENT_TYPE(Int32, int32_t)
ABSENT_TYPE(UInt32, uint32_t)
ABSENT_TYPE(Int64, int64_t)
ABSENT_TYPE(UInt64, uint64_t)

NOTHING_TO_DO(fmi3EvaluateDiscreteStates, (void *instance))
NOTHING_TO_DO(fmi3EnterStepMode, (void *instance))
MISSING(fmi3EnterConfigurationMode, (void *instance))
MISSING(fmi3ExitConfigurationMode, (void *instance))
MISSING(fmi3GetBinary, (void *instance, VR, size_t s[], const uint8_t *v[], size_t c))
MISSING(fmi3SetBinary, (void *instance, VR, const size_t s[], const uint8_t *const v[], size_t c))
MISSING(fmi3GetClock, (void *instance, VR, bool v[]))
MISSING(fmi3SetClock, (void *instance, VR, const bool v[]))
MISSING(fmi3GetNumberOfVariableDependencies, (void *instance, uint32_t r, size_t *n))
MISSING(fmi3GetVariableDependencies, (void *instance, uint32_t d, size_t e[], uint32_t i[], size_t f[],
    fmi3DependencyKind k[], size_t n))
MISSING(fmi3GetAdjointDerivative, (void *instance, VR, const uint32_t k[], size_t m, const double s[], size_t i,
    double o[], size_t j))
MISSING(fmi3GetIntervalDecimal, (void *instance, VR, double i[], fmi3IntervalQualifier q[]))
MISSING(fmi3GetIntervalFraction, (void *instance, VR, uint64_t c[], uint64_t s[], fmi3IntervalQualifier q[]))
MISSING(fmi3GetShiftDecimal, (void *instance, VR, double s[]))
MISSING(fmi3GetShiftFraction, (void *instance, VR, uint64_t c[], uint64_t s[]))
MISSING(fmi3SetIntervalDecimal, (void *instance, VR, const double i[]))
MISSING(fmi3SetIntervalFraction, (void *instance, VR, const uint64_t c[], const uint64_t s[]))
MISSING(fmi3SetShiftDecimal, (void *instance, VR, const double s[]))
MISSING(fmi3SetShiftFraction, (void *instance, VR, const uint64_t c[], const uint64_t s[]))
MISSING(fmi3GetOutputDerivatives, (void *instance, VR, const int32_t o[], double v[], size_t c))
MISSING(fmi3ActivateModelPartition, (void *instance, uint32_t c, double t))

API(fmi3UpdateDiscreteStates)(void *instance, bool *again, bool *ends, bool *nominals, bool *values, bool *defined,
    double *next)
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

API(fmi3GetNumberOfEventIndicators)(void *instance, size_t *n)
{
    *n = MODEL_NG;
    return fmi3OK;
}

API(fmi3GetNumberOfContinuousStates)(void *instance, size_t *n)
{
    *n = MODEL_NX;
    return fmi3OK;
}

API(fmi3DoStep)(void *instance, double now, double h, bool forward, bool *event, bool *ends, bool *early, double *last)
{
    const fmi3Status status = model_moved(instance, now, h);
    *event = ((model_instance *)instance)->events && model_is_due(M);
    *early = false;
    *ends = M->ended != 0;
    *last = M->t;
    return status;
}
