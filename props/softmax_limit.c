/* softmax_limit.c -- softmax tends to hardmax as the temperature falls. */
#include "props/statement.h"

const attest_statement attest_statement_softmax_limit = {
    .name = "softmax_limit",
    .title = "Softmax tends to hardmax as the temperature falls",
    .source = "our own",
    .text = "|softmax(s/tau) - hardmax(s)|_1 <= 2 (n - m) e^{-gamma/tau} / m for m maximisers "
            "(uniform ties) and a gap gamma to the next score.",
    .decided_by = "balls",
};
