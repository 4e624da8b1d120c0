
/* The end of a step over h. */
static void model_move(double t, double h, const double *x, const double *u, const double *p, double *end)
{
    double k[MODEL_STAGES][MODEL_NX];
    model_stages(t, h, x, u, p, k, end);
}
