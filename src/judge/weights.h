/* weights.h -- what the files of step (3), (4) share: weights.c, tiles.c, casts.c. */
#ifndef ATTEST_JUDGE_WEIGHTS_H
#define ATTEST_JUDGE_WEIGHTS_H

#include <math.h>

#include "judge/row.h"

static inline double maximum(double a, double b)
{
    return a > b ? a : b;
}

static inline bool is_seen(const attest_judge_work *x, size_t j)
{
    return x->t[j] > (double)-INFINITY;
}

/* The error of the score of key j, that of its evaluation included. */
static inline double score_error(const attest_judge_work *x, size_t j)
{
    return x->delta[j];
}

/* A sink's logit is rounded, and may be multiplied by log2 e, itself rounded. What the kernel's
 * scale is wrong by moves all keys, but not the sink: 3 u |top| <= 3 u (|sink| + |top - sink|),
 * the latter in its argument's error. */
static inline double sink_error(const attest_judge_work *x, const attest_judge_rule *rule)
{
    return 6 * rule->work.u * fabs(x->sink_logit) + rule->work.least;
}

/* The distance from key j to the largest score, all the way that exponents are rounded on. */
static inline double distance(const attest_judge_work *x, const attest_judge_rule *rule,
                              size_t j)
{
    return x->top - x->t[j] + score_error(x, j) + rule->reach;
}

/* Five roundings of an argument, relative to the way. */
static inline double argument_error(const attest_judge_work *x, const attest_judge_rule *rule,
                                    size_t j)
{
    double u = rule->work.u;

    return 5 * u * (1 + 8 * u) * distance(x, rule, j);
}

/* The key after the last one of the tile of key j. */
static inline size_t tile_end(const attest_judge_work *x, const attest_judge_rule *rule,
                              size_t j)
{
    size_t tile = rule->variant->tile, end = ((x->first + j) / tile + 1) * tile - x->first;

    return end < x->count ? end : x->count;
}

/* raises, and what is known tile by tile. */
void attest_judge_weights_set_raises(attest_judge_work *x, const attest_judge_rule *rule);

/* (4): cast, apart, divisor; low and high where the row sum adds casts. */
void attest_judge_weights_cast(attest_judge_work *x, const attest_judge_rule *rule,
                               double common);

/* (4), the reference known: offset, spread. */
void attest_judge_weights_know_casts(attest_judge_work *x, const attest_judge_rule *rule);

#endif
