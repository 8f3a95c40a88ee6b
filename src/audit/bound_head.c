/* bound_head.c -- the a priori bound of one row of one head: the model of an arithmetic,
 * scores, weights and the mean of the values; and with them the bound of a recorded head. */
#include "audit/bound_head.h"

#include <stdint.h>
#include <stdlib.h>

#include <attest/kernel.h>

#include "base/memory.h"
#include "base/term.h"
#include "number/double.h"
#include "number/scope.h"

/* Returns an upper bound of the error of a result below the least normal number, in units of
 * 2^-unit_bits. */
static double underflow(const attest_format *format, attest_simulated_rounding rounding,
                        long unit_bits)
{
    long quantum = format->emin - format->precision + 1, bits;

    if (!format->bounded)
        return 0;
    bits = quantum + unit_bits - (rounding == ATTEST_SIMULATED_NEAREST);
    return ldexp(ATTEST_TERM(model_underflow, 1), (int)(bits < -1000  ? -1000
                                                        : bits > 2000 ? 2000
                                                                      : bits));
}

static double largest(const attest_format *format)
{
    if (!format->bounded)
        return INFINITY;
    if (format->positive)
        return -1; /* the format has no 0: there is no bound */
    if (format->emax > 1000)
        return 0x1p1000; /* from below */
    return ldexp(2 - ldexp(1, (format->top_is_nan ? 2 : 1) -
                                  (int)(format->precision < 53 ? format->precision : 53)),
                 (int)format->emax);
}

void attest_audit_model_init(attest_audit_model *model, const attest_simulated_arithmetic *a)
{
    const attest_format *f = &a->format, *sum = a->accumulates ? &a->accumulate : f;
    long bits = attest_simulated_unit_bits(f, a->rounding), capped = bits < 500 ? bits : 500;
    long bits_sum = attest_simulated_unit_bits(sum, a->rounding);
    long unit_bits = a->accumulates ? capped : bits;
    long width = f->precision < sum->precision ? f->precision : sum->precision;

    *model = (attest_audit_model){
        .u = ldexp(1, -(int)capped),
        .u_sum = ldexp(1, -(int)(bits_sum < 500 ? bits_sum : 500)),
        .unit_bits = unit_bits,
        .tiny =
            fmax(underflow(f, a->rounding, unit_bits), underflow(sum, a->rounding, unit_bits)),
        .most = fmin(largest(f), largest(sum)),
        .exact_bits = f->bounded || sum->bounded ? 0 : width,
        .shifted = a->softmax != ATTEST_SIMULATED_NAIVE,
        .accumulates = a->accumulates,
        .pairwise = a->pairwise,
        .online_block = a->softmax == ATTEST_SIMULATED_ONLINE ? a->block : 0,
    };
}

void attest_audit_model_cap(attest_audit_model *model, const attest_simulated_arithmetic *a)
{
    model->capped = a->rounding == ATTEST_SIMULATED_NEAREST && !a->pairwise &&
                    a->softmax != ATTEST_SIMULATED_ONLINE;
}

/* Upper bounds of powers and exponentials; proofs-notes/audit.md, "Doubles". */

/* By repeated squaring of the part above 1: all terms are positive, and each rounding is
 * covered by the enlarged u. */
double attest_audit_bound_power(double u, double k)
{
    double result = 0, power = u * (1 + 0x1p-44);

    for (uint64_t left = (uint64_t)k; left; left >>= 1) {
        if (left & 1)
            result += power * (1 + result);
        power *= 2 + power;
    }
    return result;
}

/* Sums x + x^2/2! + ... + x^14/14!; the omitted terms are below 2^-40 of the sum. */
double attest_audit_bound_expm1(double x)
{
    double sum = 1;

    for (int i = 14; i > 1; i--)
        sum = 1 + sum * x / i;
    return sum * x * OUTWARD;
}

/* Returns e^x as the kernels compute it: relative error below 2^-51 for results above 2^-1000,
 * else absolute error below 2^-1074. */
static double exp_by_kernels(double x)
{
    double y;

    attest_kernel_exp(&y, &x, 1);
    return y;
}

