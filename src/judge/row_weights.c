/* row_weights.c -- (3), (4): the weights of a row. */
#include "judge/row.h"

#include <attest/kernel.h>

#include <math.h>

/* ---- (4): errors of weights that are quantised in groups of keys ---- */

/* The key after the last one that may be in a group with key j, where groups begin with tiles
 * of a known size. */
static size_t group_end(const attest_judge_work *x, const attest_judge_rule *rule, size_t j)
{
    size_t tile = rule->variant->tile, place = (x->first + j) % tile;
    size_t size = rule->variant->p_scheme.channels, end = tile;

    if (size > 0 && (place / size + 1) * size < tile)
        end = (place / size + 1) * size;
    end = j + (end - place);
    return end < x->count ? end : x->count;
}

/* Sets extra of the keys first .. last-1, in groups whose largest weights are at most the
 * largest of these keys: the error of the scheme for the divided weights, then of its cast. */
static void set_extra(attest_judge_work *x, const attest_judge_rule *rule, size_t first,
                      size_t last, double largest, const struct judge_loops_cast *cast,
                      double unit)
{
    const attest_block_error *e = &rule->scheme;
    double up = (1 + cast->u) * ATTEST_JUDGE_UP, grow = 1 + cast->divided;
    double fixed = ATTEST_TERM(scheme_largest, e->of_largest * (largest * grow + cast->rest)) +
                   ATTEST_TERM(scheme_tiny, e->tiny * unit);

    for (size_t j = first; j < last; j++)
        x->extra[j] =
            (ATTEST_TERM(scheme_relative, e->relative) * (x->high[j] * grow + cast->rest) +
             fixed) *
            up;
    x->extra_most =
        maximum(x->extra_most, (e->relative * (largest * grow + cast->rest) + fixed) * up);
}

static double largest_of(const double *x, size_t first, size_t last)
{
    double largest = 0;

    for (size_t j = first; j < last; j++)
        largest = maximum(largest, x[j]);
    return largest;
}

/* Returns whether the weights of a group with a seen key may be too small for the scheme. unit:
 * the weight that is 1 in P. */
static bool group_may_vanish(const attest_judge_work *x, const attest_judge_rule *rule,
                             size_t first, size_t last, double unit)
{
    return largest_of(x->high, first, last) > 0 &&
           !(largest_of(x->low, first, last) >= 2 * rule->scheme.least * unit);
}

/* Sets extra, extra_most of quantised weights; weight_reason, where groups may be too small.
 * unit: an upper bound on the weights that are 1 in P, in the units of the weights here. */
static void set_groups(attest_judge_work *x, const attest_judge_rule *rule,
                       const struct judge_loops_cast *cast, double unit)
{
    const attest_judge_variant *v = rule->variant;
    bool known = v->tile > 0 && v->direction != ATTEST_JUDGE_DIRECTION_ANY;

    x->extra_most = 0;
    for (size_t j = 0, end; j < x->count; j = end) {
        end = known ? group_end(x, rule, j) : x->count;
        set_extra(x, rule, j, end, largest_of(x->high, j, end), cast, unit);
        /* any key may be a group */
        for (size_t i = j, next; rule->scheme.least > 0 && i < end; i = next) {
            next = known ? end : i + 1;
            if (group_may_vanish(x, rule, i, next, unit))
                x->weight_reason = ATTEST_JUDGE_GROUPS_VANISH;
        }
    }
}

/* ---- (4): weights in the product with V: divided, cast ---- */

/* A sum of weight_size or cast over the values is at most a part of that of w, plus the excess
 * times the largest value: nearly equal where errors are relative to the weights. */
static void widen(attest_judge_work *x, struct judge_loops_cast *cast)
{
    attest_judge_loops()->casts(x->cast, x->half, x->weight_size, x->low, x->high, x->w, cast,
                                x->count);
    x->size_part = cast->size_part;
    x->size_rest = cast->size_sum;
    x->cast_part = cast->cast_part;
    x->cast_rest = cast->cast_sum;
    x->sized = !x->narrow || !(x->size_rest <= 0x1p-10 * x->sum);
    x->casted = !x->narrow || !(x->cast_rest <= 0x1p-8 * x->cast_part * x->sum);
}

