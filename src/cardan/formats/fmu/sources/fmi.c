
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

#define API(name) FMI3_Export fmi3Status fmi3FullName(name)
#define M (&((model_instance *)instance)->m)
#define VR const uint32_t r[], size_t n

static fmi3Status model_refused(void *instance, const char *words)
{
    model_log(instance, words);
    return fmi3Error;
}

static fmi3Status model_told(void *instance, int fault)
{
    return fault ? model_refused(instance, model_words(fault)) : fmi3OK;
}

/* A function that has nothing to do; one that this FMU has not; those for a type that no variable has. */
#define NOTHING_TO_DO(name, arguments) \
    API(name) arguments \
    { \
        return fmi3OK; \
    }
#define MISSING(name, arguments) \
    API(name) arguments \
    { \
        return model_refused(instance, #name " is not available"); \
    }
#define ABSENT(name, type) \
    API(name)(void *instance, VR, type v[], size_t count) \
    { \
        return n ? model_refused(instance, "there is no variable of this type") : fmi3OK; \
    }
#define ABSENT_TYPE(name, type) ABSENT(fmi3Get##name, type) ABSENT(fmi3Set##name, type const)

NOTHING_TO_DO(fmi3SetDebugLogging, (void *instance, bool on, size_t n, const char *const categories[]))
NOTHING_TO_DO(fmi3Terminate, (void *instance))
NOTHING_TO_DO(fmi3EnterEventMode, (void *instance))
NOTHING_TO_DO(fmi3EnterContinuousTimeMode, (void *instance))
MISSING(fmi3GetDirectionalDerivative, (void *instance, const uint32_t unknowns[], size_t n, const uint32_t knowns[],
    size_t m, const double seed[], size_t count_of_seed, double values[], size_t count))
ABSENT_TYPE(Boolean, bool)
ABSENT_TYPE(String, const char *)

/* ---- life of an instance ---- */

/* A new instance that says its errors as this one does; none where the token is of another FMU. */
static void *model_made(const char *token, model_instance given)
{
    model_instance *one = token && strcmp(token, MODEL_TOKEN) == 0 ? malloc(sizeof *one) : NULL;
    if (one) {
        *one = given;
        model_reset_machine(&one->m);
    } else {
        model_log(&given, "this is not the FMU that was described: its token is another one");
    }
    return one;
}

FMI3_Export void fmi3FullName(fmi3FreeInstance)(void *instance)
{
    free(instance);
}

API(fmi3EnterInitializationMode)(void *instance, bool given, double tolerance, double start, bool stops, double stop)
{
    M->t = M->begin = start;
    if (given && tolerance > 0.0) {
        M->rtol = tolerance;
        M->atol = 0.01 * tolerance;
    }
    return fmi3OK;
}

API(fmi3ExitInitializationMode)(void *instance)
{
    return model_told(instance, model_begin(M));
}

API(fmi3Reset)(void *instance)
{
    model_reset_machine(M);
    return fmi3OK;
}

/* ---- variables ---- */

API(fmi3GetFloat64)(void *instance, VR, double values[], size_t count)
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (r[i] >= MODEL_REFERENCES) {
            return model_refused(instance, "there is no variable of this value reference");
        }
        if (r[i] >= MODEL_OPEN) {
            model_look(M);
        }
        values[i] = ((double *)M)[r[i]];
    }
    return fmi3OK;
}

API(fmi3SetFloat64)(void *instance, VR, const double values[], size_t count)
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (r[i] >= MODEL_OPEN || !model_open[r[i]] || (M->begun && r[i] > MODEL_NU)) {
            return model_refused(instance, M->begun ? "only inputs can be set now" : "this variable is fixed in this FMU");
        }
        if (!(values[i] - values[i] == 0.0)) { /* infinite or NaN */
            return model_refused(instance, "a value is no finite number: look at what feeds the inputs and parameters");
        }
        ((double *)M)[r[i]] = values[i];
    }
    M->fresh = 0;
    return fmi3OK;
}

/* ---- states that are kept ---- */

API(fmi3GetFMUState)(void *instance, void **state)
{
    *state = *state ? *state : malloc(sizeof(model_machine));
    if (!*state) {
        return model_refused(instance, "there is no memory for a state");
    }
    memcpy(*state, M, sizeof(model_machine));
    return fmi3OK;
}

API(fmi3SetFMUState)(void *instance, void *state)
{
    memcpy(M, state, sizeof(model_machine));
    return fmi3OK;
}

API(fmi3FreeFMUState)(void *instance, void **state)
{
    free(*state);
    *state = NULL;
    return fmi3OK;
}

API(fmi3SerializedFMUStateSize)(void *instance, void *state, size_t *size)
{
    *size = sizeof(model_machine);
    return fmi3OK;
}

API(fmi3SerializeFMUState)(void *instance, void *state, uint8_t bytes[], size_t size)
{
    if (size < sizeof(model_machine)) {
        return model_refused(instance, "the state is longer than this");
    }
    memcpy(bytes, state, sizeof(model_machine));
    return fmi3OK;
}

API(fmi3DeserializeFMUState)(void *instance, const uint8_t bytes[], size_t size, void **state)
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
static fmi3Status model_moved(void *instance, double now, double h)
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

API(fmi3CompletedIntegratorStep)(void *instance, bool forward, bool *enter, bool *ends)
{
    *enter = model_note(M) || model_drifts(M); /* events that begin at zero, which importers do not see; drift */
    *ends = 0;
    return fmi3OK;
}

API(fmi3SetTime)(void *instance, double time)
{
    M->t = time;
    M->fresh = 0;
    return fmi3OK;
}

/* Copy an array of so many entries. */
static fmi3Status model_copied(void *instance, const double *from, double *to, size_t n, size_t known)
{
    if (n != known) {
        return model_refused(instance, "the number of continuous states or event indicators is another one");
    }
    memcpy(to, from, n * sizeof *to);
    return fmi3OK;
}

API(fmi3SetContinuousStates)(void *instance, const double x[], size_t n)
{
    M->fresh = 0;
    return model_copied(instance, x, M->x, n, MODEL_NX);
}

API(fmi3GetContinuousStates)(void *instance, double x[], size_t n)
{
    return model_copied(instance, M->x, x, n, MODEL_NX);
}

API(fmi3GetContinuousStateDerivatives)(void *instance, double dx[], size_t n)
{
    model_refresh(M);
    return model_copied(instance, M->dx, dx, n, MODEL_NX);
}

API(fmi3GetNominalsOfContinuousStates)(void *instance, double nominals[], size_t n)
{
    while (n > 0) {
        nominals[--n] = 1.0;
    }
    return fmi3OK;
}

API(fmi3GetEventIndicators)(void *instance, double z[], size_t n)
{
    model_look(M);
    return model_copied(instance, M->z, z, n, MODEL_NG);
}