double attest_audit_bound_growth(const attest_audit_model *model, double roundings)
{
    double u = model->u, cap;
    double growth = ATTEST_TERM(growth_sums, attest_audit_bound_power(model->u_sum, roundings));

    if (model->accumulates)
        growth += ATTEST_TERM(growth_stored, u * (1 + growth));
    growth = growth / u * OUTWARD;
    if (!model->capped)
        return growth;
    cap = 1 + ATTEST_TERM(growth_cap, 2 * model->u_sum);
    if (model->accumulates)
        cap =
            cap * (1 + ATTEST_TERM(growth_cap_carried, u)) + ATTEST_TERM(growth_cap_stored, u);
    return fmin(growth, cap / u * OUTWARD);
}

double attest_audit_bound_roundings(const attest_audit_model *model, size_t t)
{
    int levels = 0;

    while (t >> levels) /* ceil(log2(t + 1)) */
        levels++;
    return model->pairwise ? 2 + levels : (double)t;
}

double attest_audit_bound_losses(const attest_audit_model *model, size_t t)
{
    return (double)t + (model->accumulates ? 1 : 0);
}

quantities attest_audit_quantities_at(const quantities *q, size_t i)
{
    return (quantities){q->value + i, q->slip + i, q->error + i};
}

/* Step 1: an entry of the data, rounded once. */
void attest_audit_bound_input(double *value, double *slip, double *error,
                              const fmpz_t numerator, const fmpz_t denominator,
                              const attest_audit_model *model)
{
    *value = attest_double_get_fraction(numerator, denominator);
    *slip = ATTEST_TERM(input_rounding, fabs(*value) * UNIT) +
            ATTEST_TERM(input_underflow, 0x1p-1073);
    *error = (fabs(*value) + *slip + model->tiny) * OUTWARD;
    if (!(fabs(*value) + *slip <= model->most))
        *error = INFINITY;
}

void attest_audit_bound_score(size_t j, quantities key, quantities query, size_t count,
                              const bound *b)
{
    const attest_audit_model *model = b->model;
    double u = model->u,
           g = attest_audit_bound_growth(model, attest_audit_bound_roundings(model, count));
    double value = 0, slips = 0, sizes = 0, errors = 0, computed = 0;

    for (size_t c = 0; c < count; c++) {
        double p = fabs(key.value[c]) + key.slip[c], q = fabs(query.value[c]) + query.slip[c];
        value += key.value[c] * query.value[c];
        slips += p * query.slip[c] + q * key.slip[c];
        sizes += p * q;
        errors += p * query.error[c] + q * key.error[c] + u * key.error[c] * query.error[c];
        computed += (p + u * key.error[c]) * (q + u * query.error[c]);
    }
    b->score.value[j] = value;
    b->score.slip[j] = (ATTEST_TERM(score_slips, slips) +
                        ATTEST_TERM(score_sums, ((double)count + 2) * UNIT * sizes) +
                        ATTEST_TERM(score_underflow, 0x1p-1000)) *
                       OUTWARD;
    b->score.error[j] = (errors + g * computed +
                         model->tiny * (1 + g * u) * attest_audit_bound_losses(model, count)) *
                        OUTWARD;
    if (!(computed * (1 + g * u) * OUTWARD <= model->most))
        b->score.error[j] = INFINITY;
}

/* The scores of one query: the largest one, and the largest of slips and errors. */
typedef struct score_range {
    double top, slip, error;
    double shift; /* bounds the error of the computed maximum */
} score_range;

static score_range get_range(size_t visible, const bound *b)
{
    score_range range = {.top = -INFINITY};

    for (size_t j = 0; j < visible; j++) {
        range.top = fmax(range.top, b->score.value[j]);
        range.slip = fmax(range.slip, b->score.slip[j]);
        range.error = fmax(range.error, b->score.error[j]);
    }
    range.shift = ATTEST_TERM(shift_slip, range.slip) + b->model->u * range.error;
    return range;
}

/* |epsilon_j| of the note: a bound on the error of the exponent of a weight; infinite where the
 * score, or score minus maximum, may overflow. */
static double exponent_error(size_t j, const score_range *range, const bound *b)
{
    const attest_audit_model *model = b->model;
    double u = model->u, own = b->score.error[j], error = u * own;
    double distance = range->top - b->score.value[j] + ATTEST_TERM(distance_slip, range->slip) +
                      range->shift + error;

    if (model->shifted)
        error += u * (distance + model->tiny);
    if (!isfinite(own) || (model->shifted && !(distance * (1 + u) * OUTWARD <= model->most)))
        return INFINITY;
    return error * OUTWARD;
}

