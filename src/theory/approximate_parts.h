/* approximate_parts.h -- the parts of universal approximation. */
#ifndef ATTEST_THEORY_APPROXIMATE_PARTS_H
#define ATTEST_THEORY_APPROXIMATE_PARTS_H

#include "theory/approximate.h"

/* stairs = the layer that maps each entry in [0, 1] to the centre of its cell, outside the
 * ramps of this width around the G - 1 borders. Status: NOMEM. */
attest_status attest_stairs_build(attest_feed_forward *stairs, size_t dim, size_t grid,
                                  const fmpq_t ramp, attest_error *error) ATTEST_WARN_UNUSED;

/* Decides, exactly, whether the layer is constant and equal to the centre on every cell of
 * every axis without its ramps. *flat = false: a cell on which it is not is named in reason.
 * Status: NOMEM. */
attest_status attest_stairs_check(bool *flat, char *reason, size_t size,
                                  const attest_feed_forward *stairs, size_t grid,
                                  const fmpq_t ramp, attest_error *error) ATTEST_WARN_UNUSED;

/* Sets subdivisions, l1, l2 and their bounds, for a network that is f at the centres on all
 * cells without their ramps and stays inside the range of f everywhere. Status: USAGE. */
attest_status attest_approximation_bound(attest_approximation *approximation,
                                         attest_error *error) ATTEST_WARN_UNUSED;

#endif
