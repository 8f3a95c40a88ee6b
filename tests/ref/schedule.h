/* schedule.h -- a row of a schedule, from its definition in proofs-notes/judge-kernels.md:
 * MPFR, no code of the library's. */
#ifndef ATTEST_TESTS_REF_SCHEDULE_H
#define ATTEST_TESTS_REF_SCHEDULE_H

#include <attest/flint.h>

#include "judge/model.h"

/* One row: q of dim numbers, keys k and values v, which of them are seen, what is added. */
typedef struct ref_row {
    const double *q, *k, *v;
    size_t keys, dim, value_dim;
    size_t first, last; /* all that is seen is in here */
    const bool *seen;
    const double *bias; /* NULL: none */
    bool rsqrt;
    double over, under; /* the scale is their quotient */
    double cap;         /* 0: none */
    bool sink;
    double logit;
} ref_row;

/* out = what the kernel returns, exp, tanh and the division correctly rounded. */
void ref_schedule(double *out, const ref_row *row, const attest_judge_variant *variant,
                  const attest_judge_schedule *schedule);

#endif
