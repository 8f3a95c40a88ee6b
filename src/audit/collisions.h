/* collisions.h -- required pairs whose outputs are equal, and how far apart the others are. */
#ifndef ATTEST_AUDIT_COLLISIONS_H
#define ATTEST_AUDIT_COLLISIONS_H

#include "audit/evaluate.h"
#include "theory/contextual.h"

typedef struct attest_audit_collisions {
    fmpz_t pairs;     /* required pairs with equal outputs, or with one that is not finite */
    size_t nonfinite; /* positions with an entry that is not finite */
    bool has_pair;
    size_t pair[2]; /* the lexicographically first colliding pair of positions */
} attest_audit_collisions;

void attest_audit_collisions_init(attest_audit_collisions *collisions);
void attest_audit_collisions_clear(attest_audit_collisions *collisions);

/* Exact. Status: NOMEM. Cost: a sort of the positions, no pairs. */
attest_status attest_audit_collisions_get(attest_audit_collisions *collisions,
                                          const attest_audit_outputs *outputs,
                                          const attest_contexts *classes,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* Checks the range of exponents of the nonzero outputs. Status: UNABLE if it is so wide that
 * exact distances and norms would take millions of bits. */
attest_status attest_audit_spread_check(const attest_audit_outputs *outputs,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* square = the least square of the distance of two outputs of different classes, exactly; pair
 * = two positions that attain it, the first such. *found is false where there is no required
 * pair. Domain: all outputs finite. Status: NOMEM, UNABLE. Cost: geometry/closest_pair.h. */
attest_status attest_audit_separation_get(arf_t square, size_t pair[2], bool *found,
                                          const attest_audit_outputs *outputs,
                                          const attest_contexts *classes,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* *log2 = the logarithm of the least separation to about 12 digits, for a curve; *known = false
 * if that takes too many comparisons. Domain: all outputs finite, no collision. Status: NOMEM.
 */
attest_status attest_audit_separation_log2(double *log2, bool *known,
                                           const attest_audit_outputs *outputs,
                                           const attest_contexts *classes,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* square = the largest square of a norm over the finite outputs, exactly. Domain:
 * attest_audit_spread_check. */
void attest_audit_norm_get(arf_t square, const attest_audit_outputs *outputs);

/* The parts of the search for the least separation. */

/* attest_audit_separation_get for outputs in MPFR, by a sweep along one axis. Returns false if
 * that takes too many comparisons, or memory, and the results are not set. */
bool attest_audit_separation_sweep(arf_t square, size_t pair[2], bool *found,
                                   const attest_audit_outputs *outputs,
                                   const attest_contexts *classes);

#endif
