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

/* Larger instances are not looked at. */
enum {
    ATTEST_FILTER_INTEGERS_POSITIONS = 64,
    ATTEST_FILTER_INTEGERS_DIM = 16,
    ATTEST_FILTER_INTEGERS_HEADS = 4,
    ATTEST_FILTER_INTEGERS_SEEN = 16 /* by one softmax query */
};

/* One instance, as far as it has been looked at. */
typedef struct attest_filter_integers {
    const attest_filter_shape *shape;
    const attest_filter_instance *instance;
    size_t positions;
    bool tried, usable;
    int exponent; /* outputs are numerator / denominator * 2^exponent */
    int64_t skip; /* what tokens are multiplied by where they are added */
    int64_t token[ATTEST_FILTER_INTEGERS_POSITIONS * ATTEST_FILTER_INTEGERS_DIM];
    /* By head, dim x dim: W_K^T W_Q and W_O W_V. */
    int64_t score[ATTEST_FILTER_INTEGERS_HEADS]
                 [ATTEST_FILTER_INTEGERS_DIM * ATTEST_FILTER_INTEGERS_DIM];
    int64_t value[ATTEST_FILTER_INTEGERS_HEADS]
                 [ATTEST_FILTER_INTEGERS_DIM * ATTEST_FILTER_INTEGERS_DIM];
    /* By position: the output, once it is asked for. */
    unsigned char state[ATTEST_FILTER_INTEGERS_POSITIONS];
    int64_t numerator[ATTEST_FILTER_INTEGERS_POSITIONS * ATTEST_FILTER_INTEGERS_DIM];
    int64_t denominator[ATTEST_FILTER_INTEGERS_POSITIONS];
    /* By position, softmax of one head: what it sees, the highest score first; -1: too much, 0:
     * not yet asked for. And the value of its token. */
    signed char seen[ATTEST_FILTER_INTEGERS_POSITIONS];
    int64_t ranked[ATTEST_FILTER_INTEGERS_POSITIONS][ATTEST_FILTER_INTEGERS_SEEN];
    unsigned char rank[ATTEST_FILTER_INTEGERS_POSITIONS][ATTEST_FILTER_INTEGERS_SEEN];
    int64_t moved[ATTEST_FILTER_INTEGERS_POSITIONS * ATTEST_FILTER_INTEGERS_DIM];
} attest_filter_integers;

/* Another instance; nothing is computed yet. */
void attest_filter_integers_begin(attest_filter_integers *integers,
                                  const attest_filter_shape *shape,
                                  const attest_filter_instance *instance, size_t positions);

/* centre = the output at a position, among all of them, and *radius bounds the Euclidean
 * distance from the exact one. False where it is not such a fraction. */
bool attest_filter_integers_get(double *centre, double *radius,
                                attest_filter_integers *integers, size_t position);

/* Whether both outputs are such fractions; then *equal tells whether they are the same, and
 * *square is their squared distance with a relative error below 2^-40, but for less than
 * 2^-1000 that underflows; it may be infinite where it is not below 2^1000. */
bool attest_filter_integers_compare(bool *equal, double *square,
                                    attest_filter_integers *integers, size_t a, size_t b);

/* One softmax head: whether the outputs at two positions are different (1), or equal (-1), for
 * the difference is a sum of exponentials whose coefficients are small integers; 0 where it is
 * not known. */
int attest_filter_integers_compare_softmax(attest_filter_integers *integers, size_t a,
                                           size_t b);

/* So many instances are evaluated together; one with more positions is left to certify. */
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
    double *centre;         /* positions * dim; those of ties are set by the judge, */
    double *radius;         /* positions; and their radii with them */
    const uint32_t *winner; /* hardmax: per sequence heads * length; not of ties */
    bool tied[ATTEST_FILTER_POSITIONS]; /* set by the judge: scores tie, integers told who wins
                                         */
    attest_filter_integers *integers;   /* scratch */
} attest_filter_outputs;

/* The tokens that a query sees. */
typedef struct attest_filter_sight {
    const double *token; /* length * dim */
    size_t length;
} attest_filter_sight;

/* Whether the outputs of one query token in two contexts, softmax, are proved to be more than
 * bound >= 0 apart by the terms in which the contexts differ; small distances are seen as well.
 * Domain: at most ATTEST_FILTER_POSITIONS tokens each, all finite; weights and tokens are the
 * exact ones. */
bool attest_filter_difference(const attest_double_layer *layer, const double *query,
                              const attest_filter_sight *a, const attest_filter_sight *b,
                              double bound);

/* Sets verdict, part and place of the answer; undecided where doubles do not suffice. packed is
 * scratch of dim * ATTEST_FILTER_POSITIONS doubles. */
void attest_filter_judge(attest_filter_answer *answer, attest_filter_outputs *outputs,
                         const attest_filter_bounds *bounds, double *packed);

/* The answer of attest_certify. Status: as attest_filter_check. */
attest_status attest_filter_escalate(attest_filter_answer *answer, const attest_filter *filter,
                                     const attest_filter_instance *instance,
                                     attest_error *error) ATTEST_WARN_UNUSED;

#endif
