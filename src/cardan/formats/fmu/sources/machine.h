
#define MODEL_SOME(n) ((n) > 0 ? (n) : 1)

/* A machine in motion: what a run knows at an instant. */
typedef struct {
    double t; /* time [s] */
    double x[MODEL_SOME(MODEL_NX)];
    double u[MODEL_SOME(MODEL_NU)];
    double p[MODEL_SOME(MODEL_NP + MODEL_NMODE)]; /* parameters, then the mode */
    double begin, finish; /* instants around t at which something switches with time [s] */
    double h, rtol, atol; /* next step [s], tolerances of a step */
    double side[MODEL_SOME(MODEL_NG)], noise[MODEL_SOME(MODEL_NG)]; /* of each crossing function, as it was seen last */
    double fired[MODEL_SOME(MODEL_NG + MODEL_NTICKS)]; /* 1 for each event of this instant */
    double count[MODEL_SOME(MODEL_NTICKS)]; /* number of the next sample */
    double dx[MODEL_SOME(MODEL_NX)], y[MODEL_SOME(MODEL_NY)], g[MODEL_SOME(MODEL_NG)], dg[MODEL_SOME(MODEL_NG)];
    int begun; /* whether parameters and initial values are chosen */
    int fresh; /* whether dx, y, g and dg belong to this state */
    int ended; /* whether an event has ended the motion */
} model_machine;

/* At the start, before anything is chosen. */
void model_reset_machine(model_machine *m, double t);

/* After parameters, inputs and initial values were chosen; 0, or what is wrong. */
int model_begin(model_machine *m);

/* Whether a sample, or another event that the time alone decides on, is due at this instant. */
int model_is_due(const model_machine *m);

/*
 * Make all events of this instant; `changed` says whether there were any; 0, or what is wrong. Bounces that would be
 * lower than `least` end: an importer that errs by so much never lets them end by themselves.
 */
int model_make_events(model_machine *m, double least, int *changed);

/* Move to a later instant under constant inputs, with the events on the way; 0, or what is wrong. */
int model_advance(model_machine *m, double to);

/* Compute dx, y, g and dg, if they are not known. */
void model_refresh(model_machine *m);

/* Whether errors of an importer's integration have left the constraints by more than its tolerance. */
int model_drifts(const model_machine *m);

/* How far function j is from its next event; negative beyond it. */
double model_indicator(const model_machine *m, int j);

/* Forget the round-off of events from which the crossing functions have come away. */
void model_clear(model_machine *m);

/* Note on which side of zero the crossing functions are, after a step; 1 if one has begun at zero and is beyond it. */
int model_note(model_machine *m);

/* The value of a variable, and where it is stored if it can be set. */
double model_value(model_machine *m, unsigned reference);
double *model_place(model_machine *m, unsigned reference);

/* Whether a variable can be set now: inputs always, some others before the run. */
int model_is_open(const model_machine *m, unsigned reference);

/* What a fault is, in words. */
const char *model_words(int fault);