/* If weights are divided one by one, their exponentials are computed apart from those of the
 * row sum. Sets apart >= |sum of the former / sum of the latter - 1|; errors of scores are
 * common to both. */
static void set_apart(attest_judge_work *x, const attest_judge_rule *rule, double common)
{
    struct judge_loops_weight numbers = weight_rule(x, rule, common);
    double apart;

    x->apart = 0;
    if (!rule->before)
        return;
    apart =
        attest_judge_loops()->apart(x->low, x->high, x->t, x->delta, &numbers,
                                    ATTEST_TERM(apart_common, common) +
                                        ATTEST_TERM(apart_exp, (2 + x->raises) * rule->log_exp),
                                    x->count);
    x->apart =
        apart / x->sum_low * (1 + ATTEST_TERM(apart_sums, ((double)x->count + 16) * 0x1p-52));
}

/* The computed row sum: n roundings and those of rescales. */
static void set_divisor(attest_judge_work *x, const attest_judge_rule *rule)
{
    double n = (double)x->seen + x->sink + 1 + x->raises;

    x->divisor =
        x->sum_high *
        (1 + ATTEST_TERM(divisor, attest_judge_grow(rule->sum.u, n) + x->apart + 0x1p-10));
}

/* Whether the row sum may add weights after their cast. */
static bool sums_casts(const attest_judge_rule *rule)
{
    return rule->variant->cast && rule->variant->sum_of != ATTEST_JUDGE_SUM_UNCAST &&
           rule->after;
}

/* (4): bounds on the difference of the weight in the numerator from that in the sum: sets cast,
 * half, weight_size; low and high where the row sum adds casts. */
static void set_casts(attest_judge_work *x, const attest_judge_rule *rule, double common)
{
    const attest_judge_variant *v = rule->variant;
    double grown =
        attest_judge_exp_up(ATTEST_TERM(cast_grown, common + x->raises * rule->log_exp));
    struct judge_loops_cast cast = {
        .u = ATTEST_TERM(cast_rounding, v->cast ? rule->p.u : 0),
        .half = ATTEST_TERM(cast_least,
                            v->cast ? ldexp(rule->p.quantum, -1 - (int)v->offset) * grown : 0),
        .widens = sums_casts(rule),
        .kept = true};
    double grow = (1 + x->widest + x->widest * x->widest) * (1 + cast.u) * ATTEST_JUDGE_UP;

    /* the same weights are added and multiplied */
    if (v->cast && v->sum_of == ATTEST_JUDGE_SUM_CAST && !rule->before)
        cast.kept = false;
    if (rule->before) { /* divided one by one, from separate exponentials */
        cast.half *= x->divisor;
        cast.divided = ATTEST_TERM(cast_divided, rule->final);
        cast.rest = ATTEST_TERM(cast_flushed, rule->tiny * x->divisor);
    }
    if (rule->quotients > 1) /* each part is divided, and possibly its weight */
        cast.divided += ATTEST_TERM(split_divided, 2 * rule->final * (1 + rule->final));
    cast.cast_part = ((cast.kept ? cast.u : 0) + cast.divided) * grow;
    cast.size_part = grow * (1 + cast.cast_part) * ATTEST_JUDGE_UP;
    x->extra_most = 0;
    if (rule->quantised) {
        set_groups(x, rule, &cast,
                   ldexp(grown * (rule->before ? x->divisor : 1), (int)-v->offset));
        cast.extra = x->extra;
    }
    widen(x, &cast);
}

/* Sets offset, spread of the keys first .. last-1, whose reference is between m_low and m_high
 * and is raised at most `raises` times. A cast is monotone, so the cast weight lies between the
 * casts of the ends. Exponents are small (narrow): e^h <= 1 + h + h^2, e^-h >= 1 - h. Numbers
 * that are subnormal before or after the product with 2^b may be 0, and so may an exponential
 * below 2^-126. */
