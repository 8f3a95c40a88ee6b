/* attention_rows.h -- sigma(Q K^T) V for rows of doubles, exactly or in balls.
 *
 * Shares no code with the kernels, nor with src/attention: scores are exact sums, weights are
 * exponentials of exact differences. */
#ifndef ATTEST_PROPS_ATTENTION_ROWS_H
#define ATTEST_PROPS_ATTENTION_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>
#include <attest/status.h>

/* n rows of d doubles each, row-major, all finite. */
typedef struct attest_rows {
    size_t n, d;
    const double *q, *k, *v;
    bool hardmax, causal; /* ties are uniform */
} attest_rows;

/* Row i of the output is sum / weight. Hardmax: both are exact. */
typedef struct attest_row {
    arb_ptr sum; /* d */
    arb_t weight;
    arf_struct *score;   /* n, exact */
    arb_ptr term, value; /* n; n * d, exact */
    const attest_rows *rows;
    size_t seen; /* visible keys */
} attest_row;

/* Status: NOMEM. Clear it in any case. */
attest_status attest_row_init(attest_row *row, const attest_rows *rows) ATTEST_WARN_UNUSED;
void attest_row_clear(attest_row *row);

/* Computes the scores of row i. */
void attest_row_begin(attest_row *row, size_t i);

/* Computes sum and weight of the current row, for softmax in balls of this precision. */
void attest_row_evaluate(attest_row *row, long bits);

/* Returns whether the row is within bound (finite, >= 0) of d doubles: 1 yes, -1 no, 0 unknown
 * at this precision. *margin is about log2(bound / distance), +infinity if the distance is 0.
 */
int attest_row_compare(double *margin, const attest_row *row, const double *out, double bound,
                       long bits);

/* Returns 1 if y is within ATTEST_KERNEL_EXP_ULP units in the last place of e^x (+infinity for
 * overflow, 1 for x = 0), -1 if not, 0 if undecided. Domain: x is finite. */
int attest_exp_compare(double y, double x);

#endif
