/* interval_steps.h -- single operations of a replayed kernel on what lies between two numbers.
 */
#ifndef ATTEST_JUDGE_INTERVAL_STEPS_H
#define ATTEST_JUDGE_INTERVAL_STEPS_H

#include "judge/interval_run.h"

enum { LOWER, UPPER };

/* Lemma 3: exp of an argument in the range, with any error of the model; two: exp2. */
attest_judge_interval attest_judge_interval_exp(const attest_judge_instance *x,
                                                attest_judge_interval argument, bool two);

/* Lemma 8: the polynomial of the recipe in place of exp2, bit by bit but for flushing. */
attest_judge_interval attest_judge_interval_polynomial(const attest_judge_instance *x,
                                                       attest_judge_interval argument);

/* Lemma 4: a product with a factor that is not negative; side: the sums of both ends. */
attest_judge_interval attest_judge_interval_scale(attest_judge_interval y,
                                                  attest_judge_interval factor,
                                                  const attest_judge_accumulator side[2]);

/* Lemma 6: a / b with the error of the final division. False: b may be 0, or the quotient
 * beyond the largest number. */
bool attest_judge_interval_divide(attest_judge_interval *quotient,
                                  const attest_judge_instance *x, attest_judge_interval a,
                                  attest_judge_interval b);

/* The output from the product with V, a, and the row sum, b: divided here or before, times the
 * factor of v, by one more rounding of the quotient or of 1 / b. False also where the factor
 * over b may be no normal number. */
bool attest_judge_interval_output(attest_judge_interval *output, const attest_judge_instance *x,
                                  attest_judge_interval a, attest_judge_interval b,
                                  const attest_judge_accumulator side[2]);

/* lo, hi = the exponentials of so many keys, whose scores are known, from the row's number
 * first on; 0 where a key is not seen. False: nothing is done, they are to be found one by one.
 */
bool attest_judge_interval_exponentials(double *lo, double *hi, attest_judge_interval_run *r,
                                        size_t first, size_t count, double reference);

/* P, before its cast, as it is multiplied with V, (j). Domain: >= 0, it is not quantised. */
void attest_judge_interval_cast(double *weight, const attest_judge_instance *x, size_t count);

/* The row sums of both ends, lane by lane. */
typedef struct attest_judge_interval_lanes {
    double sum[2][ATTEST_RECIPE_LANES];
    bool started[ATTEST_RECIPE_LANES];
    size_t running; /* so many are started */
} attest_judge_interval_lanes;

/* Adds terms >= 0, the first of them to lane number lead, or so many times all of them more. */
void attest_judge_interval_add_lanes(attest_judge_interval_lanes *lanes,
                                     const double *const term[2], size_t lead, size_t count,
                                     const attest_judge_interval_run *r);

/* o += the weights of a tile times its values; first: the row's first key, where the weights
 * begin; started: o, r->o or r->group, is not empty. False: beyond the largest number. */
bool attest_judge_interval_values(double *const o[2], attest_judge_interval_run *r,
                                  const attest_judge_head *head, size_t first,
                                  const attest_judge_tile *tile, bool started);

/* r->o += r->group, which becomes 0. */
void attest_judge_interval_promote(attest_judge_interval_run *r, bool *started);

/* Lemma 9: r->o = the outputs of the splits, joined by their logarithms. False: beyond the
 * largest number. */
bool attest_judge_interval_join(attest_judge_interval_run *r,
                                const attest_judge_interval_split *split, size_t splits);

#endif
