
/* ---- FMI 2.0: the functions of the standard (fmi-standard.org), with its types where no header has declared them ---- */

#include <stddef.h>
#include <stdlib.h>

#ifndef fmi2Functions_h
typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;
#ifdef FMI2_FUNCTION_PREFIX
#define fmi2Paste(a, b) a##b
#define fmi2PasteB(a, b) fmi2Paste(a, b)
#define fmi2FullName(name) fmi2PasteB(FMI2_FUNCTION_PREFIX, name)
#define FMI2_Export
#else
#define fmi2FullName(name) name
#if defined _WIN32
#define FMI2_Export __declspec(dllexport)
#else
#define FMI2_Export __attribute__((visibility("default")))
#endif
#endif
#endif

typedef struct {
    model_machine m;
    const fmi2CallbackFunctions *callbacks;
    char name[64];
} model_instance;

#define API FMI2_Export fmi2Status
#define M (&((model_instance *)c)->m)

static fmi2Status model_refused(fmi2Component c, const char *words)
{
    const model_instance *one = c;
    if (one->callbacks && one->callbacks->logger) {
        one->callbacks->logger(one->callbacks->componentEnvironment, one->name, fmi2Error, "logStatusError", "%s", words);
    }
    return fmi2Error;
}

static fmi2Status model_told(fmi2Component c, int fault)
{
    return fault ? model_refused(c, model_words(fault)) : fmi2OK;
}

FMI2_Export const char *fmi2FullName(fmi2GetTypesPlatform)(void)
{
    return "default";
}

FMI2_Export const char *fmi2FullName(fmi2GetVersion)(void)
{
    return "2.0";
}

API fmi2FullName(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return fmi2OK;
}

FMI2_Export fmi2Component fmi2FullName(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String token,
    fmi2String resources, const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    model_instance *one = token && strcmp(token, MODEL_TOKEN) == 0 ? calloc(1, sizeof *one) : NULL;
    (void)type, (void)resources, (void)visible, (void)logging;
    if (one) {
        one->callbacks = callbacks;
        strncpy(one->name, name ? name : "", sizeof one->name - 1);
        model_reset_machine(&one->m, 0.0);
    } else if (callbacks && callbacks->logger) {
        callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError",
            "the GUID is not that of this FMU");
    }
    return one;
}

FMI2_Export void fmi2FullName(fmi2FreeInstance)(fmi2Component c)
{
    free(c);
}

API fmi2FullName(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean given, fmi2Real tolerance, fmi2Real start,
    fmi2Boolean stops, fmi2Real stop)
{
    (void)stops, (void)stop;
    M->t = M->begin = start;
    if (given && tolerance > 0.0) {
        M->rtol = tolerance;
        M->atol = 0.01 * tolerance;
    }
    return fmi2OK;
}

#define NOTHING_TO_DO(name)                                                                                            \
    API fmi2FullName(name)(fmi2Component c)                                                                            \
    {                                                                                                                  \
        (void)c;                                                                                                       \
        return fmi2OK;                                                                                                 \
    }

NOTHING_TO_DO(fmi2EnterInitializationMode)
NOTHING_TO_DO(fmi2Terminate)
NOTHING_TO_DO(fmi2EnterEventMode)
NOTHING_TO_DO(fmi2EnterContinuousTimeMode)
NOTHING_TO_DO(fmi2CancelStep)

API fmi2FullName(fmi2ExitInitializationMode)(fmi2Component c)
{
    return model_told(c, model_begin(M));
}

API fmi2FullName(fmi2Reset)(fmi2Component c)
{
    model_reset_machine(M, 0.0);
    return fmi2OK;
}

API fmi2FullName(fmi2GetReal)(fmi2Component c, const fmi2ValueReference references[], size_t n, fmi2Real values[])
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (references[i] >= MODEL_REFERENCES) {
            return model_refused(c, "there is no variable of this value reference");
        }
        values[i] = model_value(M, references[i]);
    }
    return fmi2OK;
}

API fmi2FullName(fmi2SetReal)(fmi2Component c, const fmi2ValueReference references[], size_t n,
    const fmi2Real values[])
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (!model_is_open(M, references[i])) {
            return model_refused(c, M->begun ? "only inputs can be set now" : "this variable is fixed in this FMU");
        }
        *model_place(M, references[i]) = values[i];
    }
    M->fresh = 0;
    return fmi2OK;
}

