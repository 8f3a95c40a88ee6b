/* network.h -- networks, evaluated in balls, in rationals and in floating point. */
#ifndef ATTEST_ATTENTION_NETWORK_H
#define ATTEST_ATTENTION_NETWORK_H

#include <attest/format.h>
#include "data/network.h"
#include <attest/sequence.h>

#include "attention/feed_forward.h"

/* encoded = the sequence as the network's first layer sees it: zeros appended, positions added.
 * Exact. Status: FORMAT (tokens do not have input_dim entries). */
attest_status attest_network_encode(attest_sequence *encoded, const attest_network *network,
                                    const attest_sequence *sequence,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* A network, prepared for many sequences. */
typedef struct attest_network_runner {
    const attest_network *network;
    attest_feed_forward_plan before, after;
    attest_pattern before_pattern, after_pattern;
    attest_sequence encoded; /* input of the attention layer, after the layer before */
    arb_ptr attended;        /* room for one sequence after the attention layer */
    size_t room;
} attest_network_runner;

/* The network must outlive the runner. Must be cleared, also after a failure. Status: NOMEM,
 * UNABLE. */
attest_status attest_network_runner_init(attest_network_runner *runner,
                                         const attest_network *network,
                                         attest_error *error) ATTEST_WARN_UNUSED;
void attest_network_runner_clear(attest_network_runner *runner);

/* Sets encoded and attended: encoding and the layer before exactly, attention in balls of this
 * precision. Status: FORMAT, NOMEM. */
attest_status attest_network_attend(attest_network_runner *runner,
                                    const attest_sequence *sequence, long bits,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* out (length * dim entries) encloses the outputs. Where the layer after is constant around the
 * enclosure of the output of attention, the output is that constant, rounded to bits. Status:
 * FORMAT, NOMEM. */
attest_status attest_network_ball(arb_ptr out, attest_network_runner *runner,
                                  const attest_sequence *sequence, long bits,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* out = the outputs. Domain: the attention layer is hardmax. Status: DOMAIN, FORMAT, NOMEM. */
attest_status attest_network_exact(fmpq *out, attest_network_runner *runner,
                                   const attest_sequence *sequence,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Evaluation of a network with every operation rounded; encoding is exact. The layers' numbers
 * are rounded once, by init. Status: DOMAIN (the layer before gives a number that is not
 * finite), FORMAT, NOMEM. */
typedef struct attest_network_doubles attest_network_doubles;
attest_status attest_network_doubles_init(attest_network_doubles **state,
                                          const attest_network *network,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_network_doubles_clear(attest_network_doubles *state);
attest_status attest_network_double(double *out, attest_network_doubles *state,
                                    const attest_sequence *sequence,
                                    attest_error *error) ATTEST_WARN_UNUSED;

typedef struct attest_network_mpfrs attest_network_mpfrs;
attest_status attest_network_mpfrs_init(attest_network_mpfrs **state,
                                        const attest_network *network,
                                        const attest_format *format, mpfr_rnd_t rounding,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_network_mpfrs_clear(attest_network_mpfrs *state);
attest_status attest_network_mpfr(mpfr_t *out, attest_network_mpfrs *state,
                                  const attest_sequence *sequence,
                                  attest_error *error) ATTEST_WARN_UNUSED;

#endif
