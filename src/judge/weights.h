/* weights.h -- what the files of step (3), (4) share: weights.c, tiles.c, casts.c. */
#ifndef ATTEST_JUDGE_WEIGHTS_H
#define ATTEST_JUDGE_WEIGHTS_H

#include <math.h>

#include "judge/row.h"
#include "judge/loops.h"

/* The least argument of an exponential: below it a weight is far below what may be flushed. */
#define LEAST_ARGUMENT -700.0

/* Keys this far below the largest score, errors included, weigh nothing: finite mask values. No
 * reference of a key that weighs something is as low as that. */
#define FAR 400.0

static inline double maximum(double a, double b)
{
    return a > b ? a : b;
}

/* A sink's logit is rounded, and may be multiplied by log2 e, itself rounded. What the kernel's
 * scale is wrong by moves all keys, but not the sink: 3 u |top| <= 3 u (|sink| + |top - sink|),
 * the latter in its argument's error; 5 u where factors are folded in. */
static inline double sink_error(const attest_judge_work *x, const attest_judge_rule *rule)
{
    return ATTEST_TERM(sink_rounding, attest_judge_rule_units(rule, 6) * fabs(x->sink_logit));
}

/* What the kernel's loops over keys need of the row. */
static inline struct judge_loops_weight
weight_rule(const attest_judge_work *x, const attest_judge_rule *rule, double common)
{
    /* five roundings of an argument, relative to the way; seven with factors */
    double roundings = attest_judge_rule_units(rule, 5);

    return (struct judge_loops_weight){
        .top = x->top,
        .far = x->bottom - FAR,
        .argument = ATTEST_TERM(argument_rounding, roundings * (1 + 8 * rule->work.u)),
        .reach = rule->reach,
        .common = common,
        .least_argument = LEAST_ARGUMENT};
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

/* "Overflow": the weights of all keys that a kernel has added at any one time, on the scale of
 * the largest score among them, g included. Infinite where the order of the tiles is not known,
 * or a key is far below the others. Uses high. */
double attest_judge_weights_sum_so_far(attest_judge_work *x, const attest_judge_rule *rule);

/* (4): cast, half, weight_size, apart, divisor; low and high where the row sum adds casts. */
void attest_judge_weights_cast(attest_judge_work *x, const attest_judge_rule *rule,
                               double common);

/* extra, extra_most of quantised weights; weight_reason, where groups may be too small. unit:
 * no weight that is 1 in P is more in the units of the weights here. */
void attest_judge_weights_set_groups(attest_judge_work *x, const attest_judge_rule *rule,
                                     const struct judge_loops_cast *cast, double unit);

/* cast, half, weight_size, and what they are parts of w. */
void attest_judge_weights_widen(attest_judge_work *x, struct judge_loops_cast *cast);

/* (4), the reference known: offset, spread, fixed, open. */
void attest_judge_weights_know_casts(attest_judge_work *x, const attest_judge_rule *rule);

#endif
