/* exact.h -- errors of doubles against balls, for the tables of bound terms. */
#ifndef TESTS_BOUNDS_EXACT_H
#define TESTS_BOUNDS_EXACT_H

#include <math.h>

#include <attest/flint.h>

enum { EXACT_BITS = 512 };

/* |got - exact| / limit for count entries, in the Euclidean norm; infinite if the limit is 0.
 */
static inline double exact_ratio(const double *got, arb_srcptr exact, size_t count,
                                 double limit)
{
    arb_t sum, t;
    double ratio;

    arb_init(sum), arb_init(t);
    for (size_t c = 0; c < count; c++) {
        arb_set_d(t, got[c]);
        arb_sub(t, t, exact + c, EXACT_BITS);
        arb_addmul(sum, t, t, EXACT_BITS);
    }
    arb_sqrtpos(sum, sum, EXACT_BITS);
    arb_set_d(t, limit);
    arb_div(sum, sum, t, EXACT_BITS);
    ratio = arb_is_finite(sum) ? arf_get_d(arb_midref(sum), ARF_RND_UP) : INFINITY;
    arb_clear(sum), arb_clear(t);
    return ratio;
}

#endif
