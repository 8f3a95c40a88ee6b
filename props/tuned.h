/* tuned.h -- the property of the rank-1 softmax head that needs no gap: its hypotheses and its
 * instances. */
#ifndef ATTEST_PROPS_TUNED_H
#define ATTEST_PROPS_TUNED_H

#include "campaign/property.h"

/* Larger heads are looked at exactly. */
enum { ATTEST_TUNED_DIM = 8, ATTEST_TUNED_SIZE = 8 };

/* A head in doubles: W_Q = u_0 v^T, W_K = u_1 v^T, W_V = u_2 v^T, and W_O, row-major. */
typedef struct attest_tuned_head {
    size_t dim, size;
    double v[ATTEST_TUNED_DIM];
    double u[3][ATTEST_TUNED_SIZE];
    double o[ATTEST_TUNED_DIM * ATTEST_TUNED_SIZE];
} attest_tuned_head;

/* value[t] = about v.x for each of count tokens; *spread bounds their range. Returns whether
 * they are surely different, and different from 0. */
bool attest_tuned_project(double *value, double *spread, const attest_tuned_head *head,
                          const double *token, size_t count);

/* Whether w = W_O u_2 is surely not 0, and surely (a) shorter than the least distance over the
 * spread, or (b) parallel to no difference of tokens. *excess: about how many times too long it
 * is for (a). */
bool attest_tuned_keeps_apart(double *excess, const attest_tuned_head *head,
                              const double *token, size_t count, double spread);

/* Whether all hypotheses of the statement surely hold, from doubles with error bounds. */
bool attest_tuned_surely(const attest_instance *instance);

/* Whether they hold, all but setting->without, exactly. */
bool attest_tuned_exactly(const attest_instance *instance, const attest_setting *setting);

/* Data and a head that meet the hypotheses; where one is dropped they are of a kind on which
 * the conclusion fails: nonzero, kappa   contexts of equal means, which are all that a zero
 * query or score sees injective        two tokens that v cannot tell apart w nothing is added
 * to the tokens apart            w = -1 takes back what the skip connection keeps apart */
attest_status attest_tuned_gen(attest_instance *instance, struct theft *t,
                               const attest_setting *setting);

#endif
