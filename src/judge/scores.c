/* scores.c -- (1), (2): scores, and how far a kernel's can be from them. */
#include <math.h>

#include <attest/kernel.h>

#include "judge/row.h"

#define LOG2E 0x1.71547652b82ffp0 /* rounded up */

/* The error of a score before it is scaled, store included. */
static double raw_error(const attest_judge_sum_error *sum, const attest_judge_rule *rule,
                        double size, double s)
{
    double e = attest_judge_sum_error_get(sum, size, (size + s) / 2);

    if (!rule->variant->stored)
        return e;
    if (!(s + e < rule->store.limit))
        return (double)INFINITY;
    return e + rule->store.u * (s + e) + rule->store.least;
}

/* The error of t when the query is scaled and rounded before the product. Where the place of
 * the scale is not known, log2 e may be folded into the query's constant, too: then no scale is
 * a power of two, and sums are larger by it. */
static double query_error(const attest_judge_sum_error *sum, const attest_judge_rule *rule,
                          double size, double s, double key_size)
{
    const attest_judge_variant *v = rule->variant;
    double u = rule->query.u + rule->work.u * (1 + rule->query.u), moved, e;

    if (rule->power_of_two && !rule->folded && v->scaled_query.precision >= v->q.precision)
        u = 0;
    u *= 1 + 4 * rule->work.u; /* the kernel's scale is off by 2 u */
    size *= rule->scale * (1 + 4 * rule->work.u);
    s *= rule->scale * (1 + 4 * rule->work.u);
    moved = u * size + (rule->query.least + rule->work.least) * key_size;
    /* the sizes of what is added are those of the rounded query */
    e = moved + raw_error(sum, rule, size + moved, s + moved);
    return rule->folded && !(LOG2E * (size + e) < sum->limit) ? (double)INFINITY : e;
}

/* A model's error of the scaled score t = scale s, before softcap and mask. sum: of the scores,
 * then of those with a scaled query. */
static double scaled_error(const attest_judge_sum_error sum[2], const attest_judge_rule *rule,
                           double size, double s, double t, double key_size)
{
    double u = rule->work.u, delta = 0;

    if (rule->scored || rule->folded) {
        double e = raw_error(sum, rule, size, s) * rule->scale * ATTEST_JUDGE_UP;

        delta = rule->power_of_two && !rule->folded ? e : e + u * (t + e) + rule->work.least;
    }
    if (rule->queried) {
        double e = query_error(&sum[1], rule, size, s, key_size);

        delta = e > delta ? e : delta;
    }
    return delta;
}

/* c tanh(t / c), to within c 2^-48. */
static double softcap(double t, double c)
{
    double y = -2 * fabs(t) / c, e;

    attest_kernel_exp(&e, &y, 1);
    return copysign(c * (1 - e) / (1 + e), t);
}

/* At least the slope of c tanh(t / c) at every |t| >= from. */
static double softcap_slope(double from, double c)
{
    double e;

    if (!(from > 0))
        return 1;
    e = attest_judge_exp_up(-2 * from / c * ATTEST_JUDGE_DOWN);
    return 4 * e / ((1 + e) * (1 + e)) * ATTEST_JUDGE_UP; /* grows with e <= 1 */
}

/* Applies the softcap to t, known to within *ev, and a kernel's error *delta. The argument of
 * tanh errs by 5 u more (of which one is in *delta unless the query was scaled), and by the 2 u
 * of a scale that the query was multiplied with. */
static double cap(double t, double *delta, double *ev, const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    double c = rule->cap, u = rule->work.u, capped = softcap(t, c), size;
    double before =
        (*delta + (rule->queried ? 8 : 5) * u * (fabs(t) + *delta)) * ATTEST_JUDGE_UP;
    double moved = before * softcap_slope(fabs(t) - before - *ev, c);

    *ev += c * 0x1p-46 + rule->cap_error;
    size = fabs(capped) + moved + *ev;
    *delta = (moved + (c + rule->cap_error) * v->softcap_absolute * (1 + 4 * u) +
              ((v->softcap_relative > u ? v->softcap_relative : u) + 3 * u) * size) *
             ATTEST_JUDGE_UP;
    return capped;
}

/* Adds the mask's value. What the kernel's scale is wrong by, up to 2 u, is no common factor
 * any more: it moves t, and not the mask. Where log2 e is folded in, the sum is rounded once
 * more.
 */
static double shift(double t, double bias, double *delta, double *ev,
                    const attest_judge_rule *rule)
{
    double u = rule->work.u, sum = t + bias;

    *ev += 0x1p-52 * fabs(sum);
    *delta += 2 * u * (fabs(t) + fabs(bias) + fabs(sum) + *ev + *delta) + rule->work.least;
    *delta *= ATTEST_JUDGE_UP;
    return sum;
}

/* Key j of the row: sets t and delta; returns the error of t. */
static double score_key(attest_judge_work *x, const attest_judge_rule *rule,
                        const attest_judge_sum_error sum[2], size_t j)
{
    double s = x->s[j], rounding = ((double)x->dim + 4) * 0x1p-53;
    double size = x->size[j] * (1 + 2 * rounding) + 0x1p-1000, t = rule->scale * s, ev, delta;

    ev = (rule->scale * size * rounding + rule->scale_error * size) * 2 + 0x1p-51 * fabs(t);
    s = fabs(s) + size * rounding;
    delta = scaled_error(sum, rule, size, s < size ? s : size, fabs(t) + ev, x->key_size[j]);
    if (rule->cap > 0)
        t = cap(t, &delta, &ev, rule);
    if (rule->additive)
        t = shift(t, x->bias[j], &delta, &ev, rule);
    x->t[j] = t;
    x->delta[j] = (delta + ev) * ATTEST_JUDGE_UP;
    return ev;
}

void attest_judge_row_scores(attest_judge_work *work, const attest_judge_rule *rule)
{
    attest_judge_work *x = work;
    const attest_judge_dot *dot = &rule->variant->score;
    attest_judge_sum_error sum[2];
    double scaled =
        x->query_most * rule->scale * (rule->folded ? LOG2E : 1) * (1 + 8 * rule->work.u);
    double blocks = dot->block ? ceil((double)x->dim / (double)dot->block) : 0;

    attest_judge_sum_error_init(&sum[0], dot, &rule->score, (double)x->dim, blocks, x->raised,
                                0);
    sum[1] = sum[0];
    sum[1].raised = x->raised_scaled;
    x->score_reason = ATTEST_JUDGE_BOUNDED;
    if (rule->queried && !(scaled < rule->query.limit && scaled < rule->work.limit))
        x->score_reason = ATTEST_JUDGE_SCORES_OVERFLOW;
    x->seen = 0;
    x->unknown = false;
    for (size_t j = 0; j < x->count; j++) {
        x->t[j] = (double)-INFINITY;
        x->delta[j] = x->ev[j] = 0;
        if (x->bias && x->bias[j] == (double)-INFINITY)
            continue;
        x->ev[j] = score_key(x, rule, sum, j);
        x->unknown = x->unknown || !(x->ev[j] < 0x1p1000);
        if (!(x->delta[j] < 0x1p1000))
            x->score_reason = ATTEST_JUDGE_SCORES_OVERFLOW;
        x->seen++;
    }
}
