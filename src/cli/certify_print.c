/* certify_print.c -- how a claim and what was found are shown. */
#include "cli/certify_print.h"

#include <stdio.h>
#include <stdlib.h>

#include <attest/ball.h>
#include <attest/number.h>

#include "cli/command.h"
#include "io/certificate_json.h"
#include "io/counterexample_json.h"
#include "report/need.h"
#include "report/paint.h"

static void write_integer(attest_json *json, const char *key, const fmpz_t value)
{
    /* Beyond 64 bits as a string: most readers of JSON would round the number. */
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

int attest_cli_certify_print_json(const attest_claim *claim, const attest_finding *finding,
                                  const attest_certificate *certificate, int code)
{
    char shown[ATTEST_CLI_TEXT_SIZE];
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
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
    attest_print("%-18s %s", what, attest_need_text(text));
    if (arb_is_positive(ball))
        attest_print(" = 2^%s", attest_need_text(log2));
    attest_print(" at [%zu,%zu]", place[0].sequence, place[0].position);
    if (count == 2)
        attest_print(" and [%zu,%zu]", place[1].sequence, place[1].position);
    putchar('\n');
    free(text);
    free(log2);
}

/* What the verdict means, and what one may want to try next. */
static void print_meaning(const attest_claim *claim, const attest_finding *finding)
{
    bool proved = finding->verdict == ATTEST_PROVED;

    if (finding->verdict == ATTEST_UNDECIDED)
        return;
    if (!proved && finding->part == ATTEST_CLAIM_SEPARATION)
        attest_print(
            "%-18s %s\n", "meaning",
            fmpq_is_zero(claim->delta)
                ? "these two places have the same output: nothing behind can tell them apart"
                : "the outputs at these two places are not more than delta apart");
    else if (!proved)
        attest_print("%-18s this output is not shorter than r\n", "meaning");
    else
        attest_print(
            "%-18s every output tells its token, and its context, from all others here\n",
            "meaning");
    if (proved && claim->weights->activation == ATTEST_HARDMAX)
        attest_print(
            "%-18s of these sequences alone; no hardmax head does it for all that can be "
            "made\n%-18s of their tokens: see attest counterexample --vocabulary DATA\n",
            "", "");
}

void attest_cli_certify_print_text(const attest_claim *claim, const attest_finding *finding)
{
    char *pairs = fmpz_get_str(NULL, 10, finding->required_pairs);
    char *delta = attest_number_format(claim->delta);
    char *r = attest_number_format(claim->r);
    bool one = fmpz_is_one(finding->required_pairs);
    char shown[ATTEST_CLI_TEXT_SIZE];

    attest_print("%-18s %s%s required pair%s more than %s apart", "claim", one ? "" : "all ",
                 pairs, one ? " is" : "s are", attest_need_text(delta));
    if (claim->has_r)
        attest_print(", all norms are below %s", attest_need_text(r));
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