/* Returns the sum of exp(score - largest score), computed in doubles; at least 1. */
static double sum_weights(size_t visible, const score_range *range, const bound *b)
{
    double total = 0;

    for (size_t j = 0; j < visible; j++)
        b->weight[j] = b->score.value[j] - range->top;
    attest_kernel_exp(b->weight, b->weight, visible);
    for (size_t j = 0; j < visible; j++)
        total += b->weight[j];
    return total >= 1 ? total : 1;
}

/* Step 4: b->weight = upper bounds of the weights, b->spread = weight times its relative error,
 * over u. Returns H: the loss of the sum to underflow, relative to the sum, over u. *peak = the
 * largest value that a computed weight may have, up to a factor 2; NaN: scores may overflow. */
static double bound_weights(double *peak, size_t visible, const bound *b)
{
    const attest_audit_model *model = b->model;
    size_t block = model->online_block, blocks = block ? (visible + block - 1) / block : 1;
    double u = model->u, factors = attest_audit_bound_power(u, 1 + 2 * (double)(blocks - 1));
    score_range range = get_range(visible, b);
    double total = sum_weights(visible, &range, b), scale;
    bool overflows = false;

    for (size_t j = 0; j < visible; j++) {
        double depth = range.top - b->score.value[j], error = exponent_error(j, &range, b);
        double most = ATTEST_TERM(weights_slip, 2 * range.slip) - depth;
        overflows = overflows || isinf(error);
        b->weight[j] = most;
        b->spread[j] = fmin(most, 0) + error;
    }
    attest_kernel_exp(b->weight, b->weight, visible);
    attest_kernel_exp(b->spread, b->spread, visible);
    for (size_t j = 0; j < visible; j++) {
        double error = exponent_error(j, &range, b), above = b->weight[j];
        b->weight[j] =
            fmin(1, above / total * OUTWARD) + ATTEST_TERM(weights_underflow, 0x1p-1000);
        if (error < 1)
            b->spread[j] =
                b->weight[j] * (attest_audit_bound_expm1(error) * (1 + factors) + factors);
        else
            b->spread[j] = b->spread[j] / (above <= 1 ? total : 1) * (1 + factors) * OUTWARD +
                           ATTEST_TERM(spreads_underflow, 0x1p-1000);
        b->spread[j] = b->spread[j] / u * OUTWARD;
    }
    *peak = overflows ? NAN : 1;
    if (!overflows && !model->shifted)
        *peak = exp_by_kernels(range.top + range.shift) * OUTWARD +
                ATTEST_TERM(peak_underflow, 0x1p-1000);
    if (model->tiny == 0)
        return 0;
    scale =
        model->shifted ? exp_by_kernels(-range.shift) : exp_by_kernels(range.top - range.shift);
    if (!(scale >= 0x1p-1000)) /* too small to be computed accurately */
        return INFINITY;
    if (!model->shifted)
        scale *= total;
    return model->tiny * (double)visible * (double)(2 * blocks) / scale * OUTWARD;
}

/* Sums over the visible keys, for each of width entries: b->mean.slip = weights times sizes of
 * the values, b->mean.error = errors, b->mixed.value = bounds of the computed products,
 * b->mixed.slip = bounds of the computed values; b->mixed.error = the largest such value, at
 * least 1. */
static void mix_values(const quantities *values, const uint32_t *token, size_t visible,
                       size_t width, const bound *b)
{
    double u = b->model->u, tiny = b->model->tiny;

    for (size_t c = 0; c < width; c++) {
        b->mean.slip[c] = b->mean.error[c] = b->mixed.value[c] = b->mixed.slip[c] = 0;
        b->mixed.error[c] = 1;
    }
    for (size_t j = 0; j < visible; j++) {
        quantities at =
            attest_audit_quantities_at(values, (b->layout.local[token[j]] - 1u) * width);
        double weight = b->weight[j], spread = b->spread[j], above = weight + u * spread;

        for (size_t c = 0; c < width; c++) {
            double v = fabs(at.value[c]) + ATTEST_TERM(mix_slip, at.slip[c]), e = at.error[c],
                   most = v + u * e;
            b->mean.slip[c] += weight * v;
            b->mean.error[c] += spread * most + weight * e;
            b->mixed.value[c] += above * most;
            b->mixed.slip[c] += v + u * (e + tiny);
            b->mixed.error[c] = most > b->mixed.error[c] ? most : b->mixed.error[c];
        }
    }
}

