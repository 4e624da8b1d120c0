
/* ---- what the versions of FMI have in common ---- */

#ifndef fmi3Functions_h
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

#define API FMI3_Export fmi3Status
#define M (&((model_instance *)instance)->m)

static fmi3Status model_refused(fmi3Instance instance, const char *words)
{
    model_log(instance, words);
    return fmi3Error;
}

static fmi3Status model_told(fmi3Instance instance, int fault)
{
    return fault ? model_refused(instance, model_words(fault)) : fmi3OK;
}

/* A function that has nothing to do; one that this FMU has not; one for a type that no variable has. */
#define NOTHING_TO_DO(name) \
    API fmi3FullName(name)(fmi3Instance instance) \
    { \
        return fmi3OK; \
    }
#define MISSING(name, ...) \
    API fmi3FullName(name)(fmi3Instance instance, __VA_ARGS__) \
    { \
        return model_refused(instance, #name " is not available"); \
    }
#define ABSENT(name, type) \
    API fmi3FullName(name)(fmi3Instance instance, const fmi3ValueReference references[], size_t n, type values[], \
        size_t count) \
    { \
        return n ? model_refused(instance, "there is no variable of this type") : fmi3OK; \
    }

NOTHING_TO_DO(fmi3Terminate)
NOTHING_TO_DO(fmi3EnterEventMode)
NOTHING_TO_DO(fmi3EnterContinuousTimeMode)
MISSING(fmi3GetDirectionalDerivative, const fmi3ValueReference unknowns[], size_t n, const fmi3ValueReference knowns[],
    size_t m, const fmi3Float64 seed[], size_t count_of_seed, fmi3Float64 values[], size_t count)
ABSENT(fmi3GetBoolean, fmi3Boolean)
ABSENT(fmi3SetBoolean, const fmi3Boolean)
ABSENT(fmi3GetString, fmi3String)
ABSENT(fmi3SetString, const fmi3String)

/* ---- life of an instance ---- */

/* A new instance that says its errors as this one does; none where the token is of another FMU. */
static fmi3Instance model_made(const char *token, model_instance given)
{
    model_instance *one = token && strcmp(token, MODEL_TOKEN) == 0 ? malloc(sizeof *one) : NULL;
    if (one) {
        *one = given;
        model_reset_machine(&one->m, 0.0);
    } else {
        model_log(&given, "this is not the FMU that was described: its token is another one");
    }
    return one;
}

FMI3_Export void fmi3FullName(fmi3FreeInstance)(fmi3Instance instance)
{
    free(instance);
}

API fmi3FullName(fmi3SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    return fmi3OK;
}

API fmi3FullName(fmi3EnterInitializationMode)(fmi3Instance instance, fmi3Boolean given, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean stops, fmi3Float64 stop)
{
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

API fmi3FullName(fmi3Reset)(fmi3Instance instance)
{
    model_reset_machine(M, 0.0);
    return fmi3OK;
}

/* ---- variables ---- */

API fmi3FullName(fmi3GetFloat64)(fmi3Instance instance, const fmi3ValueReference references[], size_t n,
    fmi3Float64 values[], size_t count)
{
    size_t i;
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
    for (i = 0; i < n; i++) {
        if (!model_is_open(M, references[i])) {
            return model_refused(instance, M->begun ? "only inputs can be set now" : "this variable is fixed in this FMU");
        }
        if (!(values[i] - values[i] == 0.0)) { /* infinite or NaN */
            return model_refused(instance, "a value is no finite number: look at what feeds the inputs and parameters");
        }
        *model_place(M, references[i]) = values[i];
    }
    M->fresh = 0;
    return fmi3OK;
}

/* ---- states that are kept ---- */

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
    free(*state);
    *state = NULL;
    return fmi3OK;
}

API fmi3FullName(fmi3SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
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

/* ---- co-simulation ---- */

#define ROUND_OFF 1.5e-8 /* of the time in a master that adds up its steps, 1e8 of them */

/* Move over a communication step h. */
static fmi3Status model_moved(fmi3Instance instance, double now, double h)
{
    if (!M->begun) {
        return model_refused(instance, "the first step comes after fmi3ExitInitializationMode");
    }
    if (!(h >= 0.0 && now + h < 1e300)) {
        return model_refused(instance, "the length of a step is negative or no number: it has to be above zero; fmi3SetFMUState goes back");
    }
    if ((now - M->t) * (now - M->t) > ROUND_OFF * ROUND_OFF * (now * now + h * h)) {
        return model_refused(instance, "a step begins where the last one has ended: fmi3SetFMUState goes back");
    }
    return model_told(instance, model_advance(M, now + h));
}

/* ---- model exchange ---- */

API fmi3FullName(fmi3CompletedIntegratorStep)(fmi3Instance instance, fmi3Boolean forward, fmi3Boolean *enter,
    fmi3Boolean *ends)
{
    *enter = model_note(M) || model_drifts(M); /* events that begin at zero, which importers do not see; drift */
    *ends = 0;
    return fmi3OK;
}

API fmi3FullName(fmi3SetTime)(fmi3Instance instance, fmi3Float64 time)
{
    M->t = time;
    M->fresh = 0;
    return fmi3OK;
}

/* Copy an array of all states. */
static fmi3Status model_copied(fmi3Instance instance, const double *from, double *to, size_t n)
{
    if (n != MODEL_NX) {
        return model_refused(instance, "the number of continuous states is another one");
    }
    memcpy(to, from, n * sizeof *to);
    return fmi3OK;
}

API fmi3FullName(fmi3SetContinuousStates)(fmi3Instance instance, const fmi3Float64 x[], size_t n)
{
    M->fresh = 0;
    return model_copied(instance, x, M->x, n);
}

API fmi3FullName(fmi3GetContinuousStates)(fmi3Instance instance, fmi3Float64 x[], size_t n)
{
    return model_copied(instance, M->x, x, n);
}

API fmi3FullName(fmi3GetContinuousStateDerivatives)(fmi3Instance instance, fmi3Float64 dx[], size_t n)
{
    model_refresh(M);
    return model_copied(instance, M->dx, dx, n);
}

API fmi3FullName(fmi3GetNominalsOfContinuousStates)(fmi3Instance instance, fmi3Float64 nominals[], size_t n)
{
    while (n > 0) {
        nominals[--n] = 1.0;
    }
    return fmi3OK;
}

API fmi3FullName(fmi3GetEventIndicators)(fmi3Instance instance, fmi3Float64 z[], size_t n)
{
    if (n != MODEL_NG) {
        return model_refused(instance, "the number of event indicators is another one");
    }
    model_clear(M);
    while (n > 0) {
        n--;
        z[n] = model_indicator(M, (int)n);
    }
    return fmi3OK;
}
