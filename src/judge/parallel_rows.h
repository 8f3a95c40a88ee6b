/* parallel_rows.h -- bounds and simulated outputs of a plain problem: all entries of its batch
 * have the same numbers of queries and keys, or it is one paged entry. */
#ifndef ATTEST_JUDGE_PARALLEL_ROWS_H
#define ATTEST_JUDGE_PARALLEL_ROWS_H

#include <sys/types.h>

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

/* Progress reports to the caller of the library, and its requests to cancel. Set options. */
typedef struct attest_judge_caller {
    const attest_judge_options *options;
    pid_t process; /* forked workers do not call its functions */
    double polled; /* when it was last polled */
    bool stopped;  /* it has cancelled the work */
} attest_judge_caller;

/* Reports progress and polls the caller at intervals. Returns false if the caller has
 * cancelled. */
bool attest_judge_caller_report(attest_judge_caller *caller, const char *what, size_t done,
                                size_t total);

/* Runs the items in jobs processes; total: of the steps that they report. Status: STOPPED if
 * the caller cancelled. */
attest_status attest_judge_caller_run(attest_judge_caller *caller,
                                      bool (*item)(void *context, size_t i), void *context,
                                      size_t items, size_t jobs, const char *what, size_t total,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
