/* row_output.c -- (5), (6): sums, quotient and output of a row. */
#include "judge/row.h"

#include <math.h>

#include "judge/loops.h"

/* ---- (5), (6) ---- */

/* The most passes over the values for one end, including the first. */
enum { NEWTON_STEPS = 5 };

void attest_judge_row_begin(attest_judge_work *work)
{
    for (size_t c = 0; c < work->stride; c++)
        work->center[c] = work->size_w[c] = 0;
}

void attest_judge_row_center(attest_judge_work *work)
{
    for (size_t c = 0; c < work->stride; c++)
        work->center[c] /= work->sum;
}

void attest_judge_row_clear(attest_judge_work *work)
{
    for (size_t c = 0; c < work->stride; c++)
        work->size_v[c] = work->cast_v[c] = work->spread_v[c] = work->offset_v[c] = 0;
}

/* Sets size_v and cast_v where they were not summed, rounds sums of n terms up, and clears the
 * padding of spreads. */
void attest_judge_row_close(attest_judge_work *work)
{
    attest_judge_work *x = work;
    double up = 1 + ATTEST_TERM(value_sums, ((double)x->count + 16) * 0x1p-52);
    double fixed = ATTEST_TERM(sink_spread, maximum(x->sink_high - x->sink_weight,
                                                    x->sink_weight - x->sink_low) *
                                                ATTEST_JUDGE_UP) +
                   ATTEST_TERM(known_spread, x->fixed * up);

    if (x->divided) /* the row sum is in the spreads */
        fixed = 0;

    for (size_t c = 0; c < x->stride; c++) {
        if (!x->sized)
            x->size_v[c] = x->size_part * x->size_w[c] +
                           ATTEST_TERM(size_rest, x->size_rest * x->value_most);
        if (!x->casted)
            x->cast_v[c] = x->cast_part * x->size_w[c] +
                           ATTEST_TERM(cast_rest, x->cast_rest * x->value_most);
        x->size_v[c] *= up * ATTEST_JUDGE_UP;
        x->cast_v[c] *= up * ATTEST_JUDGE_UP;
        x->spread_v[c] += fixed * fabs(x->center[c]);
    }
}

/* The error of the sum of the weights of the parts, and of the logarithm that normalises them.
 */
static double join_error(const attest_judge_work *x, const attest_judge_rule *rule)
{
    double n = (double)rule->quotients, u = rule->work.u * (1 + 0x1p-10), sums, log = 0;

    if (rule->quotients == 1)
        return 0;
    sums = ATTEST_TERM(sum_parts, (n + 1) * u);
    if (rule->joined_anyhow)
        sums += ATTEST_TERM(sum_running, n * u);
    if (rule->joined_logs)
        log = ATTEST_TERM(join_log, attest_judge_exp_up(x->joined) - 1);
    return (sums + log * (1 + sums)) * ATTEST_JUDGE_UP;
}

void attest_judge_row_sum_ratio(double *low, double *high, const attest_judge_work *work,
                                const attest_judge_rule *rule, double apart)
{
    const attest_judge_work *x = work;
    const attest_judge_variant *v = rule->variant;
    double u = rule->sum.u, n = (double)x->seen + x->sink, roundings = n, parts = 0;
    double lost = ldexp(rule->sum.least, v->offset < 0 ? (int)-v->offset : 0), least;

    if (v->lanes > 1 && v->tile > 0 && v->direction != ATTEST_JUDGE_DIRECTION_ANY) {
        double lane = ceil((double)v->tile / (double)v->lanes);
        double tiles = floor((double)x->count / (double)v->tile) + 2;
        double steps = tiles * lane + ATTEST_TERM(sum_join, (double)v->lanes) + x->sink;

        if (rule->joined_sums)
            steps += ATTEST_TERM(sum_merged, (double)v->splits);

        roundings = steps < n ? steps : n;
    }
    roundings = ATTEST_TERM(sum_additions, roundings) + ATTEST_TERM(sum_rescales, x->raises);
    parts = join_error(x, rule);
    /* terms, sums and rescaled numbers may underflow, on the scale of P */
    least = ATTEST_TERM(sum_least, (2 + x->raises) * n * lost / maximum(x->sum_low, 0x1p-900)) +
            apart;
    *high = (1 + attest_judge_grow(u, roundings) + least) * (1 + parts) * ATTEST_JUDGE_UP;
    parts = parts < 1 ? parts : 1;
    *low = maximum(1 - roundings * u - least, 0) * (1 - parts) * ATTEST_JUDGE_DOWN;
    /* a rounded sum of numbers >= 0 is not below any of its terms, except for rescales */
    if (apart > 0)
        parts = 1 - (1 - parts) / (1 + apart);
    roundings = x->raises + 1;
    *low = maximum(*low, (x->largest_low * (1 - roundings * u) - roundings * lost) /
                             x->sum_high * (1 - parts) * ATTEST_JUDGE_DOWN);
}

