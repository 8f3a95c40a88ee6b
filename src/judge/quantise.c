/* quantise.c -- block formats in kernel models: quantised inputs and weights. */
#include "judge/quantise.h"

#include <attest/block.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "format/block_error.h"
#include "format/simulate_in_double.h"
#include "judge/kernel_instance.h"
#include "judge/problem.h"
#include "judge/rows.h"

/* ---- inputs ---- */

/* The shape of q, k or v; of k and v with the tokens of the past, or those in pages. */
static void get_shape(size_t shape[4], const attest_qkv *qkv, char name)
{
    memcpy(shape,
           name == 'q'   ? qkv->q.shape
           : name == 'k' ? qkv->k.shape
                         : qkv->v.shape,
           4 * sizeof *shape);
    if (name == 'q')
        return;
    shape[0] = qkv->q.shape[0];
    shape[2] = attest_judge_qkv_get_keys(qkv);
}

/* Loads all of q, k or v. */
static attest_status load(double *to, const size_t n[4], const attest_qkv *qkv, char name,
                          attest_error *error)
{
    for (size_t row = 0; row < n[0] * n[1] * n[2]; row++) {
        size_t b = row / n[2] / n[1], h = row / n[2] % n[1], i = row % n[2];
        const char *of = "q";
        const attest_tensor *t = &qkv->q;

        if (name != 'q')
            t = attest_judge_qkv_find_key(&of, qkv, name == 'v', &b, &i);
        attest_judge_tensor_get(to + row * n[3], t, b, h, i, 0, n[3]);
        for (size_t c = 0; c < n[3]; c++)
            if (!isfinite(to[row * n[3] + c]))
                return attest_error_set(error, ATTEST_FORMAT,
                                        "%s[%zu][%zu][%zu][%zu] is not finite", of, b, h, i, c);
    }
    return ATTEST_OK;
}

/* value = the quantised tensor; factor: NULL, or the scales of the heads, which are then not in
 * the values. */
static attest_status quantise(double *value, double *factor, const size_t n[4], char name,
                              const attest_block_format *scheme, const attest_format *format,
                              attest_error *error)
{
    attest_quantised q ATTEST_CLEARED_BY(attest_quantised_clear) = {0};
    attest_in_double h;

    ATTEST_TRY(attest_error_prefix(
        error, attest_quantised_init(&q, value, n[0] * n[1], n[2], n[3], scheme, error),
        (const char[]){name, '\0'}));
    attest_in_double_init(&h, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t i = 0; i < n[0] * n[1] * n[2] * n[3]; i++) {
        const attest_block_scale *scale = attest_quantised_get_scale(&q, i);

        value[i] = factor ? q.element[i] : attest_block_get_value(q.element[i], scale, &h);
        if (factor) /* 0 if all elements are 0 */
            factor[i / n[3] / n[2]] = scale->factor == 0 ? 1 : scale->factor;
        if (!isfinite(value[i]))
            return attest_error_set(error, ATTEST_FORMAT,
                                    "%c[%zu][%zu][%zu][%zu], quantised by %s, is not a number "
                                    "of %s",
                                    name, i / n[3] / n[2] / n[1], i / n[3] / n[2] % n[1],
                                    i / n[3] % n[2], i % n[3], scheme->name, format->name);
    }
    return ATTEST_OK;
}

/* The tensor of these doubles. */
static attest_tensor get_tensor(const double *value, const size_t n[4])
{
    ptrdiff_t size = sizeof *value, dim = (ptrdiff_t)n[3], rows = (ptrdiff_t)n[2];

    return (attest_tensor){
        value,
        ATTEST_TENSOR_F64,
        {n[0], n[1], n[2], n[3]},
        {(ptrdiff_t)n[1] * rows * dim * size, rows * dim * size, dim * size, size}};
}

static attest_tensor get_factors(const double *factor, const size_t n[4])
{
    ptrdiff_t size = sizeof *factor;

    return (attest_tensor){factor,
                           ATTEST_TENSOR_F64,
                           {n[0], n[1], 1, 1},
                           {(ptrdiff_t)n[1] * size, size, size, size}};
}

