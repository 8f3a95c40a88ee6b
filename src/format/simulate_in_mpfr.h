/* simulate_in_mpfr.h -- any floating-point format by MPFR, one operation at a time.
 *
 * Unlike number/mpfr.h the operands may come from another format: operations are done in MPFR's
 * widest exponent range and brought into the format's with their ternary value, which rounds
 * once. There are stochastic rounding and fused multiply-add besides. Targets must have the
 * format's precision. */
#ifndef ATTEST_FORMAT_SIMULATE_IN_MPFR_H
#define ATTEST_FORMAT_SIMULATE_IN_MPFR_H

#include <attest/flint.h>

#include "format/simulated.h"
#include "number/mpfr.h"

/* Exponentials that were computed before: a layer of few tokens asks for the same ones again
 * and again. Slot by hash; NULL vectors: no cache. */
enum { ATTEST_WIDE_SLOTS = 1 << 12 };

typedef struct attest_in_mpfr_cache {
    __mpfr_struct *power, *value; /* ATTEST_WIDE_SLOTS each; an unused slot has the power NaN */
} attest_in_mpfr_cache;

typedef struct attest_in_mpfr {
    attest_format format;
    mpfr_rnd_t rounding; /* of MPFR; stochastic: toward zero, with more bits */
    bool stochastic;
    uint64_t *random;
    attest_mpfr_context context;
    mpfr_t operand; /* 53 bits, for callers */
    mpfr_t product; /* of the format's precision */
    mpfr_t longer;  /* stochastic: the exact result cut to 24 bits more */
    mpz_t units;
    attest_in_mpfr_cache cache;
} attest_in_mpfr;

/* From init on MPFR's exponent range is the widest; clear restores what init found. Nested
 * contexts are cleared in the reverse order. random may be NULL unless stochastic. */
void attest_in_mpfr_init(attest_in_mpfr *wide, const attest_format *format,
                         attest_simulated_rounding rounding, uint64_t *random);
void attest_in_mpfr_clear(attest_in_mpfr *wide);

/* count zeros of this precision in one block, their limbs behind them. shared: with forked
 * workers, and attest_shared_free(block, *bytes, 1) gives it back; else free(block). NULL: out
 * of memory. */
__mpfr_struct *attest_in_mpfr_vector_init(size_t *bytes, size_t count, long precision,
                                          bool shared);

void attest_in_mpfr_set_fraction(mpfr_ptr x, const fmpz_t numerator, const fmpz_t denominator,
                                 attest_in_mpfr *wide);

/* Brings MPFR's rounding z, whose error has the ternary's sign, into the format's range. */
void attest_in_mpfr_fit(mpfr_ptr z, int ternary, attest_in_mpfr *wide);

/* z = wide->longer rounded at random; wide->longer is the exact result cut. */
void attest_in_mpfr_draw(mpfr_ptr z, attest_in_mpfr *wide);

#define ATTEST_IN_MPFR_OPERATION(name, call)                                                   \
    static inline void attest_in_mpfr_##name                                                   \
    {                                                                                          \
        mpfr_ptr target = wide->stochastic ? wide->longer : z;                                 \
        int ternary = call;                                                                    \
        if (wide->stochastic)                                                                  \
            attest_in_mpfr_draw(z, wide);                                                      \
        else if (wide->format.bounded)                                                         \
            attest_in_mpfr_fit(z, ternary, wide);                                              \
    }

ATTEST_IN_MPFR_OPERATION(convert(mpfr_ptr z, mpfr_srcptr x, attest_in_mpfr *wide),
                         mpfr_set(target, x, wide->rounding))
ATTEST_IN_MPFR_OPERATION(add(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y, attest_in_mpfr *wide),
                         mpfr_add(target, x, y, wide->rounding))
ATTEST_IN_MPFR_OPERATION(sub(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y, attest_in_mpfr *wide),
                         mpfr_sub(target, x, y, wide->rounding))
ATTEST_IN_MPFR_OPERATION(mul(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y, attest_in_mpfr *wide),
                         mpfr_mul(target, x, y, wide->rounding))
ATTEST_IN_MPFR_OPERATION(div(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y, attest_in_mpfr *wide),
                         mpfr_div(target, x, y, wide->rounding))
ATTEST_IN_MPFR_OPERATION(exp(mpfr_ptr z, mpfr_srcptr x, attest_in_mpfr *wide),
                         mpfr_exp(target, x, wide->rounding))

/* Makes attest_in_mpfr_exp_cached remember; without memory, or for random roundings, it does
 * not. power_bits: the precision of the operands. */
void attest_in_mpfr_remember(attest_in_mpfr *wide, long power_bits);

/* z = exp(x), remembered or computed. Domain: x has the precision that was announced. */
void attest_in_mpfr_exp_cached(mpfr_ptr z, mpfr_srcptr x, attest_in_mpfr *wide);

/* z = x y + w with one rounding. */
ATTEST_IN_MPFR_OPERATION(fma(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr w,
                             attest_in_mpfr *wide),
                         mpfr_fma(target, x, y, w, wide->rounding))

#endif
