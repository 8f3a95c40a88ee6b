/* Heads of rank 1: scores and outputs of the form found are those of the matrices, at all pairs
 * of unit vectors; what has not the form is told. */
#include <string.h>

#include "tests/tap.h"
#include "theory/rank_one.h"

enum { DIM = 4, SIZE = 3, ROUNDS = 200 };

static slong small(uint64_t *state)
{
    return (slong)(tap_random(state) % 9) - 4;
}

/* Whole numbers, not all 0, the first ones 0 now and then. */
static void gen_vector(fmpz *x, size_t count, uint64_t *state)
{
    size_t zeros = tap_random(state) % count;

    do
        for (size_t i = 0; i < count; i++)
            fmpz_set_si(x + i, i < zeros ? 0 : small(state));
    while (_fmpz_vec_is_zero(x, (slong)count));
}

static void gen_matrix(attest_matrix *matrix, size_t rows, size_t cols, uint64_t *state)
{
    attest_matrix_resize(matrix, rows, cols);
    gen_vector(matrix->entry, rows * cols, state);
    fmpz_set_ui(matrix->denominator, 1 + tap_random(state) % 5);
}

/* matrix = u (factor v)^T over a random denominator, in either form. */
static void set_product(attest_matrix *matrix, const fmpz *u, const fmpz *v, slong factor,
                        uint64_t *state)
{
    if (tap_random(state) % 2) {
        attest_matrix_resize_factored(matrix, SIZE, DIM);
        _fmpz_vec_set(matrix->u, u, SIZE);
        _fmpz_vec_scalar_mul_si(matrix->v, v, DIM, factor);
        fmpz_set_ui(matrix->v_denominator, 1 + tap_random(state) % 5);
        fmpz_set(matrix->denominator, matrix->v_denominator);
        return;
    }
    attest_matrix_resize(matrix, SIZE, DIM);
    for (size_t r = 0; r < SIZE; r++)
        for (size_t c = 0; c < DIM; c++) {
            fmpz_mul(matrix->entry + r * DIM + c, u + r, v + c);
            fmpz_mul_si(matrix->entry + r * DIM + c, matrix->entry + r * DIM + c, factor);
        }
    fmpz_set_ui(matrix->denominator, 1 + tap_random(state) % 5);
}

/* W_K and W_V along the same v; parallel: and W_Q, too. */
static void gen_head(attest_head *head, bool parallel, uint64_t *state)
{
    fmpz *u = _fmpz_vec_init(SIZE), *v = _fmpz_vec_init(DIM);

    gen_vector(v, DIM, state);
    gen_vector(u, SIZE, state);
    set_product(&head->wk, u, v, 1 + (slong)(tap_random(state) % 3), state);
    gen_vector(u, SIZE, state);
    set_product(&head->wv, u, v, -1 - (slong)(tap_random(state) % 3), state);
    gen_vector(u, SIZE, state);
    if (parallel)
        set_product(&head->wq, u, v, 3, state);
    else
        gen_matrix(&head->wq, SIZE, DIM, state);
    gen_matrix(&head->wo, DIM, SIZE, state);
    _fmpz_vec_clear(u, SIZE);
    _fmpz_vec_clear(v, DIM);
}

static void weights_init(attest_weights *weights, bool parallel, uint64_t *state)
{
    attest_weights_init(weights);
    if (attest_weights_resize(weights, 1) != ATTEST_OK)
        abort();
    gen_head(weights->head, parallel, state);
}

/* x = entry (r, c). */
static void get(fmpq_t x, const attest_matrix *matrix, size_t r, size_t c)
{
    fmpz_t entry;

    fmpz_init(entry);
    if (matrix->factored)
        fmpz_mul(entry, matrix->u + r, matrix->v + c);
    else
        fmpz_set(entry, matrix->entry + r * matrix->cols + c);
    fmpq_set_fmpz_frac(x, entry, matrix->denominator);
    fmpz_clear(entry);
}

static void get_entry(fmpq_t x, const attest_rational_vector *vector, size_t i)
{
    fmpq_set_fmpz_frac(x, vector->numerator + i, vector->denominator);
}

/* sum = sum over k of left(k, i) right(k, j) with its row and column in either order. */
static void product(fmpq_t sum, const attest_matrix *left, size_t i, bool by_row,
                    const attest_matrix *right, size_t j)
{
    fmpq_t x, y;

    fmpq_init(x);
    fmpq_init(y);
    fmpq_zero(sum);
    for (size_t k = 0; k < SIZE; k++) {
        get(x, left, by_row ? i : k, by_row ? k : i);
        get(y, right, k, j);
        fmpq_addmul(sum, x, y);
    }
    fmpq_clear(x);
    fmpq_clear(y);
}

/* (W_Q e_i).(W_K e_j) = a_i v_j, (W_O W_V e_j)_i = w_i v_j, and a = ratio v where it says so.
 */
