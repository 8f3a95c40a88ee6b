/* audit.c -- attest audit: at which precision does the mapping collapse? */
#include "cli/audit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/scope.h"
#include "cli/progress.h"

static int run(int argc, char **argv);

const attest_command attest_command_audit = {
    .name = "audit",
    .arguments = "DATA [--weights W | --construct STRATEGY] [--formats LIST] [OPTION]...\n"
                 "--qkv FILE [--all] [--formats LIST] [OPTION]...\n"
                 "--arch NAME --model FILE --activations FILE [OPTION]...",
    .summary = "find the precision at which contexts are no longer told apart",
    .details =
        "Evaluates the layer with every operation rounded to each format and compares the\n"
        "outputs: required pairs that collide, the least separation, errors in ulp against\n"
        "certified values, and the stage at which they enter. collapse bits: the least width\n"
        "from which on, up to the cap, all required pairs stay apart; beside it the bits that\n"
        "the certified separation and Theorem 2 ask for. The exit code is 0 when the audit "
        "was\n"
        "done, whatever it found; 1 with --gate when something got worse, or when a "
        "hypothesis\n"
        "of the construction fails.",
    .example =
        "  attest audit data.json --construct theorem,gap,tuned\n"
        "  attest audit data.npy --weights w.json --formats binary16,p=12 --json\n"
        "  attest audit data.npy --weights w.json --gate stored/audit.json\n"
        "  attest audit --qkv recorded.safetensors --q 'layers.{}.q' --k 'layers.{}.k' \\\n"
        "      --v 'layers.{}.v' --causal --all --formats bfloat16,float8_e4m3fn \\\n"
        "      --report heads.html\n"
        "  attest audit --arch gpt2 --model model.safetensors \\\n"
        "      --activations page.safetensors --heads 4 --all --formats bfloat16",
    .product = "save record and colliding pairs: in the folder FILE, or at FILE if\n"
               "it ends in .json",
    .folder = true,
    .data = true,
    .works = true,
    .run = run,
};

static const char default_formats[] =
    "binary64,binary32,tfloat32,bfloat16,binary16,float8_e4m3fn,float8_e5m2";

const char *attest_cli_audit_subject_name(const audit_subject *subject)
{
    return subject->constructed ? attest_strategy_name(subject->construction.strategy) : NULL;
}

static void subject_init(audit_subject *subject)
{
    memset(subject, 0, sizeof *subject);
    attest_construction_init(&subject->construction);
    attest_weights_init(&subject->given);
    attest_audit_init(&subject->audit);
    subject->audit.progress = attest_cli_progress();
}

static void subject_clear(audit_subject *subject)
{
    for (size_t f = 0; f < AUDIT_MOST_FORMATS; f++)
        free(subject->file[f]);
    attest_audit_clear(&subject->audit);
    attest_weights_clear(&subject->given);
    attest_construction_clear(&subject->construction);
}

void attest_cli_audit_set_algorithm(attest_simulated_arithmetic *like,
                                    const audit_request *request)
{
    static const attest_simulated_softmax softmax[] = {
        ATTEST_SIMULATED_NAIVE, ATTEST_SIMULATED_SHIFTED, ATTEST_SIMULATED_ONLINE};

    like->rounding = (attest_simulated_rounding)request->round;
    like->seed = request->seed;
    like->softmax = softmax[request->softmax];
    like->block = request->block;
    like->pairwise = request->sum == 1;
    like->fma = request->fma;
    like->accumulates = request->accumulate != NULL;
    if (like->accumulates)
        like->accumulate = request->accumulate_format;
}

/* The claim: the user's bounds, else those of the construction. */
static void set_claim(attest_audit *audit, const audit_subject *subject,
                      const audit_request *request)
{
    const attest_construction *c = &subject->construction;

    audit->has_r = request->r.given || subject->constructed;
    if (request->r.given)
        fmpq_set(audit->r, request->r.value);
    else if (subject->constructed)
        fmpq_set(audit->r, c->r);
    if (request->delta.given)
        fmpq_set(audit->delta, request->delta.value);
    else if (subject->constructed && c->promise)
        arb_get_lbound_arf(audit->promise, c->delta, 128);
}

