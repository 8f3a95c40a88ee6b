/* t-judge.c -- the table of the judge's bound: terms, instances that need them, ratios reached.
 */
#include "judge/loops.h"
#include "tests/bounds/judge_rows.h"

/* The loops that are compiled with ATTEST_WEAKEN. */
const struct judge_loops *attest_judge_loops(void)
{
    return &attest_judge_loops_scalar;
}

int main(void)
{
    judge_run_scores();
    judge_run_weights();
    judge_run_evaluation();
    judge_run_range();
    return table_done();
}
