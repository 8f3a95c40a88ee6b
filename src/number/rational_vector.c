/* rational_vector.c -- a vector of rationals over one denominator. */
#include "number/rational_vector.h"

#include "number/scope.h"

void attest_rational_vector_init(attest_rational_vector *vector, size_t dim)
{
    vector->dim = dim;
    vector->numerator = _fmpz_vec_init((slong)dim);
    fmpz_init_set_ui(vector->denominator, 1);
}

void attest_rational_vector_clear(attest_rational_vector *vector)
{
    _fmpz_vec_clear(vector->numerator, (slong)vector->dim);
    fmpz_clear(vector->denominator);
}

void attest_rational_vector_dot(fmpq_t value, const attest_rational_vector *vector,
                                const fmpz *token, const fmpz_t denominator)
{
    _fmpz_vec_dot(fmpq_numref(value), vector->numerator, token, (slong)vector->dim);
    fmpz_mul(fmpq_denref(value), vector->denominator, denominator);
    fmpq_canonicalise(value);
}

void attest_rational_vector_norm_square(fmpq_t square, const attest_rational_vector *x)
{
    _fmpz_vec_dot(fmpq_numref(square), x->numerator, x->numerator, (slong)x->dim);
    fmpz_mul(fmpq_denref(square), x->denominator, x->denominator);
    fmpq_canonicalise(square);
}

void attest_rational_vector_distance_square(fmpq_t square, const attest_rational_vector *x,
                                            const attest_rational_vector *y)
{
    FMPZ(difference, product);

    fmpz_mul(product, x->denominator, y->denominator);
    fmpz_zero(fmpq_numref(square));
    for (size_t c = 0; c < x->dim; c++) {
        fmpz_mul(difference, x->numerator + c, y->denominator);
        fmpz_submul(difference, y->numerator + c, x->denominator);
        fmpz_addmul(fmpq_numref(square), difference, difference);
    }
    fmpz_mul(fmpq_denref(square), product, product);
    fmpq_canonicalise(square);
}

void attest_rational_vector_norm(arb_t norm, const attest_rational_vector *vector, long bits)
{
    FMPZ(square);

    _fmpz_vec_dot(square, vector->numerator, vector->numerator, (slong)vector->dim);
    arb_sqrt_fmpz(norm, square, bits);
    arb_div_fmpz(norm, norm, vector->denominator, bits);
}
