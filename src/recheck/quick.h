/* quick.h -- outputs in doubles with bounds on their errors (proofs-notes/certify.md, "Quick
 * outputs"). Its own loops and its own exp: nothing of the kernels. */
#ifndef ATTEST_RECHECK_QUICK_H
#define ATTEST_RECHECK_QUICK_H

#include "recheck/recheck.h"

/* exp(x) for -708 <= x <= 0 with a relative error below 2^-48. */
#define ATTEST_RECHECK_EXP_ERROR 0x1p-48
double attest_recheck_exp(double x);

typedef struct attest_recheck_quick attest_recheck_quick;

/* NULL where numbers are too large or too small for doubles, or memory is out: then there is
 * no quick way. */
attest_recheck_quick *attest_recheck_quick_new(const attest_recheck *check);
void attest_recheck_quick_free(attest_recheck_quick *quick);

/* out (dim) = the output at the position, and *error at least the Euclidean distance from the
 * exact one. False where there is no such bound, or doubles do not tell which key wins. */
bool attest_recheck_quick_get(double *out, double *error, attest_recheck_quick *quick,
                              const attest_recheck *check, size_t position);

/* By head the token whose value the last output took: two outputs of one token with the same
 * winners are equal, exactly. Domain: hardmax, and get returned true. */
const uint32_t *attest_recheck_quick_winners(const attest_recheck_quick *quick);

#endif
