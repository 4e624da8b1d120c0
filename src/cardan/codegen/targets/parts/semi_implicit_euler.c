
/* The end of a step over h: velocities and other states first, then positions with the new velocities. */
static void model_stages(double t, double h, const double *x, const double *u, const double *p,
    double (*k)[MODEL_NX], double *end)
{
    double dq[MODEL_NQ];
    int i;
    model_rate(t, x, u, p, k[0]);
    for (i = 0; i < MODEL_NX; i++) {
        end[i] = i < MODEL_NQ ? x[i] : x[i] + h * k[0][i];
    }
    model_velocity(t, end, u, p, dq);
    for (i = 0; i < MODEL_NQ; i++) {
        end[i] = x[i] + h * dq[i];
    }
}
