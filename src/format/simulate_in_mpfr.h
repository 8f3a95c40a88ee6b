/* simulate_in_mpfr.h -- the arithmetic that an audit simulates: a format, a rounding, an
 * algorithm; and operations in any format by MPFR.
 *
 * doc/audit.md describes the order of operations of every choice; the defaults are those of
 * doc/arithmetic.md, so that an audit agrees with `attest eval --number FORMAT`.
 *
 * Unlike number/mpfr.h the operands may come from another format: operations use MPFR's widest
 * exponent range, and their ternary value brings them into the range of the format, which
 * rounds once. There are also stochastic rounding and fused multiply-add. Targets must have the
 * precision of the format. */
#ifndef ATTEST_FORMAT_SIMULATE_IN_MPFR_H
#define ATTEST_FORMAT_SIMULATE_IN_MPFR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/flint.h>
#include <attest/format.h>

#include "number/mpfr.h"

/* ---- simulated arithmetics ---- */

typedef enum attest_simulated_rounding {
    ATTEST_SIMULATED_NEAREST = 0, /* ties to even */
    ATTEST_SIMULATED_ZERO,        /* toward zero */
    ATTEST_SIMULATED_STOCHASTIC /* away from zero with the probability of the discarded part */
} attest_simulated_rounding;

typedef enum attest_simulated_softmax {
    ATTEST_SIMULATED_SHIFTED = 0, /* exp(score - maximum) */
    ATTEST_SIMULATED_NAIVE,       /* exp(score) */
    ATTEST_SIMULATED_ONLINE       /* block by block, rescaled when the maximum grows */
} attest_simulated_softmax;

/* A step that rounds. A stage without rounding computes in the reference format. */
typedef enum attest_simulated_stage {
    ATTEST_STAGE_INPUT = 0, /* tokens and weights as they are read */
    ATTEST_STAGE_SCORE,     /* keys, queries and their dot products */
    ATTEST_STAGE_MAX,       /* score minus maximum */
    ATTEST_STAGE_EXP,
    ATTEST_STAGE_SUM,      /* of the exponentials */
    ATTEST_STAGE_MIX,      /* values and their weighted sum */
    ATTEST_STAGE_DIVISION, /* of that sum by the sum of the exponentials */
    ATTEST_STAGE_OUTPUT,   /* W_O, and the sum over token and heads */
    ATTEST_STAGES
} attest_simulated_stage;

/* Random bits that decide a stochastic rounding. */
enum { ATTEST_SIMULATED_RANDOM_BITS = 24 };

typedef struct attest_simulated_arithmetic {
    attest_format format;
    bool accumulates;         /* dot products and sums are formed in ... */
    attest_format accumulate; /* ... this format, and then stored in format */
    attest_simulated_rounding rounding;
    uint64_t seed; /* of stochastic rounding */
    attest_simulated_softmax softmax;
    size_t block;  /* keys per block of the online algorithm, >= 1 */
    bool pairwise; /* sums by halves, else from the first term to the last */
    bool fma;      /* a dot product adds its products without rounding them */
} attest_simulated_arithmetic;

/* The arithmetic of attest_attention_mpfr with rounding to nearest. */
void attest_simulated_arithmetic_init(attest_simulated_arithmetic *arithmetic,
                                      const attest_format *format);

const char *attest_simulated_rounding_name(attest_simulated_rounding rounding);
const char *attest_simulated_softmax_name(attest_simulated_softmax softmax);
const char *attest_simulated_stage_name(attest_simulated_stage stage);

/* The unit roundoff of a format in this rounding: the largest relative error of an operation
 * that neither overflows nor underflows is at most 2^-*bits. */
long attest_simulated_unit_bits(const attest_format *format,
                                attest_simulated_rounding rounding);

/* ---- operations by MPFR ---- */

/* A cache of exponentials: a layer of few tokens needs the same ones repeatedly. The slot is a
 * hash; NULL vectors: no cache. */
enum { ATTEST_IN_MPFR_SLOTS = 1 << 12 };

typedef struct attest_in_mpfr_cache {
    __mpfr_struct *power,
        *value; /* ATTEST_IN_MPFR_SLOTS each; an unused slot has the power NaN */
} attest_in_mpfr_cache;

