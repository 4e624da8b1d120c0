
#if !MODEL_NY
#define model_outputs(t, x, u, p, y) ((void)0)
#endif
#if !MODEL_NG
#define model_crossings(t, x, u, p, dx, g, dg) ((void)0)
#endif
#if !(MODEL_NG + MODEL_NTICKS)
#define model_reset(t, x, u, p, fired, y, moved, mode, ends) ((void)0)
#endif
#if !MODEL_NMODE
#define model_mode(t, x, u, p, mode) ((void)0)
#endif
#if !MODEL_DEPENDENT
#define model_parameters(p, all) ((void)0)
#endif
#if !MODEL_NPROBLEMS
#define model_balance(t, x, u, p, fired, y) ((void)0)
#endif

/* ---- a machine in motion: events in a mode, samples, resets ---- */

#define MODEL_SOON 1e-12 /* part of its time up to which an importer finds an instant */
#define MODEL_RETURN 20.0 /* rate at which states that an importer integrates return to their constraints [1/s] */

static double model_size(double a)
{
    return a < 0.0 ? -a : a;
}

/* The instant t, not on the other side of a jump at the ends of this interval. */
static double model_within(const model_machine *m, double t)
{
    const double first = m->begin + 1e-15 * model_size(m->begin), last = m->finish - 1e-15 * model_size(m->finish);
    return t < first ? first : t > last ? last : t;
}

void model_reset_machine(model_machine *m, double t)
{
    memset(m, 0, sizeof *m);
    memcpy(m->x, model_x_start, sizeof model_x_start);
    memcpy(m->u, model_u_start, sizeof model_u_start);
    memcpy(m->p, model_p_start, sizeof model_p_start);
    m->t = m->begin = t;
    m->finish = INFINITY;
    m->rtol = 1e-8;
    m->atol = 1e-10;
}

/* Begin the interval at this instant; mark the samples that are due. */
static int model_begin_interval(model_machine *m)
{
    const double now = m->t + 4e-16 * model_size(m->t);
    int i, due = 0;
    m->begin = m->t;
    m->finish = INFINITY;
    for (i = 0; i < MODEL_NTICKS; i++) {
        if (model_periods[i] * m->count[i] <= now) {
            m->fired[MODEL_NG + i] = due = 1;
            m->count[i] += 1.0;
        }
        if (model_periods[i] * m->count[i] < m->finish) {
            m->finish = model_periods[i] * m->count[i];
        }
    }
    for (i = 0; i < MODEL_NINSTANTS; i++) {
        if (model_instants[i] > now && model_instants[i] < m->finish) {
            m->finish = model_instants[i];
        }
    }
    m->fresh = 0;
    return due;
}

/* The state that is one step of Newton's method nearer to the constraints; the residual of this one. */
static double model_nearest(const model_machine *m, double *x)
{
    double residual = 0.0;
    memcpy(x, m->x, sizeof m->x);
#if MODEL_PROJECTS
    {
        double distance;
        model_project(model_within(m, m->t), m->x, m->u, m->p, x, &residual, &distance);
    }
#endif
    return residual;
}

