/* exp_huge.h -- e^{-depth} for depths of any size. */
#ifndef ATTEST_NUMBER_EXP_HUGE_H
#define ATTEST_NUMBER_EXP_HUGE_H

#include <stdbool.h>

#include <attest/flint.h>

/* Encloses weight = e^{-depth}. Error: relative, near 2^-bits plus the radius of depth. May
 * alias. Cost: where depth >= 2^62, bits and the size of depth's integer part add up. */
void attest_huge_exp(arb_t weight, const arb_t depth, long bits);

/* value = factor e^{-depth}, and log2 of it, both enclosed; a depth of NULL is 0. False, and
 * neither is set, where the factor is not certainly positive. */
bool attest_huge_exp_scale(arb_t value, arb_t log2, const arb_t factor, const arb_t depth,
                           long bits);

#endif
