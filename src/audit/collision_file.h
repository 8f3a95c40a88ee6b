/* collision_file.h -- a colliding pair as a counterexample that can be replayed. */
#ifndef ATTEST_AUDIT_COLLISION_FILE_H
#define ATTEST_AUDIT_COLLISION_FILE_H

#include "data/counterexample.h"

#include "audit/audit.h"

/* Sets the counterexample: the one or two sequences of the pair of positions, the weights, the
 * arithmetic as parameters (delta, format, rounding, softmax, sum, fma, ...). Status: NOMEM,
 * UNABLE. */
attest_status attest_audit_collision_set(attest_counterexample *counterexample,
                                         const attest_audit *audit,
                                         const attest_simulated_arithmetic *arithmetic,
                                         const size_t pair[2],
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Returns whether the counterexample is a collision in an arithmetic: whether it has the
 * parameter "format". */
bool attest_audit_collision_is(const attest_counterexample *counterexample);

/* arithmetic = the one that the parameters describe. Domain: a collision. Status: FORMAT. */
attest_status attest_audit_collision_arithmetic(attest_simulated_arithmetic *arithmetic,
                                                const attest_counterexample *counterexample,
                                                attest_error *error) ATTEST_WARN_UNUSED;

/* *collides = whether the pair is required and its outputs collide in the arithmetic of the
 * file. Domain: a collision. Status: FORMAT (a parameter, or data, weights or pair missing),
 * NOMEM. */
attest_status attest_audit_collision_check(bool *collides,
                                           const attest_counterexample *counterexample,
                                           attest_error *error) ATTEST_WARN_UNUSED;

#endif
