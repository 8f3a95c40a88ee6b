/* attention_ball.h -- balls of a passage of a sequence. */
#ifndef ATTEST_ATTENTION_ATTENTION_BALL_H
#define ATTEST_ATTENTION_ATTENTION_BALL_H

#include <attest/attention.h>

/* The balls of attest_attention_ball at the positions from begin to before end, and no others.
 * narrow: W_V z_j are averaged, not W_O W_V z_j, which is less work where heads are narrower
 * than tokens; the balls enclose as well, but how wide they are is not promised (W_O may
 * cancel). Cost: the projections of all tokens, exponentials for these queries. Domain: begin
 * <= end <= length. */
attest_status attest_attention_ball_between(arb_ptr out, const attest_weights *weights,
                                            const attest_sequence *sequence, size_t begin,
                                            size_t end, bool narrow, long bits,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#endif