static void set_known_tile(attest_judge_work *x, const attest_judge_rule *rule, size_t first,
                           size_t last, double m_low, double m_high, double raises)
{
    const struct judge_loops_weight numbers = weight_rule(x, rule, 0);
    double moved = ATTEST_TERM(
        known_reference,
        rule->folded ? rule->shifted * (x->most + fabs((double)rule->variant->offset)) : 0);
    struct judge_loops_known known = {.two_b = ldexp(1, (int)rule->variant->offset),
                                      .quantum = rule->p.quantum,
                                      .unit = 2 * rule->p.u,
                                      .most = rule->p.in_double.most,
                                      .summed = sums_casts(rule),
                                      .range =
                                          ATTEST_TERM(known_range, m_high - m_low) + 2 * moved};

    moved += ATTEST_TERM(known_evaluation, 0x1p-44);
    if (!(x->top - m_high < 300 && known.range < 0x1p-7) || rule->variant->p.precision > 50) {
        for (size_t j = first; j < last; j++) { /* no gain here */
            x->offset[j] = 0;
            x->spread[j] = x->cast[j];
        }
        x->open = true;
        return;
    }
    known.up = attest_judge_exp_up(x->top - m_high);
    known.down = attest_judge_exp_down(m_high - x->top);
    known.error = ATTEST_TERM(known_exp, rule->log_exp) + moved;
    known.later = ATTEST_TERM(known_later, raises * rule->log_exp) + moved;
    attest_judge_loops()->known_casts(x->offset + first, x->spread + first, x->half + first,
                                      x->w + first, x->t + first, x->delta + first,
                                      x->cast + first, &known, &numbers, last - first);
    x->fixed += known.fixed;
    x->shift += known.summed ? known.shift : 0;
    x->open = x->open || known.open;
}

/* (4), weights that are divided before their cast: the same, on the scale of the row sum, which
 * is known up to the errors of its weights and of their addition. */
static void know_quotients(attest_judge_work *x, const attest_judge_rule *rule)
{
    const struct judge_loops_weight numbers = weight_rule(x, rule, 0);
    double low, high;
    struct judge_loops_known known = {.two_b = ldexp(1, (int)rule->variant->offset),
                                      .quantum = rule->p.quantum,
                                      .unit = 2 * rule->p.u,
                                      .most = rule->p.in_double.most,
                                      .divided = true};

    attest_judge_row_sum_ratio(&low, &high, x, rule, 0);
    low *= x->sum_low * ATTEST_JUDGE_DOWN;
    high *= x->sum_high * ATTEST_JUDGE_UP;
    if (!(low > 0.5 && high / low < 1 + 0x1p-7))
        return;
    known.range = ATTEST_TERM(quotient_range, high / low * ATTEST_JUDGE_UP - 1) + 0x1p-44;
    known.up = 1 / high;
    known.down = x->sum;
    known.error = ATTEST_TERM(quotient_exp, rule->log_exp) +
                  ATTEST_TERM(quotient_division, rule->final) + 0x1p-44;
    known.doubt = maximum(x->sum / low - 1, 1 - x->sum / high) * ATTEST_JUDGE_UP + 0x1p-44;
    attest_judge_loops()->known_casts(x->offset, x->spread, x->half, x->w, x->t, x->delta,
                                      x->cast, &known, &numbers, x->count);
    x->divided_low = low;
    x->known = x->divided = true;
}

/* (4), the reference known: sets offset, spread, fixed, open. */
static void know_casts(attest_judge_work *x, const attest_judge_rule *rule)
{
    x->known = true;
    if (!rule->known_tiles) {
        set_known_tile(x, rule, 0, x->count, x->bottom, x->top, 0);
        return;
    }
    for (size_t i = 0, first = 0, last; first < x->count; i++, first = last) {
        last = tile_end(x, rule, first);
        set_known_tile(x, rule, first, last, x->tile_low[i], x->tile_high[i],
                       (double)x->tile_raises[i]);
    }
}

/* ---- (3): the weights that a kernel may give the keys ---- */

/* Rows with smaller errors of weights need no steps of Newton's method. */
#define NARROW 0x1p-5

