/* lse.h -- bounds on the log-sum-exp of a row (proofs-notes/lse.md), and of all rows. */
#ifndef ATTEST_JUDGE_LSE_H
#define ATTEST_JUDGE_LSE_H

#include <attest/lse.h>

#include "judge/head_bound.h"

/* Bounds on the log-sum-exp of one row; reason: why there are none. */
typedef struct attest_judge_lse {
    double lo, hi, exact, error;
    attest_judge_reason reason;
} attest_judge_lse;

/* The bounds for one variant, from the scores and weights of the row (attest_judge_row_scores,
 * attest_judge_row_weights), which stay as they are. Domain: the row sees a key. */
void attest_judge_lse_bound_row(attest_judge_lse *lse, const attest_judge_work *work,
                                const attest_judge_rule *rule);

/* The bounds of a row without keys whose sum has the sink. */
void attest_judge_lse_bound_sink(attest_judge_lse *lse, double sink,
                                 const attest_judge_rule *rule);

/* The value of an empty sum; any: between -inf and +inf. */
void attest_judge_lse_set_empty(attest_judge_lse *lse, attest_judge_lse_empty empty);

/* copy = the model with variants of its own, changed by how, which may be NULL; clear it in any
 * case. Its other members are those of the model. Status: USAGE, NOMEM. */
attest_status attest_judge_lse_model_init(attest_judge_model *copy,
                                          const attest_judge_model *model,
                                          const attest_judge_lse_options *how,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_lse_model_clear(attest_judge_model *copy);

/* |returned - the exact value| is at most this. */
double attest_judge_lse_distance(const attest_judge_lse *lse);

#endif
