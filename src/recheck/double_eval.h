/* double_eval.h -- outputs in doubles with bounds on their errors (proofs-notes/certify.md,
 * "Evaluation in doubles"). It has its own loops and its own exp, and uses nothing of the
 * kernels. */
#ifndef ATTEST_RECHECK_DOUBLE_EVAL_H
#define ATTEST_RECHECK_DOUBLE_EVAL_H

#include "recheck/recheck.h"

/* exp(x) for -708 <= x <= 0 with a relative error below 2^-48. */
#define ATTEST_RECHECK_EXP_ERROR 0x1p-48
double attest_recheck_exp(double x);

typedef struct attest_recheck_double_eval attest_recheck_double_eval;

/* Returns NULL if numbers are too large or too small for doubles, or memory is exhausted; use
 * balls then. */
attest_recheck_double_eval *attest_recheck_double_eval_new(const attest_recheck *check);
void attest_recheck_double_eval_free(attest_recheck_double_eval *eval);

/* out (dim) = the output at the position, and *error at least the Euclidean distance from
 * the exact one. False if there is no such bound, or doubles leave the winning key open. */
bool attest_recheck_double_eval_get(double *out, double *error,
                                    attest_recheck_double_eval *eval,
                                    const attest_recheck *check, size_t position);

/* Returns, by head, the token whose value the last output took: two outputs of one token
 * with the same winners are exactly equal. Domain: hardmax, and get returned true. */
const uint32_t *attest_recheck_double_eval_winners(const attest_recheck_double_eval *eval);

#endif
