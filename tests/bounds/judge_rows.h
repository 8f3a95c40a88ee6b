/* judge_rows.h -- the parts of the table of the judge's bound, proofs-notes/judge.md. */
#ifndef TESTS_BOUNDS_JUDGE_ROWS_H
#define TESTS_BOUNDS_JUDGE_ROWS_H

#include "tests/bounds/table.h"
#include "tests/judge/scene.h"

/* The rows of (1) and (2), of (3) to (6), of the evaluation in binary64, and of thresholds and
 * depths. */
void judge_run_scores(void);
void judge_run_weights(void);
void judge_run_evaluation(void);
void judge_run_range(void);

/* The rows of log-sum-exps, proofs-notes/lse.md. */
void judge_run_lse(void);

/* Keys 0 and 1 have equal exact scores and the values 1 and -1. */
static inline void judge_two_keys(scene *x)
{
    x->value[0] = 1;
    x->value[1] = -1;
}

/* Only the value of key 0 is not 0, and its mask makes its weight small: the relative error of
 * the output is the error of its score, and key 1, with the score 0, adds none. */
static inline void judge_lone_key(scene *x, double mask)
{
    x->biased = true;
    x->mask[0] = mask;
    x->value[0] = 1;
}

#endif
