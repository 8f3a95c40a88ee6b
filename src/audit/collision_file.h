/* collision_file.h -- a colliding pair as a counterexample that can be replayed. */
#ifndef ATTEST_AUDIT_COLLISION_FILE_H
#define ATTEST_AUDIT_COLLISION_FILE_H

#include <attest/counterexample.h>

#include "audit/audit.h"

/* Sets the counterexample: the one or two sequences of the pair of positions, the weights, the
 * arithmetic as parameters (delta, number, round, softmax, sum, fma, ...). Status: NOMEM,
 * UNABLE. */
attest_status attest_audit_collision_set(attest_counterexample *counterexample,
                                         const attest_audit *audit,
                                         const attest_arithmetic *arithmetic,
                                         const size_t pair[2],
                                         attest_error *error) ATTEST_WARN_UNUSED;

#endif
