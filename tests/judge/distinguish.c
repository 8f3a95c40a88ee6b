/* distinguish.c -- whether bounds contain the exact results of rounded inputs, against long
 * doubles. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/scope.h"
#include "judge/distinguish.h"
#include "tests/judge/scene.h"
#include "tests/tap.h"

enum { QUERIES = 4, DIM = 16, COLUMNS = 2, MOST = 4096, ELEMENTS = QUERIES * COLUMNS };

static double q[QUERIES * DIM], k[MOST * DIM], v[MOST * COLUMNS];

static attest_tensor tensor(const double *data, size_t tokens, size_t dim)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *data), sizeof *data}};
}

/* Roughly normal, of 24 bits or of 8. */
static void draw(double *x, size_t count, const char *format, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        double sum = 0;

        for (int n = 0; n < 6; n++)
            sum += (double)(attest_random_next(state) >> 40) * 0x1p-24 - 0.5;
        x[i] = scene_round(sum * 1.5, format);
    }
}

/* To 11 bits, by the remainder of a division. */
static long double eleven_bits(double x)
{
    int exponent;
    double unit;

    frexp(x, &exponent);
    unit = ldexp(1, exponent - 11);
    return (long double)x - (long double)remainder(x, unit);
}

/* Whether the results of rounded inputs are all between the bounds; keys up to the row's last.
 */
static bool all_inside(const attest_judge_bounds *bounds, size_t keys, bool causal)
{
    for (size_t i = 0; i < QUERIES; i++) {
        size_t seen = causal ? keys - QUERIES + i + 1 : keys;
        long double sum = 0, o[COLUMNS] = {0};

        for (size_t j = 0; j < seen; j++) {
            long double t = 0;

            for (size_t c = 0; c < DIM; c++)
                t += eleven_bits(q[i * DIM + c]) * eleven_bits(k[j * DIM + c]);
            t = expl(t / 4); /* the root of DIM */
            sum += t;
            for (size_t c = 0; c < COLUMNS; c++)
                o[c] += t * eleven_bits(v[j * COLUMNS + c]);
        }
        for (size_t c = 0; c < COLUMNS; c++)
            if (!(o[c] / sum >= bounds->lo[i * COLUMNS + c] &&
                  o[c] / sum <= bounds->hi[i * COLUMNS + c]))
                return false;
    }
    return true;
}

typedef struct problem {
    const char *kernel, *format;
    size_t keys;
    bool causal, expected;
} problem;

static void compare(const problem *p, uint64_t *state)
{
    double array[4][ELEMENTS];
    attest_judge_bounds bounds = {array[0], array[1], array[2], array[3], NULL, NULL};
    const attest_judge_options options = {.jobs = 1};
    attest_format tfloat32 = scene_format("tfloat32");
    attest_judge_model *model;
    attest_error error = {0};
    attest_qkv qkv = {.q = tensor(q, QUERIES, DIM),
                      .k = tensor(k, p->keys, DIM),
                      .v = tensor(v, p->keys, COLUMNS),
                      .causal = p->causal ? ATTEST_CAUSAL_BOTTOM_RIGHT : ATTEST_CAUSAL_NONE};
    attest_judge_rows rows ATTEST_CLEARED_BY(attest_judge_rows_clear) = {.batch = 0};
    bool contain, inside;

    draw(q, QUERIES * DIM, p->format, state);
    draw(k, p->keys * DIM, p->format, state);
    draw(v, p->keys * COLUMNS, p->format, state);
    if (attest_judge_model_load(&model, p->kernel, &error) != ATTEST_OK ||
        attest_judge_bound(&bounds, &qkv, model, &options, &error) != ATTEST_OK ||
        attest_judge_rows_init(&rows, &qkv, &options, &error) != ATTEST_OK ||
        attest_judge_bounds_contain_rounded(&contain, &bounds, &rows, &qkv, model, &tfloat32,
                                            &error) != ATTEST_OK) {
        printf("# %s\n", error.text);
        abort();
    }
    inside = all_inside(&bounds, p->keys, p->causal);
    TAP_OK(contain == p->expected &&
               contain == (inside && scene_format(p->format).precision > 11),
           "%s, %zu keys in %s%s: %s", p->kernel, p->keys, p->format,
           p->causal ? ", causal" : "", contain ? "as wide as tfloat32" : "told apart");
    for (size_t i = 0; i < ELEMENTS; i++)
        bounds.hi[i] = i == 5 ? (double)INFINITY : bounds.hi[i];
    if (attest_judge_bounds_contain_rounded(&contain, &bounds, &rows, &qkv, model, &tfloat32,
                                            &error) != ATTEST_OK)
        abort();
    TAP_OK(!contain, "not where an element has no bound");
    attest_judge_model_free(model);
}

TEST(distinguish)
{
    static const problem problems[] = {
        {"fp32-any", "binary32", 4096, false, true},
        {"fp32-any", "binary32", 4096, true, true},
        {"fp32-any", "binary32", 64, false, false},
        {"fp32-any", "binary32", 4, true, false}, /* the first row sees one key */
        {"fp32-flash2", "binary32", 1024, false, false},
        {"fp32-any", "bfloat16", 4096, false, false}, /* rounding changes nothing */
        {"bf16-any", "bfloat16", 64, false, false},
    };
    uint64_t state = attest_random_mix(tap_seed(32));

    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        compare(&problems[i], &state);
    return 0;
}
