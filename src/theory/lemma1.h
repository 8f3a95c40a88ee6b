/* lemma1.h -- Lemma 1 of the paper: the Boltzmann operator keeps distances.
 *
 * Vectors with exactly n entries each, all |entries| < r, no vector repeats an entry, different
 * entries differ by more than delta > 2 log n + 3. Then |boltz| <= r, and |boltz(a) - boltz(b)|
 * > (log n)^2 e^{-2r} whenever the entry sets differ. Proof: proofs-notes/lemma1.md. */
#ifndef ATTEST_THEORY_LEMMA1_H
#define ATTEST_THEORY_LEMMA1_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>
#include <attest/flint.h>
#include "theory/lemma_f.h"

/* Encloses (log n)^2 e^{-2r} and its log2; the lower end of value is itself a bound.
 * Domain: n >= 1, r a ball. For n = 1 the bound is 0 and log2 indeterminate. */
void attest_lemma1_bound(arb_t value, arb_t log2, size_t n, const arb_t r, long bits);

/* Whether gap > 2 log n + 3, decided for every rational (for n >= 2 the right side is
 * irrational, for n = 1 it is 3). Domain: n >= 1. */
bool attest_lemma1_check_gap(const fmpq_t gap, size_t n);

/* The hypotheses, by the names of `attest show lemma1`. */
typedef enum attest_lemma1_hypothesis {
    ATTEST_LEMMA1_HOLDS = 0,
    ATTEST_LEMMA1_EQUAL_LENGTH,  /* all vectors have n entries */
    ATTEST_LEMMA1_NO_DUPLICATES, /* no vector repeats an entry */
    ATTEST_LEMMA1_RADIUS,        /* |entries| < r */
    ATTEST_LEMMA1_GAP            /* different entries differ by more than 2 log n + 3 */
} attest_lemma1_hypothesis;

/* The name: "equal-length", "no-duplicates", "radius", "gap"; "" where all hold. */
const char *attest_lemma1_hypothesis_name(attest_lemma1_hypothesis hypothesis);

/* The first hypothesis that fails for the family and r, and in *where a vector that shows it
 * (for the gap: one that holds the larger of the two close entries). Exact.
 * Domain: count >= 1, no vector empty. Status: DOMAIN, NOMEM. */
attest_status attest_lemma1_check(attest_lemma1_hypothesis *fails, size_t *where,
                                  const attest_family *family, const fmpq_t r,
                                  attest_error *error) ATTEST_WARN_UNUSED;

#endif
