/* heads.c -- attest heads: audits recorded queries, keys and values, or those that a model
 * computes from its weights, head by head. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/heads.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "cli/audit.h"
#include "cli/qkv.h"
#include "cli/slurm.h"
#include "cli/terminal.h"
#include "io/json_write.h"
#include "io/safetensors.h"
#include "model/model_qkv.h"
#include "model/qkv.h"

static int run(int argc, char **argv);

const attest_command attest_command_heads = {
    .name = "heads",
    .arguments = "QKV [--all] [--formats LIST] [OPTION]...\n"
                 "--arch NAME --model FILE --activations FILE [OPTION]...",
    .summary = "audit recorded heads, or a whole model, in low precision",
    .details =
        "Evaluates each head with every operation rounded to each format and compares the\n"
        "outputs with exact ones: relative errors, errors of the attention weights, rows "
        "whose\n"
        "strongest key changes, and pairs of rows that become equal. QKV is a safetensors or\n"
        ".npz file with tensors q, k and v, or --q, --k, --v. With --arch the heads are those\n"
        "of a model, computed from its weights and from the streams that enter its layers. "
        "The\n"
        "exit code is 0 whatever the audit found; 1 if --gate found something worse.",
    .example = "  attest heads recorded.safetensors --q 'layers.{}.q' --k 'layers.{}.k' \\\n"
               "      --v 'layers.{}.v' --causal --all --formats bfloat16,float8_e4m3fn \\\n"
               "      --report heads.html\n"
               "  attest heads --arch gpt2 --model model.safetensors \\\n"
               "      --activations page.safetensors --heads 4 --all --formats bfloat16",
    .product = "write the record to FILE if it ends in .json, or else to\n"
               "FILE/audit.json",
    .directory = true,
    .run = run,
};

/* The command line. */
typedef struct heads_request {
    audit_settings settings;
    const char *recorded; /* the file with q, k and v, or with the streams of a model */
    attest_cli_qkv qkv;
    attest_model_stream stream;
    unsigned long heads;  /* of a layer; 0: not given */
    const char *save_qkv; /* file for the q, k and v of a model, or NULL */
    bool all;
    unsigned long layer, head; /* ULONG_MAX: not given */
    unsigned long positions;
    const char *parts, *shard, *sbatch;
    unsigned long slurm;
    bool dry_run;
    int argc;
    char **argv;
} heads_request;

typedef struct heads_job {
    heads_request *request;
    attest_common *common;
    attest_audit_heads heads;
    attest_audit_gate gate;
    attest_judge_model *kernel; /* of --stage or --kernel, or NULL */
    attest_texts texts;
    char sha256[65]; /* empty: not hashed */
    size_t shard, shards;
} heads_job;

/* Returns whether the options are those of a model, not of recorded tensors. */
static bool has_model(const heads_request *request)
{
    const attest_model_stream *stream = &request->stream;

    return stream->arch || stream->model || stream->path || stream->config || stream->name ||
           request->heads || request->save_qkv;
}

/* Checks the options of a model; its streams are then the file that is read. */
static int check_model(heads_request *request)
{
    const attest_cli_qkv *q = &request->qkv;
    attest_model_stream *stream = &request->stream;

    if (request->recorded || !stream->arch || !stream->model || !stream->path)
        return attest_cli_refuse(
            "a model needs --arch, --model and --activations, and no QKV; --stream, --heads, "
            "--config and --save-qkv are for models (see 'attest heads --help')");
    for (int i = 0; i < ATTEST_QKV_PARTS; i++)
        if (q->name[i])
            return attest_cli_refuse("--q, --k, --v, --mask and --sink are for QKV: --arch "
                                     "determines where a model has them");
    if (strcmp(stream->model, "-") == 0)
        return attest_cli_refuse("--model: must be a file, not standard input");
    if (request->save_qkv && strcmp(request->save_qkv, "-") == 0)
        return attest_cli_refuse("--save-qkv: must be a file, not standard output");
    request->recorded = stream->path;
    stream->heads = request->heads;
    if (!stream->name)
        stream->name = "layers.{}.x";
    stream->layer = request->layer == ULONG_MAX ? 0 : request->layer;
    stream->one = request->layer != ULONG_MAX;
    return request->save_qkv ? attest_cli_check_output(request->save_qkv) : EXIT_HOLDS;
}

