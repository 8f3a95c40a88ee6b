/* ball_root.h -- the square root of an exact square, to 128 bits. */
#ifndef ATTEST_NUMBER_BALL_ROOT_H
#define ATTEST_NUMBER_BALL_ROOT_H

#include <attest/flint.h>

/* Encloses it; the root of 0 is 0. Domain: square >= 0. */
static inline void attest_ball_root(arb_t ball, const fmpq_t square)
{
    const slong bits = 128;

    arb_set_fmpq(ball, square, 2 * bits);
    arb_sqrt(ball, ball, bits);
}

#endif
