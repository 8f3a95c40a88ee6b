/* rational_vector.c -- a vector of rationals over one denominator. */
#include "number/rational_vector.h"

void attest_rational_vector_init(attest_rational_vector *vector, size_t count)
{
    vector->count = count;
    vector->numerator = _fmpz_vec_init((slong)count);
    fmpz_init_set_ui(vector->denominator, 1);
}

void attest_rational_vector_clear(attest_rational_vector *vector)
{
    _fmpz_vec_clear(vector->numerator, (slong)vector->count);
    fmpz_clear(vector->denominator);
}

void attest_rational_vector_dot(fmpq_t value, const attest_rational_vector *vector,
                                const fmpz *token, const fmpz_t denominator)
{
    _fmpz_vec_dot(fmpq_numref(value), vector->numerator, token, (slong)vector->count);
    fmpz_mul(fmpq_denref(value), vector->denominator, denominator);
    fmpq_canonicalise(value);
}

void attest_rational_vector_norm(arb_t norm, const attest_rational_vector *vector, long bits)
{
    fmpz_t square;

    fmpz_init(square);
    _fmpz_vec_dot(square, vector->numerator, vector->numerator, (slong)vector->count);
    arb_sqrt_fmpz(norm, square, bits);
    arb_div_fmpz(norm, norm, vector->denominator, bits);
    fmpz_clear(square);
}
