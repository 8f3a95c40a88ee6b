/* eval.c -- attest eval: the outputs of attention or of a network, in a chosen arithmetic. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <attest/attest.h>

#include "attention/head_plan.h"
#include "attention/network.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/workers.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "data/network.h"
#include "io/conll.h"
#include "io/json_write.h"
#include "number/scope.h"
#include "report/print.h"

static int run(int argc, char **argv);

const attest_command attest_command_eval = {
    .name = "eval",
    .arguments = "DATA --weights W [OPTION]...",
    .summary = "evaluate attention, or a network, on a dataset",
    .details =
        "Prints the output at every position of every sequence. In JSON, outputs[i][k][c] is\n"
        "entry c at position k of sequence i: a ball, or a number.",
    .example =
        "  attest eval examples/universal-pair.json --weights examples/hardmax.json\n"
        "  attest eval data.json --weights softmax.json --number ball --bits 1024 --json\n"
        "  attest eval data.json --weights softmax.json --number bfloat16 --round zero",
    .product = "write the outputs as JSON to FILE",
    .data = true,
    .works = true,
    .run = run,
};

typedef enum eval_system { EVAL_EXACT, EVAL_BALL, EVAL_MPFR, EVAL_DOUBLE } eval_system;

/* The arithmetic of --number, --bits and --round. */
typedef struct eval_arithmetic {
    eval_system system;
    long bits;            /* ball */
    attest_format format; /* mpfr */
    mpfr_rnd_t rounding;  /* mpfr */
} eval_arithmetic;

/* The command line. */
typedef struct eval_request {
    const char *data, *weights, *number, *round;
    unsigned long bits;
} eval_request;

/* Prints outputs as one JSON object, or as a line per token. */
typedef struct eval_printer {
    FILE *stream;
    bool as_json;
    attest_json json;
    size_t position; /* of the next entry in its token */
    bool failed;     /* memory ran out for an entry of a line */
} eval_printer;

enum { DEFAULT_BITS = 128, LEAST_BITS = 2, MOST_BITS = 10000000 };

/* Parses --number, and --bits and --round where they apply. EXIT_HOLDS, or an error message. */
static int choose_arithmetic(eval_arithmetic *arithmetic, const eval_request *request,
                             attest_activation activation)
{
    const char *number = request->number;
    bool any_precision;
    attest_error error;
    char name[32];

    if (!number)
        number = activation == ATTEST_HARDMAX ? "exact" : "ball";
    any_precision = strcmp(number, "ball") == 0 || strcmp(number, "mpfr") == 0;
    if (request->bits && !any_precision)
        return attest_cli_refuse(
            "--bits: only --number ball and mpfr have a precision to choose, not '%s'", number);
    if (request->bits && (request->bits < LEAST_BITS || request->bits > MOST_BITS))
        return attest_cli_refuse("--bits: the precision must be from %d to %d bits", LEAST_BITS,
                                 MOST_BITS);
    arithmetic->bits = request->bits ? (long)request->bits : DEFAULT_BITS;
    arithmetic->rounding = MPFR_RNDN;
    if (request->round && attest_rounding_parse(&arithmetic->rounding, request->round, &error))
        return attest_cli_refuse("--round: %s", error.text);

    if (strcmp(number, "exact") == 0) {
        arithmetic->system = EVAL_EXACT;
        if (activation == ATTEST_SOFTMAX)
            return attest_cli_refuse("--number %s: softmax is not rational; use --number ball",
                                     number);
    } else if (strcmp(number, "ball") == 0) {
        arithmetic->system = EVAL_BALL;
    } else if (strcmp(number, "double") == 0) {
        arithmetic->system = EVAL_DOUBLE;
    } else {
        arithmetic->system = EVAL_MPFR;
        snprintf(name, sizeof name, "p=%ld", arithmetic->bits);
        if (attest_format_parse(&arithmetic->format,
                                strcmp(number, "mpfr") == 0 ? name : number, &error))
            return attest_cli_refuse("--number: %s%s", error.text,
                                     strncmp(number, "p=", 2) ? "; or exact, ball, mpfr, double"
                                                              : "");
    }
    if (request->round && arithmetic->system != EVAL_MPFR)
        return attest_cli_refuse("--round is for mpfr and formats, not for '%s'", number);
    return EXIT_HOLDS;
}

/* Numbers with larger exponents are written as hex floats, not as fractions of that many
 * digits. */
