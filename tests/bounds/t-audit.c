/* Terms of the audit's bounds (proofs-notes/audit.md), each with an instance that needs it: the
 * roundings of a sum, the slips of exact quantities, and pairs that doubles show to be apart.
 * The errors of the a priori bound are compared with the note's formulas, term by term, in
 * tests/audit/bound.c. */
#include "audit/bound.c"
#include "audit/bound_head.c"
#include "audit/pairs.c"
#include "base/random.h"
#include "tests/bounds/audit_rows.h"
#include "tests/bounds/exact.h"
#include "tests/bounds/table.h"

#define BIT 0x1p-10
enum { LONG = 1000 };

/* u * G after this many roundings. */
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

/* To nearest, from the middle to the even one. */
static double to_bits(double x, int bits)
{
    int exponent;
    double part = frexp(x, &exponent);

    return ldexp(nearbyint(ldexp(part, bits)), exponent - bits);
}

/* Products 3/2, 3/4, 3/2, 3, ... become 2, 1, 2, 4, ..., and their sums 2, 4, 8, 16, ... */
static double growth_cap(void)
{
    double sum = 0, exact = 0;

    for (int j = 0; j < 30; j++) {
        double product = j ? ldexp(0.75, j - 1) : 1.5;
        exact += product;
        sum = to_bits(sum + to_bits(product, 1), 1);
    }
    return (sum - exact) / (exact * growth(0.5, 0.5, false, true, 30));
}

/* An accumulator of 10 bits doubles what is added to it, and stores 1.125 2^12 and a bit in 3
 * bits as 1.25 2^12. */
