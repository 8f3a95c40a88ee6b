/* judge_merge.c -- attest judge --merge: outputs of a kernel that merges recorded parts. */
#include "cli/judge_merge.h"

#include <stdlib.h>
#include <string.h>

#include <attest/version.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "judge/model_field.h"
#include "model/qkv_lse.h"

/* Refuses options that describe how the parts were computed. */
static int check_options(const attest_cli_qkv *x)
{
    bool named = false;

    for (size_t i = 0; i < ATTEST_QKV_PARTS; i++)
        named = named || x->name[i];
    if (!x->kernel)
        return attest_cli_refuse("no kernel model given: use --kernel MODEL (see 'attest judge "
                                 "--help')");
    if (named || x->scale || x->softcap || x->window || x->causal || x->quantise)
        return attest_cli_refuse(
            "--merge judges parts that were recorded: options that describe "
            "q, k and v have no effect on them");
    return EXIT_HOLDS;
}

/* All arrays: bounds, values, and those of log-sum-exps. */
typedef struct arrays {
    attest_judge_bounds bounds;
    attest_judge_lse_bounds of_lse;
    double *block, *value, *lse;
    unsigned char *empty;
} arrays;

static void arrays_clear(arrays *a)
{
    free(a->block);
    free(a->empty);
}

static bool arrays_init(arrays *a, size_t elements, size_t rows)
{
    double *at;

    memset(a, 0, sizeof *a);
    a->block = attest_memory_alloc(elements + rows, 6 * sizeof *a->block);
    a->empty = attest_memory_alloc(rows, 1);
    if (!a->block || !a->empty)
        return false;
    at = a->block + 6 * elements;
    a->bounds = (attest_judge_bounds){a->block,
                                      a->block + elements,
                                      a->block + 2 * elements,
                                      a->block + 3 * elements,
                                      a->block + 4 * elements,
                                      NULL};
    a->value = a->block + 5 * elements;
    a->of_lse = (attest_judge_lse_bounds){
        at, at + rows, at + 2 * rows, at + 3 * rows, at + 4 * rows, a->empty, NULL};
    a->lse = at + 5 * rows;
    return true;
}

static attest_status judge(attest_cli_merge *merge, attest_cli_lse *lse, attest_cli_qkv *x,
                           arrays *a, const attest_qkv_parts *parts, attest_error *error)
{
    const attest_judge_lse_options how = attest_cli_lse_options(lse);
    attest_judge_parts all = {
        parts->out,      parts->lse,
        parts->parts,    parts->shape[0] * parts->shape[1] * parts->shape[2],
        parts->shape[3], x->empty_row == 1};

    ATTEST_TRY(attest_judge_merge_bound(&a->bounds, &a->of_lse, &all, x->model, &how, error));
    merge->judgement.unbounded = a->bounds.unbounded;
    ATTEST_TRY(attest_judge_summary_init(&merge->judgement.summary, a->value, &a->bounds,
                                         &x->rows, x->model, &x->options, error));
    if (merge->judgement.summary.all.wrong)
        ATTEST_TRY(attest_judge_pattern_find(&merge->judgement.pattern, a->value,
                                             merge->judgement.summary.is_wrong, &x->rows,
                                             error));
    if (lse->text) {
        lse->layer->base = attest_lse_judgement_get_base(x->model, &how);
        attest_lse_judgement_compare(lse->layer, a->lse, &a->of_lse, parts->shape, x->model);
        lse->layers = 1;
    }
    return ATTEST_OK;
}

static int read_and_judge(attest_cli_merge *merge, attest_cli_lse *lse, attest_cli_qkv *x,
                          const attest_qkv_parts *parts)
{
    arrays a;
    attest_error error;
    int code = EXIT_HOLDS;

    memcpy(x->shape, parts->shape, sizeof x->shape);
    x->elements = x->shape[0] * x->shape[1] * x->shape[2] * x->shape[3];
    x->rows = (attest_judge_rows){.batch = x->shape[0],
                                  .heads = x->shape[1],
                                  .queries = x->shape[2],
                                  .columns = x->shape[3],
                                  .all = x->elements / x->shape[3],
                                  .count = x->elements / x->shape[3]};
    if (!arrays_init(&a, x->elements, x->elements / x->shape[3])) {
        attest_memory_fail(&error);
        code = attest_cli_fail(&error);
    } else if (attest_qkv_output_read(a.value, &merge->output, &x->source, 0, x->shape, NULL,
                                      &error) ||
               (lse->text &&
                attest_qkv_lse_read(a.lse, &lse->input, &x->source, 0, x->shape, &error)) ||
               attest_input_locate(&x->source.file[0].input,
                                   judge(merge, lse, x, &a, parts, &error), &error))
        code = attest_cli_fail_input(&error);
    arrays_clear(&a);
    return code;
}

int attest_cli_merge_judge(attest_cli_merge *merge, attest_cli_lse *lse, attest_cli_qkv *x,
                           attest_common *common, const char *path, const char *text)
{
    attest_qkv_parts parts = {0};
    attest_error error;
    int code;

    x->common = common;
    ATTEST_CLI_TRY(check_options(x));
    if (attest_judge_model_load(&x->model, x->kernel, &error) ||
        attest_qkv_parts_open(&x->source, path, &common->budget, &error) ||
        attest_qkv_output_open(&merge->output, text, &x->source, &common->budget, &error))
        return attest_cli_fail_input(&error);
    ATTEST_CLI_TRY(attest_cli_lse_open(lse, x));
    if (attest_qkv_parts_read(&parts, &x->source, &common->budget, &error))
        code = attest_cli_fail_input(&error);
    else
        code = read_and_judge(merge, lse, x, &parts);
    merge->parts = parts.parts;
    attest_qkv_parts_clear(&parts);
    return code;
}

void attest_cli_merge_clear(attest_cli_merge *merge)
{
    attest_judgement_clear(&merge->judgement);
    attest_qkv_output_close(&merge->output);
}

static void write_file(attest_json *json, const char *key, attest_tensor_file *file,
                       const char *tensor)
{
    attest_json_write_object(json, key);
    attest_json_write_string(json, "path", attest_input_name(file->input.path));
    attest_json_write_string(json, "sha256", attest_input_sha256(&file->input));
    attest_json_write_string(json, "tensor", tensor);
    attest_json_write_close(json);
}

void attest_cli_merge_write(attest_json *json, attest_cli_merge *merge,
                            const attest_cli_lse *lse, attest_cli_qkv *x)
{
    attest_json_write_object(json, NULL);
    attest_json_write_format(json, "attest/judgement");
    attest_json_write_string(json, "attest", attest_version());
    attest_json_write_string(json, "kernel", x->model->name);
    attest_judge_model_write_json(json, "model", x->model);
    write_file(json, "merge", &x->source.file[0], NULL);
    attest_json_write_count(json, "parts", merge->parts);
    write_file(json, "output", merge->output.file, merge->output.name);
    attest_judgement_write(json, &merge->judgement, 1);
    attest_cli_lse_write(json, lse);
    attest_json_write_close(json);
}
