/* arithmetic_gen.c -- numbers and tokens of a floating-point format. */
#include "number/rationals.h"
#include "props/arithmetic.h"

enum { MOST_TOKENS = 5, MOST_DIM = 2 };

void attest_props_arithmetic_gen_number(fmpq_t x, struct theft *t, const attest_format *format,
                                        unsigned most)
{
    long p = format->precision;
    unsigned kind = (unsigned)theft_random_choice(t, 8);
    slong limit = p < 4 && (1L << p) - 1 < (long)most ? (1L << p) - 1 : (slong)most;

    fmpq_set_si(x, 1 + (slong)theft_random_choice(t, (uint64_t)limit), 1);
    if (kind == 7 && p >= 4) { /* 1 + k 2^(1-p) */
        fmpq_div_2exp(x, x, (flint_bitcnt_t)(p - 1));
        fmpq_add_si(x, x, 1);
    } else if (kind >= 5) {
        slong e = (slong)theft_random_choice(t, 9) - 4;
        if (e >= 0)
            fmpq_mul_2exp(x, x, (flint_bitcnt_t)e);
        else
            fmpq_div_2exp(x, x, (flint_bitcnt_t)-e);
    }
    if (theft_random_bits(t, 1))
        fmpq_neg(x, x);
    if (!attest_props_arithmetic_represents(format, x))
        fmpq_one(x);
}

static bool is_taken(const attest_vocabulary *v, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        bool equal = true;
        for (size_t c = 0; c < v->dim; c++)
            equal = equal && fmpq_equal(v->entry + i * v->dim + c, v->entry + j * v->dim + c);
        if (equal)
            return true;
    }
    return false;
}

/* Distinct tokens without a zero entry; one that is taken gets a power of two in front, which
 * is a number of every format. */
attest_status attest_props_arithmetic_gen_tokens(attest_vocabulary *v, struct theft *t,
                                                 const attest_format *format)
{
    v->dim = attest_gen_size(t, 1, MOST_DIM);
    v->count = attest_gen_size(t, 3, MOST_TOKENS);
    v->entry = attest_rationals_alloc(v->count * v->dim);
    if (!v->entry)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < v->count; i++) {
        for (size_t c = 0; c < v->dim; c++)
            attest_props_arithmetic_gen_number(v->entry + i * v->dim + c, t, format, 12);
        for (ulong power = 0; is_taken(v, i); power++)
            fmpq_set_si(v->entry + i * v->dim, 1L << power, 1);
    }
    return ATTEST_OK;
}
