/* judge.c -- attest judge: is the output of a kernel right? */
#include "cli/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/progress.h"
#include "io/json_file.h"

static int run(int argc, char **argv);

const attest_command attest_command_judge = {
    .name = "judge",
    .arguments = "[QKV] OUT --kernel MODEL [--against OUT2] [OPTION]...",
    .summary = "decide whether the output of an attention kernel is right",
    .details =
        "Computes for every element of the output an interval that contains the result of\n"
        "every kernel of the model. An element outside is proved wrong: no kernel of the "
        "model\n"
        "returns it. An output within does not certify the kernel: other inputs may fail.\n"
        "OUT is FILE or FILE:NAME; the default name is out, or layers.{}.out for layers.\n"
        "Exit code 0: all elements are within; 1: some are wrong; 3: none is wrong, but some\n"
        "are undecided.",
    .example = "  attest judge qkv.safetensors out.safetensors --kernel bf16-flash2 --causal\n"
               "  attest judge run.safetensors run.safetensors:y --kernel fp32-any --causal",
    .product = "write a record for 'attest report' to FILE",
    .run = run,
};

/* The arrays of a layer: its bounds, and room for other ones and for an output. */
typedef struct arrays {
    attest_judge_bounds bounds, other;
    double *y, *z;
    double *block[3];
} arrays;

static int arrays_init(arrays *a, judge_job *job)
{
    attest_cli_qkv *x = &job->x;
    int code = EXIT_HOLDS;

    memset(a, 0, sizeof *a);
    a->block[0] = attest_cli_qkv_alloc_bounds(&code, &a->bounds, x);
    if (code == EXIT_HOLDS)
        a->block[1] = attest_cli_qkv_alloc_bounds(&code, &a->other, x);
    if (code == EXIT_HOLDS)
        a->block[2] = attest_cli_qkv_alloc(&code, x, 2);
    if (code == EXIT_HOLDS) {
        a->y = a->block[2];
        a->z = a->y + x->elements;
    }
    return code;
}

static void arrays_clear(arrays *a, attest_cli_qkv *x)
{
    attest_cli_qkv_free(x, a->block[0], 5);
    attest_cli_qkv_free(x, a->block[1], 5);
    attest_cli_qkv_free(x, a->block[2], 2);
}

static attest_status judge_output(attest_judgement *layer, arrays *a, const double *output,
                                  attest_cli_qkv *x, attest_error *error)
{
    layer->number = x->layer;
    return attest_judgement_set(layer, output, &a->bounds, &a->other, &x->qkv, x->model,
                                &x->options, error);
}

static int judge_arrays(judge_job *job, size_t place, arrays *a)
{
    attest_cli_qkv *x = &job->x;
    attest_error error;

    if (attest_qkv_output_read(a->y, &job->first, &x->source, place, x->shape, &error) ||
        (job->against &&
         attest_qkv_output_read(a->z, &job->second, &x->source, place, x->shape, &error)))
        return attest_cli_fail_input(&error);
    if (attest_judge_bound(&a->bounds, &x->qkv, x->model, &x->options, &error) ||
        judge_output(&job->layer[place], a, a->y, x, &error) ||
        (job->against && judge_output(&job->other[place], a, a->z, x, &error)))
        return attest_cli_qkv_fail(x, &error);
    if (job->against)
        attest_judge_difference_get(&job->difference[place], a->y, a->z, &a->bounds,
                                    x->elements);
    return EXIT_HOLDS;
}

static int judge_layers(judge_job *job)
{
    attest_cli_qkv *x = &job->x;
    int code = EXIT_HOLDS;

    for (size_t i = 0; i < x->source.layers && code == EXIT_HOLDS; i++) {
        arrays a;

        code = attest_cli_qkv_read(x, i);
        if (code != EXIT_HOLDS)
            return code;
        code = arrays_init(&a, job);
        if (code == EXIT_HOLDS)
            code = judge_arrays(job, i, &a);
        arrays_clear(&a, x);
        job->layers = i + 1;
    }
    return code;
}