/* The number of blocks of a matrix unit in a row of PV. */
static double count_blocks(const attest_judge_work *x, const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    double k = (double)v->pv.block, tile = (double)v->tile, n = (double)x->keys;

    if (v->pv.block == 0)
        return 0;
    if (v->tile == 0)
        return n / k + (double)x->seen + 1;
    if (v->direction == ATTEST_JUDGE_DIRECTION_ANY)
        return n / k + (double)x->count / tile + 3;
    return ATTEST_TERM(tile_blocks, floor((double)x->count / tile) + 2) * ceil(tile / k);
}

/* A bound on the value of a product with a subnormal weight or value when a matrix unit aligns
 * it. */
static double raised_product(const attest_judge_work *x, const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    double weight = ldexp(1, (int)(v->cast ? v->p.emin : -126) - (int)v->offset);
    double value = maximum(x->value_most, x->value_least);

    if (rule->before)
        weight *= maximum(ATTEST_TERM(raised_divisor, x->divisor), 1);
    return maximum(weight * value, (x->largest_high * 2 + x->extra_most) * x->value_least) *
           ATTEST_JUDGE_UP;
}

/* A step that makes the bound safe: Phi falls with a slope of sum_low at least. */
static double safe_end(const attest_judge_work *x, double center, double phi)
{
    double step =
        phi > 0 ? phi / x->sum_low * ATTEST_JUDGE_UP : phi / x->sum_high * ATTEST_JUDGE_DOWN;

    return center + step; /* rounded: judge.md, "Evaluation" */
}

/* phi, slope = the contribution of the sink to Phi of (6) at end, and to its slope, for all
 * columns; head_bound.c adds the keys. */
static void start_phi(attest_judge_work *x)
{
    for (size_t c = 0; c < x->stride; c++) {
        x->slope[c] = x->end[c] > 0 ? x->sink_low : x->sink_high;
        x->phi[c] = -x->slope[c] * x->end[c];
    }
}

/* The error of evaluating Phi is relative to the sum of the sizes of its terms: Phi plus twice
 * its negative terms, each at most low (|v| + |end|), and low <= w. A factor 2 covers the
 * errors of Phi and of these sums. */
static void close_phi(attest_judge_work *x)
{
    double rounding = ATTEST_TERM(phi_evaluation, ((double)x->count + 16) * 0x1p-51);

    for (size_t c = 0; c < x->columns; c++) {
        double end = fabs(x->end[c]), below = x->sum_low * (x->value_most + end);
        double other = x->size_w[c] + x->sum * end;
        double size = fabs(x->phi[c]) + 2 * (below < other ? below : other);

        x->phi[c] += rounding * size + ATTEST_TERM(phi_casts, x->cast_v[c]) +
                     ATTEST_TERM(phi_product, x->product[c]);
    }
}

/* Returns whether another step of Newton's method would move every end by at most 2^-7 of its
 * distance, the loss of the safe step. Infinite or NaN: further steps would not help. */
static bool is_settled(const attest_judge_work *x)
{
    for (size_t c = 0; c < x->columns; c++)
        if (x->phi[c] / x->sum_low > 0x1p-7 * (x->end[c] - x->sign * x->center[c]))
            return false;
    return true;
}

