/* filter_batch.h -- the parts of attest_filter_check: outputs of small instances with error
 * bounds, exact outputs in 64-bit integers, and the verdict.
 *
 * Where tokens and weights are integers, or integers over one power of two, hardmax outputs are
 * fractions of small numbers, and so are softmax outputs where all scores, or all values, are
 * equal. Integers decide ties and equal outputs there, which error bounds cannot. Other softmax
 * outputs are fractions of sums of exponentials, whose equality is decidable
 * (proofs-notes/filter.md, (11)). */
#ifndef ATTEST_CERTIFY_FILTER_BATCH_H
#define ATTEST_CERTIFY_FILTER_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/filter.h>

#include "certify/double_layer.h"

/* Larger instances are not evaluated in integers. */
enum {
    ATTEST_FILTER_INTEGERS_POSITIONS = 64,
    ATTEST_FILTER_INTEGERS_DIM = 16,
    ATTEST_FILTER_INTEGERS_HEADS = 4,
    ATTEST_FILTER_INTEGERS_SEEN = 16 /* by one softmax query */
};

/* One instance; values are computed when they are needed. */
typedef struct attest_filter_integers {
    const attest_filter_shape *shape;
    const attest_filter_instance *instance;
    size_t positions;
    bool tried, usable;
    int exponent; /* outputs are numerator / denominator * 2^exponent */
    int64_t skip; /* the factor of tokens in the skip connection */
    int64_t token[ATTEST_FILTER_INTEGERS_POSITIONS * ATTEST_FILTER_INTEGERS_DIM];
    /* By head, dim x dim: W_K^T W_Q and W_O W_V. */
    int64_t score[ATTEST_FILTER_INTEGERS_HEADS]
                 [ATTEST_FILTER_INTEGERS_DIM * ATTEST_FILTER_INTEGERS_DIM];
    int64_t value[ATTEST_FILTER_INTEGERS_HEADS]
                 [ATTEST_FILTER_INTEGERS_DIM * ATTEST_FILTER_INTEGERS_DIM];
    /* By position: the output, once it was needed. */
    unsigned char state[ATTEST_FILTER_INTEGERS_POSITIONS];
    int64_t numerator[ATTEST_FILTER_INTEGERS_POSITIONS * ATTEST_FILTER_INTEGERS_DIM];
    int64_t denominator[ATTEST_FILTER_INTEGERS_POSITIONS];
    /* By position, softmax of one head: the keys that it sees, the highest score first (seen
     * = -1: too many, 0: not ranked yet), and the value of its token. */
    signed char seen[ATTEST_FILTER_INTEGERS_POSITIONS];
    int64_t ranked[ATTEST_FILTER_INTEGERS_POSITIONS][ATTEST_FILTER_INTEGERS_SEEN];
    unsigned char rank[ATTEST_FILTER_INTEGERS_POSITIONS][ATTEST_FILTER_INTEGERS_SEEN];
    int64_t moved[ATTEST_FILTER_INTEGERS_POSITIONS * ATTEST_FILTER_INTEGERS_DIM];
} attest_filter_integers;

/* Starts with another instance. */
void attest_filter_integers_begin(attest_filter_integers *integers,
                                  const attest_filter_shape *shape,
                                  const attest_filter_instance *instance, size_t positions);

/* centre = the output at a position (numbered over all sequences), and *radius bounds its
 * Euclidean distance from the exact output. False if the output is not a fraction of small
 * integers. */
bool attest_filter_integers_get(double *centre, double *radius,
                                attest_filter_integers *integers, size_t position);

/* True if both outputs are fractions of small integers; then *equal = they are the same, and
 * *square is their squared distance with a relative error below 2^-40 and an underflow below
 * 2^-1000; it may be infinite if it is not below 2^1000. */
bool attest_filter_integers_compare(bool *equal, double *square,
                                    attest_filter_integers *integers, size_t a, size_t b);

/* For one softmax head: 1 if the outputs at two positions are different, -1 if they are
 * equal (their difference is a sum of exponentials whose coefficients are small integers), 0
 * if that is not known. */
int attest_filter_integers_compare_softmax(attest_filter_integers *integers, size_t a,
                                           size_t b);

/* Instances that are evaluated together, and positions of an instance; larger ones go to
 * certify. */
enum { ATTEST_FILTER_BATCH = 64, ATTEST_FILTER_POSITIONS = 64 };

/* The bounds of the claim in doubles: lower <= the rational <= upper. */
typedef struct attest_filter_bounds {
    bool has_r;
    double r_lower, r_upper, delta_lower, delta_upper;
} attest_filter_bounds;

/* An instance, evaluated. */
typedef struct attest_filter_outputs {
    const attest_filter_shape *shape;
    const attest_filter_instance *instance;
    const attest_double_layer *layer;
    size_t positions;
    double *centre;         /* positions * dim; attest_filter_judge sets those of ties */
    double *radius;         /* positions; likewise */
    const uint32_t *winner; /* hardmax: per sequence heads * length; not of ties */
    bool tied[ATTEST_FILTER_POSITIONS]; /* set by attest_filter_judge: scores tie, and integers
                                           found the winner */
    attest_filter_integers *integers;   /* scratch */
} attest_filter_outputs;

/* A context: the tokens that a query attends to. */
typedef struct attest_filter_context {
    const double *token; /* length * dim */
    size_t length;
} attest_filter_context;

/* Softmax: true if the terms in which two contexts of one query token differ prove that its
 * outputs are more than bound >= 0 apart, however small the distance is. Domain: at most
 * ATTEST_FILTER_POSITIONS tokens each, all finite; weights and tokens are exact. */
bool attest_filter_difference(const attest_double_layer *layer, const double *query,
                              const attest_filter_context *a, const attest_filter_context *b,
                              double bound);

/* Sets verdict, part and place of the answer; undecided if doubles do not suffice. packed is
 * scratch of dim * ATTEST_FILTER_POSITIONS doubles. */
void attest_filter_judge(attest_filter_answer *answer, attest_filter_outputs *outputs,
                         const attest_filter_bounds *bounds, double *packed);

/* Decides the instance by attest_certify. Status: as attest_filter_check. */
attest_status attest_filter_escalate(attest_filter_answer *answer, const attest_filter *filter,
                                     const attest_filter_instance *instance,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
