/* positional.h -- Corollary 2: an encoding of positions that keeps tokens apart.
 *
 * The token x at position k (from 0) becomes x + (k + 1) step e, e a unit vector, with
 *     step = 2 r_max + eps,  |x| < r_max for all tokens, |x - x'| > eps for different ones.
 * Then different encoded tokens are more than eps apart, none is zero, no sequence has one
 * twice, and different sequences become different sets (proofs-notes/positional.md). */
#ifndef ATTEST_THEORY_POSITIONAL_H
#define ATTEST_THEORY_POSITIONAL_H

#include <stdbool.h>

#include <attest/dataset.h>
#include <attest/error.h>

typedef struct attest_positional {
    size_t axis;
    fmpq_t r_max, eps;       /* bounds of Definition 1 that hold, short rationals */
    fmpq_t step;             /* 2 r_max + eps */
    bool eps_by_denominator; /* eps is half of 1 / the common denominator: too many pairs */
} attest_positional;

void attest_positional_init(attest_positional *positional);
void attest_positional_clear(attest_positional *positional);

/* Finds bounds that hold for the dataset, and the step, which keeps eps. Exact: the bounds are
 * at most 2^-6 of themselves away from the extremes. Status: NOMEM, UNABLE. Cost: that of
 * attest_separated_get; where that is too much (more than 8 entries a token and 2e9 products)
 * eps is a bound that needs no pairs. */
attest_status attest_positional_get(attest_positional *positional,
                                    const attest_dataset *dataset,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* encoded = the dataset, without labels, its tokens filled up with zeros to dim entries and, if
 * step is not NULL, moved by (k + 1) step along the axis. Exact. Domain: dim >= dataset->dim,
 * axis < dim. Status: NOMEM. */
attest_status attest_positional_encode(attest_dataset *encoded, const attest_dataset *dataset,
                                       size_t dim, size_t axis, const fmpq *step,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
