/* evaluate_kernel.c -- the layer of a dataset around a simulated attention kernel, and recorded
 * heads in one. */
#include "audit/head_evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/number.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "format/simulate_in_double.h"
#include "judge/model.h"
#include "judge/simulate.h"
#include "number/scope.h"

/* The request, and buffers for one sequence. */
typedef struct layer {
    const attest_audit_request *request;
    const attest_judge_model *model;
    attest_in_double in[3], out;
    size_t widest;              /* the largest s of a head */
    double *q, *k, *v, *result; /* of a sequence and a head */
    fmpq *sum;                  /* of a sequence: length * dim */
} layer;

static attest_status layer_init(layer *x, const attest_audit_request *request,
                                const attest_judge_model *model, attest_error *error)
{
    const attest_judge_variant *v = model->variant;
    const attest_format *const in[3] = {&v->q, &v->k, &v->v};
    size_t longest = request->dataset->longest;

    *x = (layer){.request = request, .model = model};
    for (int i = 0; i < 3; i++)
        attest_in_double_init(&x->in[i], in[i], ATTEST_SIMULATED_NEAREST, NULL, NULL);
    attest_in_double_init(&x->out, &v->output, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t h = 0; h < request->weights->heads; h++) {
        const attest_head *head = &request->weights->head[h];
        size_t s = head->wq.rows > head->wv.rows ? head->wq.rows : head->wv.rows;

        x->widest = s > x->widest ? s : x->widest;
    }
    x->q = attest_memory_alloc(longest, x->widest * sizeof *x->q);
    x->k = attest_memory_alloc(longest, x->widest * sizeof *x->k);
    x->v = attest_memory_alloc(longest, x->widest * sizeof *x->v);
    x->result = attest_memory_alloc(longest, x->widest * sizeof *x->result);
    x->sum = _fmpq_vec_init((slong)(longest * request->dataset->dim));
    return x->q && x->k && x->v && x->result ? ATTEST_OK : attest_memory_fail(error);
}

static void layer_clear(layer *x)
{
    free(x->q);
    free(x->k);
    free(x->v);
    free(x->result);
    _fmpq_vec_clear(x->sum, (slong)(x->request->dataset->longest * x->request->dataset->dim));
}

/* to = the projections of the tokens of a sequence, rounded once. */
static attest_status project(double *to, const layer *x, const attest_matrix *m,
                             const attest_in_double *h, size_t sequence, attest_error *error)
{
    const attest_dataset *dataset = x->request->dataset;
    FMPQ(sum, entry, weight);

    for (size_t n = 0; n < attest_dataset_length(dataset, sequence) * m->rows; n++) {
        fmpq_zero(sum);
        for (size_t c = 0; c < m->cols; c++) {
            attest_tokens_get_entry(entry, &dataset->tokens,
                                    attest_dataset_token(dataset, sequence, n / m->rows), c);
            attest_matrix_get_entry(weight, m, n % m->rows, c);
            fmpq_addmul(sum, weight, entry);
        }
        to[n] = attest_in_double_get_fraction(fmpq_numref(sum), fmpq_denref(sum), h);
        if (!isfinite(to[n]))
            return attest_error_set(error, ATTEST_FORMAT,
                                    "a projection of the token at [%zu,%zu] is beyond the "
                                    "kernel's input format %s",
                                    sequence, n / m->rows, h->format.name);
    }
    return ATTEST_OK;
}

static attest_tensor tensor(const double *value, size_t tokens, size_t dim)
{
    return (attest_tensor){value,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *value), sizeof *value}};
}

/* x->sum += WO times the kernel's outputs. Sets finite[i] to false if an output at position i
 * is not finite. */
static void add_head(layer *x, const attest_head *head, size_t length, bool *finite)
{
    size_t dim = x->request->dataset->dim, s = head->wv.rows;
    FMPQ(weight, value);

    for (size_t i = 0; i < length; i++)
        for (size_t r = 0; r < s; r++) {
            if (!isfinite(x->result[i * s + r])) {
                finite[i] = false;
                continue;
            }
            attest_number_set_double(value, x->result[i * s + r]);
            for (size_t c = 0; c < dim; c++) {
                attest_matrix_get_entry(weight, &head->wo, c, r);
                fmpq_addmul(x->sum + i * dim + c, weight, value);
            }
        }
}

static attest_status run_head(layer *x, const attest_head *head, size_t sequence, bool *finite,
                              attest_error *error)
{
    const attest_judge_options options = {.jobs = 1};
    size_t length = attest_dataset_length(x->request->dataset, sequence);
    attest_qkv qkv = {.scale = "none",
                      .causal = x->request->weights->mask == ATTEST_MASK_CAUSAL
                                    ? ATTEST_CAUSAL_TOP_LEFT
                                    : ATTEST_CAUSAL_NONE};

    ATTEST_TRY(project(x->q, x, &head->wq, &x->in[0], sequence, error));
    ATTEST_TRY(project(x->k, x, &head->wk, &x->in[1], sequence, error));
    ATTEST_TRY(project(x->v, x, &head->wv, &x->in[2], sequence, error));
    qkv.q = tensor(x->q, length, head->wq.rows);
    qkv.k = tensor(x->k, length, head->wk.rows);
    qkv.v = tensor(x->v, length, head->wv.rows);
    ATTEST_TRY(
        attest_judge_simulate(x->result, NULL, NULL, &qkv, x->model, 0, &options, error));
    add_head(x, head, length, finite);
    return ATTEST_OK;
}

