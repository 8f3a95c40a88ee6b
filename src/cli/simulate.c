/* simulate.c -- attest simulate: the output of a concrete kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/qkv.h"
#include "cli/terminal.h"

static int run(int argc, char **argv);

const attest_command attest_command_simulate = {
    .name = "simulate",
    .arguments = "[QKV] --kernel MODEL [--schedule N] -o OUT [OPTION]...",
    .summary = "compute the output of a concrete kernel, bit for bit",
    .details =
        "A model with a complete schedule is a concrete kernel: every rounding is "
        "determined,\nexcept for exp, whose error the model bounds. OUT is a safetensors file "
        "with out (exp\nrounded correctly), and with lo and hi in F64: bounds for every exp of "
        "the model. With\nlayers the tensors are called layers.NUMBER.out and so on.",
    .example = "  attest simulate qkv.safetensors --kernel hopper-bf16-64 --causal \\\n"
               "      -o out.safetensors",
    .product = "write the output to FILE (safetensors); required",
    .run = run,
};

typedef struct simulate_job {
    attest_cli_qkv x;
    unsigned long schedule;
    size_t elements, open; /* open: the outputs that depend on the rounding of exp */
    attest_cli_tensors tensors;
} simulate_job;

/* Returns the type of the output format in safetensors; F64 if there is none. */
static attest_tensor_type output_type(const attest_judge_model *model)
{
    static const char *const name[] = {
        [ATTEST_TENSOR_F64] = "binary64",          [ATTEST_TENSOR_F32] = "binary32",
        [ATTEST_TENSOR_F16] = "binary16",          [ATTEST_TENSOR_BF16] = "bfloat16",
        [ATTEST_TENSOR_F8_E4M3] = "float8_e4m3fn", [ATTEST_TENSOR_F8_E5M2] = "float8_e5m2"};
    const char *output = model->variant[0].output.name;

    for (size_t i = 1; i < model->variants; i++)
        if (strcmp(model->variant[i].output.name, output) != 0)
            return ATTEST_TENSOR_F64;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        if (strcmp(output, name[i]) == 0)
            return (attest_tensor_type)i;
    return ATTEST_TENSOR_F64;
}

static int simulate_layer(simulate_job *job, double *out)
{
    attest_cli_qkv *x = &job->x;
    double *lo = out + x->elements, *hi = lo + x->elements;
    attest_error error;
    int code;

    if (attest_judge_simulate(out, lo, hi, &x->qkv, x->model, job->schedule, &x->options,
                              &error))
        return attest_cli_qkv_fail(x, &error);
    for (size_t i = 0; i < x->elements; i++)
        job->open += lo[i] < hi[i];
    job->elements += x->elements;
    code = attest_cli_tensors_add(&job->tensors, x, "out", output_type(x->model), out);
    if (code == EXIT_HOLDS)
        code = attest_cli_tensors_add(&job->tensors, x, "lo", ATTEST_TENSOR_F64, lo);
    if (code == EXIT_HOLDS)
        code = attest_cli_tensors_add(&job->tensors, x, "hi", ATTEST_TENSOR_F64, hi);
    return code;
}

static int print_json(simulate_job *job)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/simulate");
    attest_cli_qkv_write_subject(&json, &job->x, NULL, NULL);
    attest_json_write_count(&json, "schedule", job->schedule);
    attest_json_write_count(&json, "elements", job->elements);
    attest_json_write_count(&json, "open", job->open);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static int simulate(simulate_job *job)
{
    attest_common *common = job->x.common;
    int code = EXIT_HOLDS;

    attest_cli_work_begin("simulating");
    for (size_t i = 0; i < job->x.source.layers && code == EXIT_HOLDS; i++) {
        double *out = NULL;

        code = attest_cli_qkv_read(&job->x, i);
        if (code == EXIT_HOLDS)
            out = attest_cli_qkv_alloc(&code, &job->x, 3);
        if (out)
            code = simulate_layer(job, out);
        attest_cli_qkv_free(&job->x, out, 3);
    }
    attest_cli_work_end();
    if (code == EXIT_HOLDS)
        code = attest_cli_tensors_write(&job->tensors, common->output);
    if (code != EXIT_HOLDS || (common->stdout_by && !common->json))
        return code;
    if (common->json)
        return print_json(job);
    attest_print(
        "%zu elements of schedule %lu of %s, %zu of them decided by every exp of the model\n",
        job->elements, job->schedule, job->x.model->name, job->elements - job->open);
    attest_cli_qkv_print_quantise(&job->x);
    attest_cli_print_hint(common,
                          "next: 'attest judge QKV %s --kernel MODEL' compares it with "
                          "the bounds of another model",
                          common->output);
    return EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    simulate_job job = {0};
    attest_common common;
    char **operands;
    size_t count;
    const attest_option options[] = {
        ATTEST_CLI_QKV_OPTIONS(&job.x),
        {"schedule", 0, "N", "number of the model's schedule (default: 0)", OPTION_COUNT,
         &job.schedule, NULL},
        {0},
    };
    int code;

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_simulate, &common, options, argc, argv, 0,
                                    1, &operands, &count));
    if (!common.output)
        return attest_cli_refuse(
            "no file for the output given: use -o OUT (see 'attest simulate --help')");
    code = attest_cli_qkv_open(&job.x, &attest_command_simulate, &common, operands, count);
    if (code == EXIT_HOLDS && job.x.model->schedules == 0)
        code = attest_cli_refuse("--kernel: %s has no schedule and cannot be simulated; use "
                                 "hopper-bf16-64 or another one of 'attest show kernels'",
                                 job.x.kernel);
    if (code == EXIT_HOLDS)
        code = simulate(&job);
    attest_cli_tensors_clear(&job.tensors);
    attest_cli_qkv_close(&job.x);
    return code;
}
