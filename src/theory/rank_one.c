/* rank_one.c -- finds the direction of the keys and values of a head of rank 1. */
#include "theory/rank_one.h"
#include "data/weights.h"
#include "number/scope.h"

void attest_rank_one_init(attest_rank_one *head, size_t dim)
{
    head->dim = dim;
    head->parallel = false;
    attest_rational_vector_init(&head->v, dim);
    attest_rational_vector_init(&head->a, dim);
    attest_rational_vector_init(&head->w, dim);
    fmpq_init(head->ratio);
}

void attest_rank_one_clear(attest_rank_one *head)
{
    attest_rational_vector_clear(&head->v);
    attest_rational_vector_clear(&head->a);
    attest_rational_vector_clear(&head->w);
    fmpq_clear(head->ratio);
}

/* entry = numerator of the matrix's entry (r, c) over its denominator. */
static void get_numerator(fmpz_t entry, const attest_matrix *matrix, size_t r, size_t c)
{
    if (matrix->factored)
        fmpz_mul(entry, matrix->u + r, matrix->v + c);
    else
        fmpz_set(entry, matrix->entry + r * matrix->cols + c);
}

/* The place of the first entry that is not 0. */
static bool find_pivot(size_t *row, size_t *col, const attest_matrix *matrix)
{
    bool found = false;
    FMPZ(entry);

    for (size_t r = 0; r < matrix->rows && !found; r++) {
        for (size_t c = 0; c < matrix->cols && !found; c++) {
            get_numerator(entry, matrix, r, c);
            found = !fmpz_is_zero(entry);
            *row = r;
            *col = c;
        }
    }
    return found;
}

/* matrix = u v^T / pivot, with v the numerators of its pivot row and u those of its pivot
 * column, both over its denominator: checks all 2 x 2 minors that touch the pivot. */
static bool split(fmpz *u, fmpz *v, fmpz_t pivot, const attest_matrix *matrix)
{
    size_t row = 0, col = 0;
    bool rank_one = find_pivot(&row, &col, matrix);
    FMPZ(entry, left, right);

    if (!rank_one)
        return false;
    get_numerator(pivot, matrix, row, col);
    for (size_t c = 0; c < matrix->cols; c++)
        get_numerator(v + c, matrix, row, c);
    for (size_t r = 0; r < matrix->rows; r++)
        get_numerator(u + r, matrix, r, col);
    for (size_t r = 0; r < matrix->rows && rank_one && !matrix->factored; r++) {
        for (size_t c = 0; c < matrix->cols && rank_one; c++) {
            get_numerator(entry, matrix, r, c);
            fmpz_mul(left, entry, pivot);
            fmpz_mul(right, u + r, v + c);
            rank_one = fmpz_equal(left, right);
        }
    }
    return rank_one;
}

/* Divides out a factor common to all numerators and the denominator, and makes it positive. */
static void reduce(attest_rational_vector *vector)
{
    FMPZ(common);

    _fmpz_vec_content(common, vector->numerator, (slong)vector->dim);
    fmpz_gcd(common, common, vector->denominator);
    if (fmpz_sgn(vector->denominator) < 0)
        fmpz_neg(common, common);
    _fmpz_vec_scalar_divexact_fmpz(vector->numerator, vector->numerator, (slong)vector->dim,
                                   common);
    fmpz_divexact(vector->denominator, vector->denominator, common);
}

/* ratio with x = ratio y, where y is not 0. */
static bool find_ratio(fmpq_t ratio, const attest_rational_vector *x,
                       const attest_rational_vector *y)
{
    size_t pivot = 0;
    bool parallel = true;
    FMPZ(left, right);

    while (fmpz_is_zero(y->numerator + pivot))
        pivot++;
    for (size_t c = 0; c < x->dim && parallel; c++) {
        fmpz_mul(left, x->numerator + c, y->numerator + pivot);
        fmpz_mul(right, x->numerator + pivot, y->numerator + c);
        parallel = fmpz_equal(left, right);
    }
    fmpz_mul(left, x->numerator + pivot, y->denominator);
    fmpz_mul(right, x->denominator, y->numerator + pivot);
    fmpq_set_fmpz_frac(ratio, left, right);
    return parallel;
}

/* W_K = (u / pivot) (v / denominator)^T; a = W_Q^T u / pivot. */
static const char *set_keys(attest_rank_one *rank_one, const attest_head *head)
{
    FMPZ_VEC(u, (slong)head->wk.rows);

    if (!split(u, rank_one->v.numerator, rank_one->a.denominator, &head->wk))
        return "W_K does not have rank 1";
    fmpz_set(rank_one->v.denominator, head->wk.denominator);
    attest_linear_apply_transposed(rank_one->a.numerator, &head->wq, u);
    fmpz_mul(rank_one->a.denominator, rank_one->a.denominator, head->wq.denominator);
    reduce(&rank_one->v);
    reduce(&rank_one->a);
    rank_one->parallel = find_ratio(rank_one->ratio, &rank_one->a, &rank_one->v);
    return NULL;
}

/* W_V = (u / pivot) (row / denominator)^T with row / denominator = lambda v; w = lambda W_O u /
 * pivot. */
static const char *set_values(attest_rank_one *rank_one, const attest_head *head)
{
    FMPZ_VEC(u, (slong)head->wv.rows);
    ATTEST_SCOPED(attest_rational_vector, row, rank_one->dim);
    FMPQ(lambda);
    FMPZ(pivot);

    if (!split(u, row.numerator, pivot, &head->wv))
        return "W_V does not have rank 1";
    fmpz_set(row.denominator, head->wv.denominator);
    if (!find_ratio(lambda, &row, &rank_one->v))
        return "W_K and W_V have different directions";
    attest_linear_apply(rank_one->w.numerator, &head->wo, u);
    fmpz_mul(rank_one->w.denominator, head->wo.denominator, pivot);
    fmpz_mul(rank_one->w.denominator, rank_one->w.denominator, fmpq_denref(lambda));
    _fmpz_vec_scalar_mul_fmpz(rank_one->w.numerator, rank_one->w.numerator,
                              (slong)rank_one->dim, fmpq_numref(lambda));
    reduce(&rank_one->w);
    return _fmpz_vec_is_zero(rank_one->w.numerator, (slong)rank_one->dim) ? "W_O W_V is zero"
                                                                          : NULL;
}

const char *attest_rank_one_set(attest_rank_one *rank_one, const attest_head *head)
{
    const char *reason = set_keys(rank_one, head);

    return reason ? reason : set_values(rank_one, head);
}
