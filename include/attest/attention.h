/* attention.h -- one attention layer in four number systems.
 *
 * All compute F(Z) of weights.h for one sequence. out has length * dim entries, token after
 * token, initialised by the caller. The order of operations is that of
 * src/attention/attention.inc and is described in doc/arithmetic.md. Status: DOMAIN (dim of
 * weights and sequence differ, or softmax in exact arithmetic), UNABLE, NOMEM. */
#ifndef ATTEST_ATTENTION_H
#define ATTEST_ATTENTION_H

#include <attest/error.h>
#include <attest/flint.h>
#include <attest/format.h>
#include <attest/sequence.h>
#include <attest/weights.h>

/* Exact. Domain: activation is hardmax (softmax is not rational). */
attest_status attest_attention_exact(fmpq *out, const attest_weights *weights,
                                     const attest_sequence *sequence,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* The largest precision in bits that balls are asked for. */
#define ATTEST_BALL_MAX_BITS 1000000000L

/* Encloses. Scores are exact; the radius of an output is at most 2^-(bits-56) times the largest
 * term of its sum. For hardmax the balls enclose the exact result. */
attest_status attest_attention_ball(arb_ptr out, const attest_weights *weights,
                                    const attest_sequence *sequence, long bits,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Every operation rounded to the format in the given mode; out[i] gets the format's precision.
 * MPFR's exponent range is restored. Non-finite results are possible in a bounded format. */
attest_status attest_attention_mpfr(mpfr_t *out, const attest_weights *weights,
                                    const attest_sequence *sequence,
                                    const attest_format *format, mpfr_rnd_t rounding,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Every operation in the hardware's binary64, inputs rounded to nearest first. */
attest_status attest_attention_double(double *out, const attest_weights *weights,
                                      const attest_sequence *sequence,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
