/* bound.c -- an a priori bound on the error of a layer's attention on a dataset, position by
 * position. */
#include "audit/bound.h"

#include <stdint.h>
#include <stdlib.h>

#include "audit/bound_head.h"
#include "base/memory.h"
#include "base/term.h"
#include "base/workers.h"
#include "number/scope.h"

static bool quantities_init(quantities *q, size_t count, bool shared)
{
    q->value = shared ? attest_shared_alloc(count, 3 * sizeof(double))
                      : attest_memory_alloc(count, 3 * sizeof(double));
    q->slip = q->value + count;
    q->error = q->slip + count;
    return q->value != NULL;
}

static void quantities_clear(quantities *q, size_t count, bool shared)
{
    if (shared)
        attest_shared_free(q->value, count, 3 * sizeof(double));
    else
        free(q->value);
}

static bool chain_init(chain *map, const attest_chain *from, const attest_audit_model *model)
{
    for (size_t f = 0; f < from->count; f++) {
        const attest_factor *factor = &from->factor[f];
        matrix *m = &map->factor[f];
        size_t entries =
            (factor->rows + BOUND_ROWS - 1) / BOUND_ROWS * BOUND_ROWS * factor->cols;
        map->count = f + 1;
        *m = (matrix){.rows = factor->rows, .cols = factor->cols};
        m->size = attest_memory_alloc(entries, sizeof *m->size);
        m->value = attest_memory_alloc(entries, sizeof *m->value);
        if (!m->size || !m->value)
            return false;
        for (size_t row = 0; row < m->rows; row++)
            for (size_t col = 0; col < m->cols; col++) {
                size_t i = (row / BOUND_ROWS * m->cols + col) * BOUND_ROWS + row % BOUND_ROWS;
                double slip, error;
                attest_audit_bound_input(&m->value[i], &slip, &error,
                                         factor->entry + row * factor->row_step +
                                             col * factor->col_step,
                                         factor->denominator, model);
                m->size[i] = isfinite(error) ? fabs(m->value[i]) + slip : INFINITY;
            }
    }
    return true;
}

static void chain_clear(chain *map)
{
    for (size_t f = 0; f < map->count; f++) {
        free(map->factor[f].size);
        free(map->factor[f].value);
    }
}

static bool head_init(bound_head *d, const attest_head *head, const bound *b)
{
    attest_head_plan plan;

    attest_head_plan_as_written(&plan, head);
    d->score_width = plan.score_width;
    d->value_width = plan.value_width;
    return chain_init(&d->key, &plan.key, b->model) &&
           chain_init(&d->query, &plan.query, b->model) &&
           chain_init(&d->value, &plan.value, b->model) &&
           chain_init(&d->output, &plan.output, b->model) &&
           quantities_init(&d->keys, b->layout.tokens * d->score_width, true) &&
           quantities_init(&d->queries, b->layout.tokens * d->score_width, true) &&
           quantities_init(&d->values, b->layout.tokens * d->value_width, true);
}

static void head_clear(bound_head *d, const bound *b)
{
    chain_clear(&d->key);
    chain_clear(&d->query);
    chain_clear(&d->value);
    chain_clear(&d->output);
    quantities_clear(&d->keys, b->layout.tokens * d->score_width, true);
    quantities_clear(&d->queries, b->layout.tokens * d->score_width, true);
    quantities_clear(&d->values, b->layout.tokens * d->value_width, true);
}

/* Hardmax: which scores are exact. */

/* Returns the bits of the largest numerator if the denominator is a power of two, else -1. */
static long bits_of(const fmpz *entry, size_t count, const fmpz_t denominator)
{
    slong bits = _fmpz_vec_max_bits(entry, (slong)count);

    if (fmpz_val2(denominator) + 1 != fmpz_bits(denominator))
        return -1;
    return FLINT_ABS(bits);
}

