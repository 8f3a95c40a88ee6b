/* scope.h -- numbers of FLINT and MPFR that are cleared when their block ends (base/scope.h).
 *
 *     ARB(x, y);               two balls, initialised to 0
 *     MPFR(53, x);             a number of 53 bits, initialised to NaN
 *     ARB_VEC(values, count);  arb_ptr values: count balls, initialised to 0
 *     MPFR_VEC(53, x, count);  mpfr_t *x: count numbers of 53 bits, or NULL
 */
#ifndef ATTEST_NUMBER_SCOPE_H
#define ATTEST_NUMBER_SCOPE_H

#include <attest/flint.h>

#include "base/memory.h"
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
ATTEST_SCOPE_CLEAR(mag)
ATTEST_SCOPE_CLEAR(fmpz_mat)
ATTEST_SCOPE_CLEAR(fmpz_poly)
#undef ATTEST_SCOPE_CLEAR

static inline void attest_scope_clear_mpfr(mpfr_t *x)
{
    mpfr_clear(*x);
}

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
#define MAG(...) ATTEST_SCOPE(mag, __VA_ARGS__)

/* Declares and initialises up to four numbers of MPFR of this precision. */
#define ATTEST_SCOPE_MPFR_1(bits, x)                                                           \
    mpfr_t x ATTEST_CLEARED_BY(attest_scope_clear_mpfr);                                       \
    mpfr_init2(x, bits)
#define ATTEST_SCOPE_MPFR_2(bits, x, ...)                                                      \
    ATTEST_SCOPE_MPFR_1(bits, x);                                                              \
    ATTEST_SCOPE_MPFR_1(bits, __VA_ARGS__)
#define ATTEST_SCOPE_MPFR_3(bits, x, ...)                                                      \
    ATTEST_SCOPE_MPFR_1(bits, x);                                                              \
    ATTEST_SCOPE_MPFR_2(bits, __VA_ARGS__)
#define ATTEST_SCOPE_MPFR_4(bits, x, ...)                                                      \
    ATTEST_SCOPE_MPFR_1(bits, x);                                                              \
    ATTEST_SCOPE_MPFR_3(bits, __VA_ARGS__)
#define MPFR(bits, ...)                                                                        \
    ATTEST_SCOPE_NTH(__VA_ARGS__, , , ATTEST_SCOPE_MPFR_4, ATTEST_SCOPE_MPFR_3,                \
                     ATTEST_SCOPE_MPFR_2, ATTEST_SCOPE_MPFR_1, 0)                              \
    (bits, __VA_ARGS__)

/* A vector of numbers of MPFR; no entries: out of memory. */
typedef struct {
    mpfr_t *entries;
    size_t length;
} attest_scope_mpfr_vec;

static inline attest_scope_mpfr_vec attest_scope_mpfr_vec_init(size_t count, mpfr_prec_t bits)
{
    attest_scope_mpfr_vec v = {attest_memory_alloc(count, sizeof *v.entries), count};

    for (size_t i = 0; v.entries && i < count; i++)
        mpfr_init2(v.entries[i], bits);
    return v;
}

static inline void attest_scope_mpfr_vec_clear(attest_scope_mpfr_vec *v)
{
    for (size_t i = 0; v->entries && i < v->length; i++)
        mpfr_clear(v->entries[i]);
    free(v->entries);
}

/* Declares a pointer to count numbers of this precision, or NULL: out of memory. */
#define MPFR_VEC(bits, name, count)                                                            \
    attest_scope_mpfr_vec name##_scope ATTEST_CLEARED_BY(attest_scope_mpfr_vec_clear) =        \
        attest_scope_mpfr_vec_init(count, bits);                                               \
    mpfr_t *name = name##_scope.entries

/* Vectors: the length is stored beside the pointer for the call that clears them. */
#define ATTEST_SCOPE_VEC_TYPE(type, pointer)                                                   \
    typedef struct {                                                                           \
        pointer entries;                                                                       \
        slong length;                                                                          \
    } attest_scope_##type##_vec;                                                               \
    static inline void attest_scope_clear_##type##_vec(attest_scope_##type##_vec *v)           \
    {                                                                                          \
        _##type##_vec_clear(v->entries, v->length);                                            \
    }
ATTEST_SCOPE_VEC_TYPE(arb, arb_ptr)
ATTEST_SCOPE_VEC_TYPE(fmpz, fmpz *)
ATTEST_SCOPE_VEC_TYPE(fmpq, fmpq *)
#undef ATTEST_SCOPE_VEC_TYPE

/* Declares a pointer to a vector of count zeros. count is evaluated twice. */
#define ATTEST_SCOPE_VEC(type, pointer, name, count)                                           \
    attest_scope_##type##_vec name##_scope ATTEST_CLEARED_BY(                                  \
        attest_scope_clear_##type##_vec) = {_##type##_vec_init(count), count};                 \
    pointer name = name##_scope.entries
#define ARB_VEC(name, count) ATTEST_SCOPE_VEC(arb, arb_ptr, name, count)
#define FMPZ_VEC(name, count) ATTEST_SCOPE_VEC(fmpz, fmpz *, name, count)
#define FMPQ_VEC(name, count) ATTEST_SCOPE_VEC(fmpq, fmpq *, name, count)

#endif
