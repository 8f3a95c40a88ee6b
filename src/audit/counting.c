/* counting.c -- collapses that follow from the pigeonhole principle
 * (proofs-notes/collapse.md). */
#include "audit/counting.h"

#include "number/scope.h"

bool attest_counting_values(fmpz_t values, const attest_format *format)
{
    if (!format->bounded)
        return false;
    fmpz_set_si(values, format->emax);
    fmpz_sub_si(values, values, format->emin);
    fmpz_add_ui(values, values, 1);
    if (format->positive) /* powers of two, and nothing else */
        return true;
    /* Of each exponent 2^(p-1) numbers, as many below the least normal one, 0 among them. */
    fmpz_add_ui(values, values, 1);
    fmpz_mul_2exp(values, values, (ulong)format->precision - 1);
    fmpz_sub_ui(values, values, format->top_is_nan ? 2 : 1);
    fmpz_mul_ui(values, values, 2);
    fmpz_add_ui(values, values, 1);
    return true;
}

size_t attest_counting_bits(size_t classes, size_t dim)
{
    size_t needed = 0; /* the least with 2^needed >= classes */

    while (needed < 8 * sizeof classes && (classes - 1) >> needed > 0)
        needed++;
    return classes > 1 ? (needed + dim - 1) / dim : 0;
}

bool attest_counting_collapses(const attest_format *format, size_t classes, size_t dim)
{
    FMPZ(values, told);
    bool collapses = attest_counting_values(values, format);

    fmpz_one(told);
    for (size_t c = 0; c < dim && collapses; c++) {
        fmpz_mul(told, told, values);
        collapses = fmpz_cmp_ui(told, classes) < 0;
    }
    return collapses;
}
