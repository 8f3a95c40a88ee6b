/* Terms of what the audit reports of outputs and of weights, each with an instance that needs
 * it. */
#include "audit/errors.h"
#include "audit/reference.c"
#include "audit/collisions.c"
#include "tests/bounds/audit_rows.h"
#include "tests/bounds/exact.h"
#include "tests/bounds/table.h"

#define BIT 0x1p-10
enum { LONG = 1000 };

/* Just below the square root of u: 1 + LOSE * LOSE is rounded to 1. */
#define LOSE (0x1.6a09e667f3bccp-27 * (1 - BIT))

/* 1 and 999 squares below u, all lost in their sum. */
static double square_sums(void)
{
    double x[LONG], ratio;
    const double one = 1;
    const attest_audit_outputs outputs = {.count = 1, .dim = LONG, .real = x};
    arb_t exact;

    for (size_t c = 0; c < LONG; c++)
        x[c] = c ? LOSE : 1;
    arb_init(exact);
    arb_set_d(exact, LOSE);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, LONG - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    ratio = exact_ratio(&one, exact, 1, square_above(&outputs, 0) - 1);
    arb_clear(exact);
    return ratio;
}

/* The square of 2^-542 is no double. */
static double square_underflow(void)
{
    double x = 0x1p-542, above;
    const attest_audit_outputs outputs = {.count = 1, .dim = 1, .real = &x};

    above = square_above(&outputs, 0);
    return above > 0 ? x * (x / above) : INFINITY;
}

/* Weights 3/4 and 1/4 that are 1/2 and 1/2, or further apart: the exact ones are off, too. */
static double weights_error_off(void)
{
    const double computed[2] = {0.75, 0.25}, exact[2] = {0.5, 0.5}, off = 0.125;
    attest_audit_weights_error a = {0};

    attest_audit_weights_error_add(&a, computed, exact, off, 2);
    return (0.25 + off - 0.25) / (a.max - 0.25);
}

/* The weight 1/3, which is rounded, like the exact one, and is 1/3. */
static double weights_error_quotients(void)
{
    const double third = 1.0 / 3;
    attest_audit_weights_error a = {0};

    attest_audit_weights_error_add(&a, &third, &third, 0, 1);
    return a.max > 0 ? third * 0x1p-54 / 2 / a.max : INFINITY;
}

/* The second key has a smaller weight, by less than four times the error of a weight. */
static double weights_error_changed(void)
{
    const double off = 0.0625, computed[2] = {0.4, 0.6};
    const double exact[2] = {0.4 + 4 * off * (1 - BIT), 0.4};
    attest_audit_weights_error a = {0};

    attest_audit_weights_error_add(&a, computed, exact, off, 2);
    return a.changed ? INFINITY : (exact[0] - exact[1]) / (4 * off);
}

/* A weight that is rounded by 2^-55, and 999 whose errors vanish when they are added to its. */
static double head_weights_sums(void)
{
    const attest_judge_problem problem = {.keys = LONG, .dim = 1, .value_dim = 1};
    attest_audit_head_reference e;
    double weight[LONG + 1], off, ratio;
    arb_t exact, t;

    attest_audit_head_reference_init(&e, &problem);
    arb_init(exact), arb_init(t);
    e.bits = EXACT_BITS;
    arb_one(e.total);
    for (size_t j = 0; j < LONG; j++) {
        double error = j ? 0x1p-109 * (1 - BIT) : 0x1p-55;
        arb_set_d(e.power + j, j ? 0x1p-55 : 0.25);
        arb_set_d(t, error);
        arb_add(e.power + j, e.power + j, t, EXACT_BITS);
        arb_add(exact, exact, t, EXACT_BITS);
    }
    set_weights(weight, &off, &e);
    arb_mul_2exp_si(exact, exact, -1);
    ratio = exact_ratio(&(double){0x1p-56}, exact, 1, off - 0x1p-56);
    arb_clear(exact), arb_clear(t);
    attest_audit_head_reference_clear(&e);
    return ratio;
}

static const table_row rows[] = {
    {"square_sums", square_sums, 0.98, NULL},
    {"square_underflow", square_underflow, 0,
     "2^20 squares lose 2^-1055 at most; norms as small as that are always compared"},
    {"weights_error_off", weights_error_off, 0.98, NULL},
    {"weights_error_quotients", weights_error_quotients, 0,
     "quotients that add up to 1 are off by 2^-53 together, and more only where an online "
     "algorithm has rescaled them, once for each block"},
    {"weights_error_changed", weights_error_changed, 0.98, NULL},
    {"head_weights_sums", head_weights_sums, 0,
     "n roundings by 2^-53 each; 2^20 keys would have 2^-33"},
};

void audit_run_outputs(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
}
