/* audit.c -- attest audit: the precision at which contexts are no longer told apart. */
#include "cli/audit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/collision_file.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "cli/excerpt.h"
#include "cli/terminal.h"
#include "io/json_write.h"

static int run(int argc, char **argv);

const attest_command attest_command_audit = {
    .name = "audit",
    .arguments = "DATA [--weights W | --construct STRATEGY] [--formats LIST] [OPTION]...",
    .summary = "find the precision at which contexts are no longer told apart",
    .details =
        "Evaluates the layer with every operation rounded to each format and compares the\n"
        "outputs: required pairs that collide, the least separation, errors in ulp against\n"
        "certified values, and the stage at which they enter. Collapse bits: the least width\n"
        "such that from it up to the cap all required pairs stay apart; printed beside the\n"
        "bits that the certified separation and Theorem 2 require. Recorded queries, keys and\n"
        "values are audited by 'attest heads'. The exit code is 0 whatever the audit found; 1\n"
        "if --gate found something worse, or a hypothesis of the construction fails.",
    .example = "  attest audit data.json --construct theorem,gap,tuned\n"
               "  attest audit data.npy --weights w.json --formats binary16,p=12 --json\n"
               "  attest audit data.npy --weights w.json --gate stored/audit.json",
    .product = "write record and colliding pairs to the directory FILE, or the record\n"
               "to FILE if it ends in .json",
    .directory = true,
    .data = true,
    .works = true,
    .run = run,
};

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

/* Sets the claim: the user's bounds, or else those of the construction. */
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
    audit->formats = request->settings.format_count;
    audit->format = request->settings.format;
    audit->compares = request->compare;
    audit->has_stages = audit->has_kernels = audit->has_curve = !request->quick;
    audit->kernel = job->kernel;
    audit->jobs = attest_cli_jobs(request->settings.jobs);
    audit->max_work = job->common->max_work;
    attest_cli_audit_set_algorithm(&audit->like, &request->settings);
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

/* Takes the hash of an input for the record; standard input has none. */
static void take_hash(char sha256[65], attest_input *input, const audit_job *job)
{
    if ((job->common->output || job->request->settings.report) && strcmp(input->path, "-") != 0)
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
    attest_input_close(&input); /* free the file before the data are changed */
    if (!fmpq_is_zero(subject->given.form.softcap))
        return attest_cli_refuse(
            "%s: audit does not simulate a softcap; use 'attest heads', with --arch or "
            "--softcap",
            request->weights);
    return attest_cli_pair(job->common, &job->dataset, data, request->data, &subject->given,
                           request->weights);
}

/* Reads the dataset, and the weights if --weights is given. */
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

static void origin_set(attest_audit_origin *origin, const audit_job *job,
                       const audit_subject *subject)
{
    *origin = (attest_audit_origin){
        .data = job->request->data,
        .weights = job->request->weights,
        .data_sha256 = job->data_sha256[0] ? job->data_sha256 : NULL,
        .weights_sha256 = job->weights_sha256[0] ? job->weights_sha256 : NULL,
        .strategy = attest_cli_audit_subject_name(subject),
        .file = (const char *const *)subject->file,
    };
}

/* The members of one subject: the audit, or the hypothesis that fails. */
static void write_members(attest_json *json, const audit_job *job, const audit_subject *subject)
{
    attest_audit_origin origin;

    origin_set(&origin, job, subject);
    if (subject->construction.hypothesis) {
        attest_json_write_string(json, "hypothesis", subject->construction.hypothesis);
        attest_json_write_string(json, "explanation", subject->construction.explanation);
        attest_cli_write_hypothesis(json, &job->dataset, &subject->construction, "audit");
    } else {
        attest_audit_write_members(json, &subject->audit, &origin);
    }
}

/* Writes the whole record of an audit_job: an attest_json_writer. */
static void write_job(attest_json *json, const void *context)
{
    const audit_job *job = context;
    const audit_subject *first = &job->subject[0];
    attest_audit_origin origin;

    attest_json_write_object(json, NULL);
    origin_set(&origin, job, first);
    if (first->construction.hypothesis) {
        attest_json_write_format(json, "attest/audit");
        attest_json_write_string(json, "strategy", origin.strategy);
    } else {
        attest_audit_write_subject(json, &first->audit, &origin);
    }
    write_members(json, job, first);
    if (job->subjects > 1) {
        attest_json_write_array(json, "constructions");
        for (size_t i = 0; i < job->subjects; i++) {
            attest_json_write_object(json, NULL);
            attest_json_write_string(json, "strategy",
                                     attest_cli_audit_subject_name(&job->subject[i]));
            write_members(json, job, &job->subject[i]);
            attest_json_write_close(json);
        }
        attest_json_write_close(json);
    }
    if (job->request->settings.tokens)
        attest_texts_write(json, &job->texts);
    if (job->request->settings.gate)
        attest_cli_audit_write_gate(json, &job->gate, job->request->settings.gate);
    attest_json_write_close(json);
}

