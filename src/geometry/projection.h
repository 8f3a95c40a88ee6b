/* projection.h -- all tokens of a dataset along one direction: numbers, order, least gap; and
 * the radix sort that orders them.
 *
 * Doubles with rigorous error bounds decide most comparisons, exact arithmetic the others. */
#ifndef ATTEST_GEOMETRY_PROJECTION_H
#define ATTEST_GEOMETRY_PROJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/dataset.h>

#include "number/rationals.h"

typedef struct attest_projection {
    const attest_tokens *tokens;
    const attest_rational_vector *vector;
    slong exponent; /* of the unit */
    double *value;  /* vector.token lies within error of value, in units of 2^exponent */
    double *error;
    uint32_t *rank;  /* once sorted: the place of each token in ascending order */
    uint32_t *token; /* and the token of each place */
    bool injective;  /* different tokens have different values; else: */
    uint32_t equal[2];
    bool has_gap; /* there are two values, and their exact least distance is: */
    fmpq_t gap;
    uint32_t close[2]; /* the tokens that attain it */
} attest_projection;

/* Computes value and error. Domain: vector is not 0. Must be cleared, also after a failure.
 * Error: proofs-notes/first_difference.md, "Projections". Status: NOMEM, UNABLE (an entry of
 * the vector or of a token is beyond 2^+-900 of its unit: doubles do not serve). Cost: count *
 * dim. */
attest_status attest_projection_init(attest_projection *projection, const attest_tokens *tokens,
                                     const attest_rational_vector *vector,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_projection_clear(attest_projection *projection);

/* Sets rank, token, injective. Exact. Status: NOMEM. */
attest_status attest_projection_order(attest_projection *projection) ATTEST_WARN_UNUSED;

/* An upper bound of the least distance of neighbours in that order, in units of 2^exponent;
 * infinite if there are no neighbours. */
double attest_projection_gap_above(const attest_projection *projection);

/* Sets has_gap, gap and close. Exact. Domain: the order is set. */
void attest_projection_find_gap(attest_projection *projection);

/* Order and gap. Status: NOMEM. Cost: O(count), and exact products for the tokens that doubles
 * do not separate or that may attain the gap. */
attest_status attest_projection_sort(attest_projection *projection) ATTEST_WARN_UNUSED;

/* value = vector.token t. Exact. */
void attest_projection_get(fmpq_t value, const attest_projection *projection, size_t t);

typedef struct attest_radix_item {
    uint64_t key;
    uint32_t index;
} attest_radix_item;

/* Sorts by key, ascending and stable. Cost: O(count), and beyond 64 items as much memory again,
 * and 98 kB, while it runs. Status: NOMEM. */
attest_status attest_radix_sort(attest_radix_item *item, size_t count) ATTEST_WARN_UNUSED;

/* A key that orders finite doubles as numbers. */
uint64_t attest_radix_key(double x);

#endif
