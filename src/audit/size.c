/* size.c -- a size that doubles may not hold. */
#include "audit/size.h"

#include <float.h>
#include <math.h>

#include "number/rationals.h"
#include "number/scope.h"

attest_audit_size attest_audit_size_get(const mpfr_t x)
{
    attest_audit_size size = {0};

    size.part = mpfr_get_d_2exp(&size.exponent, x, MPFR_RNDU);
    return size;
}

/* x = the size. x has 53 bits, which are enough. */
static void get_wide(mpfr_t x, attest_audit_size size)
{
    mpfr_set_d(x, size.part, MPFR_RNDN);
    mpfr_mul_2si(x, x, size.exponent, MPFR_RNDU);
}

int attest_audit_size_compare(attest_audit_size a, attest_audit_size b)
{
    if (a.part == 0 || b.part == 0 || a.exponent == b.exponent)
        return (a.part > b.part) - (a.part < b.part);
    return a.exponent > b.exponent ? 1 : -1;
}

attest_audit_size attest_audit_size_mean(attest_audit_size a, size_t a_count,
                                         attest_audit_size b, size_t b_count)
{
    MPFR(53, x, y);

    if (a_count + b_count == 0)
        return (attest_audit_size){0};
    get_wide(x, a);
    get_wide(y, b);
    mpfr_mul_ui(x, x, a_count, MPFR_RNDU);
    mpfr_mul_ui(y, y, b_count, MPFR_RNDU);
    mpfr_add(x, x, y, MPFR_RNDU);
    mpfr_div_ui(x, x, a_count + b_count, MPFR_RNDU);
    return attest_audit_size_get(x);
}

int attest_audit_size_compare_rational(attest_audit_size size, const fmpq_t rational)
{
    MPFR(53, wide);
    ARF(value);

    get_wide(wide, size);
    arf_set_mpfr(value, wide);
    return attest_rationals_compare_arf(value, rational);
}

void attest_audit_size_format(char text[ATTEST_AUDIT_SIZE_TEXT], attest_audit_size size,
                              int digits)
{
    MPFR(53, wide);

    get_wide(wide, size);
    mpfr_snprintf(text, ATTEST_AUDIT_SIZE_TEXT, "%.*Rg", digits, wide);
}
