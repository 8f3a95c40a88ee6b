/* network.h -- networks, evaluated in balls, in rationals and in floating point. */
#ifndef ATTEST_ATTENTION_NETWORK_H
#define ATTEST_ATTENTION_NETWORK_H

#include <attest/format.h>
#include "data/network.h"
#include <attest/sequence.h>

#include "attention/feed_forward.h"

/* encoded = the input of the network's first layer, exactly: the sequence with zeros appended
 * and positions added. Status: FORMAT (tokens do not have input_dim entries). */
attest_status attest_network_encode(attest_sequence *encoded, const attest_network *network,
                                    const attest_sequence *sequence,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* A network, prepared for many sequences. */
typedef struct attest_network_runner {
    const attest_network *network;
    attest_feed_forward_plan before, after;
    attest_pattern before_pattern, after_pattern;
    attest_sequence encoded; /* the input of the attention layer */
    arb_ptr attended;        /* room for one sequence after the attention layer */
    size_t room;
} attest_network_runner;

/* The network must outlive the runner. Must be cleared, also after a failure. Status: NOMEM,
 * UNABLE. */
attest_status attest_network_runner_init(attest_network_runner *runner,
                                         const attest_network *network,
                                         attest_error *error) ATTEST_WARN_UNUSED;
void attest_network_runner_clear(attest_network_runner *runner);

/* Sets encoded and attended: evaluates the encoding and the feed-forward layer before attention
 * exactly, and attention in balls of this precision. Status: FORMAT, NOMEM. */
attest_status attest_network_attend(attest_network_runner *runner,
                                    const attest_sequence *sequence, long bits,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* out (length * dim entries) encloses the outputs. If the feed-forward layer after attention
 * is constant on the enclosure of its input, the output is that constant, rounded to bits.
 * Status: FORMAT, NOMEM. */
attest_status attest_network_ball(arb_ptr out, attest_network_runner *runner,
                                  const attest_sequence *sequence, long bits,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* out = the outputs. Domain: the attention layer is hardmax. Status: DOMAIN, FORMAT, NOMEM. */
attest_status attest_network_exact(fmpq *out, attest_network_runner *runner,
                                   const attest_sequence *sequence,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Evaluate a network with every operation rounded; attest_network_encode is exact. init rounds
 * the numbers of the feed-forward layers once; clear the state also if init fails. The network
 * must outlive the state, and a state must not be used by two threads. Status: DOMAIN (the
 * feed-forward layer before attention gives a number that is not finite), FORMAT, NOMEM. */
typedef struct attest_network_in_double attest_network_in_double;
attest_status attest_network_in_double_init(attest_network_in_double **state,
                                            const attest_network *network,
                                            attest_error *error) ATTEST_WARN_UNUSED;
void attest_network_in_double_clear(attest_network_in_double *state);
attest_status attest_network_in_double_eval(double *out, attest_network_in_double *state,
                                            const attest_sequence *sequence,
                                            attest_error *error) ATTEST_WARN_UNUSED;

typedef struct attest_network_in_mpfr attest_network_in_mpfr;
attest_status attest_network_in_mpfr_init(attest_network_in_mpfr **state,
                                          const attest_network *network,
                                          const attest_format *format, mpfr_rnd_t rounding,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_network_in_mpfr_clear(attest_network_in_mpfr *state);
attest_status attest_network_in_mpfr_eval(mpfr_t *out, attest_network_in_mpfr *state,
                                          const attest_sequence *sequence,
                                          attest_error *error) ATTEST_WARN_UNUSED;

#endif
