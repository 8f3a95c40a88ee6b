/* row.h -- one row of a question on its way to a bound: scores, weights, quotient.
 *
 * proofs-notes/judge.md derives every step; its numbers are those of the functions below. */
#ifndef ATTEST_JUDGE_ROW_H
#define ATTEST_JUDGE_ROW_H

#include "judge/question.h"
#include "judge/rule.h"
#include "judge/sum_error.h"

/* Why nothing can be said of an element. */
typedef enum attest_judge_reason {
    ATTEST_JUDGE_BOUNDED = 0, /* something can */
    ATTEST_JUDGE_SCORES_OVERFLOW,
    ATTEST_JUDGE_SCORES_UNCERTAIN,
    ATTEST_JUDGE_WEIGHTS_OVERFLOW,
    ATTEST_JUDGE_SINK_OVERFLOWS,
    ATTEST_JUDGE_SUM_OVERFLOWS,
    ATTEST_JUDGE_PRODUCT_OVERFLOWS,
    ATTEST_JUDGE_OUTPUT_OVERFLOWS
} attest_judge_reason;

/* In words; NULL for the first. */
const char *attest_judge_reason_text(attest_judge_reason reason);

/* What a row takes, for n keys and m columns. Keys that the row does not see have weight 0. */
typedef struct attest_judge_work {
    size_t keys, columns; /* room for so many */

    /* set by the caller, for the keys first .. first + count - 1 of the head */
    size_t first, count;
    size_t dim;
    const double *bias;     /* as in attest_judge_row */
    const double *v;        /* of key first */
    double *s;              /* q . k_j, evaluated in binary64 */
    double *size;           /* sum_c |q_c k_jc|, evaluated likewise */
    const double *key_size; /* sum_c |k_jc|, at least */
    double raised; /* a product of inputs of which one is subnormal counts as this in a matrix
                    * unit; 0: there is none */
    double value_least; /* a subnormal |v_jc| counts as this; 0: there is none */
    double value_most;  /* the largest |v_jc| of the head */
    bool sink;
    double sink_logit;

    /* (1), (2): t_j, known but for evaluated; a kernel's score is within delta_j of t_j */
    double *t, *delta;
    double evaluated; /* at least the error of each t_j that is seen */
    size_t seen;

    /* (3), (4): the largest score is at most top; weights are parts of e^top */
    double top, most; /* most: at least every |score| */
    double *g, *w;    /* w_j = e^(t_j - top) */
    double *low, *high;
    double *cast;            /* the error of a cast weight, at most */
    double *offset, *spread; /* where the reference is known: a cast weight is within spread_j
                              * of w_j + offset_j */
    bool narrow;             /* low, high are w -+ half their distance: no step of Newton's */
    double *tile_low, *tile_high;
    size_t *tile_raises;
    double raises; /* no key's weight is rescaled more often */
    double sink_low, sink_high, sink_weight;
    double sum, sum_low, sum_high; /* of w, low, high, the sink's among them */
    double largest_low, largest_high;
    double doubt; /* at least (high - low) / high where low > 0 */
    double lost;  /* the sum of high where low = 0 */
    double spent; /* what evaluating the weights costs, in units of 2^-51 */

    /* (5), (6), per column */
    double *center, *size_v, *cast_v, *spread_up, *spread_down;
    attest_judge_reason unbounded;
} attest_judge_work;

attest_status attest_judge_work_init(attest_judge_work *work, size_t keys, size_t columns,
                                     attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_work_clear(attest_judge_work *work);

/* (1), (2): t, delta, evaluated, seen from s and size. */
void attest_judge_row_scores(attest_judge_work *work, const attest_judge_rule *rule);

/* (3), (4): the weights. */
void attest_judge_row_weights(attest_judge_work *work, const attest_judge_rule *rule);

/* (5), (6): what a kernel may return, what is exact, and its error, for every column; infinite
 * where work->unbounded is set. Domain: the row sees a key. */
void attest_judge_row_quotient(double *lo, double *hi, double *exact, double *error,
                               attest_judge_work *work, const attest_judge_rule *rule);

#endif
