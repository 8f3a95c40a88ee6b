/* separated_parts.h -- the parts from which Definition 1 is decided. */
#ifndef ATTEST_THEORY_SEPARATED_PARTS_H
#define ATTEST_THEORY_SEPARATED_PARTS_H

#include "number/rational_vector.h"
#include "theory/separated.h"

/* vector = token t, over its own denominator. */
void attest_token_vector_set(attest_rational_vector *vector, const attest_tokens *tokens,
                             size_t t);

/* Sets no_duplicates and duplicate. Status: NOMEM. Cost: one pass. */
attest_status attest_separated_find_duplicate(attest_separated *extremes,
                                              const attest_dataset *dataset,
                                              attest_error *error) ATTEST_WARN_UNUSED;

#endif
