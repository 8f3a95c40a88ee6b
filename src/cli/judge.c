/* judge.c -- attest judge: is the output of a kernel right? */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>
#include <attest/version.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/judge_lse.h"
#include "cli/judge_merge.h"
#include "cli/qkv.h"
#include "cli/terminal.h"
#include "io/json_write.h"
#include "judge/judgement.h"
#include "judge/tolerance.h"
#include "report/print.h"

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

typedef struct judge_job {
    attest_cli_qkv x;
    const char *output, *against, *printed;
    attest_qkv_output first, second;
    /* by layers; other is for the output of --against */
    attest_judgement *layer, *other;
    attest_judge_difference *difference;
    attest_cli_lse lse;
    bool merges; /* --merge */
    attest_cli_merge merge;
    size_t layers; /* done */
} judge_job;

static void write_output(attest_json *json, const char *key, attest_qkv_output *output)
{
    attest_json_write_object(json, key);
    attest_json_write_string(json, "path", attest_input_name(output->path));
    attest_json_write_string(json, "tensor", output->file->is_npy ? NULL : output->name);
    attest_json_write_close(json);
}

static void write_difference(attest_json *json, const judge_job *job)
{
    const attest_judge_difference *most = NULL;
    size_t differ = 0, beyond = 0, layer = 0, at[4];

    for (size_t i = 0; i < job->layers; i++) {
        const attest_judge_difference *this = &job->difference[i];

        differ += this->differ;
        beyond += this->beyond;
        if (this->has_at && (!most || this->ratio > most->ratio)) {
            most = this;
            layer = i;
        }
    }
    attest_json_write_object(json, "difference");
    attest_json_write_count(json, "differ", differ);
    attest_json_write_count(json, "beyond", beyond);
    if (most) {
        attest_json_write_double(json, "max_ratio", most->ratio);
        attest_judge_rows_get_place(at, &job->layer[layer].summary.rows, most->at);
        attest_judgement_write_place(json, job->layer[layer].number, at);
        attest_json_write_double(json, "output", most->y);
        attest_json_write_double(json, "against", most->z);
        attest_json_write_double(json, "allowed", most->allowed);
    }
    attest_json_write_close(json);
}

/* Writes the JSON object of the command, which is also the record. */
static void write_record(attest_json *json, judge_job *job)
{
    attest_json_write_object(json, NULL);
    attest_json_write_format(json, "attest/judgement");
    attest_json_write_string(json, "attest", attest_version());
    attest_cli_qkv_write_subject(json, &job->x, &job->first,
                                 job->against ? &job->second : NULL);
    write_output(json, "output", &job->first);
    attest_judgement_write(json, job->layer, job->layers);
    attest_cli_lse_write(json, &job->lse);
    if (job->against) {
        attest_json_write_object(json, "against");
        write_output(json, "output", &job->second);
        attest_judgement_write(json, job->other, job->layers);
        attest_json_write_close(json);
        write_difference(json, job);
    }
    attest_json_write_close(json);
}

enum { SHOWN_RANGES = 20, BAR = 40, MOST_DECIMALS = 300 };

static void print_verdict(const attest_judge_counts *total, const char *kernel, bool sampled)
{
    size_t all = total->within + total->wrong + total->undecided;

    switch (attest_judge_counts_verdict(total)) {
    case ATTEST_JUDGE_WITHIN:
        attest_paint_print(stdout, ATTEST_PAINT_GOOD, "within");
        attest_print(": all %zu elements %sare within what a kernel of %s can return\n", all,
                     sampled ? "of the rows looked at " : "", kernel);
        break;
    case ATTEST_JUDGE_WRONG:
        attest_paint_print(stdout, ATTEST_PAINT_BAD, "proved wrong");
        attest_print(": %zu of %zu elements are outside what any kernel of %s can return\n",
                     total->wrong, all, kernel);
        break;
    case ATTEST_JUDGE_UNDECIDED:
        attest_paint_print(stdout, ATTEST_PAINT_OPEN, "undecided");
        attest_print(": %zu of %zu elements are undecided; the others are within\n",
                     total->undecided, all);
        break;
    }
}

