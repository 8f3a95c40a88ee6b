/* layer_pairs.h -- pairs of sequences along a line, and two hardmax layers: the instances of
 * two_layers. */
#ifndef ATTEST_PROPS_LAYER_PAIRS_H
#define ATTEST_PROPS_LAYER_PAIRS_H

#include "campaign/property.h"

enum { ATTEST_LAYER_PAIRS_LONGEST = 10 };

/* Two lists of multiples of one vector. */
typedef struct attest_layer_pairs {
    long t[2][ATTEST_LAYER_PAIRS_LONGEST];
    size_t length[2];
} attest_layer_pairs;

/* Draws a pair along a random direction, in any order, and two random layers, or, for any pair
 * and without a hypothesis on the tokens, two that tell apart what fails a part of the
 * criterion. The heads of both layers stand in one set of weights, "first" of them in the first
 * layer. Status: NOMEM. */
attest_status attest_layer_pairs_gen(attest_instance *instance, struct theft *t,
                                     const attest_setting *setting) ATTEST_WARN_UNUSED;

/* The dataset of both lists times u. Status: NOMEM. */
attest_status attest_layer_pairs_build(attest_dataset *dataset, const attest_layer_pairs *lists,
                                       const long *u, size_t dim) ATTEST_WARN_UNUSED;

/* Clears both layers. */
void attest_layer_pairs_clear_weights(attest_weights (*layer)[2]);

#endif
