/* invariance.c -- what must not change a result: the place in the batch, the batch size, the
 * alignment, whether a bound is wanted, tokens that a causal row does not see. Kernels agree
 * within the sum of their bounds. What is not finite has no bound. */
#include <attest/kernel.h>

#include "tests/kernel/oracle.h"

static const size_t shapes[][2] = {{1, 1},  {2, 1},  {3, 2},   {4, 4},   {5, 3},   {7, 16},
                                   {8, 5},  {8, 17}, {9, 1},   {16, 8},  {17, 10}, {24, 4},
                                   {25, 7}, {33, 3}, {64, 16}, {150, 9}, {29, 70}};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static bool same_bits(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* Entry b of the problem, alone and at an odd address. */
static bool alone_is_same(const struct problem *problem, size_t b, bool with_error)
{
    const size_t n = problem->n, size = n * problem->d;
    double *room = malloc((4 * size + n + 8) * sizeof *room);
    double *q = room + 1, *k = q + size, *v = k + size, *out = v + size, *error = out + size;
    bool same;

    if (!room)
        abort();
    memcpy(q, problem->q + b * size, size * sizeof *q);
    memcpy(k, problem->k + b * size, size * sizeof *k);
    memcpy(v, problem->v + b * size, size * sizeof *v);
    error[n] = 3.0;
    problem_function(problem)(out, q, k, v, 1, n, problem->d, with_error ? error : NULL);
    same = same_bits(out, problem->out + b * size, size) && error[n] == 3.0;
    if (with_error)
        same = same && same_bits(error, problem->error + b * n, n);
    free(room);
    return same;
}

static void test_batch(const char *name, bool hardmax, bool causal, uint64_t *state)
{
    bool same = true, without = true;

    for (size_t s = 0; s < SHAPES; s++) {
        for (unsigned kind = 0; kind < PROBLEM_KINDS; kind += 3) {
            struct problem problem;

            /* More than any vector has lanes, and not a multiple of them. */
            problem_init(&problem, 11, shapes[s][0], shapes[s][1]);
            problem.hardmax = hardmax;
            problem.causal = causal;
            problem_fill(&problem, kind, state);
            problem_run(&problem);
            for (size_t b = 0; b < problem.batch; b++) {
                same = same && alone_is_same(&problem, b, true);
                without = without && alone_is_same(&problem, b, false);
            }
            problem_clear(&problem);
        }
    }
    TAP_OK(same, "%s: place in the batch and alignment do not matter", name);
    TAP_OK(without, "%s: the output is the same without a bound", name);
}

/* Replaces tokens i.. by nonsense: causal rows before i must not notice. */
static void test_unseen(const char *name, bool hardmax, uint64_t *state)
{
    bool same = true;

    for (size_t s = 0; s < SHAPES; s++) {
        for (int nonsense = 0; nonsense < 3; nonsense++) {
            const double other[] = {1e300, NAN, INFINITY};
            const size_t n = shapes[s][0], d = shapes[s][1], i = n / 2 + 1;
            struct problem problem, changed;

            problem_init(&problem, 1, n, d);
            problem.hardmax = hardmax;
            problem.causal = true;
            problem_fill(&problem, 0, state);
            problem_init(&changed, 1, n, d);
            changed.hardmax = hardmax;
            changed.causal = true;
            memcpy(changed.q, problem.q, n * d * sizeof(double));
            memcpy(changed.k, problem.k, n * d * sizeof(double));
            memcpy(changed.v, problem.v, n * d * sizeof(double));
            for (size_t c = i * d; c < n * d; c++)
                changed.k[c] = changed.v[c] = other[nonsense];
            problem_run(&problem);
            problem_run(&changed);
            for (size_t r = 0; r < i && r < n; r++) {
                double distance = 0.0, bound = problem.error[r] + changed.error[r];

                for (size_t c = r * d; c < (r + 1) * d; c++)
                    distance = hypot(distance, problem.out[c] - changed.out[c]);
                same = same && bound < (double)INFINITY && distance <= bound;
            }
            problem_clear(&problem);
            problem_clear(&changed);
        }
    }
    TAP_OK(same, "%s: a causal row does not see later tokens", name);
}

static void test_not_finite(const char *name, bool hardmax, uint64_t *state)
{
    const double bad[] = {NAN, INFINITY, -INFINITY, 0x1.fffffffffffffp+1023};
    bool infinite = true, others = true;

    for (size_t s = 0; s < SHAPES; s++) {
        for (int where = 0; where < 12; where++) {
            const size_t n = shapes[s][0], d = shapes[s][1];
            struct problem problem;
            double *array;
            size_t row;

            problem_init(&problem, 3, n, d);
            problem.hardmax = hardmax;
            problem_fill(&problem, 0, state);
            array = where % 3 == 0 ? problem.q : where % 3 == 1 ? problem.k : problem.v;
            row = n + tap_random(state) % n; /* in batch entry 1 */
            for (size_t c = 0; c < d; c++)
                array[row * d + c] = bad[where / 3];
            problem_run(&problem);
            for (size_t i = 0; i < n; i++) {
                bool hit = where % 3 != 0 || n + i == row;

                /* Hardmax ignores the values of keys that lose, and a single finite token is
                 * its own result, whatever its score. */
                if (hit && where < 9 && !(hardmax && where % 3 == 2))
                    infinite = infinite && problem.error[n + i] == (double)INFINITY;
                others = others && problem.error[i] < (double)INFINITY &&
                         problem.error[2 * n + i] < (double)INFINITY;
            }
            problem_clear(&problem);
        }
    }
    TAP_OK(infinite, "%s: no bound where an input is not finite", name);
    TAP_OK(others, "%s: other batch entries keep theirs", name);
}

/* Returns whether the two outputs are within the sum of the bounds of each other. */
static bool agree(const struct problem *a, const struct problem *b)
{
    for (size_t row = 0; row < a->batch * a->n; row++) {
        double bound = a->error[row] + b->error[row], distance = 0.0;

        for (size_t c = row * a->d; c < (row + 1) * a->d; c++)
            distance = hypot(distance, a->out[c] - b->out[c]);
        if (bound < (double)INFINITY && !(distance <= bound * (1.0 + 0x1p-40)))
            return false;
    }
    return true;
}

static void test_against_scalar(const char *name, bool hardmax, bool causal, uint64_t *state)
{
    bool all = true;

    for (size_t s = 0; s < SHAPES; s++) {
        for (unsigned kind = 0; kind < PROBLEM_KINDS; kind++) {
            uint64_t seed = tap_random(state), again = seed;
            struct problem problem, other;

            problem_init(&problem, 2, shapes[s][0], shapes[s][1]);
            problem_init(&other, 2, shapes[s][0], shapes[s][1]);
            problem.hardmax = other.hardmax = hardmax;
            problem.causal = other.causal = causal;
            problem_fill(&problem, kind, &seed);
            problem_fill(&other, kind, &again);
            problem_run(&problem);
            if (attest_kernel_select("scalar") == ATTEST_OK)
                problem_run(&other);
            if (attest_kernel_select(name) == ATTEST_OK)
                all = all && agree(&problem, &other);
            problem_clear(&problem);
            problem_clear(&other);
        }
    }
    TAP_OK(all, "%s: within the sum of bounds of scalar", name);
}

/* Every kernel but scalar gives the same bits, bounds included. */
static void test_same_bits(bool hardmax, bool causal, uint64_t *state)
{
    const char *first = attest_kernel_list(0), *second = attest_kernel_list(1);
    bool same = true;

    for (size_t s = 0; s < SHAPES; s++) {
        for (unsigned kind = 0; kind < PROBLEM_KINDS; kind++) {
            uint64_t seed = tap_random(state), again = seed;
            struct problem a, b;

            problem_init(&a, 9, shapes[s][0], shapes[s][1]);
            problem_init(&b, 9, shapes[s][0], shapes[s][1]);
            a.hardmax = b.hardmax = hardmax;
            a.causal = b.causal = causal;
            problem_fill(&a, kind, &seed);
            problem_fill(&b, kind, &again);
            if (attest_kernel_select(first) == ATTEST_OK)
                problem_run(&a);
            if (attest_kernel_select(second) == ATTEST_OK)
                problem_run(&b);
            same = same && same_bits(a.out, b.out, 9 * a.n * a.d) &&
                   same_bits(a.error, b.error, 9 * a.n);
            problem_clear(&a);
            problem_clear(&b);
        }
    }
    TAP_OK(same, "%s and %s: the same bits, %s%s", first, second,
           hardmax ? "hardmax" : "softmax", causal ? " causal" : "");
}

TEST(invariance)
{
    uint64_t state = tap_seed(0x5eed0003);

    for (size_t i = 0; attest_kernel_list(i); i++) {
        const char *kernel = attest_kernel_list(i);

        if (!TAP_OK(attest_kernel_select(kernel) == ATTEST_OK, "select %s", kernel))
            continue;
        for (int variant = 0; variant < 4; variant++) {
            bool hardmax = variant & 1, causal = variant & 2;
            char name[64];

            snprintf(name, sizeof name, "%s %s%s", kernel, hardmax ? "hardmax" : "softmax",
                     causal ? " causal" : "");
            test_batch(name, hardmax, causal, &state);
            if (causal)
                test_unseen(name, hardmax, &state);
            else
                test_not_finite(name, hardmax, &state);
            test_against_scalar(kernel, hardmax, causal, &state);
        }
    }
    for (int variant = 0; attest_kernel_list(2) && variant < 4; variant++)
        test_same_bits(variant & 1, variant & 2, &state);
    return 0;
}
