/* number_double.c -- doubles as rationals. */
#include <attest/number.h>

#include "number/real.h"

void attest_number_set_double(fmpq_t value, double x)
{
    int64_t significand;
    int exponent;

    attest_real_split(&significand, &exponent, x);
    fmpz_set_si(fmpq_numref(value), significand);
    fmpz_one(fmpq_denref(value));
    /* An odd significand and a power of two: already in lowest terms. */
    if (exponent >= 0)
        fmpz_mul_2exp(fmpq_numref(value), fmpq_numref(value), (ulong)exponent);
    else
        fmpz_mul_2exp(fmpq_denref(value), fmpq_denref(value), (ulong)-exponent);
}
