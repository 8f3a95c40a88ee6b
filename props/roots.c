/* roots.c -- rational bounds of the square root of a rational. */
#include "props/roots.h"

#include "number/scope.h"

enum { BITS = 320, LEAST_SLACK = 40, ROOM = 4 };

/* Returns the accuracy of the ball in bits, less a few. */
static flint_bitcnt_t choose_slack(const arb_t root, slong most)
{
    slong known = arb_rel_accuracy_bits(root) - ROOM;

    known = known > most ? most : known;
    return known < LEAST_SLACK ? LEAST_SLACK : (flint_bitcnt_t)known;
}

void attest_root_bounds_ball(fmpq_t low, fmpq_t high, const arb_t square, bool exact)
{
    ARB(root);
    ARF(end);
    FMPQ(slack);

    arb_sqrtpos(root, square, BITS);
    flint_bitcnt_t bits = choose_slack(root, exact ? ATTEST_ROOT_EXACT : ATTEST_ROOT_BALL);
    arb_get_lbound_arf(end, root, BITS);
    arf_get_fmpq(low, end);
    arb_get_ubound_arf(end, root, BITS);
    arf_get_fmpq(high, end);
    fmpq_div_2exp(slack, low, bits);
    fmpq_sub(low, low, slack);
    fmpq_div_2exp(slack, high, bits);
    fmpq_add(high, high, slack);
    if (fmpq_is_zero(high)) { /* sqrt(0) = 0: any numbers around it will do */
        fmpq_one(high);
        fmpq_div_2exp(high, high, LEAST_SLACK);
        fmpq_neg(low, high);
    }
}

bool attest_root_bounds(fmpq_t low, fmpq_t root, fmpq_t high, const fmpq_t square)
{
    ARB(ball);

    arb_set_fmpq(ball, square, BITS);
    attest_root_bounds_ball(low, high, ball, true);
    if (!fmpz_is_square(fmpq_numref(square)) || !fmpz_is_square(fmpq_denref(square)))
        return false;
    fmpz_sqrt(fmpq_numref(root), fmpq_numref(square));
    fmpz_sqrt(fmpq_denref(root), fmpq_denref(square));
    return true;
}
