/* bound.c -- the error bound is the one that proofs-notes/kernel-error.md derives, computed
 * here from the note in long double: no term is missing, and none is much larger. Errors alone
 * would not show it: a bound that forgets a small term is rarely violated. */
#include <attest/kernel.h>

#include "tests/kernel/oracle.h"

#define UNIT (0x1p-53L * (1.0L + 0x1p-18L))
#define EXP_ERROR (2.0L * (long double)ATTEST_KERNEL_EXP_ULP)
#define LONGEST 300
#define WIDEST 64
#define SCORE_CHAIN 16
#define VALUE_CHAIN 64

/* How a kernel sums, by the table of step (4), and the entries per chain of a score, and the
 * roundings of a product beside. */
struct way {
    bool by_weights, spectral;
    size_t sum_depth, value_depth, chain, extra;
};

static bool is_tiny(size_t n, size_t d)
{
    return n <= 16 && d <= 16 && n * d <= 128;
}

/* For rows of m keys. */
static struct way way_of(const char *kernel, size_t n, size_t d, size_t m)
{
    if (strcmp(kernel, "scalar") == 0)
        return (struct way){false, false, n, n + 1, d, 1};
    if (is_tiny(n, d))
        return (struct way){m > 8, false, n, n, d, 0};
    return (struct way){
        true,        d >= 32 && n >= 4 * d,
        n / 16 + 8,  (n < VALUE_CHAIN ? n : VALUE_CHAIN) + (n - 1) / VALUE_CHAIN,
        SCORE_CHAIN, 0};
}

/* What term j of n passes in chains of `size`, step (4). */
static long double roundings(size_t j, size_t n, size_t size)
{
    size_t block = j / size, blocks = (n + size - 1) / size;
    size_t end = block + 1 < blocks ? size * (block + 1) : n;

    return (long double)(end - j + (block == 0 ? blocks - 1 : blocks - block));
}

/* |x|_w^2 */
static long double weighted_square(const double *x, size_t d, struct way way)
{
    long double sum = 0.0L;

    for (size_t c = 0; c < d; c++)
        sum += (roundings(c, d, way.chain) + (long double)way.extra) * x[c] * x[c];
    return sum;
}

static long double square(const double *x, size_t d)
{
    long double sum = 0.0L;

    for (size_t c = 0; c < d; c++)
        sum += (long double)x[c] * x[c];
    return sum;
}

/* The mean of the values, its norm, and the bound on singular values of step (8). */
struct spread {
    long double mean[WIDEST], norm, sigma;
};

/* matrix = that of the values about their mean, the mean of its eigenvalues taken from its
 * diagonal; returns that mean. */
static long double centred(long double matrix[WIDEST][WIDEST], const struct problem *problem,
                           const long double *mean)
{
    const size_t n = problem->n, d = problem->d;
    long double middle = 0.0L;

    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b < d; b++) {
            matrix[a][b] = 0.0L;
            for (size_t j = 0; j < n; j++)
                matrix[a][b] += ((long double)problem->v[j * d + a] - mean[a]) *
                                ((long double)problem->v[j * d + b] - mean[b]);
        }
        middle += matrix[a][a] / (long double)d;
    }
    for (size_t a = 0; a < d; a++)
        matrix[a][a] -= middle;
    return middle;
}

/* The bound on the largest eigenvalue of the square of a symmetric matrix. */
static long double largest_square(long double matrix[WIDEST][WIDEST], size_t d)
{
    long double trace = 0.0L, total = 0.0L;

    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            long double entry = 0.0L;

            for (size_t c = 0; c < d; c++)
                entry += matrix[a][c] * matrix[c][b];
            trace += a == b ? entry : 0.0L;
            total += entry * entry;
        }
    trace /= (long double)d;
    total /= (long double)d;
    return trace + sqrtl((total - trace * trace) * (long double)(d - 1));
}

static struct spread spread_of(const struct problem *problem)
{
    static long double matrix[WIDEST][WIDEST];
    const size_t n = problem->n, d = problem->d;
    struct spread spread = {.norm = 0.0L};
    long double middle;

    for (size_t c = 0; c < d; c++) {
        for (size_t j = 0; j < n; j++)
            spread.mean[c] += (long double)problem->v[j * d + c] / (long double)n;
        spread.norm += spread.mean[c] * spread.mean[c];
    }
    middle = centred(matrix, problem, spread.mean);
    spread.norm = sqrtl(spread.norm);
    spread.sigma = sqrtl(middle + sqrtl(largest_square(matrix, d)));
    return spread;
}

/* What the formulas need of a row. */
struct row {
    size_t n, d;
    long double q, key_most, value_most;   /* squares */
    long double key, value, rounding, out; /* weighted means, |out|^2 */
    long double denominator;
    /* Step (8): sums with squares of weights, |out - c|^2. */
    long double key_squares, squares, rounding_squares, away;
};

