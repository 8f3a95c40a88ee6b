/* softmax_series.h -- the square of a softmax sum over the product of its denominators, as a
 * polynomial in w = e^{-unit} <= 1 that is cut off (proofs-notes/zero_test.md, "The sign"). */
#ifndef ATTEST_CERTIFY_SOFTMAX_SERIES_H
#define ATTEST_CERTIFY_SOFTMAX_SERIES_H

#include <flint/fmpz_mpoly.h>

#include "certify/softmax_sign.h"

/* A polynomial in w, cut off behind w^depth: its value is that of poly plus at most
 * rest w^(depth + 1). */
typedef struct attest_softmax_series {
    fmpz_mpoly_t poly;
    fmpz_t rest;
} attest_softmax_series;

/* What all series of one computation share. */
typedef struct attest_softmax_frame {
    const attest_softmax_sum *sum;
    attest_softmax_limits limits;
    fmpz_mpoly_ctx_t context;
    bool cut; /* else nothing is cut off */
    fmpz_t depth;
    bool fits; /* no product had too many terms */
    bool paid; /* nor was one more work than is allowed; then it does not fit, either */
} attest_softmax_frame;

void attest_softmax_series_init(attest_softmax_series *s, const attest_softmax_frame *f);
void attest_softmax_series_clear(attest_softmax_series *s, const attest_softmax_frame *f);

/* The i-th term of the polynomial; they come in descending powers of w. */
void attest_softmax_series_term(fmpz_t coefficient, fmpz_t exponent,
                                const attest_softmax_series *s, slong i,
                                const attest_softmax_frame *f);

/* total / (clear below)^2 = |sum|^2 - target, times the denominator of the target, at the depth
 * of the frame, as long as it fits. */
void attest_softmax_series_expand(attest_softmax_series *total, attest_softmax_series *below,
                                  fmpz_t clear, const fmpq_t target, attest_softmax_frame *f);

/* Whether |sum|^2 = target, by multiplying out with nothing cut off: 1 or 0, or -1 where a
 * product has too many terms. */
int attest_softmax_series_vanishes(const attest_softmax_sum *sum, const fmpq_t target);

#endif
