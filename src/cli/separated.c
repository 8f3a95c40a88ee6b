/* separated.c -- attest separated: Definition 1. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/excerpt.h"
#include "cli/terminal.h"
#include "io/counterexample_json.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "report/print.h"

static int run(int argc, char **argv);

const attest_command attest_command_separated = {
    .name = "separated",
    .arguments = "DATA [--r-min R] [--r-max R] [--eps E] [OPTION]...",
    .summary = "decide tokenwise separatedness, or find the extremes",
    .details = "Definition 1: every token has r_min < |x| < r_max, and different tokens are "
               "more than\neps apart. The inequalities are strict and decided exactly. Without "
               "bounds, prints the\nextremes of the data and the tokens that attain them; as "
               "bounds they just fail.",
    .example = "  attest separated data.json\n"
               "  attest separated data.npy --r-min 1/10 --r-max 3 --eps 0.01 --json",
    .data = true,
    .works = true,
    .run = run,
};

/* The bounds of the command line, and the results. */
typedef struct separated_job {
    attest_number_option r_min, r_max, eps;
    attest_dataset dataset;
    attest_separated extremes;
    unsigned long jobs;
    attest_separated_part part;
} separated_job;

static bool any_bound(const separated_job *job)
{
    return job->r_min.given || job->r_max.given || job->eps.given;
}

static const char *part_name(attest_separated_part part)
{
    static const char *const name[] = {[ATTEST_SEPARATED_HOLDS] = "",
                                       [ATTEST_SEPARATED_R_MIN] = "r_min",
                                       [ATTEST_SEPARATED_R_MAX] = "r_max",
                                       [ATTEST_SEPARATED_EPS] = "eps"};

    return name[part];
}

/* Finds the tokens that violate a part; returns their number. */
static size_t violators(attest_place place[2], const separated_job *job)
{
    const attest_separated *x = &job->extremes;

    if (job->part == ATTEST_SEPARATED_EPS) {
        place[0] = x->eps[0];
        place[1] = x->eps[1];
        return 2;
    }
    place[0] = job->part == ATTEST_SEPARATED_R_MIN ? x->r_min : x->r_max;
    return 1;
}

static void write_counterexample(attest_json *json, const separated_job *job)
{
    const struct {
        const char *name;
        const attest_number_option *bound;
    } bounds[] = {{"r_min", &job->r_min}, {"r_max", &job->r_max}, {"eps", &job->eps}};
    attest_counterexample_excerpt excerpt = {
        .property = "separated",
        .definition = "separated",
        .found_by = "separated",
        .dataset = &job->dataset,
        .bound = part_name(job->part),
    };

    excerpt.places = violators(excerpt.place, job);
    for (size_t b = 0; b < 3; b++)
        if (bounds[b].bound->given)
            excerpt.parameter[excerpt.parameters++] = (attest_excerpt_parameter){
                .name = bounds[b].name, .number = bounds[b].bound->value};
    attest_counterexample_write_excerpt(json, &excerpt);
}

static int print_json(const separated_job *job, int code)
{
    const attest_separated *x = &job->extremes;
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/separated");
    attest_json_write_string(&json, "verdict",
                             !any_bound(job) ? NULL
                             : job->part     ? "fails"
                                             : "holds");
    attest_cli_write_root(&json, "r_min", x->r_min_square);
    attest_cli_write_root(&json, "r_max", x->r_max_square);
    if (x->has_pair)
        attest_cli_write_root(&json, "eps", x->eps_square);
    else
        attest_json_write_null(&json, "eps");
    attest_json_write_object(&json, "pairs");
    attest_cli_write_place(&json, "r_min", x->r_min);
    attest_cli_write_place(&json, "r_max", x->r_max);
    if (x->has_pair)
        attest_cli_write_pair(&json, "eps", x->eps);
    else
        attest_json_write_null(&json, "eps");
    attest_json_write_close(&json);
    attest_json_write_bool(&json, "no_duplicates", x->no_duplicates);
    if (!x->no_duplicates)
        attest_cli_write_pair(&json, "duplicate", x->duplicate);
    attest_json_write_count(&json, "tokens", job->dataset.tokens.count);
    if (job->part)
        write_counterexample(&json, job);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, code);
}

