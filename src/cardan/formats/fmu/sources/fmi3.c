
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
#ifdef FMI3_FUNCTION_PREFIX
#define fmi3Paste(a, b) a##b
#define fmi3PasteB(a, b) fmi3Paste(a, b)
#define fmi3FullName(name) fmi3PasteB(FMI3_FUNCTION_PREFIX, name)
#define FMI3_Export
#else
#define fmi3FullName(name) name
#if defined _WIN32
#define FMI3_Export __declspec(dllexport)
#else
#define FMI3_Export __attribute__((visibility("default")))
#endif
#endif
#endif

typedef struct {
    model_machine m;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
} model_instance;

#define API FMI3_Export fmi3Status
#define M (&((model_instance *)instance)->m)

static fmi3Status model_told(fmi3Instance instance, int fault)
{
    const model_instance *one = instance;
    if (fault && one->log) {
        one->log(one->environment, fmi3Error, "logStatusError", model_words(fault));
    }
    return fault ? fmi3Error : fmi3OK;
}

static fmi3Status model_refused(fmi3Instance instance, const char *words)
{
    const model_instance *one = instance;
    if (one->log) {
        one->log(one->environment, fmi3Error, "logStatusError", words);
    }
    return fmi3Error;
}

static fmi3Instance model_made(fmi3String token, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    model_instance *one = token && strcmp(token, MODEL_TOKEN) == 0 ? calloc(1, sizeof *one) : NULL;
    if (one) {
        one->environment = environment;
        one->log = log;
        model_reset_machine(&one->m, 0.0);
    } else if (log) {
        log(environment, fmi3Error, "logStatusError", "the instantiation token is not that of this FMU");
    }
    return one;
}

FMI3_Export const char *fmi3FullName(fmi3GetVersion)(void)
{
    return "3.0";
}

API fmi3FullName(fmi3SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    (void)instance, (void)on, (void)n, (void)categories;
    return fmi3OK;
}

FMI3_Export fmi3Instance fmi3FullName(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    return model_made(token, environment, log);
}

FMI3_Export fmi3Instance fmi3FullName(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
    const fmi3ValueReference intermediate[], size_t n, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)intermediate, (void)n;
    (void)update;
    return model_made(token, environment, log);
}

FMI3_Export fmi3Instance fmi3FullName(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
    (void)update, (void)lock, (void)unlock;
    return NULL;
}

FMI3_Export void fmi3FullName(fmi3FreeInstance)(fmi3Instance instance)
{
    free(instance);
}

API fmi3FullName(fmi3EnterInitializationMode)(fmi3Instance instance, fmi3Boolean given, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean stops, fmi3Float64 stop)
{
    (void)stops, (void)stop;
    M->t = M->begin = start;
    if (given && tolerance > 0.0) {
        M->rtol = tolerance;
        M->atol = 0.01 * tolerance;
    }
    return fmi3OK;
}

API fmi3FullName(fmi3ExitInitializationMode)(fmi3Instance instance)
{
    return model_told(instance, model_begin(M));
}

API fmi3FullName(fmi3EnterEventMode)(fmi3Instance instance)
{
    (void)instance;
    return fmi3OK;
}

API fmi3FullName(fmi3Terminate)(fmi3Instance instance)
{
    (void)instance;
    return fmi3OK;
}

API fmi3FullName(fmi3Reset)(fmi3Instance instance)
{
    model_reset_machine(M, 0.0);
    return fmi3OK;
}

API fmi3FullName(fmi3GetFloat64)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
    fmi3Float64 values[], size_t count)
{
    size_t i;
    (void)count;
    for (i = 0; i < n; i++) {
        if (references[i] >= MODEL_REFERENCES) {
            return model_refused(instance, "there is no variable of this value reference");
        }
        values[i] = model_value(M, references[i]);
    }
    return fmi3OK;
}

API fmi3FullName(fmi3SetFloat64)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
    const fmi3Float64 values[], size_t count)
{
    size_t i;
    (void)count;
    for (i = 0; i < n; i++) {
        if (!model_is_open(M, references[i])) {
            return model_refused(instance, M->begun ? "only inputs can be set now" : "this variable is fixed in this FMU");
        }
        *model_place(M, references[i]) = values[i];
    }
    M->fresh = 0;
    return fmi3OK;
}

