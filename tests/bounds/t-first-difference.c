/* The terms of the bounds of first differences (proofs-notes/first_difference.md, "Candidates"
 * and "Norms"), each with an instance that needs it. */
#include <string.h>

#include "certify/first_difference_scan.c"
#include "tests/bounds/exact.h"
#include "tests/bounds/table.h"

#define BIT 0x1p-10
enum { TRIALS = 2000 };

/* How much of its margin a bound uses: 0 if it differs from the exact value by the whole
 * margin, 1 if it is exact, more if it does not hold. */
static double used(double got, const arb_t exact, double margin, bool above)
{
    double ratio;
    arb_t t;

    arb_init(t);
    arb_set_d(t, got);
    arb_sub(t, t, exact, EXACT_BITS);
    ratio = arf_get_d(arb_midref(t), ARF_RND_NEAR) / margin;
    arb_clear(t);
    return 1 - (above ? ratio : -ratio);
}

/* The constants of a query. */
enum { MU, SHALLOW, SLOPE, MAXIMUM };

/* exact = g q/(1-q), g q/(1+q), 1 - 2q or log(g - nu). */
static void get_constant(arb_t exact, int which, double gap)
{
    arb_t g, q, rest;

    arb_init(g), arb_init(q), arb_init(rest);
    arb_set_d(g, gap);
    arb_neg(q, g);
    arb_exp(q, q, EXACT_BITS);
    arb_sub_ui(rest, q, 1, EXACT_BITS);
    arb_neg(rest, rest); /* 1 - q */
    if (which == SLOPE) {
        arb_sub(exact, rest, q, EXACT_BITS);
    } else {
        if (which == SHALLOW)
            arb_add_ui(rest, q, 1, EXACT_BITS);
        arb_mul(exact, g, q, EXACT_BITS);
        arb_div(exact, exact, rest, EXACT_BITS);
    }
    if (which == MAXIMUM) {
        arb_div(exact, exact, rest, EXACT_BITS);
        arb_sub(exact, g, exact, EXACT_BITS);
        arb_log(exact, exact, EXACT_BITS);
    }
    arb_clear(g), arb_clear(q), arb_clear(rest);
}

/* The gap at which log(g - nu) is 0, up to its last bits. */
static double find_zero(void)
{
    double low = 1.32, high = 3;

    for (int i = 0; i < 60; i++) {
        double gap = (low + high) / 2, q = exp(-gap);
        if (gap - gap * q / ((1 - q) * (1 - q)) < 1)
            low = gap;
        else
            high = gap;
    }
    return low;
}

/* The most that a constant uses of the slack, for gaps up to 600; where the logarithm is near
 * 0, the slack of nu has to do. */
static double constant_ratio(int which)
{
    const double zero = find_zero();
    double most = 0;
    arb_t exact;

    arb_init(exact);
    for (int i = 0; i < TRIALS; i++) {
        attest_first_difference_query query;
        double gap = 1.32 + 0.3 * i, size;
        if (which == MAXIMUM && i % 2)
            gap = zero * (1 + (i - TRIALS / 2) * 0x1p-52);
        set_constants(&query, gap);
        get_constant(exact, which, gap);
        size = fabs(arf_get_d(arb_midref(exact), ARF_RND_NEAR));
        size = which == SLOPE ? 1 : size;
        most = fmax(most, used(which == MU        ? query.mu
                               : which == SHALLOW ? query.shallow
                               : which == SLOPE   ? query.slope
                                                  : query.at_maximum,
                               exact, slack * size, which == MU || which == SHALLOW));
    }
    arb_clear(exact);
    return most;
}

static double query_mu(void)
{
    return constant_ratio(MU);
}

static double query_shallow(void)
{
    return constant_ratio(SHALLOW);
}

static double query_slope(void)
{
    return constant_ratio(SLOPE);
}

static double query_maximum(void)
{
    return constant_ratio(MAXIMUM);
}

/* A gap of 760, whose q is no double. */
static double underflow_ratio(int which)
{
    const double zero = 0;
    attest_first_difference_query query;
    double ratio;
    arb_t exact;

    set_constants(&query, 760);
    arb_init(exact);
    get_constant(exact, which, 760);
    ratio = exact_ratio(&zero, exact, 1, which == MU ? query.mu : query.shallow);
    arb_clear(exact);
    return ratio;
}

static double query_mu_underflow(void)
{
    return underflow_ratio(MU);
}

static double query_shallow_underflow(void)
{
    return underflow_ratio(SHALLOW);
}

/* One token, and what belongs to it. */
typedef struct single {
    double real, alpha, error;
    attest_tokens tokens;
    attest_first_difference_query query;
    attest_first_difference_scan scan;
} single;