/* Prints how many elements are not numbers of any output format of the model. */
static void print_uncast(size_t uncast, const attest_judge_model *model)
{
    if (uncast == 0)
        return;
    attest_print("%zu of them are not numbers of ", uncast);
    for (size_t i = 0, same; i < model->variants; i++) {
        const char *name = model->variant[i].output.name;

        for (same = 0; strcmp(name, model->variant[same].output.name) != 0;)
            same++;
        if (same == i)
            attest_print("%s%s", i ? " or " : "", name);
    }
    attest_print(", the output format of the model: a final cast is missing\n");
}

/* "head 3, rows 64-127 (all 64 columns): 4096 elements" */
static void print_range(const judge_job *job, const attest_judgement *layer,
                        const attest_judge_wrong_rows *range)
{
    size_t columns = layer->summary.rows.columns;
    size_t block = (range->last - range->first + 1) * columns;

    attest_print("  ");
    if (job->x.source.layered)
        attest_print("layer %zu, ", layer->number);
    if (layer->summary.rows.batch > 1)
        attest_print("%s %zu, ", attest_cli_qkv_entry_word(&job->x), range->batch);
    attest_print("head %zu, row%s %zu", range->head, range->first < range->last ? "s" : "",
                 range->first);
    if (range->first < range->last)
        attest_print("-%zu", range->last);
    if (range->wrong == block)
        attest_print(" (all %zu columns)\n", columns);
    else
        attest_print(" (%zu of %zu elements, columns %zu to %zu)\n", range->wrong, block,
                     range->first_column, range->last_column);
}

/* Prints the pattern of the wrong elements, or their ranges if they have no pattern. */
static void print_ranges(const judge_job *job, const attest_judgement *layer)
{
    size_t shown = 0, all = 0;

    for (size_t i = 0; i < job->layers; i++) {
        if (layer[i].summary.all.wrong) {
            attest_print("  ");
            if (job->x.source.layered)
                attest_print("layer %zu: ", layer[i].number);
            attest_print("%s\n", layer[i].pattern.sentence);
        }
        if (layer[i].pattern.match != ATTEST_JUDGE_MATCH_NONE)
            continue;
        all += layer[i].summary.ranges;
        for (size_t k = 0; k < layer[i].summary.ranges && shown < SHOWN_RANGES; k++, shown++)
            print_range(job, &layer[i], &layer[i].summary.range[k]);
    }
    if (all > shown)
        attest_print("  and %zu more\n", all - shown);
}

/* Prints the contribution of each stage to the bound, and names the largest. */
static void print_terms(const attest_judge_terms *terms)
{
    double all = 0;
    int most = 0;

    if (!terms->set)
        return;
    for (int i = 0; i < ATTEST_JUDGE_STAGES; i++) {
        all += terms->part[i];
        most = terms->part[i] > terms->part[most] ? i : most;
    }
    attest_print("  bound          mostly from %s; to first order:\n",
                 attest_judge_stage_name((attest_judge_stage)most));
    for (int i = 0; i < ATTEST_JUDGE_STAGES; i++)
        attest_print("    (%d) %-9s %.3g (%.0f %%)\n", i < 6 ? i + 1 : 6,
                     attest_judge_stage_name((attest_judge_stage)i), terms->part[i],
                     100 * terms->part[i] / all);
}

static void print_worst(const judge_job *job, const attest_judgement *layer)
{
    const attest_judge_element_result *worst;
    char place[ATTEST_CLI_PLACE_SIZE];
    arb_t exact;
    char *text;

    if (!layer)
        return;
    worst = &layer->summary.worst;
    arb_init(exact);
    arb_set_d(exact, worst->exact);
    mag_set_d(arb_radref(exact), worst->error);
    text = attest_ball_format_text(exact);
    attest_cli_qkv_format_place(place, &job->x, layer->number, worst->at);
    attest_print("worst element    %s\n", place);
    attest_print("  output         %.17g%s\n", worst->output,
                 worst->uncast ? ", not a number of the output format" : "");
    attest_print("  exact          %s\n", attest_or_exit(text));
    if (worst->lo == worst->hi || isnan(worst->lo))
        attest_print(
            "  must be        %.9g, the only value that such a kernel can return here\n",
            worst->lo);
    else
        attest_print("  may be         %.9g to %.9g\n", worst->lo, worst->hi);
    attest_print("  error/bound    %.4g (bound %.4g)\n", worst->ratio, worst->bound);
    if (worst->verdict == ATTEST_JUDGE_WRONG && isfinite(worst->ulps))
        attest_print("  error          %.4g units in the last place of the output\n",
                     worst->ulps);
    print_terms(&layer->terms);
    free(text);
    arb_clear(exact);
}

