/* roots.c -- rational bounds around the square root of a rational. */
#include "props/roots.h"

enum { BITS = 192, SLACK = 40 };

void attest_root_bounds_ball(fmpq_t low, fmpq_t high, const arb_t square)
{
    arb_t root;
    arf_t end;
    fmpq_t slack;

    arb_init(root);
    arf_init(end);
    fmpq_init(slack);
    arb_sqrtpos(root, square, BITS);
    arb_get_lbound_arf(end, root, BITS);
    arf_get_fmpq(low, end);
    arb_get_ubound_arf(end, root, BITS);
    arf_get_fmpq(high, end);
    fmpq_div_2exp(slack, low, SLACK);
    fmpq_sub(low, low, slack);
    fmpq_div_2exp(slack, high, SLACK);
    fmpq_add(high, high, slack);
    if (fmpq_is_zero(high)) { /* sqrt(0) = 0: any numbers around it will do */
        fmpq_one(high);
        fmpq_div_2exp(high, high, SLACK);
        fmpq_neg(low, high);
    }
    arb_clear(root);
    arf_clear(end);
    fmpq_clear(slack);
}

bool attest_root_bounds(fmpq_t low, fmpq_t root, fmpq_t high, const fmpq_t square)
{
    arb_t ball;

    arb_init(ball);
    arb_set_fmpq(ball, square, BITS);
    attest_root_bounds_ball(low, high, ball);
    arb_clear(ball);
    if (!fmpz_is_square(fmpq_numref(square)) || !fmpz_is_square(fmpq_denref(square)))
        return false;
    fmpz_sqrt(fmpq_numref(root), fmpq_numref(square));
    fmpz_sqrt(fmpq_denref(root), fmpq_denref(square));
    return true;
}
