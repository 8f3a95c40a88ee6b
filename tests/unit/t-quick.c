/* The quick parts of the second route: its exp, outputs in doubles with bounds, and the integer
 * product, against Arb and against all pairs. */
#include "recheck/quick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/dataset_json.h"
#include "io/weights_json.h"
#include "recheck/product.h"
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
    TAP_OK(worst < ATTEST_RECHECK_EXP_ERROR / 16, "exp is right to 2^%.1f", log2(worst));
}

/* Whether the bound at a position holds; *told counts those that have one. */
static bool holds(attest_recheck *check, attest_recheck_quick *quick, size_t p, long *told)
{
    double out[MOST_DIM], error;
    arb_ptr exact = _arb_vec_init((slong)check->dim);
    arb_t square, difference;
    bool ok = true;

    arb_init(square), arb_init(difference);
    if (attest_recheck_quick_get(out, &error, quick, check, p)) {
        ++*told;
        attest_recheck_enclose(exact, check, p, 2000);
        for (size_t c = 0; c < check->dim; c++) {
            arb_set_d(difference, out[c]);
            arb_sub(difference, difference, exact + c, 2000);
            arb_addmul(square, difference, difference, 2000);
        }
        arb_set_d(difference, error);
        arb_sqr(difference, difference, 2000);
        ok = arb_le(square, difference);
    }
    arb_clear(square), arb_clear(difference);
    _arb_vec_clear(exact, (slong)check->dim);
    return ok;
}

static void check_outputs(uint64_t *state)
{
    long told = 0, wrong = 0, positions = 0;

    for (int i = 0; i < INSTANCES; i++) {
        forge_instance instance;
        attest_recheck check;
        attest_recheck_quick *quick;
        forge_instance_init(&instance, state);
        if (attest_recheck_init(&check, &instance.dataset, &instance.weights, NULL) !=
            ATTEST_OK)
            abort();
        quick = attest_recheck_quick_new(&check);
        for (size_t p = 0; quick && p < check.positions; p++, positions++)
            wrong += !holds(&check, quick, p, &told);
        attest_recheck_quick_free(quick);
        attest_recheck_clear(&check);
        forge_instance_clear(&instance);
    }
    TAP_OK(wrong == 0, "%ld of %ld bounds do not hold", wrong, told);
    TAP_OK(told > INSTANCES / 4, "%ld of %ld positions have one", told, positions);
}

/* Hardmax where tokens of different values have equal scores: which wins, doubles do not tell.
 */
static void check_ties(void)
{
    static const char data[] = "{\"format\":\"attest/dataset\",\"version\":1,"
                               "\"sequences\":[[[1,1],[1,-1],[0,1]]]}",
                      layer[] = "{\"format\":\"attest/weights\",\"version\":1,"
                                "\"activation\":\"hardmax\",\"heads\":[{\"WQ\":[[1,0]],"
                                "\"WK\":[[1,0]],\"WV\":[[0,1]],\"WO\":[[1],[0]]}]}";
    attest_recheck_quick *quick;
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
    long told = 0, wrong = 0;

    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    if (attest_dataset_parse_json(&dataset, data, strlen(data), NULL, NULL) != ATTEST_OK ||
        attest_weights_parse_json(&weights, layer, strlen(layer), NULL, NULL) != ATTEST_OK ||
        attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK)
        abort();
    quick = attest_recheck_quick_new(&check);
    for (size_t p = 0; quick && p < check.positions; p++)
        wrong += !holds(&check, quick, p, &told);
    TAP_OK(quick && wrong == 0 && told == 0, "ties: %ld of %ld bounds do not hold", wrong,
           told);
    attest_recheck_quick_free(quick);
    attest_recheck_clear(&check);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
}

/* All pairs of one random cloud: none within reach is left out; *kept counts the others. */
static bool covers(size_t dim, double reach, uint64_t *state, long *kept)
{
    static double x[COUNT * MOST_DIM];
    uint32_t order[COUNT], near[ATTEST_RECHECK_ROWS];
    attest_recheck_product product;
    bool ok = true;

    for (size_t i = 0; i < COUNT * dim; i++)
        x[i] = tap_random(state) % 8 ? 2 * uniform(state) - 1 : tap_random(state) % 2 ? 1 : -1;
    for (size_t i = 0; i < COUNT; i++)
        order[i] = (uint32_t)(COUNT - 1 - i);
    if (!attest_recheck_product_init(&product, x, order, COUNT, dim))
        abort();
    if (!attest_recheck_product_set_limit(&product, reach)) {
        attest_recheck_product_clear(&product);
        return true;
    }
    for (size_t row = 0; row < COUNT; row += ATTEST_RECHECK_ROWS)
        for (size_t block = 0; block * ATTEST_RECHECK_COLUMNS < COUNT; block++) {
            attest_recheck_product_find(near, &product, row, block);
            for (size_t r = 0; r < ATTEST_RECHECK_ROWS && row + r < COUNT; r++)
                for (size_t c = 0; c < ATTEST_RECHECK_COLUMNS; c++) {
                    size_t other = block * ATTEST_RECHECK_COLUMNS + c;
                    double square = 0;
                    if (other >= COUNT)
                        continue;
                    for (size_t e = 0; e < dim; e++)
                        square +=
                            pow(x[order[row + r] * dim + e] - x[order[other] * dim + e], 2);
                    if (near[r] >> c & 1)
                        ++*kept;
                    else if (sqrt(square) <= reach)
                        ok = false;
                }
        }
    attest_recheck_product_clear(&product);
    return ok;
}

static void check_product(uint64_t *state)
{
    static const size_t dim[] = {1, 2, 3, 8, 17, 18, 33, 40};
    long kept = 0, pairs = 0;
    bool ok = true;

    for (size_t d = 0; d < sizeof dim / sizeof dim[0]; d++)
        for (int i = 0; i < 20; i++) {
            double reach = uniform(state) * sqrt((double)dim[d]);
            ok = covers(dim[d], i == 0 ? 0 : i == 1 ? 2 : reach, state, &kept) && ok;
            pairs += COUNT * COUNT;
        }
    TAP_OK(ok, "no near pair is left out");
    TAP_OK(kept < pairs / 2, "%ld of %ld pairs are kept", kept, pairs);
}

int main(void)
{
    uint64_t state = tap_seed(0x9c1c);

    check_exp(&state);
    check_outputs(&state);
    check_ties();
    check_product(&state);
    flint_cleanup();
    return tap_done();
}
