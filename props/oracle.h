/* oracle.h -- attention and Definition 2 from their words, slowly, by another route.
 *
 * Shares no code with src/attention, src/theory and src/certify: score and value matrices are
 * formed first and applied to the table of tokens; every pair of positions is looked at. What
 * properties compare the library with. For small data only. */
#ifndef ATTEST_PROPS_ORACLE_H
#define ATTEST_PROPS_ORACLE_H

#include <stdbool.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include "theory/separated.h"
#include <attest/weights.h>

typedef struct attest_oracle {
    const attest_dataset *dataset;
    const attest_weights *weights;
    fmpq_mat_t token;   /* dim x V: the tokens as columns */
    fmpq_mat_t *scores; /* per head, V x V: entry (j, k) scores key token j for query token k */
    fmpq_mat_t *values; /* per head, dim x V: W_O W_V times each token */
} attest_oracle;

/* Borrows dataset and weights. Always to be cleared. Status: NOMEM. */
attest_status attest_oracle_init(attest_oracle *oracle, const attest_dataset *dataset,
                                 const attest_weights *weights) ATTEST_WARN_UNUSED;
void attest_oracle_clear(attest_oracle *oracle);

/* How many keys the query at this place sees. */
size_t attest_oracle_seen(const attest_oracle *oracle, attest_place place);

/* The score of key j for the query at a place, and entry c of what the key contributes. */
const fmpq *attest_oracle_score(const attest_oracle *oracle, size_t h, attest_place place,
                                size_t j);
const fmpq *attest_oracle_value(const attest_oracle *oracle, size_t h, attest_place place,
                                size_t j, size_t c);

/* sum = what skip contributes to entry c of the output at a place. */
void attest_oracle_skip(fmpq_t sum, const attest_oracle *oracle, attest_place place, size_t c);

/* out = the output at a place, dim rationals. Domain: hardmax. */
void attest_oracle_hardmax(fmpq *out, const attest_oracle *oracle, attest_place place);

/* out encloses the output at a place, dim balls. Domain: softmax. */
void attest_oracle_softmax(arb_ptr out, const attest_oracle *oracle, attest_place place,
                           long bits);

/* Whether Definition 2 requires the outputs at the two places to differ. */
bool attest_oracle_required(const attest_oracle *oracle, attest_place a, attest_place b);

/* Whether the softmax outputs at the two places are equal: 1 or 0; -1 when the product of all
 * denominators has more than ATTEST_ORACLE_TERMS terms. Exact, by collecting the coefficients
 * of equal exponentials (proofs-notes/zero_test.md). */
enum { ATTEST_ORACLE_TERMS = 4096 };
int attest_oracle_equal(const attest_oracle *oracle, attest_place a, attest_place b);

/* The places of a dataset in order: starts at {0, 0}; false behind the last. */
bool attest_oracle_next(attest_place *place, const attest_dataset *dataset);

#endif
