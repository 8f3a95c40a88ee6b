/* The terms of (9) of proofs-notes/filter.md, each with an instance that needs it. */
#include "certify/filter_judge.c"
#include "tests/bounds/exact.h"
#include "tests/bounds/filter_rows.h"
#include "tests/bounds/table.h"

#define BIT 0x1p-10

/* Slightly below and slightly above the square root of u = 2^-53: 1 + LOST * LOST is rounded
 * down to 1, 1 + GAINED * GAINED up to 1 + 2 u. */
#define LOST (0x1.6a09e667f3bccp-27 * (1 - BIT))
#define GAINED (0x1.6a09e667f3bcdp-27 * (1 + BIT))

/* Returns the error of a computed square over its bound: the sum of the squares of 1 and of 999
 * numbers near 2^-26.5, in which every addition is rounded up (above) or down. Infinite if this
 * sum proves that the distance is above the distance rounded up, or below it rounded down. */
static double square_ratio(bool above)
{
    enum { DIM = 1000 };
    const double x = above ? GAINED : LOST;
    double square = 1, ratio, bound;
    arb_t exact, t;
    bool violates;

    for (size_t c = 1; c < DIM; c++)
        square += x * x;
    arb_init(exact), arb_init(t);
    arb_set_d(exact, x);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, DIM - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    ratio = exact_ratio(&square, exact, 1, ROUNDINGS(DIM));
    arb_sqrt(t, exact, EXACT_BITS);
    bound = arf_get_d(arb_midref(t), above ? ARF_RND_CEIL : ARF_RND_FLOOR);
    violates = above ? is_above(square, 0, bound, DIM) : is_below(square, 0, bound, DIM);
    arb_clear(exact), arb_clear(t);
    return violates ? INFINITY : ratio;
}

static double judge_above(void)
{
    return square_ratio(true);
}

static double judge_below(void)
{
    return square_ratio(false);
}

/* In units of 2^-1074: two squares of 9/16, computed as 1 each. The distance, whose square is
 * 9/8, is below the bound, whose square is (35/32)^2. */
static double judge_above_underflow(void)
{
    return is_above(2 * 0x1p-1074, 0, 0x1.18p-537, 2) ? INFINITY : 0x1p-1074 / TINY;
}

/* In units of 2^-1074: 100 squares of 0.49, computed as 0. The distance, whose square is 49, is
 * above the bound, whose square is 1. */
static double judge_below_underflow(void)
{
    return is_below(0, 0, 0x1p-537, 100) ? INFINITY : 49 * 0x1p-1074 / TINY;
}

/* Radii 1 and 2^-53, the sum of which is rounded to 1, and centres that are 3/4 * 2^-52 apart:
 * the distance of the outputs may be above 1 + 2^-52. */
static double judge_radii(void)
{
    const double apart = 0.75 * 0x1p-52, bound = 1 + 0x1p-52, radii = add_radii(1, 0x1p-53);

    return is_below(apart * apart, radii, bound, 1) ? INFINITY : 0x1p-53 / 0x1p-51;
}

static const table_row rows[] = {
    {"judge_above", judge_above, 0.98, NULL},
    {"judge_below", judge_below, 0.98, NULL},
    {"judge_above_underflow", judge_above_underflow, 0,
     "2^20 squares lose at most 2^-1055; certify decides smaller distances"},
    {"judge_below_underflow", judge_below_underflow, 0,
     "2^20 squares lose at most 2^-1055; certify decides smaller bounds"},
    {"judge_radii", judge_radii, 0.25,
     "the rounded sum and the rounded product lose at most u each, relatively; a factor of 1 + "
     "2 u "
     "would fall short by 3 u^2, so the code takes 1 + 4 u"},
};

void filter_run_judge(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
}
