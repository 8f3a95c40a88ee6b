/* approximate.c -- attest approximate: universal approximation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "io/json_write.h"
#include "data/network.h"
#include "number/scope.h"
#include "theory/approximate.h"

enum { DEFAULT_GRID = 16, MOST_GRID = 1 << 20 };

static int run(int argc, char **argv);

const attest_command attest_command_approximate = {
    .name = "approximate",
    .arguments = "--function NAME --grid G [--dim D] [--length N] [OPTION]... [FILE]",
    .summary = "build a universal approximator and enclose its errors",
    .details =
        "Builds a network of feed-forward, attention and feed-forward layers, with "
        "exact\nrational weights, that approximates an equivariant function on [0, 1]^(d x n): "
        "stairs\nof G cells per axis, attention that distinguishes all multisets of cells, "
        "ramps to the\nvalues. The value on every cell is proved; the errors in L^1 and L^2 "
        "are enclosed and\nprinted beside the a priori bound. Functions, entry c at token k:\n "
        " sum       x_kc sum_j x_jc\n  product   product_j x_jc\n  variance  (x_kc - mean_j "
        "x_jc)^2\n  inner     x_kc mean_je x_ke x_je\n  distance  mean_je (x_ke - x_je)^2\nAt "
        "most 2^20 cells: G^(d n), with d and n up to 4.",
    .example = "  attest approximate --function sum --grid 64\n"
               "  attest approximate --function inner --dim 2 --length 2 --grid 16 --csv",
    .product = "write the network (JSON) to FILE",
    .run = run,
};

typedef struct approximate_job {
    int function;
    unsigned long grid, dim, length, seed, jobs;
    bool csv;
} approximate_job;

static attest_status build(attest_approximation *a, const approximate_job *job, size_t grid,
                           attest_error *error)
{
    attest_status status;

    a->function = &attest_equivariants[job->function];
    a->dim = job->dim;
    a->length = job->length;
    a->grid = grid;
    a->seed = job->seed;
    a->jobs = attest_cli_jobs(job->jobs);
    a->progress = attest_cli_progress();
    attest_cli_work_begin("building the network");
    status = attest_approximation_build(a, error);
    attest_cli_work_end();
    return status;
}

/* Returns whether the enclosures respect the a priori bounds. */
static bool below_bounds(const attest_approximation *a)
{
    return arb_le(a->l1, a->l1_bound) && arb_le(a->l2, a->l2_bound);
}

static int exit_code(const attest_approximation *a)
{
    return a->proved == ATTEST_PROVED && !below_bounds(a) ? EXIT_FAILS
                                                          : attest_cli_verdict_code(a->proved);
}

static void write_errors(attest_json *json, const attest_approximation *a)
{
    attest_json_write_ball(json, "l1", a->l1);
    attest_json_write_ball(json, "l2", a->l2);
    attest_json_write_ball(json, "l1_bound", a->l1_bound);
    attest_json_write_ball(json, "l2_bound", a->l2_bound);
    attest_json_write_bool(json, "below_bounds", below_bounds(a));
    attest_json_write_count(json, "subdivisions", a->subdivisions);
}

static int print_json(const attest_approximation *a, int code)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/approximate");
    attest_json_write_string(&json, "function", a->function->name);
    attest_json_write_string(&json, "formula", a->function->formula);
    attest_json_write_count(&json, "grid", a->grid);
    attest_json_write_count(&json, "dim", a->dim);
    attest_json_write_count(&json, "length", a->length);
    attest_json_write_string(&json, "verdict", attest_verdict_name(a->proved));
    if (a->proved == ATTEST_PROVED)
        write_errors(&json, a);
    else
        attest_json_write_string(&json, "reason", a->reason);
    attest_json_write_rational(&json, "ramp", a->ramp);
    attest_json_write_rational(&json, "ramp_measure", a->measure);
    attest_json_write_count(&json, "contexts", a->contexts);
    attest_json_write_count(&json, "stair_units", a->stair_units);
    attest_json_write_count(&json, "value_units", a->value_units);
    attest_json_write_integer(&json, "precision_bits", a->precision_bits);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, code);
}

static double low_of(const arb_t x)
{
    ARF(end);

    arb_get_lbound_arf(end, x, 64);
    return arf_get_d(end, ARF_RND_FLOOR);
}

static double high_of(const arb_t x)
{
    ARF(end);

    arb_get_ubound_arf(end, x, 64);
    return arf_get_d(end, ARF_RND_CEIL);
}

static void print_text(const attest_approximation *a)
{
    attest_print("%s: %s; d = %zu, n = %zu, G = %zu\n", a->function->name, a->function->formula,
                 a->dim, a->length, a->grid);
    attest_print(
        "hidden units              %zu in the stairs, %zu in the values of %zu contexts\n",
        a->stair_units, a->value_units, a->contexts);
    if (a->proved != ATTEST_PROVED) {
        attest_print("%s: %s\n", attest_verdict_name(a->proved), a->reason);
        return;
    }
    attest_print("error in L^1              from %.6g to %.6g, bound %.6g\n", low_of(a->l1),
                 high_of(a->l1), high_of(a->l1_bound));
    attest_print("error in L^2              from %.6g to %.6g, bound %.6g\n", low_of(a->l2),
                 high_of(a->l2), high_of(a->l2_bound));
    attest_print(
        "proved: on every cell, except for ramps of measure %.3g, the network is the function "
        "at the centre\n",
        fmpq_get_d(a->measure));
}

