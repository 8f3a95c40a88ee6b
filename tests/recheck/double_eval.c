/* The quick parts of the second route: its exp, outputs in doubles with bounds, and the integer
 * product, against Arb and against all pairs. */
#include "recheck/double_eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/dataset.h"
#include "io/weights_json.h"
#include "recheck/recheck.h"
#include "tests/forge/instance.h"
#include "tests/tap.h"

enum { POINTS = 20000, INSTANCES = 300, MOST_DIM = 40, COUNT = 70 };

static double uniform(uint64_t *state)
{
    return (double)(tap_random(state) >> 11) * 0x1p-53;
}

static void check_exp(uint64_t *state)
{
    double worst = 0;
    arb_t exact, error;

    arb_init(exact), arb_init(error);
    for (int i = 0; i < POINTS; i++) {
        double x = i < 1420 ? -0.5 * i : -708 * uniform(state) * (i % 2 ? 1 : 0.001), e;
        x = x < -708 ? -708 : x;
        arb_set_d(exact, x);
        arb_exp(exact, exact, 100);
        arb_set_d(error, attest_recheck_exp(x));
        arb_sub(error, error, exact, 100);
        arb_div(error, error, exact, 53);
        e = fabs(arf_get_d(arb_midref(error), ARF_RND_UP));
        worst = e > worst ? e : worst;
    }
    arb_clear(exact), arb_clear(error);
    TAP_OK(worst < ATTEST_RECHECK_EXP_ERROR / 2, "exp is right to 2^%.1f", log2(worst));
}

/* Returns whether the bound at a position holds; *bounded counts those that have one. */
static bool holds(attest_recheck *check, attest_recheck_double_eval *quick, size_t p,
                  long *bounded)
{
    double out[MOST_DIM], error;
    arb_ptr exact = _arb_vec_init((slong)check->dim);
    arb_t square, difference;
    bool ok = true;

    arb_init(square), arb_init(difference);
    if (attest_recheck_double_eval_get(out, &error, quick, check, p)) {
        ++*bounded;
        attest_recheck_enclose(exact, check, p, 2000);
        for (size_t c = 0; c < check->dim; c++) {
            arb_set_d(difference, out[c]);
            arb_sub(difference, difference, exact + c, 2000);
            arb_addmul(square, difference, difference, 2000);
        }
        arb_set_d(difference, error);
        arb_sqr(difference, difference, 2000);
        ok = error >= 0 && arb_le(square, difference);
    }
    arb_clear(square), arb_clear(difference);
    _arb_vec_clear(exact, (slong)check->dim);
    return ok;
}

static void check_outputs(uint64_t *state)
{
    long bounded = 0, wrong = 0, positions = 0;

    for (int i = 0; i < INSTANCES; i++) {
        forge_instance instance;
        attest_recheck check;
        attest_recheck_double_eval *quick;
        forge_instance_init(&instance, state);
        if (attest_recheck_init(&check, &instance.dataset, &instance.weights, NULL) !=
            ATTEST_OK)
            abort();
        quick = attest_recheck_double_eval_new(&check);
        for (size_t p = 0; quick && p < check.positions; p++, positions++)
            wrong += !holds(&check, quick, p, &bounded);
        attest_recheck_double_eval_free(quick);
        attest_recheck_clear(&check);
        forge_instance_clear(&instance);
    }
    TAP_OK(wrong == 0, "%ld of %ld bounds do not hold", wrong, bounded);
    TAP_OK(bounded > INSTANCES / 4, "%ld of %ld positions have one", bounded, positions);
}

typedef struct scene {
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
    attest_recheck_double_eval *quick;
} scene;

static void scene_init(scene *s, const char *data, const char *layer)
{
    attest_dataset_init(&s->dataset);
    attest_weights_init(&s->weights);
    if (attest_dataset_parse_json(&s->dataset, data, strlen(data), NULL, NULL) != ATTEST_OK ||
        attest_weights_parse_json(&s->weights, layer, strlen(layer), NULL, NULL) != ATTEST_OK ||
        attest_recheck_init(&s->check, &s->dataset, &s->weights, NULL) != ATTEST_OK)
        abort();
    s->quick = attest_recheck_double_eval_new(&s->check);
}

