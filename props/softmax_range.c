/* softmax_range.c -- softmax weights of scores within a range. */
#include "props/statement.h"

const attest_statement attest_statement_softmax_range = {
    .name = "softmax_range",
    .title = "Softmax weights of scores within a range",
    .source = "our own",
    .text = "Scores within a range D give weights in [e^{-D}/n, e^{D}/n].",
    .decided_by = "balls",
};
