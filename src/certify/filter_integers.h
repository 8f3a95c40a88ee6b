/* filter_integers.h -- outputs of small instances of small integers, exactly, in 64 bits.
 *
 * Where tokens and weights are integers, or integers over one power of two, hardmax outputs are
 * fractions of small numbers, and so are those of softmax whose scores, or whose values, are
 * all equal: ties and equal outputs, which error bounds cannot tell. Other outputs of softmax
 * are fractions of sums of exponentials, of which it is known when they are equal
 * (proofs-notes/filter.md, (11)). */
#ifndef ATTEST_CERTIFY_FILTER_INTEGERS_H
#define ATTEST_CERTIFY_FILTER_INTEGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/filter.h>

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
int attest_filter_integers_tell(attest_filter_integers *integers, size_t a, size_t b);

#endif
