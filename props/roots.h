/* roots.h -- rational bounds around the square root of a rational. */
#ifndef ATTEST_PROPS_ROOTS_H
#define ATTEST_PROPS_ROOTS_H

#include <stdbool.h>

#include <attest/flint.h>

/* How near bounds come to a root: that of a rational, which exact arithmetic compares, and one
 * that is only enclosed: nearer, every comparison would be left to the zero test. */
enum { ATTEST_ROOT_EXACT = 200, ATTEST_ROOT_BALL = 100 };

/* low < sqrt(square) < high, within about 2^-200 (exact) or 2^-100 of it, or as many bits as
 * the ball knows. Domain: the ball's numbers are >= 0 and finite; where it holds 0, low may be
 * negative. */
void attest_root_bounds_ball(fmpq_t low, fmpq_t high, const arb_t square, bool exact);

/* The same for a rational >= 0; true, and root = sqrt(square), if that is rational. */
bool attest_root_bounds(fmpq_t low, fmpq_t root, fmpq_t high, const fmpq_t square);

#endif
