/* parallel_rows.h -- bounds and simulated outputs of a plain problem: all entries of its batch
 * have the same numbers of queries and keys, or it is one paged entry. */
#ifndef ATTEST_JUDGE_PARALLEL_ROWS_H
#define ATTEST_JUDGE_PARALLEL_ROWS_H

#include "judge/model.h"

/* attest_judge_bound for a plain problem, `rows` of whose rows have results. */
attest_status attest_judge_bound_plain(attest_judge_bounds *bounds, size_t rows,
                                       const attest_qkv *qkv, const attest_judge_model *model,
                                       const attest_judge_options *options,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* attest_judge_simulate for a plain problem. */
attest_status attest_judge_simulate_plain(double *out, double *lo, double *hi,
                                          const attest_qkv *qkv,
                                          const attest_judge_model *model, size_t schedule,
                                          const attest_judge_options *options,
                                          attest_error *error) ATTEST_WARN_UNUSED;

#endif
