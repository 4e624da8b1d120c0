
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

FMI2_Export fmi2Component fmi2FullName(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String token,
    fmi2String resources, const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging)
{
    model_instance given = {.callbacks = callbacks};
    strncpy(given.name, name ? name : "", sizeof given.name - 1);
    return model_made(token, given);
}

NOTHING_TO_DO(fmi2EnterInitializationMode)
NOTHING_TO_DO(fmi2CancelStep)
ABSENT(fmi2GetInteger, fmi2Integer)
ABSENT(fmi2SetInteger, const fmi2Integer)
MISSING(fmi2SetRealInputDerivatives, const fmi2ValueReference r[], size_t n, const fmi2Integer o[], const fmi2Real v[])
MISSING(fmi2GetRealOutputDerivatives, const fmi2ValueReference r[], size_t n, const fmi2Integer o[], fmi2Real v[])
MISSING(fmi2GetStatus, const fmi2StatusKind s, fmi2Status *v)
MISSING(fmi2GetIntegerStatus, const fmi2StatusKind s, fmi2Integer *v)
MISSING(fmi2GetStringStatus, const fmi2StatusKind s, fmi2String *v)

API fmi2FullName(fmi2GetRealStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Real *value)
{
    *value = M->t;
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}

API fmi2FullName(fmi2GetBooleanStatus)(fmi2Component instance, const fmi2StatusKind kind, fmi2Boolean *value)
{
    *value = M->ended != 0;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

API fmi2FullName(fmi2NewDiscreteStates)(fmi2Component instance, fmi2EventInfo *info)
{
    int changed = 0, fault = model_make_events(M, M->rtol, &changed);
    info->newDiscreteStatesNeeded = info->nominalsOfContinuousStatesChanged = 0;
    info->terminateSimulation = M->ended != 0;
    info->valuesOfContinuousStatesChanged = changed != 0;
    info->nextEventTimeDefined = M->finish < 1e300;
    info->nextEventTime = M->finish;
    return model_told(instance, fault);
}

API fmi2FullName(fmi2DoStep)(fmi2Component instance, fmi2Real now, fmi2Real h, fmi2Boolean forward)
{
    const fmi2Status status = model_moved(instance, now, h);
    return status == fmi2OK && M->ended ? fmi2Discard : status;
}
