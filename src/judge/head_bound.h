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

/* Rounds the values of the head that is loaded to a format, to nearest; whether one changed. */
bool attest_judge_head_bound_round(attest_judge_head_bound *bound, const attest_format *format);

/* The bounds of these rows, at most ATTEST_JUDGE_BLOCK of them, the hull over the variants: lo,
 * hi, exact, error one after another for every row. They do not depend on which other rows are
 * in the block. Returns the reason why an element has no bound. */
attest_judge_reason attest_judge_head_bound_block(double *result,
                                                  attest_judge_head_bound *bound,
                                                  const size_t *rows, size_t count);

/* The same for count rows from first on. */
attest_judge_reason attest_judge_head_bound_rows(double *result, attest_judge_head_bound *bound,
                                                 size_t first, size_t count);

/* ---- how much each stage (1) to (6) of proofs-notes/judge.md contributes to the bound of an
 * element, to first order. An explanation, not a bound: where weights are uncertain the parts
 * add up to less than the bound ---- */

typedef enum attest_judge_stage {
    ATTEST_JUDGE_STAGE_SCORES = 0, /* (1): the sums of products */
    ATTEST_JUDGE_STAGE_SCALING,    /* (2): scale, softcap, mask */
    ATTEST_JUDGE_STAGE_WEIGHTS,    /* (3): arguments, exponentials, rescales, splits */
    ATTEST_JUDGE_STAGE_CASTS,      /* (4): P, and weights that are divided one by one */
    ATTEST_JUDGE_STAGE_PRODUCT,    /* (5): the product with V */
    ATTEST_JUDGE_STAGE_ROW_SUM,    /* (6): the row sum, ... */
    ATTEST_JUDGE_STAGE_DIVISION,   /* ... the quotient, ... */
    ATTEST_JUDGE_STAGE_OUTPUT,     /* ... and its cast */
    ATTEST_JUDGE_STAGES
} attest_judge_stage;

typedef struct attest_judge_terms {
    bool set; /* false: the element has no bound */
    double part[ATTEST_JUDGE_STAGES];
} attest_judge_terms;

/* "scores", "scaling" ... */
const char *attest_judge_stage_name(attest_judge_stage term);

/* terms = the contributions for the element at batch, head, row, column, of the variant with
 * the largest total. Status as attest_judge_bound. */
attest_status attest_judge_terms_find(attest_judge_terms *terms, const size_t at[4],
                                      const attest_qkv *qkv, const attest_judge_model *model,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
