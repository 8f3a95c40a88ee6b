/* element.c -- the verdict on one returned value. */
#include <math.h>

#include <attest/judge.h>

attest_judge_verdict attest_judge_element(double output, double lo, double hi)
{
    if (isnan(lo) || isnan(hi)) /* a row that is to be NaN */
        return isnan(output) ? ATTEST_JUDGE_WITHIN : ATTEST_JUDGE_WRONG;
    if (output < lo || output > hi)
        return ATTEST_JUDGE_WRONG;
    if (isinf(lo) || isinf(hi))
        return ATTEST_JUDGE_UNDECIDED;
    return isnan(output) ? ATTEST_JUDGE_WRONG : ATTEST_JUDGE_WITHIN;
}
