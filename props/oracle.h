/* oracle.h -- attention and Definition 2, evaluated directly from their definitions.
 *
 * Properties compare the library with this code. It shares no code with src/attention,
 * src/theory and src/certify: score and value matrices are formed first and applied to the
 * table of tokens, and every pair of positions is compared. It is slow: for small data only. */
#ifndef ATTEST_PROPS_ORACLE_H
#define ATTEST_PROPS_ORACLE_H

#include <stdbool.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/flint.h>
#include <attest/weights.h>

#include "theory/separated.h"

typedef struct attest_oracle {
    const attest_dataset *dataset;
    const attest_weights *weights;
    fmpq_mat_t token;   /* dim x V: the tokens as columns */
    fmpq_mat_t *scores; /* per head, V x V: entry (j, k) scores key token j for query token k */
    fmpq_mat_t *values; /* per head, dim x V: W_O W_V times each token */
} attest_oracle;

/* dataset and weights must outlive the oracle. Clear it in any case. Status: NOMEM. */
attest_status attest_oracle_init(attest_oracle *oracle, const attest_dataset *dataset,
                                 const attest_weights *weights) ATTEST_WARN_UNUSED;
void attest_oracle_clear(attest_oracle *oracle);

/* Returns the number of visible keys of the query at a place. */
size_t attest_oracle_seen(const attest_oracle *oracle, attest_place place);

/* Return the score of key j for the query at a place, and entry c of the value of the key. */
const fmpq *attest_oracle_score(const attest_oracle *oracle, size_t h, attest_place place,
                                size_t j);
const fmpq *attest_oracle_value(const attest_oracle *oracle, size_t h, attest_place place,
                                size_t j, size_t c);

/* sum = the contribution of the skip connection to entry c of the output at a place. */
void attest_oracle_skip(fmpq_t sum, const attest_oracle *oracle, attest_place place, size_t c);

/* out = the output at a place, dim rationals. Domain: hardmax. */
void attest_oracle_hardmax(fmpq *out, const attest_oracle *oracle, attest_place place);

/* out encloses the output at a place, dim balls. Domain: softmax. */
void attest_oracle_softmax(arb_ptr out, const attest_oracle *oracle, attest_place place,
                           long bits);

/* Returns whether Definition 2 requires the outputs at the two places to differ. */
bool attest_oracle_required(const attest_oracle *oracle, attest_place a, attest_place b);

/* Returns whether the softmax outputs at the two places are equal: 1 or 0; -1 if the product of
 * all denominators has more than ATTEST_ORACLE_TERMS terms before equal ones are combined, or
 * if there is no memory. Exact: adds the coefficients of equal exponentials
 * (proofs-notes/zero_test.md). */
enum { ATTEST_ORACLE_TERMS = 4096 };
int attest_oracle_equal(const attest_oracle *oracle, attest_place a, attest_place b);

/* Advances to the next place of the dataset, from {0, 0} on; returns false after the last. */
bool attest_oracle_next(attest_place *place, const attest_dataset *dataset);

/* ---- Rational bounds of the square root of a squared distance. */

/* Relative accuracy of the bounds, in bits. The library decides a claim with a tight bound by
 * exact arithmetic or by the zero test, and one with a loose bound in balls. */
enum { ATTEST_ROOT_TIGHT = 200, ATTEST_ROOT_LOOSE = 100 };

/* low < sqrt(square) < high, with a relative accuracy of about 2^-200 (tight) or 2^-100, or
 * that of the ball if it is worse. Domain: the ball is >= 0 and finite; if it contains 0, low
 * may be negative. */
void attest_root_bounds_ball(fmpq_t low, fmpq_t high, const arb_t square, bool tight);

/* The same for a rational >= 0; returns true, and sets root = sqrt(square), if that is
 * rational. */
bool attest_root_bounds(fmpq_t low, fmpq_t root, fmpq_t high, const fmpq_t square);

#endif