/* Prints a line for each power of two; its bar is proportional to the number of elements. */
static void print_histogram(const judge_job *job, const attest_judgement *layer)
{
    size_t bin[ATTEST_JUDGE_BINS] = {0}, most = 0;

    for (size_t k = 0; k < ATTEST_JUDGE_BINS; k++) {
        for (size_t i = 0; i < job->layers; i++)
            bin[k] += layer[i].summary.bin[k];
        most = bin[k] > most ? bin[k] : most;
    }
    if (most == 0)
        return;
    attest_print("error/bound\n");
    for (size_t k = 0; k < ATTEST_JUDGE_BINS; k++) {
        int exponent = (int)k + ATTEST_JUDGE_LEAST_EXPONENT, bar;

        if (bin[k] == 0)
            continue;
        bar = (int)((double)BAR * (double)bin[k] / (double)most + 0.999);
        if (k + 1 < ATTEST_JUDGE_BINS)
            attest_print("  below 2^%-4d %10zu  %.*s\n", exponent, bin[k], bar,
                         "########################################");
        else
            attest_print("  above 2^%-4d %10zu  %.*s\n", exponent - 1, bin[k], bar,
                         "########################################");
    }
}

/* Prints what would explain the wrong elements of all layers, or that nothing does. */
static void print_alternatives(const judge_job *job, const attest_judgement *layer)
{
    const attest_judgement *wrong = attest_judgement_first_wrong(layer, job->layers);
    size_t shown = 0;
    bool left = false;

    if (!wrong || !wrong->explanation.tried)
        return;
    for (size_t i = 0; i < wrong->explanation.found; i++) {
        const attest_judge_found *found = &wrong->explanation.alternative[i];
        char name[ATTEST_JUDGE_NAME_SIZE];

        if (!attest_judgement_explains(layer, job->layers, found))
            continue;
        attest_judge_found_format(name, found);
        attest_print("%s (%s)\n", found->sentence, name);
        shown++;
    }
    for (size_t k = 0; attest_judge_alternatives[k].name; k++)
        left = left || wrong->explanation.left[k];
    if (shown == 0)
        attest_print("no known setting, model or fault explains the output (%zu changes "
                     "tried%s)\n",
                     wrong->explanation.judgements,
                     left || wrong->explanation.pairs_left ? "; not all, to bound the work"
                                                           : "");
}

static void print_hints(const judge_job *job, const attest_judgement *layer)
{
    print_alternatives(job, layer);
    for (size_t i = 0; i < job->layers; i++) {
        if (layer[i].by_schedule && layer[i].summary.all.wrong)
            attest_print(
                "each element is within for some schedule of the model, but no one schedule "
                "returns them all;\nschedule %zu leaves the fewest out\n",
                layer[i].schedule);
        if (layer[i].summary.all.undecided && layer[i].unbounded)
            attest_print("undecided because: %s\n", layer[i].unbounded);
        if (layer[i].same_in_tfloat32) {
            if (job->x.source.layered)
                attest_print("layer %zu: ", layer[i].number);
            attest_print(
                "this model cannot tell TF32 from binary32 here: its bounds also contain the "
                "exact results\nof inputs rounded to tfloat32; use a model that names the "
                "order "
                "and the tiles of the kernel\n");
        }
    }
}

/* Whether some rows of a layer were not judged. */
static bool is_sample(const attest_judgement *layer, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (layer[i].summary.rows.sampled)
            return true;
    return false;
}

/* Prints how many rows were judged, if they are a sample. */
static void print_sample(const judge_job *job, const attest_judgement *layer)
{
    size_t judged = 0, all = 0;

    for (size_t i = 0; i < job->layers; i++) {
        judged += layer[i].summary.rows.count;
        all += layer[i].summary.rows.all;
    }
    if (judged < all)
        attest_print(
            "this is a sample: %zu of the %zu rows were judged, drawn by the seed %" PRIu64
            "; the others were not\n",
            judged, all, job->x.options.seed);
    if (job->x.options.printed)
        attest_print("outputs are known to %u decimals\n", job->x.options.decimals);
}