/* Sets top, bottom, lowest, and most and evaluated over the keys that are not far below. A sink
 * below the largest score is a reference only if keys are below it. */
static void set_extremes(attest_judge_work *x, const attest_judge_rule *rule)
{
    double ends[3], sizes[2];

    attest_judge_loops()->extremes(ends, x->t, x->delta, x->count);
    x->top = ends[0];
    x->bottom = ends[1];
    x->lowest = ends[2];
    if (x->sink)
        x->top = maximum(x->top, x->sink_logit + sink_error(x, rule));
    attest_judge_loops()->sizes(sizes, x->t, x->delta, x->ev, x->bottom - FAR, x->count);
    x->most = sizes[0];
    x->evaluated = x->unknown ? (double)INFINITY : sizes[1];
    if (x->sink && x->sink_logit + sink_error(x, rule) > x->bottom)
        x->most = maximum(x->most, fabs(x->sink_logit) + sink_error(x, rule));
    x->most *= ATTEST_JUDGE_UP;
}

/* The additional error of all weights, as an exponent: references that are rounded anew when
 * they grow, and parts that are joined. */
static double common_error(attest_judge_work *x, const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    double offset = fabs((double)v->offset), error = 0;

    x->joined = 0;
    if (rule->rescaled && rule->folded)
        error += ATTEST_TERM(references, rule->shifted * (x->most + offset));
    if (rule->quotients >
        1) /* judge.md, Joined and The sink of a part: log n <= 0.7 log2 n + 1 */
        x->joined =
            ATTEST_TERM(split_log, v->split_log) + ATTEST_TERM(split_exp, 2 * rule->log_exp) +
            ATTEST_TERM(split_rounding,
                        2 * attest_judge_rule_units(rule, 8) *
                            (x->most + ATTEST_TERM(split_sizes, logb((double)x->seen) + 2) +
                             offset + rule->reach));
    error += x->joined;
    return error * ATTEST_JUDGE_UP;
}

static void fill(double *x, double value, size_t count)
{
    for (size_t j = 0; j < count; j++)
        x[j] = value;
}

/* The error of an exponent by the exponential of the weight and those of its rescales. */
static double exponentials(const attest_judge_rule *rule, double raises)
{
    return (ATTEST_TERM(weight_exp, 1) + ATTEST_TERM(rescale_exp, raises)) * rule->log_exp;
}

/* Sets g_j of (3) for all keys, and whether the row is narrow. */
static void set_exponents(attest_judge_work *x, const attest_judge_rule *rule, double common)
{
    struct judge_loops_weight numbers = weight_rule(x, rule, common);

    if (!rule->known_tiles)
        fill(x->g, exponentials(rule, x->raises), x->count);
    else
        for (size_t i = 0, first = 0, last; first < x->count; i++, first = last) {
            last = tile_end(x, rule, first);
            fill(x->g + first, exponentials(rule, (double)x->tile_raises[i]), last - first);
        }
    x->widest = attest_judge_loops()->exponents(x->g, x->w, x->t, x->delta, &numbers, x->count);
    x->narrow = x->widest <= NARROW;
    /* beyond 100 in common, keys far below might not be */
    if (!(x->widest < 600 && common < 100))
        x->weight_reason = ATTEST_JUDGE_SCORES_UNCERTAIN;
}

/* w = e^w, and low, high around it; flushed weights may be 0. The arrays have space for a
 * vector beyond the count. */
static void enclose(double *low, double *high, double *w, const double *g, const double *t,
                    double flushed, bool narrow, size_t count)
{
    for (size_t j = 0; !narrow && j < count; j++) {
        low[j] = w[j] - g[j];
        high[j] = w[j] + g[j];
    }
    if (!narrow) {
        attest_kernel_exp(low, low, count);
        attest_kernel_exp(high, high, count);
    }
    attest_kernel_exp(w, w, count);
    attest_judge_loops()->weights(low, high, w, g, t, flushed, narrow, count);
}

