/* lse.c -- bounds on the log-sum-exp of a row.
 *
 * proofs-notes/lse.md derives them; the numbers (L1) to (L6) are those of its sections. */
#include "judge/lse.h"

#include <attest/kernel.h>

#include <math.h>

#include "number/scope.h"

/* Exponents with smaller errors are expanded: e^h <= 1 + h + h^2. */
#define SMALL 0x1p-5

/* At least log2 e. */
#define LOG2E_UP 0x1.71547652b82ffp0

/* ---- what all keys of a row have in common ---- */

typedef struct setting {
    const attest_judge_work *x;
    const attest_judge_rule *rule;
    double u;
    double offset;            /* |b| */
    double lag;               /* a reference is at most this far below the largest score */
    double exps, rescale_exp; /* the error of an exponential; of that of each rescale */
    double argument;          /* of the way of a key to the last reference */
    double constant;          /* of the size of scores and references */
    double log_relative;      /* of log */
    double cast_u, cast_half; /* of casts, if the row sum adds them */
    double grown;             /* errors of what is on the scale of a reference */
    /* (L5), parts: what the log-sum-exp of a part adds, in all, and of the size; at least the
     * log of their number of keys */
    double part_fixed, part_size, part_log_count;
} setting;

/* At least ln x, x >= 1. */
static double log_up(double x)
{
    return log(x) * (1 + 0x1p-40) + 0x1p-40;
}

/* (L1): the unit roundoffs of the constants that scores are multiplied with, and of what does
 * not cancel when a reference is subtracted. */
static double constant_units(const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;

    if (!rule->folded)
        return rule->power_of_two && !rule->descaled ? 0 : attest_judge_rule_units(rule, 2);
    return attest_judge_rule_units(rule, 3) +
           ((v->scale == ATTEST_JUDGE_SCALE_ANY) + (v->offset != 0)) * rule->work.u;
}

/* (L5): the errors of the log-sum-exps L_i of parts. */
static void set_parts(setting *s)
{
    const attest_judge_variant *v = s->rule->variant;
    const attest_judge_work *x = s->x;
    /* the sum of a part is smaller only where its reference is a sink that it does not add */
    double left_out = x->sink && v->lse.without_sink ? x->top - x->lowest : 0;
    double u = s->u,
           log_sum = log_up(maximum(x->most_sum, 1)) + s->offset + s->lag + left_out + 1;
    double absolute = maximum(v->split_log, v->lse.log_absolute);
    double reference = maximum(v->lse.reference * u, attest_judge_rule_units(s->rule, 3));
    double roundings = v->lse.base == ATTEST_JUDGE_LSE_BINARY ? 4 * u : u; /* of L_i */

    if (v->splits == 1)
        return;
    s->part_log_count = log_up((double)x->seen + x->sink) + s->offset + 2;
    s->part_fixed = ATTEST_TERM(lse_part_log, absolute + roundings * (log_sum + s->offset)) +
                    ATTEST_TERM(lse_part_log_relative,
                                s->log_relative * (log_sum + log_up((double)v->splits) + 1));
    s->part_size = ATTEST_TERM(lse_part_reference, (reference + roundings) * (1 + 16 * u));
}

/* (L3): a cast on the scale of a reference. */
static void set_casts(setting *s)
{
    const attest_judge_variant *v = s->rule->variant;
    double size = maximum(fabs(s->x->top), fabs(s->x->bottom) + s->lag);

    s->grown =
        attest_judge_exp_up(s->x->raises * s->rule->log_exp + s->constant * (size + s->offset));
    if (!v->cast || v->sum_of == ATTEST_JUDGE_SUM_UNCAST || !s->rule->after)
        return;
    s->cast_u = ATTEST_TERM(lse_cast, s->rule->p.u);
    s->cast_half =
        ATTEST_TERM(lse_cast_least, ldexp(s->rule->p.quantum, -1 - (int)v->offset) * s->grown);
}

