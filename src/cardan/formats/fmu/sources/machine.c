
/* ---- a machine in motion: events in a mode, samples, resets ---- */

#define MODEL_SOON 1e-12 /* part of its time up to which an importer finds an instant */
#define MODEL_RETURN 20.0 /* rate at which states that an importer integrates return to their constraints [1/s] */
#define MODEL_MOST 1000000 /* steps within a communication step: some seconds of computing */

/* What a run knows at an instant; first the variables, in the order of their references. */
typedef struct {
    double t; /* time [s] */
    double u[MODEL_SOME(MODEL_NU)];
    double p[MODEL_SOME(MODEL_NP + MODEL_NMODE)]; /* parameters, then the mode */
    double x[MODEL_NX], dx[MODEL_NX], y[MODEL_SOME(MODEL_NY)];
    double z[MODEL_SOME(MODEL_NG)]; /* how far each crossing function is from its next event; negative beyond it */
    double g[MODEL_SOME(MODEL_NG)], dg[MODEL_SOME(MODEL_NG)];
    double side[MODEL_SOME(MODEL_NG)], noise[MODEL_SOME(MODEL_NG)]; /* of each crossing function, as it was seen last */
    double fired[MODEL_SOME(MODEL_NG + MODEL_NTICKS)]; /* 1 for each event of this instant */
    double count[MODEL_SOME(MODEL_NTICKS)]; /* number of the next sample */
    double begin, finish; /* instants around t at which something switches with time [s] */
    double h, rtol, atol; /* next step [s], tolerances of a step */
    int begun; /* whether parameters and initial values are chosen */
    int fresh; /* whether dx, y, g and dg belong to this state */
    int ended; /* whether an event has ended the motion */
} model_machine;

/* The instant t, not on the other side of a jump at the ends of this interval. */
static double model_within(const model_machine *m, double t)
{
    return fmin(fmax(t, m->begin + 1e-15 * fabs(m->begin)), m->finish - 1e-15 * fabs(m->finish));
}

/* Part of the time that an importer may be before or behind an instant [s]. */
static double model_soon(const model_machine *m)
{
    return MODEL_SOON * (1.0 + fabs(m->t));
}

/* The start, before anything is chosen. */
static void model_reset_machine(model_machine *m)
{
    memset(m, 0, sizeof *m);
    memcpy(m, model_start, sizeof model_start);
    m->finish = INFINITY;
    m->rtol = 1e-8;
    m->atol = 1e-10;
}

/* Begin the interval at this instant; mark the samples that are due. */
static int model_begin_interval(model_machine *m)
{
    const double now = m->t + 4e-16 * fabs(m->t);
    int i, due = 0;
    m->begin = m->t;
    m->finish = INFINITY;
    for (i = 0; i < MODEL_NTICKS; i++) {
        if (model_periods[i] * m->count[i] <= now) {
            m->fired[MODEL_NG + i] = due = 1;
            m->count[i] += 1.0;
        }
        m->finish = fmin(m->finish, model_periods[i] * m->count[i]);
    }
    for (i = 0; i < MODEL_NINSTANTS; i++) {
        m->finish = model_instants[i] > now ? fmin(m->finish, model_instants[i]) : m->finish;
    }
    m->fresh = 0;
    return due;
}

/* The state that is one step of Newton's method nearer to the constraints; the residual of this one. */
static double model_nearest(const model_machine *m, double *x)
{
    double residual, distance;
    model_project(model_within(m, m->t), m->x, m->u, m->p, x, &residual, &distance);
    return residual;
}

/* Whether errors of an importer's integration have left the constraints by more than its tolerance. */
static int model_drifts(const model_machine *m)
{
    double x[MODEL_NX];
    return model_nearest(m, x) > 10.0 * m->rtol;
}

/* Compute what follows from parameters and initial values: other parameters, and the mode. */
static void model_choose(model_machine *m)
{
    double p[MODEL_SOME(MODEL_NP + MODEL_NMODE)];
    memcpy(p, m->p, sizeof p);
    model_parameters(p, m->p);
    memcpy(p, m->p, sizeof p);
    model_mode(model_within(m, m->t), m->x, m->u, p, m->p + MODEL_NP);
}

