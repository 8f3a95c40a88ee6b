/* audit_heads.c -- attest audit --qkv: recorded queries, keys and values, head by head. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/heads.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/scope.h"
#include "cli/audit.h"
#include "cli/progress.h"
#include "cli/slurm.h"
#include "io/json_file.h"

typedef struct heads_job {
    audit_request *request;
    attest_common *common;
    attest_audit_heads heads;
    attest_audit_gate gate;
    attest_judge_model *kernel; /* of --stage or --kernel, or NULL */
    attest_texts texts;
    char sha256[65]; /* empty: not hashed */
    size_t shard, shards;
} heads_job;

/* An audit in parts. */
static int check_parts(const audit_request *request, const attest_common *common)
{
    if (!request->slurm && (request->sbatch || request->dry_run))
        return attest_cli_refuse("--sbatch and --dry-run are for --slurm N");
    if (!request->parts)
        return request->shard || request->slurm
                   ? attest_cli_refuse("%s: where to? (--parts DIR)",
                                       request->slurm ? "--slurm" : "--shard")
                   : EXIT_HOLDS;
    if (!request->all || strcmp(request->recorded, "-") == 0)
        return attest_cli_refuse(
            "--parts is for all heads of a file, --qkv FILE or --arch with "
            "--model and --activations FILE, and --all");
    if (request->shard &&
        (request->slurm || request->report || request->gate || common->output || common->json))
        return attest_cli_refuse(
            "--shard: -o, --json, --report, --gate and --slurm are for the "
            "whole, --parts without --shard");
    return EXIT_HOLDS;
}

static int check_request(audit_request *request, attest_common *common)
{
    const char *output = common->output;
    attest_error error;
    int code;

    if (request->data || request->weights || request->construct || request->sweep ||
        request->r.given || request->delta.given || request->compare || common->tensor ||
        common->homogeneous)
        return attest_cli_refuse(
            "--qkv and --model exclude DATA, --weights, --construct, --sweep, "
            "--r, --delta, --compare, --tensor and --homogeneous (see 'attest "
            "audit --help')");
    if (request->all && request->head != ULONG_MAX)
        return attest_cli_refuse("--all excludes --head");
    if (request->report && strcmp(request->report, "-") == 0 &&
        attest_cli_take_stdout(common, "--report -"))
        return EXIT_USAGE;
    code = check_parts(request, common);
    if (code != EXIT_HOLDS)
        return code;
    code = attest_cli_check_stdin((const char *const[]){request->recorded, request->gate}, 2);
    if (code == EXIT_HOLDS)
        code = attest_cli_audit_parse_lists(request);
    if (code == EXIT_HOLDS)
        code = attest_cli_qkv_check_options(&request->qkv);
    if (code != EXIT_HOLDS)
        return code;
    if (output && attest_output_check(output, !attest_cli_audit_is_record(output), &error))
        return attest_cli_fail(&error);
    return attest_cli_check_output(request->report);
}

static void write_record(attest_json *json, const void *context)
{
    const heads_job *job = context;
    attest_audit_origin origin = {.data = job->request->recorded,
                                  .data_sha256 = job->sha256[0] ? job->sha256 : NULL};

    attest_json_write_object(json, NULL);
    attest_audit_heads_write(json, &job->heads, &origin);
    attest_texts_write(json, &job->texts);
    if (job->request->gate)
        attest_cli_audit_write_gate(json, &job->gate, job->request->gate);
    attest_json_write_close(json);
}

