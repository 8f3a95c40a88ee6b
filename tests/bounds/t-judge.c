/* t-judge.c -- the table of the judge's bound: terms, instances that need them, ratios reached.
 */
#include <attest/kernel.h>

#include <stdlib.h>

#include "tests/bounds/judge_rows.h"

int main(void)
{
    if (attest_kernel_select("scalar") != ATTEST_OK) /* its loops have ATTEST_WEAKEN */
        abort();
    judge_run_scores();
    judge_run_weights();
    judge_run_evaluation();
    judge_run_range();
    judge_run_lse();
    return table_done();
}