/* Compute dx, y, g and dg, if they are not known. */
static void model_refresh(model_machine *m)
{
    const double t = model_within(m, m->t);
    double x[MODEL_NX];
    int i;
    if (m->fresh) {
        return;
    }
    if (!m->begun) {
        model_choose(m);
    }
    model_nearest(m, x);
    model_rate(t, x, m->u, m->p, m->dx);
    for (i = 0; i < MODEL_NX; i++) {
        m->dx[i] += MODEL_RETURN * (x[i] - m->x[i]);
    }
    model_outputs(t, x, m->u, m->p, m->y);
    model_crossings(t, x, m->u, m->p, m->dx, m->g, m->dg);
    m->fresh = 1;
}

/* Whether function j, last seen on its side, makes its event with this value. */
static int model_happens(const model_machine *m, int j)
{
    const int direction = model_directions[j];
    return direction == MODEL_INVARIANT ? m->g[j] < 0.0
        : m->side[j] * m->g[j] < 0.0 && (direction == 0 || direction * m->g[j] > 0.0);
}

/* The side on which function j has to stay; 0 if all are right. */
static double model_side(const model_machine *m, int j)
{
    return model_directions[j] == MODEL_INVARIANT ? 1.0 : m->side[j];
}

/* Compute all variables, and forget the round-off of events from which the crossing functions have come away. */
static void model_look(model_machine *m)
{
    int j;
    model_refresh(m);
    for (j = 0; j < MODEL_NG; j++) {
        const double side = model_side(m, j);
        if (fabs(m->g[j]) > 2.0 * m->noise[j] && !model_happens(m, j)) {
            m->noise[j] = 0.0;
        }
        m->z[j] = side == 0.0 ? 1.0 : side * m->g[j] + m->noise[j];
    }
}

/* Note on which side of zero the crossing functions are, after a step; 1 if one has begun at zero and is beyond it. */
static int model_note(model_machine *m)
{
    int j, pending = 0;
    model_look(m);
    for (j = 0; j < MODEL_NG; j++) {
        const int happens = model_happens(m, j);
        pending = pending || (happens && fabs(m->g[j]) > m->noise[j]);
        if (!happens && fabs(m->g[j]) > 2.0 * m->noise[j]) { /* just after an event its sign is round-off */
            m->side[j] = m->g[j] > 0.0 ? 1.0 : -1.0;
        }
        if (m->g[j] == 0.0 && m->noise[j] == 0.0) {
            m->noise[j] = 1e-300; /* importers look for changes of sign, and see none that begins at zero */
        }
    }
    return pending;
}

/* Mark the events that follow at this instant from the state after others; 1 if there are any. */
static int model_follow(model_machine *m)
{
    int j, found = 0;
    model_refresh(m);
    for (j = 0; j < MODEL_NG; j++) {
        const int direction = model_directions[j], just = m->fired[j] != 0.0;
        const double g = m->g[j];
        m->fired[j] = 0.0;
        if (just && direction == MODEL_INVARIANT) {
            m->side[j] = 0.0;
            m->noise[j] *= g < 0.0 ? 2.0 : 1.0; /* nothing has changed: the next event is where it is twice as large */
        } else if (just) {
            m->side[j] = direction ? direction : -m->side[j];
            if (fabs(g) > m->noise[j] && fabs(g) > fabs(m->dg[j]) * model_soon(m)) {
                m->side[j] = g > 0.0 ? 1.0 : -1.0; /* the reset has put it there */
                m->noise[j] = 0.0;
            } else if (m->side[j] * g < 0.0) {
                m->noise[j] = fmax(m->noise[j], fabs(g));
            }
        }
        if (fabs(g) > m->noise[j] && model_happens(m, j) && (direction == MODEL_INVARIANT || !just)) {
            m->fired[j] = found = 1;
        }
    }
    model_note(m);
    memset(m->fired + MODEL_NG, 0, MODEL_NTICKS * sizeof(double));
    return found;
}