#define ABSENT(type)                                                                                                   \
    API fmi2FullName(fmi2Get##type)(fmi2Component c, const fmi2ValueReference references[], size_t n,                  \
        fmi2##type values[])                                                                                           \
    {                                                                                                                  \
        (void)references, (void)values;                                                                                \
        return n ? model_refused(c, "there is no variable of this type") : fmi2OK;                                     \
    }                                                                                                                  \
    API fmi2FullName(fmi2Set##type)(fmi2Component c, const fmi2ValueReference references[], size_t n,                  \
        const fmi2##type values[])                                                                                     \
    {                                                                                                                  \
        (void)references, (void)values;                                                                                \
        return n ? model_refused(c, "there is no variable of this type") : fmi2OK;                                     \
    }

ABSENT(Integer)
ABSENT(Boolean)
ABSENT(String)

#define MISSING(name, ...)                                                                                             \
    API fmi2FullName(name)(fmi2Component c, __VA_ARGS__)                                                               \
    {                                                                                                                  \
        return model_refused(c, #name " is not available");                                                            \
    }

MISSING(fmi2GetDirectionalDerivative, const fmi2ValueReference u[], size_t n, const fmi2ValueReference k[], size_t m,
    const fmi2Real s[], fmi2Real o[])
MISSING(fmi2SetRealInputDerivatives, const fmi2ValueReference r[], size_t n, const fmi2Integer o[],
    const fmi2Real v[])
MISSING(fmi2GetRealOutputDerivatives, const fmi2ValueReference r[], size_t n, const fmi2Integer o[], fmi2Real v[])
MISSING(fmi2GetStatus, const fmi2StatusKind s, fmi2Status *v)
MISSING(fmi2GetIntegerStatus, const fmi2StatusKind s, fmi2Integer *v)
MISSING(fmi2GetStringStatus, const fmi2StatusKind s, fmi2String *v)

API fmi2FullName(fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    *value = M->t;
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}

API fmi2FullName(fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    *value = M->ended != 0;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

API fmi2FullName(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    *state = *state ? *state : malloc(sizeof(model_machine));
    if (!*state) {
        return model_refused(c, "there is no memory for a state");
    }
    memcpy(*state, M, sizeof(model_machine));
    return fmi2OK;
}

API fmi2FullName(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state)
{
    memcpy(M, state, sizeof(model_machine));
    return fmi2OK;
}

API fmi2FullName(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

API fmi2FullName(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(model_machine);
    return fmi2OK;
}

API fmi2FullName(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    if (size < sizeof(model_machine)) {
        return model_refused(c, "the state is longer than this");
    }
    memcpy(bytes, state, sizeof(model_machine));
    return fmi2OK;
}

API fmi2FullName(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    *state = size == sizeof(model_machine) ? malloc(size) : NULL;
    if (!*state) {
        return model_refused(c, "these bytes are no state of this FMU");
    }
    memcpy(*state, bytes, size);
    return fmi2OK;
}

API fmi2FullName(fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info)
{
    int changed = 0, fault = model_make_events(M, M->rtol, &changed);
    info->newDiscreteStatesNeeded = info->nominalsOfContinuousStatesChanged = 0;
    info->terminateSimulation = M->ended != 0;
    info->valuesOfContinuousStatesChanged = changed != 0;
    info->nextEventTimeDefined = M->finish < 1e300;
    info->nextEventTime = M->finish;
    return model_told(c, fault);
}

API fmi2FullName(fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean forward, fmi2Boolean *enter,
    fmi2Boolean *ends)
{
    (void)forward;
    *enter = model_note(M) || model_drifts(M); /* events that begin at zero, which importers do not see; drift */
    *ends = 0;
    return fmi2OK;
}

API fmi2FullName(fmi2SetTime)(fmi2Component c, fmi2Real time)
{
    M->t = time;
    M->fresh = 0;
    return fmi2OK;
}

API fmi2FullName(fmi2SetContinuousStates)(fmi2Component c, const fmi2Real x[], size_t n)
{
    memcpy(M->x, x, n * sizeof *x);
    M->fresh = 0;
    return fmi2OK;
}

API fmi2FullName(fmi2GetDerivatives)(fmi2Component c, fmi2Real dx[], size_t n)
{
    model_refresh(M);
    memcpy(dx, M->dx, n * sizeof *dx);
    return fmi2OK;
}

API fmi2FullName(fmi2GetEventIndicators)(fmi2Component c, fmi2Real z[], size_t n)
{
    size_t i;
    model_clear(M);
    for (i = 0; i < n; i++) {
        z[i] = model_indicator(M, (int)i);
    }
    return fmi2OK;
}

API fmi2FullName(fmi2GetContinuousStates)(fmi2Component c, fmi2Real x[], size_t n)
{
    memcpy(x, M->x, n * sizeof *x);
    return fmi2OK;
}

API fmi2FullName(fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominals[], size_t n)
{
    size_t i;
    (void)c;
    for (i = 0; i < n; i++) {
        nominals[i] = 1.0;
    }
    return fmi2OK;
}

API fmi2FullName(fmi2DoStep)(fmi2Component c, fmi2Real now, fmi2Real h, fmi2Boolean forward)
{
    const int fault = model_advance(M, now + h);
    (void)forward;
    return fault ? model_told(c, fault) : M->ended ? fmi2Discard : fmi2OK;
}
