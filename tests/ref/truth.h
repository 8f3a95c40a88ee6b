/* truth.h -- all that a certificate speaks of, exactly.
 *
 * Squares of separations and norms are quotients of sums of exponentials (exponentials.h),
 * straight from the definition of attention; for hardmax, of constants. Any of them can be
 * compared with any rational, equality included. Nothing of src/certify is used, and neither
 * tokens nor vocabularies are compared by anything but their values. For small data: the sums
 * of a pair have up to n^(4 heads) terms. */
#ifndef ATTEST_TESTS_REF_TRUTH_H
#define ATTEST_TESTS_REF_TRUTH_H

#include <stdbool.h>

#include <attest/dataset.h>
#include <attest/weights.h>

#include "tests/ref/exponentials.h"

/* The square above / below of a separation or a norm. */
typedef struct ref_square {
    ref_sum above, below;
    arb_t ball; /* encloses it: exactly 0, or to 128 bits */
} ref_square;

/* Positions are counted through all sequences. */
typedef struct ref_truth {
    size_t positions;
    bool *required;         /* positions * positions: whether a and b are a required pair */
    ref_square *separation; /* positions * positions, of the required pairs a < b */
    ref_square *norm;       /* positions */
    size_t required_pairs;
} ref_truth;

void ref_truth_init(ref_truth *truth, const attest_dataset *dataset,
                    const attest_weights *weights);
void ref_truth_clear(ref_truth *truth);

/* The separation of a required pair, in either order. */
const ref_square *ref_truth_separation(const ref_truth *truth, size_t a, size_t b);

/* Compares the root of the square with x: -1, 0 or 1. */
int ref_square_compare(const ref_square *square, const fmpq_t x);

/* Returns whether above is a rational multiple of below and the root rational; root is set to
 * it. */
bool ref_square_root(fmpq_t root, const ref_square *square);

/* The required pair a < b with the least separation, and the position with the largest norm:
 * the first of those that 128 bits do not tell apart. Returns false if no pair is required. */
bool ref_truth_least(size_t *a, size_t *b, const ref_truth *truth);
size_t ref_truth_largest(const ref_truth *truth);

#endif
