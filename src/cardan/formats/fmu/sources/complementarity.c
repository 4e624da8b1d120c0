
/*
 * Linear complementarity problems: w = H y + c with lo <= y <= hi, and w = 0, or y = lo and w >= 0, or y = hi and
 * w <= 0. Rows are freed one at a time, the largest violation first; rows that come to a bound are fixed there.
 * Cottle, Pang & Stone 1992, sec. 1.4; Stark & Parker, Comput. Stat. 10 (1995) 129.
 */
enum { model_m = MODEL_NUNKNOWNS };

/* w = H y + c; the fixed row that violates its condition most, -1 if none does. */
static int model_violated(const double *H, const double *c, const double *lo, const double *hi, const double *y,
    const double *is_free, double *w)
{
    int i, k, worst = -1;
    double most = 0.0;
    for (i = 0; i < model_m; i++) {
        double total = c[i], size = fabs(c[i]), diagonal = fmax(H[i * model_m + i], 1e-300);
        for (k = 0; k < model_m; k++) {
            total += H[i * model_m + k] * y[k];
            size += fabs(H[i * model_m + k] * y[k]);
        }
        w[i] = total;
        if (is_free[i] == 0.0 && fabs(total) > 1.5e-14 * size
            && ((total < 0.0 && y[i] < hi[i]) || (total > 0.0 && y[i] > lo[i]))
            && total * total > most * diagonal) {
            worst = i;
            most = total * total / diagonal;
        }
    }
    return worst;
}

/* The change d of the free rows that makes their w zero, by LDL'. */
static void model_descend(const double *H, const double *w, const double *is_free, double *d)
{
    double L[model_m * model_m];
    int i, k, n;
    for (i = 0; i < model_m; i++) {
        d[i] = is_free[i] == 1.0 ? -w[i] : 0.0;
        for (k = 0; k <= i; k++) {
            double total = H[i * model_m + k];
            for (n = 0; n < k; n++) {
                total -= L[i * model_m + n] * L[k * model_m + n] * L[n * model_m + n];
            }
            if (i == k) {
                L[i * model_m + i] = is_free[i] != 1.0 || !(total > 1e-12 * H[i * model_m + i]) ? 0.0 : total;
            } else {
                L[i * model_m + k] = L[k * model_m + k] != 0.0 ? total / L[k * model_m + k] : 0.0;
            }
        }
        for (k = 0; k < i; k++) {
            d[i] -= L[i * model_m + k] * d[k];
        }
    }
    for (i = 0; i < model_m; i++) {
        d[i] = L[i * model_m + i] != 0.0 ? d[i] / L[i * model_m + i] : 0.0;
    }
    for (i = model_m - 1; i >= 0; i--) {
        for (k = i + 1; k < model_m && L[i * model_m + i] != 0.0; k++) {
            d[i] -= L[k * model_m + i] * d[k];
        }
    }
}

/* Move y along d as far as the bounds allow, and fix the rows that have come to theirs; 1 if there are any. */
static int model_release(const double *lo, const double *hi, const double *d, double *y, double *is_free)
{
    double part = 1.0;
    int i, is_short = 0;
    for (i = 0; i < model_m; i++) {
        const double room = d[i] > 0.0 ? hi[i] - y[i] : lo[i] - y[i];
        if (is_free[i] == 1.0 && d[i] != 0.0 && fabs(room) < part * fabs(d[i])) {
            part = fabs(room) / fabs(d[i]);
            is_short = 1;
        }
    }
    for (i = 0; i < model_m; i++) {
        const double bound = d[i] > 0.0 ? hi[i] : lo[i];
        if (is_free[i] == 1.0 && d[i] != 0.0 && is_short && fabs(bound - y[i]) <= part * fabs(d[i])) {
            y[i] = bound;
            is_free[i] = 0.0;
        } else if (is_free[i] == 1.0) {
            y[i] += part * d[i];
        }
    }
    return is_short;
}

/* The solutions y of all problems of an event. */
static void model_balance(double t, const double *x, const double *u, const double *p, const double *fired, double *y)
{
    double data[MODEL_NPROBLEMS * model_m * (model_m + 3)], w[model_m], d[model_m], is_free[model_m];
    int i, j, s, count;
    memset(y, 0, MODEL_NPROBLEMS * model_m * sizeof *y);
    for (s = 0; s < MODEL_NPROBLEMS; s++) {
        const double *H = data + s * model_m * (model_m + 3), *c = H + model_m * model_m;
        const double *lo = c + model_m, *hi = lo + model_m;
        double *own = y + s * model_m;
        model_problems(t, x, u, p, fired, y, data);
        memset(is_free, 0, sizeof is_free);
        for (count = 0, j = 0; j >= 0 && count < 20 * model_m; count++) {
            int is_short = 1;
            j = model_violated(H, c, lo, hi, own, is_free, w);
            if (j >= 0) {
                is_free[j] = 1.0;
            }
            while (j >= 0 && is_short && count++ < 20 * model_m) {
                model_descend(H, w, is_free, d);
                is_short = model_release(lo, hi, d, own, is_free);
                for (i = 0; i < model_m; i++) {
                    int k;
                    w[i] = c[i];
                    for (k = 0; k < model_m; k++) {
                        w[i] += H[i * model_m + k] * own[k];
                    }
                }
            }
        }
    }
}
