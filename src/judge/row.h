/* row.h -- the bound of one row: scores, weights, sums, quotient.
 *
 * proofs-notes/judge.md derives every step; the numbers in brackets are those of its sections.
 * */
#ifndef ATTEST_JUDGE_ROW_H
#define ATTEST_JUDGE_ROW_H

#include <math.h>

#include <attest/judge.h>

#include "judge/arithmetic.h"
#include "judge/loops.h"
#include "judge/problem.h"

/* Why an element has no bound. */
typedef enum attest_judge_reason {
    ATTEST_JUDGE_BOUNDED = 0, /* it has one */
    ATTEST_JUDGE_CONSTANTS_LEAVE,
    ATTEST_JUDGE_SCORES_OVERFLOW,
    ATTEST_JUDGE_SCORES_UNCERTAIN,
    ATTEST_JUDGE_WEIGHTS_OVERFLOW,
    ATTEST_JUDGE_GROUPS_VANISH,
    ATTEST_JUDGE_SINK_OVERFLOWS,
    ATTEST_JUDGE_SUM_OVERFLOWS,
    ATTEST_JUDGE_PRODUCT_OVERFLOWS,
    ATTEST_JUDGE_RECIPROCAL_LEAVES,
    ATTEST_JUDGE_FACTOR_LEAVES,
    ATTEST_JUDGE_JOIN_UNKNOWN,
    ATTEST_JUDGE_OUTPUT_OVERFLOWS
} attest_judge_reason;

/* The reason in words; NULL for the first. */
const char *attest_judge_reason_text(attest_judge_reason reason);

/* The data of a row. Arrays have an entry for every key that it may see, or for every column.
 * Keys that it does not see have weight 0. */
typedef struct attest_judge_work {
    size_t keys, columns; /* capacity */

    /* the keys: first .. first + count - 1 of the head */
    size_t first, count, dim;
    const double *bias;         /* as in attest_judge_row */
    double *s_room, *size_room; /* for all keys of the head, padded to whole panels */
    double *s;                  /* q . k_j, evaluated in binary64; in s_room */
    double *size;               /* sum_c |q_c k_jc|, evaluated likewise; in size_room */
    const double *key_size;     /* at least sum_c |k_jc| */
    const double *v;            /* the values from key first on, columns padded to stride */
    size_t stride;
    double query_most; /* the largest |q_c| */
    double raised; /* the value in a matrix unit of a product with a subnormal input; 0: there
                      is none */
    double raised_scaled; /* the same for a scaled query */
    double value_least; /* the value of a subnormal |v_jc| in a matrix unit; 0: there is none */
    double value_most;  /* the largest |v_jc| of the head */
    bool sink;
    double sink_logit;

    /* (1), (2): t_j is the exact score up to ev_j; the score of a kernel is within delta_j of
     * the exact one and of t_j; evaluated: the largest ev_j of keys that are not far below the
     * others */
    double *t, *ev, *delta;
    double evaluated;
    bool unknown; /* a score is beyond binary64 */
    size_t seen;
    attest_judge_reason score_reason; /* why the scores have no bounds */

    /* (3), (4): scores are at most top, in size at most most; weights are relative to e^top.
     * The weights of a kernel are in [low_j, high_j], and between e^-g_j and e^g_j times w_j =
     * e^(t_j - top) unless flushed */
    double top, most;
    double bottom; /* lower bound on the largest score */
    double lowest; /* lower bound on all scores: the reference of a part may be that low */
    double *g, *w, *low, *high;
    double widest; /* the largest g_j */
    bool narrow;   /* every g_j is small: no steps of Newton's method */
    double *half;  /* at least high - w and w - low */
    double *cast;  /* bound on the difference of a weight in the product with V from that in the
                      row sum */
    double *weight_size;     /* high + cast */
    double *extra;           /* errors of quantised weights, added to cast */
    double extra_most;       /* the largest of them; 0: weights are not quantised */
    double *offset, *spread; /* if the reference is known: a cast weight is within spread_j of
                                w_j + offset_j; half_j is then counted in fixed, and 0 */
    double fixed;
    double shift; /* the sum of the offsets, where the row sum adds the casts; else 0 */
    bool open;    /* some keys keep their half_j */
    bool known;   /* offset and spread are set */
    bool divided; /* they are those of the quotient times sum: weights are divided before */
    double divided_low; /* then: lower bound on the computed row sum */
    /* weight_size is at most size_part w, plus size_rest in all; likewise cast */
    double size_part, size_rest, cast_part, cast_rest;
    bool sized, casted;           /* these bounds are weak: the sums are formed instead */
    double *tile_low, *tile_high; /* bounds on the reference of a tile */
    size_t *tile_raises;          /* number of later tiles that may raise it */
    size_t *tile_next;            /* the next tile with a larger upper bound */
    double raises;                /* bound on the rescales of a weight */
    double flushed;               /* a weight below this may be 0, or as large as this */
    double sink_low, sink_high, sink_weight;
    double sum, sum_low, sum_high; /* of w, low, high, including the sink */
    double largest_low, largest_high;
    double doubt;   /* at least (high - low) / high where low > 0 */
    double lost;    /* the sum of high where low = 0 */
    double joined;  /* error of an exponent where parts are joined by logarithms */
    double apart;   /* |sum of the weights that are divided / row sum - 1|, without the rounding
                       of sums */
    double divisor; /* bound on the row sum */
    double most_weight, most_sum,
        most_product;      /* bounds on P, the sum and the product with V, offset included; set
                              unless weight_reason is one of the scores */
    double argument_slack; /* bound on the excess of P over 2^(threshold + offset), as an
                              exponent of e */
    double spent;          /* error of evaluating the weights, in units of 2^-51 */

    /* (5), (6): sum w v / sum w, sum w |v|, at least sum weight_size |v|, sum cast |v|; what
     * the terms may add to and take from sum w (v - center): spread_v +- offset_v */
    double *center, *size_w, *size_v, *cast_v, *spread_v, *offset_v;
    double *product;                   /* E_c */
    double ratio_low, ratio_high;      /* bounds on computed row sum / sum of the weights */
    double *end, *phi, *slope;         /* Newton's method on Phi */
    double sign;                       /* 1: upper end, -1: lower end */
    int steps;                         /* remaining evaluations of Phi; 0: end is final */
    attest_judge_reason weight_reason; /* why the weights, or the scores, have no bounds */
    attest_judge_reason unbounded;     /* or an element */
} attest_judge_work;

