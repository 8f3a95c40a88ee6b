/* judge_rows.h -- the parts of the table of the judge's bound, proofs-notes/judge.md. */
#ifndef TESTS_BOUNDS_JUDGE_ROWS_H
#define TESTS_BOUNDS_JUDGE_ROWS_H

#include "tests/bounds/table.h"
#include "tests/judge/scene.h"

/* (1), (2); (3) to (6); what evaluating all of it in binary64 costs; thresholds and depths. */
void judge_run_scores(void);
void judge_run_weights(void);
void judge_run_evaluation(void);
void judge_run_range(void);

/* Keys 0 and 1 are equal but for what rounding does to them; v = 1, -1. */
static inline void judge_two_keys(scene *x)
{
    x->value[0] = 1;
    x->value[1] = -1;
}

/* Key 0 alone has a value, and its mask makes its weight small: what its score is off moves the
 * output by as large a part, and key 1 with the score 0 moves nothing. */
static inline void judge_lone_key(scene *x, double mask)
{
    x->biased = true;
    x->mask[0] = mask;
    x->value[0] = 1;
}

#endif