/* Replaces *t, which is q, k or v of the problem, by the quantised tensor, or by one with the
 * same values if there is no scheme; and *descale where scales are folded. */
static attest_status replace(double **value, attest_tensor *t, attest_tensor *descale,
                             const attest_qkv *qkv, char name,
                             const attest_block_format *scheme, const attest_format *format,
                             bool folded, attest_error *error)
{
    size_t n[4], rows, all;
    double *factor;
    bool quantised = scheme->name[0] != '\0';

    get_shape(n, qkv, name);
    rows = n[0] * n[1] * n[2];
    all = rows * n[3];
    folded = folded && quantised;
    if (rows == 0 || n[3] == 0)
        return ATTEST_OK; /* the caller reports missing tensors */
    if (quantised && descale->data)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%c is quantised, and has %c_descale already", name, name);
    if (rows > SIZE_MAX / sizeof **value / 2 / n[3])
        return attest_memory_fail(error);
    *value = attest_memory_alloc(all + (folded ? rows : 0), sizeof **value);
    if (!*value)
        return attest_memory_fail(error);
    factor = folded ? *value + all : NULL;
    ATTEST_TRY(load(*value, n, qkv, name, error));
    if (quantised)
        ATTEST_TRY(quantise(*value, factor, n, name, scheme, format, error));
    if (folded)
        *descale = get_factors(factor, n);
    *t = get_tensor(*value, n);
    return ATTEST_OK;
}

/* Divides joined tokens into those of the past and the others; 0: there is no past. */
static void divide(attest_tensor *past, attest_tensor *joined, size_t tokens)
{
    *past = *joined;
    past->shape[2] = tokens;
    if (tokens == 0)
        past->data = NULL;
    joined->data = (const unsigned char *)joined->data + (ptrdiff_t)tokens * joined->stride[2];
    joined->shape[2] -= tokens;
}

attest_status attest_judge_quantised_init(attest_judge_quantised *quantised,
                                          const attest_qkv *qkv,
                                          const attest_judge_model *model, attest_error *error)
{
    attest_judge_quantised *x = quantised;
    const attest_judge_variant *v = model->variant;
    const attest_format *const format[3] = {&v->q, &v->k, &v->v};
    attest_tensor *const tensor[3] = {&x->qkv.q, &x->qkv.k, &x->qkv.v};
    attest_tensor *const descale[3] = {&x->qkv.q_descale, &x->qkv.k_descale, &x->qkv.v_descale};
    const attest_block_format *scheme = model->quantise.scheme;
    bool joined = scheme[1].name[0] || scheme[2].name[0]; /* the past or pages, with k and v */

    *x = (attest_judge_quantised){.qkv = *qkv};
    joined = joined && (qkv->past_k.data || qkv->block_table);
    if (joined) { /* the shapes must fit before tokens are joined */
        attest_judge_problem problem;

        ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
        attest_judge_problem_clear(&problem);
    }
    for (int i = 0; i < 3; i++)
        if (tensor[i]->data && (scheme[i].name[0] || (joined && i > 0)))
            ATTEST_TRY_OR(replace(&x->value[i], tensor[i], descale[i], qkv, "qkv"[i],
                                  &scheme[i], format[i], model -> quantise.folded, error),
                          attest_judge_quantised_clear(x));
    if (joined) {
        divide(&x->qkv.past_k, &x->qkv.k, qkv->past_k.data ? qkv->past_k.shape[2] : 0);
        divide(&x->qkv.past_v, &x->qkv.v, qkv->past_v.data ? qkv->past_v.shape[2] : 0);
        x->qkv.lengths = x->qkv.block_table = NULL;
        x->qkv.sequences = 0;
    }
    return ATTEST_OK;
}

void attest_judge_quantised_clear(attest_judge_quantised *quantised)
{
    for (int i = 0; i < 3; i++) {
        free(quantised->value[i]);
        quantised->value[i] = NULL; /* it may be cleared again */
    }
}

/* ---- schemes for K and V, tried one after another until every head has one ---- */

/* Ordered by the bits of a number, including its share of the scales, for long vectors. */
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

/* The rows of a head: bounds on the outputs of kernels, and exact outputs. */
typedef struct rows {
    const double *lo, *hi, *exact, *error, *bound;
    size_t count, columns;
} rows;

