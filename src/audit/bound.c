/* bound.c -- an a priori bound on the error of attention, position by position. */
#include "audit/bound.h"

#include <stdint.h>

#include <attest/kernel.h>

#include "audit/bound_setup.h"
#include "base/memory.h"
#include "base/term.h"
#include "base/workers.h"
#include "number/scope.h"

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

/* Returns the number of roundings that a term of a sum of t products passes through. */
static double roundings(const attest_audit_model *model, size_t t)
{
    int levels = 0;

    while (t >> levels) /* ceil(log2(t + 1)) */
        levels++;
    return model->pairwise ? 2 + levels : (double)t;
}

/* Returns how many operations of a sum of t products may underflow: one per product, and one
 * more if the sum is stored in another format. */
static double losses(const attest_audit_model *model, size_t t)
{
    return (double)t + (model->accumulates ? 1 : 0);
}

/* Sums over the columns of a panel: entry x, |entry| slip, |entry| |x|, |entry| error. */
typedef struct panel_sums {
    double value[BOUND_ROWS], slips[BOUND_ROWS], sizes[BOUND_ROWS], errors[BOUND_ROWS];
} panel_sums;

static void add_panel(panel_sums *sums, const double *value, const double *size, size_t cols,
                      quantities x, const double *magnitude)
{
    panel_sums s = {0};

    for (size_t c = 0; c < cols; c++, value += BOUND_ROWS, size += BOUND_ROWS) {
#pragma GCC unroll 4
        for (int r = 0; r < BOUND_ROWS; r++) {
            s.value[r] += value[r] * x.value[c];
            s.slips[r] += size[r] * x.slip[c];
            s.sizes[r] += size[r] * magnitude[c];
            s.errors[r] += size[r] * x.error[c];
        }
    }
    *sums = s;
}

/* Step 2: y = m x. With a = |m|, b = |x|, the computed |x| at most b + u e:
 *   error = sum a e + (1 + u) ... + growth * sum (a + u a)(b + u e) + lost to underflow. */
static void apply_matrix(quantities y, const matrix *m, quantities x, const bound *b)
{
    const attest_audit_model *model = b->model;
    double u = model->u, k = roundings(model, m->cols), g = attest_audit_bound_growth(model, k);
    double lost = model->tiny * (1 + u) * (1 + g * u), plain = 0;
    panel_sums sums;

    for (size_t c = 0; c < m->cols; c++) {
        b->magnitude[c] = fabs(x.value[c]) + x.slip[c];
        plain += b->magnitude[c] + u * x.error[c];
    }
    for (size_t r = 0; r < m->rows; r++) {
        size_t i = r % BOUND_ROWS;
        double sizes, errors;
        if (i == 0)
            add_panel(&sums, m->value + r * m->cols, m->size + r * m->cols, m->cols, x,
                      b->magnitude);
        sizes = sums.sizes[i];
        errors = sums.errors[i];
        y.value[r] = sums.value[i];
        y.slip[r] = (ATTEST_TERM(matrix_slips, sums.slips[i]) +
                     ATTEST_TERM(matrix_sums, ((double)m->cols + 2) * UNIT * sizes) +
                     ATTEST_TERM(matrix_underflow, 0x1p-1000)) *
                    OUTWARD;
        y.error[r] = (errors * (1 + u) + sizes + g * (1 + u) * (sizes + u * errors) +
                      model->tiny * (1 + g * u) * plain + lost * losses(model, m->cols)) *
                     OUTWARD;
        if (!((sizes + u * y.error[r]) * (1 + g * u) * OUTWARD <= model->most))
            y.error[r] = INFINITY;
    }
}

static void apply_chain(quantities y, const chain *map, quantities x, const bound *b)
{
    for (size_t f = 0; f < map->count; f++) {
        quantities to = f + 1 == map->count ? y : b->between;
        apply_matrix(to, &map->factor[f], x, b);
        x = to;
    }
}

static bool prepare_token(void *context, size_t t)
{
    bound *b = context;
    FMPZ_VEC(numerator, (slong)b->dim);
    FMPZ(denominator);
    quantities x = quantities_at(&b->entry, t * b->dim);

    attest_tokens_get(numerator, denominator, &b->request->dataset->tokens, b->token[t]);
    for (size_t c = 0; c < b->dim; c++)
        attest_audit_bound_input(x.value + c, x.slip + c, x.error + c, numerator + c,
                                 denominator, b->model);
    for (size_t h = 0; h < b->weights->heads; h++) {
        bound_head *d = &b->head[h];
        apply_chain(quantities_at(&d->keys, t * d->score_width), &d->key, x, b);
        apply_chain(quantities_at(&d->queries, t * d->score_width), &d->query, x, b);
        apply_chain(quantities_at(&d->values, t * d->value_width), &d->value, x, b);
    }
    return true;
}