static void print_findings(const judge_job *job, const attest_judgement *layer)
{
    attest_judge_counts total = attest_judgement_total(layer, job->layers);

    print_verdict(&total, job->x.model->name, is_sample(layer, job->layers));
    print_sample(job, layer);
    print_uncast(total.uncast, job->x.model);
    print_ranges(job, layer);
    print_hints(job, layer);
    print_worst(job, attest_judgement_worst(layer, job->layers));
    print_histogram(job, layer);
}

static void print_difference(const judge_job *job)
{
    for (size_t i = 0; i < job->layers; i++) {
        const attest_judge_difference *d = &job->difference[i];
        char place[ATTEST_CLI_PLACE_SIZE];
        size_t at[4];

        if (job->x.source.layered)
            attest_print("layer %zu: ", job->layer[i].number);
        if (d->differ == 0) {
            attest_print("the outputs are the same\n");
            continue;
        }
        attest_print(
            "the outputs differ in %zu elements, in %zu by more than two kernels of the "
            "model can%s\n",
            d->differ, d->beyond, d->beyond ? ": one of them is wrong" : "");
        if (!d->has_at)
            continue;
        attest_judge_rows_get_place(at, &job->layer[i].summary.rows, d->at);
        attest_cli_qkv_format_place(place, &job->x, job->layer[i].number, at);
        attest_print(
            "  the largest, %.4g of the allowed difference, at %s: %.9g and %.9g, %.4g apart, "
            "%.4g allowed\n",
            d->ratio, place, d->y, d->z, d->y > d->z ? d->y - d->z : d->z - d->y, d->allowed);
    }
}

static void print_summary(judge_job *job)
{
    print_findings(job, job->layer);
    attest_cli_qkv_print_quantise(&job->x);
    attest_cli_lse_print(&job->lse, &job->x);
    if (!job->against)
        return;
    attest_print("\nthe other output, ");
    attest_print("%s", job->against);
    attest_print("\n");
    print_findings(job, job->other);
    attest_print("\n");
    print_difference(job);
}

/* The arrays of a layer: bounds, temporary bounds, and the outputs y and z. */
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

    ATTEST_CLI_TRY(attest_cli_qkv_read_output(a->y, x, &job->first));
    if (job->against)
        ATTEST_CLI_TRY(attest_cli_qkv_read_output(a->z, x, &job->second));
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

        ATTEST_CLI_TRY(attest_cli_qkv_read(x, i));
        code = arrays_init(&a, job);
        if (code == EXIT_HOLDS)
            code = judge_arrays(job, i, &a);
        arrays_clear(&a, x);
        if (code == EXIT_HOLDS && job->lse.text)
            code = attest_cli_lse_judge(&job->lse, x, i);
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
    write_record(&file.json, job);
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
        attest_cli_print_hint(
            common, "this describes one output on these inputs; next: a more specific "
                    "model has narrower bounds ('attest show kernels'); 'attest "
                    "tolerance' writes them");
    else if (code == EXIT_FAILS)
        attest_cli_print_hint(
            common, "next: if the model does not describe the kernel (formats, casts, "
                    "splits), use another model; 'attest show kernel MODEL' prints "
                    "its members");
}

/* The output of a kernel that merges parts. */
static int judge_merge(judge_job *job, attest_common *common, char **operands, size_t count)
{
    attest_judgement *layer = &job->merge.judgement;
    attest_json json;
    int code;

    if (count != 2 || job->against || common->output)
        return attest_cli_refuse("--merge judges one output: attest judge --merge PARTS OUT");
    ATTEST_CLI_TRY(attest_cli_merge_judge(&job->merge, &job->lse, &job->x, common, operands[0],
                                          operands[1]));
    job->layers = 1;
    code = attest_cli_worse(exit_code(layer, 1), attest_cli_lse_code(&job->lse));
    if (common->json) {
        attest_json_write_begin(&json, stdout);
        attest_cli_merge_write(&json, &job->merge, &job->lse, &job->x);
        return attest_cli_end_json(&json, code);
    }
    attest_print("%zu parts\n", job->merge.parts);
    print_findings(job, layer);
    attest_cli_lse_print(&job->lse, &job->x);
    return code;
}

