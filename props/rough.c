/* rough.c -- rigorous bounds on the quantities of Definition 2 from outputs in doubles;
 * proofs-notes/contextual.md, "In doubles". */
#include "props/rough.h"

#include <math.h>
#include <string.h>

#include "props/oracle.h"
#include "recheck/double_eval.h"

/* Larger data get no bounds; the oracle compares them. */
enum { MOST_POSITIONS = 64, MOST_ENTRIES = 16, MOST_HEADS = 8 };

/* Exceeds the relative rounding errors of a distance and of its bounds. */
#define SLIP 0x1p-40

/* Exceeds all underflows in a distance, and makes bounds strict if errors are 0. */
#define TINY 0x1p-400

/* Outputs with bounds on their errors; an infinite bound: the output is unknown. */
typedef struct outputs {
    bool known; /* the data are small enough for the arrays */
    size_t dim;
    double value[MOST_POSITIONS][MOST_ENTRIES], error[MOST_POSITIONS];
    size_t heads; /* heads whose largest scores are known; none for softmax */
    uint32_t winner[MOST_POSITIONS][MOST_HEADS];
} outputs;

static void set_output(outputs *out, size_t p, attest_recheck_double_eval *eval,
                       const attest_recheck *check)
{
    if (!eval ||
        !attest_recheck_double_eval_get(out->value[p], &out->error[p], eval, check, p)) {
        for (size_t c = 0; c < out->dim; c++)
            out->value[p][c] = 0;
        out->error[p] = INFINITY;
    } else if (out->heads > 0) {
        memcpy(out->winner[p], attest_recheck_double_eval_winners(eval),
               out->heads * sizeof out->winner[p][0]);
    }
}

static void evaluate(outputs *out, const attest_dataset *dataset, const attest_weights *weights)
{
    /* The members that attest_recheck_double_eval_new and _get read. */
    attest_recheck check = {.dataset = dataset,
                            .weights = weights,
                            .dim = dataset->dim,
                            .positions = dataset->total,
                            .heads = weights->heads};
    bool hardmax = weights->activation == ATTEST_HARDMAX;
    attest_recheck_double_eval *eval;

    out->known = dataset->total <= MOST_POSITIONS && dataset->dim <= MOST_ENTRIES;
    out->dim = dataset->dim;
    out->heads = out->known && hardmax && weights->heads <= MOST_HEADS ? weights->heads : 0;
    if (!out->known)
        return;
    eval = attest_recheck_double_eval_new(&check);
    for (size_t p = 0; p < dataset->total; p++)
        set_output(out, p, eval, &check);
    attest_recheck_double_eval_free(eval);
}

/* Bounds on |F_p - F_q|, or on |F_p| for q = p. */
static void get_distance(double *bound, const outputs *out, size_t p, size_t q)
{
    double square = 0, error;

    bound[0] = -INFINITY, bound[1] = INFINITY;
    if (!out->known)
        return;
    error = out->error[p] + (p == q ? 0 : out->error[q]) + TINY;
    for (size_t c = 0; c < out->dim; c++) {
        double z = out->value[p][c] - (p == q ? 0 : out->value[q][c]);
        square += z * z;
    }
    if (!(sqrt(square) + error < 0x1p1000)) /* also for NaN */
        return;
    bound[0] = sqrt(square) * (1 - SLIP) - error * (1 + SLIP);
    bound[1] = sqrt(square) * (1 + SLIP) + error * (1 + SLIP);
}

/* Returns whether both outputs are proved to be sums of the same vectors, hence equal. */
static bool are_equal(const outputs *out, const attest_dataset *dataset, size_t p, size_t q)
{
    return out->heads > 0 && dataset->token[p] == dataset->token[q] &&
           out->error[p] < INFINITY && out->error[q] < INFINITY &&
           memcmp(out->winner[p], out->winner[q], out->heads * sizeof out->winner[p][0]) == 0;
}

/* Combines bounds of a number with those of the least (sign -1) or the largest one so far. */
static void take(double *extreme, const double *bound, int sign)
{
    for (int i = 0; i < 2; i++)
        if (sign * (bound[i] - extreme[i]) > 0)
            extreme[i] = bound[i];
}

static void look_at_pair(attest_rough *rough, const outputs *out, const attest_dataset *dataset,
                         size_t p, size_t q)
{
    double bound[2];

    rough->required++;
    rough->collision = rough->collision || are_equal(out, dataset, p, q);
    get_distance(bound, out, p, q);
    take(rough->separation, bound, -1);
}

bool attest_rough_get(attest_rough *rough, const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;
    attest_oracle oracle = {.dataset = dataset, .weights = &instance->weights};
    attest_place a = {0, 0}, b;
    double bound[2];
    outputs out;

    *rough = (attest_rough){.separation = {INFINITY, INFINITY}, .norm = {-INFINITY, -INFINITY}};
    evaluate(&out, dataset, &instance->weights);
    for (size_t p = 0; p < dataset->total; p++, (void)attest_oracle_next(&a, dataset)) {
        get_distance(bound, &out, p, p);
        take(rough->norm, bound, 1);
        b = a;
        for (size_t q = p + 1; q < dataset->total; q++) {
            (void)attest_oracle_next(&b, dataset);
            if (attest_oracle_required(&oracle, a, b))
                look_at_pair(rough, &out, dataset, p, q);
        }
    }
    if (rough->collision)
        rough->separation[0] = rough->separation[1] = 0;
    return rough->collision || (rough->separation[0] > 0 && rough->norm[1] < INFINITY);
}
