/* interval_attention.h -- one attention layer in intervals, in the order of doc/arithmetic.md.
 */
#ifndef ATTEST_PROPS_INTERVAL_ATTENTION_H
#define ATTEST_PROPS_INTERVAL_ATTENTION_H

#include <attest/error.h>
#include <attest/sequence.h>
#include <attest/weights.h>

#include "props/interval.h"

/* out[k*dim + c], intervals of one precision, enclose the exact output and every floating-point
 * evaluation at that precision with unbounded exponents, whatever the rounding mode, whose exp
 * is within slack units in the last place of a rounding of the exact one. known[k] tells
 * whether they do: for hardmax not where rounding could change who wins. Status: NOMEM. */
attest_status attest_interval_attention(attest_interval *out, bool *known,
                                        const attest_weights *weights,
                                        const attest_sequence *sequence,
                                        unsigned slack) ATTEST_WARN_UNUSED;

#endif
