/* t-bound.c -- the error bound is the one that proofs-notes/kernel-error.md derives, computed
 * here from the note in long double: no term is missing, and none is much larger. Errors alone
 * would not show it: a bound that forgets a small term is rarely violated. */
#include <attest/kernel.h>

#include "tests/kernel/oracle.h"

#define UNIT (0x1p-53L * (1.0L + 0x1p-18L))
#define EXP_ERROR (2.0L * (long double)ATTEST_KERNEL_EXP_ULP)
#define LONGEST 300

/* How a kernel sums, by the table of step (4), and the roundings of a product in a score. */
struct way {
    bool by_weights;
    size_t sum_depth, value_depth, extra;
};

static bool is_tiny(size_t n, size_t d)
{
    return n <= 16 && d <= 16 && n * d <= 128;
}

/* For rows of m keys. */
static struct way way_of(const char *kernel, size_t n, size_t d, size_t m)
{
    if (strcmp(kernel, "scalar") == 0)
        return (struct way){false, n, n + 1, 1};
    if (is_tiny(n, d))
        return (struct way){m > 8, n, n, 0};
    return (struct way){true, n / 16 + 8, (n < 128 ? n : 128) + (n - 1) / 128, 0};
}

/* g_j of step (4), for blocks of 128 keys. */
static long double roundings(size_t j, size_t n)
{
    size_t block = j / 128, blocks = (n + 127) / 128;
    size_t end = block + 1 < blocks ? 128 * (block + 1) : n;

    return (long double)(end - j + (block == 0 ? blocks - 1 : blocks - block));
}

/* |x|_w^2, or |x|^2. */
static long double square(const double *x, size_t d, bool weighted, size_t extra)
{
    long double sum = 0.0L;

    for (size_t c = 0; c < d; c++)
        sum += (weighted ? (long double)(d - c + extra) : 1.0L) * x[c] * x[c];
    return sum;
}

/* What the formulas need of a row. */
struct row {
    size_t n, d;
    long double q, key_most, value_most;   /* squares */
    long double key, value, rounding, out; /* weighted means, |out|^2 */
    long double denominator;
};

static struct row measure(const struct problem *problem, size_t i, struct way way)
{
    const size_t n = problem->n, d = problem->d, m = problem->causal ? i + 1 : n;
    struct row row = {.n = n, .d = d};
    long double weight[LONGEST], top = -INFINITY;

    row.q = square(problem->q + i * d, d, true, way.extra);
    row.out = square(problem->out + i * d, d, false, 0);
    for (size_t j = 0; j < m; j++) {
        weight[j] = 0.0L;
        for (size_t c = 0; c < d; c++)
            weight[j] += (long double)problem->q[i * d + c] * problem->k[j * d + c];
        top = weight[j] > top ? weight[j] : top;
    }
    for (size_t j = 0; j < m; j++) {
        long double key = square(problem->k + j * d, d, true, way.extra);
        long double value = square(problem->v + j * d, d, false, 0);
        long double w = expl(weight[j] - top);

        row.denominator += w;
        row.key += w * key;
        row.value += w * value;
        row.rounding += w * value * roundings(j, n) * roundings(j, n);
        row.key_most = key > row.key_most ? key : row.key_most;
        row.value_most = value > row.value_most ? value : row.value_most;
    }
    row.key /= row.denominator;
    row.value /= row.denominator;
    row.rounding /= row.denominator;
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

/* Step (7). */
static long double by_weights(struct row row, struct way way)
{
    long double weight = EXP_ERROR + logl((long double)row.n) + 1.0L;
    long double size = (long double)row.d * sqrtl((long double)row.d);
    long double t = weight < size ? weight / size : 1.0L;
    long double out = (long double)way.sum_depth + 2.0L;
    long double scores = (1.0L + t) * row.q * row.key + (1.0L + 1.0L / t) * weight * weight;

    return UNIT * (sqrtl(scores * (row.value - row.out)) +
                   sqrtl(1.5L * row.rounding + 3.0L * out * out * row.out));
}

/* Least and largest ratio of the bounds to those of the note, over all rows of a problem that
 * see more than one key. */
static void compare(const struct problem *problem, const char *kernel, double range[2])
{
    for (size_t i = problem->causal; i < problem->n; i++) {
        struct way way =
            way_of(kernel, problem->n, problem->d, problem->causal ? i + 1 : problem->n);
        struct row row = measure(problem, i, way);
        long double expected = way.by_weights ? by_weights(row, way) : by_norms(row, way);
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
    TAP_OK(range[0] >= 1.0 - 1e-6 && range[1] <= (is_tiny(n, d) ? 3.0 : 1.01),
           "%s, n=%zu d=%zu: bounds are %.7f to %.4f times those of the note", kernel, n, d,
           range[0], range[1]);
}

int main(void)
{
    static const size_t shapes[][2] = {{2, 1},   {4, 4},   {8, 3},   {8, 16}, {3, 20},
                                       {9, 1},   {16, 8},  {16, 9},  {40, 5}, {64, 16},
                                       {129, 3}, {200, 7}, {260, 12}};
    uint64_t state = tap_seed(0x5eed0005);

    for (size_t k = 0; attest_kernel_list(k); k++) {
        const char *kernel = attest_kernel_list(k);

        if (!TAP_OK(attest_kernel_select(kernel) == ATTEST_OK, "select %s", kernel))
            continue;
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            test_shape(kernel, shapes[s][0], shapes[s][1], &state);
    }
    return tap_done();
}