static void set_sink(attest_judge_work *x, const attest_judge_rule *rule, double common,
                     double flushed)
{
    double low[JUDGE_LOOPS_PAD] = {0}, high[JUDGE_LOOPS_PAD] = {0}, w[JUDGE_LOOPS_PAD] = {0};
    double g[JUDGE_LOOPS_PAD] = {0}, t[JUDGE_LOOPS_PAD] = {0}, argument;

    x->sink_weight = x->sink_low = x->sink_high = 0;
    if (!x->sink)
        return;
    argument = x->sink_logit - x->top;
    *g = (sink_error(x, rule) + ATTEST_TERM(sink_common, common) +
          ATTEST_TERM(sink_exp, exponentials(rule, x->raises)) +
          ATTEST_TERM(sink_argument, argument_roundings(rule) * fabs(argument)) +
          ATTEST_TERM(sink_evaluation, 0x1p-50 * (fabs(argument) + 1))) *
         ATTEST_JUDGE_UP;
    if (argument + *g < -FAR)
        *g = 0;
    *w = maximum(argument, LEAST_ARGUMENT);
    if (!(*g < 600))
        x->weight_reason = ATTEST_JUDGE_SCORES_UNCERTAIN;
    enclose(low, high, w, g, t, flushed, x->narrow && *g <= NARROW, 1);
    x->sink_weight = *w;
    x->sink_low = *low;
    x->sink_high = *high;
}

/* The error of evaluating a weight here, in units of 2^-51: the roundings of its argument and
 * of the exponential; all of the weight where the argument is cut. */
static double spent_on(double weight, double way)
{
    return weight * (way < -LEAST_ARGUMENT ? way + 2 : 0x1p52);
}

/* Sums of n doubles >= 0 err by at most n 2^-53 of themselves. spent: the error of evaluating
 * the weights here. */
static void set_sums(attest_judge_work *x)
{
    double up = 1 + ATTEST_TERM(weight_sums, ((double)x->count + 16) * 0x1p-52), down = 2 - up;
    struct judge_loops_total total = {
        .sum = x->sink_weight,
        .low = x->sink_low,
        .high = x->sink_high,
        .largest_low = x->sink_low,
        .largest_high = x->sink_high,
        .spent = spent_on(x->sink_weight, fabs(x->top - x->sink_logit))};

    attest_judge_loops()->totals(&total, x->w, x->low, x->high, x->t, x->top, LEAST_ARGUMENT,
                                 x->count);
    x->sum = total.sum;
    x->sum_low = total.low * down;
    x->sum_high = total.high * up;
    x->largest_low = total.largest_low;
    x->largest_high = total.largest_high;
    x->doubt = total.doubt;
    x->lost = total.lost * up;
    x->spent = total.spent;
}

/* Without bounds on kernels: the exact weights alone, if they are finite. */
static void set_exact(attest_judge_work *x)
{
    struct judge_loops_cast none = {.size_part = 1};

    x->sink_low = x->sink_high = x->sink_weight = 0;
    for (size_t j = 0; j < x->count; j++)
        x->w[j] = maximum(x->t[j] - x->top, LEAST_ARGUMENT);
    attest_kernel_exp(x->w, x->w, x->count);
    for (size_t j = 0; j < x->count; j++)
        x->low[j] = x->high[j] = x->w[j] = x->t[j] == (double)-INFINITY ? 0 : x->w[j];
    for (size_t j = x->count; j < x->count + JUDGE_LOOPS_PANEL; j++)
        x->low[j] = x->high[j] = x->w[j] = 0; /* padding of a vector */
    if (x->sink) {
        double argument = maximum(x->sink_logit - x->top, LEAST_ARGUMENT);

        attest_kernel_exp(&x->sink_weight, &argument, 1);
        x->sink_low = x->sink_high = x->sink_weight;
    }
    set_sums(x);
    x->narrow = true; /* the best available */
    widen(x, &none);
}

/* The error of an exponent by rounding the reference, also of far keys: a tile or a part may
 * contain no others. */