/* The relative error of the sum of weights, over u. */
static double sum_error(double spreads, double lost, double g, double u)
{
    return (spreads + ATTEST_TERM(sum_lost, lost) +
            g * (1 + u * (spreads + ATTEST_TERM(sum_growth_lost, lost)))) *
           OUTWARD;
}

void attest_audit_bound_mean(double *variation, const quantities *values, const uint32_t *token,
                             size_t visible, size_t width, const bound *b)
{
    const attest_audit_model *model = b->model;
    size_t block = model->online_block, blocks = block ? (visible + block - 1) / block : 1;
    double u = model->u,
           g = attest_audit_bound_growth(model, attest_audit_bound_roundings(model, visible) +
                                                    (double)blocks);
    double spreads = 0, sigma, peak, lost = bound_weights(&peak, visible, b);

    if (block) /* the rescaled sums are stored, and rounded, once per block */
        g = (g * u + (1 + g * u) * attest_audit_bound_power(u, 2 * (double)blocks)) / u *
            OUTWARD;
    for (size_t j = 0; j < visible; j++)
        spreads += b->spread[j];
    sigma = sum_error(spreads, lost, g, u);
    *variation = u * sigma < 0.5
                     ? u * (spreads + lost + sigma) / (2 * (1 - u * sigma)) * OUTWARD
                     : INFINITY;
    mix_values(values, token, visible, width, b);
    for (size_t c = 0; c < width; c++) {
        double size = b->mean.slip[c], computed = b->mixed.value[c];
        double plain = b->mixed.slip[c], most = b->mixed.error[c];
        double errors = b->mean.error[c] +
                        (g * computed + ATTEST_TERM(mean_lost, 2 * lost * (1 + g * u) * most));

        b->mean.value[c] = 0; /* the value is unknown; its size is at most slip */
        b->mean.slip[c] = size * OUTWARD;
        b->mean.error[c] = u * sigma < 0.5
                               ? ((errors + size * sigma) / (1 - u * sigma) * (1 + u) + size +
                                  ATTEST_TERM(mean_underflow, model->tiny)) *
                                     OUTWARD
                               : INFINITY;
        if (model->capped && model->shifted) /* weights up to 1, the sum at least 1 */
            b->mean.error[c] =
                fmin(b->mean.error[c],
                     ((size + plain * (1 + g * u) * (1 + u)) / u + model->tiny) * OUTWARD);
        if (!(peak * (double)visible * most * (1 + g * u) * 4 <= model->most))
            b->mean.error[c] = INFINITY;
    }
}

/* Recorded heads. */

/* Takes the next count quantities of the block. */
static quantities take(double **next, size_t count)
{
    quantities q = {*next, *next + count, *next + 2 * count};

    *next += 3 * count;
    return q;
}

/* Step 1: an exact input (a double), rounded once to the format. */
static void set_input(quantities q, double x, const attest_audit_model *model)
{
    *q.value = x;
    *q.slip = 0;
    *q.error = fabs(x) <= model->most ? (fabs(x) + model->tiny) * OUTWARD : INFINITY;
}

static void set_inputs(quantities to, const double *x, size_t count,
                       const attest_audit_model *model)
{
    for (size_t i = 0; i < count; i++)
        set_input(attest_audit_quantities_at(&to, i), x[i], model);
}

/* Sets the scale: a double with an error of at most two ulps, rounded once to the format. */
static void set_scale(attest_audit_head_bound *x)
{
    ARB(scale);
    double value;

    attest_judge_problem_get_scale(scale, x->problem, 128);
    value = arf_get_d(arb_midref(scale), ARF_RND_NEAR);
    set_input(x->scale, value, &x->model);
    *x->scale.slip = value * UNIT;
    *x->scale.error += *x->scale.slip;
}

