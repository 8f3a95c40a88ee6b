/* tuned.h -- the property of the rank-1 softmax head that needs no gap: hypotheses and
 * instances. */
#ifndef ATTEST_PROPS_TUNED_H
#define ATTEST_PROPS_TUNED_H

#include "campaign/property.h"

/* Larger heads are decided exactly. */
enum { ATTEST_TUNED_DIM = 8, ATTEST_TUNED_SIZE = 8 };

/* A head in doubles: W_Q = u_0 v^T, W_K = u_1 v^T, W_V = u_2 v^T, and W_O, row-major. */
typedef struct attest_tuned_head {
    size_t dim, size;
    double v[ATTEST_TUNED_DIM];
    double u[3][ATTEST_TUNED_SIZE];
    double o[ATTEST_TUNED_DIM * ATTEST_TUNED_SIZE];
} attest_tuned_head;

/* value[t] = an approximation of v.x for each of count tokens; *spread bounds their range.
 * Returns whether they are proved to be distinct and nonzero. */
bool attest_tuned_project(double *value, double *spread, const attest_tuned_head *head,
                          const double *token, size_t count);

/* Returns whether w = W_O u_2 is proved to be nonzero, and either (a) shorter than the least
 * distance divided by the spread, or (b) not parallel to any difference of tokens. *excess:
 * about the factor by which it is too long for (a). */
bool attest_tuned_keeps_apart(double *excess, const attest_tuned_head *head,
                              const double *token, size_t count, double spread);

/* Returns whether all hypotheses of the statement are proved, from doubles with error bounds.
 */
bool attest_tuned_surely(const attest_instance *instance);

/* Returns whether all of them except setting->without hold, exactly. */
bool attest_tuned_exactly(const attest_instance *instance, const attest_setting *setting);

#endif
