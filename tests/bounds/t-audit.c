/* Terms of the audit's bounds (proofs-notes/audit.md), each with an instance that needs it: the
 * roundings of a sum, the slips of exact quantities, and pairs that doubles show to be apart.
 * The errors of the a priori bound are compared with the note's formulas, term by term, in
 * tests/unit/t-audit-bound.c. */
#include "audit/bound.c"
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

/* What the exact sum of products is compared with: the value that is computed and its slip, by
 * a row of a matrix or as a score. x has the slips, and y those of a score. */
static double slip_ratio(bool score, const double *y, const double *x, const double *slip,
                         size_t count, const arb_t exact)
{
    const attest_audit_model model = {.u = 0x1p-24, .u_sum = 0x1p-24, .most = INFINITY};
    double *zero = calloc(count, sizeof *zero), *panel = calloc(4 * count, sizeof *panel);
    double *magnitude = calloc(count, sizeof *magnitude), got[3], ratio;
    const bound b = {
        .model = &model, .magnitude = magnitude, .score = {&got[0], &got[1], &got[2]}};
    const quantities from = {(double *)x, (double *)slip, zero},
                     with = {(double *)y, score ? (double *)slip : zero, zero};

    if (!zero || !panel || !magnitude)
        abort();
    for (size_t c = 0; c < count; c++)
        panel[BOUND_ROWS * c] = y[c];
    if (score)
        attest_audit_bound_score(0, with, from, count, &b);
    else
        apply_matrix(b.score, &(matrix){1, count, panel, panel}, from, &b);
    ratio = exact_ratio(got, exact, 1, got[1]);
    free(zero), free(panel), free(magnitude);
    return ratio;
}

/* 1, as far off as its slip; both factors of a score. */
static double carried_ratio(bool score)
{
    const double one = 1, slip = 0x1p-20;
    double ratio;
    arb_t exact;

    arb_init(exact);
    arb_set_d(exact, 1 + slip);
    if (score)
        arb_sqr(exact, exact, EXACT_BITS);
    ratio = slip_ratio(score, &one, &one, &slip, 1, exact);
    arb_clear(exact);
    return ratio;
}

/* 1 and 999 products just below u, which are lost. */
static double lost_ratio(bool score)
{
    double x[LONG], zero[LONG] = {0}, ratio;
    arb_t exact;

    for (size_t c = 0; c < LONG; c++)
        x[c] = c ? 0x1.6a09e667f3bccp-27 * (1 - BIT) : 1;
    arb_init(exact);
    arb_set_d(exact, x[1]);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, LONG - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    ratio = slip_ratio(score, x, x, zero, LONG, exact);
    arb_clear(exact);
    return ratio;
}

/* 1.25 * 2^-1074. */
static double least_ratio(bool score)
{
    const double x = 0x1p-537, y = 1.25 * 0x1p-537, zero = 0;
    double ratio;
    arb_t exact;

    arb_init(exact);
    arb_set_d(exact, 1.25);
    arb_mul_2exp_si(exact, exact, -1074);
    ratio = slip_ratio(score, &x, &y, &zero, 1, exact);
    arb_clear(exact);
    return ratio;
}

static double matrix_slips(void)
{
    return carried_ratio(false);
}

static double matrix_sums(void)
{
    return lost_ratio(false);
}

static double matrix_underflow(void)
{
    return least_ratio(false);
}

static double score_slips(void)
{
    return carried_ratio(true);
}

static double score_sums(void)
{
    return lost_ratio(true);
}

static double score_underflow(void)
{
    return least_ratio(true);
}

/* The double nearest to (2^k + 1/2 - 2^-10) 2^-exponent, which is off by nearly half a unit. */
static double input_ratio(ulong k, slong exponent)
{
    const attest_audit_model model = {.most = INFINITY};
    double value, slip, error, ratio;
    fmpz_t numerator, denominator;
    arb_t exact;

    fmpz_init(numerator), fmpz_init(denominator), arb_init(exact);
    fmpz_one(numerator);
    fmpz_mul_2exp(numerator, numerator, k + 10);
    fmpz_add_ui(numerator, numerator, 511);
    fmpz_one(denominator);
    fmpz_mul_2exp(denominator, denominator, (ulong)exponent + 10);
    arb_set_fmpz(exact, numerator);
    arb_mul_2exp_si(exact, exact, -exponent - 10);
    attest_audit_bound_input(&value, &slip, &error, numerator, denominator, &model);
    ratio = exact_ratio(&value, exact, 1, slip);
    fmpz_clear(numerator), fmpz_clear(denominator), arb_clear(exact);
    return ratio;
}

static double input_rounding(void)
{
    return input_ratio(52, 52);
}

static double input_underflow(void)
{
    return input_ratio(1, 1074);
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

static const char twice[] =
    "a rounding is off by one unit roundoff, 2^-53, and a slip counts 2^-52 for it";

static const table_row rows[] = {
    {"growth_sums", growth_sums, 0.98, NULL},
    {"growth_stored", growth_stored, 0.98, NULL},
    {"growth_cap", growth_cap, 0.83,
     "a rounding to one bit is off by a third of the number, not by u = 1/2"},
    {"matrix_slips", matrix_slips, 0.98, NULL},
    {"matrix_sums", matrix_sums, 0.48, twice},
    {"matrix_underflow", matrix_underflow, 0,
     "2^20 products lose 2^-1055 at most; no output of interest is as small as 2^-1000"},
    {"score_slips", score_slips, 0.98, NULL},
    {"score_sums", score_sums, 0.48, twice},
    {"score_underflow", score_underflow, 0,
     "2^20 products lose 2^-1055 at most, and 2^-1000 moves no weight"},
    {"input_rounding", input_rounding, 0.48, twice},
    {"input_underflow", input_underflow, 0.24,
     "half of the least double is lost at most; 2^-1073 is twice that double"},
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