static bool has_form(const attest_rank_one *found, const attest_head *head, bool *zero)
{
    fmpq_t expected, x, v;
    bool ok = true, parallel = true;

    fmpq_init(expected);
    fmpq_init(x);
    fmpq_init(v);
    *zero = true;
    for (size_t i = 0; i < DIM; i++)
        for (size_t j = 0; j < DIM; j++) {
            get_entry(v, &found->v, j);
            get_entry(x, &found->a, i);
            product(expected, &head->wq, i, false, &head->wk, j);
            fmpq_mul(x, x, v);
            ok = ok && fmpq_equal(x, expected);
            get_entry(x, &found->w, i);
            product(expected, &head->wo, i, true, &head->wv, j);
            *zero = *zero && fmpq_is_zero(expected);
            fmpq_mul(x, x, v);
            ok = ok && fmpq_equal(x, expected);
        }
    for (size_t i = 0; i < DIM; i++) {
        get_entry(x, &found->a, i);
        get_entry(v, &found->v, i);
        fmpq_mul(v, v, found->ratio);
        parallel = parallel && fmpq_equal(x, v);
    }
    fmpq_clear(expected);
    fmpq_clear(x);
    fmpq_clear(v);
    return ok && parallel == found->parallel;
}

/* Numerators and denominator of a vector have no common factor, and it is above 0. */
static bool is_reduced(const attest_rational_vector *vector)
{
    fmpz_t common;
    bool ok;

    fmpz_init(common);
    _fmpz_vec_content(common, vector->numerator, (slong)vector->dim);
    fmpz_gcd(common, common, vector->denominator);
    ok = fmpz_is_one(common) && fmpz_sgn(vector->denominator) > 0;
    fmpz_clear(common);
    return ok;
}

static void test_forms(uint64_t *state)
{
    int right = 0, parallel = 0, zeros = 0, told = 0;

    for (int i = 0; i < ROUNDS; i++) {
        attest_rank_one found;
        attest_weights weights;
        const char *reason;
        bool zero;

        attest_rank_one_init(&found, DIM);
        weights_init(&weights, i % 3 == 0, state);
        if (i % 20 == 1)
            _fmpz_vec_zero(weights.head->wo.entry, DIM * SIZE);
        reason = attest_rank_one_set(&found, weights.head);
        right += has_form(&found, weights.head, &zero) && is_reduced(&found.v) &&
                 is_reduced(&found.a) && is_reduced(&found.w);
        zeros += zero;
        told += zero ? reason && strstr(reason, "zero") : !reason;
        parallel += found.parallel;
        attest_rank_one_clear(&found);
        attest_weights_clear(&weights);
    }
    TAP_OK(right == ROUNDS, "%d of %d heads have the form that is found", right, ROUNDS);
    TAP_OK(told == ROUNDS && zeros >= ROUNDS / 20, "%d of them add nothing, and that is told",
           zeros);
    TAP_OK(parallel >= ROUNDS / 3 && parallel < ROUNDS, "%d look along one direction only",
           parallel);
}

/* One entry more spoils a matrix of rank 1 that has other entries, wherever it stands. */
static void test_refusals(uint64_t *state)
{
    int keys = 0, values = 0, total = 0, apart;
    attest_rank_one found;
    attest_weights weights;
    attest_head *head;

    attest_rank_one_init(&found, DIM);
    weights_init(&weights, false, state);
    head = weights.head;
    attest_matrix_resize(&head->wk, SIZE, DIM);
    attest_matrix_resize(&head->wv, SIZE, DIM);
    for (size_t e = 0; e < SIZE * DIM; e++) {
        fmpz_one(head->wk.entry + e);
        fmpz_one(head->wv.entry + e);
    }
    for (size_t e = 0; e < SIZE * DIM; e++, total++) {
        const char *reason;

        fmpz_set_si(head->wk.entry + e, 2);
        reason = attest_rank_one_set(&found, head);
        keys += reason && strstr(reason, "W_K does not have rank 1") != NULL;
        fmpz_one(head->wk.entry + e);
        fmpz_set_si(head->wv.entry + e, 2);
        reason = attest_rank_one_set(&found, head);
        values += reason && strstr(reason, "W_V does not have rank 1") != NULL;
        fmpz_one(head->wv.entry + e);
    }
    TAP_OK(keys == total && values == total, "any entry more is noticed");
    apart = 0;
    for (size_t c = 0; c < DIM; c++) {
        const char *reason;

        for (size_t r = 0; r < SIZE; r++)
            fmpz_set_si(head->wv.entry + r * DIM + c, 2);
        reason = attest_rank_one_set(&found, head);
        apart += reason && strstr(reason, "different") != NULL;
        for (size_t r = 0; r < SIZE; r++)
            fmpz_one(head->wv.entry + r * DIM + c);
    }
    TAP_OK(apart == DIM, "keys and values along different directions");
    _fmpz_vec_zero(head->wk.entry, SIZE * DIM);
    TAP_OK(attest_rank_one_set(&found, head) != NULL, "keys that are all 0");
    attest_rank_one_clear(&found);
    attest_weights_clear(&weights);
}

TEST(rank_one)
{
    uint64_t state = tap_seed(0x9a4c);

    test_forms(&state);
    test_refusals(&state);
    flint_cleanup();
    return 0;
}
