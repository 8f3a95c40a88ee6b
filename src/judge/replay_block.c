/* replay_block.c -- a block of a matrix unit whose terms are known to lie between two ends. */
#include "judge/replay.h"

/* The largest exponents that the block has for certain, and that it may have. */
static void get_exponents(int *least, int *most, double lo, double hi,
                          const attest_judge_block *lower, const attest_judge_block *upper,
                          const attest_judge_unit *unit)
{
    int l = attest_judge_unit_addend_exponent(lo, unit);
    int h = attest_judge_unit_addend_exponent(hi, unit);

    *most = l > h ? l : h;
    *least = lo <= 0 && hi >= 0 ? ATTEST_JUDGE_UNIT_NOTHING : l < h ? l : h;
    for (size_t i = 0; i < lower->count; i++) {
        double b = lower->b[i * lower->stride];

        l = attest_judge_unit_exponent(lower->a[i], b, unit);
        h = attest_judge_unit_exponent(upper->a[i], b, unit);
        if (l > h) {
            int kept = l;

            l = h;
            h = kept;
        }
        *least = l > *least ? l : *least;
        *most = h > *most ? h : *most;
    }
}

bool attest_judge_replay_block(double *lo, double *hi, const attest_judge_block *lower,
                               const attest_judge_block *upper, const attest_judge_unit *unit)
{
    int least, most, from;
    long terms = (long)lower->count + 1;
    double l, h;

    get_exponents(&least, &most, *lo, *hi, lower, upper, unit);
    if (most == ATTEST_JUDGE_UNIT_NOTHING) {
        *lo = *hi = 0;
        return true;
    }
    from = least < most - ATTEST_JUDGE_UNIT_SPREAD ? most - ATTEST_JUDGE_UNIT_SPREAD : least;
    /* E below from: every term is cut by less than a unit of from more or less. */
    l = attest_judge_unit_sum_at(*lo, lower, from, least < from ? -terms : 0, unit);
    h = attest_judge_unit_sum_at(*hi, upper, from, least < from ? terms : 0, unit);
    for (int e = from + 1; e <= most; e++) {
        l = fmin(l, attest_judge_unit_sum_at(*lo, lower, e, 0, unit));
        h = fmax(h, attest_judge_unit_sum_at(*hi, upper, e, 0, unit));
    }
    *lo = l;
    *hi = h;
    return isfinite(l) && isfinite(h);
}
