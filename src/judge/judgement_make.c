/* judgement_make.c -- attest_judgement_make: a judgement with the memory that it takes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/judgement.h"
#include "judge/problem.h"

enum { ARRAYS = 11 }; /* five of bounds, five for others, the output */

static void set_arrays(attest_judge_bounds *bounds, double *block, size_t elements)
{
    *bounds = (attest_judge_bounds){block,
                                    block + elements,
                                    block + 2 * elements,
                                    block + 3 * elements,
                                    block + 4 * elements,
                                    NULL};
}

/* Checks the shapes of the problem and of the output; counts its elements. */
static attest_status check(size_t *elements, const attest_tensor *output, const attest_qkv *qkv,
                           attest_error *error)
{
    attest_judge_problem problem;
    size_t shape[4];

    ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
    attest_judge_problem_clear(&problem);
    memcpy(shape, qkv->q.shape, sizeof shape);
    shape[3] = qkv->v.shape[3];
    if (!output->data || output->type == ATTEST_TENSOR_BOOL ||
        memcmp(output->shape, shape, sizeof shape) != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the output has the shape (%zu, %zu, %zu, %zu), not that of q "
                                "and v, (%zu, %zu, %zu, %zu)",
                                output->shape[0], output->shape[1], output->shape[2],
                                output->shape[3], shape[0], shape[1], shape[2], shape[3]);
    *elements = 1;
    for (size_t i = 0; i < 4; i++) {
        if (shape[i] > SIZE_MAX / 64 / *elements)
            return attest_memory_fail(error);
        *elements *= shape[i];
    }
    return ATTEST_OK;
}

static void read_output(double *to, const attest_tensor *output)
{
    const size_t *shape = output->shape;

    for (size_t b = 0; b < shape[0]; b++)
        for (size_t h = 0; h < shape[1]; h++)
            for (size_t i = 0; i < shape[2]; i++, to += shape[3])
                attest_judge_tensor_get(to, output, b, h, i, 0, shape[3]);
}

static attest_status judge(attest_judgement *judgement, double *block, size_t elements,
                           const attest_tensor *output, const attest_qkv *qkv,
                           const attest_judge_model *model, const attest_judge_options *options,
                           attest_error *error)
{
    attest_judge_bounds bounds, other;
    double *values = block + 10 * elements;

    set_arrays(&bounds, block, elements);
    set_arrays(&other, block + 5 * elements, elements);
    read_output(values, output);
    ATTEST_TRY(attest_judge_bound(&bounds, qkv, model, options, error));
    return attest_judgement_set(judgement, values, &bounds, &other, qkv, model, options, error);
}

attest_status attest_judgement_make(attest_judgement **judgement, const attest_tensor *output,
                                    const attest_qkv *qkv, const attest_judge_model *model,
                                    const attest_judge_options *options, attest_error *error)
{
    double *block ATTEST_FREED = NULL;
    attest_status status;
    size_t elements;

    *judgement = NULL;
    ATTEST_TRY(check(&elements, output, qkv, error));
    *judgement = attest_memory_alloc(1, sizeof **judgement);
    block = attest_memory_alloc(elements, ARRAYS * sizeof *block);
    status = *judgement && block
                 ? judge(*judgement, block, elements, output, qkv, model, options, error)
                 : attest_memory_fail(error);
    if (status != ATTEST_OK) {
        attest_judgement_free(*judgement);
        *judgement = NULL;
    }
    return status;
}

void attest_judgement_free(attest_judgement *judgement)
{
    if (judgement)
        attest_judgement_clear(judgement);
    free(judgement);
}

attest_judge_verdict attest_judgement_verdict(const attest_judgement *judgement)
{
    return attest_judge_counts_verdict(&judgement->summary.all);
}
