/* weights.c -- (3): the weights that a kernel may give the keys. */
#include <math.h>

#include <attest/kernel.h>

#include "judge/weights.h"

/* The least argument of an exponential: below it a weight is far below what may be flushed. */
#define LEAST_ARGUMENT -700.0

/* Rows whose weights are known this well need no steps of Newton's. */
#define NARROW 0x1p-8

/* Keys this far below the largest score, errors included, weigh nothing: finite mask values. No
 * reference of a key that weighs something is as low as that. */
#define FAR 400.0

/* most and evaluated, over the keys that are not far below. A sink below the largest score is
 * no reference but where keys are below it. */
static void set_sizes(attest_judge_work *x, const attest_judge_rule *rule)
{
    x->most = 0;
    x->evaluated = x->unknown ? (double)INFINITY : 0;
    for (size_t j = 0; j < x->count; j++)
        if (is_seen(x, j) && !(x->t[j] + score_error(x, j) < x->bottom - FAR)) {
            x->most = maximum(x->most, fabs(x->t[j]) + score_error(x, j));
            x->evaluated = maximum(x->evaluated, x->ev[j]);
        }
    if (x->sink && x->sink_logit + sink_error(x, rule) > x->bottom)
        x->most = maximum(x->most, fabs(x->sink_logit) + sink_error(x, rule));
    x->most *= ATTEST_JUDGE_UP;
}

/* top, bottom, most, evaluated. */
static void set_extremes(attest_judge_work *x, const attest_judge_rule *rule)
{
    x->top = x->bottom = (double)-INFINITY;
    for (size_t j = 0; j < x->count; j++)
        if (is_seen(x, j)) {
            x->top = maximum(x->top, x->t[j] + score_error(x, j));
            x->bottom = maximum(x->bottom, x->t[j] - score_error(x, j));
        }
    if (x->sink)
        x->top = maximum(x->top, x->sink_logit + sink_error(x, rule));
    set_sizes(x, rule);
}

/* What all weights may be wrong by besides, as an exponent: references that are rounded anew
 * when they grow, and parts that are joined. */
static double common_error(const attest_judge_work *x, const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    double offset = fabs((double)v->offset), error = 0;

    if (rule->rescaled && rule->folded)
        error += rule->shifted * (x->most + offset);
    if (v->splits > 1) /* log n <= 0.7 log2 n + 1 */
        error +=
            v->split_log + 2 * rule->log_exp +
            16 * rule->work.u * (x->most + logb((double)x->seen) + 2 + offset + rule->reach);
    return error * ATTEST_JUDGE_UP;
}

/* g_j of (3) for the keys first .. last-1, whose weights are rescaled so often; returns the
 * largest. */
static double set_exponents(attest_judge_work *x, const attest_judge_rule *rule, double common,
                            size_t first, size_t last, double raises)
{
    double most = 0;

    for (size_t j = first; j < last; j++) {
        x->g[j] = 0;
        x->w[j] = LEAST_ARGUMENT;
        if (!is_seen(x, j))
            continue;
        /* the last term is what evaluating the argument and the exponential costs here */
        x->g[j] = (score_error(x, j) + argument_error(x, rule, j) + common +
                   (1 + raises) * rule->log_exp + 0x1p-50 * (x->top - x->t[j] + 1)) *
                  ATTEST_JUDGE_UP;
        if (x->t[j] + x->g[j] < x->bottom - FAR) /* flushed, whatever it is */
            x->g[j] = 0;
        else
            x->w[j] = maximum(x->t[j] - x->top, LEAST_ARGUMENT);
        most = maximum(most, x->g[j]);
    }
    return most;
}

/* g_j of all keys, and whether the row is narrow. */
static void set_all_exponents(attest_judge_work *x, const attest_judge_rule *rule,
                              double common)
{
    double most = 0;

    if (!rule->known_tiles)
        most = set_exponents(x, rule, common, 0, x->count, x->raises);
    else
        for (size_t i = 0, first = 0, last; first < x->count; i++, first = last) {
            last = tile_end(x, rule, first);
            most = maximum(
                most, set_exponents(x, rule, common, first, last, (double)x->tile_raises[i]));
        }
    x->narrow = most <= NARROW;
    /* beyond 100 in common, keys far below might not be */
    if (!(most < 600 && common < 100))
        x->weight_reason = ATTEST_JUDGE_SCORES_UNCERTAIN;
}

/* low, high around w, where flushed weights may be 0. */
static void set_weight(double *low, double *high, double w, double g, double flushed,
                       bool narrow, double argument)
{
    if (narrow) {
        double half = w * (g + g * g) * ATTEST_JUDGE_UP; /* e^g <= 1 + g + g^2 for g <= 1 */

        *low = (w - half) * ATTEST_JUDGE_DOWN;
        *high = (w + half) * ATTEST_JUDGE_UP;
    } else {
        *low = attest_judge_exp_down(argument - g);
        *high = attest_judge_exp_up(argument + g);
    }
    if (*low < flushed) {
        *low = 0;
        *high = maximum(*high, flushed);
    }
}