/* (1), (2): sets t, delta, evaluated, score_reason from s and size. */
void attest_judge_row_scores(attest_judge_work *work, const attest_judge_rule *rule);

/* (3), (4): sets the weights and weight_reason. */
void attest_judge_row_weights(attest_judge_work *work, const attest_judge_rule *rule);

/* (5), (6), in steps, so that the rows of a block share the columns of V. Domain: the row sees
 * a key. begin: clears center and size_w, to which the loops then add; center: divides by the
 * sum. Both serve every variant with the same scores. clear: clears the sums of one variant:
 * the spreads; size_v where sized, cast_v where casted; close: completes them. */
void attest_judge_row_begin(attest_judge_work *work);
void attest_judge_row_center(attest_judge_work *work);
void attest_judge_row_clear(attest_judge_work *work);
void attest_judge_row_close(attest_judge_work *work);

/* open: sets the exact values and their errors for every column; returns false if there is no
 * bound, and then lo and hi are infinite, and work->unbounded is the reason. seek: begins the
 * search for the upper end (sign 1) or the lower one; while work->steps is not 0, the caller
 * adds the keys to phi (loops.h, phis) and calls step. finish: the bound on the returned value;
 * check: removes bounds whose ends are not finite or not in order. */
bool attest_judge_row_open(double *lo, double *hi, double *exact, double *error,
                           attest_judge_work *work, const attest_judge_rule *rule);
void attest_judge_row_seek(attest_judge_work *work, const attest_judge_rule *rule, double sign);
void attest_judge_row_step(attest_judge_work *work);
void attest_judge_row_finish(double *end, const attest_judge_work *work,
                             const attest_judge_rule *rule);
/* Bounds on (the computed row sum) / (the sum of the weights). apart: of their exponentials. */
void attest_judge_row_sum_ratio(double *low, double *high, const attest_judge_work *work,
                                const attest_judge_rule *rule, double apart);
void attest_judge_row_check(double *lo, double *hi, attest_judge_work *work);

/* ---- shared by row_scores.c and row_weights.c ---- */

/* The least argument of an exponential: weights below are far below any that may be flushed. */
#define LEAST_ARGUMENT -700.0

/* Keys this far below the largest score, including errors, have weight 0: finite mask values.
 * No reference of another key is as low. */
#define FAR 400.0

static inline double maximum(double a, double b)
{
    return a > b ? a : b;
}

/* The logit of a sink is rounded, and may be multiplied by log2 e, itself rounded. The error of
 * the scale moves all keys, but not the sink: 3 u |top| <= 3 u (|sink| + |top - sink|), where
 * the second part is in the error of its argument; 5 u where factors are folded in. */
static inline double sink_error(const attest_judge_work *x, const attest_judge_rule *rule)
{
    return ATTEST_TERM(sink_rounding, attest_judge_rule_units(rule, 6) * fabs(x->sink_logit));
}

/* Five roundings of the argument of an exponential, relative to it; seven with factors. */
static inline double argument_roundings(const attest_judge_rule *rule)
{
    return attest_judge_rule_units(rule, 5) * (1 + 8 * rule->work.u);
}

/* The parameters of the loops over keys. */
static inline struct judge_loops_weight
weight_rule(const attest_judge_work *x, const attest_judge_rule *rule, double common)
{
    return (struct judge_loops_weight){
        .top = x->top,
        .far = x->bottom - FAR,
        .argument = ATTEST_TERM(argument_rounding, argument_roundings(rule)),
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

/* Sets raises and the bounds of every tile. */
void attest_judge_weights_set_raises(attest_judge_work *x, const attest_judge_rule *rule);

/* "Overflow": a bound on the sum of the weights that a kernel has added at any one time, on the
 * scale of the largest score among them, g included. Infinite where the order of the tiles is
 * not known, or a key is far below the others. Uses high as work space. */
double attest_judge_weights_sum_so_far(attest_judge_work *x, const attest_judge_rule *rule);

#endif