static int check_parts(const heads_request *request, const attest_common *common)
{
    if (!request->slurm && (request->sbatch || request->dry_run))
        return attest_cli_refuse("--sbatch and --dry-run need --slurm N");
    if (!request->parts)
        return request->shard || request->slurm
                   ? attest_cli_refuse("%s needs a directory: --parts DIR",
                                       request->slurm ? "--slurm" : "--shard")
                   : EXIT_HOLDS;
    if (!request->all || strcmp(request->recorded, "-") == 0)
        return attest_cli_refuse("--parts needs --all and a file, not standard input");
    if (request->shard && (request->slurm || request->settings.report ||
                           request->settings.gate || common->output || common->json))
        return attest_cli_refuse(
            "--shard stores a part only: use -o, --json, --report, --gate and --slurm with "
            "--parts alone");
    return EXIT_HOLDS;
}

static int check_request(heads_request *request, attest_common *common)
{
    const char *output = common->output;
    attest_error error;
    int code = EXIT_HOLDS;

    if (has_model(request))
        code = check_model(request);
    else if (!request->recorded)
        return attest_cli_refuse("QKV is missing: attest heads QKV, or --arch, --model and "
                                 "--activations (see 'attest heads --help')");
    if (code != EXIT_HOLDS)
        return code;

    if (request->all && request->head != ULONG_MAX)
        return attest_cli_refuse("--all and --head exclude each other");
    if (request->settings.report && strcmp(request->settings.report, "-") == 0 &&
        attest_cli_take_stdout(common, "--report -"))
        return EXIT_USAGE;
    ATTEST_CLI_TRY(check_parts(request, common));
    code = attest_cli_check_stdin(
        (const char *const[]){request->recorded, request->settings.gate}, 2);
    if (code == EXIT_HOLDS)
        code = attest_cli_audit_parse_formats(&request->settings);
    if (code == EXIT_HOLDS)
        code = attest_cli_qkv_check_options(&request->qkv);
    if (code != EXIT_HOLDS)
        return code;
    if (output && attest_output_check(output, !attest_cli_audit_is_record(output), &error))
        return attest_cli_fail(&error);
    return attest_cli_check_output(request->settings.report);
}

static void write_record(attest_json *json, const void *context)
{
    const heads_job *job = context;
    attest_audit_origin origin = {.data = job->request->recorded,
                                  .data_sha256 = job->sha256[0] ? job->sha256 : NULL};

    attest_json_write_object(json, NULL);
    attest_audit_heads_write(json, &job->heads, &origin);
    attest_texts_write(json, &job->texts);
    if (job->request->settings.gate)
        attest_cli_audit_write_gate(json, &job->gate, job->request->settings.gate);
    attest_json_write_close(json);
}

static int save(const heads_job *job)
{
    static audit_target target; /* large */

    ATTEST_CLI_TRY(attest_cli_audit_find_target(&target, job->common->output));
    return attest_cli_save(target.record, write_record, job);
}

/* Prints the totals of each format over all heads, then the worst head of each. */
static int print_text(const heads_job *job)
{
    const attest_audit_heads *h = &job->heads;
    attest_audit_result *result = attest_memory_alloc(h->formats, sizeof *result);
    attest_audit_conclusion text;

    if (!result) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    attest_print("%s", job->request->recorded);
    attest_print(
        ": %zu of %zu head%s in %zu layer%s; batch %zu, %zu queries, %zu keys, d = %zu; %zu "
        "positions of each\n",
        h->count, h->of_heads, h->of_heads == 1 ? "" : "s", h->layers,
        h->layers == 1 ? "" : "s", h->batch, h->queries, h->keys, h->dim, h->cell[0].positions);
    for (size_t f = 0; f < h->formats; f++)
        attest_audit_cell_result(&result[f], &h->total[f].cell, &h->arithmetic[f]);
    attest_cli_audit_print_meaning(result, h->formats);
    attest_print("\nlargest error: ");
    for (size_t f = 0; f < h->formats; f++) {
        const attest_audit_heads_total *t = &h->total[f];

        attest_print("%s%s in layer %zu, head %zu, batch %zu, row %zu", f ? "; " : "",
                     h->arithmetic[f].format.name, h->place[t->worst].layer,
                     h->place[t->worst].head, t->cell.worst_batch, t->cell.worst_row);
    }
    attest_print("\n\n");
    for (size_t f = 0; f < h->formats; f++) {
        attest_audit_conclude(&text, &result[f]);
        attest_print("%s\n", text.words);
        attest_audit_result_clear(&result[f]);
    }
    free(result);
    if (job->request->settings.gate)
        attest_cli_audit_print_gate(&job->gate);
    if (h->count < h->of_heads)
        attest_print("%zu of %zu heads: --all audits all\n", h->count, h->of_heads);
    return EXIT_HOLDS;
}