#define ABSENT(type)                                                                                                   \
    API fmi3FullName(fmi3Get##type)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,            \
        fmi3##type values[], size_t count)                                                                             \
    {                                                                                                                  \
        (void)references, (void)values, (void)count;                                                                   \
        return n ? model_refused(instance, "there is no variable of this type") : fmi3OK;                              \
    }                                                                                                                  \
    API fmi3FullName(fmi3Set##type)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,            \
        const fmi3##type values[], size_t count)                                                                       \
    {                                                                                                                  \
        (void)references, (void)values, (void)count;                                                                   \
        return n ? model_refused(instance, "there is no variable of this type") : fmi3OK;                              \
    }

ABSENT(Float32)
ABSENT(Int8)
ABSENT(UInt8)
ABSENT(Int16)
ABSENT(UInt16)
ABSENT(Int32)
ABSENT(UInt32)
ABSENT(Int64)
ABSENT(UInt64)
ABSENT(Boolean)
ABSENT(String)

#define MISSING(name, ...)                                                                                             \
    API fmi3FullName(name)(fmi3Instance instance, __VA_ARGS__)                                                         \
    {                                                                                                                  \
        return model_refused(instance, #name " is not available");                                                     \
    }

#define VR const fmi3ValueReference
MISSING(fmi3GetBinary, VR r[], size_t n, size_t s[], fmi3Binary v[], size_t c)
MISSING(fmi3SetBinary, VR r[], size_t n, const size_t s[], const fmi3Binary v[], size_t c)
MISSING(fmi3GetClock, VR r[], size_t n, fmi3Clock v[])
MISSING(fmi3SetClock, VR r[], size_t n, const fmi3Clock v[])
MISSING(fmi3GetNumberOfVariableDependencies, fmi3ValueReference r, size_t *n)
MISSING(fmi3GetVariableDependencies, fmi3ValueReference d, size_t e[], fmi3ValueReference i[], size_t f[],
    fmi3DependencyKind k[], size_t n)
MISSING(fmi3GetDirectionalDerivative, VR u[], size_t n, VR k[], size_t m, const fmi3Float64 s[], size_t i,
    fmi3Float64 o[], size_t j)
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

API fmi3FullName(fmi3GetFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    *state = *state ? *state : malloc(sizeof(model_machine));
    if (!*state) {
        return model_refused(instance, "there is no memory for a state");
    }
    memcpy(*state, M, sizeof(model_machine));
    return fmi3OK;
}

API fmi3FullName(fmi3SetFMUState)(fmi3Instance instance, fmi3FMUState state)
{
    memcpy(M, state, sizeof(model_machine));
    return fmi3OK;
}

API fmi3FullName(fmi3FreeFMUState)(fmi3Instance instance, fmi3FMUState *state)
{
    (void)instance;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

API fmi3FullName(fmi3SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
    (void)instance, (void)state;
    *size = sizeof(model_machine);
    return fmi3OK;
}

API fmi3FullName(fmi3SerializeFMUState)(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    if (size < sizeof(model_machine)) {
        return model_refused(instance, "the state is longer than this");
    }
    memcpy(bytes, state, sizeof(model_machine));
    return fmi3OK;
}

API fmi3FullName(fmi3DeserializeFMUState)(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
    fmi3FMUState *state)
{
    *state = size == sizeof(model_machine) ? malloc(size) : NULL;
    if (!*state) {
        return model_refused(instance, "these bytes are no state of this FMU");
    }
    memcpy(*state, bytes, size);
    return fmi3OK;
}

API fmi3FullName(fmi3EvaluateDiscreteStates)(fmi3Instance instance)
{
    (void)instance;
    return fmi3OK;
}

API fmi3FullName(fmi3UpdateDiscreteStates)(fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *ends,
    fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *defined, fmi3Float64 *next)
{
    int changed = 0, fault = model_make_events(M, M->rtol, &changed);
    *again = *nominals = false;
    *ends = M->ended != 0;
    *values = changed != 0;
    *defined = M->finish < 1e300;
    *next = M->finish;
    return model_told(instance, fault);
}

API fmi3FullName(fmi3EnterContinuousTimeMode)(fmi3Instance instance)
{
    (void)instance;
    return fmi3OK;
}

API fmi3FullName(fmi3CompletedIntegratorStep)(fmi3Instance instance, fmi3Boolean forward, fmi3Boolean *enter,
    fmi3Boolean *ends)
{
    (void)forward;
    *enter = model_note(M) || model_drifts(M); /* events that begin at zero, which importers do not see; drift */
    *ends = false;
    return fmi3OK;
}

API fmi3FullName(fmi3SetTime)(fmi3Instance instance, fmi3Float64 time)
{
    M->t = time;
    M->fresh = 0;
    return fmi3OK;
}

API fmi3FullName(fmi3SetContinuousStates)(fmi3Instance instance, const fmi3Float64 x[], size_t n)
{
    memcpy(M->x, x, n * sizeof *x);
    M->fresh = 0;
    return fmi3OK;
}

API fmi3FullName(fmi3GetContinuousStateDerivatives)(fmi3Instance instance, fmi3Float64 dx[], size_t n)
{
    model_refresh(M);
    memcpy(dx, M->dx, n * sizeof *dx);
    return fmi3OK;
}

API fmi3FullName(fmi3GetEventIndicators)(fmi3Instance instance, fmi3Float64 z[], size_t n)
{
    size_t i;
    model_clear(M);
    for (i = 0; i < n; i++) {
        z[i] = model_indicator(M, (int)i);
    }
    return fmi3OK;
}

API fmi3FullName(fmi3GetContinuousStates)(fmi3Instance instance, fmi3Float64 x[], size_t n)
{
    memcpy(x, M->x, n * sizeof *x);
    return fmi3OK;
}

API fmi3FullName(fmi3GetNominalsOfContinuousStates)(fmi3Instance instance, fmi3Float64 nominals[], size_t n)
{
    size_t i;
    (void)instance;
    for (i = 0; i < n; i++) {
        nominals[i] = 1.0;
    }
    return fmi3OK;
}

API fmi3FullName(fmi3GetNumberOfEventIndicators)(fmi3Instance instance, size_t *n)
{
    (void)instance;
    *n = MODEL_NG;
    return fmi3OK;
}

API fmi3FullName(fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t *n)
{
    (void)instance;
    *n = MODEL_NX;
    return fmi3OK;
}

API fmi3FullName(fmi3EnterStepMode)(fmi3Instance instance)
{
    (void)instance;
    return fmi3OK;
}

API fmi3FullName(fmi3DoStep)(fmi3Instance instance, fmi3Float64 now, fmi3Float64 h, fmi3Boolean forward,
    fmi3Boolean *event, fmi3Boolean *ends, fmi3Boolean *early, fmi3Float64 *last)
{
    const int fault = model_advance(M, now + h);
    (void)forward;
    *event = *early = false;
    *ends = M->ended != 0;
    *last = M->t;
    return model_told(instance, fault);
}
