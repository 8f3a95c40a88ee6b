/* weights.c -- the weights of one attention layer: memory, names and shapes. */
#include <attest/weights.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/weights_names.h"

const char *const attest_activation_names[ATTEST_ACTIVATIONS] = {"softmax", "hardmax"};
const char *const attest_ties_names[ATTEST_TIES] = {"uniform", "leftmost"};
const char *const attest_mask_names[ATTEST_MASKS] = {"none", "causal"};

const char *const attest_norm_names[ATTEST_NORMS] = {"none", "layer", "rms"};

const char *attest_activation_name(attest_activation activation)
{
    return attest_activation_names[activation];
}

const char *attest_ties_name(attest_ties ties)
{
    return attest_ties_names[ties];
}

const char *attest_mask_name(attest_mask mask)
{
    return attest_mask_names[mask];
}

void attest_weights_init(attest_weights *weights)
{
    memset(weights, 0, sizeof *weights);
    fmpq_init(weights->norm_eps);
    fmpq_init(weights->slack);
    weights->skip = true;
}

static void clear_heads(attest_weights *weights)
{
    for (size_t h = 0; h < weights->heads; h++) {
        attest_matrix_clear(&weights->head[h].wq);
        attest_matrix_clear(&weights->head[h].wk);
        attest_matrix_clear(&weights->head[h].wv);
        attest_matrix_clear(&weights->head[h].wo);
    }
    free(weights->head);
    weights->head = NULL;
    weights->heads = 0;
}

void attest_weights_clear(attest_weights *weights)
{
    clear_heads(weights);
    free(weights->residual);
    fmpq_clear(weights->norm_eps);
    fmpq_clear(weights->slack);
    attest_weights_init(weights);
}

attest_status attest_weights_resize(attest_weights *weights, size_t heads)
{
    attest_head *head = attest_memory_alloc(heads, sizeof *head);

    if (!head)
        return ATTEST_NOMEM;
    clear_heads(weights);
    for (size_t h = 0; h < heads; h++) {
        attest_matrix_init(&head[h].wq);
        attest_matrix_init(&head[h].wk);
        attest_matrix_init(&head[h].wv);
        attest_matrix_init(&head[h].wo);
    }
    weights->head = head;
    weights->heads = heads;
    return ATTEST_OK;
}

attest_status attest_weights_set(attest_weights *copy, const attest_weights *weights)
{
    char *residual = NULL;

    if (copy == weights)
        return ATTEST_OK;
    if (weights->residual && !(residual = attest_memory_copy(weights->residual)))
        return ATTEST_NOMEM;
    if (attest_weights_resize(copy, weights->heads) != ATTEST_OK) {
        free(residual);
        return ATTEST_NOMEM;
    }
    free(copy->residual);
    copy->residual = residual;
    for (size_t h = 0; h < weights->heads; h++) {
        attest_matrix_set(&copy->head[h].wq, &weights->head[h].wq);
        attest_matrix_set(&copy->head[h].wk, &weights->head[h].wk);
        attest_matrix_set(&copy->head[h].wv, &weights->head[h].wv);
        attest_matrix_set(&copy->head[h].wo, &weights->head[h].wo);
    }
    copy->activation = weights->activation;
    copy->ties = weights->ties;
    copy->mask = weights->mask;
    copy->skip = weights->skip;
    copy->skip_from = weights->skip_from;
    copy->output_dim = weights->output_dim;
    copy->homogeneous = weights->homogeneous;
    copy->norm = weights->norm;
    fmpq_set(copy->norm_eps, weights->norm_eps);
    fmpq_set(copy->slack, weights->slack);
    copy->dim = weights->dim;
    return ATTEST_OK;
}

static attest_status check_shape(const attest_matrix *matrix, size_t h, const char *name,
                                 size_t rows, size_t cols, const char *why, attest_error *error)
{
    if (matrix->rows == rows && matrix->cols == cols)
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_FORMAT,
                            "heads[%zu].%s is %zux%zu, but %zux%zu is expected (%s)", h, name,
                            matrix->rows, matrix->cols, rows, cols, why);
}

static attest_status check_head(const attest_weights *weights, size_t h, attest_error *error)
{
    const attest_head *head = weights->head + h;
    size_t s = head->wq.rows, d = weights->head[0].wq.cols;
    attest_status status =
        check_shape(&head->wq, h, "WQ", s, d, "d is that of heads[0]", error);

    if (status == ATTEST_OK)
        status = check_shape(&head->wk, h, "WK", s, d, "the shape of WQ, s x d", error);
    if (status == ATTEST_OK)
        status = check_shape(&head->wv, h, "WV", s, d, "the shape of WQ, s x d", error);
    if (status == ATTEST_OK)
        status = check_shape(&head->wo, h, "WO", d, s, "d x s, where WQ is s x d", error);
    return status;
}

/* The rows of W_O from the first one on that outputs do not have. */
static bool has_zeros_below(const attest_matrix *wo, size_t row)
{
    if (wo->factored)
        return _fmpz_vec_is_zero(wo->u + row, (slong)(wo->rows - row)) ||
               _fmpz_vec_is_zero(wo->v, (slong)wo->cols);
    return _fmpz_vec_is_zero(wo->entry + row * wo->cols, (slong)((wo->rows - row) * wo->cols));
}

static attest_status check_output(const attest_weights *weights, attest_error *error)
{
    size_t first = weights->dim - weights->homogeneous;

    if (weights->output_dim > weights->dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "output_dim is %zu, but there are only %zu "
                                "entries",
                                weights->output_dim, weights->dim);
    if (weights->skip_from > weights->dim - attest_weights_output_dim(weights))
        return attest_error_set(
            error, ATTEST_FORMAT,
            "skip_from is %zu, and output_dim %zu: tokens of %zu entries do "
            "not have so many",
            weights->skip_from, attest_weights_output_dim(weights), weights->dim);
    if (weights->output_dim && weights->output_dim < first)
        first = weights->output_dim;
    for (size_t h = 0; h < weights->heads; h++)
        if (!has_zeros_below(&weights->head[h].wo, first))
            return attest_error_set(
                error, ATTEST_FORMAT,
                "heads[%zu].WO has an entry in row %zu or below that is not "
                "0, but outputs end there",
                h, first);
    return ATTEST_OK;
}

attest_status attest_weights_check_shapes(const attest_weights *weights, attest_error *error)
{
    attest_status status = ATTEST_OK;

    if (weights->heads == 0)
        return attest_error_set(error, ATTEST_FORMAT, "heads: there are no heads");
    for (size_t h = 0; h < weights->heads && status == ATTEST_OK; h++)
        status = check_head(weights, h, error);
    if (status == ATTEST_OK && weights->dim != weights->head[0].wq.cols)
        status =
            attest_error_set(error, ATTEST_FORMAT, "dim is %zu, but heads[0].WQ is %zux%zu",
                             weights->dim, weights->head[0].wq.rows, weights->head[0].wq.cols);
    return status == ATTEST_OK ? check_output(weights, error) : status;
}
