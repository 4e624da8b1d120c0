
/* Bring a state back to its constraints by Newton's method; 0 if it arrives. */
static int model_settled(double t, double *x, const double *u, const double *p)
{
    double moved[MODEL_NX], residual, distance;
    int i, n;
    for (n = 0; n < MODEL_PROJECTIONS; n++) {
        model_project(t, x, u, p, moved, &residual, &distance);
        for (i = 0; i < MODEL_NX; i++) {
            x[i] = moved[i];
        }
        if (residual <= 1e-10) {
            return 0;
        }
    }
    return MODEL_CONSTRAINTS_LOST;
}
