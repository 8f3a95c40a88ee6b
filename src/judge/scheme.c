/* scheme.c -- schemes for K and V, tried one after another until all heads have theirs. */
#include "judge/scheme.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include <attest/block.h>

/* By what a number takes, its share of the scales included, for long vectors. */
const char *const attest_judge_schemes[] = {"mxfp4:mx",
                                            "nvfp4:te",
                                            "q4_0",
                                            "mxfp6_e3m2fn:mx",
                                            "mxfp6_e2m3fn:mx",
                                            "float8_e5m2:per-head",
                                            "float8_e4m3fn:per-head",
                                            "int8:per-head",
                                            "int8:per-channel",
                                            "int8:per-token",
                                            "mxfp8_e4m3fn:mx",
                                            "q8_0",
                                            "bfloat16",
                                            "binary16",
                                            NULL};

/* The rows of a head: what kernels return, and what is exact. */
typedef struct rows {
    const double *lo, *hi, *exact, *error, *bound;
    size_t count, columns;
} rows;

/* At least the largest |output - exact| / |exact| of a row; infinite where |exact| may be 0. */
static double largest_error(const rows *x)
{
    const double up = 1 + ((double)x->columns + 8) * 0x1p-50;
    double most = 0;

    for (size_t i = 0; i < x->count; i++) {
        double off = 0, size = 0, ratio;

        for (size_t c = i * x->columns; c < (i + 1) * x->columns; c++) {
            double least = fmax(fabs(x->exact[c]) - x->error[c], 0);

            off += x->bound[c] * x->bound[c];
            size += least * least;
        }
        ratio = off == 0 ? 0 : sqrt(off) / sqrt(size) * up;
        if (!isnan(x->lo[i * x->columns])) /* else a row that is to be NaN */
            most = ratio <= most ? most : isnan(ratio) ? (double)INFINITY : ratio;
    }
    return most;
}

/* Whether two rows are apart for certain in some column, given between two arrays. */
static bool are_apart(const double *low, const double *high, size_t i, size_t k, size_t columns)
{
    for (size_t c = 0; c < columns; c++)
        if (high[i * columns + c] < low[k * columns + c] ||
            high[k * columns + c] < low[i * columns + c])
            return true;
    return false;
}

/* pairs and merged of a head. low, high: room for the exact values between two numbers. */
static void count_pairs(attest_judge_scheme *s, const rows *x, double *low, double *high)
{
    for (size_t n = 0; n < x->count * x->columns; n++) {
        low[n] = x->exact[n] - x->error[n] - 0x1p-52 * fabs(x->exact[n]);
        high[n] = x->exact[n] + x->error[n] + 0x1p-52 * fabs(x->exact[n]);
    }
    s->pairs = s->merged = 0;
    for (size_t i = 0; i < x->count; i++)
        for (size_t k = i + 1; k < x->count; k++)
            if (are_apart(low, high, i, k, x->columns)) {
                s->pairs++;
                s->merged += !are_apart(x->lo, x->hi, i, k, x->columns);
            }
}

/* What the scheme does to the heads that have none yet; returns how many are left. */
static size_t judge_heads(attest_judge_scheme *best, const attest_judge_bounds *bounds,
                          const attest_qkv *qkv, double relative, const char *name,
                          double *room)
{
    size_t heads = qkv->q.shape[0] * qkv->q.shape[1], left = 0;
    size_t count = qkv->q.shape[2], columns = qkv->v.shape[3], size = count * columns;

    for (size_t h = 0; h < heads; h++) {
        rows x = {bounds->lo + h * size,
                  bounds->hi + h * size,
                  bounds->exact + h * size,
                  bounds->error + h * size,
                  bounds->bound + h * size,
                  count,
                  columns};
        attest_judge_scheme s = {.name = name};

        if (best[h].name)
            continue;
        s.relative = largest_error(&x);
        if (s.relative <= relative) {
            count_pairs(&s, &x, room, room + size);
            if (s.merged == 0) {
                best[h] = s;
                continue;
            }
        }
        left++;
    }
    return left;
}

/* model = the given one, but for the quantisation of K and V. Nothing of it is owned. */
static attest_status set_model(attest_judge_model *model, const attest_judge_model *given,
                               const char *name, attest_error *error)
{
    *model = *given;
    ATTEST_TRY(attest_block_parse(&model->quantise.scheme[1], name, error));
    model->quantise.scheme[2] = model->quantise.scheme[1];
    model->quantise.of_quantised = model->quantise.folded = false;
    return ATTEST_OK;
}

attest_status attest_judge_scheme_find(attest_judge_scheme *best, const attest_qkv *qkv,
                                       const attest_judge_model *model, double relative,
                                       const char *const *schemes,
                                       const attest_judge_options *options, attest_error *error)
{
    size_t heads = qkv->q.shape[0] * qkv->q.shape[1], left = heads;
    size_t size = qkv->q.shape[2] * qkv->v.shape[3], all = heads * size;
    double *room ATTEST_FREED = attest_memory_alloc(all + 2 * size, 5 * sizeof *room);
    attest_judge_bounds bounds;

    for (size_t h = 0; h < heads; h++)
        best[h] = (attest_judge_scheme){.relative = (double)INFINITY};
    if (!room)
        return attest_memory_fail(error);
    bounds = (attest_judge_bounds){.lo = room,
                                   .hi = room + all,
                                   .exact = room + 2 * all,
                                   .error = room + 3 * all,
                                   .bound = room + 4 * all};
    for (size_t i = 0; schemes[i] && left > 0; i++) {
        attest_judge_model tried;
        attest_status status = set_model(&tried, model, schemes[i], error);

        if (status == ATTEST_OK)
            status = attest_judge_bound(&bounds, qkv, &tried, options, error);
        if (status == ATTEST_FORMAT) /* it does not take these values */
            continue;
        ATTEST_TRY(status);
        left = judge_heads(best, &bounds, qkv, relative, schemes[i], room + 5 * all);
    }
    return ATTEST_OK;
}
