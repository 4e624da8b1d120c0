
/* The error of a step over the error allowed, squared. */
static double model_error(double h, const double *x, const double *end, double (*k)[MODEL_NX], double rtol, double atol)
{
    double total = 0.0;
    int i, s;
    for (i = 0; i < MODEL_NX; i++) {
        const double before = x[i] < 0.0 ? -x[i] : x[i], after = end[i] < 0.0 ? -end[i] : end[i];
        double error = 0.0;
        for (s = 0; s < MODEL_STAGES; s++) {
            error += model_E[0][s] * k[s][i];
        }
        error *= h / (atol + rtol * (before > after ? before : after));
        total += error * error;
    }
    return total / MODEL_NX;
}

/* Try a step from t to h later; write its end and propose the next length; 0 if it is good. */
static int model_try(double t, double *h, const double *x, const double *u, const double *p, double rtol, double atol,
    double *end)
{
    double k[MODEL_STAGES][MODEL_NX], error, factor;
    int fault;
    model_stages(t, *h, x, u, p, k, end);
    error = model_error(*h, x, end, k, rtol, atol);
    factor = error == 0.0 ? 5.0 : 0.8 / sqrt(sqrt(sqrt(error))); /* the fourth root of the error */
    fault = error <= 1.0 ? model_settled(t + *h, end, u, p) : MODEL_NOT_FINITE;
    if (!(factor > 0.2) || (fault && error <= 1.0)) {
        factor = 0.2;
    }
    *h *= factor < 5.0 ? factor : 5.0;
    return fault;
}