/* For weights that are too uncertain for one step: Newton's method from the left stays on the
 * left of the root of a convex falling function. */
void attest_judge_row_step(attest_judge_work *work)
{
    attest_judge_work *x = work;

    close_phi(x);
    x->steps = is_settled(x) ? 0 : x->steps - 1;
    if (x->steps == 0) {
        for (size_t c = 0; c < x->columns; c++)
            x->end[c] = x->sign * safe_end(x, x->end[c], x->phi[c]);
        return;
    }
    for (size_t c = 0; c < x->columns; c++)
        if (x->phi[c] > 0 && x->slope[c] > 0)
            x->end[c] += x->phi[c] / x->slope[c] * (1 - 0x1p-30);
    start_phi(x);
}

/* The errors of evaluating the exact values: of scores, exponentials, sums, and products that
 * underflow. Scores within e of the exact ones move the quotient by at most (e^2e - 1) sum w |v
 * - center| / sum w; for e <= 1/4, (e^e - 1) e^e <= 2 e. */
static void set_errors(double *error, const attest_judge_work *x)
{
    double n = (double)x->count, e = x->evaluated, moved = 2 * e;
    struct judge_loops_cost cost = {.high = x->sum_high,
                                    .spent = ATTEST_TERM(exact_weights, 0x1p-51 * x->spent),
                                    .most = x->value_most,
                                    .rest = ATTEST_TERM(exact_least, n * 0x1p-1060),
                                    .sum = x->sum};

    if (!(e <= 0.25))
        moved = e < 300 ? attest_judge_exp_up(2 * e) : (double)INFINITY;
    cost.moved =
        ATTEST_TERM(exact_scores, moved) + ATTEST_TERM(exact_sums, (2 * n + 32) * 0x1p-53);
    attest_judge_loops()->costs(error, x->center, x->size_v, &cost, x->columns);
}

/* Sets the exact values, and infinite bounds. */
static void set_exact(double *lo, double *hi, double *exact, double *error,
                      const attest_judge_work *x, const attest_judge_rule *rule)
{
    set_errors(error, x);
    for (size_t c = 0; c < x->columns; c++) {
        lo[c] = (double)-INFINITY;
        hi[c] = (double)INFINITY;
        exact[c] = x->center[c];
        if (rule->descaled) {
            exact[c] *= rule->value_factor;
            error[c] = error[c] * rule->value_factor * ATTEST_JUDGE_UP +
                       ATTEST_TERM(exact_factor, 0x1p-1060);
        }
        if (!(error[c] < (double)INFINITY)) {
            exact[c] = (double)NAN;
            error[c] = (double)INFINITY;
        }
    }
}

void attest_judge_row_seek(attest_judge_work *work, const attest_judge_rule *rule, double sign)
{
    attest_judge_work *x = work;
    double rounding = ATTEST_TERM(end_sums, (4 * (double)x->count + 64) *
                                                0x1p-53); /* of center, then of spreads */

    (void)rule;
    x->sign = sign;
    x->steps = x->narrow ? 0 : NEWTON_STEPS;
    for (size_t c = 0; !x->narrow && c < x->stride; c++)
        x->end[c] = sign * x->center[c];
    if (!x->narrow)
        start_phi(x);
    for (size_t c = 0; x->narrow && c < x->columns; c++) {
        double center = x->center[c];
        double slack = rounding * (x->size_v[c] + fabs(center) * x->sum_high);
        double spread = ATTEST_TERM(spread, x->spread_v[c]) +
                        (x->known ? ATTEST_TERM(offset, sign * x->offset_v[c])
                                  : ATTEST_TERM(casts, x->cast_v[c])) -
                        ATTEST_TERM(summed_offset, sign * center * x->shift);

        x->end[c] = sign * safe_end(x, sign * center,
                                    spread + ATTEST_TERM(product, x->product[c]) + slack);
    }
}