#define LARGEST_FRACTION_EXPONENT 100000

static const char *const system_name[] = {"exact", "ball", "mpfr", "double"};

static void begin_json(eval_printer *printer, const eval_arithmetic *arithmetic,
                       const attest_network *network)
{
    attest_json *json = &printer->json;

    attest_json_write_begin(json, printer->stream);
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "record", "attest/eval"); /* "format": of the numbers */
    attest_json_write_integer(json, "version", 1);
    attest_json_write_string(json, "activation",
                             attest_activation_name(network->attention.activation));
    attest_json_write_string(json, "number", system_name[arithmetic->system]);
    if (arithmetic->system == EVAL_BALL)
        attest_json_write_integer(json, "bits", arithmetic->bits);
    if (arithmetic->system == EVAL_MPFR) {
        attest_json_write_string(json, "format", arithmetic->format.name);
        attest_json_write_integer(json, "bits", arithmetic->format.precision);
        attest_json_write_string(json, "round", mpfr_print_rnd_mode(arithmetic->rounding));
    }
    attest_json_write_array(json, "outputs");
}

static void print_begin(eval_printer *printer, FILE *stream, bool as_json,
                        const eval_arithmetic *arithmetic, const attest_network *network)
{
    const attest_weights *weights = &network->attention;

    printer->stream = stream;
    printer->as_json = as_json;
    printer->position = 0;
    printer->failed = false;
    if (as_json)
        begin_json(printer, arithmetic, network);
    else
        attest_fprint(
            stream, "%s attention of %zu head%s%s in %s%s%s\n",
            attest_activation_name(weights->activation), weights->heads,
            weights->heads == 1 ? "" : "s", network->has_after ? ", then feed-forward," : "",
            system_name[arithmetic->system], arithmetic->system == EVAL_MPFR ? " " : "",
            arithmetic->system == EVAL_MPFR ? arithmetic->format.name : "");
}

static attest_status print_end(eval_printer *printer)
{
    if (!printer->as_json)
        return printer->failed ? ATTEST_NOMEM : ATTEST_OK;
    attest_json_write_close(&printer->json);
    attest_json_write_close(&printer->json);
    return attest_json_write_end(&printer->json);
}

static void print_sequence_begin(eval_printer *printer, size_t i)
{
    if (printer->as_json)
        attest_json_write_array(&printer->json, NULL);
    else
        attest_fprint(printer->stream, "sequence %zu\n", i);
}

static void print_token_begin(eval_printer *printer, size_t i, size_t k)
{
    printer->position = 0;
    if (printer->as_json)
        attest_json_write_array(&printer->json, NULL);
    else
        attest_fprint(printer->stream, "  [%zu,%zu] ", i, k);
}

static void print_token_end(eval_printer *printer)
{
    if (printer->as_json)
        attest_json_write_close(&printer->json);
    else
        fputc('\n', printer->stream);
}

/* Prints one entry as text. If memory runs out, the output is discarded at the end. */
static void print_text(eval_printer *printer, const char *text)
{
    printer->failed = printer->failed || !text;
    attest_fprint(printer->stream, "%s%s", printer->position++ ? ", " : "", text ? text : "");
}

/* Entry e of an array of fmpq, arb, mpfr_t or double. */
static void print_exact(eval_printer *printer, const void *out, size_t e)
{
    const fmpq *value = (const fmpq *)out + e;
    char *text ATTEST_FREED = NULL;

    if (printer->as_json) {
        attest_json_write_rational(&printer->json, NULL, value);
        return;
    }
    text = attest_number_format(value);
    print_text(printer, text);
}

static void print_ball(eval_printer *printer, const void *out, size_t e)
{
    arb_srcptr value = (arb_srcptr)out + e;
    char *text ATTEST_FREED = NULL;

    if (printer->as_json) {
        attest_json_write_ball(&printer->json, NULL, value);
        return;
    }
    text = attest_ball_format_text(value);
    print_text(printer, text);
}

/* Prints a floating-point number as "p/q", or as a hex float if that is too long. */
static void write_arf(attest_json *json, const arf_t value)
{
    if (arf_is_finite(value) && arf_cmpabs_2exp_si(value, LARGEST_FRACTION_EXPONENT) < 0 &&
        (arf_is_zero(value) || arf_cmpabs_2exp_si(value, -LARGEST_FRACTION_EXPONENT) > 0)) {
        FMPQ(fraction);

        arf_get_fmpq(fraction, value);
        attest_json_write_rational(json, NULL, fraction);
    } else {
        attest_json_write_arf(json, NULL, value);
    }
}

