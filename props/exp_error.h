/* exp_error.h -- checks the error bound that attest/kernel.h promises for exponentials. */
#ifndef ATTEST_PROPS_EXP_ERROR_H
#define ATTEST_PROPS_EXP_ERROR_H

/* Returns 1 if y is within ATTEST_KERNEL_EXP_ULP units in the last place of e^x (+infinity for
 * overflow, 1 for x = 0), -1 if not, 0 if undecided. Domain: x is finite. */
int attest_exp_compare(double y, double x);

#endif