static void set_setting(setting *s, const attest_judge_work *x, const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    double u = rule->work.u;

    *s = (setting){.x = x,
                   .rule = rule,
                   .u = u,
                   .offset = fabs((double)v->offset),
                   .lag = rule->reach / 2,
                   .exps = ATTEST_TERM(lse_exp, rule->log_exp),
                   .rescale_exp = ATTEST_TERM(lse_rescale_exp, rule->log_exp),
                   .argument = ATTEST_TERM(lse_argument, argument_roundings(rule)),
                   .constant = ATTEST_TERM(lse_constant, constant_units(rule) * (1 + 16 * u)),
                   .log_relative = v->lse.log_relative + (v->offset != 0 ? 2 : 1) * u};
    set_parts(s);
    set_casts(s);
}

/* (L5): what a weight of this way and size errs by when parts are joined; 0 without parts. */
static double part_error(const setting *s, double size, double way)
{
    if (s->rule->variant->splits == 1)
        return 0;
    return s->part_fixed + s->part_size * size +
           ATTEST_TERM(lse_part_exp, s->rule->log_exp + 3 * s->u * (1 + 16 * s->u) *
                                                            (way + s->part_log_count));
}

/* ---- (L2): sums over the keys ---- */

/* w: the exact weights; up, down: what the computed ones may exceed them and fall short of them
 * by. */
typedef struct sums {
    double w, up, down;
    double largest_low;  /* the largest of the lower bounds */
    double most;         /* at least the scores of the keys */
    double moved, spent; /* errors of w: of scores; of exponentials, in units of 2^-51 */
} sums;

/* e^h - 1, rounded up. */
static double excess(double h)
{
    return h <= SMALL ? (h + ATTEST_TERM(lse_square, h * h)) * ATTEST_JUDGE_UP
                      : attest_judge_exp_up(h) - 1;
}

/* Adds a key of weight w whose exponent errs by at most h, its cast by `extra` more. One that
 * may be flushed has a weight from 0 to the larger of its upper bound and flushed. */
static void add(sums *to, const setting *s, double w, double h, double extra)
{
    double up = w * excess(h), down = h <= SMALL ? w * h : w * (1 - attest_judge_exp_down(-h));
    double flushed = s->x->flushed * (1 + 0x1p-10);

    if (s->cast_u > 0) {
        double cast = maximum(s->cast_u * (w + up), s->cast_half) + extra;

        up += cast;
        down += cast;
    }
    if (!(w - down >= ATTEST_TERM(lse_flushed, flushed))) {
        up = maximum(up, flushed - w);
        down = w;
    }
    to->w += w;
    to->up += up;
    to->down += down;
    to->largest_low = maximum(to->largest_low, w - down);
}

/* Adds the keys first .. last-1, whose weights are rescaled at most `raises` times. */
static void add_keys(sums *to, const setting *s, size_t first, size_t last, double raises)
{
    const attest_judge_work *x = s->x;
    double exps = s->exps + raises * s->rescale_exp, far = x->bottom - FAR;
    bool quantised = s->rule->quantised && s->cast_u > 0;

    for (size_t j = first; j < last; j++) {
        double t = x->t[j], d = x->delta[j], below = x->top - t, w = x->w[j];
        double way = below + d + s->rule->reach, h;
        double size = maximum(fabs(x->top), fabs(t) + d + s->lag);

        if (t == (double)-INFINITY)
            continue;
        h = (d + exps + s->argument * way + s->constant * (size + s->offset) +
             part_error(s, size, way) + 0x1p-50 * (below + 1)) *
            ATTEST_JUDGE_UP;
        if (!(t + h >= far)) /* flushed, whatever its score is */
            h = 0;
        add(to, s, w, h, quantised ? x->extra[j] * s->grown : 0);
        to->most = maximum(to->most, t + d);
        /* the evaluation of w; beyond the least argument it is another number */
        to->moved += below < -LEAST_ARGUMENT ? w * excess(x->ev[j]) : 2 * w;
        to->spent += w * (below + 2);
    }
}

