/* network.h -- a network of one attention layer between feed-forward layers, in exact
 * rationals.
 *
 *     encode, [feed-forward], attention, [feed-forward]
 *
 * A feed-forward layer maps every token on its own: z -> [z +] W_2 relu(W_1 z + b_1) + b_2. Its
 * units come in groups that share a row of W_1, the group's direction, as they do in stairs and
 * ramps: a layer of many units then takes little memory, and given direction.z an evaluation
 * finds the active units by bisection. Any layer can be written so, at worst with groups of one
 * unit. */
#ifndef ATTEST_DATA_NETWORK_H
#define ATTEST_DATA_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>
#include <attest/flint.h>
#include <attest/number.h>
#include <attest/weights.h>

/* Unit h of the group adds output_h relu(direction.z + bias_h): direction is a row of W_1,
 * bias_h an entry of b_1, output_h (dim numbers) a column of W_2. All are integers over the
 * denominators beside them, which are positive. */
typedef struct attest_units {
    size_t dim, count;
    fmpz *direction; /* dim */
    fmpz *bias;      /* count */
    fmpz *output;    /* count * dim, unit after unit */
    fmpz_t direction_denominator, bias_denominator, output_denominator;
} attest_units;

void attest_units_init(attest_units *units);
void attest_units_clear(attest_units *units);

/* Makes room for count units of zeros over the denominators 1. Status: NOMEM. */
attest_status attest_units_resize(attest_units *units, size_t dim,
                                  size_t count) ATTEST_WARN_UNUSED;

typedef struct attest_feed_forward {
    size_t dim;
    bool skip;
    size_t groups;
    attest_units *group;
    fmpq *bias; /* b_2, dim */
} attest_feed_forward;

void attest_feed_forward_init(attest_feed_forward *layer);
void attest_feed_forward_clear(attest_feed_forward *layer);

/* Makes room for this number of empty groups, b_2 = 0, with skip. Earlier contents are lost.
 * Status: NOMEM. */
attest_status attest_feed_forward_resize(attest_feed_forward *layer, size_t dim,
                                         size_t groups) ATTEST_WARN_UNUSED;

/* The units of all groups. */
size_t attest_feed_forward_units(const attest_feed_forward *layer);

typedef struct attest_network {
    /* encode: tokens of input_dim entries, then dim - input_dim zeros; the token at position k
     * (from 0) gets (k + 1) step added to its entry axis, if positional. */
    size_t input_dim, dim;
    size_t output_dim; /* the first entries of an output; the others are padding */
    bool positional;
    size_t axis;
    fmpq_t step;
    char *embed; /* "hash:D": words become tokens of D entries (conll.h); NULL: numbers */
    size_t tags; /* the names of the labels 0, 1, 2, ..., or none */
    char **tag;
    bool has_before, has_after;
    attest_feed_forward before, after;
    attest_weights attention;
} attest_network;

void attest_network_init(attest_network *network);
void attest_network_clear(attest_network *network);

/* Checks that all parts have the dimension of the network and that the encoding makes sense.
 * Status: FORMAT. */
attest_status attest_network_check_shapes(const attest_network *network,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* Reads an attest/network file, or a file of weights as attest_weights_read does; weights
 * become a network of the attention layer alone (dim is that of the weights, nothing is
 * encoded). */
attest_status attest_network_read_any(attest_network *network, const char *path,
                                      attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Writes an attest/network file, whole or not at all. Status: IO, NOMEM. */
attest_status attest_network_write(const attest_network *network, const char *path,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