void attest_audit_bound_score(size_t j, quantities key, quantities query, size_t count,
                              const bound *b)
{
    const attest_audit_model *model = b->model;
    double u = model->u, g = attest_audit_bound_growth(model, roundings(model, count));
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
    b->score.error[j] =
        (errors + g * computed + model->tiny * (1 + g * u) * losses(model, count)) * OUTWARD;
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
        quantities at = quantities_at(values, (b->local[token[j]] - 1u) * width);
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
           g = attest_audit_bound_growth(model, roundings(model, visible) + (double)blocks);
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

/* Step 7: W_O, and the sum over token and heads. */
static void add_head(const bound_head *d, const bound *b)
{
    double u = b->model->u;

    apply_chain(b->result, &d->output, b->mean, b);
    for (size_t c = 0; c < b->dim; c++) {
        double size = b->result.slip[c], error = b->result.error[c];
        b->sum[c] = ((b->sum[c] + error) * (1 + u) + b->total[c] + size) * OUTWARD;
        b->total[c] = (b->total[c] + size) * OUTWARD;
        if (!((b->total[c] + u * b->sum[c]) * OUTWARD <= b->model->most))
            b->sum[c] = INFINITY;
    }
}

/* Returns an upper bound of the norm of nonnegative numbers, whose squares may be outside the
 * range of doubles. */
static double get_norm(const double *x, size_t count)
{
    double most = 0, square = 0;

    for (size_t c = 0; c < count; c++)
        most = fmax(most, x[c]);
    if (!(most > 0 && most < INFINITY))
        return most;
    for (size_t c = 0; c < count; c++)
        square += x[c] / most * (x[c] / most);
    return most * sqrt(square) * OUTWARD + ATTEST_TERM(position_norm_underflow, 0x1p-1074);
}

static bool bound_passage(void *context, size_t item)
{
    bound *b = context;
    const attest_dataset *dataset = b->request->dataset;
    size_t i = item / b->passages,
           sequence = b->request->sequence ? b->request->sequence[i] : i;
    size_t length = attest_dataset_length(dataset, sequence);
    attest_audit_passage passage =
        attest_audit_passage_get(length, item % b->passages, b->passages);
    const uint32_t *token = dataset->token + dataset->start[sequence];

    for (size_t k = passage.begin; k < passage.end; k++) {
        size_t visible = b->weights->mask == ATTEST_MASK_CAUSAL ? k + 1 : length;
        size_t t = b->local[token[k]] - 1u;
        for (size_t c = 0; c < b->dim; c++) {
            size_t from = attest_weights_skip_entry(b->weights, c);
            quantities x = quantities_at(&b->entry, t * b->dim + (from == SIZE_MAX ? 0 : from));
            b->sum[c] = from == SIZE_MAX ? 0 : *x.error;
            b->total[c] = from == SIZE_MAX ? 0 : fabs(*x.value) + *x.slip;
        }
        for (size_t h = 0; h < b->weights->heads; h++) {
            bound_head *d = &b->head[h];
            double variation = INFINITY;
            for (size_t j = 0; j < visible; j++)
                attest_audit_bound_score(
                    j, quantities_at(&d->keys, (b->local[token[j]] - 1u) * d->score_width),
                    quantities_at(&d->queries, t * d->score_width), d->score_width, b);
            if (b->weights->activation == ATTEST_HARDMAX)
                attest_audit_bound_winners(d, token, visible, b);
            else
                attest_audit_bound_mean(&variation, &d->values, token, visible, d->value_width,
                                        b);
            if (b->variation)
                b->variation[(b->start[i] + k) * b->weights->heads + h] = variation;
            add_head(d, b);
        }
        for (size_t c = 0; c < b->dim; c++) {
            if (isnan(b->sum[c]))
                b->sum[c] = INFINITY;
            if (b->out)
                b->out[(b->start[i] + k) * b->dim + c] = b->sum[c];
        }
        if (b->norm)
            b->norm[b->start[i] + k] = get_norm(b->sum, b->dim);
    }
    return true;
}

static attest_status run(bound *b, attest_error *error)
{
    size_t jobs = b->request->jobs;

    b->weights = b->request->weights;
    b->dim = b->request->dataset->dim;
    b->passages = attest_audit_passages(b->request->sequences, 4 * jobs);
    if (!attest_audit_bound_init(b))
        return attest_memory_fail(error);
    ATTEST_TRY(attest_workers_run(prepare_token, b, b->tokens,
                                  b->tokens * b->dim > 20000 ? jobs : 1, error));
    return attest_workers_run(bound_passage, b, b->request->sequences * b->passages,
                              b->request->sequences * b->longest > 500 ? jobs : 1, error);
}

attest_status attest_audit_bound(double *norm, double *entry,
                                 const attest_audit_request *request,
                                 const attest_audit_model *model, attest_error *error)
{
    bound b ATTEST_CLEARED_BY(attest_audit_bound_clear) = {
        .request = request, .model = model, .norm = norm, .out = entry};

    return run(&b, error);
}

attest_status attest_audit_bound_weights(double *variation, const attest_audit_request *request,
                                         const attest_audit_model *model, attest_error *error)
{
    bound b ATTEST_CLEARED_BY(attest_audit_bound_clear) = {
        .request = request, .model = model, .variation = variation};

    return run(&b, error);
}
