/* construct.c -- attest construct: rank-1 softmax weights for the data, by Theorem 2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <attest/certificate.h>

#include "base/memory.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/excerpt.h"
#include "cli/terminal.h"
#include "io/certificate_json.h"
#include "io/json_write.h"
#include "io/weights_json.h"
#include "number/scope.h"
#include "theory/theorem2.h"

static int run(int argc, char **argv);

const attest_command attest_command_construct = {
    .name = "construct",
    .arguments = "DATA [--strategy STRATEGY] [--r-min R] [--r-max R] [--eps E] [OPTION]...",
    .summary = "build softmax weights that separate contexts (Theorem 2)",
    .details = "Builds one softmax head of rank 1 with exact rational weights, and prints the "
               "promised\nand the certified separation. Strategies: theorem (the paper's), gap "
               "(scores just far\nenough apart for Lemma F), tuned (searched for the largest "
               "separation). The default\nbounds lie just inside the extremes of the data. "
               "Exit code 1: a hypothesis fails.",
    .example = "  attest construct data.json --strategy tuned -o weights.json\n"
               "  attest construct data.npy --strategy gap --json",
    .product = "write the weights (JSON) to FILE",
    .data = true,
    .works = true,
    .run = run,
};

typedef struct construct_job {
    int strategy, mask;
    unsigned long seed;
    attest_number_option r_min, r_max, eps;
    attest_dataset dataset;
    attest_construction construction;
    attest_claim claim;
    attest_finding finding;
    attest_certificate certificate;
} construct_job;

/* The significand bits that a number of size r needs to show a difference of 2^log2. */
static double bits_needed(const fmpq_t r, double log2_delta)
{
    ARB(size);
    double log2_r;

    arb_set_fmpq(size, r, 64);
    arb_log_base_ui(size, size, 2, 64);
    log2_r = arf_get_d(arb_midref(size), ARF_RND_UP);
    return fmax(1, ceil(log2_r - log2_delta) + 1);
}

static double middle(const arb_t ball)
{
    return arf_get_d(arb_midref(ball), ARF_RND_NEAR);
}

static double log2_of(const arb_t ball)
{
    ARB(log2);

    arb_log_base_ui(log2, ball, 2, 64);
    return middle(log2);
}

/* Returns whether the certified least separation exceeds the promised one. */
static bool promise_holds(const construct_job *job)
{
    return job->construction.promise &&
           (!job->finding.has_pair ||
            arb_gt(job->finding.min_separation, job->construction.delta));
}

static void write_bounds(attest_json *json, const construct_job *job)
{
    const attest_construction *c = &job->construction;

    attest_json_write_rational(json, "r_min", c->r_min.value);
    attest_json_write_rational(json, "r_max", c->r_max.value);
    attest_json_write_rational(json, "eps", c->eps.value);
    attest_json_write_object(json, "bounds_from");
    attest_json_write_string(json, "r_min", c->r_min.given ? "user" : "data");
    attest_json_write_string(json, "r_max", c->r_max.given ? "user" : "data");
    attest_json_write_string(json, "eps",
                             c->eps.given          ? "user"
                             : c->eps_by_direction ? "direction"
                                                   : "data");
    attest_json_write_close(json);
}

static void write_promise(attest_json *json, const construct_job *job)
{
    const attest_construction *c = &job->construction;

    if (c->promise)
        attest_json_write_ball(json, "delta", c->delta);
    else
        attest_json_write_null(json, "delta");
    if (c->formula)
        attest_json_write_ball(json, "delta_formula", c->delta_formula);
    else
        attest_json_write_null(json, "delta_formula");
    if (c->promise) {
        attest_json_write_measure(json, "bits_promised",
                                  bits_needed(c->r, middle(c->delta_log2)));
        attest_json_write_bool(json, "promise_certified", promise_holds(job));
    }
    if (job->finding.has_pair && arb_is_positive(job->finding.min_separation))
        attest_json_write_measure(json, "bits_certified",
                                  bits_needed(c->r, log2_of(job->finding.min_separation)));
}

/* The one JSON object of the command. Returns the code, or EXIT_ENVIRONMENT when the object is
 * not whole. */
