/* exp_error.h -- whether a double is the exponential that attest/kernel.h promises. */
#ifndef ATTEST_PROPS_EXP_ERROR_H
#define ATTEST_PROPS_EXP_ERROR_H

/* Whether y is within ATTEST_KERNEL_EXP_ULP units in the last place of e^x; overflow gives
 * +infinity, exp(0) is 1. 1: yes, -1: no, 0: not decided. Domain: x is finite. */
int attest_exp_compare(double y, double x);

#endif
