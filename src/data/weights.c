/* weights.c -- the weights of one attention layer: memory, names and shapes. */
#include <attest/weights.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "data/weights.h"

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

static void form_init(attest_score_form *form)
{
    fmpq_init(form->eps);
    fmpq_init(form->rotary.theta);
    fmpq_init(form->rotary.factor);
    fmpq_init(form->rotary.long_wave);
    fmpq_init(form->rotary.short_wave);
    fmpq_init(form->softcap);
}

static void form_clear(attest_score_form *form)
{
    fmpq_clear(form->eps);
    fmpq_clear(form->rotary.theta);
    fmpq_clear(form->rotary.factor);
    fmpq_clear(form->rotary.long_wave);
    fmpq_clear(form->rotary.short_wave);
    fmpq_clear(form->softcap);
}

static void form_set(attest_score_form *copy, const attest_score_form *form)
{
    fmpq_set(copy->eps, form->eps);
    copy->over_heads = form->over_heads;
    copy->rotary.dims = form->rotary.dims;
    fmpq_set(copy->rotary.theta, form->rotary.theta);
    fmpq_set(copy->rotary.factor, form->rotary.factor);
    fmpq_set(copy->rotary.long_wave, form->rotary.long_wave);
    fmpq_set(copy->rotary.short_wave, form->rotary.short_wave);
    fmpq_set(copy->softcap, form->softcap);
}

bool attest_weights_have_form(const attest_weights *weights)
{
    bool any = weights->form.rotary.dims > 0 || !fmpq_is_zero(weights->form.softcap);

    for (size_t h = 0; h < weights->heads && !any; h++)
        any = weights->head[h].gain[0].rows > 0 || weights->head[h].gain[1].rows > 0 ||
              !fmpq_is_zero(weights->head[h].slope);
    return any;
}

void attest_weights_init(attest_weights *weights)
{
    memset(weights, 0, sizeof *weights);
    fmpq_init(weights->norm_eps);
    fmpq_init(weights->output_error);
    form_init(&weights->form);
    weights->skip = true;
}

static void clear_heads(attest_weights *weights)
{
    for (size_t h = 0; h < weights->heads; h++) {
        attest_matrix_clear(&weights->head[h].wq);
        attest_matrix_clear(&weights->head[h].wk);
        attest_matrix_clear(&weights->head[h].wv);
        attest_matrix_clear(&weights->head[h].wo);
        attest_matrix_clear(&weights->head[h].gain[0]);
        attest_matrix_clear(&weights->head[h].gain[1]);
        fmpq_clear(weights->head[h].slope);
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
    fmpq_clear(weights->output_error);
    form_clear(&weights->form);
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
        attest_matrix_init(&head[h].gain[0]);
        attest_matrix_init(&head[h].gain[1]);
        fmpq_init(head[h].slope);
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
        attest_matrix_set(&copy->head[h].gain[0], &weights->head[h].gain[0]);
        attest_matrix_set(&copy->head[h].gain[1], &weights->head[h].gain[1]);
        fmpq_set(copy->head[h].slope, weights->head[h].slope);
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
    fmpq_set(copy->output_error, weights->output_error);
    form_set(&copy->form, &weights->form);
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

/* Checks the form: norms and rotations apply to the first entries of queries and keys. */
static attest_status check_form(const attest_weights *weights, size_t h, attest_error *error)
{
    const attest_head *head = weights->head + h;
    size_t s = head->wq.rows;

    for (int i = 0; i < 2; i++)
        if (head->gain[i].rows > s)
            return attest_error_set(error, ATTEST_FORMAT,
                                    "heads[%zu].g%c has %zu numbers, but the head has size %zu",
                                    h, "QK"[i], head -> gain[i].rows, s);
    if (weights->form.rotary.dims > s)
        return attest_error_set(error, ATTEST_FORMAT,
                                "rotary.dims is %zu, but heads[%zu] has size %zu",
                                weights->form.rotary.dims, h, s);
    return ATTEST_OK;
}

static attest_status check_head(const attest_weights *weights, size_t h, attest_error *error)
{
    const attest_head *head = weights->head + h;
    size_t s = head->wq.rows, d = weights->head[0].wq.cols;

    ATTEST_TRY(check_shape(&head->wq, h, "WQ", s, d, "d is that of heads[0]", error));
    ATTEST_TRY(check_shape(&head->wk, h, "WK", s, d, "the shape of WQ, s x d", error));
    ATTEST_TRY(check_shape(&head->wv, h, "WV", s, d, "the shape of WQ, s x d", error));
    ATTEST_TRY(check_shape(&head->wo, h, "WO", d, s, "d x s, where WQ is s x d", error));
    return check_form(weights, h, error);
}

/* Returns whether the rows of W_O from `row` on, which are beyond the output, are zero. */
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
        return attest_error_set(error, ATTEST_FORMAT,
                                "skip_from is %zu, and output_dim %zu: tokens have only "
                                "%zu entries",
                                weights->skip_from, attest_weights_output_dim(weights),
                                weights->dim);
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
    if (weights->heads == 0)
        return attest_error_set(error, ATTEST_FORMAT, "heads: there are no heads");
    for (size_t h = 0; h < weights->heads; h++)
        ATTEST_TRY(check_head(weights, h, error));
    if (weights->dim != weights->head[0].wq.cols)
        return attest_error_set(error, ATTEST_FORMAT, "dim is %zu, but heads[0].WQ is %zux%zu",
                                weights->dim, weights->head[0].wq.rows,
                                weights->head[0].wq.cols);
    return check_output(weights, error);
}
