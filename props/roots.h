/* roots.h -- rational bounds of the square root of a rational. */
#ifndef ATTEST_PROPS_ROOTS_H
#define ATTEST_PROPS_ROOTS_H

#include <stdbool.h>

#include <attest/flint.h>

/* Bits of the bounds: for the root of a rational, which is compared exactly, and for a root
 * that is only enclosed. With tighter bounds every comparison would need the zero test. */
enum { ATTEST_ROOT_EXACT = 200, ATTEST_ROOT_BALL = 100 };

/* low < sqrt(square) < high, within about 2^-200 (exact) or 2^-100 of it, or the accuracy of
 * the ball. Domain: the ball is >= 0 and finite; if it contains 0, low may be negative. */
void attest_root_bounds_ball(fmpq_t low, fmpq_t high, const arb_t square, bool exact);

/* The same for a rational >= 0; returns true, and sets root = sqrt(square), if that is
 * rational. */
bool attest_root_bounds(fmpq_t low, fmpq_t root, fmpq_t high, const fmpq_t square);

#endif