static int show(const heads_job *job)
{
    attest_json json;
    int code = EXIT_HOLDS;

    if (job->common->output)
        code = save(job);
    if (code == EXIT_HOLDS && job->request->settings.report)
        code = attest_cli_audit_write_page(job->request->settings.report, job->common->output,
                                           write_record, job);
    if (code == EXIT_HOLDS && !job->common->stdout_by)
        code = print_text(job);
    attest_cli_audit_print_next(&job->request->settings, job->common);
    if (code != EXIT_HOLDS || !job->common->json)
        return code;
    attest_json_write_begin(&json, stdout);
    write_record(&json, job);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static void set_heads(heads_job *job, attest_qkv_source *source)
{
    const heads_request *request = job->request;
    attest_audit_heads *heads = &job->heads;

    heads->source = source;
    heads->qkv = request->qkv.qkv;
    heads->all = request->all;
    heads->has_layer = request->layer != ULONG_MAX;
    heads->has_head = request->head != ULONG_MAX;
    heads->layer = request->layer;
    heads->head = request->head;
    heads->formats = request->settings.format_count;
    heads->format = request->settings.format;
    heads->kernel = job->kernel;
    heads->most = request->positions;
    heads->parts = request->parts;
    heads->shard = job->shard;
    heads->shards = job->shards;
    heads->jobs = attest_cli_jobs(request->settings.jobs);
    heads->progress = attest_cli_progress();
    attest_cli_audit_set_algorithm(&heads->like, &request->settings);
}

/* Opens the recorded tensors, or computes those of a model. */
static attest_status open_source(heads_job *job, attest_error *error)
{
    heads_request *request = job->request;
    attest_qkv_names names = {.path = request->recorded};

    if (request->stream.model) {
        job->heads.model = &request->stream;
        return attest_model_qkv_open(job->heads.source, &job->heads.qkv, &request->stream,
                                     &job->common->budget, error);
    }
    memcpy(names.name, request->qkv.name, sizeof names.name);
    return attest_qkv_source_open(job->heads.source, &names, &job->common->budget, error);
}

/* Adds the kernel to the formats, under its own name. */
static int add_kernel(heads_job *job)
{
    heads_request *request = job->request;
    attest_format *last = &request->settings.format[request->settings.format_count];
    int code = attest_cli_audit_load_kernel(&job->kernel, &request->settings);

    if (code != EXIT_HOLDS || !job->kernel)
        return code;
    if (request->settings.format_count == AUDIT_MOST_FORMATS)
        return attest_cli_refuse("--formats: the list is too long for a kernel, too");
    *last = job->kernel->variant->output;
    snprintf(last->name, sizeof last->name, "%.63s", job->kernel->name);
    request->settings.format_count++;
    return EXIT_HOLDS;
}

/* --tokens: one text for each row of q, before anything is computed. */
static attest_status read_texts(heads_job *job, attest_error *error)
{
    attest_qkv qkv = job->heads.qkv;

    if (!job->request->settings.tokens)
        return ATTEST_OK;
    ATTEST_TRY(attest_qkv_source_read(&qkv, job->heads.source, 0, error));
    return attest_cli_audit_read_texts(&job->texts, job->request->settings.tokens, NULL,
                                       qkv.q.shape[0], qkv.q.shape[2], &job->common->budget,
                                       error);
}

/* Lists the inputs of a layer's attention, under the names that attest reads by default.
 * Returns their number. */
static size_t list_layer(attest_safetensors_item *item, const attest_qkv_source *source,
                         size_t place, bool *named)
{
    static const char *const pattern[] = {"layers.{}.q", "layers.{}.k", "layers.{}.v",
                                          "layers.{}.mask"};
    const attest_tensor *tensor = source->formed[place].tensor;
    size_t count = 0;

    for (size_t i = 0; i <= ATTEST_QKV_MASK; i++)
        if (tensor[i].data) {
            item[count] = (attest_safetensors_item){
                .name = attest_qkv_format_name(pattern[i], source->layer[place]),
                .type = ATTEST_TENSOR_F64,
                .rank = 4,
                .value = (double *)tensor[i].data};
            memcpy(item[count].shape, tensor[i].shape, sizeof tensor[i].shape);
            *named = *named && item[count].name;
            count++;
        }
    return count;
}

/* Writes the queries, keys and values of a model. */
static attest_status save_qkv(const char *path, const attest_qkv_source *source,
                              attest_error *error)
{
    attest_safetensors_item *item =
        attest_memory_alloc(source->layers * ATTEST_QKV_PARTS, sizeof *item);
    size_t count = 0;
    bool named = true;
    attest_status status;

    if (!item)
        return attest_memory_fail(error);
    for (size_t i = 0; i < source->layers; i++)
        count += list_layer(item + count, source, i, &named);
    status =
        named ? attest_safetensors_write(path, item, count, error) : attest_memory_fail(error);
    for (size_t i = 0; i < count; i++)
        free(item[i].name);
    free(item);
    return status;
}

static int audit(heads_job *job)
{
    const heads_request *request = job->request;
    attest_qkv_source source;
    attest_error error;
    int code = EXIT_HOLDS;

    set_heads(job, &source);
    if (open_source(job, &error))
        return attest_cli_fail_input(&error);
    if (strcmp(request->recorded, "-") != 0)
        memcpy(job->sha256, attest_input_sha256(&source.file[0].input), 65);
    if (request->save_qkv && save_qkv(request->save_qkv, &source, &error))
        code = attest_cli_fail(&error);
    if (code == EXIT_HOLDS && read_texts(job, &error))
        code = attest_cli_fail_input(&error);
    attest_cli_work_begin("auditing");
    if (code == EXIT_HOLDS && attest_audit_heads_run(&job->heads, &error))
        code = attest_cli_fail(&error);
    attest_cli_work_end();
    if (code == EXIT_HOLDS && request->settings.gate &&
        attest_audit_gate_check(&job->gate, write_record, job, request->settings.gate,
                                &job->common->budget, &error))
        code = attest_cli_fail_input(&error);
    if (code == EXIT_HOLDS && job->shard)
        attest_print("group %zu of %zu of %zu heads: done, in %s\n", job->shard, job->shards,
                     job->heads.count, request->parts);
    else if (code == EXIT_HOLDS)
        code = show(job);
    attest_qkv_source_close(&source);
    return code == EXIT_HOLDS && job->gate.count > 0 ? EXIT_FAILS : code;
}

/* Ends a shard at once: the results of finished heads are already stored. */
static void end_shard(int number)
{
    (void)number;
    _exit(EXIT_INTERRUPTED);
}

static int read_shard(heads_job *job)
{
    const char *shard = job->request->shard;

    if (!shard)
        return EXIT_HOLDS;
    if (!attest_cli_parse_shard(&job->shard, &job->shards, shard))
        return attest_cli_refuse("--shard: '%s' is not K/N with 1 <= K <= N", shard);
    signal(SIGTERM, end_shard);
    return EXIT_HOLDS;
}

/* Options that tasks do not get: those of the submission, and those of the merged result. */
static const char *const of_submission[] = {"--slurm", "--sbatch", "--parts", NULL};
static const char *const of_whole[] = {"--slurm",  "--sbatch", "--parts", "--output",
                                       "--report", "--gate",   "-o",      NULL};
static const char *const dry_run[] = {"--dry-run", NULL};
static const char *const printed[] = {"--dry-run", "--json", NULL};

/* Submits the audit to Slurm, some heads per task. */
static int submit(const heads_request *request)
{
    ATTEST_SCOPED(attest_text, task);
    ATTEST_SCOPED(attest_text, merge);
    attest_cli_slurm job = {.tasks = request->slurm,
                            .directory = request->parts,
                            .options = request->sbatch,
                            .result = "slurm/report.txt",
                            .dry_run = request->dry_run,
                            .task = &task,
                            .merge = &merge};

    attest_text_printf(&task, "\"$attest\" heads --shard \"$k/%zu\" --parts \"$dir/heads\"",
                       job.tasks);
    if (!request->settings.jobs)
        attest_text_add(&task, " --jobs \"${SLURM_CPUS_PER_TASK:-1}\"");
    attest_cli_slurm_add_words(&task, request->argc, request->argv, of_whole, printed);
    attest_text_add(&merge, "\"$attest\" heads --parts \"$dir/heads\"");
    attest_cli_slurm_add_words(&merge, request->argc, request->argv, of_submission, dry_run);
    return attest_cli_slurm_submit(&job);
}

static int run_job(heads_request *request, attest_common *common)
{
    heads_job job = {.request = request, .common = common};
    int code = check_request(request, common);

    if (code == EXIT_HOLDS)
        code = read_shard(&job);
    if (code != EXIT_HOLDS)
        return code;
    if (request->slurm)
        return submit(request);
    attest_audit_heads_init(&job.heads);
    code = add_kernel(&job);
    if (code == EXIT_HOLDS)
        code = audit(&job);
    if (request->settings.gate)
        attest_audit_gate_clear(&job.gate);
    attest_audit_heads_clear(&job.heads);
    attest_texts_clear(&job.texts);
    attest_judge_model_free(job.kernel);
    return code;
}

static int run(int argc, char **argv)
{
    static heads_request request; /* large */
    attest_common common;
    char **operands;
    size_t count;
    const attest_option options[] = {
        {"arch", 0, "NAME",
         "audit a model: gpt2, llama (also Mistral, Qwen2 and 3), gemma2,\nphi3, bloom, neox "
         "or "
         "bert, with --model and --activations",
         OPTION_TEXT, &request.stream.arch, NULL},
        {"model", 0, "FILE", "its weights: safetensors, .npz, or the index of several files",
         OPTION_TEXT, &request.stream.model, NULL},
        {"activations", 0, "FILE", "a file with the streams that enter its layers", OPTION_TEXT,
         &request.stream.path, NULL},
        {"stream", 0, "NAME", "names of the streams (default: layers.{}.x)", OPTION_TEXT,
         &request.stream.name, NULL},
        {"config", 0, "FILE",
         "its config.json: heads, positions, softcap, norms (default: the one\nbeside the "
         "weights)",
         OPTION_TEXT, &request.stream.config, NULL},
        {"heads", 0, "H", "number of heads of a layer, if no config contains it",
         OPTION_POSITIVE, &request.heads, NULL},
        {"save-qkv", 0, "FILE",
         "write the queries, keys and values of the model, in binary64, for\n'attest heads' "
         "and 'attest judge'",
         OPTION_TEXT, &request.save_qkv, NULL},
        {"all", 0, NULL, "all heads (of --layer, or of every layer); default: one", OPTION_FLAG,
         &request.all, NULL},
        {"layer", 0, "L", "the layer of this number", OPTION_COUNT, &request.layer, NULL},
        {"head", 0, "H", "the head of this number in the layer (default: 0)", OPTION_COUNT,
         &request.head, NULL},
        {"positions", 0, "N",
         "audit at most N positions of a head, at equal steps (default: 1024)", OPTION_POSITIVE,
         &request.positions, NULL},
        {"parts", 0, "DIR",
         "directory of per-head results; with --shard store group K,\notherwise merge them",
         OPTION_TEXT, &request.parts, NULL},
        {"shard", 0, "K/N", "audit group K of N of the heads and store it in --parts",
         OPTION_TEXT, &request.shard, NULL},
        {"slurm", 0, "N", "submit N tasks to Slurm, one per group, and one that merges them",
         OPTION_POSITIVE, &request.slurm, NULL},
        {"sbatch", 0, "OPTIONS", "options for sbatch, e.g. \"--partition=short\"", OPTION_TEXT,
         &request.sbatch, NULL},
        {"dry-run", 0, NULL, "print the scripts for Slurm and submit nothing", OPTION_FLAG,
         &request.dry_run, NULL},
        ATTEST_CLI_QKV_INPUTS(&request.qkv),
        ATTEST_CLI_QKV_MASK(&request.qkv),
        ATTEST_CLI_AUDIT_OPTIONS(&request.settings),
        {0},
    };

    memset(&request, 0, sizeof request);
    attest_cli_audit_set_defaults(&request.settings);
    request.layer = request.head = ULONG_MAX;
    request.positions = 1024;
    request.argc = argc;
    request.argv = argv;
    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_heads, &common, options, argc, argv, 0, 1,
                                    &operands, &count));
    request.recorded = count ? operands[0] : NULL;
    return run_job(&request, &common);
}
