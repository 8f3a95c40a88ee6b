/* reference.h -- certified outputs to measure errors against: of a sample of the sequences of a
 * dataset, and of recorded heads. */
#ifndef ATTEST_AUDIT_REFERENCE_H
#define ATTEST_AUDIT_REFERENCE_H

#include <attest/flint.h>

#include "audit/evaluate.h"
#include "judge/problem.h"

/* Balls at the positions of the sampled sequences: the true entry i lies within radius[i] of
 * middle[i]. */
typedef struct attest_audit_reference {
    size_t *sequence; /* the sample: sequences at equal steps in the dataset */
    size_t sequences;
    size_t positions, dim;
    size_t counted; /* entries of an output that are compared: attest_weights_output_dim */
    size_t *start;  /* where each sequence begins in the sample; sequences + 1 */
    long bits;
    __mpfr_struct *middle, *radius;
    size_t middle_bytes, radius_bytes;
} attest_audit_reference;

/* Samples at most `most` sequences at equal steps, but not more than can be enclosed in about
 * ten seconds, and encloses their outputs with about `bits` bits. After a failure there is
 * nothing to clear. Status: NOMEM, IO, UNABLE. */
attest_status attest_audit_reference_get(attest_audit_reference *reference,
                                         const attest_audit_request *request, size_t most,
                                         long bits, attest_error *error) ATTEST_WARN_UNUSED;

/* Sets entry i of the reference to the ball, whose midpoint is rounded; the ball is widened by
 * the rounding error. */
void attest_audit_reference_set(attest_audit_reference *reference, size_t i, arb_t ball);

/* Returns a rough estimate of the seconds that the balls of one sequence take. */
double attest_audit_ball_cost(const attest_audit_request *request, long bits);

void attest_audit_reference_clear(attest_audit_reference *reference);

/* Returns the position in the dataset of position p of the sample. Domain: p is a position of
 * sequence i of the sample. Without a dataset (NULL) it returns p, for outputs of the sample
 * only. */
size_t attest_audit_reference_place(const attest_audit_reference *reference,
                                    const attest_dataset *dataset, size_t i, size_t p);

/* Outputs and weights of recorded queries, keys and values in balls. */

typedef struct attest_audit_head_reference {
    const attest_judge_problem *problem;
    arb_ptr query, key, value; /* one query; the keys and values of the head, exactly */
    arb_ptr power;             /* e^(score - s) of every key, and of the sink */
    arb_t scale, cap, total, term;
    slong bits; /* for which scale and cap were computed */
} attest_audit_head_reference;

enum { ATTEST_AUDIT_HEAD_BITS = 128 };

/* The problem must outlive it. */
void attest_audit_head_reference_init(attest_audit_head_reference *exact,
                                      const attest_judge_problem *problem);
void attest_audit_head_reference_clear(attest_audit_head_reference *exact);

/* Copies keys and values of a head. */
void attest_audit_head_reference_load(attest_audit_head_reference *exact,
                                      const attest_judge_head *head);

/* out encloses the output of row i, value_dim entries; if an entry may be 0, it is computed
 * again with up to 16 times the bits. weight[j] = the weight of key j, weight[keys] that of the
 * sink; 0 for keys that the row does not see. *off is at least the total variation between
 * these weights and the exact ones. Domain: the row sees a key. */
void attest_audit_head_reference_run(arb_ptr out, double *weight, double *off,
                                     attest_audit_head_reference *exact,
                                     attest_judge_head *head, size_t i);

#endif
