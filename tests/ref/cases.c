/* cases.c -- random layers and sequences for tests. */
#include "tests/ref/cases.h"

#include <stdlib.h>

#include "tests/tap.h"

void ref_random_integer(fmpz_t x, unsigned bits, uint64_t *state)
{
    unsigned size = bits, used = 0;

    if (tap_random(state) % 4 == 0)
        size = 1 + (unsigned)(tap_random(state) % bits);
    fmpz_zero(x);
    for (; used < size; used += 32) {
        fmpz_mul_2exp(x, x, 32);
        fmpz_add_ui(x, x, (ulong)(tap_random(state) >> 32));
    }
    fmpz_fdiv_r_2exp(x, x, size);
    if (tap_random(state) & 1)
        fmpz_neg(x, x);
}

static void fill(fmpz *entry, size_t count, unsigned bits, uint64_t *state)
{
    for (size_t i = 0; i < count; i++)
        ref_random_integer(entry + i, bits, state);
}

static void random_denominator(fmpz_t denominator, const ref_shape *shape, uint64_t *state)
{
    fmpz_set_ui(denominator, 1 + tap_random(state) % shape->denominator);
}

static void random_matrix(attest_matrix *matrix, size_t rows, size_t cols,
                          const ref_shape *shape, uint64_t *state)
{
    attest_matrix_init(matrix);
    if (shape->factored && tap_random(state) & 1) {
        attest_matrix_resize_factored(matrix, rows, cols);
        fill(matrix->u, rows, shape->bits, state);
        fill(matrix->v, cols, shape->bits, state);
        random_denominator(matrix->u_denominator, shape, state);
        random_denominator(matrix->v_denominator, shape, state);
        fmpz_mul(matrix->denominator, matrix->u_denominator, matrix->v_denominator);
    } else {
        attest_matrix_resize(matrix, rows, cols);
        if (tap_random(state) % 16)
            fill(matrix->entry, rows * cols, shape->bits, state);
        random_denominator(matrix->denominator, shape, state);
    }
}

void ref_case_init(ref_case *test, const ref_shape *shape, uint64_t *state)
{
    size_t d = shape->dim, s = shape->size;
    attest_sequence *z = &test->sequence;

    test->weights = (attest_weights){.dim = d, .heads = shape->heads, .skip = true};
    test->weights.head = calloc(shape->heads, sizeof *test->weights.head);
    if (!test->weights.head)
        abort();
    for (size_t h = 0; h < shape->heads; h++) {
        attest_head *head = &test->weights.head[h];
        random_matrix(&head->wq, s, d, shape, state);
        random_matrix(&head->wk, s, d, shape, state);
        random_matrix(&head->wv, s, d, shape, state);
        random_matrix(&head->wo, d, s, shape, state);
    }
    attest_sequence_init(z);
    attest_sequence_resize(z, shape->length, d);
    fill(z->entry, shape->length * d, shape->bits, state);
    for (size_t k = 1; k < shape->length; k++)
        if (tap_random(state) % 8 == 0) /* repeat an earlier token: ties */
            _fmpz_vec_set(z->entry + k * d, z->entry + tap_random(state) % k * d, (slong)d);
    random_denominator(z->denominator, shape, state);
}

void ref_case_clear(ref_case *test)
{
    for (size_t h = 0; h < test->weights.heads; h++) {
        attest_head *head = &test->weights.head[h];
        attest_matrix_clear(&head->wq);
        attest_matrix_clear(&head->wk);
        attest_matrix_clear(&head->wv);
        attest_matrix_clear(&head->wo);
    }
    free(test->weights.head);
    attest_sequence_clear(&test->sequence);
}
