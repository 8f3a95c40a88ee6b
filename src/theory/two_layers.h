/* two_layers.h -- which universal pairs of Theorem 1 survive a second layer of hardmax
 * attention.
 *
 * Tokens are multiples t of one vector u, none of them 0; ties are shared, there is no mask. A
 * universal pair (equal largest, smallest and mean t, a shared token) is merged at that token
 * by all pairs of layers iff all its tokens have one sign, or, for each sign, the token nearest
 * to 0 and the mean agree, and so do the ratios of multiplicities of the largest positive to
 * the largest negative token and of the smallest ones. Proof: proofs-notes/two_layers.md. */
#ifndef ATTEST_THEORY_TWO_LAYERS_H
#define ATTEST_THEORY_TWO_LAYERS_H

#include <stdbool.h>

#include <attest/error.h>
#include <attest/sequence.h>
#include <attest/weights.h>

#include "theory/theorem1.h"

/* Where a pair fails the criterion, in this order. */
typedef enum attest_two_layers_part {
    ATTEST_TWO_LAYERS_SURVIVES = 0,
    ATTEST_TWO_LAYERS_UNIVERSAL,     /* one layer has different outputs already */
    ATTEST_TWO_LAYERS_NEAREST,       /* least positive, or largest negative token */
    ATTEST_TWO_LAYERS_MEANS,         /* of the positive, or of the negative tokens */
    ATTEST_TWO_LAYERS_MULTIPLICITIES /* the ratios */
} attest_two_layers_part;

/* Exact. Domain: no token is 0, |t| < 2^20, at most 2^10 tokens; the tokens at the positions
 * are equal. */
attest_two_layers_part attest_two_layers_check(const attest_universal_pair *pair);

/* layer[0], layer[1] (initialised) = two layers of one head in two dimensions, u = (1, 0),
 * with different outputs for the pair if it fails in this part. Domain: part is NEAREST,
 * MEANS or MULTIPLICITIES, the pair has both signs; as above. Status: NOMEM. */
attest_status attest_two_layers_separate(attest_weights layer[2],
                                         const attest_universal_pair *pair,
                                         attest_two_layers_part part,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* out = the outputs of layers one after another, length * dim rationals. Exact. Domain: layers
 * >= 1, hardmax, of the sequence's dimension. Status: as attest_attention_exact. */
attest_status attest_two_layers_evaluate(fmpq *out, const attest_weights *layer, size_t layers,
                                         const attest_sequence *sequence,
                                         attest_error *error) ATTEST_WARN_UNUSED;

#endif