static double farthest_shift(const attest_judge_work *x, const attest_judge_rule *rule)
{
    double size = x->most;

    if (!rule->folded)
        return 0;
    if (rule->rescaled || rule->quotients > 1)
        size = maximum(size, fabs(x->lowest));
    /* one reference: half of the difference between two tiles */
    return ATTEST_TERM(far_reference, rule->shifted / 2) *
           (size + fabs((double)rule->variant->offset)) * ATTEST_JUDGE_UP;
}

/* A bound on the argument of exp: the threshold, or the distance from the lowest score or the
 * sink, which no reference is below, to the largest. */
static double highest_argument(const attest_judge_work *x, const attest_judge_rule *rule)
{
    double sink = x->sink ? x->sink_logit - sink_error(x, rule) : x->lowest;
    double least = sink < x->lowest ? sink : x->lowest;
    double most = (x->top - least) * (1 + ATTEST_TERM(highest_argument, 8 * rule->work.u)) *
                  ATTEST_JUDGE_UP;

    return most < rule->reach / 2 ? most : rule->reach / 2;
}

/* Returns whether the factor of v over the row sum is a normal number, also over 2 and after
 * all roundings. The largest weight of a sum is 1 up to its own error. */
static bool keeps_factor(const attest_judge_work *x, const attest_judge_rule *rule)
{
    long offset = rule->variant->offset;

    return rule->value_factor / x->most_sum >= 0x1p-124 &&
           ldexp(rule->value_factor, offset < 0 ? (int)-offset : 0) <= 0x1p120;
}

/* A bound on the weight of the sink over that of the reference, at least 1: its exponent errs
 * as in set_sink, but for exponentials. */
static double largest_sink(const attest_judge_work *x, const attest_judge_rule *rule,
                           double reference)
{
    double above = x->sink_logit - reference;
    double error = sink_error(x, rule) + argument_roundings(rule) * fabs(above);

    above = (above + ATTEST_TERM(largest_sink, error)) * ATTEST_JUDGE_UP;
    return above > 0 ? attest_judge_exp_up(above) : 1;
}

/* Exponents of a kernel are up to threshold and offset above 0, and n of them are added: sums
 * of rounded terms grow by Lemma 3, with the rescales in between. Outputs of parts are numbers
 * of the working format. */
static void check_overflow(attest_judge_work *x, const attest_judge_rule *rule, double common,
                           double moved)
{
    const attest_judge_variant *v = rule->variant;
    double slack = common + moved + ATTEST_TERM(largest_exp, 2 * rule->log_exp);
    double y = attest_judge_exp_up(highest_argument(x, rule) + slack);
    double grown =
        1 + (rule->quantised ? ATTEST_TERM(largest_quantised,
                                           rule->scheme.relative + rule->scheme.of_largest)
                             : 0);
    double p = ldexp(y, (int)v->offset), whole = p;
    double added; /* the row sum may add either */
    double n = (double)x->seen * (1 + 0x1p-10), leaves = ATTEST_TERM(largest_roundings, n + 2);
    double rescaled = 1 + attest_judge_grow(2 * rule->log_exp, x->raises);
    double sums = (1 + leaves * rule->sum.u) * (1 + rule->sum.u) * rescaled;
    double products = (1 + leaves * rule->pv.u) * (1 + rule->pv.u) * rescaled;
    double joined =
        rule->quotients > 1 ? (double)rule->quotients + 1 : 2; /* outputs of parts, added */
    double reference = v->splits > 1 ? x->lowest : x->bottom;
    double sink = x->sink ? largest_sink(x, rule, reference) : 0;

    joined *= x->value_most * maximum(rule->value_factor, 1);
    if (rule->quantised)
        p = p * grown + rule->scheme.tiny;
    added = v->offset > 0 ? p : y * grown + (rule->quantised ? rule->scheme.tiny : 0);
    x->argument_slack = slack;
    x->most_weight = p;
    x->most_sum = (n + sink) * added * sums;
    x->most_product = n * p * x->value_most * products;
    if (!(x->most_product < rule->pv.limit) && !rule->quantised) {
        double sum = attest_judge_weights_sum_so_far(x, rule) *
                     attest_judge_exp_up(rule->reach / 2 + slack);
        double terms = ldexp(sum, (int)v->offset) * (1 + rule->p.u) + n * rule->p.quantum;

        x->most_product = fmin(x->most_product, terms * x->value_most * products);
    }
    if (!(p < rule->p.limit) || (rule->quantised && !(whole <= rule->scheme.most)))
        x->weight_reason = ATTEST_JUDGE_WEIGHTS_OVERFLOW;
    else if (!(sink * added < rule->sum.limit && sink * added < 0x1p127))
        x->weight_reason = ATTEST_JUDGE_SINK_OVERFLOWS;
    else if (!(x->most_sum < rule->sum.limit))
        x->weight_reason = ATTEST_JUDGE_SUM_OVERFLOWS;
    else if (!(x->most_product < rule->pv.limit && joined < rule->work.limit))
        x->weight_reason = ATTEST_JUDGE_PRODUCT_OVERFLOWS;
    else if (!(1 / x->most_sum >= rule->least_reciprocal))
        x->weight_reason = ATTEST_JUDGE_RECIPROCAL_LEAVES;
    else if (rule->descaled && !keeps_factor(x, rule))
        x->weight_reason = ATTEST_JUDGE_FACTOR_LEAVES;
}