static long token_bits(const bound *b)
{
    FMPZ_VEC(numerator, (slong)b->dim);
    FMPZ(denominator);
    long most = 0, finest = 0;

    for (int pass = 0; pass < 2 && most >= 0; pass++)
        for (size_t t = 0; t < b->layout.tokens && most >= 0; t++) {
            long bits, fine;
            attest_tokens_get(numerator, denominator, &b->request->dataset->tokens,
                              b->layout.token[t]);
            bits = bits_of(numerator, b->dim, denominator);
            fine = (long)fmpz_bits(denominator) - 1;
            if (bits < 0)
                most = -1;
            else if (pass == 0)
                finest = fine > finest ? fine : finest;
            else
                most = bits + finest - fine > most ? bits + finest - fine : most;
        }
    return most;
}

/* Returns the bits by which a sum of this many terms may exceed its largest term. */
static long sum_bits(size_t terms)
{
    return (long)FLINT_BIT_COUNT(terms - 1);
}

/* Returns the bits of the largest numerator that a chain computes from numerators of at most
 * `bits` bits; -1: a denominator is not a power of two. */
static long chain_bits(const attest_chain *map, long bits)
{
    for (size_t f = 0; f < map->count && bits >= 0; f++) {
        const attest_factor *m = &map->factor[f];
        long own = bits_of(m->entry, m->rows * m->cols, m->denominator);
        bits = own < 0 ? -1 : bits + own + sum_bits(m->cols);
    }
    return bits;
}

/* Sets exact_scores of all heads. */
static void set_exact_scores(bound *b)
{
    long tokens = b->model->exact_bits > 0 ? token_bits(b) : -1;

    for (size_t h = 0; tokens >= 0 && h < b->weights->heads; h++) {
        attest_head_plan plan;
        long key, query;
        attest_head_plan_as_written(&plan, &b->weights->head[h]);
        key = chain_bits(&plan.key, tokens);
        query = chain_bits(&plan.query, tokens);
        b->head[h].exact_scores =
            key >= 0 && query >= 0 &&
            key + query + sum_bits(plan.score_width) <= b->model->exact_bits;
    }
}

/* Reads weights and tokens for b->request and b->model; returns false if memory runs out.
 * bound_clear must follow either way. */
static bool bound_init(bound *b)
{
    const attest_weights *weights = b->weights;
    bool ok = attest_audit_layout_init(&b->layout, b->request);

    b->widest = b->dim;
    for (size_t h = 0; h < weights->heads; h++)
        if (weights->head[h].wq.rows > b->widest)
            b->widest = weights->head[h].wq.rows;
    b->head = attest_memory_alloc(weights->heads, sizeof *b->head);
    b->magnitude = attest_memory_alloc(b->widest, sizeof *b->magnitude);
    b->weight = attest_memory_alloc(b->layout.longest, sizeof *b->weight);
    b->spread = attest_memory_alloc(b->layout.longest, sizeof *b->spread);
    b->sum = attest_memory_alloc(b->dim, sizeof *b->sum);
    b->total = attest_memory_alloc(b->dim, sizeof *b->total);
    b->winner = attest_memory_alloc(b->layout.longest, sizeof *b->winner);
    ok = ok && b->head && b->magnitude && b->weight && b->spread && b->sum && b->total &&
         b->winner && quantities_init(&b->entry, b->layout.tokens * b->dim, true) &&
         quantities_init(&b->between, b->widest, false) &&
         quantities_init(&b->score, b->layout.longest, false) &&
         quantities_init(&b->mean, b->widest, false) &&
         quantities_init(&b->mixed, b->widest, false) &&
         quantities_init(&b->result, b->dim, false);
    for (size_t h = 0; ok && h < weights->heads; h++)
        ok = head_init(&b->head[h], &weights->head[h], b);
    if (ok && weights->activation == ATTEST_HARDMAX)
        set_exact_scores(b);
    return ok;
}

