/* depth.h -- e^{-depth} for depths of any size. */
#ifndef ATTEST_NUMBER_DEPTH_H
#define ATTEST_NUMBER_DEPTH_H

#include <attest/flint.h>

/* Encloses weight = e^{-depth}. Error: relative, near 2^-bits plus the radius of depth. May
 * alias. Cost: where depth >= 2^62, bits and the size of depth's integer part add up. */
void attest_depth_exp(arb_t weight, const arb_t depth, long bits);

#endif
