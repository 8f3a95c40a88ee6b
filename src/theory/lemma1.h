/* lemma1.h -- Lemma 1 of the paper: the Boltzmann operator separates sets.
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

/* Encloses (log n)^2 e^{-2r} and its log2; the lower end of value is itself a bound.
 * Domain: n >= 1, r a ball. For n = 1 the bound is 0 and log2 indeterminate. */
void attest_lemma1_bound(arb_t value, arb_t log2, size_t n, const arb_t r, long bits);

/* True if gap > 2 log n + 3, decided for every rational (for n >= 2 the right side is
 * irrational, for n = 1 it is 3). Domain: n >= 1. */
bool attest_lemma1_check_gap(const fmpq_t gap, size_t n);

#endif
