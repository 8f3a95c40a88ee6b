/* recorded_exact.h -- outputs and weights of recorded queries, keys and values in balls. */
#ifndef ATTEST_AUDIT_RECORDED_EXACT_H
#define ATTEST_AUDIT_RECORDED_EXACT_H

#include <attest/flint.h>

#include "judge/problem.h"

typedef struct attest_recorded_exact {
    const attest_judge_problem *question;
    arb_ptr query, key, value; /* one query; the keys and values of the head, exactly */
    arb_ptr power;             /* of every key that a row sees, and of the sink */
    arb_t scale, cap, total, term;
    slong bits; /* for which scale and cap were computed */
} attest_recorded_exact;

enum { ATTEST_RECORDED_BITS = 128 };

/* The question must outlive it. */
void attest_recorded_exact_init(attest_recorded_exact *exact,
                                const attest_judge_problem *question);
void attest_recorded_exact_clear(attest_recorded_exact *exact);

/* Takes keys and values of a head. */
void attest_recorded_exact_load(attest_recorded_exact *exact, const attest_judge_head *head);

/* out encloses the output of row i, value_dim entries; entries with 0 inside that are not 0 for
 * certain were refined up to 16 times the bits. weight[j] = the part of key j, [keys] that of
 * the sink, 0 for keys that are not seen; *off >= the total variation between these and the
 * exact ones. Domain: the row sees a key. */
void attest_recorded_exact_run(arb_ptr out, double *weight, double *off,
                               attest_recorded_exact *exact, attest_judge_head *head, size_t i);

#endif
