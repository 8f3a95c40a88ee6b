/* tolerance.c -- attest tolerance: what kernels of a model may differ from the exact values. */
#include "cli/tolerance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/progress.h"

static int run(int argc, char **argv);

const attest_command attest_command_tolerance = {
    .name = "tolerance",
    .arguments = "[QKV] --kernel MODEL [-o BOUND] [--check ATOL,RTOL] [OPTION]...",
    .summary = "compute proved per-element error bounds of a correct kernel",
    .details =
        "Bounds, for every element of the output, the difference between any kernel of the\n"
        "model and the exact value: abs(out - exact) <= bound holds for every correct kernel.\n"
        "BOUND is a safetensors file with F64 tensors bound, lo and hi of the output's shape.\n"
        "--check examines a tolerance as tests use it, abs(out - exact) <= ATOL + RTOL\n"
        "abs(exact): which faulty outputs it accepts, and whether a correct kernel can fail "
        "it.",
    .example = "  attest tolerance qkv.safetensors --kernel bf16-flash2 --causal \\\n"
               "      --check 1e-2,1e-2\n"
               "  attest tolerance qkv.npz --kernel fp32-any -o bound.safetensors",
    .product = "write the bounds to FILE (safetensors)",
    .run = run,
};

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

size_t attest_cli_tolerance_sort(double *finite, const double *bound, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(bound[i]))
            finite[kept++] = bound[i];
    qsort(finite, kept, sizeof *finite, compare);
    return kept;
}

static int no_memory(void)
{
    attest_error error;

    attest_memory_fail(&error);
    return attest_cli_fail(&error);
}

/* The bounds of the layer, head by head, and among those of all. */
static int add_heads(tolerance_job *job, const double *bound, double *room)
{
    attest_cli_qkv *x = &job->x;
    size_t size = x->shape[2] * x->shape[3], heads = x->shape[0] * x->shape[1];

    if (!attest_memory_grow(&job->head, &job->head_room, job->heads + heads,
                            sizeof *job->head) ||
        !attest_memory_grow(&job->bound, &job->bound_room, job->elements + x->elements,
                            sizeof *job->bound))
        return no_memory();
    memcpy(job->bound + job->elements, bound, x->elements * sizeof *bound);
    job->elements += x->elements;
    for (size_t h = 0; h < heads; h++) {
        size_t finite = attest_cli_tolerance_sort(room, bound + h * size, size);

        job->head[job->heads++] = (tolerance_head){x->layer,
                                                   h / x->shape[1],
                                                   h % x->shape[1],
                                                   size,
                                                   finite,
                                                   finite ? room[finite - 1] : (double)NAN,
                                                   finite ? room[finite / 2] : (double)NAN};
    }
    return EXIT_HOLDS;
}

static int save_layer(tolerance_job *job, const attest_judge_bounds *bounds)
{
    attest_cli_qkv *x = &job->x;
    int code =
        attest_cli_tensors_add(&job->tensors, x, "bound", ATTEST_TENSOR_F64, bounds->bound);

    if (code == EXIT_HOLDS)
        code = attest_cli_tensors_add(&job->tensors, x, "lo", ATTEST_TENSOR_F64, bounds->lo);
    if (code == EXIT_HOLDS)
        code = attest_cli_tensors_add(&job->tensors, x, "hi", ATTEST_TENSOR_F64, bounds->hi);
    return code;
}

static int bound_layer(tolerance_job *job, attest_judge_bounds *bounds)
{
    attest_cli_qkv *x = &job->x;
    attest_error error;
    int code = EXIT_HOLDS;
    double *room;

    if (attest_judge_bound(bounds, &x->qkv, x->model, &x->options, &error))
        return attest_cli_qkv_fail(x, &error);
    job->unbounded = job->unbounded ? job->unbounded : bounds->unbounded;
    room = attest_cli_qkv_alloc(&code, x, 1);
    if (room)
        code = add_heads(job, bounds->bound, room);
    attest_cli_qkv_free(x, room, 1);
    if (code == EXIT_HOLDS && x->common->output)
        code = save_layer(job, bounds);
    if (code == EXIT_HOLDS && job->given)
        code = attest_cli_tolerance_judge(job, bounds);
    return code;
}

static int bound_layers(tolerance_job *job)
{
    attest_cli_qkv *x = &job->x;
    int code = EXIT_HOLDS;

    for (size_t i = 0; i < x->source.layers && code == EXIT_HOLDS; i++) {
        attest_judge_bounds bounds;
        double *block = NULL;

        code = attest_cli_qkv_read(x, i);
        if (code == EXIT_HOLDS)
            block = attest_cli_qkv_alloc_bounds(&code, &bounds, x);
        if (block)
            code = bound_layer(job, &bounds);
        attest_cli_qkv_free(x, block, 5);
    }
    if (code == EXIT_HOLDS && x->common->output)
        code = attest_cli_tensors_write(&job->tensors, x->common->output);
    return code;
}

static int tolerate(tolerance_job *job)
{
    attest_common *common = job->x.common;
    int code = job->given ? attest_cli_tolerance_parse(job) : EXIT_HOLDS;

    attest_cli_work_begin("bounding");
    if (code == EXIT_HOLDS)
        code = bound_layers(job);
    attest_cli_work_end();
    if (code != EXIT_HOLDS)
        return code;
    if (common->json)
        return attest_cli_tolerance_print_json(job);
    if (!common->stdout_by)
        attest_cli_tolerance_print(job);
    if (!job->given || !common->output)
        attest_cli_close(common, "next: %s%s%s",
                         common->output ? "" : "-o BOUND writes a bound for every element",
                         common->output || job->given ? "" : "; ",
                         job->given ? "" : "--check ATOL,RTOL checks a tolerance");
    return EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    tolerance_job job = {0};
    attest_common common;
    char **operands;
    size_t count;
    const attest_option options[] = {
        ATTEST_CLI_QKV_OPTIONS(&job.x),
        {"check", 0, "ATOL,RTOL", "check this tolerance of a test", OPTION_TEXT, &job.given,
         NULL},
        {0},
    };
    int code = attest_cli_parse(&attest_command_tolerance, &common, options, argc, argv, 0, 1,
                                &operands, &count);

    if (code != EXIT_HOLDS)
        return code;
    fmpq_init(job.atol);
    fmpq_init(job.rtol);
    code = attest_cli_qkv_open(&job.x, &attest_command_tolerance, &common, operands, count);
    if (code == EXIT_HOLDS)
        code = tolerate(&job);
    attest_cli_tensors_clear(&job.tensors);
    free(job.head);
    free(job.bound);
    free(job.fault);
    fmpq_clear(job.atol);
    fmpq_clear(job.rtol);
    attest_cli_qkv_close(&job.x);
    return code;
}
