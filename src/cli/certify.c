/* certify.c -- attest certify: is the layer a contextual mapping on these data? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>
#include <attest/certificate.h>
#include <attest/number.h>

#include "base/file.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "io/certificate_json.h"
#include "io/counterexample_json.h"
#include "io/json_write.h"
#include "report/print.h"

static int run(int argc, char **argv);

const attest_command attest_command_certify = {
    .name = "certify",
    .arguments = "DATA --weights W [--r R] [--delta D] [OPTION]...",
    .summary = "decide whether attention is a contextual mapping",
    .details = "Definition 2: the outputs at positions whose vocabularies or tokens differ "
               "must be\nmore than D apart, and all norms of outputs below R. The verdict is "
               "proved, refuted or\nundecided; the least separation is enclosed in each case.",
    .example = "  attest certify data.json --weights w.json\n"
               "  attest certify data.npy --weights w.json --r 10 --delta 1e-3 -o claim.json",
    .product = "write a certificate for 'attest check' to FILE",
    .data = true,
    .works = true,
    .run = run,
};

static void write_integer(attest_json *json, const char *key, const fmpz_t value)
{
    /* Numbers beyond 64 bits are strings: most readers of JSON would round them. */
    if (fmpz_abs_fits_ui(value) && fmpz_sgn(value) >= 0) {
        attest_json_write_count(json, key, fmpz_get_ui(value));
    } else {
        char *text = fmpz_get_str(NULL, 10, value);
        attest_json_write_string(json, key, text);
        flint_free(text);
    }
}

static void write_counterexample(attest_json *json, const attest_claim *claim,
                                 const attest_finding *finding)
{
    bool pair = finding->part == ATTEST_CLAIM_SEPARATION;
    attest_counterexample_excerpt excerpt = {
        .property = "contextual",
        .definition = "contextual-mapping",
        .found_by = "certify",
        .dataset = claim->dataset,
        .places = pair ? 2 : 1,
        .place = {pair ? finding->pair[0] : finding->largest, finding->pair[1]},
        .weights = claim->weights,
        .bound = pair ? "delta" : "r",
    };

    if (claim->has_r)
        excerpt.parameter[excerpt.parameters++] =
            (attest_excerpt_parameter){.name = "r", .number = claim->r};
    excerpt.parameter[excerpt.parameters++] =
        (attest_excerpt_parameter){.name = "delta", .number = claim->delta};
    attest_counterexample_write_excerpt(json, &excerpt);
}

/* Prints the JSON object of the command, with a counterexample if the claim is refuted. Returns
 * the code, or EXIT_ENVIRONMENT if the object is incomplete. */
static int print_json(const attest_claim *claim, const attest_finding *finding,
                      const attest_certificate *certificate, int code)
{
    char shown[ATTEST_CLI_TEXT_SIZE];
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/certify");
    attest_certificate_write_members(&json, certificate);
    write_integer(&json, "required_pairs", finding->required_pairs);
    attest_json_write_object(&json, "decided_by");
    write_integer(&json, "filter", finding->by_filter);
    write_integer(&json, "ball", finding->by_ball);
    write_integer(&json, "exact", finding->by_exact);
    write_integer(&json, "undecided", finding->undecided_pairs);
    attest_json_write_close(&json);
    if (finding->verdict == ATTEST_UNDECIDED)
        attest_json_write_string(&json, "reason",
                                 attest_cli_name_options(shown, finding->reason));
    if (finding->verdict == ATTEST_REFUTED)
        write_counterexample(&json, claim, finding);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, code);
}

static attest_paint paint(attest_verdict verdict)
{
    return verdict == ATTEST_PROVED    ? ATTEST_PAINT_GOOD
           : verdict == ATTEST_REFUTED ? ATTEST_PAINT_BAD
                                       : ATTEST_PAINT_OPEN;
}

static void print_ball(const char *what, const arb_t ball, const attest_place *place,
                       size_t count)
{
    char *text, *log2;

    if (!arb_is_finite(ball)) {
        attest_print("%-18s not known\n", what);
        return;
    }
    text = attest_ball_format_text(ball);
    log2 = attest_ball_format_log2(ball);
    attest_print("%-18s %s", what, attest_or_exit(text));
    if (arb_is_positive(ball))
        attest_print(" = 2^%s", attest_or_exit(log2));
    attest_print(" at [%zu,%zu]", place[0].sequence, place[0].position);
    if (count == 2)
        attest_print(" and [%zu,%zu]", place[1].sequence, place[1].position);
    putchar('\n');
    free(text);
    free(log2);
}