static struct row measure(const struct problem *problem, size_t i, struct way way,
                          const struct spread *spread)
{
    const size_t n = problem->n, d = problem->d, m = problem->causal ? i + 1 : n;
    struct row row = {.n = n, .d = d};
    long double weight[LONGEST], top = -INFINITY;

    row.q = weighted_square(problem->q + i * d, d, way);
    row.out = square(problem->out + i * d, d);
    for (size_t c = 0; c < d; c++) {
        long double away = (long double)problem->out[i * d + c] - spread->mean[c];

        row.away += away * away;
    }
    for (size_t j = 0; j < m; j++) {
        weight[j] = 0.0L;
        for (size_t c = 0; c < d; c++)
            weight[j] += (long double)problem->q[i * d + c] * problem->k[j * d + c];
        top = weight[j] > top ? weight[j] : top;
    }
    for (size_t j = 0; j < m; j++) {
        long double key = weighted_square(problem->k + j * d, d, way);
        long double value = square(problem->v + j * d, d);
        long double w = expl(weight[j] - top), g = roundings(j, n, VALUE_CHAIN);

        row.denominator += w;
        row.key += w * key;
        row.value += w * value;
        row.rounding += w * value * g * g;
        row.key_squares += w * w * key;
        row.squares += w * w;
        row.rounding_squares += w * w * g;
        row.key_most = key > row.key_most ? key : row.key_most;
        row.value_most = value > row.value_most ? value : row.value_most;
    }
    row.key /= row.denominator;
    row.value /= row.denominator;
    row.rounding /= row.denominator;
    row.key_squares /= row.denominator * row.denominator;
    row.squares /= row.denominator * row.denominator;
    row.rounding_squares /= row.denominator * row.denominator;
    return row;
}

/* Steps (2) to (5). */
static long double by_norms(struct row row, struct way way)
{
    long double delta = UNIT * sqrtl(row.q * row.key_most);
    long double peak = 4.0L * (row.denominator - 1.0L) + 0x1p-18L + 16.0L * delta;
    long double fixed = 2.0L * logl((long double)row.n) + 2.0L * EXP_ERROR +
                        (long double)(way.sum_depth + way.value_depth) + 2.0L;

    return sqrtl(row.value_most) * (delta * (peak < 1.0L ? peak : 1.0L) + fixed * UNIT);
}

/* Steps (7) and (8). */
static long double by_weights(struct row row, struct way way, const struct spread *spread)
{
    long double weight = EXP_ERROR + logl((long double)row.n) + 1.0L;
    long double size = (long double)row.d * sqrtl((long double)row.d);
    long double t = weight < size ? weight / size : 1.0L;
    long double out = (long double)way.sum_depth + 2.0L;
    long double eta = (1.0L + t) * row.q * row.key + (1.0L + 1.0L / t) * weight * weight;
    long double scores = sqrtl(eta * (row.value - row.out)), other;
    long double sums = sqrtl(1.5L * row.rounding + 3.0L * out * out * row.out);

    if (way.spectral) {
        other = sqrtl((1.0L + t) * row.q * row.key_squares +
                      (1.0L + 1.0L / t) * weight * weight * row.squares) *
                    spread->sigma +
                sqrtl(eta) * (sqrtl(row.away) + 0x1p-19L * sqrtl(row.value));
        scores = other < scores ? other : scores;
        other = sqrtl((long double)(row.n + (row.n - 1) / VALUE_CHAIN) * row.rounding_squares) *
                    spread->sigma +
                spread->norm * (long double)way.value_depth + out * sqrtl(row.out);
        sums = other < sums ? other : sums;
    }
    return UNIT * (scores + sums);
}

/* Least and largest ratio of the bounds to those of the note, over all rows of a problem that
 * see more than one key. */
static void compare(const struct problem *problem, const char *kernel, double range[2])
{
    const struct spread spread = spread_of(problem);

    for (size_t i = problem->causal; i < problem->n; i++) {
        struct way way =
            way_of(kernel, problem->n, problem->d, problem->causal ? i + 1 : problem->n);
        struct row row = measure(problem, i, way, &spread);
        long double expected =
            way.by_weights ? by_weights(row, way, &spread) : by_norms(row, way);
        double ratio = (double)((long double)problem->error[i] / expected);

        range[0] = ratio < range[0] ? ratio : range[0];
        range[1] = ratio > range[1] ? ratio : range[1];
    }
}

static void test_shape(const char *kernel, size_t n, size_t d, uint64_t *state)
{
    static const double scales[] = {0x1p-30, 1.0, 0x1p+10};
    double range[2] = {INFINITY, 0.0};

    for (int trial = 0; trial < 6; trial++) {
        struct problem problem;

        problem_init(&problem, 1, n, d);
        problem_fill(&problem, 0, state);
        problem.causal = trial % 2;
        /* Scores that are nothing, ordinary, and so large that their rounding is all. */
        for (size_t c = 0; c < n * d; c++)
            problem.q[c] *= scales[trial / 2];
        problem_run(&problem);
        compare(&problem, kernel, range);
        problem_clear(&problem);
    }
    /* Short rows replace a geometric by an arithmetic mean and roots by quick approximations;
     * near-ties of weights and the rounding of the spread move the others by less. */
    TAP_OK(range[0] >= 1.0 - 1e-6 && range[1] <= (is_tiny(n, d) ? 3.0 : 1.02),
           "%s, n=%zu d=%zu: bounds are %.7f to %.4f times those of the note", kernel, n, d,
           range[0], range[1]);
}

TEST(bound)
{
    static const size_t shapes[][2] = {
        {2, 1},  {4, 4},   {8, 3},   {8, 16},  {3, 20},   {9, 1},   {16, 8},   {16, 9},
        {40, 5}, {64, 16}, {129, 3}, {200, 7}, {260, 12}, {20, 40}, {140, 35}, {256, 64}};
    uint64_t state = tap_seed(0x5eed0005);

    for (size_t k = 0; attest_kernel_list(k); k++) {
        const char *kernel = attest_kernel_list(k);

        if (!TAP_OK(attest_kernel_select(kernel) == ATTEST_OK, "select %s", kernel))
            continue;
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            test_shape(kernel, shapes[s][0], shapes[s][1], &state);
    }
    return 0;
}
