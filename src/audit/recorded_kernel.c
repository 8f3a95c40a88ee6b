/* recorded_kernel.c -- a simulated kernel on a layer of recorded queries, keys and values. */
#include "audit/recorded_kernel.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"

/* *t = its numbers, rounded to the format. */
static attest_status round_tensor(double **to, attest_tensor *t, char name,
                                  const attest_format *format, attest_error *error)
{
    const size_t *n = t->shape;
    size_t rows = n[0] * n[1] * n[2], dim = n[3];
    ptrdiff_t size = sizeof **to;
    attest_hosted h;

    *to = rows > SIZE_MAX / sizeof **to / dim ? NULL
                                              : attest_memory_alloc(rows, dim * sizeof **to);
    if (!*to)
        return attest_memory_fail(error);
    attest_hosted_init(&h, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t row = 0; row < rows; row++)
        attest_judge_tensor_get(*to + row * dim, t, row / n[2] / n[1], row / n[2] % n[1],
                                row % n[2], 0, dim);
    for (size_t i = 0; i < rows * dim; i++) {
        (*to)[i] = attest_hosted_convert((*to)[i], &h);
        if (!isfinite((*to)[i]))
            return attest_error_set(error, ATTEST_FORMAT,
                                    "%c[%zu][%zu][%zu][%zu] is no number of the kernel's input "
                                    "format %s",
                                    name, i / dim / n[2] / n[1], i / dim / n[2] % n[1],
                                    i / dim % n[2], i % dim, format->name);
    }
    t->data = *to;
    t->type = ATTEST_TENSOR_F64;
    t->stride[3] = size;
    t->stride[2] = (ptrdiff_t)dim * size;
    t->stride[1] = (ptrdiff_t)n[2] * t->stride[2];
    t->stride[0] = (ptrdiff_t)n[1] * t->stride[1];
    return ATTEST_OK;
}

attest_status attest_recorded_kernel_init(attest_recorded_kernel *kernel, const attest_qkv *qkv,
                                          const attest_judge_model *model, attest_error *error)
{
    const attest_judge_variant *v = model->variant;
    const attest_format *const format[3] = {&v->q, &v->k, &v->v};
    attest_qkv rounded = *qkv;
    attest_tensor *const tensor[3] = {&rounded.q, &rounded.k, &rounded.v};
    attest_judge_recipe recipe;

    memset(kernel, 0, sizeof *kernel);
    if (model->schedules == 0)
        return attest_error_set(error, ATTEST_USAGE,
                                "the kernel model %.100s has no schedule: it cannot be run",
                                model->name);
    for (int i = 0; i < 3; i++)
        ATTEST_TRY(round_tensor(&kernel->rounded[i], tensor[i], "qkv"[i], format[i], error));
    ATTEST_TRY(attest_judge_quantised_init(&kernel->quantised, &rounded, model, error));
    kernel->ready = 1;
    ATTEST_TRY(attest_judge_question_init(&kernel->question, &kernel->quantised.qkv, error));
    kernel->ready = 2;
    attest_judge_recipe_from_schedule(&recipe, v, model->schedule);
    ATTEST_TRY(
        attest_judge_concrete_init(&kernel->concrete, &kernel->question, v, &recipe, error));
    kernel->ready = 3;
    ATTEST_TRY(attest_judge_head_init(&kernel->head, &kernel->question, error));
    kernel->ready = 4;
    return ATTEST_OK;
}

void attest_recorded_kernel_clear(attest_recorded_kernel *kernel)
{
    if (kernel->ready > 3)
        attest_judge_head_clear(&kernel->head);
    if (kernel->ready > 2)
        attest_judge_concrete_clear(&kernel->concrete);
    if (kernel->ready > 1)
        attest_judge_question_clear(&kernel->question);
    if (kernel->ready > 0)
        attest_judge_quantised_clear(&kernel->quantised);
    for (int i = 0; i < 3; i++)
        free(kernel->rounded[i]);
}

attest_status attest_recorded_kernel_load(attest_recorded_kernel *kernel, size_t batch,
                                          size_t head, attest_error *error)
{
    return attest_judge_head_load(&kernel->head, batch, head, error);
}

attest_status attest_recorded_kernel_run(double *out, attest_recorded_kernel *kernel, size_t i,
                                         attest_error *error)
{
    return attest_judge_concrete_run(out, &kernel->concrete, &kernel->head, i, error);
}