static int run_subject(audit_job *job, audit_subject *subject)
{
    const audit_request *request = job->request;
    attest_audit *audit = &subject->audit;
    attest_status status;
    attest_error error;

    audit->dataset = &job->dataset;
    audit->weights = subject->constructed ? &subject->construction.weights : &subject->given;
    audit->formats = request->format_count;
    audit->format = request->format;
    audit->compares = request->compare;
    audit->has_stages = audit->has_kernels = audit->has_curve = !request->quick;
    audit->kernel = job->kernel;
    audit->jobs = attest_cli_jobs(request->jobs);
    audit->max_work = job->common->max_work;
    attest_cli_audit_set_algorithm(&audit->like, request);
    set_claim(audit, subject, request);
    if (request->high) {
        audit->collapse.low = request->low;
        audit->collapse.high = request->high;
        audit->collapse.limited = false;
    }
    attest_cli_work_begin("auditing");
    status = attest_audit_run(audit, &error);
    attest_cli_work_end();
    if (status)
        return attest_cli_fail_work(&error, job->common);
    return EXIT_HOLDS;
}

/* Builds the weights of a strategy, and audits them if its hypotheses hold. */
static int run_strategy(audit_job *job, audit_subject *subject, attest_strategy strategy)
{
    attest_construction *c = &subject->construction;
    attest_error error;

    c->strategy = strategy;
    c->mask = (attest_mask)job->request->mask;
    c->max_work = job->common->max_work;
    subject->constructed = true;
    if (attest_construction_build(c, &job->dataset, &error)) {
        attest_error_prefix(&error, error.status, job->request->data);
        return attest_cli_fail_work(&error, job->common);
    }
    return c->hypothesis ? EXIT_HOLDS : run_subject(job, subject);
}

/* The record names the files by their hashes; standard input is none. */
static void take_hash(char sha256[65], attest_input *input, const audit_job *job)
{
    if ((job->common->output || job->request->report) && strcmp(input->path, "-") != 0)
        memcpy(sha256, attest_input_sha256(input), 65);
}

static int read_weights(audit_job *job, audit_subject *subject, const attest_input *data)
{
    const audit_request *request = job->request;
    attest_budget *budget = &job->common->budget;
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};
    attest_error error;

    if (attest_input_open(&input, request->weights, budget->left, &error) ||
        attest_weights_read_input(&subject->given, &input, budget, &error))
        return attest_cli_fail_input(&error);
    take_hash(job->weights_sha256, &input, job);
    attest_input_close(&input); /* frees the file before the data are changed to fit */
    if (!fmpq_is_zero(subject->given.form.softcap))
        return attest_cli_refuse(
            "%s: a softcap is simulated where queries and keys are given: "
            "--arch with --model and --activations, or --qkv with --softcap",
            request->weights);
    return attest_cli_pair(job->common, &job->dataset, data, request->data, &subject->given,
                           request->weights);
}

/* The dataset, and weights that are given. */
static int read_inputs(audit_job *job)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};
    attest_error error;

    if (attest_input_open(&input, job->request->data, job->common->budget.left, &error))
        return attest_cli_fail_input(&error);
    ATTEST_CLI_TRY(attest_cli_read_dataset_input(&job->dataset, &input, job->common));
    take_hash(job->data_sha256, &input, job);
    if (!job->request->weights)
        return EXIT_HOLDS;
    subject_init(&job->subject[job->subjects++]);
    return read_weights(job, &job->subject[0], &input);
}

static int run_subjects(audit_job *job)
{
    const audit_request *request = job->request;
    int code = EXIT_HOLDS;

    if (request->weights)
        return run_subject(job, &job->subject[0]);
    for (size_t i = 0; i < request->strategies && code == EXIT_HOLDS; i++) {
        audit_subject *subject = &job->subject[job->subjects++];
        subject_init(subject);
        code = run_strategy(job, subject, request->strategy[i]);
    }
    return code;
}

static bool any_hypothesis_fails(const audit_job *job)
{
    for (size_t i = 0; i < job->subjects; i++)
        if (job->subject[i].construction.hypothesis)
            return true;
    return false;
}