static void bound_clear(bound *b)
{
    for (size_t h = 0; b->head && h < b->weights->heads; h++)
        head_clear(&b->head[h], b);
    quantities_clear(&b->entry, b->layout.tokens * b->dim, true);
    quantities_clear(&b->between, b->widest, false);
    quantities_clear(&b->score, b->layout.longest, false);
    quantities_clear(&b->mean, b->widest, false);
    quantities_clear(&b->mixed, b->widest, false);
    quantities_clear(&b->result, b->dim, false);
    free(b->head);
    free(b->magnitude);
    free(b->weight);
    free(b->spread);
    free(b->sum);
    free(b->total);
    free(b->winner);
    attest_audit_layout_clear(&b->layout);
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
    double u = model->u, k = attest_audit_bound_roundings(model, m->cols),
           g = attest_audit_bound_growth(model, k);
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
                      model->tiny * (1 + g * u) * plain +
                      lost * attest_audit_bound_losses(model, m->cols)) *
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
    quantities x = attest_audit_quantities_at(&b->entry, t * b->dim);

    attest_tokens_get(numerator, denominator, &b->request->dataset->tokens, b->layout.token[t]);
    for (size_t c = 0; c < b->dim; c++)
        attest_audit_bound_input(x.value + c, x.slip + c, x.error + c, numerator + c,
                                 denominator, b->model);
    for (size_t h = 0; h < b->weights->heads; h++) {
        bound_head *d = &b->head[h];
        apply_chain(attest_audit_quantities_at(&d->keys, t * d->score_width), &d->key, x, b);
        apply_chain(attest_audit_quantities_at(&d->queries, t * d->score_width), &d->query, x,
                    b);
        apply_chain(attest_audit_quantities_at(&d->values, t * d->value_width), &d->value, x,
                    b);
    }
    return true;
}

/* The mean of the keys that win; proofs-notes/audit.md, "Hardmax". */

/* Returns a bound on |value - computed|. */
static double reach(size_t j, const bound *b)
{
    return (ATTEST_TERM(winners_slip, b->score.slip[j]) +
            ATTEST_TERM(winners_error, b->model->u * b->score.error[j])) *
           OUTWARD;
}

/* Lists in b->winner the keys that may win and returns how many; 0: a score has no bound.
 * Rounding is monotone, so intervals that intersect do so as doubles. */
static size_t list_winners(const uint32_t *token, size_t visible, const bound *b)
{
    double low = -INFINITY;
    size_t count = 0;

    for (size_t j = 0; j < visible; j++) {
        if (!(b->score.error[j] < INFINITY))
            return 0;
        low = fmax(low, b->score.value[j] - reach(j, b));
    }
    for (size_t j = 0; j < visible; j++)
        if (!(b->score.value[j] + reach(j, b) < low))
            b->winner[count++] = b->layout.local[token[j]] - 1u;
    return count;
}

/* Returns the distance in the model's units. It does not shrink with the width, unlike a
 * rounding error. */
static double jump_of(double distance, const attest_audit_model *model)
{
    return model->unit_bits > 1000 ? INFINITY
                                   : ldexp(distance * OUTWARD, (int)model->unit_bits);
}

/* Steps 4 to 6 of hardmax: b->mean = sizes and errors of the mean of the keys that may win,
 * from b->score. */