static void print_mpfr(eval_printer *printer, const void *out, size_t e)
{
    mpfr_srcptr value = ((const mpfr_t *)out)[e];
    char *text = NULL;

    if (printer->as_json) {
        ARF(x);

        arf_set_mpfr(x, value);
        write_arf(&printer->json, x);
        return;
    }
    /* Returns a number of digits that distinguishes all numbers of this precision. */
    if (mpfr_asprintf(&text, "%.*Rg", (int)mpfr_get_str_ndigits(10, mpfr_get_prec(value)),
                      value) >= 0)
        print_text(printer, text);
    mpfr_free_str(text);
}

static void print_double(eval_printer *printer, const void *out, size_t e)
{
    double value = ((const double *)out)[e];
    char text[32];

    if (printer->as_json) {
        ARF(x);

        arf_set_d(x, value);
        write_arf(&printer->json, x);
        return;
    }
    snprintf(text, sizeof text, "%.17g", value);
    print_text(printer, text);
}

/* The state of the evaluation. */
typedef struct eval_job {
    attest_dataset dataset;
    attest_network network;
    attest_network_runner runner;
    attest_network_in_double *in_double;
    attest_network_in_mpfr *in_mpfr;
    attest_sequence sequence;
    eval_arithmetic arithmetic;
    eval_printer printer[2];
    size_t printers;
} eval_job;

/* Entry number e of the outputs of one sequence. */
typedef void print_entry(eval_printer *printer, const void *out, size_t e);

static void print_sequence(eval_printer *printer, size_t i, size_t length,
                           const attest_network *network, const void *out, print_entry *print)
{
    print_sequence_begin(printer, i);
    for (size_t k = 0; k < length; k++) {
        print_token_begin(printer, i, k);
        for (size_t c = 0; c < network->output_dim; c++)
            print(printer, out, k * network->dim + c);
        print_token_end(printer);
    }
    if (printer->as_json)
        attest_json_write_close(&printer->json);
}

static void print_everywhere(eval_job *job, size_t i, const void *out, print_entry *print)
{
    for (size_t p = 0; p < job->printers; p++)
        print_sequence(&job->printer[p], i, job->sequence.length, &job->network, out, print);
}

static attest_status eval_exact(eval_job *job, size_t i, size_t entries, attest_error *error)
{
    FMPQ_VEC(out, (slong)entries);

    ATTEST_TRY(attest_network_exact(out, &job->runner, &job->sequence, error));
    print_everywhere(job, i, out, print_exact);
    return ATTEST_OK;
}

/* Widens the outputs by the error of square roots, angles and softcaps (pairing.h). */
static void add_slack(arb_ptr out, size_t entries, const fmpq_t slack)
{
    ARB(more);
    MAG(radius);

    if (fmpq_is_zero(slack))
        return;
    arb_set_fmpq(more, slack, 64);
    arb_get_mag(radius, more);
    for (size_t e = 0; e < entries; e++)
        arb_add_error_mag(out + e, radius);
}

static attest_status eval_ball(eval_job *job, size_t i, size_t entries, attest_error *error)
{
    ARB_VEC(out, (slong)entries);

    ATTEST_TRY(
        attest_network_ball(out, &job->runner, &job->sequence, job->arithmetic.bits, error));
    add_slack(out, entries, job->network.attention.output_error);
    print_everywhere(job, i, out, print_ball);
    return ATTEST_OK;
}

static attest_status eval_mpfr(eval_job *job, size_t i, size_t entries, attest_error *error)
{
    MPFR_VEC(job->arithmetic.format.precision, out, entries);

    if (!out)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_network_in_mpfr_eval(out, job->in_mpfr, &job->sequence, error));
    print_everywhere(job, i, out, print_mpfr);
    return ATTEST_OK;
}

static attest_status eval_double(eval_job *job, size_t i, size_t entries, attest_error *error)
{
    double *out ATTEST_FREED = attest_memory_alloc(entries, sizeof *out);

    if (!out)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_network_in_double_eval(out, job->in_double, &job->sequence, error));
    print_everywhere(job, i, out, print_double);
    return ATTEST_OK;
}