static int print(const audit_job *job)
{
    attest_json json;

    if (!job->common->stdout_by)
        attest_cli_audit_print(job);
    attest_cli_audit_print_next(job->request, job->common);
    if (!job->common->json)
        return EXIT_HOLDS;
    attest_json_write_begin(&json, stdout);
    attest_cli_audit_write_job(&json, job);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static int audit(audit_job *job)
{
    const audit_request *request = job->request;
    int code = attest_cli_audit_load_kernel(&job->kernel, request);
    attest_error error;

    if (code == EXIT_HOLDS)
        code = read_inputs(job);
    if (code == EXIT_HOLDS &&
        attest_cli_audit_read_texts(&job->texts, request->tokens, &job->dataset, 0, 0,
                                    &job->common->budget, &error))
        code = attest_cli_fail_input(&error);
    if (code == EXIT_HOLDS)
        code = run_subjects(job);
    if (code == EXIT_HOLDS && request->gate && !job->subject[0].construction.hypothesis &&
        attest_audit_gate_check(&job->gate, attest_cli_audit_write_job, job, request->gate,
                                &job->common->budget, &error))
        code = attest_cli_fail_input(&error);
    if (code == EXIT_HOLDS && job->common->output)
        code = attest_cli_audit_save(job);
    if (code == EXIT_HOLDS && request->report)
        code = attest_cli_audit_report(job);
    if (code == EXIT_HOLDS)
        code = print(job);
    if (code != EXIT_HOLDS)
        return code;
    return any_hypothesis_fails(job) || job->gate.count > 0 ? EXIT_FAILS : EXIT_HOLDS;
}

/* The folder or file of -o, and the page: an audit may take minutes. */
static int check_outputs(const audit_request *request, const attest_common *common)
{
    const char *output = common->output;
    attest_error error;

    if (output && attest_output_check(output, !attest_cli_audit_is_record(output), &error))
        return attest_cli_fail(&error);
    return attest_cli_check_output(request->report);
}

static int check_request(audit_request *request, attest_common *common)
{
    int code;

    if (request->report && strcmp(request->report, "-") == 0 &&
        attest_cli_take_stdout(common, "--report -"))
        return EXIT_USAGE;
    if (request->weights && request->construct)
        return attest_cli_refuse(
            "--weights and --construct exclude each other (see 'attest audit --help')");
    if (attest_cli_check_stdin(
            (const char *const[]){request->data, request->weights, request->gate}, 3))
        return EXIT_USAGE;
    code = attest_cli_audit_parse_lists(request);
    return code == EXIT_HOLDS ? check_outputs(request, common) : code;
}

/* The options that one kind of audit has and the other has not. */
static int check_kind(audit_request *request)
{
    static const char *const masks[] = {"none", "causal"};
    const attest_cli_qkv *q = &request->qkv;
    const char *mask = q->name[ATTEST_QKV_MASK];

    if (attest_cli_audit_has_model(request))
        return attest_cli_audit_check_model(request);
    if (request->recorded)
        return EXIT_HOLDS;
    if (!request->data)
        return attest_cli_refuse(
            "an operand is missing: DATA, --qkv FILE, or --model FILE (see "
            "'attest audit --help')");
    if (q->name[0] || q->name[1] || q->name[2] || q->name[ATTEST_QKV_SINK] || q->scale ||
        q->causal || q->window || q->softcap || request->all || request->layer != ULONG_MAX ||
        request->head != ULONG_MAX || request->parts || request->shard || request->slurm)
        return attest_cli_refuse(
            "--q, --k, --v, --scale, --causal, --window, --softcap, --sink, "
            "--all, --layer, --head, --parts, --shard and --slurm are for --qkv FILE (see "
            "'attest audit --help')");
    for (int i = 0; mask && i < 2; i++)
        if (strcmp(mask, masks[i]) == 0) {
            request->mask = i;
            return EXIT_HOLDS;
        }
    return mask ? attest_cli_refuse("--mask: '%s' is not none or causal (see 'attest audit "
                                    "--help')",
                                    mask)
                : EXIT_HOLDS;
}

static int run_job(audit_request *request, attest_common *common)
{
    static audit_job job; /* large */
    int code = check_request(request, common);

    if (code != EXIT_HOLDS)
        return code;
    memset(&job, 0, sizeof job);
    job.request = request;
    job.common = common;
    attest_dataset_init(&job.dataset);
    attest_audit_gate_init(&job.gate);
    code = audit(&job);
    for (size_t i = 0; i < job.subjects; i++)
        subject_clear(&job.subject[i]);
    attest_audit_gate_clear(&job.gate);
    attest_dataset_clear(&job.dataset);
    attest_texts_clear(&job.texts);
    attest_judge_model_free(job.kernel);
    return code;
}

static int run(int argc, char **argv)
{
    static const char *const roundings[] = {"nearest", "zero", "stochastic", NULL};
    static const char *const softmaxes[] = {"naive", "shifted", "online", NULL};
    static const char *const sums[] = {"sequential", "pairwise", NULL};
    static audit_request request; /* large */
    attest_common common;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"weights", 'w', "W", "the attention weights (JSON or .npz)", OPTION_TEXT,
         &request.weights, NULL},
        {"construct", 0, "STRATEGY",
         "audit weights built from the data: theorem, gap, tuned, a\nlist of them, or all; "
         "theorem if there are no weights",
         OPTION_TEXT, &request.construct, NULL},
        {"mask", 0, "MASK",
         "of constructed weights: none or causal; of --qkv: a tensor of truth\nvalues (true: "
         "seen), or of numbers added to the scores",
         OPTION_TEXT, &request.qkv.name[ATTEST_QKV_MASK], NULL},
        {"qkv", 0, "FILE",
         "audit recorded queries, keys and values (safetensors or .npz) in\nplace of DATA: "
         "tensors q, k, v, or --q, --k, --v",
         OPTION_TEXT, &request.recorded, NULL},
        {"arch", 0, "NAME",
         "audit a whole model from its weights: gpt2, llama (also Mistral, Qwen2\nand 3), "
         "gemma2, "
         "phi3, bloom, neox or bert, with --model and --activations",
         OPTION_TEXT, &request.stream.arch, NULL},
        {"model", 0, "FILE", "its weights: safetensors, .npz, or the index of several files",
         OPTION_TEXT, &request.stream.model, NULL},
        {"activations", 0, "FILE", "a file with the streams that enter its layers", OPTION_TEXT,
         &request.stream.path, NULL},
        {"stream", 0, "NAME", "their names; layers.{}.x if not given", OPTION_TEXT,
         &request.stream.name, NULL},
        {"config", 0, "FILE",
         "its config.json: heads, positions, softcap, norms; the one beside\nFILE if not given",
         OPTION_TEXT, &request.stream.config, NULL},
        {"heads", 0, "H", "the heads of a layer, where no config says it", OPTION_POSITIVE,
         &request.heads, NULL},
        {"save-qkv", 0, "FILE",
         "write the queries, keys and values that the model forms, in binary64,\nfor --qkv and "
         "attest judge",
         OPTION_TEXT, &request.save_qkv, NULL},
        {"all", 0, NULL,
         "of --qkv: every head, of --layer or of all; else the first, or --head", OPTION_FLAG,
         &request.all, NULL},
        {"layer", 0, "L", "of --qkv: the layer of this number", OPTION_COUNT, &request.layer,
         NULL},
        {"head", 0, "H", "of --qkv: this head of the layer", OPTION_COUNT, &request.head, NULL},
        {"positions", 0, "N",
         "of --qkv: at most so many positions of a head, at equal steps;\n1024 if not given",
         OPTION_POSITIVE, &request.positions, NULL},
        {"parts", 0, "DIR",
         "of --qkv --all: a folder of heads that are done; they become one\nrecord, or with "
         "--shard",
         OPTION_TEXT, &request.parts, NULL},
        {"shard", 0, "K/N", "audit group K of N of the heads, and put them there", OPTION_TEXT,
         &request.shard, NULL},
        {"slurm", 0, "N", "submit N tasks, a group each, and their joining to Slurm",
         OPTION_POSITIVE, &request.slurm, NULL},
        {"sbatch", 0, "OPTIONS", "options of sbatch for them, e.g. \"--partition=short\"",
         OPTION_TEXT, &request.sbatch, NULL},
        {"dry-run", 0, NULL, "print the scripts for Slurm, and submit nothing", OPTION_FLAG,
         &request.dry_run, NULL},
        ATTEST_CLI_QKV_INPUTS(&request.qkv),
        {"tokens", 0, "FILE",
         "what tokens are called, for the record and its page:\n{\"tokens\": [[\"The\", "
         "\"art\"], "
         "...]}",
         OPTION_TEXT, &request.tokens, NULL},
        {"formats", 0, "LIST",
         "formats, separated by commas: binary64, binary32, tfloat32,\nbfloat16, binary16, "
         "float8_e4m3fn, float8_e5m2, which are all if not\ngiven; others of doc/formats.md, "
         "p=N, p=N:emin=E:emax=E",
         OPTION_TEXT, &request.formats, NULL},
        {"stage", 0, "LIST",
         "audit a kernel with these formats, too: STAGE=VALUE,..., of in, q, k,\nv, kv "
         "(schemes), "
         "score, softmax, p, pv, out, tile",
         OPTION_TEXT, &request.stage, NULL},
        {"kernel", 0, "MODEL", "audit this kernel, too: a shipped model, or a file",
         OPTION_TEXT, &request.kernel, NULL},
        {"accumulate", 0, "FORMAT", "form dot products and sums in this format", OPTION_TEXT,
         &request.accumulate, NULL},
        {"round", 0, "MODE", "nearest, zero or stochastic; nearest if not given", OPTION_CHOICE,
         &request.round, roundings},
        {"seed", 0, "N", "of stochastic rounding; 1 if not given", OPTION_COUNT, &request.seed,
         NULL},
        {"softmax", 0, "ALGORITHM", "naive, shifted or online; shifted if not given",
         OPTION_CHOICE, &request.softmax, softmaxes},
        {"block", 0, "B", "keys per block of the online algorithm; 16 if not given",
         OPTION_POSITIVE, &request.block, NULL},
        {"sum", 0, "ORDER", "sequential or pairwise; sequential if not given", OPTION_CHOICE,
         &request.sum, sums},
        {"fma", 0, NULL, "fuse multiplications and additions", OPTION_FLAG, &request.fma, NULL},
        {"compare", 0, NULL, "audit all algorithms side by side, too", OPTION_FLAG,
         &request.compare, NULL},
        {"sweep", 0, "LO..HI", "search the collapse among these widths; 1..4096 if not given",
         OPTION_TEXT, &request.sweep, NULL},
        {"r", 0, "R", "claim that all norms are below R", OPTION_NUMBER, &request.r, NULL},
        {"delta", 0, "D", "claim separations above D; 0, or the promise of --construct",
         OPTION_NUMBER, &request.delta, NULL},
        {"gate", 0, "FILE", "exit with 1 if this audit is worse than the record FILE",
         OPTION_TEXT, &request.gate, NULL},
        {"report", 0, "OUT.html", "write a page with plots, as 'attest report' does",
         OPTION_TEXT, &request.report, NULL},
        {"quick", 0, NULL, "leave out the stages of errors, the curve and the kernels",
         OPTION_FLAG, &request.quick, NULL},
        {"jobs", 'j', "J", "processes (default: all processors)", OPTION_POSITIVE,
         &request.jobs, NULL},
        {0},
    };

    memset(&request, 0, sizeof request);
    request.formats = default_formats;
    request.softmax = 1;
    request.seed = 1;
    request.block = 16;
    fmpq_init(request.r.value);
    fmpq_init(request.delta.value);
    request.layer = request.head = ULONG_MAX;
    request.positions = 1024;
    request.argc = argc;
    request.argv = argv;
    code = attest_cli_parse(&attest_command_audit, &common, options, argc, argv, 0, 1,
                            &operands, &count);
    if (code == EXIT_HOLDS) {
        request.data = count ? operands[0] : NULL;
        code = check_kind(&request);
    }
    if (code == EXIT_HOLDS)
        code = request.recorded ? attest_cli_audit_heads(&request, &common)
                                : run_job(&request, &common);
    fmpq_clear(request.r.value);
    fmpq_clear(request.delta.value);
    return code;
}