static void single_init(single *s, double alpha)
{
    memset(s, 0, sizeof *s);
    s->real = 1, s->alpha = alpha;
    s->tokens = (attest_tokens){.real = &s->real, .dim = 1, .count = 1};
    s->scan.scale = s->scan.unit = 1;
    s->scan.query = &s->query;
    s->scan.a.value = &s->alpha;
    s->scan.a.error = &s->error;
    s->scan.y.tokens = &s->tokens;
}

/* -log |alpha|, for alpha at many magnitudes. */
static double query_offset(void)
{
    double most = 0;
    arb_t exact;

    arb_init(exact);
    for (int i = 0; i < TRIALS; i++) {
        single s;
        single_init(&s, ldexp(1 + i * 0.00037, i - TRIALS / 2));
        set_query(&s.scan, 0, 1);
        arb_set_d(exact, s.alpha);
        arb_log(exact, exact, EXACT_BITS);
        arb_neg(exact, exact);
        most = fmax(most, used(s.query.offset, exact, slack * (1 + fabs(log(s.alpha))), false));
    }
    arb_clear(exact);
    return most;
}

/* 11/16 of alpha, the gap of a token whose values are 11/16 apart. */
static double query_gap(void)
{
    double most = 0;
    arb_t exact;
    single s;

    arb_init(exact);
    for (int i = 0; i < TRIALS; i++) {
        single_init(&s, 10 + i * 0.37);
        fmpq_init(s.scan.y.gap);
        fmpq_set_si(s.scan.y.gap, 11, 16);
        set_query(&s.scan, 0, get_gap(&s.scan.y));
        fmpq_clear(s.scan.y.gap);
        arb_set_d(exact, s.alpha);
        arb_mul_ui(exact, exact, 11, EXACT_BITS);
        arb_mul_2exp_si(exact, exact, -4);
        most = fmax(most, used(s.query.twice / 2, exact, slack * s.alpha * 11 / 16, false));
    }
    arb_clear(exact);
    return most;
}

/* The norm of 1 and 999 numbers whose squares are lost in the sum. */
static double query_norm(void)
{
    enum { DIM = 1000 };
    const double lost = 0x1.6a09e667f3bccp-27 * (1 - BIT), one = 1;
    const attest_tokens tokens = {.dim = DIM, .count = 1, .real = calloc(DIM, sizeof(double))};
    double ratio;
    arb_t exact;

    if (!tokens.real)
        abort();
    for (size_t c = 0; c < DIM; c++)
        tokens.real[c] = c ? lost : 1;
    arb_init(exact);
    arb_set_d(exact, lost);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, DIM - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    arb_sqrt(exact, exact, EXACT_BITS);
    ratio = exact_ratio(&one, exact, 1, norm_above(&tokens, 0) - 1);
    arb_clear(exact);
    free(tokens.real);
    return ratio;
}

/* The bound for two values so far apart; token 0 scores most. */
static double bound_of(const double *value, const double *error,
                       const attest_first_difference_query *query)
{
    attest_first_difference_scan scan = {.scale = 1};

    scan.y.value = (double *)value;
    scan.y.error = (double *)error;
    return event_bound(&scan, query, 0, 1);
}

/* exact = offset - t + log((t - m) slope - mu). */
static void get_bound(arb_t exact, const attest_first_difference_query *query, double t)
{
    arb_t x;

    arb_init(x);
    arb_set_d(exact, t);
    arb_set_d(x, query->nu);
    arb_sub(exact, exact, x, EXACT_BITS);
    arb_set_d(x, query->slope);
    arb_mul(exact, exact, x, EXACT_BITS);
    arb_set_d(x, query->mu);
    arb_sub(exact, exact, x, EXACT_BITS);
    arb_log(exact, exact, EXACT_BITS);
    arb_set_d(x, t);
    arb_sub(exact, exact, x, EXACT_BITS);
    arb_set_d(x, query->offset);
    arb_add(exact, exact, x, EXACT_BITS);
    arb_clear(x);
}

/* Values 2^20 apart that are 2 farther apart. */
static double event_errors(void)
{
    const double value[2] = {0x1p20, 0}, error[2] = {1, 1};
    const attest_first_difference_query query = {.alpha = 1, .slope = 1};
    double got = bound_of(value, error, &query), least;
    arb_t exact;

    arb_init(exact);
    get_bound(exact, &query, value[0] + 2);
    least = arf_get_d(arb_midref(exact), ARF_RND_FLOOR);
    arb_clear(exact);
    return got > least ? INFINITY : (log(value[0]) - value[0] - least) / 2;
}

