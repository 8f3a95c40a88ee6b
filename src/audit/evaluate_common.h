/* evaluate_common.h -- small functions of evaluate.inc that are the same for both number
 * systems. Included after it, once per system. */
#ifndef ATTEST_AUDIT_EVALUATE_COMMON_H
#define ATTEST_AUDIT_EVALUATE_COMMON_H

/* The hash of a token's values: stochastic rounding starts from it, so that a token is rounded
 * alike wherever it stands. */
static uint64_t hash_integer(uint64_t hash, const fmpz_t x)
{
    FMPZ(part, rest);

    hash = attest_random_mix(hash ^ (uint64_t)(fmpz_sgn(x) + 1));
    fmpz_abs(rest, x);
    while (!fmpz_is_zero(rest)) {
        fmpz_fdiv_r_2exp(part, rest, 62);
        fmpz_fdiv_q_2exp(rest, rest, 62);
        hash = attest_random_mix(hash ^ fmpz_get_ui(part));
    }
    return hash;
}

static uint64_t hash_token(const fmpz *numerator, const fmpz_t denominator, size_t dim)
{
    uint64_t hash = hash_integer(dim, denominator);

    for (size_t c = 0; c < dim; c++)
        hash = hash_integer(hash, numerator + c);
    return hash;
}

/* Whether so many items of so many operations are worth a fork. */
static bool is_long(const evaluation *e, size_t items, size_t operations)
{
    double bits = (double)e->arithmetic->format.precision;

    return (double)items * (double)operations * (1 + bits / 64) > 1e5;
}

#endif