static int show(judge_job *job)
{
    attest_common *common = job->x.common;
    attest_json json;
    int code;

    ATTEST_CLI_TRY(common->output ? save(job) : EXIT_HOLDS);
    code = exit_code(job->layer, job->layers);
    if (job->against)
        code = attest_cli_worse(code, exit_code(job->other, job->layers));
    code = attest_cli_worse(code, attest_cli_lse_code(&job->lse));
    if (common->json) {
        attest_json_write_begin(&json, stdout);
        write_record(&json, job);
        return attest_cli_end_json(&json, code);
    }
    if (!common->stdout_by)
        print_summary(job);
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
    return attest_cli_lse_open(&job->lse, &job->x);
}

static void clear(judge_job *job)
{
    attest_cli_merge_clear(&job->merge);
    for (size_t i = 0; job->layer && i < job->layers; i++) {
        attest_judgement_clear(&job->layer[i]);
        attest_judgement_clear(&job->other[i]);
    }
    free(job->layer);
    free(job->other);
    free(job->difference);
    attest_qkv_output_close(&job->first);
    attest_qkv_output_close(&job->second);
    attest_cli_lse_close(&job->lse);
    attest_cli_qkv_close(&job->x);
}

/* Selects a sample of rows; ULONG_MAX: all. */
static int set_rows(judge_job *job, unsigned long rows, unsigned long seed)
{
    if (rows == 0)
        return attest_cli_refuse("--rows: a sample has at least 1 row");
    job->x.options.sample = rows == ULONG_MAX ? 0 : rows;
    job->x.options.seed = seed;
    return EXIT_HOLDS;
}

static int set_decimals(judge_job *job)
{
    const char *text = job->printed;
    char *end;
    unsigned long decimals;

    if (!text)
        return EXIT_HOLDS;
    decimals = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || strlen(text) > 3 || decimals > MOST_DECIMALS)
        return attest_cli_refuse("--printed: '%s' is not a number of decimals from 0 to %d",
                                 text, MOST_DECIMALS);
    job->x.options.printed = true;
    job->x.options.decimals = (unsigned)decimals;
    return EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    judge_job job = {0};
    attest_common common;
    char **operands;
    size_t count;
    unsigned long rows = ULONG_MAX, seed = 1;
    const attest_option options[] = {
        {"against", 0, "OUT2",
         "judge another output, too, and compare the difference of both with\n"
         "the largest difference of two kernels of the model",
         OPTION_TEXT, &job.against, NULL},
        {"rows", 0, "N", "judge a sample of N rows (default: all)", OPTION_COUNT, &rows, NULL},
        {"seed", 0, "N", "seed of the sample (default: 1)", OPTION_COUNT, &seed, NULL},
        {"printed", 0, "DIGITS",
         "the output was printed with so many decimals: judge the numbers that\nare printed "
         "like this",
         OPTION_TEXT, &job.printed, NULL},
        ATTEST_CLI_LSE_OPTIONS(&job.lse),
        {"merge", 0, NULL,
         "judge PARTS OUT, what a kernel makes of the tensors out_parts (parts,\nbatch, heads, "
         "queries, dim) and lse_parts (the same without dim) of PARTS",
         OPTION_FLAG, &job.merges, NULL},
        ATTEST_CLI_QKV_OPTIONS(&job.x),
        {0},
    };
    int code;

    attest_cli_lse_init(&job.lse);
    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_judge, &common, options, argc, argv, 1, 2,
                                    &operands, &count));
    if (job.merges && (rows != ULONG_MAX || job.printed))
        return attest_cli_refuse(
            "--merge judges all rows and whole numbers: --rows and --printed "
            "have no effect on them");
    if (job.merges) {
        code = judge_merge(&job, &common, operands, count);
        clear(&job);
        return code;
    }
    if (count < 2 && !attest_cli_qkv_has_files(&job.x))
        return attest_cli_refuse("two files are needed: attest judge QKV OUT; or OUT with --q, "
                                 "--k and --v (see 'attest judge --help')");
    ATTEST_CLI_TRY(attest_cli_lse_check(&job.lse));
    job.output = operands[count - 1];
    ATTEST_CLI_TRY(set_rows(&job, rows, seed));
    ATTEST_CLI_TRY(set_decimals(&job));
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