static void print_extreme(const char *what, const fmpq_t square, const attest_place *place,
                          size_t count)
{
    ARB(ball);
    char *text ATTEST_FREED = NULL;

    attest_ball_root(ball, square);
    text = attest_ball_format_text(ball);
    attest_print("%-22s %s at [%zu,%zu]", what, attest_or_exit(text), place[0].sequence,
                 place[0].position);
    if (count == 2)
        attest_print(" and [%zu,%zu]", place[1].sequence, place[1].position);
    putchar('\n');
}

static void print_text(const separated_job *job)
{
    const attest_separated *x = &job->extremes;

    print_extreme("least norm", x->r_min_square, &x->r_min, 1);
    print_extreme("largest norm", x->r_max_square, &x->r_max, 1);
    if (x->has_pair)
        print_extreme("least distance", x->eps_square, x->eps, 2);
    else
        attest_print("%-22s none: there is one token only\n", "least distance");
    if (x->no_duplicates)
        attest_print("no sequence has a token twice\n");
    else
        attest_print("sequence %zu has a token twice, at %zu and %zu\n",
                     x->duplicate[0].sequence, x->duplicate[0].position,
                     x->duplicate[1].position);
    if (any_bound(job) && job->part == ATTEST_SEPARATED_HOLDS) {
        attest_paint_print(stdout, ATTEST_PAINT_GOOD, "holds");
        attest_print(": the tokens are separated within the bounds given\n");
    } else if (any_bound(job)) {
        attest_paint_print(stdout, ATTEST_PAINT_BAD, "fails");
        attest_print(": the bound on %s is met or passed by the data\n", part_name(job->part));
    }
}

static int separate(separated_job *job, const char *path, attest_common *common)
{
    attest_status status;
    attest_error error;
    int code;

    ATTEST_CLI_TRY(attest_cli_read_dataset(&job->dataset, path, common));
    job->extremes.progress = attest_cli_progress();
    job->extremes.jobs = attest_cli_jobs(job->jobs);
    job->extremes.max_work = common->max_work;
    attest_cli_work_begin("comparing tokens");
    status = attest_separated_get(&job->extremes, &job->dataset, &error);
    attest_cli_work_end();
    if (status) {
        attest_error_prefix(&error, error.status, path);
        return attest_cli_fail_work(&error, common);
    }
    job->part = attest_separated_check(
        &job->extremes, job->r_min.given ? job->r_min.value : NULL,
        job->r_max.given ? job->r_max.value : NULL, job->eps.given ? job->eps.value : NULL);
    code = job->part ? EXIT_FAILS : EXIT_HOLDS;
    if (common->json)
        return print_json(job, code);
    print_text(job);
    if (code == EXIT_HOLDS && job->extremes.no_duplicates)
        attest_cli_print_hint(common,
                              "next: 'attest construct DATA' builds a softmax head that "
                              "distinguishes all contexts of these tokens");
    return code;
}

static int run(int argc, char **argv)
{
    separated_job job = {0};
    attest_common common;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"r-min", 0, "R", "every norm must be larger than R", OPTION_NUMBER, &job.r_min, NULL},
        {"r-max", 0, "R", "every norm must be smaller than R", OPTION_NUMBER, &job.r_max, NULL},
        {"eps", 0, "E", "different tokens must be more than E apart", OPTION_NUMBER, &job.eps,
         NULL},
        ATTEST_CLI_JOBS(&job.jobs),
        {0},
    };

    fmpq_init(job.r_min.value);
    fmpq_init(job.r_max.value);
    fmpq_init(job.eps.value);
    attest_dataset_init(&job.dataset);
    attest_separated_init(&job.extremes);
    code = attest_cli_parse(&attest_command_separated, &common, options, argc, argv, 1, 1,
                            &operands, &count);
    if (code == EXIT_HOLDS)
        code = separate(&job, operands[0], &common);
    attest_separated_clear(&job.extremes);
    attest_dataset_clear(&job.dataset);
    fmpq_clear(job.r_min.value);
    fmpq_clear(job.r_max.value);
    fmpq_clear(job.eps.value);
    return code;
}
