/* eval.h -- the parts of attest eval: which arithmetic, and how its values are shown. */
#ifndef ATTEST_CLI_EVAL_H
#define ATTEST_CLI_EVAL_H

#include <stdio.h>

#include <attest/attest.h>

#include "io/json_write.h"
#include "data/network.h"

typedef enum eval_system { EVAL_EXACT, EVAL_BALL, EVAL_MPFR, EVAL_DOUBLE } eval_system;

/* The arithmetic that --number, --bits and --round ask for. */
typedef struct eval_arithmetic {
    eval_system system;
    long bits;            /* ball */
    attest_format format; /* mpfr */
    mpfr_rnd_t rounding;  /* mpfr */
} eval_arithmetic;

/* What the command line asked for. */
typedef struct eval_request {
    const char *data, *weights, *number, *round;
    unsigned long bits;
} eval_request;

/* --number, with --bits and --round where they mean something. EXIT_HOLDS, or a complaint. */
int attest_eval_choose(eval_arithmetic *arithmetic, const eval_request *request,
                       attest_activation activation);

/* Where outputs go: one JSON object, or a line per token. */
typedef struct eval_printer {
    FILE *stream;
    bool as_json;
    attest_json json;
    size_t position; /* of the next entry in its token */
    bool failed;     /* memory ran out for an entry of a line */
} eval_printer;

void attest_eval_print_begin(eval_printer *printer, FILE *stream, bool as_json,
                             const eval_arithmetic *arithmetic, const attest_network *network);
/* Status: NOMEM (an entry is missing), IO. */
attest_status attest_eval_print_end(eval_printer *printer);
void attest_eval_print_sequence(eval_printer *printer, size_t i);
void attest_eval_print_sequence_end(eval_printer *printer);
void attest_eval_print_token(eval_printer *printer, size_t i, size_t k);
void attest_eval_print_token_end(eval_printer *printer);

/* Entry e of an array of fmpq, arb, mpfr_t or double. */
void attest_eval_print_exact(eval_printer *printer, const void *out, size_t e);
void attest_eval_print_ball(eval_printer *printer, const void *out, size_t e);
void attest_eval_print_mpfr(eval_printer *printer, const void *out, size_t e);
void attest_eval_print_double(eval_printer *printer, const void *out, size_t e);

#endif