static void set_sink(attest_judge_work *x, const attest_judge_rule *rule, double common,
                     double flushed)
{
    double argument, g;

    x->sink_weight = x->sink_low = x->sink_high = 0;
    if (!x->sink)
        return;
    argument = x->sink_logit - x->top;
    g = (sink_error(x, rule) + common + (1 + x->raises) * rule->log_exp +
         5 * rule->work.u * (1 + 8 * rule->work.u) * (fabs(argument) + 2 * rule->reach) +
         0x1p-50 * (fabs(argument) + 1)) *
        ATTEST_JUDGE_UP;
    if (argument + g < -FAR)
        argument = LEAST_ARGUMENT, g = 0;
    argument = maximum(argument, LEAST_ARGUMENT);
    if (!(g < 600))
        x->weight_reason = ATTEST_JUDGE_SCORES_UNCERTAIN;
    attest_kernel_exp(&x->sink_weight, &argument, 1);
    set_weight(&x->sink_low, &x->sink_high, x->sink_weight, g, flushed,
               x->narrow && g <= NARROW, argument);
}

static void set_weights(attest_judge_work *x, double flushed)
{
    if (!x->narrow)
        for (size_t j = 0; j < x->count; j++)
            x->offset[j] = x->w[j]; /* kept: the arguments */
    attest_kernel_exp(x->w, x->w, x->count);
    for (size_t j = 0; j < x->count; j++)
        if (is_seen(x, j))
            set_weight(&x->low[j], &x->high[j], x->w[j], x->g[j], flushed, x->narrow,
                       x->narrow ? 0 : x->offset[j]);
        else
            x->w[j] = x->low[j] = x->high[j] = 0;
}

/* What evaluating a weight costs here, in units of 2^-51: the roundings of its argument, and of
 * the exponential; all of it where the argument is cut. */
static double spent_on(double weight, double way)
{
    return weight * (way < -LEAST_ARGUMENT ? way + 2 : 0x1p52);
}

/* Sums of n doubles >= 0 err by n 2^-53 of themselves at most. Spent: what evaluating the
 * weights costs here, the roundings of arguments and of exponentials. */
static void set_sums(attest_judge_work *x)
{
    double up = 1 + ((double)x->count + 16) * 0x1p-52, down = 2 - up;

    x->sum = x->sink_weight;
    x->sum_low = x->sink_low;
    x->sum_high = x->sink_high;
    x->largest_low = x->sink_low;
    x->largest_high = x->sink_high;
    x->doubt = x->lost = 0;
    x->spent = spent_on(x->sink_weight, fabs(x->top - x->sink_logit));
    for (size_t j = 0; j < x->count; j++) {
        double low = x->low[j], high = x->high[j];

        if (is_seen(x, j))
            x->spent += spent_on(x->w[j], x->top - x->t[j]);
        x->sum += x->w[j];
        x->sum_low += low;
        x->sum_high += high;
        x->largest_low = maximum(x->largest_low, low);
        x->largest_high = maximum(x->largest_high, high);
        if (low > 0)
            x->doubt = maximum(x->doubt, (high - low) / high);
        else
            x->lost += high;
    }
    x->sum_low *= down;
    x->sum_high *= up;
    x->lost *= up;
}

/* What the columns are added up with. */
static void set_widths(attest_judge_work *x)
{
    for (size_t j = 0; j < x->count; j++) {
        double above = x->high[j] - x->w[j], below = x->w[j] - x->low[j];

        x->half[j] = maximum(above, below) * ATTEST_JUDGE_UP;
        x->weight_size[j] = (x->high[j] + x->cast[j]) * ATTEST_JUDGE_UP;
    }
}

/* Nothing is known of a kernel: the exact weights alone, where they are numbers. */
static void set_exact(attest_judge_work *x)
{
    x->sink_low = x->sink_high = x->sink_weight = 0;
    for (size_t j = 0; j < x->count; j++) {
        x->w[j] = is_seen(x, j) ? maximum(x->t[j] - x->top, LEAST_ARGUMENT) : LEAST_ARGUMENT;
        x->cast[j] = 0;
    }
    attest_kernel_exp(x->w, x->w, x->count);
    for (size_t j = 0; j < x->count; j++)
        x->low[j] = x->high[j] = x->w[j] = is_seen(x, j) ? x->w[j] : 0;
    if (x->sink) {
        double argument = maximum(x->sink_logit - x->top, LEAST_ARGUMENT);

        attest_kernel_exp(&x->sink_weight, &argument, 1);
        x->sink_low = x->sink_high = x->sink_weight;
    }
    set_sums(x);
    set_widths(x);
}

/* The reference of a part of the keys, where they are split, may be as low as the lowest score.
 */
static double lowest(const attest_judge_work *x)
{
    double low = (double)INFINITY;

    for (size_t j = 0; j < x->count; j++)
        if (is_seen(x, j) && x->t[j] - score_error(x, j) < low)
            low = x->t[j] - score_error(x, j);
    return low;
}

