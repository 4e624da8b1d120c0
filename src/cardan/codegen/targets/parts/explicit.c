
/* The end of a step over h, and the rates k of its stages: row s of A gives the point of stage s, the last row the end. */
static void model_stages(double t, double h, const double *x, const double *u, const double *p,
    double (*k)[MODEL_NX], double *end)
{
    const double last = t + h, gap = 1e-15 * (last < 0.0 ? -last : last); /* jumps at the ends are outside of the step */
    int i, j, s;
    for (s = 0; s < (int)(sizeof model_A / sizeof *model_A); s++) {
        for (i = 0; i < MODEL_NX; i++) {
            double sum = 0.0;
            for (j = 0; j < s; j++) {
                sum += model_A[s][j] * k[j][i];
            }
            end[i] = x[i] + h * sum;
        }
        if (s < MODEL_STAGES) {
            model_rate(t + gap + model_c[0][s] * (h - 2.0 * gap), end, u, p, k[s]);
        }
    }
}
