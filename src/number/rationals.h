/* rationals.h -- vectors of rationals over one denominator. */
#ifndef ATTEST_NUMBER_RATIONALS_H
#define ATTEST_NUMBER_RATIONALS_H

#include <attest/flint.h>
#include <attest/number.h>

#include "base/scope.h"

/* count rationals, all 0; NULL: out of memory. */
fmpq *attest_rationals_alloc(size_t count);
void attest_rationals_free(fmpq *rational, size_t count);

typedef struct attest_rationals {
    fmpq *rational;
    size_t count;
} attest_rationals;

static inline void attest_rationals_clear(attest_rationals *rationals)
{
    attest_rationals_free(rationals->rational, rationals->count);
}

/* Declares a pointer to count rationals (NULL: out of memory) that are freed at the end of its
 * block. count is evaluated twice. */
#define ATTEST_RATIONALS(name, count)                                                          \
    attest_rationals name##_scope ATTEST_CLEARED_BY(attest_rationals_clear) = {                \
        attest_rationals_alloc(count), count};                                                 \
    fmpq *name = name##_scope.rational

/* denominator = the least common denominator of the rationals, which are in lowest terms.
 * *bytes = at most so many do count numerators over it take, and it itself. It can be far more
 * than the rationals take: each numerator can become as large as all denominators together. The
 * budget is charged with it. Status: UNABLE, found without computing a denominator that is too
 * large. */
attest_status attest_rationals_bound_common(fmpz_t denominator, size_t *bytes,
                                            const fmpq *rational, size_t count,
                                            attest_budget *budget,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* numerator[i] = rational[i] * denominator. Exact. Domain: a common denominator. */
void attest_rationals_get_numerators(fmpz *numerator, const fmpz_t denominator,
                                     const fmpq *rational, size_t count);

/* The sign of x - rational, exactly. x may have an exponent of any size, and be infinite. */
int attest_rationals_compare_arf(const arf_t x, const fmpq_t rational);

#endif