/* A distance 1 + 2^-53 and a bit, which is rounded to 1 + 2^-52: three times as much is not
 * above mu, and nothing is known of the pair. */
static double event_distance(void)
{
    const double value[2] = {1, -0x1p-53 * (1 + BIT)}, error[2] = {0, 0};
    const attest_first_difference_query query = {.alpha = 3, .slope = 1, .mu = 3 + 0x1p-51};

    return isfinite(bound_of(value, error, &query)) ? INFINITY : 0x1p-53 * (1 - BIT) / 0x1p-50;
}

/* Bounds for many distances and slopes of scores, the largest and the least among them. */
static double event_logs(void)
{
    double most = 0;
    arb_t exact;

    arb_init(exact);
    for (int i = 0; i < TRIALS; i++) {
        const double value[2] = {1.4 + (i % 40) * 0.3, 0}, error[2] = {0, 0};
        const attest_first_difference_query query = {
            .alpha = 1, .slope = 0.9, .mu = 0.1, .offset = 0.7 * (i - TRIALS / 2)};
        double margin = 1e-10 * (1 + 1e-3 * fabs(query.offset) + 1e-4 * value[0]);
        get_bound(exact, &query, value[0]);
        most = fmax(most, used(bound_of(value, error, &query), exact, margin, false));
    }
    arb_clear(exact);
    return most;
}

/* The bound of the norm of an output of one token with one key. */
static double bound_norm(double norm, double above, double value, double unit, double reach)
{
    const uint32_t token = 0;
    double error = 0;
    uint32_t key = 0;
    single s;

    single_init(&s, 1);
    s.scan.y.value = &value;
    s.scan.y.error = &error;
    s.scan.unit = unit;
    s.scan.norm_w_above = above;
    s.query.norm = norm;
    s.query.reach = reach;
    s.scan.lists.key = &key;
    s.scan.lists.start = (size_t[]){0, 1};
    meet_norm(&s.scan, &token, 0, 0);
    return s.scan.norm[0].bound;
}

/* norm + |w| (value + reach), of numbers that are rounded down. */
static double place_roundings(void)
{
    double most = 0;
    arb_t exact, t;

    arb_init(exact), arb_init(t);
    for (int i = 0; i < TRIALS; i++) {
        double norm = 1 + i * 0.0031, above = 3 + i * 0.0017, reach = 0.3 + i * 0.00013, size;
        arb_set_d(exact, 1);
        arb_set_d(t, reach);
        arb_add(exact, exact, t, EXACT_BITS);
        arb_set_d(t, above);
        arb_mul(exact, exact, t, EXACT_BITS);
        arb_set_d(t, norm);
        arb_add(exact, exact, t, EXACT_BITS);
        size = arf_get_d(arb_midref(exact), ARF_RND_NEAR);
        most = fmax(
            most, used(bound_norm(norm, above, 1, 1, reach), exact, 8 * 0x1p-53 * size, true));
    }
    arb_clear(exact), arb_clear(t);
    return most;
}

/* A value 2^-1100, times 2^200. */
static double place_lost(void)
{
    return 0x1p-900 / bound_norm(0, 0x1p200, 0x1p-700, 0x1p-400, 0);
}

static const char few[] = "a few roundings by 2^-53 each; 10^-12 costs nothing";

static const table_row rows[] = {
    {"query_mu", query_mu, 0, few},
    {"query_shallow", query_shallow, 0, few},
    {"query_slope", query_slope, 0,
     "a few roundings by 2^-53 each, and those of low in the bracket, relative to it"},
    {"query_maximum", query_maximum, 0, few},
    {"query_offset", query_offset, 0, few},
    {"query_gap", query_gap, 0, few},
    {"query_mu_underflow", query_mu_underflow, 0,
     "exp is within 2^-1074 of doubles below 2^-1000"},
    {"query_shallow_underflow", query_shallow_underflow, 0,
     "exp is within 2^-1074 of doubles below 2^-1000"},
    {"query_norm", query_norm, 0.98, NULL},
    {"event_errors", event_errors, 0.98, NULL},
    {"event_distance", event_distance, 0.12,
     "the difference of two values is off by u, as the sum of errors and their difference, "
     "which are exact here; 8 u are counted"},
    {"event_logs", event_logs, 0,
     "10^-13 is claimed for the logarithm, whose errors are near 2^-53"},
    {"place_roundings", place_roundings, 0.1,
     "five of the eight roundings change a number, and not all at their worst"},
    {"place_lost", place_lost, 0,
     "a product loses 2^-1075 at most, 2^-1060 is more than all of them"},
};

int main(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
    flint_cleanup();
    return table_done();
}
