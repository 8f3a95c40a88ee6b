/* transform.c -- datasets and weights made from others. */
#include "props/transform.h"

#include "campaign/gen.h"
#include "number/scope.h"

static attest_status add_token(attest_dataset_builder *builder, const attest_dataset *from,
                               size_t token)
{
    FMPQ_VEC(x, (slong)from->dim);

    attest_tokens_get_entries(x, &from->tokens, token);
    return attest_dataset_builder_add_token(builder, x, NULL);
}

static attest_status add_sequence(attest_dataset_builder *builder, const attest_dataset *from,
                                  size_t i, attest_rearrangement how)
{
    size_t length = attest_dataset_length(from, i);
    size_t count = how == ATTEST_REPEAT_TOKENS ? 2 * length : length;

    for (size_t k = 0; k < count; k++) {
        size_t source = how == ATTEST_REVERSE_TOKENS ? length - 1 - k : k % length;
        ATTEST_TRY(add_token(builder, from, attest_dataset_token(from, i, source)));
    }
    return attest_dataset_builder_end_sequence(builder, NULL);
}

attest_status attest_transform_rearrange(attest_dataset *to, const attest_dataset *from,
                                         attest_rearrangement how)
{
    size_t count = from->count + (how == ATTEST_REPEAT_SEQUENCE);
    ATTEST_SCOPED(attest_dataset_builder, builder, from->dim, ATTEST_TABLE_RATIONAL, NULL);

    attest_dataset_clear(to);
    attest_dataset_init(to);
    for (size_t i = 0; i < count; i++) {
        size_t source = how == ATTEST_REVERSE_SEQUENCES ? count - 1 - i : i % from->count;
        ATTEST_TRY(add_sequence(&builder, from, source, how));
    }
    return attest_dataset_builder_finish(to, &builder, NULL);
}

attest_status attest_transform_dataset(attest_dataset *to, const attest_dataset *from,
                                       const attest_token_change *change)
{
    size_t dim = from->dim + change->homogeneous;
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    FMPQ_VEC(x, (slong)dim);

    attest_dataset_clear(to);
    attest_dataset_init(to);
    for (size_t i = 0; i < from->count; i++) {
        for (size_t k = 0; k < attest_dataset_length(from, i); k++) {
            for (size_t c = 0; c < from->dim; c++) {
                fmpq *entry = x + (change->mirror ? from->dim - 1 - c : c);
                attest_tokens_get_entry(entry, &from->tokens, attest_dataset_token(from, i, k),
                                        c);
                if (change->factor)
                    fmpq_mul(entry, entry, change->factor);
            }
            if (change->homogeneous)
                fmpq_one(x + from->dim);
            ATTEST_TRY(attest_dataset_builder_add_token(&builder, x, NULL));
        }
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    }
    return attest_dataset_builder_finish(to, &builder, NULL);
}

attest_status attest_transform_copy_weights(attest_weights *to, const attest_weights *from)
{
    ATTEST_TRY(attest_weights_resize(to, from->heads));
    to->activation = from->activation;
    to->ties = from->ties;
    to->mask = from->mask;
    to->skip = from->skip;
    to->dim = from->dim;
    for (size_t h = 0; h < from->heads; h++) {
        attest_matrix_set(&to->head[h].wq, &from->head[h].wq);
        attest_matrix_set(&to->head[h].wk, &from->head[h].wk);
        attest_matrix_set(&to->head[h].wv, &from->head[h].wv);
        attest_matrix_set(&to->head[h].wo, &from->head[h].wo);
    }
    return ATTEST_OK;
}

/* Replaces the matrix by the dense one with the entries factor * entry, in reverse order of
 * rows or columns if flip_rows or flip_cols. */
static void rewrite(attest_matrix *matrix, const fmpq *factor, bool flip_rows, bool flip_cols)
{
    size_t rows = matrix->rows, cols = matrix->cols;
    FMPQ_VEC(entry, (slong)(rows * cols));

    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            fmpq *to = entry + r * cols + c;
            attest_matrix_get_entry(to, matrix, flip_rows ? rows - 1 - r : r,
                                    flip_cols ? cols - 1 - c : c);
            if (factor)
                fmpq_mul(to, to, factor);
        }
    attest_gen_set_matrix(matrix, entry, rows, cols);
}

void attest_transform_multiply(attest_matrix *matrix, const fmpq_t factor)
{
    rewrite(matrix, factor, false, false);
}

void attest_transform_mirror_weights(attest_weights *weights)
{
    for (size_t h = 0; h < weights->heads; h++) {
        attest_head *head = weights->head + h;
        rewrite(&head->wq, NULL, false, true);
        rewrite(&head->wk, NULL, false, true);
        rewrite(&head->wv, NULL, false, true);
        rewrite(&head->wo, NULL, true, false);
    }
}

/* Appends a column or a row with this value. */
static void extend(attest_matrix *matrix, size_t rows, size_t cols, const fmpq_t value)
{
    size_t to_rows = matrix->rows + rows, to_cols = matrix->cols + cols;
    FMPQ_VEC(entry, (slong)(to_rows * to_cols));

    for (size_t r = 0; r < to_rows; r++)
        for (size_t c = 0; c < to_cols; c++)
            if (r < matrix->rows && c < matrix->cols)
                attest_matrix_get_entry(entry + r * to_cols + c, matrix, r, c);
            else
                fmpq_set(entry + r * to_cols + c, value);
    attest_gen_set_matrix(matrix, entry, to_rows, to_cols);
}

void attest_transform_shift_weights(attest_weights *weights, const fmpq_t shift)
{
    FMPQ(zero);

    weights->dim++;
    for (size_t h = 0; h < weights->heads; h++) {
        attest_head *head = weights->head + h;
        extend(&head->wq, 0, 1, zero);
        extend(&head->wk, 0, 1, shift);
        extend(&head->wv, 0, 1, zero);
        extend(&head->wo, 1, 0, zero);
    }
}
