/* memorize.c -- attest memorize: Corollaries 1 and 2. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "io/conll.h"
#include "io/counterexample_json.h"
#include "io/weights_json.h"
#include "number/scope.h"
#include "report/print.h"
#include "theory/memorize.h"

/* Larger networks are written by -o only. */
enum { MOST_UNITS_SHOWN = 20000 };

static int run(int argc, char **argv);

const attest_command attest_command_memorize = {
    .name = "memorize",
    .arguments = "DATA [--strategy STRATEGY] [--positional] [--embed hash:D] [OPTION]...",
    .summary = "build a one-layer network that maps every token to its label",
    .details = "Corollary 1: attention of rank 1, then ReLU ramps in the gaps between the "
               "classes. All\nweights are exact rationals, and each output is proved to be the "
               "label. --positional\n(Corollary 2) encodes positions first, with a step that "
               "keeps eps. 'attest eval DATA\n--weights NET' runs the network. Exit code 1: a "
               "hypothesis fails, for instance two\ntokens of one class with different labels.",
    .example = "  attest memorize labelled.json -o network.json\n"
               "  attest memorize labelled.json --positional --mask causal --json\n"
               "  attest memorize train.conll --embed hash:8 -o network.json",
    .product = "write the network (JSON) to FILE",
    .data = true,
    .works = true,
    .run = run,
};

typedef struct memorize_job {
    int strategy, mask;
    unsigned long seed, jobs;
    bool positional;
    const char *embed;
    attest_dataset dataset;
    attest_tags tags;
    attest_memorization result;
} memorize_job;

/* Writes the tokens on which a hypothesis fails. */
static void write_counterexample(attest_json *json, const memorize_job *job)
{
    const attest_memorization *m = &job->result;
    const attest_counterexample_excerpt excerpt = {
        .property = m->positional ? "positional" : "memorize",
        .definition = "hypothesis",
        .found_by = "memorize",
        .dataset = &job->dataset,
        .places = m->places,
        .place = {m->place[0], m->place[1]},
        .hypothesis = m->hypothesis,
        .labels = true,
        .parameters = 1,
        .parameter = {{.name = "mask", .text = attest_mask_name(m->mask)}},
    };

    attest_counterexample_write_excerpt(json, &excerpt);
}

static void write_encoding(attest_json *json, const attest_memorization *m)
{
    attest_json_write_object(json, "positional");
    attest_json_write_count(json, "axis", m->encoding.axis);
    attest_json_write_rational(json, "step", m->encoding.step);
    attest_json_write_rational(json, "r_max", m->encoding.r_max);
    attest_json_write_rational(json, "eps", m->encoding.eps);
    attest_json_write_string(json, "eps_from",
                             m->encoding.eps_by_denominator ? "denominator" : "data");
    attest_json_write_close(json);
}

static void write_result(attest_json *json, const memorize_job *job)
{
    const attest_memorization *m = &job->result;
    ARB(steepest);

    attest_json_write_string(json, "verdict", attest_verdict_name(m->proof.verdict));
    attest_json_write_count(json, "classes", m->classes);
    attest_json_write_count(json, "contexts", m->contexts);
    attest_json_write_count(json, "pieces", m->pieces);
    attest_json_write_count(json, "hidden_units", m->hidden_units);
    attest_json_write_count(json, "parameters", m->parameters);
    attest_json_write_count(json, "parameters_dense", m->parameters_dense);
    attest_json_write_count(json, "paper_parameters", m->paper_parameters);
    attest_json_write_string(json, "strategy", attest_strategy_name(m->strategy));
    attest_json_write_string(json, "mask", attest_mask_name(m->mask));
    if (m->positional)
        write_encoding(json, m);
    if (job->embed) {
        attest_json_write_string(json, "embed", job->embed);
        attest_json_write_count(json, "words", job->tags.words);
        attest_json_write_count(json, "tags", m->network.tags);
    }
    attest_json_write_integer(json, "precision_bits", m->precision_bits);
    attest_json_write_integer(json, "proof_bits", m->proof.precision_bits);
    if (m->has_gap)
        attest_json_write_ball(json, "gap", m->gap);
    else
        attest_json_write_null(json, "gap");
    arb_set_fmpq(steepest, m->steepest, 64);
    attest_json_write_ball(json, "steepest", steepest);
    if (m->hidden_units <= MOST_UNITS_SHOWN)
        attest_network_write_json(json, "network", &m->network);
    else
        attest_json_write_null(json, "network");
}