static int save(const heads_job *job)
{
    static audit_target target; /* large */
    attest_json_file file;
    attest_error error;
    int code = attest_cli_audit_find_target(&target, job->common->output);

    if (code != EXIT_HOLDS)
        return code;
    if (attest_json_file_open(&file, target.record, &error))
        return attest_cli_fail(&error);
    write_record(&file.json, job);
    return attest_json_file_commit(&file, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

/* All formats over all heads, then each format's worst head. */
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
    if (job->request->gate)
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
    if (code == EXIT_HOLDS && job->request->report)
        code = attest_cli_audit_write_page(job->request->report, job->common->output,
                                           write_record, job);
    if (code == EXIT_HOLDS && !job->common->stdout_by)
        code = print_text(job);
    attest_cli_audit_print_next(job->request, job->common);
    if (code != EXIT_HOLDS || !job->common->json)
        return code;
    attest_json_write_begin(&json, stdout);
    write_record(&json, job);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static void set_heads(heads_job *job, attest_qkv_source *source)
{
    const audit_request *request = job->request;
    attest_audit_heads *heads = &job->heads;

    heads->source = source;
    heads->qkv = request->qkv.qkv;
    heads->all = request->all;
    heads->has_layer = request->layer != ULONG_MAX;
    heads->has_head = request->head != ULONG_MAX;
    heads->layer = request->layer;
    heads->head = request->head;
    heads->formats = request->format_count;
    heads->format = request->format;
    heads->kernel = job->kernel;
    heads->most = request->positions;
    heads->parts = request->parts;
    heads->shard = job->shard;
    heads->shards = job->shards;
    heads->jobs = attest_cli_jobs(request->jobs);
    heads->progress = attest_cli_progress();
    attest_cli_audit_set_algorithm(&heads->like, request);
}

/* A recording's tensors, or those that a model forms of its stream. */
static attest_status open_source(heads_job *job, attest_error *error)
{
    audit_request *request = job->request;
    attest_qkv_names names = {.path = request->recorded};

    if (request->stream.model) {
        job->heads.model = &request->stream;
        return attest_model_qkv_open(job->heads.source, &job->heads.qkv, &request->stream,
                                     &job->common->budget, error);
    }
    memcpy(names.name, request->qkv.name, sizeof names.name);
    return attest_qkv_source_open(job->heads.source, &names, &job->common->budget, error);
}

/* The kernel stands behind the formats, under its own name. */
static int add_kernel(heads_job *job)
{
    audit_request *request = job->request;
    attest_format *last = &request->format[request->format_count];
    int code = attest_cli_audit_load_kernel(&job->kernel, request);

    if (code != EXIT_HOLDS || !job->kernel)
        return code;
    if (request->format_count == AUDIT_MOST_FORMATS)
        return attest_cli_refuse("--formats: the list is too long for a kernel beside it");
    *last = job->kernel->variant->output;
    snprintf(last->name, sizeof last->name, "%.63s", job->kernel->name);
    request->format_count++;
    return EXIT_HOLDS;
}

/* --tokens: one text for each row of q, before anything is computed. */
static attest_status read_texts(heads_job *job, attest_error *error)
{
    attest_qkv qkv = job->heads.qkv;

    if (!job->request->tokens)
        return ATTEST_OK;
    ATTEST_TRY(attest_qkv_source_read(&qkv, job->heads.source, 0, error));
    return attest_cli_audit_read_texts(&job->texts, job->request->tokens, NULL, qkv.q.shape[0],
                                       qkv.q.shape[2], &job->common->budget, error);
}

static int run(heads_job *job)
{
    const audit_request *request = job->request;
    attest_qkv_source source;
    attest_error error;
    int code = EXIT_HOLDS;

    set_heads(job, &source);
    if (open_source(job, &error))
        return attest_cli_fail_input(&error);
    if (strcmp(request->recorded, "-") != 0)
        memcpy(job->sha256, attest_input_sha256(&source.file[0].input), 65);
    if (request->save_qkv && attest_cli_audit_save_qkv(request->save_qkv, &source, &error))
        code = attest_cli_fail(&error);
    if (code == EXIT_HOLDS && read_texts(job, &error))
        code = attest_cli_fail_input(&error);
    attest_cli_work_begin("auditing");
    if (code == EXIT_HOLDS && attest_audit_heads_run(&job->heads, &error))
        code = attest_cli_fail(&error);
    attest_cli_work_end();
    if (code == EXIT_HOLDS && request->gate &&
        attest_audit_gate_check(&job->gate, write_record, job, request->gate,
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

/* Heads that are done stay done, so a shard may end at any time. */
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

int attest_cli_audit_heads(audit_request *request, attest_common *common)
{
    heads_job job = {.request = request, .common = common};
    int code = check_request(request, common);

    if (code == EXIT_HOLDS)
        code = read_shard(&job);
    if (code != EXIT_HOLDS)
        return code;
    if (request->slurm)
        return attest_cli_audit_submit(request);
    attest_audit_heads_init(&job.heads);
    attest_audit_gate_init(&job.gate);
    code = add_kernel(&job);
    if (code == EXIT_HOLDS)
        code = run(&job);
    attest_audit_gate_clear(&job.gate);
    attest_audit_heads_clear(&job.heads);
    attest_texts_clear(&job.texts);
    attest_judge_model_free(job.kernel);
    return code;
}