static attest_status eval_sequence(eval_job *job, size_t i, attest_budget *budget,
                                   attest_error *error)
{
    static attest_status (*const eval[])(eval_job *, size_t, size_t, attest_error *) = {
        [EVAL_EXACT] = eval_exact,
        [EVAL_BALL] = eval_ball,
        [EVAL_MPFR] = eval_mpfr,
        [EVAL_DOUBLE] = eval_double,
    };

    ATTEST_TRY(attest_dataset_get_sequence(&job->sequence, &job->dataset, i, budget, error));
    return eval[job->arithmetic.system](job, i, job->sequence.length * job->network.dim, error);
}

/* Prepares the network for the chosen arithmetic. */
static attest_status prepare(eval_job *job, attest_error *error)
{
    const eval_arithmetic *arithmetic = &job->arithmetic;

    if (arithmetic->system == EVAL_DOUBLE)
        return attest_network_in_double_init(&job->in_double, &job->network, error);
    if (arithmetic->system == EVAL_MPFR)
        return attest_network_in_mpfr_init(&job->in_mpfr, &job->network, &arithmetic->format,
                                           arithmetic->rounding, error);
    return attest_network_runner_init(&job->runner, &job->network, error);
}

/* Are outputs printed to the terminal? Then no progress line is drawn between them. */
static bool prints_to_terminal(const eval_job *job)
{
    for (size_t p = 0; p < job->printers; p++)
        if (job->printer[p].stream == stdout && isatty(STDOUT_FILENO))
            return true;
    return false;
}

static attest_status eval_all(eval_job *job, attest_budget *budget, attest_error *error)
{
    attest_progress shown = {0};

    ATTEST_TRY(prepare(job, error));
    if (!prints_to_terminal(job))
        shown = attest_cli_progress();
    ATTEST_PROGRESS_STAGE(progress, &shown);
    attest_progress_report(progress, "sequences", 0, job->dataset.count, NULL);
    for (size_t i = 0; i < job->dataset.count; i++) {
        ATTEST_TRY(eval_sequence(job, i, budget, error));
        attest_progress_report(progress, "sequences", i + 1, job->dataset.count, NULL);
    }
    return ATTEST_OK;
}

/* Reads the dataset, and weights that fit it. Layers before attention have tokens of their own.
 */
static int fit(eval_job *job, const attest_input *input, const eval_request *request,
               attest_common *common)
{
    attest_network *network = &job->network;
    attest_weights *weights = &network->attention;
    int code;

    if (network->has_before || network->has_after || network->positional ||
        network->input_dim != weights->dim) {
        if (job->dataset.dim == network->input_dim)
            return EXIT_HOLDS;
        return attest_cli_refuse("%s: tokens have %zu entries, but the network of %s takes %zu",
                                 request->data, job->dataset.dim, request->weights,
                                 network->input_dim);
    }
    code =
        attest_cli_pair(common, &job->dataset, input, request->data, weights, request->weights);
    network->dim = network->input_dim = weights->dim;
    if (network->output_dim > attest_weights_output_dim(weights) || weights->output_dim)
        network->output_dim = attest_weights_output_dim(weights);
    return code;
}

/* The inputs of the network are words. */
static int read_words(eval_job *job, const eval_request *request, attest_common *common)
{
    attest_error error;
    ATTEST_SCOPED(attest_tags, tags);
    size_t dim;

    if (attest_embed_parse(&dim, job->network.embed, &error)) {
        attest_error_prefix(&error, error.status, request->weights);
        return attest_cli_fail_input(&error);
    }
    if (attest_conll_read(&job->dataset, &tags, request->data, dim, &common->budget, &error))
        return attest_cli_fail_input(&error);
    return fit(job, NULL, request, common);
}

static int read_tokens(eval_job *job, const eval_request *request, attest_common *common)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};
    attest_error error;

    if (attest_input_open(&input, request->data, common->budget.left, &error))
        return attest_cli_fail_input(&error);
    ATTEST_CLI_TRY(attest_cli_read_dataset_input(&job->dataset, &input, common));
    return fit(job, &input, request, common);
}

static int read_inputs(eval_job *job, const eval_request *request, attest_common *common)
{
    const char *const paths[] = {request->data, request->weights};
    attest_error error;
    bool capped;

    ATTEST_CLI_TRY(attest_cli_check_stdin(paths, 2));
    if (attest_network_read_any(&job->network, request->weights, &common->budget, &error))
        return attest_cli_fail_input(&error);
    capped = !fmpq_is_zero(job->network.attention.form.softcap); /* pairing makes it scores */
    ATTEST_CLI_TRY(job->network.embed ? read_words(job, request, common)
                                      : read_tokens(job, request, common));
    ATTEST_CLI_TRY(
        choose_arithmetic(&job->arithmetic, request, job->network.attention.activation));
    if (capped && job->arithmetic.system != EVAL_BALL)
        return attest_cli_refuse("%s: a softcap is evaluated in balls only: --number ball",
                                 request->weights);
    return EXIT_HOLDS;
}

