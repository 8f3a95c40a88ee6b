/* approximate.h -- universal approximation: stairs, attention, ramps.
 *
 * A continuous equivariant function f of sequences X in [0, 1]^{d x n} is approximated by
 *     F_FF2 o F_SA o F_FF1:
 * F_FF1 maps every entry to the centre of its cell, one of G of width 1/G, by a stair whose
 * ramps are ATTEST_RAMP / G^2 wide; F_SA has different outputs for all multisets of n cells;
 * F_FF2 maps each to the value of f at the centres, exactly. Proofs:
 * proofs-notes/approximate.md. */
#ifndef ATTEST_THEORY_APPROXIMATE_H
#define ATTEST_THEORY_APPROXIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>

#include "data/network.h"
#include "theory/memorize.h"

/* log2 of G^2 times the width of a ramp. */
#define ATTEST_RAMP_LOG2 (-20)

/* Limits: G^(d n) cells, and entries of tokens and lengths. */
#define ATTEST_APPROXIMATE_MOST_CELLS ((size_t)1 << 20)
#define ATTEST_APPROXIMATE_MOST_DIM 4
#define ATTEST_APPROXIMATE_MOST_LENGTH 4

/* Bounds on [0, 1]^{d x n} for entry c of the value at token k: |derivatives| with respect to
 * entry e of token j, in the four cases j = k or not, e = c or not. Exact rationals, as
 * numerators over one denominator. */
typedef struct attest_partial_bounds {
    long own, own_other, token, token_other; /* (k,c), (k,e), (j,c), (j,e) */
} attest_partial_bounds;

typedef struct attest_equivariant {
    const char *name;
    const char *formula; /* of entry c at token k */
    /* numerator = entry 0 at token 0, times denominator, at the point X = x / unit; x has n * d
     * whole numbers from 0 to unit, token after token. The value at token k, entry c, is that
     * after exchanging tokens 0 and k and entries 0 and c: f is equivariant, and symmetric in
     * entries. */
    int64_t (*get)(const int64_t *x, size_t d, size_t n);
    /* scale and degree: denominator = scale unit^degree. */
    int64_t (*get_scale)(size_t d, size_t n);
    size_t (*get_degree)(size_t n);
    /* Over the denominator scale: first derivatives, unmixed second derivatives, and sup - inf
     * of f. */
    void (*bound)(attest_partial_bounds *first, attest_partial_bounds *second, long *range,
                  size_t d, size_t n);
    /* slope[j*d + e] = a bound of the |derivative| by entry e of token j on the cube of all
     * points within half of centre in every entry, as a double that a factor 1 + 2^-20 makes
     * rigorous. Domain: the cube is inside [0, 1]^{d x n}, half >= 2^-21. */
    void (*bound_slopes)(double *slope, const double *centre, double half, size_t d, size_t n);
} attest_equivariant;

/* The functions, ended by a NULL name. All depend on the whole context. */
extern const attest_equivariant attest_equivariants[];

typedef struct attest_approximation {
    /* The parameters; set before building. */
    const attest_equivariant *function;
    size_t dim, length, grid; /* d, n, G >= 2 */
    uint64_t seed;
    attest_progress progress; /* of the proofs and the quadrature */
    size_t jobs; /* processes that share both; 0: one. The result does not depend on it */
    /* The results. */
    attest_network network;
    size_t contexts; /* multisets of cells with a query */
    size_t stair_units, value_units;
    fmpq_t ramp;           /* the width of a ramp */
    fmpq_t measure;        /* an upper bound of the measure of all X with an entry in a ramp */
    attest_verdict proved; /* on every cell without its ramps the network is f at the centres */
    char reason[ATTEST_ERROR_SIZE];
    long precision_bits;
    /* Errors of f - network in L^1 and L^2, all entries together: enclosures, and the bounds
     * d n (omega + range measure) and sqrt(d n) (omega + range sqrt(measure)), omega the
     * largest change of f between a cell's centre and its points. */
    size_t subdivisions; /* of every cell, along each axis */
    arb_t l1, l2, l1_bound, l2_bound;
} attest_approximation;

/* No function, d = 1, n = 2, G = 16, seed 1. */
void attest_approximation_init(attest_approximation *approximation);
void attest_approximation_clear(attest_approximation *approximation);

/* Builds the network, proves its values on the cells, and encloses its errors. Status: USAGE
 * (beyond the limits above, or the numbers of the quadrature do not fit into 63 bits), UNABLE,
 * NOMEM. Cost: about G^(d n) / (n - 1)! exponentials at 128 bits and 2^28 evaluations of f. */
attest_status attest_approximation_build(attest_approximation *approximation,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* value = the value of f at token k, entry c, of the sequence of points x / unit. Exact. */
void attest_equivariant_value(fmpq_t value, const attest_equivariant *function,
                              const int64_t *x, int64_t unit, size_t d, size_t n, size_t k,
                              size_t c);

/* stairs = the layer that maps each entry in [0, 1] to the centre of its cell, outside the
 * ramps of this width around the G - 1 borders. Status: NOMEM. */
attest_status attest_stairs_build(attest_feed_forward *stairs, size_t dim, size_t grid,
                                  const fmpq_t ramp, attest_error *error) ATTEST_WARN_UNUSED;

/* Decides, exactly, whether the layer is constant and equal to the centre on every cell of
 * every axis without its ramps. If not, *flat = false and reason names a cell. Status: NOMEM.
 */
attest_status attest_stairs_check(bool *flat, char *reason, size_t size,
                                  const attest_feed_forward *stairs, size_t grid,
                                  const fmpq_t ramp, attest_error *error) ATTEST_WARN_UNUSED;

/* Sets subdivisions, l1, l2 and their bounds, for a network that is f at the centres on all
 * cells without their ramps and stays inside the range of f everywhere. Status: USAGE. */
attest_status attest_approximation_bound(attest_approximation *approximation,
                                         attest_error *error) ATTEST_WARN_UNUSED;

#endif
