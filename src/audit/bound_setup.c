/* bound_setup.c -- weights and tokens for the a priori bound. */
#include "audit/bound_setup.h"

#include <stdlib.h>

#include "base/workers.h"
#include "base/memory.h"
#include "base/term.h"
#include "number/double.h"

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
           quantities_init(&d->keys, b->tokens * d->score_width, true) &&
           quantities_init(&d->queries, b->tokens * d->score_width, true) &&
           quantities_init(&d->values, b->tokens * d->value_width, true);
}

static void head_clear(bound_head *d, const bound *b)
{
    chain_clear(&d->key);
    chain_clear(&d->query);
    chain_clear(&d->value);
    chain_clear(&d->output);
    quantities_clear(&d->keys, b->tokens * d->score_width, true);
    quantities_clear(&d->queries, b->tokens * d->score_width, true);
    quantities_clear(&d->values, b->tokens * d->value_width, true);
}

/* Lists the tokens in use, and where each sequence begins. */
static bool list_tokens(bound *b)
{
    const attest_dataset *dataset = b->request->dataset;
    size_t positions = 0;

    b->local = attest_memory_alloc(dataset->tokens.count, sizeof *b->local);
    b->token = attest_memory_alloc(dataset->tokens.count, sizeof *b->token);
    b->start = attest_memory_alloc(b->request->sequences, sizeof *b->start);
    if (!b->local || !b->token || !b->start)
        return false;
    for (size_t i = 0; i < b->request->sequences; i++) {
        size_t sequence = b->request->sequence ? b->request->sequence[i] : i;
        size_t length = attest_dataset_length(dataset, sequence);
        b->start[i] = positions;
        positions += length;
        b->longest = length > b->longest ? length : b->longest;
        for (size_t k = 0; k < length; k++) {
            uint32_t t = attest_dataset_token(dataset, sequence, k);
            if (b->local[t] == 0) {
                b->token[b->tokens++] = t;
                b->local[t] = (uint32_t)b->tokens; /* 1 + its place */
            }
        }
    }
    return true;
}

bool attest_audit_bound_init(bound *b)
{
    const attest_weights *weights = b->weights;
    bool ok = list_tokens(b);

    b->widest = b->dim;
    for (size_t h = 0; h < weights->heads; h++)
        if (weights->head[h].wq.rows > b->widest)
            b->widest = weights->head[h].wq.rows;
    b->head = attest_memory_alloc(weights->heads, sizeof *b->head);
    b->magnitude = attest_memory_alloc(b->widest, sizeof *b->magnitude);
    b->weight = attest_memory_alloc(b->longest, sizeof *b->weight);
    b->spread = attest_memory_alloc(b->longest, sizeof *b->spread);
    b->sum = attest_memory_alloc(b->dim, sizeof *b->sum);
    b->total = attest_memory_alloc(b->dim, sizeof *b->total);
    b->winner = attest_memory_alloc(b->longest, sizeof *b->winner);
    ok = ok && b->head && b->magnitude && b->weight && b->spread && b->sum && b->total &&
         b->winner && quantities_init(&b->entry, b->tokens * b->dim, true) &&
         quantities_init(&b->between, b->widest, false) &&
         quantities_init(&b->score, b->longest, false) &&
         quantities_init(&b->mean, b->widest, false) &&
         quantities_init(&b->mixed, b->widest, false) &&
         quantities_init(&b->result, b->dim, false);
    for (size_t h = 0; ok && h < weights->heads; h++)
        ok = head_init(&b->head[h], &weights->head[h], b);
    if (ok && weights->activation == ATTEST_HARDMAX)
        attest_audit_bound_exact_scores(b);
    return ok;
}

void attest_audit_bound_clear(bound *b)
{
    for (size_t h = 0; b->head && h < b->weights->heads; h++)
        head_clear(&b->head[h], b);
    quantities_clear(&b->entry, b->tokens * b->dim, true);
    quantities_clear(&b->between, b->widest, false);
    quantities_clear(&b->score, b->longest, false);
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
    free(b->local);
    free(b->token);
    free(b->start);
}

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