static int print_json(const memorize_job *job, int code)
{
    const attest_memorization *m = &job->result;
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/memorize");
    if (m->hypothesis) {
        attest_json_write_string(&json, "verdict", "fails");
        attest_json_write_string(&json, "hypothesis", m->hypothesis);
        attest_json_write_string(&json, "explanation", m->explanation);
        write_counterexample(&json, job);
    } else {
        write_result(&json, job);
    }
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, code);
}

static void print_number(const char *what, const fmpq_t value)
{
    char *text ATTEST_FREED = attest_number_format(value);

    attest_print("%s %s", what, attest_or_exit(text));
}

static void print_text(const memorize_job *job)
{
    const attest_memorization *m = &job->result;
    const attest_dataset *data = &job->dataset;
    ARB(steepest);
    char *gap ATTEST_FREED = NULL;
    char *slope ATTEST_FREED = NULL;

    if (m->hypothesis) {
        attest_print("fails: %s: %s\n", m->hypothesis, m->explanation);
        return;
    }
    arb_set_fmpq(steepest, m->steepest, 64);
    gap = m->has_gap ? attest_ball_format_log2(m->gap) : NULL;
    slope = attest_ball_format_log2(steepest);
    attest_print("d = %zu, n = %zu, N = %zu, |V| = %zu; strategy %s, mask %s\n", m->network.dim,
                 data->longest, data->count, data->tokens.count,
                 attest_strategy_name(m->strategy), attest_mask_name(m->mask));
    if (job->embed)
        attest_print("words                     %zu different ones, by %s; %zu tags\n",
                     job->tags.words, job->embed, m->network.tags);
    if (m->positional) {
        print_number("positions                 x + (k + 1) step e_0, step =",
                     m->encoding.step);
        print_number(", which keeps eps =", m->encoding.eps);
        putchar('\n');
    }
    attest_print("classes                   %zu\n", m->classes);
    attest_print("hidden units              %zu, at most 2 n N + d = %zu\n", m->hidden_units,
                 2 * data->longest * data->count + m->network.dim);
    attest_print(
        "parameters                %llu (rank-1 factors and W_2), %llu dense, %llu as the "
        "paper counts\n",
        (unsigned long long)m->parameters, (unsigned long long)m->parameters_dense,
        (unsigned long long)m->paper_parameters);
    if (m->has_gap && arb_is_positive(m->gap) && arb_is_finite(m->gap))
        attest_print("least gap                 2^%.10s along the projection\n",
                     attest_or_exit(gap));
    if (arb_is_positive(steepest))
        attest_print("largest entry of W_2      2^%.10s\n", attest_or_exit(slope));
    attest_print(
        "%s: every output %s the label (%ld bits)%s%s\n", attest_verdict_name(m->proof.verdict),
        m->proof.verdict == ATTEST_PROVED ? "is" : "should be", m->proof.precision_bits,
        m->proof.verdict == ATTEST_PROVED ? "" : "; ", m->proof.reason);
}

/* Reads words and tags: positions are encoded because words repeat, and the network stores the
 * names of its inputs and labels. */
