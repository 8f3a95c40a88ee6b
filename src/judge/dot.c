/* dot.c -- dot products as the matrix unit of a GPU forms them. */
#include "judge/dot.h"

#include "base/scope.h"

enum { HALVES_STEP = 32 }; /* products of one instruction that goes through binary16 */

static const attest_format half_format = {.name = "binary16", 11, true, -14, 15, 16};
static const attest_format single_format = {.name = "binary32", 24, true, -126, 127, 32};

static size_t get_step(const attest_judge_core *core)
{
    return core->gpu.halves ? HALVES_STEP : core->gpu.block;
}

attest_status attest_judge_core_init(attest_judge_core *core, const char *unit,
                                     const attest_format *a, const attest_format *b, bool half,
                                     size_t promote, attest_error *error)
{
    const attest_format *result = half ? &half_format : &single_format;

    ATTEST_TRY(attest_judge_gpu_find(&core->gpu, unit, a, b, half, error));
    if (promote % get_step(core) != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s adds %zu products of %s at a time, and %zu is no multiple "
                                "of that",
                                unit, get_step(core), a->name, promote);
    core->promote = promote;
    if (core->gpu.halves)
        a = b = &half_format; /* widened, which is exact */
    attest_judge_unit_init(&core->unit, a, b, result, core->gpu.fraction);
    core->unit.least = core->gpu.least;
    attest_in_double_init(&core->result, result, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    return ATTEST_OK;
}

/* The same by doubles, which decide where something is infinite or NaN: products and sums of
 * the finite ones stay finite. */
static double sum_wild(double addend, const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        addend += a[i] * b[i];
    return addend;
}

static bool is_finite(const double *x, size_t count)
{
    double zero = 0;

    for (size_t i = 0; i < count; i++)
        zero += 0 * x[i];
    return zero == 0;
}

static double sum_block(double addend, const double *a, const double *b, size_t count,
                        const attest_judge_core *core)
{
    attest_judge_block block = {a, b, 1, count};

    if (!isfinite(addend) || !is_finite(a, count) || !is_finite(b, count))
        return sum_wild(addend, a, b, count);
    return attest_judge_unit_sum(addend, &block, &core->unit);
}

/* One instruction of 8-bit products by way of binary16. */
static double sum_halves(double addend, const double *a, const double *b, size_t count,
                         const attest_judge_core *core)
{
    double x[2][HALVES_STEP], y[2][HALVES_STEP], sum = 0;
    size_t n[2] = {0, 0};

    for (size_t i = 0; i < count; i++) {
        size_t h = i % 4 / 2;

        x[h][n[h]] = a[i];
        y[h][n[h]++] = b[i];
    }
    for (size_t h = 0; h < 2; h++)
        sum = sum_block(sum, x[h], y[h], n[h], core);
    return attest_in_double_add(sum, addend, &core->result);
}

static double sum_chain(double addend, const double *a, const double *b, size_t count,
                        const attest_judge_core *core)
{
    size_t step = get_step(core);

    for (size_t i = 0; i < count; i += step) {
        size_t left = count - i < step ? count - i : step;

        addend = core->gpu.halves ? sum_halves(addend, a + i, b + i, left, core)
                                  : sum_block(addend, a + i, b + i, left, core);
    }
    return addend;
}

double attest_judge_core_dot(double addend, const double *a, const double *b, size_t count,
                             const attest_judge_core *core)
{
    addend = attest_in_double_nearest(addend, &core->result);
    if (core->promote == 0)
        return sum_chain(addend, a, b, count, core);
    for (size_t i = 0; i < count; i += core->promote) {
        size_t left = count - i < core->promote ? count - i : core->promote;

        addend =
            attest_in_double_add(addend, sum_chain(0, a + i, b + i, left, core), &core->result);
    }
    return addend;
}
