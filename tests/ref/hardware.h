/* hardware.h -- attention by the processor's own float and double arithmetic, in the order of
 * doc/arithmetic.md, in the rounding mode that fenv sets. It is written from that page and
 * shares no code with src/attention. */
#ifndef ATTEST_TESTS_REF_HARDWARE_H
#define ATTEST_TESTS_REF_HARDWARE_H

#include <mpfr.h>

#include <attest/sequence.h>
#include <attest/weights.h>

/* Which exp: the C library's, or MPFR's correctly rounded one in the given mode. */
typedef struct ref_exp {
    bool correctly_rounded;
    mpfr_rnd_t rounding;
} ref_exp;

/* Numerators and denominators must be exact in the type up to a power of two, and quotients
 * must be normal or exact, so that the inputs are rounded once. */
void ref_hardware_double(double *out, const attest_weights *weights,
                         const attest_sequence *sequence, ref_exp exp);
void ref_hardware_float(float *out, const attest_weights *weights,
                        const attest_sequence *sequence, ref_exp exp);

/* fenv's name for the mode; -1: it has none. */
int ref_fenv_rounding(mpfr_rnd_t rounding);

#endif
