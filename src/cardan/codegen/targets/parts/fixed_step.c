
int model_step(model_state *state, const double *u, const double *p, double dt)
{
    double end[MODEL_NX], k[MODEL_STAGES][MODEL_NX];
    int i, fault;
    model_stages(state->t, dt, state->x, u, p, k, end);
    fault = model_settled(state->t + dt, end, u, p);
    for (i = 0; i < MODEL_NX && !fault; i++) {
        fault = end[i] - end[i] == 0.0 ? 0 : MODEL_NOT_FINITE;
    }
    if (fault) {
        return fault;
    }
    for (i = 0; i < MODEL_NX; i++) {
        state->x[i] = end[i];
    }
    state->t += dt;
    return 0;
}