/* Formats the name of a counterexample's file; ':' and '=' become '-'. */
static void name_collision(char *name, size_t size, const audit_subject *subject,
                           const char *format)
{
    const char *strategy = attest_cli_audit_subject_name(subject);

    snprintf(name, size, "collision-%s%s%s.json", strategy ? strategy : "", strategy ? "-" : "",
             format);
    for (char *c = name; *c; c++)
        if (*c == ':' || *c == '=')
            *c = '-';
}

static int save_collision(audit_subject *subject, size_t f, const audit_target *t)
{
    const attest_audit_result *result = &subject->audit.result[f];
    char path[AUDIT_MOST_PATH + 256], name[192];
    attest_counterexample counterexample;
    attest_error error;
    int code = EXIT_HOLDS;

    name_collision(name, sizeof name, subject, result->arithmetic.format.name);
    snprintf(path, sizeof path, "%s%s", t->stem, name);
    attest_counterexample_init(&counterexample);
    subject->file[f] = attest_memory_copy(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    if (!subject->file[f] ||
        attest_audit_collision_set(&counterexample, &subject->audit, &result->arithmetic,
                                   result->collisions.pair, &error) ||
        attest_counterexample_write(&counterexample, path, &error))
        code = subject->file[f] ? attest_cli_fail(&error) : EXIT_ENVIRONMENT;
    attest_counterexample_clear(&counterexample);
    return code;
}

/* Writes the constructed weights, so that the audit can be repeated. */
static int save_weights(const audit_subject *subject, const audit_target *t)
{
    char path[AUDIT_MOST_PATH + 256];
    attest_error error;

    snprintf(path, sizeof path, "%sweights-%s.json", t->stem,
             attest_cli_audit_subject_name(subject));
    if (attest_weights_write(&subject->construction.weights, path, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

static int save_subject(audit_subject *subject, const audit_target *t)
{
    int code = EXIT_HOLDS;

    if (subject->construction.hypothesis)
        return EXIT_HOLDS;
    if (subject->constructed)
        code = save_weights(subject, t);
    for (size_t f = 0; f < subject->audit.formats && code == EXIT_HOLDS; f++)
        if (subject->audit.result[f].collisions.has_pair)
            code = save_collision(subject, f, t);
    return code;
}

/* Writes record and colliding pairs to the path of -o: X.json is the record itself, any other
 * path a directory for audit.json and the collision files. */
static int save(audit_job *job)
{
    static audit_target t; /* large */

    ATTEST_CLI_TRY(attest_cli_audit_find_target(&t, job->common->output));
    for (size_t i = 0; i < job->subjects; i++)
        ATTEST_CLI_TRY(save_subject(&job->subject[i], &t));
    return attest_cli_save(t.record, write_job, job);
}

static int print(const audit_job *job)
{
    attest_json json;

    if (!job->common->stdout_by)
        attest_cli_audit_print(job);
    attest_cli_audit_print_next(&job->request->settings, job->common);
    if (!job->common->json)
        return EXIT_HOLDS;
    attest_json_write_begin(&json, stdout);
    write_job(&json, job);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static int audit(audit_job *job)
{
    const audit_request *request = job->request;
    int code = attest_cli_audit_load_kernel(&job->kernel, &request->settings);
    attest_error error;

    if (code == EXIT_HOLDS)
        code = read_inputs(job);
    if (code == EXIT_HOLDS &&
        attest_cli_audit_read_texts(&job->texts, request->settings.tokens, &job->dataset, 0, 0,
                                    &job->common->budget, &error))
        code = attest_cli_fail_input(&error);
    if (code == EXIT_HOLDS)
        code = run_subjects(job);
    if (code == EXIT_HOLDS && request->settings.gate &&
        !job->subject[0].construction.hypothesis &&
        attest_audit_gate_check(&job->gate, write_job, job, request->settings.gate,
                                &job->common->budget, &error))
        code = attest_cli_fail_input(&error);
    if (code == EXIT_HOLDS && job->common->output)
        code = save(job);
    if (code == EXIT_HOLDS && request->settings.report)
        code = attest_cli_audit_write_page(request->settings.report, job->common->output,
                                           write_job, job);
    if (code == EXIT_HOLDS)
        code = print(job);
    if (code != EXIT_HOLDS)
        return code;
    return any_hypothesis_fails(job) || job->gate.count > 0 ? EXIT_FAILS : EXIT_HOLDS;
}

/* Parses --sweep: "LO..HI", or "HI". */
static int parse_sweep(audit_request *request)
{
    const char *text = request->sweep, *high = text;
    char *end;

    request->low = 1;
    errno = 0;
    if (strstr(text, "..")) {
        request->low = strtol(text, &end, 10);
        high = end + 2;
        if (end == text || strncmp(end, "..", 2) != 0)
            return attest_cli_refuse("--sweep: '%s' is not LO..HI", text);
    }
    request->high = strtol(high, &end, 10);
    if (errno || end == high || *end != '\0')
        return attest_cli_refuse("--sweep: '%s' is not LO..HI", text);
    if (request->low < 1 || request->high < request->low || request->high > AUDIT_MOST_BITS)
        return attest_cli_refuse("--sweep: widths go from 1 to %d, the lower one first",
                                 AUDIT_MOST_BITS);
    return EXIT_HOLDS;
}

static int parse_strategies(audit_request *request)
{
    static const char *const name[AUDIT_STRATEGIES] = {"theorem", "gap", "tuned"};
    const char *rest = request->construct ? request->construct : "theorem";
    char element[64];
    bool more = true;

    if (strcmp(rest, "all") == 0)
        rest = "theorem,gap,tuned";
    while (more) {
        int found = -1;
        more = attest_cli_audit_next_element(element, sizeof element, &rest);
        for (int i = 0; i < AUDIT_STRATEGIES; i++)
            if (strcmp(element, name[i]) == 0)
                found = i;
        if (found < 0)
            return attest_cli_refuse("--construct: '%s' is not theorem, gap, tuned or all (see "
                                     "'attest audit --help')",
                                     element);
        for (size_t i = 0; i < request->strategies; i++)
            if (request->strategy[i] == (attest_strategy)found)
                return attest_cli_refuse("--construct: %s is listed twice", element);
        request->strategy[request->strategies++] = (attest_strategy)found;
    }
    return EXIT_HOLDS;
}

/* Checks before the audit, which may take minutes, that -o and --report can be written. */
static int check_outputs(const audit_request *request, const attest_common *common)
{
    const char *output = common->output;
    attest_error error;

    if (output && attest_output_check(output, !attest_cli_audit_is_record(output), &error))
        return attest_cli_fail(&error);
    return attest_cli_check_output(request->settings.report);
}

static int check_request(audit_request *request, attest_common *common)
{
    int code;

    if (request->settings.report && strcmp(request->settings.report, "-") == 0 &&
        attest_cli_take_stdout(common, "--report -"))
        return EXIT_USAGE;
    if (request->weights && request->construct)
        return attest_cli_refuse(
            "--weights and --construct exclude each other (see 'attest audit --help')");
    if (attest_cli_check_stdin(
            (const char *const[]){request->data, request->weights, request->settings.gate}, 3))
        return EXIT_USAGE;
    code = attest_cli_audit_parse_formats(&request->settings);
    if (code == EXIT_HOLDS && request->sweep)
        code = parse_sweep(request);
    if (code == EXIT_HOLDS)
        code = parse_strategies(request);
    return code == EXIT_HOLDS ? check_outputs(request, common) : code;
}

static int run_job(audit_request *request, attest_common *common)
{
    static audit_job job; /* large */
    int code;

    ATTEST_CLI_TRY(check_request(request, common));
    memset(&job, 0, sizeof job);
    job.request = request;
    job.common = common;
    attest_dataset_init(&job.dataset);
    code = audit(&job);
    for (size_t i = 0; i < job.subjects; i++)
        subject_clear(&job.subject[i]);
    if (request->settings.gate)
        attest_audit_gate_clear(&job.gate);
    attest_dataset_clear(&job.dataset);
    if (request->settings.tokens)
        attest_texts_clear(&job.texts);
    if (job.kernel)
        attest_judge_model_free(job.kernel);
    return code;
}

static int run(int argc, char **argv)
{
    static const char *const masks[] = {"none", "causal", NULL};
    static audit_request request; /* large */
    attest_common common;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"weights", 'w', "W", "the attention weights (JSON or .npz)", OPTION_TEXT,
         &request.weights, NULL},
        {"construct", 0, "STRATEGY",
         "audit weights built from the data: theorem, gap, tuned, a\nlist of them, or all "
         "(default without --weights: theorem)",
         OPTION_TEXT, &request.construct, NULL},
        {"mask", 0, "MASK", "mask of constructed weights: none or causal (default: none)",
         OPTION_CHOICE, &request.mask, masks},
        ATTEST_CLI_AUDIT_OPTIONS(&request.settings),
        {"compare", 0, NULL, "audit all algorithms side by side, too", OPTION_FLAG,
         &request.compare, NULL},
        {"sweep", 0, "LO..HI", "search the collapse among these widths (default: 1..4096)",
         OPTION_TEXT, &request.sweep, NULL},
        {"r", 0, "R", "claim that all norms are below R", OPTION_NUMBER, &request.r, NULL},
        {"delta", 0, "D",
         "claim separations above D (default: the promise of --construct, or 0)", OPTION_NUMBER,
         &request.delta, NULL},
        {"quick", 0, NULL, "omit the stages of errors, the curve and the kernels", OPTION_FLAG,
         &request.quick, NULL},
        {0},
    };

    memset(&request, 0, sizeof request);
    attest_cli_audit_set_defaults(&request.settings);
    fmpq_init(request.r.value);
    fmpq_init(request.delta.value);
    code = attest_cli_parse(&attest_command_audit, &common, options, argc, argv, 1, 1,
                            &operands, &count);
    if (code == EXIT_HOLDS) {
        request.data = operands[0];
        code = run_job(&request, &common);
    }
    fmpq_clear(request.r.value);
    fmpq_clear(request.delta.value);
    return code;
}