/* Writes a line of the table; the ends of intervals are rounded outward. */
static void print_row(FILE *stream, const attest_approximation *a)
{
    attest_fprint(stream, "%s,%zu,%zu,%zu,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%zu\n",
                  a->function->name, a->dim, a->length, a->grid, low_of(a->l1), high_of(a->l1),
                  high_of(a->l1_bound), low_of(a->l2), high_of(a->l2), high_of(a->l2_bound),
                  a->stair_units + a->value_units);
    fflush(stream);
}

/* Prints the table for the grids 2, 4, 8, ... below G, and G. */
static int print_table(FILE *stream, const approximate_job *job)
{
    attest_fprint(stream,
                  "function,d,n,grid,l1_low,l1_high,l1_bound,l2_low,l2_high,l2_bound,units\n");
    for (size_t grid = 2;; grid *= 2) {
        size_t own = grid < job->grid ? grid : job->grid;
        ATTEST_SCOPED(attest_approximation, a);
        attest_error error;

        if (build(&a, job, own, &error))
            return attest_cli_fail(&error);
        if (exit_code(&a) != EXIT_HOLDS) {
            attest_cli_complain("G = %zu: %s", own, a.reason);
            return exit_code(&a);
        }
        print_row(stream, &a);
        if (own == job->grid)
            return EXIT_HOLDS;
    }
}

static int tabulate(const approximate_job *job, const char *path)
{
    attest_output output;
    attest_error error;
    int code;

    if (!path || strcmp(path, "-") == 0)
        return print_table(stdout, job);
    if (attest_output_open(&output, path, &error))
        return attest_cli_fail(&error);
    code = print_table(output.stream, job);
    if (code != EXIT_HOLDS) {
        attest_output_abandon(&output);
        return code;
    }
    return attest_output_commit(&output, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

static int approximate(const approximate_job *job, const attest_common *common)
{
    ATTEST_SCOPED(attest_approximation, a);
    attest_error error;
    int code;

    if (build(&a, job, job->grid, &error))
        return attest_cli_fail_work(&error, common);
    if (a.proved == ATTEST_PROVED && common->output &&
        attest_network_write(&a.network, common->output, &error))
        return attest_cli_fail(&error);
    code = exit_code(&a);
    if (common->json)
        code = print_json(&a, code);
    else if (!common->stdout_by)
        print_text(&a);
    if (code == EXIT_HOLDS)
        attest_cli_print_hint(common,
                              "next: twice the --grid halves the bound; --csv prints all "
                              "grids up to G");
    return code;
}

static int run(int argc, char **argv)
{
    static const char *names[16];
    approximate_job job = {
        .function = -1, .grid = DEFAULT_GRID, .dim = 1, .length = 2, .seed = 1};
    attest_common common;
    char **operands;
    size_t count;
    const attest_option options[] = {
        {"function", 'f', "NAME", "the function; required", OPTION_CHOICE, &job.function,
         names},
        {"grid", 'g', "G", "cells along each axis (default: 16)", OPTION_POSITIVE, &job.grid,
         NULL},
        {"dim", 0, "D", "entries of a token (default: 1)", OPTION_POSITIVE, &job.dim, NULL},
        {"length", 0, "N", "tokens of a sequence (default: 2)", OPTION_POSITIVE, &job.length,
         NULL},
        {"csv", 0, NULL,
         "print a table of the errors for the grids 2, 4, 8, ... up to G, or\nwrite it to the "
         "operand FILE",
         OPTION_FLAG, &job.csv, NULL},
        {"seed", 0, "N", "seed of the random directions (default: 1)", OPTION_COUNT, &job.seed,
         NULL},
        ATTEST_CLI_JOBS(&job.jobs),
        {0},
    };

    for (size_t i = 0; attest_equivariants[i].name; i++)
        names[i] = attest_equivariants[i].name;
    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_approximate, &common, options, argc, argv,
                                    0, 1, &operands, &count));
    if (job.function < 0)
        return attest_cli_refuse(
            "no function given: use --function NAME (see 'attest approximate --help')");
    if (count > 0 && !job.csv)
        return attest_cli_refuse("unexpected operand '%s': only --csv writes to a FILE",
                                 operands[0]);
    if (job.csv && (common.json || common.output))
        return attest_cli_refuse("--csv excludes --json and -o");
    if (job.grid > MOST_GRID)
        return attest_cli_refuse("--grid: at most %d cells along an axis", MOST_GRID);
    return job.csv ? tabulate(&job, count ? operands[0] : NULL) : approximate(&job, &common);
}
