/* bench.h -- what attest bench races: a way of this project against a plain one. */
#ifndef ATTEST_CLI_BENCH_H
#define ATTEST_CLI_BENCH_H

#include <attest/attest.h>

/* One contestant: does the work once; false when it could not. */
typedef bool bench_work(void *context);

typedef struct bench_race {
    const char *work;            /* "exp, 1024 doubles" */
    const char *fast, *baseline; /* their names */
    bench_work *run_fast, *run_baseline;
    double seconds, baseline_seconds; /* the best of many; 0 where it could not be done */
} bench_race;

/* Runs both in turn for about `seconds`, at least three times each. */
void attest_bench_run(bench_race *race, void *context, double seconds);

/* The kernels: exp, softmax and hardmax attention, and what the error bound costs. emit gets
 * every race when it has been run. NOMEM. */
typedef void bench_emit(const bench_race *race, void *context);
attest_status attest_bench_kernels(double seconds, bench_emit *emit, void *context);

/* The certifier: the methods first-difference and filter against full evaluation in balls. */
attest_status attest_bench_certifier(double seconds, bench_emit *emit, void *context);

enum { BENCH_KERNEL_RACES = 10, BENCH_CERTIFIER_RACES = 2 };

#endif