static double growth_cap_stored(void)
{
    const double u = 0x1p-3, v = 0x1p-10;
    double sum = 1, exact = 1;
    size_t terms = 1;

    for (int exponent; sum <= 0x1.2p12; terms++) {
        (void)frexp(sum, &exponent);
        double term = ldexp(v * (1 + 2 * v), exponent - 1);
        exact += term;
        sum = to_bits(sum + term, 10);
    }
    return (to_bits(sum, 3) - exact) / (exact * growth(u, v, true, true, terms));
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
static double carried_ratio(bool score, double slip)
{
    const double one = 1;
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
    return carried_ratio(false, 0x1p-20);
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
    return carried_ratio(true, 0x1p-20);
}

static double score_slips_large(void)
{
    return carried_ratio(true, 1);
}

static double score_sums(void)
{
    return lost_ratio(true);
}

static double score_underflow(void)
{
    return least_ratio(true);
}

/* Errors 1 and 999 of nearly u, which are lost in their sum. */
static double outward(void)
{
    const attest_audit_model model = {.u = 0x1p-100, .u_sum = 0x1p-100, .most = INFINITY};
    double zero[LONG] = {0}, error[LONG], magnitude[LONG], entry[4 * LONG] = {0}, got[3], ratio;
    const bound b = {.model = &model, .magnitude = magnitude};
    const double one = 1;
    arb_t exact;

    for (size_t c = 0; c < LONG; c++) {
        entry[BOUND_ROWS * c] = 1;
        error[c] = c ? 0x1p-53 * (1 - BIT) : 1;
    }
    apply_matrix((quantities){&got[0], &got[1], &got[2]}, &(matrix){1, LONG, entry, entry},
                 (quantities){zero, zero, error}, &b);
    arb_init(exact);
    arb_set_d(exact, error[1]);
    arb_mul_ui(exact, exact, LONG - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    ratio = exact_ratio(&one, exact, 1, got[2] - 1);
    arb_clear(exact);
    return ratio;
}

/* Keys with their scores and values, of one entry, and what becomes of them. */
typedef struct keys {
    attest_audit_model model;
    double value[LONG], slip[LONG], error[LONG], weight[LONG], spread[LONG];
    double entry[LONG], entry_slip[LONG], entry_error[LONG];
    double mean[3], mixed[3], peak, lost, variation;
    uint32_t token[LONG], local[LONG];
    bound b;
} keys;

/* All numbers are 0, and u = 2^-10. */
static keys *begin(bool shifted)
{
    static keys k;

    k = (keys){.model = {.u = BIT, .u_sum = BIT, .most = INFINITY, .shifted = shifted}};
    k.b = (bound){.model = &k.model,
                  .layout.local = k.local,
                  .score = {k.value, k.slip, k.error},
                  .weight = k.weight,
                  .spread = k.spread,
                  .mean = {&k.mean[0], &k.mean[1], &k.mean[2]},
                  .mixed = {&k.mixed[0], &k.mixed[1], &k.mixed[2]}};
    for (uint32_t j = 0; j < LONG; j++) {
        k.token[j] = j;
        k.local[j] = j + 1;
    }
    return &k;
}

/* Sets the weights of count keys, and the error of their sum. */
static void weigh(keys *k, size_t count)
{
    k->lost = bound_weights(&k->peak, count, &k->b);
}

/* The bound of the mean's error over u. */
static double mean_error(keys *k, size_t count)
{
    const quantities values = {k->entry, k->entry_slip, k->entry_error};

    attest_audit_bound_mean(&k->variation, &values, k->token, count, 1, &k->b);
    return k->mean[2];
}

/* e^x over a bound. */
static double exp_ratio(double x, double limit)
{
    const double zero = 0;
    double ratio;
    arb_t exact;

    arb_init(exact);
    arb_set_d(exact, x);
    arb_exp(exact, exact, EXACT_BITS);
    ratio = exact_ratio(&zero, exact, 1, limit);
    arb_clear(exact);
    return ratio;
}

/* The sum is e^-1, and the score of its only key 0: 1 over the sum. */
static double shift_slip(void)
{
    keys *k = begin(false);

    k->model.tiny = 1;
    k->slip[0] = 1;
    weigh(k, 1);
    return exp_ratio(1, k->lost / 2);
}

/* Scores 0 and 0 that are s and -s: their difference is rounded to 2. */
static double distance_slip(void)
{
    keys *k = begin(true);
    score_range range;

    k->slip[0] = k->slip[1] = 1 + BIT * (1 - BIT);
    range = get_range(2, &k->b);
    return 2 * BIT * (1 - BIT) / exponent_error(1, &range, &k->b);
}

/* Scores 0 and -20 that are -1 and -19. */
static double weights_slip(void)
{
    keys *k = begin(true);

    k->value[1] = -20;
    k->slip[0] = k->slip[1] = 1;
    weigh(k, 2);
    return 1 / (1 + exp(18)) / k->weight[1];
}

/* The weight e^-800. */
static double weights_underflow(void)
{
    keys *k = begin(true);

    k->value[1] = -800;
    weigh(k, 2);
    return exp_ratio(-800, k->weight[1]);
}

/* The same, e^2 times as large as it should be; e^-798 is less than what that moves. */
static double spreads_underflow(void)
{
    keys *k = begin(false);

    k->value[1] = -800;
    k->error[1] = 2 / BIT;
    weigh(k, 2);
    return exp_ratio(-798, k->spread[1]);
}

/* The weight e^-800 is the largest. */
static double peak_underflow(void)
{
    keys *k = begin(false);

    k->value[0] = -800;
    weigh(k, 1);
    return exp_ratio(-800, k->peak);
}

/* The value 1 that is 3/2. */
static double mix_slip(void)
{
    keys *k = begin(true);

    k->entry[0] = 1;
    k->entry_slip[0] = 0.5;
    (void)mean_error(k, 1);
    return 1.5 / k->mean[1];
}

/* Weights with the sum S become weights with the sum 1 + u and a bit, which is rounded to
 * 1 + 2 u. */
static double sum_ratio(double s)
{
    const double u = BIT, lost = ((1 + u * (1 + BIT)) / s - 1) / u;

    return ((1 + 2 * u) / s - 1) / u / sum_error(0, lost, growth(u, u, false, false, 1) / u, u);
}

static double sum_lost(void)
{
    return sum_ratio(1);
}

static double sum_growth_lost(void)
{
    return sum_ratio(0.8);
}

/* 999 values 1 whose weights are nearly half the least number, 2^-30, and become 0. */
static double mean_lost(void)
{
    keys *k = begin(true);
    double mean;

    k->model.u = k->model.u_sum = 0x1p-24;
    k->model.tiny = 0x1p-31 / k->model.u;
    for (size_t j = 1; j < LONG; j++) {
        k->value[j] = log(0x1p-31 * (1 - BIT));
        k->entry[j] = 1;
    }
    mean = (LONG - 1) * 0x1p-31 * (1 - BIT);
    mean /= 1 + mean;
    return mean / k->model.u / mean_error(k, LONG);
}

/* The least number, 2^-20, at a weight of nearly 1/2; a sum of weights that is large. */
static double mean_underflow(void)
{
    keys *k = begin(false);

    k->model.u = k->model.u_sum = 0x1p-24;
    k->model.tiny = 0x1p-21 / k->model.u;
    k->value[0] = 20 + 0x1p-9;
    k->value[1] = 20;
    k->entry[1] = 0x1p-20;
    return 0x1p-20 / (1 + exp(0x1p-9)) / k->model.u / mean_error(k, 2);
}

/* The norm of the least number twice. */
static double position_norm_underflow(void)
{
    const double x[2] = {0x1p-1074, 0x1p-1074};

    return sqrt(2) / ldexp(get_norm(x, 2), 1074);
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

/* A score of 3 that is off by 1/2, and a mask of 1, where the largest number is just below 4.5
 * and the roundings of the mask and of the sum: no bound holds. */
static double bias_limit(void)
{
    const double u = 0x1p-20, reached = 4 + 0.5 + u * (1 + 4.5);
    const attest_audit_model model = {.u = u, .most = reached * (1 - BIT * 0x1p-10)};
    double value = 3, slip = 0, error = 0.5 / u;

    add_bias((quantities){&value, &slip, &error}, 1, &model);
    return isinf(error) ? (model.most - 4) / (reached - 4) : INFINITY;
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

/* reach = two numbers of which the sum is at least the distance of two points of the plane, and
 * hardly more. */
static void set_reaches(double *reach, const double *middle, uint64_t *state)
{
    arb_t square, t, u;

    arb_init(square), arb_init(t), arb_init(u);
    for (size_t c = 0; c < 2; c++) {
        arb_set_d(t, middle[c]);
        arb_set_d(u, middle[2 + c]);
        arb_sub(t, t, u, EXACT_BITS);
        arb_addmul(square, t, t, EXACT_BITS);
    }
    reach[0] = 1 + (double)(attest_random_next(state) >> 12) * 0x1p-52;
    arb_sqrt(t, square, EXACT_BITS);
    arb_set_d(u, reach[0]);
    arb_sub(t, t, u, EXACT_BITS);
    reach[1] = arf_get_d(arb_midref(t), ARF_RND_CEIL);
    arb_clear(square), arb_clear(t), arb_clear(u);
}

/* Drawn pairs at their reach: the differences, their squares and the sum of those are rounded
 * up, and the sum of the reaches and its square down. */
static double pairs_ends(void)
{
    uint64_t state = attest_random_mix(35);
    double most = 0;

    for (int i = 0; i < 4000; i++) {
        double middle[4], reach[2], square = 0, far;
        const comparison w = {.dim = 2, .middle = middle, .reach = reach};

        for (size_t c = 0; c < 4; c++)
            middle[c] = (c < 2 ? 2 : -2) + (double)(attest_random_next(&state) >> 12) * 0x1p-52;
        set_reaches(reach, middle, &state);
        for (size_t c = 0; c < 2; c++)
            square += (middle[c] - middle[2 + c]) * (middle[c] - middle[2 + c]);
        far = (reach[0] + reach[1]) * (reach[0] + reach[1]);
        most = fmax(most, (square - far) / far / (12 * 0x1p-53));
        if (doubles_show(&w, 0, 1))
            return INFINITY;
    }
    return most;
}

/* Squares of 9/16, 9/16 and, of the reach, 6/5 times 2^-1074. */
static double pairs_underflow(void)
{
    double middle[4] = {0.75 * 0x1p-537, 0.75 * 0x1p-537};

    return shows(middle, 2, 0x1.18p-537) ? INFINITY : 0x1p-1074 / 0x1p-900;
}

/* Outputs 0 and 1, each computed within 1/2, are not apart for certain. */
static double pairs_balls(void)
{
    mpfr_t middle[2], radius[2], distance[2];
    attest_audit_reference reference = {
        .positions = 2, .dim = 1, .bits = 64, .middle = middle[0], .radius = radius[0]};
    attest_audit_deviation deviation = {.distance = distance[0]};
    size_t sampled[2] = {0, 1};
    const comparison w = {
        .reference = &reference, .deviation = &deviation, .dim = 1, .sampled = sampled};
    bool apart;

    for (int i = 0; i < 2; i++) {
        mpfr_init_set_ui(middle[i], (unsigned long)i, MPFR_RNDN);
        mpfr_init_set_ui(radius[i], 0, MPFR_RNDN);
        mpfr_init_set_d(distance[i], 0.5, MPFR_RNDN);
    }
    apart = balls_show(&w, 0, 1);
    for (int i = 0; i < 2; i++)
        mpfr_clears(middle[i], radius[i], distance[i], (mpfr_ptr)0);
    return apart ? (double)INFINITY : 1;
}

/* Outputs 1 and 0; the exact first one is known to 1/4 and the error is up to 3/4, so that the
 * two are not certainly apart. */
static double pairs_slip(void)
{
    mpfr_t middle, radius, distance;
    const attest_audit_reference reference = {
        .positions = 1, .dim = 1, .middle = middle, .radius = radius};
    double x[2] = {0}, slip, far;

    mpfr_init_set_ui(middle, 1, MPFR_RNDN);
    mpfr_init_set_d(radius, 0.25, MPFR_RNDN);
    mpfr_init_set_d(distance, 0.75, MPFR_RNDN);
    get_middle(x, &slip, &reference, 0);
    far = get_reach(slip, distance);
    mpfr_clears(middle, radius, distance, (mpfr_ptr)0);
    return shows(x, 1, far) ? INFINITY : (x[0] - 0.75) / slip;
}

/* The second of two keys, which is below the first by nearly all that both are off, may win. */
static double winners_ratio(double slip, double error)
{
    keys *k = begin(true);
    size_t winner[2];
    double off = slip + BIT * error;

    k->b.winner = winner;
    k->value[0] = 2 * off * (1 - BIT);
    k->slip[0] = k->slip[1] = slip;
    k->error[0] = k->error[1] = error;
    return list_winners(k->token, 2, &k->b) == 2 ? k->value[0] / (2 * off) : INFINITY;
}

static double winners_slip(void)
{
    return winners_ratio(1, 0);
}

static double winners_error(void)
{
    return winners_ratio(0, 1);
}

/* The error divided by its bound when nearly half of the least number of binary32 (toward zero:
 * nearly all of it) is rounded to 0: in the format, in the accumulator, and toward zero. */
static double model_underflow(void)
{
    const attest_format binary32 = {.precision = 24,
                                    .bounded = true,
                                    .emin = -126,
                                    .emax = 127},
                        wide = {.precision = 53, .bounded = true, .emin = -1022, .emax = 1023};
    double least = INFINITY, most = 0;

    for (int i = 0; i < 3; i++) {
        double lost = 0x1p-150 * (i == 2 ? 2 : 1) * (1 - BIT), ratio;
        attest_simulated_arithmetic a;
        attest_audit_model model;
        attest_simulated_arithmetic_init(&a, i == 1 ? &wide : &binary32);
        a.accumulates = i == 1;
        a.accumulate = binary32;
        a.rounding = i == 2 ? ATTEST_SIMULATED_ZERO : ATTEST_SIMULATED_NEAREST;
        attest_audit_model_init(&model, &a);
        ratio = lost / (model.u * model.tiny);
        least = fmin(least, ratio), most = fmax(most, ratio);
    }
    return most > 1 ? most : least;
}

static const char twice[] =
    "a rounding is off by one unit roundoff, 2^-53, and a slip counts 2^-52 for it";

static const char small[] =
    "exp is within 2^-1074 of doubles below 2^-1000, and 2^-1000 moves no weight";

static const table_row rows[] = {
    {"growth_sums", growth_sums, 0.98, NULL},
    {"growth_stored", growth_stored, 0.98, NULL},
    {"growth_cap", growth_cap, 0.83,
     "a rounding to one bit is off by a third of the number, not by u = 1/2"},
    {"growth_cap_carried", growth_cap_stored, 0.96, NULL},
    {"growth_cap_stored", growth_cap_stored, 0.96, NULL},
    {"outward", outward, 0,
     "2^20 terms are off by 2^-33; the rest is for a few factors more, and for exp"},
    {"shift_slip", shift_slip, 0.98, NULL},
    {"distance_slip", distance_slip, 0.98, NULL},
    {"weights_slip", weights_slip, 0.98, NULL},
    {"weights_underflow", weights_underflow, 0, small},
    {"spreads_underflow", spreads_underflow, 0, small},
    {"peak_underflow", peak_underflow, 0, small},
    {"mix_slip", mix_slip, 0.98, NULL},
    {"sum_lost", sum_lost, 0.98, NULL},
    {"sum_growth_lost", sum_growth_lost, 0.98, NULL},
    {"mean_lost", mean_lost, 0.24,
     "half of it is for products, and half of either for sums that are stored: here "
     "exponentials lose, once each"},
    {"mean_underflow", mean_underflow, 0.98, NULL},
    {"position_norm_underflow", position_norm_underflow, 0.7,
     "half of the least double is lost at most"},
    {"matrix_slips", matrix_slips, 0.98, NULL},
    {"matrix_sums", matrix_sums, 0.48, twice},
    {"matrix_underflow", matrix_underflow, 0,
     "2^20 products lose 2^-1055 at most; no output of interest is as small as 2^-1000"},
    {"score_slips", score_slips, 0.98, NULL},
    {"score_slips", score_slips_large, 0.74, "the product of two slips is counted twice"},
    {"score_sums", score_sums, 0.48, twice},
    {"score_underflow", score_underflow, 0,
     "2^20 products lose 2^-1055 at most, and 2^-1000 moves no weight"},
    {"input_rounding", input_rounding, 0.48, twice},
    {"input_underflow", input_underflow, 0.24,
     "half of the least double is lost at most; 2^-1073 is twice that double"},
    {"model_underflow", model_underflow, 0.98, NULL},
    {"winners_slip", winners_slip, 0.98, NULL},
    {"winners_error", winners_error, 0.98, NULL},
    {"bias_limit", bias_limit, 0.98, NULL},
    {"pairs_slip", pairs_slip, 0.98, NULL},
    {"pairs_sums", pairs_sums, 0.98, NULL},
    {"pairs_ends", pairs_ends, 0.3,
     "eight roundings, which are seldom all as large as they may be and the same way"},
    {"pairs_balls", pairs_balls, 0.98, NULL},
    {"pairs_underflow", pairs_underflow, 0,
     "2^20 squares lose 2^-1055 at most; smaller sums are left to balls"},
};

int main(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
    audit_run_outputs();
    flint_cleanup();
    return table_done();
}