/* (L1): the error of the exponent of the sink z by its own constants and by the reference, of
 * at most this size: R_W(z); z log2 e, beside a reference that is multiplied with another
 * constant (fused), or rounded as a product (two steps). */
static double sink_constant(const setting *s, double size)
{
    const attest_judge_rule *rule = s->rule;
    double z = fabs(s->x->sink_logit), more = 1 + 16 * s->u;
    double fused = 2 * s->u * z + attest_judge_rule_units(rule, 4) * (size + s->offset);
    double steps = 3 * s->u * z + (s->offset > 0 ? s->u * (maximum(size, z) + s->offset) : 0);

    return more * (rule->folded ? maximum(fused, steps) : s->u * z);
}

/* The sink, which is never cast. Its way leads to a reference that may not include it. */
static void add_sink(sums *to, const setting *s)
{
    const attest_judge_work *x = s->x;
    double z = x->sink_logit, below = fabs(x->top - z), h, w;
    double lowest = s->rule->variant->splits > 1 ? x->lowest : x->bottom;
    double way = maximum(below, z - lowest) + s->rule->reach;
    double size = maximum(fabs(to->most), fabs(lowest) + s->lag);
    double argument = maximum(z - x->top, LEAST_ARGUMENT);
    setting uncast = *s;

    uncast.cast_u = 0;
    h = (ATTEST_TERM(lse_sink_constant, sink_constant(s, size)) +
         ATTEST_TERM(lse_sink_exp, s->rule->log_exp) + x->raises * s->rescale_exp +
         ATTEST_TERM(lse_sink_argument, argument_roundings(s->rule)) * way +
         part_error(s, maximum(size, fabs(z)), way) + 0x1p-50 * (below + 1)) *
        ATTEST_JUDGE_UP;
    if (!(z - x->top + h >= -FAR))
        h = 0;
    attest_kernel_exp(&w, &argument, 1);
    add(to, &uncast, w, h, 0);
    to->moved += argument > LEAST_ARGUMENT ? 0 : 2 * w;
    to->spent += w * (below + 2);
}

static void add_all(sums *to, const setting *s)
{
    const attest_judge_work *x = s->x;

    *to = (sums){.most = (double)-INFINITY};
    for (size_t i = 0, first = 0, last; first < x->count; i++, first = last) {
        last = s->rule->known_tiles ? tile_end(x, s->rule, first) : x->count;
        add_keys(to, s, first, last,
                 s->rule->known_tiles ? (double)x->tile_raises[i] : x->raises);
    }
    if (x->sink && !s->rule->variant->lse.without_sink)
        add_sink(to, s);
}

/* ---- (L3) to (L6): the row sum, its log, the reference, the result ---- */

/* Outward bounds on top + ln of numbers, and top + ln middle with its error. */
static void take_logs(double *low, double *high, double *middle, double *error, double top)
{
    ARB(t, x);
    ARF(end);

    arb_set_d(t, top);
    arb_set_d(x, *low);
    arb_log(x, x, 80);
    arb_add(x, x, t, 80);
    arb_get_lbound_arf(end, x, 80);
    *low = arf_get_d(end, ARF_RND_FLOOR);
    arb_set_d(x, *high);
    arb_log(x, x, 80);
    arb_add(x, x, t, 80);
    arb_get_ubound_arf(end, x, 80);
    *high = arf_get_d(end, ARF_RND_CEIL);
    arb_set_d(x, *middle);
    arb_log(x, x, 80);
    arb_add(x, x, t, 80);
    *middle = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    *error = (fabs(*middle) * 0x1p-53 + 0x1p-70) * ATTEST_JUDGE_UP;
}

/* x times 1 / ln 2, rounded down (-1), to nearest (0) or up (1). */
static double in_base_2(double x, int direction)
{
    double y = x * 0x1.71547652b82fep0; /* log2 e to nearest: within 2^-53.7 of itself */

    return direction == 0 ? y : y + direction * fabs(y) * 0x1p-51;
}

