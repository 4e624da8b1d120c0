
void model_init(model_state *state)
{
    int i;
    for (i = 0; i < MODEL_NX; i++) {
        state->x[i] = model_x_default[i];
    }
    state->t = 0.0;
}
