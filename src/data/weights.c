/* weights.c -- the weights of one attention layer: memory, names and shapes. */
#include <attest/weights.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/weights_names.h"

const char *const attest_activation_names[ATTEST_ACTIVATIONS] = {"softmax", "hardmax"};
const char *const attest_ties_names[ATTEST_TIES] = {"uniform", "leftmost"};
const char *const attest_mask_names[ATTEST_MASKS] = {"none", "causal"};

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
    if (copy == weights)
        return ATTEST_OK;
    if (attest_weights_resize(copy, weights->heads) != ATTEST_OK)
        return ATTEST_NOMEM;
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
    return status;
}