static int save(judge_job *job)
{
    attest_json_file file;
    attest_error error;

    if (attest_json_file_open(&file, job->x.common->output, &error))
        return attest_cli_fail(&error);
    attest_cli_judge_write(&file.json, job);
    return attest_json_file_commit(&file, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

static int exit_code(const attest_judgement *layer, size_t count)
{
    static const int code[] = {[ATTEST_JUDGE_WITHIN] = EXIT_HOLDS,
                               [ATTEST_JUDGE_WRONG] = EXIT_FAILS,
                               [ATTEST_JUDGE_UNDECIDED] = EXIT_UNDECIDED};
    attest_judge_counts total = attest_judgement_total(layer, count);

    return code[attest_judge_counts_verdict(&total)];
}

static void print_next(int code, const attest_common *common)
{
    if (code == EXIT_HOLDS)
        attest_cli_close(common, "said of this output on these inputs; next: a model that says "
                                 "more has narrower bounds ('attest show kernels'), and "
                                 "'attest tolerance' writes them");
    else if (code == EXIT_FAILS)
        attest_cli_close(common, "next: if the kernel is no member of the model (formats, "
                                 "casts, splits), judge it by one that is: 'attest show kernel "
                                 "MODEL' has all that a model says");
}

static int show(judge_job *job)
{
    attest_common *common = job->x.common;
    int code = common->output ? save(job) : EXIT_HOLDS;
    attest_json json;

    if (code != EXIT_HOLDS)
        return code;
    code = exit_code(job->layer, job->layers);
    if (job->against)
        code = attest_cli_worse(code, exit_code(job->other, job->layers));
    if (common->json) {
        attest_json_write_begin(&json, stdout);
        attest_cli_judge_write(&json, job);
        return attest_cli_end_json(&json, code);
    }
    if (!common->stdout_by)
        attest_cli_judge_print(job);
    print_next(code, common);
    return code;
}

static int open_outputs(judge_job *job)
{
    attest_budget *budget = &job->x.common->budget;
    size_t layers = job->x.source.layers;
    attest_error error;

    job->layer = attest_memory_alloc(layers, sizeof *job->layer);
    job->other = attest_memory_alloc(layers, sizeof *job->other);
    job->difference = attest_memory_alloc(layers, sizeof *job->difference);
    if (!job->layer || !job->other || !job->difference) {
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    if (attest_qkv_output_open(&job->first, job->output, &job->x.source, budget, &error) ||
        (job->against &&
         attest_qkv_output_open(&job->second, job->against, &job->x.source, budget, &error)))
        return attest_cli_fail_input(&error);
    return EXIT_HOLDS;
}

static void clear(judge_job *job)
{
    for (size_t i = 0; i < job->layers; i++) {
        attest_judgement_clear(&job->layer[i]);
        attest_judgement_clear(&job->other[i]);
    }
    free(job->layer);
    free(job->other);
    free(job->difference);
    attest_qkv_output_close(&job->first);
    attest_qkv_output_close(&job->second);
    attest_cli_qkv_close(&job->x);
}

static int run(int argc, char **argv)
{
    judge_job job = {0};
    attest_common common;
    char **operands;
    size_t count;
    const attest_option options[] = {
        {"against", 0, "OUT2",
         "judge another output, too, and compare the difference of both with\n"
         "the largest difference of two kernels of the model",
         OPTION_TEXT, &job.against, NULL},
        ATTEST_CLI_QKV_OPTIONS(&job.x),
        {0},
    };
    int code = attest_cli_parse(&attest_command_judge, &common, options, argc, argv, 1, 2,
                                &operands, &count);

    if (code != EXIT_HOLDS)
        return code;
    if (count < 2 && !attest_cli_qkv_has_files(&job.x))
        return attest_cli_refuse("two files are needed: attest judge QKV OUT; or OUT with --q, "
                                 "--k and --v (see 'attest judge --help')");
    job.output = operands[count - 1];
    code = attest_cli_qkv_open(&job.x, &attest_command_judge, &common, operands, count - 1);
    if (code == EXIT_HOLDS)
        code = open_outputs(&job);
    attest_cli_work_begin("judging");
    if (code == EXIT_HOLDS)
        code = judge_layers(&job);
    attest_cli_work_end();
    if (code == EXIT_HOLDS)
        code = show(&job);
    clear(&job);
    return code;
}
