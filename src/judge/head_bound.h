/* head_bound.h -- the bounds of the rows of a head, block by block: all rows of a block use a
 * few keys and values while these are in the cache. */
#ifndef ATTEST_JUDGE_HEAD_BOUND_H
#define ATTEST_JUDGE_HEAD_BOUND_H

#include "judge/row.h"

/* The values that subnormal inputs of a head have when a matrix unit aligns them, for one
 * variant. */
typedef struct attest_judge_raised {
    double product, scaled, value; /* scaled: a product with a scaled query */
} attest_judge_raised;

/* The rows of a block. Even: two share each pass over the keys. */
enum { ATTEST_JUDGE_BLOCK = 8 };

typedef struct attest_judge_head_bound {
    attest_judge_head head;
    bool loaded;
    attest_judge_rule *rule; /* of the selected variants; owned by the caller */
    size_t rules;
    attest_judge_raised *raised; /* by variant */
    attest_judge_work work[ATTEST_JUDGE_BLOCK];
    double *bias[ATTEST_JUDGE_BLOCK]; /* the mask of a row is needed after the next row */
    double *panels;                   /* K, in panels for the loops */
    double *values;                   /* V, its columns padded to stride */
    size_t stride;
    double *key_size;
    double *row; /* lo, hi, exact, error of the rows for another variant */
    /* not NULL: called for every row that sees a key and every variant */
    void (*visit)(void *context, const attest_judge_work *work, const attest_judge_rule *rule);
    void *context;
} attest_judge_head_bound;

attest_status attest_judge_head_bound_init(attest_judge_head_bound *bound,
                                           const attest_judge_problem *problem,
                                           attest_judge_rule *rule, size_t rules,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_head_bound_clear(attest_judge_head_bound *bound);

/* Loads a head, unless it is loaded already. */
attest_status attest_judge_head_bound_load(attest_judge_head_bound *bound, size_t batch,
                                           size_t head, attest_error *error) ATTEST_WARN_UNUSED;

/* The bounds of count rows from first on, the hull over the variants: lo, hi, exact, error one
 * after another for every row. Returns the reason why an element has no bound. */
attest_judge_reason attest_judge_head_bound_rows(double *result, attest_judge_head_bound *bound,
                                                 size_t first, size_t count);

#endif