typedef struct attest_in_mpfr {
    attest_format format;
    mpfr_rnd_t rounding; /* for MPFR; stochastic: toward zero, with more bits */
    bool stochastic;
    uint64_t *random;
    attest_mpfr_context context;
    mpfr_t operand; /* 53 bits, for the use of callers */
    mpfr_t product; /* of the format's precision */
    mpfr_t longer;  /* stochastic: the exact result cut to 24 bits more */
    mpz_t units;
    attest_in_mpfr_cache cache;
} attest_in_mpfr;

/* init sets MPFR's exponent range to the widest; clear restores the previous range. Nested
 * contexts are cleared in the reverse order. random may be NULL unless stochastic. */
void attest_in_mpfr_init(attest_in_mpfr *arithmetic, const attest_format *format,
                         attest_simulated_rounding rounding, uint64_t *random);
void attest_in_mpfr_clear(attest_in_mpfr *arithmetic);

/* count zeros of this precision in one block, followed by their limbs. shared: with forked
 * workers, released by attest_shared_free(block, *bytes, 1); else by free(block). NULL: out of
 * memory. */
__mpfr_struct *attest_in_mpfr_vector_init(size_t *bytes, size_t count, long precision,
                                          bool shared);

void attest_in_mpfr_set_fraction(mpfr_ptr x, const fmpz_t numerator, const fmpz_t denominator,
                                 attest_in_mpfr *arithmetic);

/* Brings z, rounded by MPFR with this ternary value, into the range of the format. */
void attest_in_mpfr_fit(mpfr_ptr z, int ternary, attest_in_mpfr *arithmetic);

/* z = arithmetic->longer rounded at random; arithmetic->longer is the exact result cut. */
void attest_in_mpfr_draw(mpfr_ptr z, attest_in_mpfr *arithmetic);

#define ATTEST_IN_MPFR_OPERATION(name, call)                                                   \
    static inline void attest_in_mpfr_##name                                                   \
    {                                                                                          \
        mpfr_ptr target = arithmetic->stochastic ? arithmetic->longer : z;                     \
        int ternary = call;                                                                    \
        if (arithmetic->stochastic)                                                            \
            attest_in_mpfr_draw(z, arithmetic);                                                \
        else if (arithmetic->format.bounded)                                                   \
            attest_in_mpfr_fit(z, ternary, arithmetic);                                        \
    }

ATTEST_IN_MPFR_OPERATION(convert(mpfr_ptr z, mpfr_srcptr x, attest_in_mpfr *arithmetic),
                         mpfr_set(target, x, arithmetic->rounding))
ATTEST_IN_MPFR_OPERATION(add(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                             attest_in_mpfr *arithmetic),
                         mpfr_add(target, x, y, arithmetic->rounding))
ATTEST_IN_MPFR_OPERATION(sub(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                             attest_in_mpfr *arithmetic),
                         mpfr_sub(target, x, y, arithmetic->rounding))
ATTEST_IN_MPFR_OPERATION(mul(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                             attest_in_mpfr *arithmetic),
                         mpfr_mul(target, x, y, arithmetic->rounding))
ATTEST_IN_MPFR_OPERATION(div(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y,
                             attest_in_mpfr *arithmetic),
                         mpfr_div(target, x, y, arithmetic->rounding))
ATTEST_IN_MPFR_OPERATION(exp(mpfr_ptr z, mpfr_srcptr x, attest_in_mpfr *arithmetic),
                         mpfr_exp(target, x, arithmetic->rounding))

/* Enables the cache of attest_in_mpfr_exp_cached, unless memory is exhausted or rounding is
 * random. power_bits: the precision of the operands. */
void attest_in_mpfr_remember(attest_in_mpfr *arithmetic, long power_bits);

/* z = exp(x), from the cache or computed. Domain: x has the precision power_bits. */
void attest_in_mpfr_exp_cached(mpfr_ptr z, mpfr_srcptr x, attest_in_mpfr *arithmetic);

/* z = x y + w with one rounding. */
ATTEST_IN_MPFR_OPERATION(fma(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr w,
                             attest_in_mpfr *arithmetic),
                         mpfr_fma(target, x, y, w, arithmetic->rounding))

#endif
