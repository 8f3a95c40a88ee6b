/* head_bound.h -- the bounds of the rows of a head, a block of rows at a time: while the keys
 * and the values of a few are in a cache, all rows of the block use them. */
#ifndef ATTEST_JUDGE_HEAD_BOUND_H
#define ATTEST_JUDGE_HEAD_BOUND_H

#include "judge/row.h"

/* What a matrix unit makes of the subnormal inputs of a head, for one variant. */
typedef struct attest_judge_raised {
    double product, scaled, value; /* scaled: a product with a scaled query */
} attest_judge_raised;

/* The rows of a block. Even: two share each pass over the keys. */
enum { ATTEST_JUDGE_BLOCK = 8 };

typedef struct attest_judge_head_bound {
    attest_judge_head head;
    bool loaded;
    attest_judge_rule *rule; /* of the variants that are asked, the caller's */
    size_t rules;
    attest_judge_raised *raised; /* by variant */
    attest_judge_work work[ATTEST_JUDGE_BLOCK];
    double *bias[ATTEST_JUDGE_BLOCK]; /* a row's mask outlives the next row */
    double *panels;                   /* K, as the kernel's products want it */
    double *values;                   /* V, its columns padded to stride */
    size_t stride;
    double *key_size;
    double *row; /* lo, hi, exact, error of the rows, of another variant */
    /* not NULL: called with every row that sees a key and every variant */
    void (*visit)(void *context, const attest_judge_work *work, const attest_judge_rule *rule);
    void *context;
} attest_judge_head_bound;

attest_status attest_judge_head_bound_init(attest_judge_head_bound *bound,
                                           const attest_judge_problem *problem,
                                           attest_judge_rule *rule, size_t rules,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_head_bound_clear(attest_judge_head_bound *bound);

/* Makes a head the current one, unless it is already. */
attest_status attest_judge_head_bound_load(attest_judge_head_bound *bound, size_t batch,
                                           size_t head, attest_error *error) ATTEST_WARN_UNUSED;

/* The bounds of count rows from first on, the hull over the variants: lo, hi, exact, error one
 * after another for every row. Returns why an element has none. */
attest_judge_reason attest_judge_head_bound_rows(double *result, attest_judge_head_bound *bound,
                                                 size_t first, size_t count);

#endif