/* A tree for the product with V. Each of the two bounds that sum_errors compares has its own
 * term for underflow. A long sum errs by at most the sizes of itself and of the computed one,
 * which Lemma 3 bounds. */
static void adjust_tree(attest_judge_sum_error *sum, double underflow,
                        const attest_judge_work *x, const attest_judge_rule *rule)
{
    double u = rule->pv.u, n = sum->terms;
    double long_size = (1 + (n + 2) * u) * (1 + u) *
                       (1 + attest_judge_grow(2 * rule->log_exp, rule->after ? x->raises : 0));

    sum->rest *= underflow;
    sum->deep_rest *= underflow;
    if (1 + long_size < sum->deep_size) {
        sum->deep_size = (1 + long_size) * ATTEST_JUDGE_UP;
        sum->deep_rest = n * rule->pv.least * underflow * sum->deep_size;
    }
}

/* (5): product = E_c of all columns, on the scale of the weights. */
static void set_products(attest_judge_work *x, const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    double unit = ldexp(rule->before ? maximum(x->divisor, 1) : 1, (int)-v->offset);
    double joined = 0;
    double *most = x->slope; /* work space: not used yet */
    /* for numbers on the scale of P; parts of a few keys are rescaled more often */
    double underflow =
        ATTEST_TERM(product_least, unit) * (rule->joined_sums || rule->joined_anyhow ? 2 : 1);
    attest_judge_sum_error sum;

    attest_judge_sum_error_init(&sum, &v->pv, &rule->pv, (double)x->seen, count_blocks(x, rule),
                                raised_product(x, rule), rule->after ? x->raises : 0);
    attest_judge_sum_error_group(&sum, &v->pv, &rule->pv,
                                 v->direction == ATTEST_JUDGE_DIRECTION_ANY ? 0 : v->tile);
    if (!sum.tensor)
        adjust_tree(&sum, underflow, x, rule);
    if (rule->quotients > 1)
        joined = attest_judge_grow(
            rule->work.u,
            ATTEST_TERM(joined, (double)v->splits + (rule->descaled ? 3 : 2)) +
                ATTEST_TERM(joined_running, rule->joined_anyhow ? (double)v->splits : 0));
    /* the additions of a tree are counted: not those after blocks, or beside a depth */
    else if (rule->joined_sums && (sum.tensor || v->pv.depth > 0))
        joined = attest_judge_grow(maximum(rule->work.u, rule->pv.u),
                                   ATTEST_TERM(merged, (double)v->splits));
    /* no partial sum exceeds the larger P of the positive part and the negative part N: 2 P is
     * P + N + |P - N|, and P - N is sum w v up to the errors of the weights */
    for (size_t c = 0; c < x->stride; c++) {
        double size = x->size_v[c];

        most[c] = size + ATTEST_TERM(most_center, fabs(x->center[c]) * x->sum) +
                  ATTEST_TERM(most_doubt, x->doubt * size) +
                  ATTEST_TERM(most_lost, x->lost * x->value_most) +
                  ATTEST_TERM(most_casts, x->cast_v[c]);
        most[c] = most[c] / 2 * ATTEST_JUDGE_UP; /* size covers the sum that center is */
        most[c] = most[c] < size ? most[c] : size;
    }
    attest_judge_loops()->sum_errors(x->product, x->size_v, most, &sum, x->stride);
    for (size_t c = 0; c < x->columns; c++) {
        x->product[c] += (sum.tensor ? sum.rest * underflow : 0) + joined * x->size_v[c];
        x->product[c] *= ATTEST_JUDGE_UP;
    }
}

