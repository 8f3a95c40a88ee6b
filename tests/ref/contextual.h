/* contextual.h -- Definition 2 by brute force.
 *
 * Outputs come from attention.h; every pair of positions is looked at, and required pairs are
 * found by comparing sets token by token. Nothing of src/theory or src/certify is used. */
#ifndef ATTEST_TESTS_REF_CONTEXTUAL_H
#define ATTEST_TESTS_REF_CONTEXTUAL_H

#include <stdbool.h>

#include <attest/dataset.h>
#include <attest/flint.h>
#include "theory/separated.h"
#include <attest/weights.h>

/* How an extreme compares with a bound, by brute force. */
typedef enum ref_side { REF_BELOW = -1, REF_MET = 0, REF_ABOVE = 1, REF_UNKNOWN = 2 } ref_side;

typedef struct ref_contextual {
    size_t required;      /* pairs of positions */
    ref_side separation;  /* the least separation against delta; REF_ABOVE: no pair */
    ref_side norm;        /* the largest norm against r */
    arb_t least, largest; /* the squares of both */
} ref_contextual;

void ref_contextual_init(ref_contextual *found);
void ref_contextual_clear(ref_contextual *found);

/* Hardmax: exact. Softmax: in balls of this precision; unknown where they overlap the bound.
 * r may be NULL: then norm is REF_BELOW. */
void ref_contextual_get(ref_contextual *found, const attest_dataset *dataset,
                        const attest_weights *weights, const fmpq *delta, const fmpq *r,
                        slong precision);

/* How the separation of a pair of places compares with delta, and whether it is required; for
 * two equal places how the norm of that output compares with it. */
ref_side ref_contextual_compare(bool *is_required, const attest_dataset *dataset,
                                const attest_weights *weights, const attest_place pair[2],
                                const fmpq *bound, slong precision);

#endif