/* Returns whether the sum of a part may be 0, so that its output is not a number: its largest
 * weight is 1 up to the rounding of its reference. */
static bool may_vanish(const attest_judge_rule *rule, double moved)
{
    const attest_judge_variant *v = rule->variant;
    double y = attest_judge_exp_down(-moved - 2 * rule->log_exp);
    double added =
        v->offset < 0 ? ldexp(y, (int)v->offset) : y; /* a lower bound on terms of S */
    bool cast = v->cast && v->sum_of != ATTEST_JUDGE_SUM_UNCAST;

    return rule->quotients > 1 && !(added >= 0x1p-124 && added >= rule->sum.least &&
                                    (!cast || ldexp(y, (int)v->offset) >= rule->p.quantum));
}

/* Returns whether the difference of two references may overflow: scores before scaling may be
 * far apart, but not under a cap. */
static bool may_part(const attest_judge_work *x, const attest_judge_rule *rule)
{
    return rule->rescaled && rule->folded && !rule->additive &&
           !((x->top - x->lowest) / rule->scale * (1 + 0x1p-10) < rule->work.limit);
}

/* The weights of a row whose scores have bounds. */
static void weigh(attest_judge_work *x, const attest_judge_rule *rule)
{
    double common = common_error(x, rule), moved = farthest_shift(x, rule);

    x->flushed = rule->flushed * (rule->quotients > 1 ? 2 * (double)x->seen : 1);
    x->flushed *= attest_judge_exp_up(moved);
    set_exponents(x, rule, common);
    check_overflow(x, rule, common, moved);
    if (may_vanish(rule, moved))
        x->weight_reason = ATTEST_JUDGE_SCORES_UNCERTAIN;
    if (x->weight_reason)
        return;
    enclose(x->low, x->high, x->w, x->g, x->t, x->flushed, x->narrow, x->count);
    set_sink(x, rule, common, x->flushed);
    if (x->weight_reason)
        return;
    set_sums(x);
    set_apart(x, rule, common);
    set_divisor(x, rule);
    set_casts(x, rule, common);
    if (sums_casts(rule))
        set_sums(x); /* with weights that casts have widened */
    if (rule->known_reference && x->narrow)
        know_casts(x, rule);
    if (rule->known_quotients && x->narrow)
        know_quotients(x, rule);
}

void attest_judge_row_weights(attest_judge_work *work, const attest_judge_rule *rule)
{
    attest_judge_work *x = work;

    x->weight_reason = x->score_reason;
    x->fixed = x->shift = 0;
    x->open = x->known = x->divided = false;
    set_extremes(x, rule);
    if (!x->weight_reason && may_part(x, rule))
        x->weight_reason = ATTEST_JUDGE_SCORES_OVERFLOW;
    if (!x->weight_reason) {
        attest_judge_weights_set_raises(x, rule);
        weigh(x, rule);
    }
    if (x->weight_reason)
        set_exact(x);
}