/* Checks the work of all sequences before anything is evaluated or printed. */
static int charge(eval_job *job, const char *path, attest_common *common)
{
    const eval_arithmetic *arithmetic = &job->arithmetic;
    attest_status status;
    attest_error error;

    if (arithmetic->system != EVAL_EXACT && arithmetic->system != EVAL_BALL)
        return EXIT_HOLDS;
    status = attest_work_charge_sequences(
        &common->max_work, &job->network.attention, &job->dataset, NULL, job->dataset.count,
        arithmetic->system == EVAL_BALL ? arithmetic->bits : 0, &common->budget, &error);
    return attest_error_prefix(&error, status, path) ? attest_cli_fail_work(&error, common)
                                                     : EXIT_HOLDS;
}

static void add_printer(eval_job *job, FILE *stream, bool as_json)
{
    print_begin(&job->printer[job->printers++], stream, as_json, &job->arithmetic,
                &job->network);
}

/* Ends the printers. Failures to write are found when the streams are closed. */
static int end_printers(eval_job *job, int code)
{
    for (size_t p = 0; p < job->printers; p++) {
        if (print_end(&job->printer[p]) == ATTEST_NOMEM && code == EXIT_HOLDS) {
            attest_cli_complain("out of memory");
            code = EXIT_ENVIRONMENT;
        }
    }
    return code;
}

static int eval(eval_job *job, const eval_request *request, attest_common *common)
{
    attest_output output;
    attest_error error;
    int code;

    ATTEST_CLI_TRY(read_inputs(job, request, common));
    ATTEST_CLI_TRY(charge(job, request->data, common));
    if (common->output && attest_output_open(&output, common->output, &error))
        return attest_cli_fail(&error);
    if (common->output)
        add_printer(job, output.stream, true);
    if (common->json || !common->output)
        add_printer(job, stdout, common->json);
    code = attest_error_prefix(&error, eval_all(job, &common->budget, &error), request->data)
               ? attest_cli_fail(&error)
               : EXIT_HOLDS;
    code = end_printers(job, code);
    if (!common->output)
        return code;
    if (code != EXIT_HOLDS) {
        attest_output_abandon(&output);
        return code;
    }
    return attest_output_commit(&output, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    eval_request request = {0};
    attest_common common;
    eval_job job = {0};
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"weights", 'w', "W",
         "the attention weights (JSON or .npz), or a network that\n'attest memorize' wrote; "
         "required",
         OPTION_TEXT, &request.weights, NULL},
        {"number", 'n', "SYSTEM",
         "exact (hardmax only), ball, mpfr, double, or a format: binary64\nbinary32 tfloat32 "
         "bfloat16 binary16 float8_e4m3fn float8_e5m2\nand others (doc/formats.md), p=N, "
         "p=N:emin=E:emax=E\n(default: exact for hardmax, ball for softmax)",
         OPTION_TEXT, &request.number, NULL},
        {"bits", 'b', "P", "precision of ball and mpfr (default: 128)", OPTION_POSITIVE,
         &request.bits, NULL},
        {"round", 'r', "MODE",
         "nearest, zero, up, down or away, for mpfr and formats\n(default: nearest)",
         OPTION_TEXT, &request.round, NULL},
        {0},
    };

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_eval, &common, options, argc, argv, 1, 1,
                                    &operands, &count));
    if (!request.weights)
        return attest_cli_refuse(
            "no weights given: use --weights W (see 'attest eval --help')");
    request.data = operands[0];
    attest_dataset_init(&job.dataset);
    attest_network_init(&job.network);
    attest_sequence_init(&job.sequence);
    attest_sequence_init(&job.runner.encoded);
    code = eval(&job, &request, &common);
    attest_sequence_clear(&job.sequence);
    attest_network_runner_clear(&job.runner);
    attest_network_in_double_clear(job.in_double);
    attest_network_in_mpfr_clear(job.in_mpfr);
    attest_network_clear(&job.network);
    attest_dataset_clear(&job.dataset);
    return code;
}