static int print_json(const construct_job *job, int code)
{
    const attest_construction *c = &job->construction;
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/construct");
    attest_json_write_string(&json, "strategy", attest_strategy_name(c->strategy));
    if (c->hypothesis) {
        attest_json_write_string(&json, "hypothesis", c->hypothesis);
        attest_json_write_string(&json, "explanation", c->explanation);
        attest_cli_write_hypothesis(&json, &job->dataset, c, "construct");
    } else {
        attest_weights_write_json(&json, "weights", &c->weights);
        attest_json_write_rational(&json, "kappa", c->kappa);
        attest_json_write_array(&json, "direction");
        for (size_t i = 0; i < c->dim; i++)
            attest_json_write_rational(&json, NULL, c->direction + i);
        attest_json_write_close(&json);
        attest_json_write_rational(&json, "r", c->r);
        write_bounds(&json, job);
        write_promise(&json, job);
        attest_certificate_write_json(&json, "certificate", &job->certificate);
    }
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, code);
}

static void print_ratio(const construct_job *job)
{
    ARB(ratio);

    arb_set_fmpq(ratio, job->construction.eps.value, 64);
    arb_div(ratio, job->finding.min_separation, ratio, 64);
    attest_print("certified separation    2^%.10g, or eps 2^%.4g (%s, %ld bits)\n",
                 log2_of(job->finding.min_separation), log2_of(ratio), job->finding.method,
                 job->finding.precision_bits);
}

/* Prints the summary. */
static void print_text(const construct_job *job)
{
    const attest_construction *c = &job->construction;
    char shown[ATTEST_CLI_TEXT_SIZE];

    if (c->hypothesis) {
        attest_print("fails: %s: %s\n", c->hypothesis, c->explanation);
        return;
    }
    attest_print("strategy %s: d = %zu, n = %zu, N = %zu, |V| = %zu\n",
                 attest_strategy_name(c->strategy), c->dim, job->dataset.longest,
                 job->dataset.count, job->dataset.tokens.count);
    attest_print("kappa                   %.10g\n", fmpq_get_d(c->kappa));
    if (c->promise)
        attest_print("promised delta          2^%.10g (%.0f bits needed)\n",
                     middle(c->delta_log2), bits_needed(c->r, middle(c->delta_log2)));
    if (c->formula)
        attest_print("the closed formula      2^%.10g\n", middle(c->delta_formula_log2));
    if (job->finding.has_pair && arb_is_positive(job->finding.min_separation)) {
        print_ratio(job);
        attest_print("bits needed             %.0f\n",
                     bits_needed(c->r, log2_of(job->finding.min_separation)));
    }
    attest_print("%s: a contextual mapping with outputs shorter than r = %.10g%s%s\n",
                 attest_verdict_name(job->finding.verdict), fmpq_get_d(c->r),
                 job->finding.verdict == ATTEST_UNDECIDED ? "; " : "",
                 job->finding.verdict == ATTEST_UNDECIDED
                     ? attest_cli_name_options(shown, job->finding.reason)
                     : "");
}

static void take_bound(attest_given_bound *bound, const attest_number_option *option)
{
    bound->given = option->given;
    if (option->given)
        fmpq_set(bound->value, option->value);
}

