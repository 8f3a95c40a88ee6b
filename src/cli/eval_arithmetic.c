/* eval_arithmetic.c -- the arithmetic that a command line asks for. */
#include <string.h>

#include "cli/command.h"
#include "cli/eval.h"

enum { DEFAULT_BITS = 128, LEAST_BITS = 2, MOST_BITS = 10000000 };

int attest_eval_choose(eval_arithmetic *arithmetic, const eval_request *request,
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
        return attest_cli_refuse(
            "--round: only mpfr and the formats round as they are told, not '%s'", number);
    return EXIT_HOLDS;
}
