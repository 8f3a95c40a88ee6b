/* head_bound.c -- what the rows of a head share, and their scores. */
#include "judge/head_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"

attest_status attest_judge_head_bound_init(attest_judge_head_bound *bound,
                                           const attest_judge_question *question,
                                           const attest_judge_rule *rule, size_t rules,
                                           attest_error *error)
{
    attest_status status;

    memset(bound, 0, sizeof *bound);
    bound->rule = rule;
    bound->rules = rules;
    ATTEST_TRY(attest_judge_head_init(&bound->head, question, error));
    status = attest_judge_work_init(&bound->work, question->keys, question->value_dim, error);
    if (status != ATTEST_OK) {
        attest_judge_head_clear(&bound->head);
        return status;
    }
    bound->turned = attest_memory_alloc(question->keys, question->dim * sizeof(double));
    bound->key_size = attest_memory_alloc(question->keys, sizeof(double));
    bound->row = attest_memory_alloc(question->value_dim, 4 * sizeof(double));
    bound->raised = attest_memory_alloc(rules, sizeof *bound->raised);
    if (bound->turned && bound->key_size && bound->row && bound->raised)
        return ATTEST_OK;
    attest_judge_head_bound_clear(bound);
    return attest_memory_fail(error);
}

void attest_judge_head_bound_clear(attest_judge_head_bound *bound)
{
    attest_judge_head_clear(&bound->head);
    attest_judge_work_clear(&bound->work);
    free(bound->turned);
    free(bound->key_size);
    free(bound->row);
    free(bound->raised);
}

/* The largest |x|, and whether one that is not 0 is below least. */
static double largest(bool *below, const double *x, size_t count, double least)
{
    double most = 0;

    for (size_t i = 0; i < count; i++) {
        double size = fabs(x[i]);

        most = size > most ? size : most;
        if (size < least && size > 0)
            *below = true;
    }
    return most;
}

/* The least normal number of an input format. */
static double least_normal(const attest_format *format)
{
    return format->bounded ? ldexp(1, (int)format->emin) : 0;
}

/* What subnormal inputs count as when a matrix unit aligns their products. */
static attest_judge_raised find_raised(attest_judge_head_bound *x,
                                       const attest_judge_variant *variant)
{
    const attest_judge_question *question = x->head.question;
    double q_least = least_normal(&variant->q), k_least = least_normal(&variant->k);
    double v_least = least_normal(&variant->v), q_most, k_most;
    bool q_below = false, k_below = false, v_below = false;
    attest_judge_raised raised = {0};

    q_most = largest(&q_below, x->head.q, question->queries * question->dim, q_least);
    k_most = largest(&k_below, x->head.k, question->keys * question->dim, k_least);
    x->work.value_most =
        largest(&v_below, x->head.v, question->keys * question->value_dim, v_least);
    raised.value = v_below ? v_least : 0;
    if (q_below)
        raised.product = q_least * fmax(k_most, k_least);
    if (k_below)
        raised.product = fmax(raised.product, k_least * fmax(q_most, q_least));
    return raised;
}

attest_status attest_judge_head_bound_load(attest_judge_head_bound *bound, size_t batch,
                                           size_t head, attest_error *error)
{
    attest_judge_head_bound *x = bound;
    size_t keys = x->head.question->keys, dim = x->head.question->dim;

    if (x->loaded && x->head.batch == batch && x->head.head == head)
        return ATTEST_OK;
    ATTEST_TRY(attest_judge_head_load(&x->head, batch, head, error));
    x->loaded = true;
    for (size_t r = 0; r < x->rules; r++)
        x->raised[r] = find_raised(x, x->rule[r].variant);
    for (size_t j = 0; j < keys; j++) {
        x->key_size[j] = 0;
        for (size_t c = 0; c < dim; c++) {
            x->turned[c * keys + j] = x->head.k[j * dim + c];
            x->key_size[j] += fabs(x->head.k[j * dim + c]);
        }
        x->key_size[j] *= 1 + ((double)dim + 4) * 0x1p-52;
    }
    return ATTEST_OK;
}

/* s and size of the keys that a row may see. */
static void multiply(attest_judge_head_bound *x, const attest_judge_row *row, size_t i)
{
    size_t dim = x->head.question->dim, keys = x->head.question->keys;
    size_t count = row->last - row->first;
    const double *q = x->head.q + i * dim;
    double *s = x->work.s, *size = x->work.size;

    for (size_t j = 0; j < count; j++)
        s[j] = size[j] = 0;
    for (size_t c = 0; c < dim; c++) {
        const double *k = x->turned + c * keys + row->first;
        double factor = q[c];

        for (size_t j = 0; j < count; j++) {
            double product = factor * k[j];

            s[j] += product;
            size[j] += fabs(product);
        }
    }
}

/* A row without keys. */
static void set_empty(double *lo, double *hi, double *exact, double *error, size_t columns,
                      double value)
{
    for (size_t c = 0; c < columns; c++) {
        lo[c] = hi[c] = exact[c] = value;
        error[c] = 0;
    }
}

/* One variant: its rule's row. */
static void bound_variant(double *lo, double *hi, double *exact, double *error,
                          attest_judge_head_bound *x, size_t r)
{
    const attest_judge_rule *rule = &x->rule[r];

    x->work.raised = x->raised[r].product;
    x->work.value_least = x->raised[r].value;
    attest_judge_row_scores(&x->work, rule);
    attest_judge_row_weights(&x->work, rule);
    attest_judge_row_quotient(lo, hi, exact, error, &x->work, rule);
}

attest_judge_reason attest_judge_head_bound_row(double *lo, double *hi, double *exact,
                                                double *error, attest_judge_head_bound *bound,
                                                size_t i)
{
    attest_judge_head_bound *x = bound;
    const attest_judge_question *question = x->head.question;
    size_t columns = question->value_dim, seen = 0;
    double *const row[4] = {x->row, x->row + columns, x->row + 2 * columns,
                            x->row + 3 * columns};
    attest_judge_row keys;
    attest_judge_reason reason;

    attest_judge_head_get_row(&keys, &x->head, i);
    for (size_t j = 0; j < keys.last - keys.first; j++)
        seen += !keys.bias || keys.bias[j] > (double)-INFINITY;
    if (seen == 0) {
        set_empty(lo, hi, exact, error, columns, question->qkv.empty_is_nan ? (double)NAN : 0);
        return ATTEST_JUDGE_BOUNDED;
    }
    x->work.first = keys.first;
    x->work.count = keys.last - keys.first;
    x->work.dim = question->dim;
    x->work.bias = keys.bias;
    x->work.v = x->head.v + keys.first * columns;
    x->work.key_size = x->key_size + keys.first;
    x->work.sink = x->head.sink;
    x->work.sink_logit = x->head.sink_logit;
    multiply(x, &keys, i);
    bound_variant(lo, hi, exact, error, x, 0);
    reason = x->work.unbounded;
    for (size_t r = 1; r < x->rules; r++) {
        bound_variant(row[0], row[1], row[2], row[3], x, r);
        reason = reason ? reason : x->work.unbounded;
        for (size_t c = 0; c < columns; c++) {
            lo[c] = row[0][c] < lo[c] ? row[0][c] : lo[c];
            hi[c] = row[1][c] > hi[c] ? row[1][c] : hi[c];
        }
    }
    return reason;
}
