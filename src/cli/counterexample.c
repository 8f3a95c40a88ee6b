/* counterexample.c -- attest counterexample: data on which hardmax weights are no contextual
 * mapping (Theorem 1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/head_plan.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "campaign/chunk.h"
#include "cli/command.h"
#include "cli/counterexample.h"
#include "cli/excerpt.h"
#include "cli/terminal.h"
#include "io/counterexample_json.h"
#include "io/json_write.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "props/registry.h"
#include "report/print.h"
#include "theory/separated.h"
#include "theory/theorem1.h"

enum { MOST_HEADS = 4096, MOST_SIZE = 65536, MOST_ENTRIES = 100000000 };

static int run(int argc, char **argv);

const attest_command attest_command_counterexample = {
    .name = "counterexample",
    .arguments = "[--list | --show NAME] [--weights W | --heads H --dim D --size S --seed N] "
                 "[OPTION]...",
    .summary = "construct data that hardmax attention confuses (Theorem 1)",
    .details =
        "Finds two sequences on which the given (or random) hardmax weights have equal "
        "outputs\nat a token whose contexts differ, checked exactly. By default the tokens lie "
        "on a\nline, which defeats all weights at once. --vocabulary uses the tokens of a "
        "dataset,\nexchanging those that never win a score; with --least it searches all "
        "sequences of\nthese tokens for the shortest pair. --search tries random data and "
        "shrinks the result.\n--list prints the gallery: the least pairs for each tie rule, "
        "mask and kind of weights;\n--show prints one of them, and the exhaustive search that "
        "finds nothing smaller. Exit\ncode 1: no such pair was found.",
    .example =
        "  attest counterexample --heads 8 --dim 16 --size 4 --seed 1\n"
        "  attest counterexample --weights hardmax.json --vocabulary data.json -o c.json\n"
        "  attest counterexample --show leftmost-zero",
    .product = "write the counterexample (JSON) to FILE",
    .data = true,
    .works = true,
    .run = run,
};

enum { TRIALS = 20000, CHUNK = 64, LONGEST = 6 };

/* Adds the names of property and method, and checks the violation again with exact numbers. */
static attest_status confirm(attest_counterexample *counterexample, bool *found,
                             attest_error *error)
{
    if (attest_counterexample_set_texts(counterexample, "theorem1", "contextual-mapping",
                                        "search") != ATTEST_OK)
        return attest_memory_fail(error);
    return attest_theorem1_check(found, counterexample, error);
}

/* Returns the work of a chunk of trials, of two sequences each. */
static double work_of_chunk(const attest_weights *weights)
{
    ATTEST_SCOPED(attest_sequence, sequence);

    attest_sequence_resize(&sequence, LONGEST, weights->dim);
    return 2 * CHUNK * attest_work_estimate(weights, &sequence, LONGEST, 0);
}

static attest_status search(attest_counterexample *counterexample, bool *found, uint64_t seed,
                            double *max_work, attest_error *error)
{
    double work = work_of_chunk(&counterexample->weights);
    attest_setting setting = {.weights = &counterexample->weights};
    attest_chunk chunk = {.property = attest_property_get("theorem1-search"),
                          .setting = &setting,
                          .seed = seed,
                          .count = CHUNK};
    attest_progress progress = attest_cli_progress();
    ATTEST_SCOPED(attest_chunk_result, result);

    attest_progress_report(&progress, "trials", 0, TRIALS, NULL);
    for (; chunk.first < TRIALS && !result.failed; chunk.first += CHUNK) {
        attest_chunk_result_clear(&result);
        ATTEST_TRY(attest_work_charge(max_work, work, error));
        ATTEST_TRY(attest_chunk_run(&result, &chunk, error));
        attest_progress_report(&progress, "trials", chunk.first + CHUNK, TRIALS, NULL);
    }
    if (result.violations == 0)
        return ATTEST_OK;
    ATTEST_TRY(attest_counterexample_parse_json(counterexample, result.violation[0].text,
                                                strlen(result.violation[0].text), NULL, error));
    return confirm(counterexample, found, error);
}

