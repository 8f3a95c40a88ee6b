/* Terms of the audit's bounds (proofs-notes/audit.md), each with an instance that needs it: the
 * roundings of a sum, and pairs that doubles show to be apart. The other terms of the a priori
 * bound are compared with the note's formulas, one by one, in tests/unit/t-audit-bound.c. */
#include "audit/bound_setup.h"
#include "audit/pairs.c"
#include "tests/bounds/exact.h"
#include "tests/bounds/table.h"

#define BIT 0x1p-10
enum { LONG = 1000 };

/* u * G after so many roundings. */
static double growth(double u, double u_sum, bool accumulates, bool capped, size_t roundings)
{
    const attest_audit_model model = {
        .u = u, .u_sum = u_sum, .accumulates = accumulates, .capped = capped};

    return u * attest_audit_bound_growth(&model, (double)roundings);
}

/* 1 + 999 numbers just below u, which are lost. */
static double growth_sums(void)
{
    const double lost = 0x1p-53 * (1 - BIT), exact = lost * (LONG - 1);
    double sum = 1;

    for (int j = 1; j < LONG; j++)
        sum += lost;
    return (exact - (sum - 1)) / growth(0x1p-53, 0x1p-53, false, false, LONG);
}

/* 1 + 2^-24 (1 - BIT), stored in binary32. */
static double growth_stored(void)
{
    const double x = 1 + 0x1p-24 * (1 - BIT);

    return (x - (double)(float)x) / (x * growth(0x1p-24, 0x1p-53, true, false, 1));
}

/* To one bit: 1 or 2 times a power of two; from the middle to the larger one, which is even. */
static double one_bit(double x)
{
    int exponent;
    double part = frexp(x, &exponent);

    return ldexp(part < 0.75 ? 0.5 : 1, exponent);
}

/* Products 3/2, 3/4, 3/2, 3, ... become 2, 1, 2, 4, ..., and their sums 2, 4, 8, 16, ... */
static double growth_cap(void)
{
    double sum = 0, exact = 0;

    for (int j = 0; j < 30; j++) {
        double product = j ? ldexp(0.75, j - 1) : 1.5;
        exact += product;
        sum = one_bit(sum + one_bit(product));
    }
    return (sum - exact) / (exact * growth(0.5, 0.5, false, true, 30));
}

/* Two outputs that are not farther apart than the reach of the first: a violation if they are
 * shown to be. */
static bool shows(double *middle, size_t dim, double reach)
{
    double reaches[2] = {reach, 0};
    const comparison w = {.dim = dim, .middle = middle, .reach = reaches};

    return doubles_show(&w, 0, 1);
}

/* Squares 1 and 999 just above u, each of which is rounded up to 2 u where it is added. */
static double pairs_sums(void)
{
    const double gained = 0x1.6a09e667f3bcdp-27 * (1 + BIT);
    double middle[2 * LONG] = {1}, square = 1, ratio, reach;
    arb_t exact, t;

    for (size_t c = 1; c < LONG; c++) {
        middle[c] = gained;
        square += gained * gained;
    }
    arb_init(exact), arb_init(t);
    arb_set_d(exact, gained);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, LONG - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    ratio = exact_ratio(&square, exact, 1, (LONG + 10) * 0x1p-53);
    arb_sqrt(t, exact, EXACT_BITS);
    reach = arf_get_d(arb_midref(t), ARF_RND_CEIL);
    arb_clear(exact), arb_clear(t);
    return shows(middle, LONG, reach) ? INFINITY : ratio;
}

/* Squares of 9/16, 9/16 and, of the reach, 6/5 times 2^-1074. */
static double pairs_underflow(void)
{
    double middle[4] = {0.75 * 0x1p-537, 0.75 * 0x1p-537};

    return shows(middle, 2, 0x1.18p-537) ? INFINITY : 0x1p-1074 / 0x1p-900;
}

static const table_row rows[] = {
    {"growth_sums", growth_sums, 0.98, NULL},
    {"growth_stored", growth_stored, 0.98, NULL},
    {"growth_cap", growth_cap, 0.83,
     "a rounding to one bit is off by a third of the number, not by u = 1/2"},
    {"pairs_sums", pairs_sums, 0.98, NULL},
    {"pairs_underflow", pairs_underflow, 0,
     "2^20 squares lose 2^-1055 at most; smaller sums are left to balls"},
};

int main(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
    flint_cleanup();
    return table_done();
}