/* Certifies Definition 2 for the weights built: r as promised, delta = 0. */
static int certify(construct_job *job)
{
    attest_error error;

    job->claim.dataset = &job->dataset;
    job->claim.weights = &job->construction.weights;
    job->claim.has_r = true;
    fmpq_set(job->claim.r, job->construction.r);
    if (attest_certify(&job->finding, &job->claim, &error) ||
        attest_certificate_set(&job->certificate, &job->claim, &job->finding, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

/* With -o the weights are a file: then, if the data are one, the certificate names both, for
 * attest check. */
static int read_data(construct_job *job, const char *path, attest_common *common)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};
    attest_error error;

    if (attest_input_open(&input, path, common->budget.left, &error))
        return attest_cli_fail_input(&error);
    ATTEST_CLI_TRY(attest_cli_read_dataset_input(&job->dataset, &input, common));
    if (common->json && common->output && input.regular &&
        attest_certificate_add_open_dataset(&job->certificate, &input, common->tensor,
                                            common->homogeneous, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

static void write_json(attest_json *json, const void *weights)
{
    attest_weights_write_json(json, NULL, weights);
}

/* Names the weights by the bytes that are written for them: the file itself may be another one
 * by the time it is opened again. */
static attest_status name_weights(construct_job *job, const char *path, attest_error *error)
{
    attest_input written = {.path = path};
    char *text ATTEST_FREED =
        attest_json_format(&written.size, write_json, &job->construction.weights);

    if (!text)
        return attest_memory_fail_at(error, path);
    written.data = (unsigned char *)text;
    return attest_certificate_add_open_input(&job->certificate, "weights", &written, error);
}

static int write_weights(construct_job *job, const attest_common *common)
{
    attest_error error;

    if (!common->output)
        return EXIT_HOLDS;
    if (attest_weights_write(&job->construction.weights, common->output, &error) ||
        (job->certificate.inputs == 1 && name_weights(job, common->output, &error)))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

static int construct(construct_job *job, const char *path, attest_common *common)
{
    attest_construction *c = &job->construction;
    attest_error error;
    int code;

    job->claim.max_work = common->max_work;
    code = read_data(job, path, common);

    if (code != EXIT_HOLDS)
        return code;
    c->strategy = (attest_strategy)job->strategy;
    c->mask = (attest_mask)job->mask;
    c->seed = job->seed;
    c->max_work = common->max_work;
    take_bound(&c->r_min, &job->r_min);
    take_bound(&c->r_max, &job->r_max);
    take_bound(&c->eps, &job->eps);
    attest_cli_work_begin("constructing");
    if (attest_construction_build(c, &job->dataset, &error)) {
        attest_error_prefix(&error, error.status, path);
        return attest_cli_fail_work(&error, common);
    }
    if (!c->hypothesis) {
        code = certify(job);
        attest_cli_work_end();
        if (code == EXIT_HOLDS)
            code = write_weights(job, common);
        if (code != EXIT_HOLDS)
            return code;
    }
    attest_cli_work_end();
    code = c->hypothesis ? EXIT_FAILS : attest_cli_verdict_code(job->finding.verdict);
    if (common->json)
        return print_json(job, code);
    if (!common->stdout_by || c->hypothesis)
        print_text(job);
    if (code == EXIT_HOLDS)
        attest_cli_print_hint(common,
                              "next: 'attest audit DATA --construct theorem,gap,tuned' finds "
                              "the precision at which each of them collapses%s",
                              common->output ? "" : "; -o W writes the weights");
    return code;
}

static void job_init(construct_job *job)
{
    fmpq_init(job->r_min.value);
    fmpq_init(job->r_max.value);
    fmpq_init(job->eps.value);
    attest_dataset_init(&job->dataset);
    attest_construction_init(&job->construction);
    attest_claim_init(&job->claim);
    job->claim.progress = attest_cli_progress();
    attest_finding_init(&job->finding);
    attest_certificate_init(&job->certificate);
}

static void job_clear(construct_job *job)
{
    fmpq_clear(job->r_min.value);
    fmpq_clear(job->r_max.value);
    fmpq_clear(job->eps.value);
    attest_certificate_clear(&job->certificate);
    attest_finding_clear(&job->finding);
    attest_claim_clear(&job->claim);
    attest_construction_clear(&job->construction);
    attest_dataset_clear(&job->dataset);
}

static int run(int argc, char **argv)
{
    static const char *const strategies[] = {"theorem", "gap", "tuned", NULL};
    static const char *const masks[] = {"none", "causal", NULL};
    construct_job job = {.seed = 1};
    attest_common common;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"strategy", 0, "STRATEGY", "theorem, gap or tuned (default: theorem)", OPTION_CHOICE,
         &job.strategy, strategies},
        {"r-min", 0, "R", "lower bound of all norms", OPTION_NUMBER, &job.r_min, NULL},
        {"r-max", 0, "R", "upper bound of all norms", OPTION_NUMBER, &job.r_max, NULL},
        {"eps", 0, "E", "lower bound of all distances", OPTION_NUMBER, &job.eps, NULL},
        {"mask", 0, "MASK", "none or causal, Remark 1 (default: none)", OPTION_CHOICE,
         &job.mask, masks},
        {"seed", 0, "N", "seed of the random directions (default: 1)", OPTION_COUNT, &job.seed,
         NULL},
        {0},
    };

    job_init(&job);
    code = attest_cli_parse(&attest_command_construct, &common, options, argc, argv, 1, 1,
                            &operands, &count);
    if (code == EXIT_HOLDS)
        code = construct(&job, operands[0], &common);
    job_clear(&job);
    return code;
}