static void scene_clear(scene *s)
{
    attest_recheck_double_eval_free(s->quick);
    attest_recheck_clear(&s->check);
    attest_weights_clear(&s->weights);
    attest_dataset_clear(&s->dataset);
}

/* Where scores and values are 0 an output is its token, to the nearest double: 1/3, 1 + 2^-52 +
 * 2^-53 - 2^-60, and the bound is that of this rounding. Numbers that are out of range have
 * none. */
static void check_tokens(void)
{
    static const char layer[] = "{\"format\":\"attest/weights\",\"version\":1,"
                                "\"activation\":\"softmax\",\"heads\":[{\"WQ\":[[0]],"
                                "\"WK\":[[1]],\"WV\":[[0]],\"WO\":[[1]]}]}";
    static const struct {
        const char *token;
        double nearest;
    } x[] = {{"1/3", 1 / 3.0},
             {"1152921504606847359/1152921504606846976", 1 + 0x1p-52},
             {"-1152921504606847361/1152921504606846976", -1 - 0x1p-51},
             {"1000000000000000000000000000000000000/3", 1e36 / 3},
             {"1e37", 0},
             {"1e-36", 1e-36},
             {"1e-37", 0}};

    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        char data[200];
        double out = 0, error = 0;
        long bounded = 0;
        scene s;

        snprintf(data, sizeof data,
                 "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":[[[\"%s\"]]]}",
                 x[i].token);
        scene_init(&s, data, layer);
        TAP_OK(x[i].nearest == 0
                   ? !s.quick
                   : s.quick && holds(&s.check, s.quick, 0, &bounded) && bounded == 1 &&
                         attest_recheck_double_eval_get(&out, &error, s.quick, &s.check, 0) &&
                         out == x[i].nearest && error < 0x1p-48 * fabs(out),
               "%s as a double", x[i].token);
        scene_clear(&s);
    }
}

/* What was asked for before does not count: bounds after another sequence, of large numbers,
 * are those of one that is looked at first. */
static void check_memory(void)
{
    static const char data[] = "{\"format\":\"attest/dataset\",\"version\":1,"
                               "\"sequences\":[[[1,2],[3,1]],[[1e20,3e20],[2e20,1e20]]]}",
                      layer[] = "{\"format\":\"attest/weights\",\"version\":1,"
                                "\"activation\":\"softmax\",\"heads\":"
                                "[{\"WQ\":[[1,0],[0,1]],\"WK\":[[1,0],[0,1]],"
                                "\"WV\":[[1,1],[0,1]],\"WO\":[[1,0],[1,1]]}]}";
    double out[2][2], error[2];
    scene s;

    scene_init(&s, data, layer);
    TAP_OK(s.quick && attest_recheck_double_eval_get(out[0], &error[0], s.quick, &s.check, 1) &&
               !attest_recheck_double_eval_get(out[1], &error[1], s.quick, &s.check, 2) &&
               attest_recheck_double_eval_get(out[1], &error[1], s.quick, &s.check, 1) &&
               error[0] == error[1] && error[0] < 0x1p-30 && out[0][0] == out[1][0] &&
               out[0][1] == out[1][1],
           "an output after one of large numbers");
    scene_clear(&s);
}

/* Hardmax where tokens of different values have equal scores: doubles do not decide which wins.
 */
static void check_ties(void)
{
    static const char data[] = "{\"format\":\"attest/dataset\",\"version\":1,"
                               "\"sequences\":[[[1,1],[1,-1],[0,1]]]}",
                      layer[] = "{\"format\":\"attest/weights\",\"version\":1,"
                                "\"activation\":\"hardmax\",\"heads\":[{\"WQ\":[[1,0]],"
                                "\"WK\":[[1,0]],\"WV\":[[0,1]],\"WO\":[[1],[0]]}]}";
    attest_recheck_double_eval *quick;
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
    long bounded = 0, wrong = 0;

    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    if (attest_dataset_parse_json(&dataset, data, strlen(data), NULL, NULL) != ATTEST_OK ||
        attest_weights_parse_json(&weights, layer, strlen(layer), NULL, NULL) != ATTEST_OK ||
        attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK)
        abort();
    quick = attest_recheck_double_eval_new(&check);
    for (size_t p = 0; quick && p < check.positions; p++)
        wrong += !holds(&check, quick, p, &bounded);
    TAP_OK(quick && wrong == 0 && bounded == 0, "ties: %ld of %ld bounds do not hold", wrong,
           bounded);
    attest_recheck_double_eval_free(quick);
    attest_recheck_clear(&check);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
}

/* Returns whether two points, rounded to integers of the scale, are within the limit. */
static bool is_near(const attest_recheck_product *product, const double *x, const double *y,
                    size_t dim)
{
    double square = 0;

    for (size_t e = 0; e < dim; e++)
        square += pow(rint(x[e] * product->scale) - rint(y[e] * product->scale), 2);
    return square <= product->limit;
}

/* All pairs of one random cloud, in one way: those are near whose integer distance is within
 * the limit, and none within reach is left out; *kept counts them. */
static bool covers(const attest_recheck_product *product, const double *x,
                   const uint32_t *order, size_t dim, double reach, long *kept)
{
    uint32_t near[ATTEST_RECHECK_ROWS];
    bool ok = true;

    for (size_t row = 0; row < COUNT; row += ATTEST_RECHECK_ROWS)
        for (size_t block = 0; block * ATTEST_RECHECK_COLUMNS < COUNT; block++) {
            attest_recheck_product_find(near, product, row, block);
            for (size_t r = 0; r < ATTEST_RECHECK_ROWS && row + r < COUNT; r++)
                for (size_t c = 0; c < ATTEST_RECHECK_COLUMNS; c++) {
                    size_t other = block * ATTEST_RECHECK_COLUMNS + c;
                    bool found = near[r] >> c & 1;
                    double square = 0;
                    const double *a = x + order[row + r] * dim, *b;
                    if (other >= COUNT)
                        continue;
                    b = x + order[other] * dim;
                    for (size_t e = 0; e < dim; e++)
                        square += pow(a[e] - b[e], 2);
                    *kept += found;
                    ok = ok && found == is_near(product, a, b, dim) &&
                         (found || sqrt(square) > reach);
                }
        }
    return ok;
}

/* A random cloud, in all ways that the machine has. */
static bool try_cloud(size_t dim, double reach, uint64_t *state, long *kept)
{
    static double x[COUNT * MOST_DIM];
    uint32_t order[COUNT];
    attest_recheck_product product;
    bool ok = true;

    for (size_t i = 0; i < COUNT * dim; i++)
        x[i] = tap_random(state) % 8 ? 2 * uniform(state) - 1 : tap_random(state) % 2 ? 1 : -1;
    for (size_t i = 0; i < COUNT; i++)
        order[i] = (uint32_t)(COUNT - 1 - i);
    if (!attest_recheck_product_init(&product, x, order, COUNT, dim))
        abort();
    if (attest_recheck_product_set_limit(&product, reach))
        for (size_t i = 0; attest_recheck_product_way(i); i++) {
            product.find = attest_recheck_product_way(i);
            ok = covers(&product, x, order, dim, reach, i == 0 ? kept : &(long){0}) && ok;
        }
    attest_recheck_product_clear(&product);
    return ok;
}

/* Two points whose entries are just below and above half of a unit, with signs that alternate:
 * as integers they are a unit apart in each entry, which their distance is far from. Another is
 * 1/2 apart in its first entry. All ways keep the first two at their distance, and not the
 * other. */
static bool keeps_halves(size_t dim)
{
    double x[3 * MOST_DIM] = {0}, little = 0x1p-40, reach = 2 * little * sqrt((double)dim);
    uint32_t order[] = {0, 1, 2}, near[ATTEST_RECHECK_ROWS];
    attest_recheck_product product;
    bool ok = true;

    if (!attest_recheck_product_init(&product, x, order, 3, dim))
        abort();
    for (size_t e = 0; e < dim; e++) {
        double half = (e % 2 ? -0.5 : 0.5) / product.scale;
        x[e] = half - little;
        x[dim + e] = half + little;
        x[2 * dim + e] = half + little + (e == 0 ? 0.5 : 0);
    }
    attest_recheck_product_clear(&product);
    if (!attest_recheck_product_init(&product, x, order, 3, dim))
        abort();
    ok = attest_recheck_product_set_limit(&product, reach * (1 + 0x1p-50));
    for (size_t i = 0; attest_recheck_product_way(i); i++) {
        product.find = attest_recheck_product_way(i);
        attest_recheck_product_find(near, &product, 0, 0);
        ok = ok && (near[0] & 7) == 3 && (near[1] & 7) == 3 && (near[2] & 7) == 4;
    }
    ok = ok && !attest_recheck_product_set_limit(&product, 0x1p20);
    attest_recheck_product_clear(&product);
    return ok;
}

/* Two equal points at a corner, whose norms are the largest, are near within the largest reach
 * that is taken, in all ways: no sum of integers is beyond 32 bits. */
static bool keeps_corners(size_t dim)
{
    double x[2 * MOST_DIM];
    uint32_t order[] = {0, 1}, near[ATTEST_RECHECK_ROWS];
    attest_recheck_product product;
    bool ok;

    for (size_t e = 0; e < 2 * dim; e++)
        x[e] = 1;
    if (!attest_recheck_product_init(&product, x, order, 2, dim))
        abort();
    /* Limits from 2^30 on, which all distances are within, are refused. */
    ok = !attest_recheck_product_set_limit(&product,
                                           (0x1p15 - 2 * product.rounding) / product.scale) &&
         attest_recheck_product_set_limit(
             &product, (0x1p15 * (1 - 0x1p-18) - 2 * product.rounding) / product.scale);
    for (size_t i = 0; attest_recheck_product_way(i); i++) {
        product.find = attest_recheck_product_way(i);
        attest_recheck_product_find(near, &product, 0, 0);
        ok = ok && (near[0] & 3) == 3 && (near[1] & 3) == 3;
    }
    attest_recheck_product_clear(&product);
    return ok;
}

static void check_product(uint64_t *state)
{
    static const size_t dim[] = {1, 2, 3, 4, 8, 16, 17, 18, 33, 40};
    long kept = 0, pairs = 0;
    bool ok = true;

    for (size_t d = 0; d < sizeof dim / sizeof dim[0]; d++)
        for (int i = 0; i < 20; i++) {
            double reach = uniform(state) * sqrt((double)dim[d]);
            ok = try_cloud(dim[d], i == 0 ? 0 : i == 1 ? 2 : reach, state, &kept) && ok;
            pairs += COUNT * COUNT;
        }
    for (size_t d = 0; d < sizeof dim / sizeof dim[0]; d++)
        ok = keeps_halves(dim[d]) && ok;
    for (size_t d = 1; d <= MOST_DIM; d++)
        ok = keeps_corners(d) && ok;
    TAP_OK(ok && attest_recheck_product_way(0), "no near pair is left out, in any way");
    TAP_OK(kept > pairs / 10 && kept < pairs / 2, "%ld of %ld pairs are kept", kept, pairs);
}

TEST(double_eval)
{
    uint64_t state = tap_seed(0x9c1c);

    check_exp(&state);
    check_outputs(&state);
    check_tokens();
    check_memory();
    check_ties();
    check_product(&state);
    flint_cleanup();
    return 0;
}
