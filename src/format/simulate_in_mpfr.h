/* simulate_in_mpfr.h -- arithmetic in any floating-point format, simulated by MPFR.
 *
 * Unlike number/mpfr.h the operands may come from another format: operations use MPFR's widest
 * exponent range, and their ternary value brings them into the range of the format, which
 * rounds once. There are also stochastic rounding and fused multiply-add. Targets must have the
 * precision of the format. */
#ifndef ATTEST_FORMAT_SIMULATE_IN_MPFR_H
#define ATTEST_FORMAT_SIMULATE_IN_MPFR_H

#include <attest/flint.h>

#include "format/simulated.h"
#include "number/mpfr.h"

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