/* A bound on |output - exact| / |exact| of all rows; infinite where |exact| may be 0. */
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
        if (!isnan(x->lo[i * x->columns])) /* else the row must be NaN */
            most = ratio <= most ? most : isnan(ratio) ? (double)INFINITY : ratio;
    }
    return most;
}

/* Returns whether two rows certainly differ in some column; their elements lie between low and
 * high. */
static bool are_apart(const double *low, const double *high, size_t i, size_t k, size_t columns)
{
    for (size_t c = 0; c < columns; c++)
        if (high[i * columns + c] < low[k * columns + c] ||
            high[k * columns + c] < low[i * columns + c])
            return true;
    return false;
}

/* Sets pairs and merged of a head. low, high: space for bounds on the exact values. */
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

/* Judges the scheme on the heads that have none yet; returns how many remain. */
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

/* model = the given one, without its quantisation of K and V. It owns nothing. */
static attest_status set_model(attest_judge_model *model, const attest_judge_model *given,
                               const char *name, attest_error *error)
{
    *model = *given;
    ATTEST_TRY(attest_block_parse(&model->quantise.scheme[1], name, error));
    model->quantise.scheme[2] = model->quantise.scheme[1];
    model->quantise.of_quantised = model->quantise.folded = false;
    return ATTEST_OK;
}

/* The bounds with this scheme for K and V. */
static attest_status try_scheme(attest_judge_bounds *bounds, const attest_qkv *qkv,
                                const attest_judge_model *model, const char *scheme,
                                const attest_judge_options *options, attest_error *error)
{
    attest_judge_model tried;

    ATTEST_TRY(set_model(&tried, model, scheme, error));
    return attest_judge_bound(bounds, qkv, &tried, options, error);
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

    if (attest_judge_qkv_is_unequal(qkv))
        return attest_error_set(error, ATTEST_FORMAT,
                                "schemes are not tried on packed, padded or paged inputs: give "
                                "each sequence in a file of its own");
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
        attest_status status = try_scheme(&bounds, qkv, model, schemes[i], options, error);

        if (status == ATTEST_FORMAT) /* it does not accept these values */
            continue;
        ATTEST_TRY(status);
        left = judge_heads(best, &bounds, qkv, relative, schemes[i], room + 5 * all);
    }
    return ATTEST_OK;
}

/* ---- weights, quantised in groups of keys ---- */

/* Above this, scales of one row are normal numbers and grow with the largest weight. */
#define FEW 0x1p-90

/* The key after the last one of the group of key j of a tile: groups begin with the tile. */
static size_t group_end(const attest_judge_instance *x, const attest_judge_tile *tile, size_t j)
{
    size_t size = x->variant->p_scheme.channels, end = tile->last;

    if (size > 0)
        end = tile->start + ((j - tile->start) / size + 1) * size;
    return end < tile->last ? end : tile->last;
}

void attest_judge_instance_quantise(attest_judge_instance *x, double *weight,
                                    const attest_judge_tile *tile)
{
    for (size_t j = tile->first, end; j < tile->last; j = end) {
        double *group = weight + (j - tile->first), largest = 0;
        attest_block_scale scale;

        end = group_end(x, tile, j);
        for (size_t i = 0; i < end - j; i++)
            largest = fmax(largest, group[i]);
        scale = attest_block_row_quantise(group, &x->scheme, group, end - j, largest);
        for (size_t i = 0; i < end - j; i++)
            group[i] = attest_block_get_value(group[i], &scale, &x->p);
    }
}

/* The next number of binary32 above or below. */
static double to_above(double x)
{
    float y = (float)x;

    return (double)y < x ? (double)nextafterf(y, INFINITY) : (double)y;
}

static double to_below(double x)
{
    float y = (float)x;

    return (double)y > x ? (double)nextafterf(y, 0) : (double)y;
}

/* A group: its largest number is between least and most; low and high are the scales and
 * elements of either end. */
typedef struct group {
    attest_judge_instance *x;
    double least, most;
    bool same, powers; /* the scale is known; the scales are adjacent powers of two */
    bool far;          /* scales may be too small for the proofs */
    attest_block_scale low, high;
} group;