static void bound_winners(const bound_head *d, const uint32_t *token, size_t visible,
                          const bound *b)
{
    const attest_audit_model *model = b->model;
    size_t count = list_winners(token, visible, b), width = d->value_width, most_count;
    bool one = true;
    double u = model->u, g, factor;

    for (size_t i = 1; i < count; i++)
        one = one && b->winner[i] == b->winner[0];
    most_count = b->weights->ties == ATTEST_TIES_LEFTMOST ? 1 : count;
    g = attest_audit_bound_growth(model, (double)most_count - (model->accumulates ? 0 : 1));
    factor = (1 + u * g) / (1 - u * g) * OUTWARD;
    for (size_t c = 0; c < width; c++) {
        double size = 0, error = 0, low = INFINITY, high = -INFINITY, computed, jump;
        for (size_t i = 0; i < count; i++) {
            size_t at = b->winner[i] * width + c;
            double value = d->values.value[at], slip = d->values.slip[at];
            size = fmax(size, fabs(value) + slip);
            error = isnan(d->values.error[at]) ? INFINITY : fmax(error, d->values.error[at]);
            low = fmin(low, value - slip);
            high = fmax(high, value + slip);
        }
        jump = one || d->exact_scores ? 0 : jump_of(high - low, model);
        computed = (size + u * error) * OUTWARD;
        b->mean.value[c] = 0;
        b->mean.slip[c] = size;
        b->mean.error[c] = (jump + error + g * computed * (1 + factor) +
                            (most_count > 1 ? computed * factor + model->tiny : 0) +
                            (model->accumulates ? 2 * model->tiny : 0)) *
                           OUTWARD;
        if (count == 0 || !(u * g < 0.5) || !(u * model->tiny < 1) || /* the format has no 1 */
            !((double)most_count * fmax(1, computed) * factor <= model->most))
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
    size_t i = item / b->passages, sequence = attest_audit_request_sequence(b->request, i);
    size_t length = attest_dataset_length(dataset, sequence);
    attest_audit_passage passage =
        attest_audit_passage_get(length, item % b->passages, b->passages);
    const uint32_t *token = dataset->token + dataset->start[sequence];

    for (size_t k = passage.begin; k < passage.end; k++) {
        size_t visible = b->weights->mask == ATTEST_MASK_CAUSAL ? k + 1 : length;
        size_t t = b->layout.local[token[k]] - 1u;
        for (size_t c = 0; c < b->dim; c++) {
            size_t from = attest_weights_skip_entry(b->weights, c);
            quantities x = attest_audit_quantities_at(
                &b->entry, t * b->dim + (from == SIZE_MAX ? 0 : from));
            b->sum[c] = from == SIZE_MAX ? 0 : *x.error;
            b->total[c] = from == SIZE_MAX ? 0 : fabs(*x.value) + *x.slip;
        }
        for (size_t h = 0; h < b->weights->heads; h++) {
            bound_head *d = &b->head[h];
            double variation = INFINITY;
            for (size_t j = 0; j < visible; j++)
                attest_audit_bound_score(
                    j,
                    attest_audit_quantities_at(&d->keys, (b->layout.local[token[j]] - 1u) *
                                                             d->score_width),
                    attest_audit_quantities_at(&d->queries, t * d->score_width), d->score_width,
                    b);
            if (b->weights->activation == ATTEST_HARDMAX)
                bound_winners(d, token, visible, b);
            else
                attest_audit_bound_mean(&variation, &d->values, token, visible, d->value_width,
                                        b);
            if (b->variation)
                b->variation[(b->layout.start[i] + k) * b->weights->heads + h] = variation;
            add_head(d, b);
        }
        for (size_t c = 0; c < b->dim; c++) {
            if (isnan(b->sum[c]))
                b->sum[c] = INFINITY;
            if (b->out)
                b->out[(b->layout.start[i] + k) * b->dim + c] = b->sum[c];
        }
        if (b->norm)
            b->norm[b->layout.start[i] + k] = get_norm(b->sum, b->dim);
    }
    return true;
}

static attest_status run(bound *b, attest_error *error)
{
    size_t jobs = b->request->jobs;

    b->weights = b->request->weights;
    b->dim = b->request->dataset->dim;
    b->passages = attest_audit_passages(b->request->sequences, 4 * jobs);
    if (!bound_init(b))
        return attest_memory_fail(error);
    ATTEST_TRY(attest_workers_run(prepare_token, b, b->layout.tokens,
                                  b->layout.tokens * b->dim > 20000 ? jobs : 1, error));
    return attest_workers_run(bound_passage, b, b->request->sequences * b->passages,
                              b->request->sequences * b->layout.longest > 500 ? jobs : 1,
                              error);
}

attest_status attest_audit_bound(double *norm, double *entry,
                                 const attest_audit_request *request,
                                 const attest_audit_model *model, attest_error *error)
{
    bound b ATTEST_CLEARED_BY(bound_clear) = {
        .request = request, .model = model, .norm = norm, .out = entry};

    return run(&b, error);
}

attest_status attest_audit_bound_weights(double *variation, const attest_audit_request *request,
                                         const attest_audit_model *model, attest_error *error)
{
    bound b ATTEST_CLEARED_BY(bound_clear) = {
        .request = request, .model = model, .variation = variation};

    return run(&b, error);
}
