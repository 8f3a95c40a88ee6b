/* dot.c -- attest dot: dot products as a matrix unit forms them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/workers.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "io/hex_rows.h"
#include "judge/matrix_unit.h"

static int run(int argc, char **argv);

const attest_command attest_command_dot = {
    .name = "dot",
    .arguments = "MODEL FORMAT A B [C] [--result binary32|binary16] [OPTION]...",
    .summary = "compute dot products like a GPU's matrix unit, bit for bit",
    .details =
        "MODEL is tc:volta, tc:ampere, tc:ada, tc:hopper or tc:blackwell (or one of their\n"
        "GPUs: tc:a100), FORMAT that of the factors: binary16, bfloat16, tfloat32,\n"
        "float8_e4m3fn, float8_e5m2. A and B are text with one row per case and the same\n"
        "number of values in all rows, each 8 hexadecimal digits of binary32; C (absent: 0)\n"
        "and the result have one such value per line. Results are C + A.B.",
    .example = "  attest dot tc:hopper binary16 a.txt b.txt c.txt\n"
               "  attest dot tc:hopper float8_e4m3fn a.txt b.txt --promote 128 -o d.txt",
    .product = "write the results to FILE (default: standard output)",
    .run = run,
};

enum { CASES_BETWEEN_REPORTS = 4096 };

typedef struct dot_job {
    attest_common common;
    const char *model, *a_path, *b_path, *c_path; /* c_path may be NULL */
    attest_format format;
    int half; /* the choice of --result */
    unsigned long promote;
    attest_judge_core core;
    attest_hex_rows a, b, c;
    attest_progress progress;
} dot_job;

static attest_status read_rows(dot_job *job, attest_error *error)
{
    static const attest_format single = {.name = "binary32", 24, true, -126, 127, 32};
    attest_budget *budget = &job->common.budget;

    ATTEST_TRY(attest_hex_rows_read(&job->a, job->a_path, &job->format, budget, error));
    ATTEST_TRY(attest_hex_rows_read(&job->b, job->b_path, &job->format, budget, error));
    return job->c_path ? attest_hex_rows_read(&job->c, job->c_path, &single, budget, error)
                       : ATTEST_OK;
}

static int read_all(dot_job *job)
{
    const char *paths[] = {job->a_path, job->b_path, job->c_path};
    attest_status status;
    attest_error error;

    ATTEST_CLI_TRY(attest_cli_check_stdin(paths, 3));
    attest_cli_work_begin("reading");
    status = read_rows(job, &error);
    attest_cli_work_end();
    if (status)
        return attest_cli_fail_input(&error);
    if (job->b.rows != job->a.rows || job->b.cols != job->a.cols)
        return attest_cli_refuse("%s: there are %zu lines of %zu values, and in %s %zu of %zu",
                                 job->b_path, job->b.rows, job->b.cols, job->a_path,
                                 job->a.rows, job->a.cols);
    if (job->c_path && (job->c.rows != job->a.rows || job->c.cols != 1))
        return attest_cli_refuse("%s: there are %zu lines of %zu values, and %zu of 1 are "
                                 "expected, one for each line of %s",
                                 job->c_path, job->c.rows, job->c.cols, job->a.rows,
                                 job->a_path);
    return EXIT_HOLDS;
}

/* No progress line while results are printed to the terminal. */
static void begin_results(dot_job *job)
{
    memset(&job->progress, 0, sizeof job->progress);
    if (job->common.output || !isatty(STDOUT_FILENO))
        job->progress = attest_cli_progress();
    attest_progress_report(&job->progress, "cases", 0, job->a.rows, NULL);
}

/* Returns the bits of the result in binary32; every NaN is that of the matrix unit. */
static uint32_t get_bits(const dot_job *job, size_t row)
{
    size_t cols = job->a.cols;
    double d =
        attest_judge_core_dot(job->c_path ? job->c.value[row] : 0, job->a.value + row * cols,
                              job->b.value + row * cols, cols, &job->core);
    float result = (float)d;
    uint32_t bits;

    memcpy(&bits, &result, sizeof bits);
    if ((row + 1) % CASES_BETWEEN_REPORTS == 0)
        attest_progress_report(&job->progress, "cases", row + 1, job->a.rows, NULL);
    return isnan(d) ? 0x7fffffff : bits;
}

static int write_lines(const dot_job *job)
{
    attest_output output;
    attest_error error;

    if (attest_output_open(&output, job->common.output ? job->common.output : "-", &error))
        return attest_cli_fail(&error);
    for (size_t i = 0; i < job->a.rows; i++)
        attest_fprint(output.stream, "%08x\n", (unsigned)get_bits(job, i));
    if (attest_output_commit(&output, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

static int print_json(const dot_job *job)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_string(&json, "record", "attest/dot"); /* "format": of the numbers */
    attest_json_write_integer(&json, "version", 1);
    attest_json_write_string(&json, "model", job->model);
    attest_json_write_string(&json, "format", job->format.name);
    attest_json_write_string(&json, "out", job->half ? "binary16" : "binary32");
    attest_json_write_count(&json, "cases", job->a.rows);
    attest_json_write_count(&json, "products", job->a.cols);
    if (!job->common.output) {
        attest_json_write_array(&json, "results");
        for (size_t i = 0; i < job->a.rows; i++) {
            char word[9];

            snprintf(word, sizeof word, "%08x", (unsigned)get_bits(job, i));
            attest_json_write_string(&json, NULL, word);
        }
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static int dot(dot_job *job)
{
    attest_error error;
    int code;

    if (attest_judge_core_init(&job->core, job->model, &job->format, &job->format,
                               job->half != 0, job->promote, &error))
        return attest_cli_refuse("%s", error.text);
    code = read_all(job);
    if (code == EXIT_HOLDS)
        begin_results(job);
    if (code == EXIT_HOLDS && (job->common.output || !job->common.json))
        code = write_lines(job);
    if (code == EXIT_HOLDS && job->common.json)
        code = print_json(job);
    attest_progress_end(&job->progress);
    attest_hex_rows_clear(&job->a);
    attest_hex_rows_clear(&job->b);
    attest_hex_rows_clear(&job->c);
    return code;
}

static int run(int argc, char **argv)
{
    static const char *const outs[] = {"binary32", "binary16", NULL};
    dot_job job = {0};
    char **operands;
    size_t count;
    attest_error error;
    const attest_option options[] = {
        {"result", 0, "FORMAT",
         "format of the results: binary32 or binary16 (default: binary32)", OPTION_CHOICE,
         &job.half, outs},
        {"promote", 0, "N",
         "sum every N products from 0, and add that sum to the result in its\n"
         "format, rounded to nearest (default: one chain)",
         OPTION_POSITIVE, &job.promote, NULL},
        {0},
    };

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_dot, &job.common, options, argc, argv, 4, 5,
                                    &operands, &count));
    job.model = operands[0];
    job.a_path = operands[2];
    job.b_path = operands[3];
    job.c_path = count > 4 ? operands[4] : NULL;
    if (attest_format_parse(&job.format, operands[1], &error))
        return attest_cli_refuse("%s", error.text);
    return dot(&job);
}
