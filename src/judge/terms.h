/* terms.h -- what each stage has of the bound of an element: (1) to (6) of
 * proofs-notes/judge.md, to first order. An explanation, not a bound: where weights are
 * uncertain the parts add up to less than it. */
#ifndef ATTEST_JUDGE_TERMS_H
#define ATTEST_JUDGE_TERMS_H

#include <attest/judge.h>

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
    bool set; /* false: nothing is bounded */
    double part[ATTEST_JUDGE_STAGES];
} attest_judge_terms;

/* "scores", "scaling" ... */
const char *attest_judge_stage_name(attest_judge_stage term);

/* terms = those of the element at batch, head, row, column, of the variant with the most in
 * all. Status: as attest_judge_bound's. */
attest_status attest_judge_terms_find(attest_judge_terms *terms, const size_t at[4],
                                      const attest_qkv *qkv, const attest_judge_model *model,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
