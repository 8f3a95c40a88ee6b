/* tolerance_search.c -- attest_judge_tolerance_search_find returns the first of its kernels
 * that exceeds the tolerance. The test draws and runs the same kernels, which push the element
 * at the given place away from its exact value, and some more, which the search must not try.
 */
#include <math.h>
#include <stdlib.h>

#include "judge/tolerance.h"
#include "tests/judge/judge_cases.h"

enum {
    BATCH = 2,
    HEADS = 3,
    QUERIES = 2,
    MOST_KEYS = 1024,
    MOST_DIM = 102,
    MOST_TRIED = 256,
    VARIANTS = 3
};

/* q, k and v of all heads. Variant 1 has contradictory orders: no kernel of it can be
 * simulated. */
static double data[3][BATCH * HEADS * (6 + MOST_KEYS) * MOST_DIM];
static attest_judge_variant variant[VARIANTS];
/* Arbitrary numbers in place of the exact values of all elements. Their errors are 0 in the row
 * under test and infinite elsewhere, so that no other row can exceed the tolerance. */
static double exact[BATCH * HEADS * QUERIES * MOST_DIM],
    exact_error[BATCH * HEADS * QUERIES * MOST_DIM];
static const attest_judge_model model = {.variant = variant, .variants = VARIANTS};

static attest_tensor tensor(const double *x, size_t tokens, size_t dim)
{
    ptrdiff_t row = (ptrdiff_t)(dim * sizeof *x), head = row * (ptrdiff_t)tokens;

    return (attest_tensor){x,
                           ATTEST_TENSOR_F64,
                           {BATCH, HEADS, tokens, dim},
                           {head * HEADS, head, row, sizeof *x}};
}

/* out = the output of the i-th kernel on a row; returns false if the kernel cannot run. */
static bool kernel(double *out, attest_judge_head *head, size_t row, size_t column, size_t i)
{
    attest_judge_recipe recipe;
    attest_error error = {0};

    if (attest_judge_recipe_draw(&recipe, &variant[i % VARIANTS], i, &error) != ATTEST_OK)
        return false;
    recipe.target = column;
    recipe.push_up = i % 2 == 1;
    return attest_judge_simulate_row(out, head, row, &variant[i % VARIANTS], &recipe, &error) ==
           ATTEST_OK;
}

/* distance[i] = the largest distance of the i-th kernel's row from the exact one; -1 if it
 * cannot run. */
static void get_distances(double *distance, attest_judge_head *head, size_t place, size_t count,
                          size_t dim)
{
    const double *row = exact + (place - place % dim);
    double out[MOST_DIM];

    for (size_t i = 0; i < count; i++) {
        distance[i] = -1;
        if (kernel(out, head, place / dim % QUERIES, place % dim, i))
            for (size_t c = 0; c < dim; c++)
                distance[i] = fmax(distance[i], fabs(out[c] - row[c]));
    }
}

/* Returns whether the search with this atol finds the first kernel that is farther, if any. */
static bool finds(const attest_qkv *qkv, attest_judge_head *head, size_t place, double atol,
                  const double *distance, size_t tried, size_t dim)
{
    attest_judge_allclose tolerance = {.atol_low = atol, .atol_high = atol};
    const double *row = exact + (place - place % dim);
    attest_judge_tolerance_search search;
    attest_error error = {0};
    double out[MOST_DIM];
    size_t first = 0;

    if (attest_judge_tolerance_search_find(&search, qkv, &model, &tolerance, exact, exact_error,
                                           place, &error) != ATTEST_OK)
        return false;
    while (first < tried && !(distance[first] > atol))
        first++;
    if (!search.found || first == tried)
        return search.found == (first < tried);
    return search.seed == first && search.variant == first % VARIANTS &&
           kernel(out, head, place / dim % QUERIES, place % dim, first) &&
           search.column < dim && out[search.column] == search.output &&
           fabs(search.output - row[search.column]) == distance[first];
}

/* Searches for every `step`-th element. The search tries `tried` kernels on a row; the test
 * runs `count` >= tried. The tolerances are 0 and the running maxima of the distances: only a
 * later kernel exceeds a running maximum. */
static void test(size_t keys, size_t dim, size_t tried, size_t count, size_t step)
{
    attest_format half = case_format("bfloat16");
    attest_qkv qkv = {.q = tensor(data[0], QUERIES, dim),
                      .k = tensor(data[1], keys, dim),
                      .v = tensor(data[2], keys, dim),
                      .scale = "1/8"};
    size_t wrong = 0, found = 0, later = 0;
    attest_judge_problem problem;
    attest_judge_head head;
    attest_error error = {0};
    uint64_t state = 11;

    for (size_t x = 0; x < 3; x++)
        for (size_t i = 0; i < BATCH * HEADS * (x ? keys : QUERIES) * dim; i++)
            data[x][i] = case_number(&state, &half, 0);
    for (size_t i = 0; i < BATCH * HEADS * QUERIES * dim; i++)
        exact[i] = (double)(i % 7) / 8 - 0.5;
    if (attest_judge_problem_init(&problem, &qkv, &error) != ATTEST_OK ||
        attest_judge_head_init(&head, &problem, &error) != ATTEST_OK)
        abort();
    for (size_t place = 0; place < BATCH * HEADS * QUERIES * dim; place += step) {
        size_t index = place / dim / QUERIES;
        double distance[MOST_TRIED + 64], most = -1;

        if (attest_judge_head_load(&head, index / HEADS, index % HEADS, &error) != ATTEST_OK)
            abort();
        for (size_t i = 0; i < BATCH * HEADS * QUERIES * dim; i++)
            exact_error[i] = i / dim == place / dim ? 0 : (double)INFINITY;
        get_distances(distance, &head, place, count, dim);
        wrong += !finds(&qkv, &head, place, 0, distance, tried, dim);
        for (size_t i = 0; i < count; i++) {
            if (!(distance[i] > most))
                continue;
            later += i >= tried;
            found += i < tried && most >= 0;
            if (most >= 0) /* only kernels from the i-th on are farther */
                wrong += !finds(&qkv, &head, place, most, distance, tried, dim);
            most = distance[i];
        }
        wrong += !finds(&qkv, &head, place, most, distance, tried, dim);
    }
    TAP_OK(wrong == 0 && found > 0 && later > 0,
           "%zu keys, dim %zu, %zu kernels: %zu wrong; %zu maxima found, %zu in later kernels",
           keys, dim, tried, wrong, found, later);
    attest_judge_head_clear(&head);
    attest_judge_problem_clear(&problem);
}

TEST(tolerance_search)
{
    uint64_t state = 5;

    case_variant(&variant[0], &state, 1);
    case_variant(&variant[2], &state, 6);
    variant[0].output = variant[2].output =
        case_format("binary32"); /* few distances are equal */
    variant[1] = variant[0];
    variant[1].pv.order = ATTEST_JUDGE_ORDER_BACKWARD;
    variant[1].direction = ATTEST_JUDGE_DIRECTION_FORWARD;
    test(5, 3, MOST_TRIED, MOST_TRIED + 64, 2);
    /* at most 2^22 products: 20 kernels of 1024 (102 + 102) + 1 products each */
    test(MOST_KEYS, MOST_DIM, 20, 32, 410);
    return 0;
}
