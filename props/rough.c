/* rough.c -- Definition 2 from doubles with error bounds; proofs-notes/contextual.md, "In
 * doubles". */
#include "props/rough.h"

#include <math.h>

#include "props/oracle.h"
#include "recheck/quick.h"

/* Larger data are for the oracle. */
enum { MOST_POSITIONS = 64, MOST_ENTRIES = 8 };

/* More than all that rounding does to a distance, and to bounds on it. */
#define SLIP 0x1p-40

/* Outputs, and how far each of them is off at most. */
typedef struct outputs {
    size_t dim;
    double value[MOST_POSITIONS][MOST_ENTRIES], error[MOST_POSITIONS];
} outputs;

static bool evaluate(outputs *out, const attest_dataset *dataset, const attest_weights *weights)
{
    /* What quick outputs need of it. */
    attest_recheck check = {.dataset = dataset,
                            .weights = weights,
                            .dim = dataset->dim,
                            .positions = dataset->total,
                            .heads = weights->heads};
    attest_recheck_quick *quick;
    bool told;

    if (dataset->total > MOST_POSITIONS || dataset->dim > MOST_ENTRIES)
        return false;
    quick = attest_recheck_quick_new(&check);
    told = quick != NULL;
    out->dim = dataset->dim;
    for (size_t p = 0; p < dataset->total && told; p++)
        told = attest_recheck_quick_get(out->value[p], &out->error[p], quick, &check, p);
    attest_recheck_quick_free(quick);
    return told;
}

/* Bounds on |F_p - F_q|, or on |F_p| for q = p. */
static void get_distance(double *bound, const outputs *out, size_t p, size_t q)
{
    double square = 0, error = out->error[p] + (p == q ? 0 : out->error[q]);

    for (size_t c = 0; c < out->dim; c++) {
        double z = out->value[p][c] - (p == q ? 0 : out->value[q][c]);
        square += z * z;
    }
    bound[0] = sqrt(square) * (1 - SLIP) - error * (1 + SLIP);
    bound[1] = sqrt(square) * (1 + SLIP) + error * (1 + SLIP);
}

bool attest_rough_get(attest_rough *rough, const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;
    attest_oracle oracle = {.dataset = dataset, .weights = &instance->weights};
    attest_place a = {0, 0}, b;
    double bound[2];
    outputs out;

    *rough = (attest_rough){0, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    if (!evaluate(&out, dataset, &instance->weights))
        return false;
    for (size_t p = 0; p < dataset->total; p++, (void)attest_oracle_next(&a, dataset)) {
        get_distance(bound, &out, p, p);
        if (!(bound[1] < INFINITY)) /* also for NaN */
            return false;
        rough->norm[0] = fmax(rough->norm[0], bound[0]);
        rough->norm[1] = fmax(rough->norm[1], bound[1]);
        b = a;
        for (size_t q = p + 1; q < dataset->total; q++) {
            (void)attest_oracle_next(&b, dataset);
            if (!attest_oracle_required(&oracle, a, b))
                continue;
            get_distance(bound, &out, p, q);
            if (!(bound[0] > 0 && bound[1] < INFINITY))
                return false;
            rough->required++;
            rough->separation[0] = fmin(rough->separation[0], bound[0]);
            rough->separation[1] = fmin(rough->separation[1], bound[1]);
        }
    }
    return true;
}