bool attest_judge_row_open(double *lo, double *hi, double *exact, double *error,
                           attest_judge_work *work, const attest_judge_rule *rule)
{
    attest_judge_work *x = work;

    x->unbounded = x->weight_reason;
    x->steps = 0;
    set_exact(lo, hi, exact, error, x, rule);
    if (!x->unbounded && !(x->sum_low > 0))
        x->unbounded = ATTEST_JUDGE_SCORES_UNCERTAIN;
    if (x->unbounded)
        return false;
    attest_judge_row_sum_ratio(&x->ratio_low, &x->ratio_high, x, rule, x->apart);
    if (!(x->ratio_low > 0)) { /* the row sum may be 0 */
        x->unbounded = ATTEST_JUDGE_SCORES_UNCERTAIN;
        return false;
    }
    set_products(x, rule);
    if (!x->divided)
        return true;
    /* the products are those of numbers that were divided by the row sum */
    x->ratio_low = x->ratio_high = 1;
    for (size_t c = 0; c < x->columns; c++)
        x->product[c] *= x->sum_high / x->divided_low * ATTEST_JUDGE_UP;
    return true;
}

/* From the quotient of the exact sums to the returned value: errors of the row sum, the
 * division, the factor of v, flushing, the cast to the output. */
void attest_judge_row_finish(double *end, const attest_judge_work *work,
                             const attest_judge_rule *rule)
{
    const attest_in_double *h = &rule->output.in_double;
    bool divides = rule->after || rule->quotients > 1; /* after the product with V */
    /* a wider sum is rounded to the working format */
    double rounded = ATTEST_TERM(narrowed, rule->pv.u < rule->work.u ? rule->work.u : 0);
    struct judge_loops_end to = {.sign = work->sign,
                                 .ratio_low = work->ratio_low,
                                 .ratio_high = work->ratio_high,
                                 .final = divides ? rule->final : rounded,
                                 .tiny = rule->tiny,
                                 .limit = rule->work.limit,
                                 .descaled = rule->descaled,
                                 .factor = rule->value_factor,
                                 .u = rule->work.u,
                                 .plain = h->plain,
                                 .above = rule->variant->output_any};

    if (!h->plain)
        to.output = attest_judge_arithmetic_get_format(h, false);
    attest_judge_loops()->ends(end, work->end, &to, work->columns);
}

void attest_judge_row_check(double *lo, double *hi, attest_judge_work *work)
{
    for (size_t c = 0; c < work->columns; c++)
        if (!(lo[c] <= hi[c] && fabs(lo[c]) < (double)INFINITY &&
              fabs(hi[c]) < (double)INFINITY)) {
            lo[c] = (double)-INFINITY;
            hi[c] = (double)INFINITY;
            work->unbounded = ATTEST_JUDGE_OUTPUT_OVERFLOWS;
        }
}

/* ---- reasons for rows without bounds ---- */

const char *attest_judge_reason_text(attest_judge_reason reason)
{
    static const char *const text[] = {
        [ATTEST_JUDGE_BOUNDED] = NULL,
        [ATTEST_JUDGE_CONSTANTS_LEAVE] =
            "the scale or the softcap overflows the working format or is subnormal in it",
        [ATTEST_JUDGE_SCORES_OVERFLOW] = "scores may overflow the accumulator or their store",
        [ATTEST_JUDGE_SCORES_UNCERTAIN] = "scores are too uncertain to weigh the keys",
        [ATTEST_JUDGE_WEIGHTS_OVERFLOW] = "weights may overflow the format of P",
        [ATTEST_JUDGE_GROUPS_VANISH] =
            "a group of weights may be too small for the scheme that quantises it",
        [ATTEST_JUDGE_SINK_OVERFLOWS] = "the weight of the sink may overflow",
        [ATTEST_JUDGE_SUM_OVERFLOWS] = "the row sum may overflow its accumulator",
        [ATTEST_JUDGE_PRODUCT_OVERFLOWS] = "the product with V may overflow its accumulator",
        [ATTEST_JUDGE_RECIPROCAL_LEAVES] = "the reciprocal of the row sum may be subnormal",
        [ATTEST_JUDGE_FACTOR_LEAVES] =
            "v_descale over the row sum may overflow or be subnormal",
        [ATTEST_JUDGE_JOIN_UNKNOWN] =
            "the log-sum-exp of parts has a bound only where splits.join is quotients or logs",
        [ATTEST_JUDGE_OUTPUT_OVERFLOWS] = "the output may overflow its format",
    };

    return text[reason];
}
