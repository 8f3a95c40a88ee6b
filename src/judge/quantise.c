/* quantise.c -- the inputs of a kernel that quantises them. */
#include "judge/quantise.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/problem.h"
#include "format/block_error.h"
#include "format/simulate_in_double.h"

/* The whole tensor in doubles. */
static attest_status load(double *to, const attest_tensor *t, char name, attest_error *error)
{
    const size_t *n = t->shape;

    for (size_t row = 0; row < n[0] * n[1] * n[2]; row++) {
        size_t b = row / n[2] / n[1], h = row / n[2] % n[1], i = row % n[2];

        attest_judge_tensor_get(to + row * n[3], t, b, h, i, 0, n[3]);
        for (size_t c = 0; c < n[3]; c++)
            if (!isfinite(to[row * n[3] + c]))
                return attest_error_set(error, ATTEST_FORMAT,
                                        "%c[%zu][%zu][%zu][%zu] is not finite", name, b, h, i,
                                        c);
    }
    return ATTEST_OK;
}

/* value = what the kernel takes in the place of the tensor; factor: NULL, or the scales of the
 * heads, which the values are then without. */
static attest_status quantise(double *value, double *factor, const attest_tensor *t, char name,
                              const attest_block_format *scheme, const attest_format *format,
                              attest_error *error)
{
    const size_t *n = t->shape;
    attest_quantised q ATTEST_CLEARED_BY(attest_quantised_clear) = {0};
    attest_in_double h;
    attest_status status;

    ATTEST_TRY(load(value, t, name, error));
    status = attest_quantised_init(&q, value, n[0] * n[1], n[2], n[3], scheme, error);
    if (status != ATTEST_OK)
        return attest_error_prefix(error, status, (const char[]){name, '\0'});
    attest_in_double_init(&h, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t i = 0; i < n[0] * n[1] * n[2] * n[3]; i++) {
        const attest_block_scale *scale = attest_quantised_get_scale(&q, i);

        value[i] = factor ? q.element[i] : attest_block_get_value(q.element[i], scale, &h);
        if (factor) /* 0: all elements are */
            factor[i / n[3] / n[2]] = scale->factor == 0 ? 1 : scale->factor;
        if (!isfinite(value[i]))
            return attest_error_set(error, ATTEST_FORMAT,
                                    "%c[%zu][%zu][%zu][%zu], quantised by %s, is no number "
                                    "of %s",
                                    name, i / n[3] / n[2] / n[1], i / n[3] / n[2] % n[1],
                                    i / n[3] % n[2], i % n[3], scheme->name, format->name);
    }
    return ATTEST_OK;
}

/* The tensor of these doubles. */
static attest_tensor get_tensor(const double *value, const attest_tensor *like)
{
    const size_t *n = like->shape;
    ptrdiff_t size = sizeof *value, dim = (ptrdiff_t)n[3], rows = (ptrdiff_t)n[2];

    return (attest_tensor){
        value,
        ATTEST_TENSOR_F64,
        {n[0], n[1], n[2], n[3]},
        {(ptrdiff_t)n[1] * rows * dim * size, rows * dim * size, dim * size, size}};
}

static attest_tensor get_factors(const double *factor, const attest_tensor *like)
{
    ptrdiff_t size = sizeof *factor;

    return (attest_tensor){factor,
                           ATTEST_TENSOR_F64,
                           {like->shape[0], like->shape[1], 1, 1},
                           {(ptrdiff_t)like->shape[1] * size, size, size, size}};
}

/* *t, and where scales are folded *descale = those of the quantised tensor. */
static attest_status replace(double **value, attest_tensor *t, attest_tensor *descale,
                             char name, const attest_block_format *scheme,
                             const attest_format *format, bool folded, attest_error *error)
{
    size_t rows = t->shape[0] * t->shape[1] * t->shape[2], all = rows * t->shape[3];
    double *factor;

    if (scheme->name[0] == '\0' || !t->data || rows == 0 || t->shape[3] == 0)
        return ATTEST_OK; /* what is missing is complained of elsewhere */
    if (descale->data)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%c is quantised, and has %c_descale already", name, name);
    if (rows > SIZE_MAX / sizeof **value / 2 / t->shape[3])
        return attest_memory_fail(error);
    *value = attest_memory_alloc(all + (folded ? rows : 0), sizeof **value);
    if (!*value)
        return attest_memory_fail(error);
    factor = folded ? *value + all : NULL;
    ATTEST_TRY(quantise(*value, factor, t, name, scheme, format, error));
    if (folded)
        *descale = get_factors(factor, t);
    *t = get_tensor(*value, t);
    return ATTEST_OK;
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

    *x = (attest_judge_quantised){.qkv = *qkv};
    for (int i = 0; i < 3; i++) {
        const attest_block_format *scheme = &model->quantise.scheme[i];
        attest_status status = replace(&x->value[i], tensor[i], descale[i], "qkv"[i], scheme,
                                       format[i], model -> quantise.folded, error);

        if (status != ATTEST_OK) {
            attest_judge_quantised_clear(x);
            return status;
        }
    }
    return ATTEST_OK;
}

void attest_judge_quantised_clear(attest_judge_quantised *quantised)
{
    for (int i = 0; i < 3; i++) {
        free(quantised->value[i]);
        quantised->value[i] = NULL; /* may be cleared again */
    }
}
