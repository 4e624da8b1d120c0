
/* ---- FMI 2.0: the functions of the standard (fmi-standard.org), with its types where no header has declared them ---- */

#include <stddef.h>
#include <stdlib.h>

#ifndef fmi2Functions_h
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
    void (*logger)(void *, const char *, fmi2Status, const char *, const char *, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(void *, fmi2Status);
    void *componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    int valuesOfContinuousStatesChanged, nextEventTimeDefined;
    double nextEventTime;
} fmi2EventInfo;
#endif

typedef struct {
    model_machine m;
    const fmi2CallbackFunctions *callbacks;
    char name[64];
} model_instance;

static void model_log(const model_instance *one, const char *words)
{
    if (one->callbacks && one->callbacks->logger) {
        one->callbacks->logger(one->callbacks->componentEnvironment, one->name, fmi2Error, "logStatusError", words);
    }
}

#include "fmi.c"

FMI2_Export const char *fmi2FullName(fmi2GetTypesPlatform)(void)
{
    return "default";
}

FMI2_Export const char *fmi2FullName(fmi2GetVersion)(void)
{
    return "2.0";
}

FMI2_Export void *fmi2FullName(fmi2Instantiate)(const char *name, fmi2Type type, const char *token,
    const char *resources, const fmi2CallbackFunctions *callbacks, int visible, int logging)
{
    model_instance given = {.callbacks = callbacks};
    strncpy(given.name, name ? name : "", sizeof given.name - 1);
    return model_made(token, given);
}

NOTHING_TO_DO(fmi2EnterInitializationMode, (void *instance))
NOTHING_TO_DO(fmi2CancelStep, (void *instance))
ABSENT_TYPE(Integer, int)
MISSING(fmi2SetRealInputDerivatives, (void *instance, VR, const int o[], const double v[]))
MISSING(fmi2GetRealOutputDerivatives, (void *instance, VR, const int o[], double v[]))
MISSING(fmi2GetStatus, (void *instance, const fmi2StatusKind s, fmi2Status *v))
MISSING(fmi2GetIntegerStatus, (void *instance, const fmi2StatusKind s, int *v))
MISSING(fmi2GetStringStatus, (void *instance, const fmi2StatusKind s, const char **v))

API(fmi2GetRealStatus)(void *instance, const fmi2StatusKind kind, double *value)
{
    *value = M->t;
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}

API(fmi2GetBooleanStatus)(void *instance, const fmi2StatusKind kind, int *value)
{
    *value = M->ended != 0;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

API(fmi2NewDiscreteStates)(void *instance, fmi2EventInfo *info)
{
    int changed = 0, fault = model_make_events(M, M->rtol, &changed);
    info->newDiscreteStatesNeeded = info->nominalsOfContinuousStatesChanged = 0;
    info->terminateSimulation = M->ended != 0;
    info->valuesOfContinuousStatesChanged = changed != 0;
    info->nextEventTimeDefined = M->finish < 1e300;
    info->nextEventTime = M->finish;
    return model_told(instance, fault);
}

API(fmi2DoStep)(void *instance, double now, double h, int forward)
{
    const fmi2Status status = model_moved(instance, now, h);
    return status == fmi2OK && M->ended ? fmi2Discard : status;
}