/* Prints the meaning of the verdict. */
static void print_meaning(const attest_claim *claim, const attest_finding *finding)
{
    bool proved = finding->verdict == ATTEST_PROVED;

    if (finding->verdict == ATTEST_UNDECIDED)
        return;
    if (!proved && finding->part == ATTEST_CLAIM_SEPARATION)
        attest_print(
            "%-18s %s\n", "meaning",
            fmpq_is_zero(claim->delta)
                ? "these two places have the same output: no later layer can tell them apart"
                : "the outputs at these two places are not more than delta apart");
    else if (!proved)
        attest_print("%-18s this output is not shorter than r\n", "meaning");
    else
        attest_print("%-18s each output determines its token and its context in these data\n",
                     "meaning");
    if (proved && claim->weights->activation == ATTEST_HARDMAX)
        attest_print(
            "%-18s of these sequences alone; no hardmax head does it for all that can be "
            "made\n%-18s of their tokens: see attest counterexample --vocabulary DATA\n",
            "", "");
}

/* Prints the summary. */
static void print_text(const attest_claim *claim, const attest_finding *finding)
{
    char *pairs = fmpz_get_str(NULL, 10, finding->required_pairs);
    char *delta = attest_number_format(claim->delta);
    char *r = attest_number_format(claim->r);
    bool one = fmpz_is_one(finding->required_pairs);
    char shown[ATTEST_CLI_TEXT_SIZE];

    attest_print("%-18s %s%s required pair%s more than %s apart", "claim", one ? "" : "all ",
                 pairs, one ? " is" : "s are", attest_or_exit(delta));
    if (claim->has_r)
        attest_print(", all norms are below %s", attest_or_exit(r));
    attest_print("\n%-18s ", "verdict");
    attest_paint_print(stdout, paint(finding->verdict), attest_verdict_name(finding->verdict));
    attest_print(" (%s)", finding->method);
    if (finding->verdict == ATTEST_REFUTED)
        attest_print(": the %s", finding->part == ATTEST_CLAIM_SEPARATION
                                     ? "least separation is too small"
                                     : "largest norm is too large");
    if (finding->verdict == ATTEST_UNDECIDED)
        attest_print(": %s", attest_cli_name_options(shown, finding->reason));
    attest_print("\n");
    if (finding->has_pair)
        print_ball("least separation", finding->min_separation, finding->pair, 2);
    print_ball("largest norm", finding->max_norm, &finding->largest, 1);
    print_meaning(claim, finding);
    flint_free(pairs);
    free(delta);
    free(r);
}

/* The command line. */
typedef struct certify_request {
    const char *data, *weights, *method;
    attest_number_option r, delta;
    unsigned long max_bits, max_terms, jobs;
} certify_request;

static bool known_method(const char *name)
{
    if (strcmp(name, "auto") == 0)
        return true;
    for (size_t i = 0; attest_certify_method_name(i); i++)
        if (strcmp(name, attest_certify_method_name(i)) == 0)
            return true;
    return false;
}

static int check_request(const certify_request *request, const attest_common *common)
{
    if (!request->weights)
        return attest_cli_refuse(
            "no weights given: use --weights W (see 'attest certify --help')");
    if (attest_cli_check_stdin((const char *const[]){request->data, request->weights}, 2))
        return EXIT_USAGE;
    if (!known_method(request->method))
        return attest_cli_refuse("--method: there is no method '%s': filter, exact, ball, "
                                 "first-difference or auto is expected",
                                 request->method);
    if (request->max_bits < ATTEST_CERTIFY_BITS || request->max_bits > 1000000000)
        return attest_cli_refuse("--max-bits: the precision must be from %d to 1000000000 bits",
                                 ATTEST_CERTIFY_BITS);
    if (common->output &&
        (strcmp(request->data, "-") == 0 || strcmp(request->weights, "-") == 0))
        return attest_cli_refuse("a certificate names its inputs: they must be files, not '-'");
    return EXIT_HOLDS;
}

/* Refuses pipes and devices if a certificate is written, since it names its input files. */
static int open_input(attest_input *input, const char *path, const attest_common *common)
{
    size_t limit = common->budget.left;
    attest_error error;

    if (common->output ? attest_input_open_file(input, path, limit, &error)
                       : attest_input_open(input, path, limit, &error))
        return attest_cli_fail_input(&error);
    return EXIT_HOLDS;
}

static int read_weights(attest_weights *weights, attest_certificate *certificate,
                        const char *path, attest_common *common)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};
    attest_error error;

    ATTEST_CLI_TRY(open_input(&input, path, common));
    if (attest_weights_read_input(weights, &input, &common->budget, &error))
        return attest_cli_fail_input(&error);
    if (common->output &&
        attest_certificate_add_open_input(certificate, "weights", &input, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

/* Reads both inputs and adapts them to each other; the dataset's input stays open until then.
 */
static int read_inputs(attest_dataset *dataset, attest_weights *weights,
                       attest_certificate *certificate, const certify_request *request,
                       attest_common *common)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};
    attest_error error;

    ATTEST_CLI_TRY(open_input(&input, request->data, common));
    ATTEST_CLI_TRY(attest_cli_read_dataset_input(dataset, &input, common));
    if (common->output && attest_certificate_add_open_dataset(
                              certificate, &input, common->tensor, common->homogeneous, &error))
        return attest_cli_fail(&error);
    ATTEST_CLI_TRY(read_weights(weights, certificate, request->weights, common));
    return attest_cli_pair(common, dataset, &input, request->data, weights, request->weights);
}