int attest_cli_search_counterexample(attest_counterexample *counterexample, bool *found,
                                     uint64_t seed, attest_common *common)
{
    attest_status status;
    attest_error error;

    *found = false;
    attest_cli_work_begin("searching");
    status = search(counterexample, found, seed, &common->max_work, &error);
    attest_cli_work_end();
    return status ? attest_cli_fail_work(&error, common) : EXIT_HOLDS;
}

typedef struct counterexample_job {
    const char *weights, *vocabulary, *show;
    unsigned long heads, dim, size, seed;
    int ties, mask; /* -1: not given */
    bool search, list, least;
    const attest_gallery_entry *entry; /* --show */
    bool trained;                      /* --show trained */
    attest_gallery_search numbers;     /* the search whose least result is the entry */
    attest_theorem1_space space;       /* contains the tokens, for trained and --least */
    attest_counterexample counterexample;
    attest_separated extremes;
    bool found;
} counterexample_job;

static int get_weights(counterexample_job *job, attest_common *common)
{
    attest_weights *weights = &job->counterexample.weights;
    attest_error error;

    if (job->weights) {
        if (job->heads || job->dim || job->size)
            return attest_cli_refuse("--heads, --dim and --size are for random weights, but "
                                     "--weights is given");
        if (attest_weights_read(weights, job->weights, &common->budget, &error))
            return attest_cli_fail_input(&error);
        if (weights->activation != ATTEST_HARDMAX)
            return attest_cli_refuse(
                "%s: softmax weights; Theorem 1 is about hardmax (\"activation\": "
                "\"hardmax\")",
                job->weights);
    } else if (job->entry && !job->heads && !job->dim && !job->size) {
        if (attest_gallery_set_weights(weights, job->entry, &error))
            return attest_cli_fail(&error);
    } else {
        size_t heads = job->heads ? job->heads : 1, dim = job->dim ? job->dim : 2,
               size = job->size ? job->size : dim;

        if (heads > MOST_HEADS || dim > MOST_SIZE || size > MOST_SIZE ||
            heads * dim * size > MOST_ENTRIES)
            return attest_cli_refuse("--heads, --dim, --size: too large for a counterexample");
        if (attest_theorem1_gen_weights(weights, heads, dim, size, job->seed, &error))
            return attest_cli_fail(&error);
        job->counterexample.has_seed = true;
        job->counterexample.seed = job->seed;
    }
    if (job->ties >= 0)
        weights->ties = (attest_ties)job->ties;
    if (job->mask >= 0)
        weights->mask = (attest_mask)job->mask;
    if (job->entry && !job->weights) {
        weights->ties = job->entry->ties;
        weights->mask = job->entry->mask;
    }
    if (job->entry && (weights->ties != job->entry->ties || weights->mask != job->entry->mask))
        return attest_cli_refuse("%s: %s is for %s ties, mask %s", job->weights,
                                 job->entry->name, attest_ties_name(job->entry->ties),
                                 attest_mask_name(job->entry->mask));
    return EXIT_HOLDS;
}

