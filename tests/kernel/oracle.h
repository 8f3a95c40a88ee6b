/* oracle.h -- attention from its definition, in balls; the data of the kernel tests.
 *
 * No maximum is subtracted: the sums of exponentials are taken as they stand, at a precision
 * that grows until the answer is clear. */
#ifndef ATTEST_TESTS_KERNEL_ORACLE_H
#define ATTEST_TESTS_KERNEL_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <attest/flint.h>

#include "tests/tap.h"

/* Inputs and outputs of one attention call. */
struct problem {
    size_t batch, n, d;
    bool causal, hardmax;
    double *q, *k, *v; /* batch * n * d */
    double *out;
    double *error; /* batch * n */
};

typedef void attention_function(double *, const double *, const double *, const double *,
                                size_t, size_t, size_t, double *);

void problem_init(struct problem *problem, size_t batch, size_t n, size_t d);
void problem_clear(struct problem *problem);

/* The public function that the problem's flags ask for. */
attention_function *problem_function(const struct problem *problem);

/* out and error by the kernel in use. */
void problem_run(struct problem *problem);

/* Fills q, k, v. kind < PROBLEM_KINDS picks what the data look like. */
#define PROBLEM_KINDS 11
void problem_fill(struct problem *problem, unsigned kind, uint64_t *state);
extern const char *const problem_kind_name[PROBLEM_KINDS];

/* Returns whether row i of batch entry b of `out` is within `error` of the exact result; +inf
 * always is. *distance gets the distance, to about 3 digits (0 for a hardmax row with error
 * +inf, which is not looked at). */
bool problem_row_inside(const struct problem *problem, size_t b, size_t i, double *distance);

/* Returns whether long double arithmetic shows that the row is within `error`; false says
 * nothing. Faster by far than problem_row_inside. *distance as there. */
bool problem_row_clear(const struct problem *problem, size_t b, size_t i, double *distance);

/* A double in [-1, 1]; one with random bits; a nearly normal one. */
double random_unit(uint64_t *state);
double random_bits(uint64_t *state);
double random_normal(uint64_t *state);

#endif