/* Lemma 10: element by element, with the scale of either end. */
static double lower_value(const group *g, double at_low, double at_high)
{
    const attest_in_double *p = &g->x->p;

    if (g->same)
        return attest_block_get_value(at_high, &g->high, p);
    if (g->powers)
        return fmin(attest_block_get_value(at_low, &g->low, p),
                    attest_block_get_value(at_high, &g->high, p));
    return attest_block_get_value(at_high, &g->low, p);
}

static double upper_value(const group *g, double at_low, double at_high)
{
    const attest_in_double *p = &g->x->p;

    if (g->same)
        return attest_block_get_value(at_high, &g->high, p);
    if (g->powers)
        return fmax(attest_block_get_value(at_low, &g->low, p),
                    attest_block_get_value(at_high, &g->high, p));
    return attest_block_get_value(at_low, &g->high, p);
}

/* The weight, moved by the proved error of the scheme. */
static double farthest(const group *g, double weight, int sign)
{
    const attest_block_error *e = &g->x->scheme_error;
    double error = (e->relative * weight + e->of_largest * g->most + e->tiny) * (1 + 0x1p-40);

    return attest_in_double_convert(fmax(weight + sign * error, 0), &g->x->p);
}

static void set_scales(group *g)
{
    const attest_block_format *format = &g->x->variant->p_scheme;
    bool floats = format->rule < ATTEST_BLOCK_Q8_0;
    bool near = g->least >= FEW || format->scale > 0;
    bool mx = format->rule >= ATTEST_BLOCK_MX && format->rule <= ATTEST_BLOCK_MX_LLAMA;

    g->low = attest_block_row_quantise(NULL, &g->x->scheme, NULL, 0, g->least);
    g->high = attest_block_row_quantise(NULL, &g->x->scheme, NULL, 0, g->most);
    /* integer elements depend on the largest number itself, not only on its stored scale */
    g->same = g->least == g->most || (near && floats && g->low.factor == g->high.factor);
    g->powers = near && mx && g->high.factor == 2 * g->low.factor;
    g->far = !near && !g->same;
}

/* One group, from lo to hi; room: space for as many elements twice. Returns false if the scheme
 * may be undefined. */
static bool quantise_group(group *g, double *lo, double *hi, size_t count,
                           double *const room[2])
{
    attest_block_row *row = &g->x->scheme;
    const attest_block_error *e = &g->x->scheme_error;

    g->least = g->most = 0;
    for (size_t i = 0; i < count; i++) {
        lo[i] = to_below(lo[i]);
        hi[i] = to_above(hi[i]);
        g->least = fmax(g->least, lo[i]);
        g->most = fmax(g->most, hi[i]);
    }
    if (g->most == 0)
        return true;
    if (!(g->most <= e->most && g->least >= e->least))
        return false;
    set_scales(g);
    attest_block_row_quantise(room[0], row, lo, count, g->least);
    attest_block_row_quantise(room[1], row, lo, count, g->most);
    for (size_t i = 0; i < count; i++)
        lo[i] = g->far ? farthest(g, lo[i], -1) : lower_value(g, room[0][i], room[1][i]);
    for (size_t i = 0; i < count;
         i++) /* no larger than in a group whose largest number is least */
        room[0][i] = fmin(hi[i], g->least);
    attest_block_row_quantise(room[0], row, room[0], count, g->least);
    attest_block_row_quantise(room[1], row, hi, count, g->most);
    for (size_t i = 0; i < count; i++)
        hi[i] = g->far || (!g->same && hi[i] > g->least)
                    ? farthest(g, hi[i], 1)
                    : upper_value(g, room[0][i], room[1][i]);
    return true;
}

bool attest_judge_instance_quantise_ends(attest_judge_instance *x, double *lo, double *hi,
                                         const attest_judge_tile *tile, double *const room[2])
{
    group g = {.x = x};
    bool ok = true;

    for (size_t j = tile->first, end; j < tile->last && ok; j = end) {
        size_t place = j - tile->first;

        end = group_end(x, tile, j);
        ok = quantise_group(&g, lo + place, hi + place, end - j, room);
    }
    return ok;
}