static int read_words(memorize_job *job, const char *path, attest_common *common)
{
    attest_network *network = &job->result.network;
    attest_error error;
    size_t dim;

    if (common->tensor || common->homogeneous)
        return attest_cli_refuse(
            "--embed reads columns of words: no --tensor, no --homogeneous");
    if (attest_embed_parse(&dim, job->embed, &error)) {
        attest_error_prefix(&error, error.status, "--embed");
        return attest_cli_fail_input(&error);
    }
    if (attest_conll_read(&job->dataset, &job->tags, path, dim, &common->budget, &error))
        return attest_cli_fail_input(&error);
    job->positional = true;
    network->embed = attest_memory_copy(job->embed);
    network->tag = job->tags.name;
    network->tags = job->tags.count;
    job->tags.name = NULL; /* moved */
    job->tags.count = 0;
    if (network->embed)
        return EXIT_HOLDS;
    attest_cli_complain("out of memory");
    return EXIT_ENVIRONMENT;
}

static int memorize(memorize_job *job, const char *path, attest_common *common)
{
    attest_memorization *m = &job->result;
    attest_status status;
    attest_error error;
    int code;

    ATTEST_CLI_TRY(job->embed ? read_words(job, path, common)
                              : attest_cli_read_dataset(&job->dataset, path, common));
    m->strategy = (attest_strategy)job->strategy;
    m->mask = (attest_mask)job->mask;
    m->seed = job->seed;
    m->jobs = attest_cli_jobs(job->jobs);
    m->max_work = common->max_work;
    m->positional = job->positional;
    attest_cli_work_begin("building the network");
    status = attest_memorization_build(m, &job->dataset, &error);
    attest_cli_work_end();
    if (status) {
        attest_error_prefix(&error, error.status, path);
        return attest_cli_fail_work(&error, common);
    }
    if (!m->hypothesis && m->proof.verdict == ATTEST_PROVED && common->output &&
        attest_network_write(&m->network, common->output, &error))
        return attest_cli_fail(&error);
    code = m->hypothesis ? EXIT_FAILS : attest_cli_verdict_code(m->proof.verdict);
    if (common->json)
        return print_json(job, code);
    if (!common->stdout_by || code != EXIT_HOLDS)
        print_text(job);
    if (code == EXIT_HOLDS)
        attest_cli_print_hint(common,
                              "next: 'attest eval DATA --weights %s' runs the network%s",
                              common->output ? common->output : "NET",
                              common->output ? "" : "; -o NET writes it");
    return code;
}

static int run(int argc, char **argv)
{
    static const char *const strategies[] = {"theorem", "gap", "tuned", NULL};
    static const char *const masks[] = {"none", "causal", NULL};
    memorize_job job = {.strategy = ATTEST_STRATEGY_TUNED, .seed = 1};
    attest_common common;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"strategy", 0, "STRATEGY",
         "theorem, gap or tuned (default: tuned); the first two are refused if\nthey need more "
         "than 2^20 bits, or 2^28 bits in all exponentials",
         OPTION_CHOICE, &job.strategy, strategies},
        {"positional", 0, NULL, "encode positions first (Corollary 2)", OPTION_FLAG,
         &job.positional, NULL},
        {"embed", 0, "hash:D",
         "read words and tags in columns (CoNLL); each word gets D entries from\nits hash; "
         "implies --positional",
         OPTION_TEXT, &job.embed, NULL},
        {"mask", 0, "MASK", "none or causal, Remark 1 (default: none)", OPTION_CHOICE,
         &job.mask, masks},
        {"seed", 0, "N", "seed of the random directions (default: 1)", OPTION_COUNT, &job.seed,
         NULL},
        ATTEST_CLI_JOBS(&job.jobs),
        {0},
    };

    attest_dataset_init(&job.dataset);
    attest_tags_init(&job.tags);
    attest_memorization_init(&job.result);
    job.result.progress = attest_cli_progress();
    code = attest_cli_parse(&attest_command_memorize, &common, options, argc, argv, 1, 1,
                            &operands, &count);
    if (code == EXIT_HOLDS)
        code = memorize(&job, operands[0], &common);
    attest_memorization_clear(&job.result);
    attest_tags_clear(&job.tags);
    attest_dataset_clear(&job.dataset);
    return code;
}