/* Make the events that are marked, and those that follow from them. */
static int model_fire(model_machine *m)
{
    int n, moved;
    for (n = 0; n < 100; n++) { /* switchings that cause each other are fewer */
        double x[MODEL_NX], mode[MODEL_SOME(MODEL_NMODE)], y[MODEL_SOME(MODEL_NPROBLEMS * MODEL_NUNKNOWNS)], ends;
        model_refresh(m);
        model_balance(model_within(m, m->t), m->x, m->u, m->p, m->fired, y);
        model_reset(model_within(m, m->t), m->x, m->u, m->p, m->fired, y, x, mode, &ends);
        moved = memcmp(m->x, x, sizeof x);
        memcpy(m->x, x, sizeof x);
        memcpy(m->p + MODEL_NP, mode, MODEL_NMODE * sizeof(double));
        m->fresh = 0;
        if (moved && model_settled(m->t, m->x, m->u, m->p)) {
            return MODEL_CONSTRAINTS_LOST;
        }
        m->ended = ends != 0.0;
        if (m->ended || !model_follow(m)) {
            return 0;
        }
    }
    return MODEL_CHATTERING;
}

/* Begin, after parameters, inputs and initial values were chosen; 0, or what is wrong. */
static int model_begin(model_machine *m)
{
    int i;
    model_choose(m);
    if (model_settled(m->t, m->x, m->u, m->p)) {
        return MODEL_CONSTRAINTS_LOST;
    }
    for (i = 0; i < MODEL_NTICKS; i++) {
        m->count[i] = fmax(0.0, ceil(m->t * (1.0 - 4e-16) / model_periods[i]));
    }
    i = model_begin_interval(m);
    model_choose(m);
    m->begun = 1;
    return i || model_follow(m) ? model_fire(m) : 0;
}

/* Whether a sample, or another event that the time alone decides on, is due at this instant. */
static int model_is_due(const model_machine *m)
{
    return m->t >= m->finish - model_soon(m) && m->t > m->begin;
}

/*
 * Make all events of this instant; `changed` says whether there were any; 0, or what is wrong. Bounces that would be
 * lower than `least` end: an importer that errs by so much never lets them end by themselves.
 */
static int model_make_events(model_machine *m, double least, int *changed)
{
    int j, due = model_is_due(m);
    *changed = due || model_drifts(m);
    if (*changed && model_settled(m->t, m->x, m->u, m->p)) {
        return MODEL_CONSTRAINTS_LOST;
    }
    if (due) {
        m->t = fmax(m->t, m->finish);
        due = model_begin_interval(m);
    }
    m->fresh = 0;
    model_look(m);
    for (j = 0; j < MODEL_NG; j++) {
        const double side = model_side(m, j), off = fabs(m->dg[j]) * model_soon(m); /* on either side of the instant */
        if (side != 0.0 && (m->z[j] < 0.0 || (side * m->dg[j] < 0.0 && m->z[j] <= off))) {
            const int direction = model_directions[j];
            if (fabs(m->g[j]) <= off) {
                m->noise[j] = fmax(m->noise[j], fabs(m->g[j])); /* the round-off of a crossing that was located */
            }
            if (direction == MODEL_INVARIANT || direction * side <= 0.0) {
                m->fired[j] = due = 1;
            } else {
                m->side[j] = -side; /* it passes zero the other way, which is no event */
            }
        }
    }
    for (j = 0; j < MODEL_NSTOPS; j++) {
        double *met = m->fired + model_stops[2 * j];
        const double v = m->x[model_stops[2 * j + 1]], a = m->dx[model_stops[2 * j + 1]];
        if ((met[0] != 0.0 || met[1] != 0.0) && v * a > 0.0 && v * v <= 2.0 * fabs(a) * least) {
            met[3] = 1.0; /* it rests there */
        }
    }
    *changed = *changed || due;
    return due && !m->ended ? model_fire(m) : 0;
}

/* ---- co-simulation ---- */

/* How far the function nearest to its event is from it. */
static double model_ahead(model_machine *m)
{
    double least = 1.0;
    int j;
    model_look(m);
    for (j = 0; j < MODEL_NG; j++) {
        least = fmin(least, m->z[j]);
    }
    return least;
}