/* What rounding the reference may move an exponent by, far keys included: a tile or a part may
 * hold no others. */
static double farthest_shift(const attest_judge_work *x, const attest_judge_rule *rule)
{
    double size = x->most;

    if (!rule->folded)
        return 0;
    if (rule->rescaled || rule->variant->splits > 1)
        size = maximum(size, fabs(lowest(x)));
    /* one reference: half of what two tiles can be apart by */
    return rule->shifted / 2 * (size + fabs((double)rule->variant->offset)) * ATTEST_JUDGE_UP;
}

/* How far the argument of exp can be above 0: the threshold, or all the way from the lowest
 * score, which no reference is below, to the largest. */
static double highest_argument(const attest_judge_work *x, const attest_judge_rule *rule)
{
    double most = (x->top - lowest(x)) * (1 + 8 * rule->work.u) * ATTEST_JUDGE_UP;

    return most < rule->reach / 2 ? most : rule->reach / 2;
}

/* Exponents of a kernel reach threshold and offset above 0, and n of them are added, each sum
 * rounded. Outputs of parts are numbers of the working format. */
static void check_overflow(attest_judge_work *x, const attest_judge_rule *rule, double common,
                           double moved)
{
    const attest_judge_variant *v = rule->variant;
    double slack = common + moved + 2 * rule->log_exp;
    double y = attest_judge_exp_up(highest_argument(x, rule) + slack);
    double p = ldexp(y, (int)v->offset);
    double added = v->offset > 0 ? p : y; /* the row sum may add either */
    double n = (double)x->seen * (1 + 0x1p-10), roundings = n + x->raises + 2;
    double sums = 1 + attest_judge_grow(rule->sum.u, roundings);
    double products = 1 + attest_judge_grow(rule->pv.u, roundings);
    double reference = v->splits > 1 ? lowest(x) : x->bottom;
    double sink = x->sink && x->sink_logit > reference
                      ? attest_judge_exp_up(x->sink_logit - reference + 0x1p-10)
                      : x->sink;

    x->argument_slack = slack;
    x->most_weight = p;
    x->most_sum = (n + sink) * added * sums;
    x->most_product = n * p * x->value_most * products;
    if (!(p < rule->p.limit))
        x->weight_reason = ATTEST_JUDGE_WEIGHTS_OVERFLOW;
    else if (!(sink * added < rule->sum.limit && sink * added < 0x1p127))
        x->weight_reason = ATTEST_JUDGE_SINK_OVERFLOWS;
    else if (!(x->most_sum < rule->sum.limit))
        x->weight_reason = ATTEST_JUDGE_SUM_OVERFLOWS;
    else if (!(x->most_product < rule->pv.limit && 2 * x->value_most < rule->work.limit))
        x->weight_reason = ATTEST_JUDGE_PRODUCT_OVERFLOWS;
}

/* Whether the sum of a part may be 0, so that its output is not a number: its largest weight is
 * 1 but for what its reference is rounded by. */
static bool may_vanish(const attest_judge_rule *rule, double moved)
{
    const attest_judge_variant *v = rule->variant;
    double y = attest_judge_exp_down(-moved - 2 * rule->log_exp);
    double added = v->offset < 0 ? ldexp(y, (int)v->offset) : y; /* the least that S may add */
    bool cast = v->cast && v->sum_of != ATTEST_JUDGE_SUM_UNCAST;

    return v->splits > 1 && !(added >= 0x1p-124 && added >= rule->sum.least &&
                              (!cast || ldexp(y, (int)v->offset) >= rule->p.quantum));
}

/* The weights of a row about whose kernels something is known. */
static void weigh(attest_judge_work *x, const attest_judge_rule *rule)
{
    double common = common_error(x, rule), moved = farthest_shift(x, rule);
    double flushed = rule->flushed * (rule->variant->splits > 1 ? 2 * (double)x->seen : 1);

    set_all_exponents(x, rule, common);
    check_overflow(x, rule, common, moved);
    if (may_vanish(rule, moved))
        x->weight_reason = ATTEST_JUDGE_SCORES_UNCERTAIN;
    if (x->weight_reason)
        return;
    flushed *= attest_judge_exp_up(moved);
    set_weights(x, flushed);
    set_sink(x, rule, common, flushed);
    if (x->weight_reason)
        return;
    set_sums(x);
    attest_judge_weights_cast(x, rule, common);
    if (rule->variant->cast && rule->variant->sum_of != ATTEST_JUDGE_SUM_UNCAST)
        set_sums(x); /* of what casts have widened */
    set_widths(x);
    if (rule->known_reference && x->narrow)
        attest_judge_weights_know_casts(x, rule);
}

void attest_judge_row_weights(attest_judge_work *work, const attest_judge_rule *rule)
{
    attest_judge_work *x = work;

    x->weight_reason = x->score_reason;
    set_extremes(x, rule);
    if (!x->weight_reason) {
        attest_judge_weights_set_raises(x, rule);
        weigh(x, rule);
    }
    if (x->weight_reason)
        set_exact(x);
}
