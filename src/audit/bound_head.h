/* bound_head.h -- an a priori bound on the error of a recorded head in a simulated
 * arithmetic.
 *
 * Steps 1 and 3 to 6 of proofs-notes/audit.md, with scale, mask and sink (its part "Recorded
 * heads").
 */
#ifndef ATTEST_AUDIT_BOUND_HEAD_H
#define ATTEST_AUDIT_BOUND_HEAD_H

#include "audit/bound_setup.h"
#include "judge/problem.h"

typedef struct attest_audit_head_bound {
    const attest_judge_problem *problem;
    attest_audit_model model;
    double *block;    /* all numbers */
    uint32_t *number; /* the keys that a row sees, and where values stand */
    quantities query, key,
        value;              /* of the head; the value of a sink follows those of the keys */
    quantities scale, sink; /* one each */
    bound work;
} attest_audit_head_bound;

/* The problem must outlive it. Status: NOMEM. Clear it in either case. */
attest_status attest_audit_head_bound_init(attest_audit_head_bound *r,
                                           const attest_simulated_arithmetic *arithmetic,
                                           const attest_judge_problem *problem,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_audit_head_bound_clear(attest_audit_head_bound *r);

/* Copies the queries, keys and values of a head. */
void attest_audit_head_bound_load(attest_audit_head_bound *r, const attest_judge_head *head);

/* entry[c] >= |computed - exact output| 2^(unit_bits of the model) in row i, value_dim entries;
 * infinite where there is no bound: possible overflow, or a softcap. Domain: the row sees a
 * key. */
void attest_audit_head_bound_run(double *entry, attest_audit_head_bound *r,
                                 attest_judge_head *head, size_t i);

#endif