/* The entry of the gallery, with the search that shows it to be the least. */
static int build_entry(counterexample_job *job)
{
    attest_error error;

    if (attest_theorem1_build_pair(&job->counterexample, &job->found, &job->entry->pair,
                                   &error) ||
        attest_gallery_find(&job->numbers, job->entry, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

/* Builds a pair from the tokens of a dataset, made to fit the weights. */
static int build_own(counterexample_job *job, attest_dataset *vocabulary,
                     const attest_input *input, attest_common *common)
{
    attest_counterexample *c = &job->counterexample;
    attest_status status;
    attest_error error;

    ATTEST_CLI_TRY(attest_cli_read_dataset_input(vocabulary, input, common));
    ATTEST_CLI_TRY(attest_cli_pair(common, vocabulary, input, job->vocabulary, &c->weights,
                                   job->weights ? job->weights : "--dim"));
    attest_cli_work_begin(job->least ? "looking for the least texts"
                                     : "looking for tokens that never win");
    status = job->least ? attest_theorem1_build_least(c, &job->found, &job->space, vocabulary,
                                                      &common->budget, common->max_work, &error)
                        : attest_theorem1_build_from_vocabulary(c, &job->found, vocabulary,
                                                                &common->budget,
                                                                common->max_work, &error);
    attest_cli_work_end();
    return status ? attest_cli_fail_work(&error, common) : EXIT_HOLDS;
}

static int build_from_vocabulary(counterexample_job *job, attest_common *common)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};
    ATTEST_SCOPED(attest_dataset, vocabulary);
    attest_error error;

    if (attest_input_open(&input, job->vocabulary, common->budget.left, &error))
        return attest_cli_fail_input(&error);
    return build_own(job, &vocabulary, &input, common);
}

static int refuse_without_data(const counterexample_job *job, const char *with)
{
    return attest_cli_refuse("%s: weights with %s; the sequences of Theorem 1 are for heads "
                             "without: use --vocabulary DATA",
                             job->weights, with);
}

/* What the weights have that sequences of plain tokens are not read with, or NULL. */
static const char *with_data(const attest_weights *weights)
{
    if (weights->norm != ATTEST_NORM_NONE)
        return "a norm";
    if (weights->homogeneous) /* the heads need the coordinate 1 of tokens */
        return "biases";
    return weights->residual && weights->skip ? "a residual" : NULL;
}

static int build(counterexample_job *job, attest_common *common)
{
    const char *with = with_data(&job->counterexample.weights);
    attest_error error;

    if (attest_weights_have_form(&job->counterexample.weights))
        return attest_cli_refuse("%s: weights with positions, norms of queries and keys or a "
                                 "softcap; Theorem 1 is about heads without",
                                 job->weights);
    if (with && !job->vocabulary)
        return refuse_without_data(job, with);
    if (job->entry)
        return build_entry(job);
    if (job->trained)
        return attest_cli_build_trained(&job->counterexample, &job->found, &job->space);
    if (job->search)
        return attest_cli_search_counterexample(&job->counterexample, &job->found, job->seed,
                                                common);
    if (job->vocabulary)
        return build_from_vocabulary(job, common);
    job->found = true;
    return attest_theorem1_build(&job->counterexample, &error) ? attest_cli_fail(&error)
                                                               : EXIT_HOLDS;
}

/* Returns whether the counterexample defeats all weights, not only the given ones. */
static bool is_universal(const counterexample_job *job)
{
    return job->entry ? job->entry->defeats == ATTEST_GALLERY_ALL
                      : !job->trained && !job->vocabulary && !job->search;
}

/* The counterexample, and the extremes of its tokens: how well separated they are. */
static void write_all(attest_json *json, const void *context)
{
    const counterexample_job *job = context;

    attest_json_write_object(json, NULL);
    attest_counterexample_write_members(json, &job->counterexample);
    attest_json_write_bool(json, "universal", is_universal(job));
    if (job->entry)
        attest_cli_write_gallery(json, job->entry, &job->numbers);
    if (job->trained)
        attest_cli_write_trained(json, &job->space);
    if (job->least)
        attest_cli_write_space(json, &job->space);
    attest_json_write_object(json, "separated");
    attest_cli_write_root(json, "r_min", job->extremes.r_min_square);
    attest_cli_write_root(json, "r_max", job->extremes.r_max_square);
    attest_cli_write_root(json, "eps", job->extremes.eps_square);
    attest_json_write_bool(json, "no_duplicates", job->extremes.no_duplicates);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

enum { MOST_SHOWN = 8, SHOWN_OF_MORE = 3 }; /* entries of a vector; -o has them all */

static void print_vector(const fmpq *entry, size_t count)
{
    size_t shown = count > MOST_SHOWN ? SHOWN_OF_MORE : count;

    attest_print("(");
    for (size_t c = 0; c < shown; c++) {
        char *text ATTEST_FREED = attest_number_format(entry + c);

        attest_print("%s%s", c ? ", " : "", attest_or_exit(text));
    }
    if (shown < count)
        attest_print(", ... %zu entries", count);
    attest_print(")");
}

static void print_sequence(const attest_dataset *dataset, size_t i)
{
    FMPQ_VEC(token, (slong)dataset->dim);

    attest_print("sequence %zu: ", i);
    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
        attest_tokens_get_entries(token, &dataset->tokens, attest_dataset_token(dataset, i, k));
        attest_print(k ? " " : "");
        print_vector(token, dataset->dim);
    }
    attest_print("\n");
}

static void print_extreme(const char *name, const fmpq_t square, const char *end)
{
    ARB(ball);
    char *text;

    attest_ball_root(ball, square);
    text = arb_get_str(ball, 6, ARB_STR_NO_RADIUS);
    attest_print("%s %s%s", name, text, end);
    flint_free(text);
}

static void print_text(const counterexample_job *job)
{
    const attest_counterexample *c = &job->counterexample;

    if (job->entry)
        attest_cli_print_gallery(job->entry, &job->numbers);
    if (job->trained)
        attest_cli_print_trained(&job->space);
    if (job->least) {
        attest_print("minimal among ");
        attest_cli_print_space(&job->space, true);
    }
    attest_print("hardmax, %s ties, mask %s, %zu head%s: merged%s\n",
                 attest_ties_name(c->weights.ties), attest_mask_name(c->weights.mask),
                 c->weights.heads, c->weights.heads == 1 ? "" : "s",
                 is_universal(job) ? ", and by all other weights, too" : "");
    for (size_t i = 0; i < c->dataset.count; i++)
        print_sequence(&c->dataset, i);
    attest_print("output at [%zu,%zu] and at [%zu,%zu], where the contexts differ:\n",
                 c->pair[0][0], c->pair[0][1], c->pair[1][0], c->pair[1][1]);
    for (int side = 0; side < 2; side++) {
        attest_print("  ");
        print_vector(c->output[side], c->dataset.dim);
        attest_print("\n");
    }
    attest_print("equal, exactly. Tokens: ");
    print_extreme("least norm", job->extremes.r_min_square, ", ");
    print_extreme("largest norm", job->extremes.r_max_square, ", ");
    print_extreme("least distance", job->extremes.eps_square, "");
    attest_print("\n");
}

static int print(const counterexample_job *job, const attest_common *common)
{
    attest_json json;

    if (common->output)
        ATTEST_CLI_TRY(attest_cli_save(common->output, write_all, job));
    if (!common->json) {
        if (!common->stdout_by)
            print_text(job);
        attest_cli_print_hint(common,
                              "next: 'attest replay %s' evaluates it in every number system%s",
                              common->output ? common->output : "FILE",
                              common->output ? "" : "; -o FILE writes it");
        return EXIT_HOLDS;
    }
    attest_json_write_begin(&json, stdout);
    write_all(&json, job);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static int find(counterexample_job *job, attest_common *common)
{
    attest_error error;
    int code = job->trained ? EXIT_HOLDS : get_weights(job, common);

    if (code == EXIT_HOLDS)
        code = build(job, common);
    if (code != EXIT_HOLDS)
        return code;
    if (!job->found) {
        if (common->json)
            attest_print("{\n  \"outputs_equal\": false\n}\n");
        else if (job->least)
            attest_cli_print_space(&job->space, false);
        else
            attest_print("none found%s\n",
                         job->search ? ""
                         : job->entry
                             ? ": these weights are not among those that it defeats"
                             : ": every tried exchange of these tokens changes the output at "
                               "every tried query");
        return EXIT_FAILS;
    }
    if (attest_separated_get(&job->extremes, &job->counterexample.dataset, &error))
        return attest_cli_fail(&error);
    return print(job, common);
}

/* What --list and --show go with; the entry that is shown. */
static int check_gallery(counterexample_job *job)
{
    if (job->least && (!job->vocabulary || job->search))
        return attest_cli_refuse("--least needs --vocabulary DATA: it searches all "
                                 "sequences of its tokens");
    if (!job->list && !job->show)
        return EXIT_HOLDS;
    if (job->search || job->vocabulary || job->ties >= 0 || job->mask >= 0 ||
        (job->list && (job->show || job->weights || job->heads || job->dim || job->size)))
        return attest_cli_refuse("--list excludes all other options, --show NAME all but "
                                 "--weights or --heads, --dim, --size and --seed");
    job->trained = job->show && strcmp(job->show, attest_cli_trained.name) == 0;
    if (job->trained && (job->weights || job->heads || job->dim || job->size))
        return attest_cli_refuse("--show %s has weights of its own", job->show);
    job->entry = job->show ? attest_gallery_get(job->show) : NULL;
    if (job->show && !job->entry && !job->trained)
        return attest_cli_refuse("--show: '%s' is not in the gallery ('attest counterexample "
                                 "--list' lists it)",
                                 job->show);
    return EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    static const char *const ties[] = {"uniform", "leftmost", NULL};
    static const char *const masks[] = {"none", "causal", NULL};
    counterexample_job job = {.seed = 1, .ties = -1, .mask = -1};
    attest_common common;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"weights", 'w', "W", "hardmax weights, JSON (default: random weights)", OPTION_TEXT,
         &job.weights, NULL},
        {"heads", 0, "H", "number of random heads (default: 1)", OPTION_POSITIVE, &job.heads,
         NULL},
        {"dim", 0, "D", "entries of a token (default: 2)", OPTION_POSITIVE, &job.dim, NULL},
        {"size", 0, "S", "rows of W_Q, W_K, W_V (default: as --dim)", OPTION_POSITIVE,
         &job.size, NULL},
        {"seed", 0, "N", "seed of random weights and of --search (default: 1)", OPTION_COUNT,
         &job.seed, NULL},
        {"vocabulary", 0, "DATA", "use the tokens of this dataset", OPTION_TEXT,
         &job.vocabulary, NULL},
        {"least", 0, NULL,
         "search all sequences of these tokens, each at a position where DATA\nhas it, "
         "shortest first",
         OPTION_FLAG, &job.least, NULL},
        {"list", 0, NULL, "list the gallery of least counterexamples", OPTION_FLAG, &job.list,
         NULL},
        {"show", 0, "NAME", "print one of them, with its own weights or the given ones",
         OPTION_TEXT, &job.show, NULL},
        {"search", 0, NULL, "try random data and shrink what is found", OPTION_FLAG,
         &job.search, NULL},
        {"ties", 0, "TIES", "uniform or leftmost (default: as in W, or uniform)", OPTION_CHOICE,
         &job.ties, ties},
        {"mask", 0, "MASK", "none or causal (default: as in W, or none)", OPTION_CHOICE,
         &job.mask, masks},
        {0},
    };

    attest_counterexample_init(&job.counterexample);
    attest_separated_init(&job.extremes);
    code = attest_cli_parse(&attest_command_counterexample, &common, options, argc, argv, 0, 0,
                            &operands, &count);
    if (code == EXIT_HOLDS)
        code = attest_cli_check_stdin((const char *const[]){job.weights, job.vocabulary}, 2);
    if (code == EXIT_HOLDS && job.search && job.vocabulary)
        code = attest_cli_refuse("--search and --vocabulary exclude each other");
    if (code == EXIT_HOLDS)
        code = check_gallery(&job);
    if (code == EXIT_HOLDS)
        code = job.list ? attest_cli_list_gallery(&common) : find(&job, &common);
    attest_separated_clear(&job.extremes);
    attest_counterexample_clear(&job.counterexample);
    return code;
}