/* The part of a step h after which a function that keeps its sign may have its least value below zero; 1 if none has. */
static double model_dip(const model_machine *m, const model_machine *end, double h)
{
    double part = 1.0;
    int i, j;
    for (j = 0; j < MODEL_NG; j++) {
        const double side = model_side(m, j);
        const double a = side * m->g[j], b = side * end->g[j], da = h * side * m->dg[j], db = h * side * end->dg[j];
        if (side == 0.0 || da >= 0.0 || db <= 0.0 || (a + da / 3.0 > 0.0 && b - db / 3.0 > 0.0) || a <= m->noise[j]) {
            continue;
        }
        for (i = 1; i < 16; i++) { /* the cubic through both ends */
            const double s = i / 16.0, r = 1.0 - s;
            if (r * r * ((1.0 + 2.0 * s) * a + s * da) + s * s * ((3.0 - 2.0 * s) * b - r * db) < 0.0) {
                part = fmin(part, s);
            }
        }
    }
    return part;
}

/*
 * Move to a later instant under constant inputs, with the events on the way; 0, or what is wrong. Where a step passes
 * an event, shorter ones come closer to it from before, by the rule of Illinois, until one passes it by round-off alone.
 */
static int model_advance(model_machine *m, double to)
{
    double cut = 0.0, part = 1.0, at[2] = {1.0, 0.0}; /* an event is within `cut`, unless it is 0; z on both sides of it */
    int n, changed, was = -1, fault = model_make_events(m, 0.0, &changed);
    model_machine high = *m; /* beyond the event */
    for (n = 0; !fault && m->t < to && !m->ended && n < MODEL_MOST; n++) {
        const double goal = fmin(to, m->finish), h = m->h > 0.0 ? m->h : goal - m->t;
        const int last = cut == 0.0 && !(m->t + 1.01 * h < goal);
        const double taken = cut > 0.0 ? fmin(h, fmax(part * cut, 4e-16 * fabs(m->t))) : last ? goal - m->t : h;
        model_machine end = *m;
        int beyond = 0, arrives;
        end.h = taken;
        end.t = last ? goal : m->t + taken;
        end.fresh = 0;
        fault = model_try(m->t, &end.h, m->x, m->u, m->p, m->rtol, m->atol, end.x);
        if (fault) {
            m->h = end.h;
            fault = end.h < 1e-14 * (fabs(m->t) + goal - m->t) ? fault : 0;
            continue;
        }
        m->h = end.h = taken < h && end.h < h ? h : end.h; /* a step that was cut says nothing of longer ones */
        if (MODEL_NG) {
            const double z = model_ahead(&end);
            beyond = z < 0.0;
            if (cut == 0.0) {
                at[0] = fmax(model_ahead(m), 1e-300);
                at[1] = 0.0;
                was = -1;
                if (!beyond && (part = model_dip(m, &end, taken)) < 1.0) {
                    cut = part * taken;
                    part = 1.0;
                    continue;
                }
            }
            at[beyond] = z;
            at[!beyond] *= beyond == was ? 0.5 : 1.0;
            was = beyond;
            part = n % 3 == 2 ? 0.5 : at[0] / (at[0] - at[1]);
            cut = beyond ? taken : fmax(cut - taken, 0.0);
        }
        *(beyond ? &high : m) = end;
        if (MODEL_NG && !beyond) {
            model_note(m);
        }
        arrives = at[1] < 0.0 && cut <= 4.5e-16 * (fabs(m->t) + cut);
        if (arrives || (m->t >= m->finish && m->t < to)) {
            *m = arrives ? high : *m;
            cut = 0.0;
            fault = model_make_events(m, 0.0, &changed);
        }
    }
    return n < MODEL_MOST || fault ? fault : MODEL_TOO_MANY_STEPS;
}

static const char *model_words(int fault)
{
    return fault == MODEL_CONSTRAINTS_LOST ? "no closed position is near: the motion leads into a singular position"
        : fault == MODEL_NOT_FINITE ? "no step is short enough: a rate is not finite, or the motion grows without bound"
        : fault == MODEL_CHATTERING ? "events cause each other without end at one instant"
        : "a million steps do not reach the end: the motion is too stiff for an explicit method";
}