static void print_next(const attest_finding *finding, const attest_common *common)
{
    if (finding->verdict == ATTEST_REFUTED)
        attest_cli_print_hint(common,
                              "next: 'attest eval DATA --weights W' shows the outputs, and "
                              "--json has the sequences as a counterexample");
    else if (finding->verdict == ATTEST_PROVED && common->output)
        attest_cli_print_hint(
            common,
            "next: 'attest check %s' verifies it with independent code; 'attest audit DATA "
            "--weights W' shows the effect of rounding",
            common->output);
    else if (finding->verdict == ATTEST_PROVED)
        attest_cli_print_hint(common, "next: -o CERT keeps a certificate for 'attest check'; "
                                      "'attest audit DATA --weights W' shows the effect of "
                                      "rounding");
}

static int decide(attest_claim *claim, attest_certificate *certificate, attest_common *common)
{
    ATTEST_SCOPED(attest_finding, finding);
    attest_status status;
    attest_error error;
    int code;

    attest_cli_work_begin("certifying");
    status = attest_certify(&finding, claim, &error);
    attest_cli_work_end();
    if (status || attest_certificate_set(certificate, claim, &finding, &error) ||
        (common->output && attest_certificate_write(certificate, common->output, &error)))
        return attest_cli_fail_work(&error, common);
    code = attest_cli_verdict_code(finding.verdict);
    if (common->json)
        code = print_json(claim, &finding, certificate, code);
    else if (!common->stdout_by)
        print_text(claim, &finding);
    print_next(&finding, common);
    return code;
}

static void set_claim(attest_claim *claim, const certify_request *request)
{
    claim->has_r = request->r.given;
    fmpq_set(claim->r, request->r.value);
    fmpq_set(claim->delta, request->delta.value);
    claim->method = request->method;
    claim->max_bits = (long)request->max_bits;
    claim->max_terms = request->max_terms;
    claim->jobs = attest_cli_jobs(request->jobs);
}

static int certify(const certify_request *request, attest_common *common)
{
    ATTEST_SCOPED(attest_certificate, certificate);
    ATTEST_SCOPED(attest_dataset, dataset);
    ATTEST_SCOPED(attest_weights, weights);
    ATTEST_SCOPED(attest_claim, claim);

    ATTEST_CLI_TRY(check_request(request, common));
    set_claim(&claim, request);
    claim.max_work = common->max_work;
    claim.progress = attest_cli_progress();
    claim.dataset = &dataset;
    claim.weights = &weights;
    ATTEST_CLI_TRY(read_inputs(&dataset, &weights, &certificate, request, common));
    return decide(&claim, &certificate, common);
}

static int run(int argc, char **argv)
{
    certify_request request = {.method = "auto",
                               .max_bits = ATTEST_CERTIFY_MAX_BITS,
                               .max_terms = ATTEST_CERTIFY_MAX_TERMS};
    attest_common common;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"weights", 'w', "W", "the attention weights (JSON or .npz); required", OPTION_TEXT,
         &request.weights, NULL},
        {"r", 0, "R", "claim that all norms are below R (default: no claim)", OPTION_NUMBER,
         &request.r, NULL},
        {"delta", 0, "D", "claim separations above D (default: 0)", OPTION_NUMBER,
         &request.delta, NULL},
        {"method", 'm', "METHOD",
         "filter, exact (hardmax), ball (softmax), first-difference (one\nsoftmax head of rank "
         "1), or auto: the first that decides",
         OPTION_TEXT, &request.method, NULL},
        {"max-bits", 0, "B", "highest precision in bits (default: 1048576)", OPTION_COUNT,
         &request.max_bits, NULL},
        {"max-terms", 0, "T",
         "largest number of terms when exponential sums are multiplied out\n(default: "
         "4194304)",
         OPTION_POSITIVE, &request.max_terms, NULL},
        ATTEST_CLI_JOBS(&request.jobs),
        {0},
    };

    fmpq_init(request.r.value);
    fmpq_init(request.delta.value);
    code = attest_cli_parse(&attest_command_certify, &common, options, argc, argv, 1, 1,
                            &operands, &count);
    if (code == EXIT_HOLDS) {
        request.data = operands[0];
        code = certify(&request, &common);
    }
    fmpq_clear(request.r.value);
    fmpq_clear(request.delta.value);
    return code;
}