/* to = the outputs of a sequence. */
static attest_status run_sequence(double *to, layer *x, size_t sequence, bool *finite,
                                  attest_error *error)
{
    const attest_dataset *dataset = x->request->dataset;
    const attest_weights *weights = x->request->weights;
    size_t length = attest_dataset_length(dataset, sequence), dim = dataset->dim;

    for (size_t n = 0; n < length * dim; n++) {
        size_t from = attest_weights_skip_entry(weights, n % dim);

        fmpq_zero(x->sum + n);
        if (from != SIZE_MAX)
            attest_tokens_get_entry(x->sum + n, &dataset->tokens,
                                    attest_dataset_token(dataset, sequence, n / dim), from);
        finite[n / dim] = true;
    }
    for (size_t h = 0; h < weights->heads; h++)
        ATTEST_TRY(run_head(x, &weights->head[h], sequence, finite, error));
    for (size_t n = 0; n < length * dim; n++)
        to[n] = finite[n / dim] ? attest_in_double_get_fraction(
                                      fmpq_numref(x->sum + n), fmpq_denref(x->sum + n), &x->out)
                                : (double)NAN;
    return ATTEST_OK;
}

static attest_status run(attest_audit_outputs *outputs, layer *x, attest_error *error)
{
    const attest_audit_request *r = x->request;
    bool *finite ATTEST_FREED = attest_memory_alloc(r->dataset->longest, sizeof *finite);
    double *to = outputs->real;

    if (!finite)
        return attest_memory_fail(error);
    for (size_t i = 0; i < r->sequences; i++) {
        size_t sequence = r->sequence ? r->sequence[i] : i;

        ATTEST_TRY(run_sequence(to, x, sequence, finite, error));
        to += attest_dataset_length(r->dataset, sequence) * r->dataset->dim;
    }
    return ATTEST_OK;
}

attest_status attest_audit_evaluate_kernel(attest_audit_outputs *outputs,
                                           const attest_audit_request *request,
                                           const attest_judge_model *model, attest_error *error)
{
    attest_audit_outputs made ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    size_t count = 0;

    *outputs = made;
    if (request->weights->activation == ATTEST_HARDMAX)
        return attest_error_set(error, ATTEST_USAGE, "kernels compute softmax, not hardmax");
    if (model->schedules == 0)
        return attest_error_set(error, ATTEST_USAGE,
                                "the kernel model %.100s has no schedule: it cannot be run",
                                model->name);
    for (size_t i = 0; i < request->sequences; i++)
        count += attest_dataset_length(request->dataset,
                                       request->sequence ? request->sequence[i] : i);
    made.count = count;
    made.dim = request->dataset->dim;
    made.bytes = count * made.dim * sizeof(double);
    made.real = attest_shared_alloc(made.bytes, 1);
    if (!made.real)
        return attest_memory_fail(error);
    layer x ATTEST_CLEARED_BY(layer_clear);
    ATTEST_TRY(layer_init(&x, request, model, error));
    ATTEST_TRY(run(&made, &x, error));
    *outputs = made;
    made = (attest_audit_outputs){0};
    return ATTEST_OK;
}

/* Heads of recorded queries, keys and values in a simulated kernel. */

/* Replaces the tensor by a copy in binary64, rounded to the format; *rounded owns its data. */
static attest_status convert(double **rounded, attest_tensor *tensor,
                             const attest_format *format, char name, attest_error *error)
{
    const size_t *n = tensor->shape;
    size_t rows = n[0] * n[1] * n[2]; /* the problem has checked the shapes */
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

attest_status attest_audit_head_kernel_init(attest_audit_head_kernel *kernel,
                                            const attest_judge_model *model,
                                            const attest_judge_problem *problem,
                                            attest_error *error)
{
    attest_qkv qkv = problem->qkv;
    attest_tensor *const tensor[3] = {&qkv.q, &qkv.k, &qkv.v};

    *kernel = (attest_audit_head_kernel){.model = model, .problem = problem};
    if (model->schedules == 0)
        return attest_error_set(error, ATTEST_USAGE,
                                "the kernel model %.100s has no schedule: it cannot be run",
                                model->name);
    for (int i = 0; i < 3; i++) {
        const attest_format *const format[3] = {&model->variant->q, &model->variant->k,
                                                &model->variant->v};

        ATTEST_TRY(convert(&kernel->rounded[i], tensor[i], format[i], "qkv"[i], error));
    }
    ATTEST_TRY(attest_judge_quantised_init(&kernel->inputs, &qkv, model, error));
    kernel->out =
        attest_memory_alloc(problem->queries * problem->value_dim, sizeof *kernel->out);
    return kernel->out ? ATTEST_OK : attest_memory_fail(error);
}

void attest_audit_head_kernel_clear(attest_audit_head_kernel *kernel)
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

attest_status attest_audit_head_kernel_load(attest_audit_head_kernel *kernel, size_t batch,
                                            size_t head, attest_error *error)
{
    const attest_judge_problem *x = kernel->problem;
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