int model_drifts(const model_machine *m)
{
    double x[MODEL_SOME(MODEL_NX)];
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

void model_refresh(model_machine *m)
{
    const double t = model_within(m, m->t);
    double x[MODEL_SOME(MODEL_NX)];
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

double model_indicator(const model_machine *m, int j)
{
    const double side = model_directions[j] == MODEL_INVARIANT ? 1.0 : m->side[j];
    return side == 0.0 ? 1.0 : side * m->g[j] + m->noise[j];
}

/* Whether function j, last seen on its side, makes its event with this value. */
static int model_happens(const model_machine *m, int j, double g)
{
    const int direction = model_directions[j];
    return direction == MODEL_INVARIANT ? g < 0.0
        : m->side[j] * g < 0.0 && (direction == 0 || direction * g > 0.0);
}

void model_clear(model_machine *m)
{
    int j;
    model_refresh(m);
    for (j = 0; j < MODEL_NG; j++) {
        if (model_size(m->g[j]) > 2.0 * m->noise[j] && !model_happens(m, j, m->g[j])) {
            m->noise[j] = 0.0;
        }
    }
}

int model_note(model_machine *m)
{
    int j, pending = 0;
    model_clear(m);
    for (j = 0; j < MODEL_NG; j++) {
        pending = pending || (model_size(m->g[j]) > m->noise[j] && model_happens(m, j, m->g[j]));
        if (model_size(m->g[j]) > 2.0 * m->noise[j] /* just after an event its sign is round-off */
            && !model_happens(m, j, m->g[j])) {
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
            const double off = model_size(m->dg[j]) * MODEL_SOON * (1.0 + model_size(m->t));
            m->side[j] = direction ? direction : -m->side[j];
            if (model_size(g) > m->noise[j] && model_size(g) > off) {
                m->side[j] = g > 0.0 ? 1.0 : -1.0; /* the reset has put it there */
                m->noise[j] = 0.0;
            } else if (m->side[j] * g < 0.0 && model_size(g) > m->noise[j]) {
                m->noise[j] = model_size(g);
            }
        }
        if (model_size(g) > m->noise[j] && model_happens(m, j, g) && (direction == MODEL_INVARIANT || !just)) {
            m->fired[j] = found = 1;
        }
    }
    model_note(m);
    for (j = 0; j < MODEL_NTICKS; j++) {
        m->fired[MODEL_NG + j] = 0.0;
    }
    return found;
}

/* Make the events that are marked, and those that follow from them. */
static int model_fire(model_machine *m)
{
    int i, n, moved;
    for (n = 0; n < 100; n++) { /* switchings that cause each other are fewer */
        double x[MODEL_SOME(MODEL_NX)], mode[MODEL_SOME(MODEL_NMODE)], y[MODEL_SOME(MODEL_NPROBLEMS * MODEL_NUNKNOWNS)], ends = 0.0;
        (void)y;
        model_refresh(m);
        memcpy(x, m->x, sizeof x);
        memcpy(mode, m->p + MODEL_NP, MODEL_NMODE * sizeof(double));
        model_balance(model_within(m, m->t), m->x, m->u, m->p, m->fired, y);
        model_reset(model_within(m, m->t), m->x, m->u, m->p, m->fired, y, x, mode, &ends);
        for (i = moved = 0; i < MODEL_NX; i++) {
            moved = moved || x[i] != m->x[i];
            m->x[i] = x[i];
        }
        memcpy(m->p + MODEL_NP, mode, MODEL_NMODE * sizeof(double));
        m->fresh = 0;
        if (moved && model_settled(m->t, m->x, m->u, m->p)) {
            return MODEL_CONSTRAINTS_LOST;
        }
        if (ends != 0.0) {
            m->ended = 1;
            return 0;
        }
        if (!model_follow(m)) {
            return 0;
        }
    }
    return MODEL_CHATTERING;
}

int model_begin(model_machine *m)
{
    int i;
    model_choose(m);
    if (model_settled(m->t, m->x, m->u, m->p)) {
        return MODEL_CONSTRAINTS_LOST;
    }
    for (i = 0; i < MODEL_NTICKS; i++) {
        m->count[i] = 0.0;
        while (model_periods[i] * m->count[i] < m->t * (1.0 - 4e-16)) {
            m->count[i] += 1.0;
        }
    }
    i = model_begin_interval(m);
    model_choose(m);
    m->begun = 1;
    m->fresh = 0;
    return i || model_follow(m) ? model_fire(m) : 0;
}

int model_is_due(const model_machine *m)
{
    return m->t >= m->finish - MODEL_SOON * (1.0 + model_size(m->t)) && m->t > m->begin;
}

int model_make_events(model_machine *m, double least, int *changed)
{
    const double soon = MODEL_SOON * (1.0 + model_size(m->t)); /* on either side of it */
    int j, due = model_is_due(m);
    *changed = due || model_drifts(m);
    if (*changed && model_settled(m->t, m->x, m->u, m->p)) {
        return MODEL_CONSTRAINTS_LOST;
    }
    if (due) {
        m->t = m->t > m->finish ? m->t : m->finish;
        due = model_begin_interval(m);
    }
    m->fresh = 0;
    model_refresh(m);
    for (j = 0; j < MODEL_NG; j++) {
        const double side = model_directions[j] == MODEL_INVARIANT ? 1.0 : m->side[j], z = model_indicator(m, j);
        if (side != 0.0 && (z < 0.0 || (side * m->dg[j] < 0.0 && z <= -side * m->dg[j] * soon))) {
            const int direction = model_directions[j];
            if (model_size(m->g[j]) > m->noise[j] && model_size(m->g[j]) <= model_size(m->dg[j]) * soon) {
                m->noise[j] = model_size(m->g[j]); /* the round-off of a crossing that was located */
            }
            if (direction == MODEL_INVARIANT || direction == 0 || direction * side < 0.0) {
                m->fired[j] = due = 1;
            } else {
                m->side[j] = -side; /* it passes zero the other way, which is no event */
            }
        }
    }
    for (j = 0; j < MODEL_NSTOPS; j++) {
        double *met = m->fired + model_stops[j][0];
        const double v = m->x[model_stops[j][1]], a = m->dx[model_stops[j][1]];
        if ((met[0] != 0.0 || met[1] != 0.0) && v * a > 0.0 && v * v <= 2.0 * model_size(a) * least) {
            met[3] = 1.0; /* it rests there */
        }
    }
    *changed = *changed || due;
    return due && !m->ended ? model_fire(m) : 0;
}

/* ---- co-simulation ---- */

#define MODEL_MOST 1000000 /* steps within a communication step: some seconds of computing */

/* Whether a step that ends at (t, x) passes an event: how far the function nearest to its event is beyond it, < 0. */
static double model_passed(const model_machine *m, double t, const double *x, model_machine *end)
{
    double least = 1.0;
    int j;
    *end = *m;
    end->t = t;
    end->fresh = 0;
    memcpy(end->x, x, sizeof end->x);
    model_refresh(end);
    for (j = 0; j < MODEL_NG; j++) {
        const double z = model_indicator(end, j);
        least = z < least ? z : least;
    }
    return least;
}

/* The part of a step h after which a function that keeps its sign may have its least value below zero; 1 if none has. */
static double model_dip(const model_machine *m, const model_machine *end, double h)
{
    double part = 1.0;
    int i, j;
    for (j = 0; j < MODEL_NG; j++) {
        const double side = model_directions[j] == MODEL_INVARIANT ? 1.0 : m->side[j];
        const double a = side * m->g[j], b = side * end->g[j], da = h * side * m->dg[j], db = h * side * end->dg[j];
        if (side == 0.0 || da >= 0.0 || db <= 0.0 || (a + da / 3.0 > 0.0 && b - db / 3.0 > 0.0) || a <= m->noise[j]) {
            continue;
        }
        for (i = 1; i < 16; i++) { /* the cubic through both ends */
            const double s = i / 16.0, r = 1.0 - s;
            if (r * r * ((1.0 + 2.0 * s) * a + s * da) + s * s * ((3.0 - 2.0 * s) * b - r * db) < 0.0 && s < part) {
                part = s;
            }
        }
    }
    return part;
}

/* The end x of a step over h, whatever its error; 0, or what is wrong. */
static int model_to(const model_machine *m, double h, double *x)
{
    double k[MODEL_STAGES][MODEL_SOME(MODEL_NX)];
    model_stages(m->t, h, m->x, m->u, m->p, k, x);
    return model_settled(m->t + h, x, m->u, m->p);
}

/* Move to the first event within a step over h that ends so far beyond it, and make it; 0, or what is wrong. */
static int model_locate(model_machine *m, double h, double beyond)
{
    model_machine end;
    double low = 0.0, high = h, x[MODEL_SOME(MODEL_NX)], at_high = beyond, at_low = model_passed(m, m->t, m->x, &end);
    int n, fault, last = 0, changed;
    at_low = at_low > 0.0 ? at_low : 1e-300;
    for (n = 0; n < 200 && high - low > 4.5e-16 * model_size(m->t + high); n++) {
        double middle = low + (high - low) * at_low / (at_low - at_high), z; /* Illinois; every third step halves */
        middle = n % 3 == 2 || !(low < middle && middle < high) ? 0.5 * (low + high) : middle;
        if ((fault = model_to(m, middle, x)) != 0) {
            return fault;
        }
        z = model_passed(m, m->t + middle, x, &end);
        if (z < 0.0) {
            high = middle;
            at_high = z;
            at_low *= last == 1 ? 0.5 : 1.0;
            last = 1;
        } else {
            low = middle;
            at_low = z > 0.0 ? z : 1e-300;
            model_clear(&end);
            memcpy(m->noise, end.noise, sizeof m->noise);
            at_high *= last == -1 ? 0.5 : 1.0;
            last = -1;
        }
    }
    if ((fault = model_to(m, high, x)) != 0) {
        return fault;
    }
    m->t += high;
    memcpy(m->x, x, sizeof m->x);
    m->fresh = 0;
    return model_make_events(m, 0.0, &changed);
}

int model_advance(model_machine *m, double to)
{
    int n, changed, fault = model_make_events(m, 0.0, &changed);
    for (n = 0; !fault && m->t < to && !m->ended && n < MODEL_MOST; n++) {
        const double goal = to < m->finish ? to : m->finish, h = m->h > 0.0 ? m->h : goal - m->t;
        const int last = !(m->t + 1.01 * h < goal);
        double length = last ? goal - m->t : h, x[MODEL_SOME(MODEL_NX)], taken = length, z;
        model_machine end;
        fault = model_try(m->t, &length, m->x, m->u, m->p, m->rtol, m->atol, x);
        if (fault) {
            m->h = length;
            fault = length < 1e-14 * (model_size(m->t) + goal - m->t) ? fault : 0;
            continue;
        }
        m->h = last && length < h ? h : length; /* a step that was cut says nothing of longer ones */
        if (MODEL_NG) {
            double part;
            model_refresh(m);
            z = model_passed(m, m->t + taken, x, &end);
            part = z < 0.0 ? 1.0 : model_dip(m, &end, taken);
            if (part < 1.0) {
                taken *= part;
                fault = model_to(m, taken, x);
                z = model_passed(m, m->t + taken, x, &end);
            }
            if (z < 0.0 && !fault) {
                fault = model_locate(m, taken, z);
                continue;
            }
        }
        memcpy(m->x, x, sizeof m->x);
        m->t = last && taken == goal - m->t ? goal : m->t + taken;
        m->fresh = 0;
        model_note(m);
        if (m->t >= m->finish && m->t < to) {
            fault = model_make_events(m, 0.0, &changed);
        }
    }
    return n < MODEL_MOST || fault ? fault : MODEL_TOO_MANY_STEPS;
}

/* ---- variables ---- */

double *model_place(model_machine *m, unsigned reference)
{
    const int u = (int)reference - 1, p = u - MODEL_NU, x = p - MODEL_NP; /* the first one is the time */
    return u < 0 ? 0 : p < 0 ? m->u + u : x < 0 ? m->p + p : x < MODEL_NX ? m->x + x : 0;
}

int model_is_open(const model_machine *m, unsigned reference)
{
    return reference <= MODEL_NU + MODEL_NP + MODEL_NX && model_open[reference] && (reference <= MODEL_NU || !m->begun);
}

double model_value(model_machine *m, unsigned reference)
{
    const double *place = model_place(m, reference);
    const int rate = (int)reference - (1 + MODEL_NU + MODEL_NP + MODEL_NX), output = rate - MODEL_NX;
    if (reference == 0 || place) {
        return place ? *place : m->t;
    }
    model_refresh(m);
    return output < 0 ? m->dx[rate] : output < MODEL_NY ? m->y[output] : model_indicator(m, output - MODEL_NY);
}

const char *model_words(int fault)
{
    return fault == MODEL_CONSTRAINTS_LOST ? "no closed position is near: the motion leads into a singular position"
        : fault == MODEL_NOT_FINITE ? "no step is short enough: a rate is not finite, or the motion grows without bound"
        : fault == MODEL_CHATTERING ? "events cause each other without end at one instant"
        : "a million steps do not reach the end: the motion is too stiff for an explicit method";
}
