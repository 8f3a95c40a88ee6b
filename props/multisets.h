/* multisets.h -- Boltzmann values boltz(A) of multisets A, from the definition and from the
 * identities (M) and (L) of proofs-notes/boltzmann.md. */
#ifndef ATTEST_PROPS_MULTISETS_H
#define ATTEST_PROPS_MULTISETS_H

#include <stdbool.h>
#include <stddef.h>

#include "theory/lemma_f.h"
#include <attest/dataset.h>

/* Two multisets A and B: the distinct values x_i of both, and their multiplicities. */
typedef struct attest_multisets {
    size_t count;
    fmpq *value;
    size_t *times[2]; /* A_i and B_i */
} attest_multisets;

/* Sets them to the entries of sequences a and b of a dataset of dimension 1. Clear them in any
 * case. Status: NOMEM. */
attest_status attest_multisets_init(attest_multisets *sets, const attest_dataset *dataset,
                                    size_t a, size_t b) ATTEST_WARN_UNUSED;
void attest_multisets_clear(attest_multisets *sets);

/* Return the number of entries of A (which = 0) or B (which = 1), and whether they are all
 * equal; most = the largest entry. */
size_t attest_multisets_size(const attest_multisets *sets, int which);
bool attest_multisets_constant(const attest_multisets *sets, int which);
void attest_multisets_most(fmpq_t most, const attest_multisets *sets, int which);

/* Returns whether A_i B_j = A_j B_i for all i and j. */
bool attest_multisets_proportional(const attest_multisets *sets);

/* Enclose boltz by its definition, and boltz(A) - boltz(B) by (M) and by (L). */
void attest_multisets_boltz(arb_t value, const attest_multisets *sets, int which, long bits);
void attest_multisets_by_m(arb_t value, const attest_multisets *sets, long bits);
void attest_multisets_by_l(arb_t value, const attest_multisets *sets, long bits);

/* Encloses boltz(A) - boltz(B) by the library, with a relative accuracy of 2^-40. Status: as
 * attest_boltz_difference_bound. */
attest_status attest_multisets_difference(attest_boltz_difference *difference,
                                          const attest_multisets *sets, long max_bits,
                                          attest_error *error) ATTEST_WARN_UNUSED;

#endif
