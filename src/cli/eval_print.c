/* eval_print.c -- attention outputs as JSON or as lines. */
#include <math.h>
#include <stdlib.h>

#include "cli/eval.h"
#include "number/scope.h"
#include "report/print.h"

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

void attest_eval_print_begin(eval_printer *printer, FILE *stream, bool as_json,
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

attest_status attest_eval_print_end(eval_printer *printer)
{
    if (!printer->as_json)
        return printer->failed ? ATTEST_NOMEM : ATTEST_OK;
    attest_json_write_close(&printer->json);
    attest_json_write_close(&printer->json);
    return attest_json_write_end(&printer->json);
}

void attest_eval_print_sequence(eval_printer *printer, size_t i)
{
    if (printer->as_json)
        attest_json_write_array(&printer->json, NULL);
    else
        attest_fprint(printer->stream, "sequence %zu\n", i);
}

void attest_eval_print_sequence_end(eval_printer *printer)
{
    if (printer->as_json)
        attest_json_write_close(&printer->json);
}

void attest_eval_print_token(eval_printer *printer, size_t i, size_t k)
{
    printer->position = 0;
    if (printer->as_json)
        attest_json_write_array(&printer->json, NULL);
    else
        attest_fprint(printer->stream, "  [%zu,%zu] ", i, k);
}

void attest_eval_print_token_end(eval_printer *printer)
{
    if (printer->as_json)
        attest_json_write_close(&printer->json);
    else
        fputc('\n', printer->stream);
}

/* One entry as text; without it, because memory ran out, what was printed is not kept. */
static void print_text(eval_printer *printer, const char *text)
{
    printer->failed = printer->failed || !text;
    attest_fprint(printer->stream, "%s%s", printer->position++ ? ", " : "", text ? text : "");
}

void attest_eval_print_exact(eval_printer *printer, const void *out, size_t e)
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

void attest_eval_print_ball(eval_printer *printer, const void *out, size_t e)
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

/* A floating-point number is a rational: "p/q", or a hex float where that would be endless. */
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

void attest_eval_print_mpfr(eval_printer *printer, const void *out, size_t e)
{
    mpfr_srcptr value = ((const mpfr_t *)out)[e];
    char *text = NULL;

    if (printer->as_json) {
        ARF(x);

        arf_set_mpfr(x, value);
        write_arf(&printer->json, x);
        return;
    }
    /* As many digits as tell all numbers of this precision apart. */
    if (mpfr_asprintf(&text, "%.*Rg", (int)mpfr_get_str_ndigits(10, mpfr_get_prec(value)),
                      value) >= 0)
        print_text(printer, text);
    mpfr_free_str(text);
}

void attest_eval_print_double(eval_printer *printer, const void *out, size_t e)
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
