/* separated_parts.h -- the parts from which Definition 1 is decided. */
#ifndef ATTEST_THEORY_SEPARATED_PARTS_H
#define ATTEST_THEORY_SEPARATED_PARTS_H

#include "theory/separated.h"

/* One token over its own denominator. */
typedef struct attest_token_vector {
    size_t dim;
    fmpz *numerator;
    fmpz_t denominator;
} attest_token_vector;

void attest_token_vector_init(attest_token_vector *vector, size_t dim);
void attest_token_vector_clear(attest_token_vector *vector);
void attest_token_vector_set(attest_token_vector *vector, const attest_tokens *tokens,
                             size_t t);

/* |x|^2 and |x - y|^2, exact. */
void attest_token_norm_square(fmpq_t square, const attest_token_vector *x);
void attest_token_distance_square(fmpq_t square, const attest_token_vector *x,
                                  const attest_token_vector *y);

/* Sets no_duplicates and duplicate. Status: NOMEM. Cost: one pass. */
attest_status attest_separated_find_duplicate(attest_separated *extremes,
                                              const attest_dataset *dataset,
                                              attest_error *error) ATTEST_WARN_UNUSED;

#endif