/* The result of a kernel whose last operation is exact before it is rounded. Rounding is
 * monotone. */
static double finish(double x, const attest_judge_rule *rule)
{
    attest_judge_arithmetic format;

    attest_judge_arithmetic_init(&format, &rule->variant->lse.format);
    return attest_in_double_convert(attest_in_double_convert(x, &rule->work.in_double),
                                    &format.in_double);
}

/* (L6): the interval of what kernels return, from that of the exact operands. */
static void set_ends(attest_judge_lse *lse, double low, double high, double error,
                     const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    bool binary = v->lse.base == ATTEST_JUDGE_LSE_BINARY;
    double size = maximum(fabs(low), fabs(high)), limit = rule->work.limit;

    if (binary)
        error += ATTEST_TERM(lse_binary, 3 * rule->work.u * (1 + 16 * rule->work.u)) *
                 (size + error);
    error = (error + 4 * rule->work.least) * ATTEST_JUDGE_UP; /* what may be flushed */
    low -= error + (size + error) * 0x1p-51;
    high += error + (size + error) * 0x1p-51;
    if (!(maximum(fabs(low), fabs(high)) * 2 < limit)) {
        lse->reason = ATTEST_JUDGE_OUTPUT_OVERFLOWS;
        return;
    }
    if (binary) {
        low = in_base_2(low, -1);
        high = in_base_2(high, 1);
        lse->exact = in_base_2(lse->exact, 0);
        lse->error = lse->error * LOG2E_UP * ATTEST_JUDGE_UP + fabs(lse->exact) * 0x1p-51;
    }
    lse->lo = finish(low, rule);
    lse->hi = finish(high, rule);
    if (!(isfinite(lse->lo) && isfinite(lse->hi)))
        lse->reason = ATTEST_JUDGE_OUTPUT_OVERFLOWS;
}

/* The errors of log and of the reference, (L4), or of joining parts, (L5); low, high: bounds on
 * the logarithm of the computed sum times e^reference. */
static double last_error(const setting *s, double low, double high)
{
    const attest_judge_work *x = s->x;
    const attest_judge_variant *v = s->rule->variant;
    double joined = v->splits > 1 && v->offset != 0
                        ? 2 * s->u * (maximum(fabs(low), fabs(high)) + s->offset)
                        : 0;
    double absolute = ATTEST_TERM(lse_log, v->lse.log_absolute + joined), size, reference;

    if (v->splits > 1)
        return absolute;
    size = maximum(high - (x->bottom - s->lag), x->top - low) + 0x1p-20;
    reference = maximum(fabs(x->top), fabs(x->bottom - s->lag)) * (1 + 16 * s->u);
    return absolute + ATTEST_TERM(lse_log_relative, s->log_relative) * (size + s->offset) +
           ATTEST_TERM(lse_reference, v->lse.reference * s->u) * reference;
}

/* (L5) is derived for parts that are divided by their own row sums, and joined all at once. */
static bool is_join_unknown(const attest_judge_rule *rule)
{
    return rule->joined_sums || rule->joined_anyhow;
}

/* Why there is no bound; what happens after the row sum does not matter here. */
static attest_judge_reason find_reason(const attest_judge_work *x,
                                       const attest_judge_rule *rule)
{
    attest_judge_reason reason = x->weight_reason;
    bool later = reason == ATTEST_JUDGE_PRODUCT_OVERFLOWS ||
                 reason == ATTEST_JUDGE_RECIPROCAL_LEAVES ||
                 reason == ATTEST_JUDGE_FACTOR_LEAVES;

    if (is_join_unknown(rule))
        return ATTEST_JUDGE_JOIN_UNKNOWN;
    return later && !rule->quantised ? ATTEST_JUDGE_BOUNDED : reason;
}

