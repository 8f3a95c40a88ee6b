/* t-judge.c -- the table of the judge's bound: terms, instances that need them, ratios reached.
 */
#include "tests/bounds/judge_rows.h"

int main(void)
{
    judge_run_scores();
    judge_run_weights();
    judge_run_evaluation();
    judge_run_range();
    return table_done();
}
