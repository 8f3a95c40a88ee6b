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
    size_t *sequence; /* the sample: sequences at equal steps */
    size_t sequences;
    size_t positions, dim;
    size_t counted; /* of the dim entries of an output: weights.h */
    size_t *start;  /* sequences + 1 places of the sample's positions in it */
    long bits;
    __mpfr_struct *middle, *radius;
    size_t middle_bytes, radius_bytes;
} attest_audit_reference;

/* Samples at most `most` sequences, evenly, so few that their balls take about ten seconds, and
 * encloses their outputs to about bits bits. Status: NOMEM, IO, UNABLE. */
attest_status attest_audit_reference_get(attest_audit_reference *reference,
                                         const attest_audit_request *request, size_t most,
                                         long bits, attest_error *error) ATTEST_WARN_UNUSED;

/* Balls with 0 inside, of a passage of the sequence with this number, are made exactly 0, or so
 * small that they leave 0 out: where an ulp is depends on it (proofs-notes/audit.md, Zeros). A
 * ball stays as it is only where neither is found at 64 times the bits. Status: UNABLE, NOMEM.
 */
attest_status attest_audit_zeros_settle(arb_ptr ball, const attest_audit_request *request,
                                        size_t number, const attest_sequence *sequence,
                                        attest_audit_passage passage,
                                        long bits) ATTEST_WARN_UNUSED;

/* Entry i of the reference = this ball, which gets what its midpoint loses by rounding. */
void attest_audit_reference_set(attest_audit_reference *reference, size_t i, arb_t ball);

/* The seconds that the balls of one sequence take, very roughly. */
double attest_audit_ball_cost(const attest_audit_request *request, long bits);

void attest_audit_reference_clear(attest_audit_reference *reference);

/* Where position p of the sample, in its sequence i, stands among those of the dataset. NULL:
 * p, outputs are those of the sample. */
size_t attest_audit_reference_place(const attest_audit_reference *reference,
                                    const attest_dataset *dataset, size_t i, size_t p);

/* Outputs and weights of recorded queries, keys and values in balls. */

typedef struct attest_audit_head_reference {
    const attest_judge_problem *question;
    arb_ptr query, key, value; /* one query; the keys and values of the head, exactly */
    arb_ptr power;             /* of every key that a row sees, and of the sink */
    arb_t scale, cap, total, term;
    slong bits; /* for which scale and cap were computed */
} attest_audit_head_reference;

enum { ATTEST_AUDIT_HEAD_BITS = 128 };

/* The question must outlive it. */
void attest_audit_head_reference_init(attest_audit_head_reference *exact,
                                      const attest_judge_problem *question);
void attest_audit_head_reference_clear(attest_audit_head_reference *exact);

/* Takes keys and values of a head. */
void attest_audit_head_reference_load(attest_audit_head_reference *exact,
                                      const attest_judge_head *head);

/* out encloses the output of row i, value_dim entries; entries with 0 inside that are not 0 for
 * certain were refined up to 16 times the bits. weight[j] = the part of key j, [keys] that of
 * the sink, 0 for keys that are not seen; *off >= the total variation between these and the
 * exact ones. Domain: the row sees a key. */
void attest_audit_head_reference_run(arb_ptr out, double *weight, double *off,
                                     attest_audit_head_reference *exact,
                                     attest_judge_head *head, size_t i);

#endif
