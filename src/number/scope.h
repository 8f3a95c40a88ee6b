/* scope.h -- numbers of FLINT that are cleared when their block ends (base/scope.h).
 *
 *     ARB(x, y);    two balls, initialised to 0
 */
#ifndef ATTEST_NUMBER_SCOPE_H
#define ATTEST_NUMBER_SCOPE_H

#include <attest/flint.h>

#include "base/scope.h"

#define ATTEST_SCOPE_CLEAR(type)                                                               \
    static inline void attest_scope_clear_##type(type##_t *x)                                  \
    {                                                                                          \
        type##_clear(*x);                                                                      \
    }
ATTEST_SCOPE_CLEAR(arb)
ATTEST_SCOPE_CLEAR(arf)
ATTEST_SCOPE_CLEAR(fmpz)
ATTEST_SCOPE_CLEAR(fmpq)
#undef ATTEST_SCOPE_CLEAR

/* ATTEST_SCOPE_N takes N names. */
#define ATTEST_SCOPE_1(type, x)                                                                \
    type##_t x ATTEST_CLEARED_BY(attest_scope_clear_##type);                                   \
    type##_init(x)
#define ATTEST_SCOPE_2(type, x, ...)                                                           \
    ATTEST_SCOPE_1(type, x);                                                                   \
    ATTEST_SCOPE_1(type, __VA_ARGS__)
#define ATTEST_SCOPE_3(type, x, ...)                                                           \
    ATTEST_SCOPE_1(type, x);                                                                   \
    ATTEST_SCOPE_2(type, __VA_ARGS__)
#define ATTEST_SCOPE_4(type, x, ...)                                                           \
    ATTEST_SCOPE_1(type, x);                                                                   \
    ATTEST_SCOPE_3(type, __VA_ARGS__)
#define ATTEST_SCOPE_5(type, x, ...)                                                           \
    ATTEST_SCOPE_1(type, x);                                                                   \
    ATTEST_SCOPE_4(type, __VA_ARGS__)
#define ATTEST_SCOPE_6(type, x, ...)                                                           \
    ATTEST_SCOPE_1(type, x);                                                                   \
    ATTEST_SCOPE_5(type, __VA_ARGS__)
#define ATTEST_SCOPE_NTH(a, b, c, d, e, f, name, ...) name
#define ATTEST_SCOPE(type, ...)                                                                \
    ATTEST_SCOPE_NTH(__VA_ARGS__, ATTEST_SCOPE_6, ATTEST_SCOPE_5, ATTEST_SCOPE_4,              \
                     ATTEST_SCOPE_3, ATTEST_SCOPE_2, ATTEST_SCOPE_1, 0)                        \
    (type, __VA_ARGS__)

/* Declares and initialises up to six numbers of FLINT. */
#define ARB(...) ATTEST_SCOPE(arb, __VA_ARGS__)
#define ARF(...) ATTEST_SCOPE(arf, __VA_ARGS__)
#define FMPZ(...) ATTEST_SCOPE(fmpz, __VA_ARGS__)
#define FMPQ(...) ATTEST_SCOPE(fmpq, __VA_ARGS__)

#endif
