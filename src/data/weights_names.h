/* weights_names.h -- the words by which files call activations, ties, masks and norms. */
#ifndef ATTEST_DATA_WEIGHTS_NAMES_H
#define ATTEST_DATA_WEIGHTS_NAMES_H

#include <attest/weights.h>

enum { ATTEST_ACTIVATIONS = 2, ATTEST_TIES = 2, ATTEST_MASKS = 2, ATTEST_NORMS = 3 };

extern const char *const attest_activation_names[ATTEST_ACTIVATIONS];
extern const char *const attest_ties_names[ATTEST_TIES];
extern const char *const attest_mask_names[ATTEST_MASKS];
extern const char *const attest_norm_names[ATTEST_NORMS];

#endif