attest_status attest_audit_head_bound_init(attest_audit_head_bound *r,
                                           const attest_simulated_arithmetic *arithmetic,
                                           const attest_judge_problem *problem,
                                           attest_error *error)
{
    const attest_judge_problem *x = problem;
    size_t keys = x->keys + 1; /* and a sink */
    size_t count =
        3 * (x->queries * x->dim + keys * (x->dim + x->value_dim + 1) + 2 * x->value_dim + 2) +
        2 * keys;
    double *next;

    *r = (attest_audit_head_bound){.problem = problem};
    attest_audit_model_init(&r->model, arithmetic);
    attest_audit_model_cap(&r->model, arithmetic);
    r->block = next = attest_memory_alloc(count, sizeof *next);
    r->number = attest_memory_alloc(2 * keys, sizeof *r->number);
    if (!r->block || !r->number)
        return attest_memory_fail(error);
    r->query = take(&next, x->queries * x->dim);
    r->key = take(&next, keys * x->dim);
    r->value = take(&next, keys * x->value_dim);
    r->scale = take(&next, 1);
    r->sink = take(&next, 1);
    r->work = (bound){.model = &r->model, .layout.local = r->number + keys};
    r->work.score = take(&next, keys);
    r->work.mean = take(&next, x->value_dim);
    r->work.mixed = take(&next, x->value_dim);
    r->work.weight = next;
    r->work.spread = next + keys;
    for (size_t j = 0; j < keys; j++)
        r->work.layout.local[j] = (uint32_t)j + 1;
    set_scale(r);
    return ATTEST_OK;
}

void attest_audit_head_bound_clear(attest_audit_head_bound *r)
{
    free(r->block);
    free(r->number);
}

void attest_audit_head_bound_load(attest_audit_head_bound *r, const attest_judge_head *head)
{
    const attest_judge_problem *x = r->problem;
    const attest_audit_model *model = &r->model;
    size_t sink = x->keys * x->value_dim;

    set_inputs(r->query, head->q, x->queries * x->dim, model);
    set_inputs(r->key, head->k, x->keys * x->dim, model);
    set_inputs(r->value, head->v, x->keys * x->value_dim, model);
    for (size_t c = 0; c < x->value_dim; c++) /* the value of a sink is 0, without error */
        r->value.value[sink + c] = r->value.slip[sink + c] = r->value.error[sink + c] = 0;
    set_input(r->sink, head->sink ? head->sink_logit : 0, model);
}

/* Adds a number of the mask to the score. */
static void add_bias(quantities score, double bias, const attest_audit_model *model)
{
    double size = fabs(*score.value) + *score.slip + fabs(bias), error;
    double other = (fabs(bias) + model->tiny) * OUTWARD;

    error = *score.error + other;
    error += size + model->u * error + model->tiny;
    *score.slip = (*score.slip + UNIT * size) * OUTWARD;
    *score.value += bias;
    *score.error =
        (size + ATTEST_TERM(bias_limit, model->u * error)) * OUTWARD <= model->most &&
                fabs(bias) <= model->most
            ? error * OUTWARD
            : INFINITY;
}

/* Bounds the scores of the keys that the row sees, and returns how many. */
static size_t bound_scores(attest_audit_head_bound *r, const attest_judge_row *row, size_t i)
{
    const attest_judge_problem *x = r->problem;
    bool scales = x->rsqrt || !fmpq_is_one(x->scale);
    size_t count = 0;

    for (size_t j = row->first; j < row->last; j++) {
        double bias = row->bias ? row->bias[j - row->first] : 0;
        quantities score = attest_audit_quantities_at(&r->work.score, count);

        if (!(bias > -(double)INFINITY))
            continue;
        attest_audit_bound_score(count, attest_audit_quantities_at(&r->key, j * x->dim),
                                 attest_audit_quantities_at(&r->query, i * x->dim), x->dim,
                                 &r->work);
        if (scales) /* a product of one term */
            attest_audit_bound_score(count, r->scale, score, 1, &r->work);
        if (row->bias)
            add_bias(score, bias, &r->model);
        r->number[count++] = (uint32_t)j;
    }
    return count;
}

void attest_audit_head_bound_run(double *entry, attest_audit_head_bound *r,
                                 attest_judge_head *head, size_t i)
{
    const attest_judge_problem *x = r->problem;
    double variation;
    attest_judge_row row;
    size_t count;

    attest_judge_head_get_row(&row, head, i);
    count = bound_scores(r, &row, i);
    if (head->sink) {
        quantities score = attest_audit_quantities_at(&r->work.score, count);

        *score.value = *r->sink.value;
        *score.slip = *r->sink.slip;
        *score.error = *r->sink.error;
        r->number[count++] = (uint32_t)x->keys;
    }
    attest_audit_bound_mean(&variation, &r->value, r->number, count, x->value_dim, &r->work);
    for (size_t c = 0; c < x->value_dim; c++) {
        double error = r->work.mean.error[c];

        entry[c] = x->capped || isnan(error) ? INFINITY : error;
    }
}
