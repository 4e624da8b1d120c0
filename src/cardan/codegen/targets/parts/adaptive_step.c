
#define MODEL_ATTEMPTS 1000 /* steps that may be tried in one call */

int model_step(model_state *state, const double *u, const double *p, double dt)
{
    const double finish = state->t + dt;
    double end[MODEL_NX], h = state->h > 0.0 ? state->h : dt;
    int i, n, fault = 0;
    for (n = 0; n < MODEL_ATTEMPTS && state->t < finish; n++) {
        const int last = !(state->t + 1.01 * h < finish);
        double length = last ? finish - state->t : h;
        const double taken = length;
        fault = model_try(state->t, &length, state->x, u, p, state->rtol, state->atol, end);
        h = last && !fault && length < h ? h : length; /* a step that was cut says nothing of longer ones */
        if (fault) {
            continue;
        }
        for (i = 0; i < MODEL_NX; i++) {
            state->x[i] = end[i];
        }
        state->t = last ? finish : state->t + taken;
    }
    state->h = h;
    return state->t < finish ? (fault ? fault : MODEL_TOO_MANY_STEPS) : 0;
}
