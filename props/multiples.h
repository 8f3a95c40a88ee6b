/* multiples.h -- pairs of sequences of multiples of one vector, the data of Theorem 1. */
#ifndef ATTEST_PROPS_MULTIPLES_H
#define ATTEST_PROPS_MULTIPLES_H

#include <theft.h>

#include "theory/theorem1.h"

enum { ATTEST_MULTIPLES_LENGTH = 4 }; /* the longest sequence of a pair */

/* How a dataset differs from the pair. */
typedef struct attest_multiples_shape {
    bool any_order; /* the tokens of each sequence may be permuted */
    bool bent;      /* the tokens are not collinear */
} attest_multiples_shape;

/* dataset = the sequences of the pair: tokens m u for its multiples m and a random u != 0 of
 * this dim. A bent shape adds m^2 to the last entry of each token; the tokens are collinear all
 * the same if dim is 1 or u lies along the last axis, and are then no pair. Status: NOMEM. */
attest_status attest_multiples_gen(attest_dataset *dataset, struct theft *t, size_t dim,
                                   const attest_universal_pair *pair,
                                   attest_multiples_shape shape) ATTEST_WARN_UNUSED;

/* Returns whether the dataset is such a pair for some u != 0. For a bent shape the multiples
 * are not checked: the sequences must have the lengths of the pair and no token twice, the
 * dataset as many different tokens as the pair has multiples, and the tokens must not all lie
 * on one line through the origin. */
bool attest_multiples_is_pair(const attest_dataset *dataset, const attest_universal_pair *pair,
                              attest_multiples_shape shape);

/* Draws from 0, 1, -1, 2, -2, ... below the limit in absolute value. */
long attest_multiples_gen_small(struct theft *t, uint64_t limit);

/* Draws 1, 10^40 or 10^-40. */
void attest_multiples_gen_scale(fmpz_t numerator, fmpz_t denominator, struct theft *t);

#endif
