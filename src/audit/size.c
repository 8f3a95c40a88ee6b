/* size.c -- a size that doubles may not hold. */
#include "audit/size.h"

#include <float.h>
#include <math.h>

#include "number/rationals.h"

attest_audit_size attest_audit_size_get(const mpfr_t x)
{
    attest_audit_size size = {0};

    size.part = mpfr_get_d_2exp(&size.exponent, x, MPFR_RNDU);
    return size;
}

/* x = the size: 53 bits are enough for it. */
static void get_wide(mpfr_t x, attest_audit_size size)
{
    mpfr_init2(x, 53);
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
    attest_audit_size mean = {0};
    mpfr_t x, y;

    if (a_count + b_count == 0)
        return mean;
    get_wide(x, a);
    get_wide(y, b);
    mpfr_mul_ui(x, x, a_count, MPFR_RNDU);
    mpfr_mul_ui(y, y, b_count, MPFR_RNDU);
    mpfr_add(x, x, y, MPFR_RNDU);
    mpfr_div_ui(x, x, a_count + b_count, MPFR_RNDU);
    mean = attest_audit_size_get(x);
    mpfr_clear(x);
    mpfr_clear(y);
    return mean;
}

int attest_audit_size_compare_rational(attest_audit_size size, const fmpq_t rational)
{
    mpfr_t wide;
    arf_t value;
    int order;

    get_wide(wide, size);
    arf_init(value);
    arf_set_mpfr(value, wide);
    order = attest_rationals_compare_arf(value, rational);
    arf_clear(value);
    mpfr_clear(wide);
    return order;
}

void attest_audit_size_format(char text[ATTEST_AUDIT_SIZE_TEXT], attest_audit_size size,
                              int digits)
{
    mpfr_t wide;

    get_wide(wide, size);
    mpfr_snprintf(text, ATTEST_AUDIT_SIZE_TEXT, "%.*Rg", digits, wide);
    mpfr_clear(wide);
}
