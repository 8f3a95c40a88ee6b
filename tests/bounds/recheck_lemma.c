/* The terms of the bounds of src/recheck/lemma*.c (proofs-notes/first_difference.md, "The
 * witness" and "Norms"), each with an instance that needs it. */
#include "recheck/lemma.c"
#include "recheck/lemma_order.c"
#include "tests/bounds/exact.h"
#include "tests/bounds/recheck_rows.h"
#include "tests/bounds/table.h"

#define BIT 0x1p-10
enum { TRIALS = 20000, DIM = 1000 };

/* Just below the square root of u: 1 + LOSE * LOSE is rounded to 1. */
#define LOSE (0x1.6a09e667f3bccp-27 * (1 - BIT))

/* exact += sign x. */
static void add_double(arb_t exact, double x, int sign)
{
    arb_t t;

    arb_init(t);
    arb_set_d(t, sign * x);
    arb_add(exact, exact, t, EXACT_BITS);
    arb_clear(t);
}

/* Sums of logarithms of many sizes: what they exceed the exact one by, without the margin, over
 * the margin. */
static double lemma_logs(void)
{
    double most = 0;
    arb_t exact, t;

    arb_init(exact), arb_init(t);
    for (int i = 0; i < TRIALS; i++) {
        double slope_log = 0.1 + i * 0.000031, above = 1.1 + i * 0.00017, margin, got;
        double depth = 1.3 + i * 0.00077, bracket = -1 - i * 0.0000013;
        const attest_recheck_lemma lemma = {
            .norm_log = 0.3 + i * 0.0000071, .slope_log = &slope_log, .slope_above = &above};
        got = add_logs(&lemma, 0, depth, bracket);
        arb_set_d(exact, depth);
        arb_set_d(t, -above);
        arb_mul(exact, exact, t, EXACT_BITS);
        add_double(exact, lemma.norm_log, 1);
        add_double(exact, slope_log, -1);
        add_double(exact, bracket, 1);
        margin = (fabs(lemma.norm_log - slope_log) + depth * above + fabs(bracket)) * 0x1p-50;
        add_double(exact, got, -1);
        most = fmax(most, 1 - arf_get_d(arb_midref(exact), ARF_RND_NEAR) / margin);
    }
    arb_clear(exact), arb_clear(t);
    return most;
}

/* The bound of |x + w| for a query x whose mean is at 1. */
static double bound_norm(double square, double dot, double norm_square)
{
    const uint32_t token = 0;
    uint32_t sorted = 0, key = 0;
    double near = 1, above = 0x1p90;
    size_t first[2] = {0, 1};
    attest_weights weights = {.mask = ATTEST_MASK_CAUSAL};
    attest_dataset dataset = {.token = (uint32_t *)&token};
    attest_recheck check = {.dim = DIM, .weights = &weights, .dataset = &dataset};
    attest_recheck_lemma lemma = {.check = &check,
                                  .start = first,
                                  .key = &key,
                                  .sorted = &sorted,
                                  .slope_above = &above,
                                  .square = &square,
                                  .dot = &dot,
                                  .near = &near,
                                  .norm_square = norm_square};
    double bound;

    lemma.slope = _fmpz_vec_init(1);
    fmpz_one(lemma.slope);
    bound = attest_recheck_lemma_norm(&lemma, 0);
    _fmpz_vec_clear(lemma.slope, 1);
    return bound;
}

/* x = w = (1, LOSE, ..., LOSE): all squares and products but the first are lost. */
static double lemma_norm_roundings(void)
{
    double ratio, two = 2;
    arb_t exact;

    arb_init(exact);
    arb_set_d(exact, LOSE);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, DIM - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    arb_sqrt(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, 2, EXACT_BITS);
    ratio = exact_ratio(&two, exact, 1, bound_norm(1, 1, 1) - 2);
    arb_clear(exact);
    return ratio;
}

/* A norm of 2^-540, whose square is no double. */
static double lemma_norm_lost(void)
{
    return 0x1p-540 / bound_norm(0, 0, 0);
}

static const table_row rows[] = {
    {"lemma_logs", lemma_logs, 0.2,
     "five roundings of the eight that are counted, and not all at their worst"},
    {"lemma_norm_roundings", lemma_norm_roundings, 0.96, NULL},
    {"lemma_norm_lost", lemma_norm_lost, 0,
     "what underflows is below 2^-800 of the square; norms as small as that are always "
     "compared"},
};

void recheck_run_lemma(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
}
