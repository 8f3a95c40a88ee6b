/* recorded_kernel.c -- heads of recorded queries, keys and values in a simulated kernel. */
#include "audit/recorded_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/simulate.h"
#include "format/simulate_in_double.h"

/* *tensor = the same in the format, in binary64 numbers of its own. */
static attest_status convert(double **rounded, attest_tensor *tensor,
                             const attest_format *format, char name, attest_error *error)
{
    const size_t *n = tensor->shape;
    size_t rows = n[0] * n[1] * n[2]; /* the question has checked the shapes */
    ptrdiff_t stride = sizeof **rounded;
    attest_in_double h;

    *rounded = attest_memory_alloc(rows * n[3], sizeof **rounded);
    if (!*rounded)
        return attest_memory_fail(error);
    attest_in_double_init(&h, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t row = 0; row < rows; row++) {
        double *to = *rounded + row * n[3];
        size_t b = row / n[2] / n[1], head = row / n[2] % n[1], i = row % n[2];

        attest_judge_tensor_get(to, tensor, b, head, i, 0, n[3]);
        for (size_t c = 0; c < n[3]; c++) {
            to[c] = attest_in_double_convert(to[c], &h);
            if (!isfinite(to[c]))
                return attest_error_set(error, ATTEST_FORMAT,
                                        "%c[%zu][%zu][%zu][%zu] is beyond the kernel's input "
                                        "format %s, or not finite",
                                        name, b, head, i, c, format->name);
        }
    }
    tensor->data = *rounded;
    tensor->type = ATTEST_TENSOR_F64;
    for (int axis = 3; axis >= 0; axis--) {
        tensor->stride[axis] = stride;
        stride *= (ptrdiff_t)n[axis];
    }
    return ATTEST_OK;
}

attest_status attest_recorded_kernel_init(attest_recorded_kernel *kernel,
                                          const attest_judge_model *model,
                                          const attest_judge_problem *question,
                                          attest_error *error)
{
    attest_qkv qkv = question->qkv;
    attest_tensor *const tensor[3] = {&qkv.q, &qkv.k, &qkv.v};
    attest_status status;

    *kernel = (attest_recorded_kernel){.model = model, .question = question};
    if (model->schedules == 0)
        return attest_error_set(error, ATTEST_USAGE,
                                "the kernel model %.100s has no schedule: it cannot be run",
                                model->name);
    for (int i = 0; i < 3; i++) {
        const attest_format *const format[3] = {&model->variant->q, &model->variant->k,
                                                &model->variant->v};

        ATTEST_TRY(convert(&kernel->rounded[i], tensor[i], format[i], "qkv"[i], error));
    }
    status = attest_judge_quantised_init(&kernel->inputs, &qkv, model, error);
    if (status != ATTEST_OK) {
        memset(&kernel->inputs, 0, sizeof kernel->inputs); /* nothing is left to clear */
        return status;
    }
    kernel->out =
        attest_memory_alloc(question->queries * question->value_dim, sizeof *kernel->out);
    return kernel->out ? ATTEST_OK : attest_memory_fail(error);
}

void attest_recorded_kernel_clear(attest_recorded_kernel *kernel)
{
    attest_judge_quantised_clear(&kernel->inputs);
    for (int i = 0; i < 3; i++)
        free(kernel->rounded[i]);
    free(kernel->out);
}

/* The part of a tensor that belongs to one head of one batch entry; an axis of length 1 stands
 * for every index. */
static attest_tensor part_of(attest_tensor whole, size_t batch, size_t head)
{
    const size_t at[2] = {batch, head};
    const char *data = whole.data;

    for (int axis = 0; data && axis < 2; axis++)
        if (whole.shape[axis] > 1) {
            data += (ptrdiff_t)at[axis] * whole.stride[axis];
            whole.shape[axis] = 1;
        }
    whole.data = data;
    return whole;
}

attest_status attest_recorded_kernel_load(attest_recorded_kernel *kernel, size_t batch,
                                          size_t head, attest_error *error)
{
    const attest_judge_problem *x = kernel->question;
    const attest_judge_options options = {.jobs = 1};
    attest_qkv qkv = kernel->inputs.qkv;
    size_t key_head = head / (x->heads / x->key_heads);

    qkv.q = part_of(qkv.q, batch, head);
    qkv.k = part_of(qkv.k, batch, key_head);
    qkv.v = part_of(qkv.v, batch, key_head);
    qkv.mask = part_of(qkv.mask, batch, head);
    qkv.sink = part_of(qkv.sink, batch, head);
    return attest_judge_simulate_values(kernel->out, NULL, NULL, &qkv, kernel->model, 0,
                                        &options, error);
}
