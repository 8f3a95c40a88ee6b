/* interval.c -- intervals of MPFR numbers. */
#include "props/interval.h"

#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

attest_interval *attest_intervals_alloc(size_t count, mpfr_prec_t bits)
{
    attest_interval *interval = attest_memory_alloc(count, sizeof *interval);

    for (size_t i = 0; interval && i < count; i++) {
        mpfr_init2(interval[i].low, bits), mpfr_set_zero(interval[i].low, 1);
        mpfr_init2(interval[i].high, bits), mpfr_set_zero(interval[i].high, 1);
    }
    return interval;
}

void attest_intervals_free(attest_interval *interval, size_t count)
{
    for (size_t i = 0; interval && i < count; i++)
        mpfr_clear(interval[i].low), mpfr_clear(interval[i].high);
    free(interval);
}

void attest_interval_set(attest_interval *z, const attest_interval *x)
{
    mpfr_set(z->low, x->low, MPFR_RNDD);
    mpfr_set(z->high, x->high, MPFR_RNDU);
}

void attest_interval_set_fmpq(attest_interval *z, const fmpq_t x)
{
    mpq_t q;

    mpq_init(q);
    fmpq_get_mpq(q, x);
    mpfr_set_q(z->low, q, MPFR_RNDD);
    mpfr_set_q(z->high, q, MPFR_RNDU);
    mpq_clear(q);
}

void attest_interval_add(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    mpfr_add(z->low, x->low, y->low, MPFR_RNDD);
    mpfr_add(z->high, x->high, y->high, MPFR_RNDU);
}

void attest_interval_sub(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    MPFR(mpfr_get_prec(z->low), low);

    mpfr_sub(low, x->low, y->high, MPFR_RNDD);
    mpfr_sub(z->high, x->high, y->low, MPFR_RNDU);
    mpfr_swap(z->low, low);
}

/* The ends from all products of ends. */
static void multiply_any(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    mpfr_srcptr of_x[2] = {x->low, x->high}, of_y[2] = {y->low, y->high};
    MPFR(mpfr_get_prec(z->low), product);

    mpfr_set_inf(z->low, 1);
    mpfr_set_inf(z->high, -1);
    for (int i = 0; i < 4; i++) {
        mpfr_mul(product, of_x[i / 2], of_y[i % 2], MPFR_RNDD);
        mpfr_min(z->low, z->low, product, MPFR_RNDD);
        mpfr_mul(product, of_x[i / 2], of_y[i % 2], MPFR_RNDU);
        mpfr_max(z->high, z->high, product, MPFR_RNDU);
    }
}

/* Where x has one sign and nothing is infinite, one product each is known to be an end. */
void attest_interval_mul(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    bool up = mpfr_sgn(x->low) >= 0, down = mpfr_sgn(x->high) <= 0;
    mpfr_srcptr least = up ? y->low : y->high, most = up ? y->high : y->low;

    if (!(up || down) || !attest_interval_is_finite(x) || !attest_interval_is_finite(y)) {
        multiply_any(z, x, y);
        return;
    }
    mpfr_mul(z->low, mpfr_sgn(least) >= 0 ? x->low : x->high, least, MPFR_RNDD);
    mpfr_mul(z->high, mpfr_sgn(most) >= 0 ? x->high : x->low, most, MPFR_RNDU);
}

void attest_interval_div(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    if (!(mpfr_sgn(y->low) > 0)) {
        mpfr_set_nan(z->low), mpfr_set_nan(z->high);
        return;
    }
    mpfr_div(z->low, x->low, mpfr_sgn(x->low) >= 0 ? y->high : y->low, MPFR_RNDD);
    mpfr_div(z->high, x->high, mpfr_sgn(x->high) >= 0 ? y->low : y->high, MPFR_RNDU);
}

void attest_interval_exp(attest_interval *z, const attest_interval *x, unsigned slack)
{
    mpfr_exp(z->low, x->low, MPFR_RNDD);
    mpfr_exp(z->high, x->high, MPFR_RNDU);
    for (; slack > 0; slack--) {
        mpfr_nextbelow(z->low);
        mpfr_nextabove(z->high);
    }
}

void attest_interval_max(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    mpfr_max(z->low, x->low, y->low, MPFR_RNDD);
    mpfr_max(z->high, x->high, y->high, MPFR_RNDU);
}

bool attest_interval_is_finite(const attest_interval *x)
{
    return mpfr_number_p(x->low) && mpfr_number_p(x->high);
}

bool attest_interval_is_point(const attest_interval *x)
{
    return mpfr_equal_p(x->low, x->high);
}

bool attest_interval_contains(const attest_interval *x, mpfr_srcptr y)
{
    return mpfr_lessequal_p(x->low, y) && mpfr_lessequal_p(y, x->high);
}

bool attest_interval_meets(const attest_interval *x, const arb_t y)
{
    bool meets;
    ARF(end);
    ARB(ball);

    arf_set_mpfr(end, x->low);
    arb_set_arf(ball, end);
    meets = !arb_gt(ball, y); /* not: low > all of y */
    arf_set_mpfr(end, x->high);
    arb_set_arf(ball, end);
    meets = meets && !arb_lt(ball, y);
    return meets;
}