/* Sets the exact value and its error; its bounds are infinite so far. */
static void set_exact(attest_judge_lse *lse, double value, double error, double part)
{
    lse->lo = (double)-INFINITY;
    lse->hi = (double)INFINITY;
    lse->exact = value;
    lse->error = error;
    if (part <= 0.5 && isfinite(value)) /* -ln(1 - x) <= x + x^2 */
        lse->error = (error + part + part * part) * ATTEST_JUDGE_UP;
    else {
        lse->exact = (double)NAN;
        lse->error = (double)INFINITY;
    }
}

void attest_judge_lse_bound_row(attest_judge_lse *lse, const attest_judge_work *work,
                                const attest_judge_rule *rule)
{
    attest_judge_work x = *work;
    double theta = ((double)x.count + 16) * 0x1p-52, low, high, middle, error, part;
    double ratio_low, ratio_high;
    setting s;
    sums sum;

    x.sink = x.sink && !rule->variant->lse.without_sink;
    set_setting(&s, work, rule);
    lse->reason = find_reason(work, rule);
    add_all(&sum, &s);
    part = ATTEST_TERM(lse_exact_scores, sum.moved / sum.w) +
           ATTEST_TERM(lse_exact_sums, 0x1p-51 * sum.spent / sum.w + theta);
    x.apart = 0;
    x.sum_low = (sum.w * (1 - theta) - sum.down * (1 + theta)) * ATTEST_JUDGE_DOWN;
    x.sum_high = (sum.w * (1 + theta) + sum.up * (1 + theta)) * ATTEST_JUDGE_UP;
    x.largest_low = sum.largest_low;
    if (!lse->reason && !(x.sum_low > 0 && x.sum_high < (double)INFINITY))
        lse->reason = ATTEST_JUDGE_SCORES_UNCERTAIN;
    ratio_low = ratio_high = 1;
    if (!lse->reason)
        attest_judge_row_sum_ratio(&ratio_low, &ratio_high, &x, rule, 0);
    if (!(ratio_low > 0))
        lse->reason = ATTEST_JUDGE_SCORES_UNCERTAIN;
    low = lse->reason ? 1 : x.sum_low * ratio_low;
    high = lse->reason ? 1 : x.sum_high * ratio_high;
    middle = sum.w;
    take_logs(&low, &high, &middle, &error, work->top);
    set_exact(lse, middle, error, part);
    if (!lse->reason)
        set_ends(lse, low, high, last_error(&s, low, high), rule);
    else if (rule->variant->lse.base == ATTEST_JUDGE_LSE_BINARY) {
        lse->exact = in_base_2(lse->exact, 0);
        lse->error = lse->error * LOG2E_UP * ATTEST_JUDGE_UP + fabs(lse->exact) * 0x1p-51;
    }
    if (lse->reason) {
        lse->lo = (double)-INFINITY;
        lse->hi = (double)INFINITY;
    }
}

void attest_judge_lse_bound_sink(attest_judge_lse *lse, double sink,
                                 const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    double u = rule->work.u, offset = fabs((double)v->offset);
    double error = (attest_judge_rule_units(rule, 6) + v->lse.reference * u) * fabs(sink) +
                   rule->log_exp + v->lse.log_absolute +
                   (v->lse.log_relative + 2 * u) * (offset + 1) + u;

    lse->reason = ATTEST_JUDGE_BOUNDED;
    set_exact(lse, sink, 0, 0);
    if (v->splits > 1)
        error += maximum(v->split_log, v->lse.log_absolute) + rule->log_exp +
                 attest_judge_rule_units(rule, 8) * (fabs(sink) + offset + 1);
    if (is_join_unknown(rule))
        lse->reason = ATTEST_JUDGE_JOIN_UNKNOWN;
    else
        set_ends(lse, sink, sink, error, rule);
}

double attest_judge_lse_distance(const attest_judge_lse *lse)
{
    double up = lse->hi - lse->exact + lse->error, down = lse->exact - lse->lo + lse->error;

    if (!(lse->error < (double)INFINITY))
        return (double)INFINITY;
    return (up > down ? up : down) * (1 + 0x1p-50);
}
