
/*
 * Linear complementarity problems: w = H y + c with lo <= y <= hi, and w = 0, or y = lo and w >= 0, or y = hi and
 * w <= 0. Rows are freed one at a time, the largest violation first; rows that come to a bound are fixed there.
 * Cottle, Pang & Stone 1992, sec. 1.4; Stark & Parker, Comput. Stat. 10 (1995) 129.
 */
enum { model_m = MODEL_SOME(MODEL_NUNKNOWNS) };

typedef struct {
    double H[model_m][model_m], c[model_m], lo[model_m], hi[model_m];
} model_problem;

/* The value of w in row i, and the size of its terms. */
static double model_slack(const model_problem *of, const double *y, int i, double *size)
{
    double w = of->c[i];
    int k;
    *size = fabs(w);
    for (k = 0; k < model_m; k++) {
        w += of->H[i][k] * y[k];
        *size += fabs(of->H[i][k] * y[k]);
    }
    return w;
}

/* The fixed row that violates its condition most; -1 if none does. */
static int model_violated(const model_problem *of, const double *y, const int *is_free)
{
    double most = 0.0, size;
    int i, worst = -1;
    for (i = 0; i < model_m; i++) {
        const double w = model_slack(of, y, i, &size), large = w * w / fmax(of->H[i][i], 1e-300);
        if (!is_free[i] && fabs(w) > 1.5e-14 * size && (w < 0.0 ? y[i] < of->hi[i] : y[i] > of->lo[i]) && large > most) {
            worst = i;
            most = large;
        }
    }
    return worst;
}

/* The change d of the free rows that makes their w zero; rows that depend on other free ones stay. */
static void model_descend(const model_problem *of, const double *y, const int *is_free, double *d)
{
    double A[model_m][model_m], size;
    int i, j, k, moves[model_m];
    memcpy(A, of->H, sizeof A);
    for (i = 0; i < model_m; i++) {
        d[i] = -model_slack(of, y, i, &size);
    }
    for (k = 0; k < model_m; k++) {
        moves[k] = is_free[k] && A[k][k] > 1e-12 * of->H[k][k];
        for (i = 0; i < model_m && moves[k]; i++) {
            const double part = i == k ? 0.0 : A[i][k] / A[k][k];
            for (j = 0; j < model_m; j++) {
                A[i][j] -= part * A[k][j];
            }
            d[i] -= part * d[k];
        }
    }
    for (k = 0; k < model_m; k++) {
        d[k] = moves[k] ? d[k] / A[k][k] : 0.0;
    }
}

/* Move y along d as far as the bounds allow, and fix the rows that have come to theirs; 1 if there are any. */
static int model_release(const model_problem *of, const double *d, double *y, int *is_free)
{
    double part = 1.0;
    int i, is_short = 0;
    for (i = 0; i < model_m; i++) {
        const double room = fabs((d[i] > 0.0 ? of->hi[i] : of->lo[i]) - y[i]);
        if (d[i] != 0.0 && room < part * fabs(d[i])) {
            part = room / fabs(d[i]);
            is_short = 1;
        }
    }
    for (i = 0; i < model_m; i++) {
        const double bound = d[i] > 0.0 ? of->hi[i] : of->lo[i];
        const int arrives = is_short && d[i] != 0.0 && fabs(bound - y[i]) <= part * fabs(d[i]);
        y[i] = arrives ? bound : y[i] + part * d[i];
        is_free[i] = is_free[i] && !arrives;
    }
    return is_short;
}

/* The solutions y of all problems of an event; a later problem may depend on earlier ones. */
static void model_balance(double t, const double *x, const double *u, const double *p, const double *fired, double *y)
{
    model_problem problems[MODEL_SOME(MODEL_NPROBLEMS)];
    int s;
    memset(y, 0, MODEL_NPROBLEMS * model_m * sizeof *y);
    for (s = 0; s < MODEL_NPROBLEMS; s++) {
        double d[model_m], *own = y + s * model_m;
        int is_free[model_m] = {0}, count = 0, freed;
        model_problems(t, x, u, p, fired, y, (double *)problems);
        while (count < 20 * model_m && (freed = model_violated(problems + s, own, is_free)) >= 0) {
            is_free[freed] = 1;
            do {
                model_descend(problems + s, own, is_free, d);
            } while (model_release(problems + s, d, own, is_free) && count++ < 20 * model_m);
            count++;
        }
    }
}
