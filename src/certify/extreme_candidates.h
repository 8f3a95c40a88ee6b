/* extreme_candidates.h -- the candidates for the least distance of two outputs, or for the
 * largest norm of an output, enclosed in balls of growing precision. */
#ifndef ATTEST_CERTIFY_EXTREME_CANDIDATES_H
#define ATTEST_CERTIFY_EXTREME_CANDIDATES_H

#include <attest/certify.h>

#include "certify/outputs.h"
#include "certify/softmax_sum.h"

/* The square of the distance of two outputs, or of the norm of one. */
typedef struct attest_extreme_candidate {
    uint32_t first, second; /* second = first: the norm */
    bool zero, nonzero;     /* proved by the zero test */
    attest_softmax_cap cap; /* the limit that stopped a test, if any */
    bool compared;          /* the exact comparison with the bound of the claim was tried */
    bool decided;           /* it succeeded, and order is its result */
    int order;              /* the sign of square - bound */
    arb_struct square;      /* encloses the square */
} attest_extreme_candidate;

/* The candidates for the least square (distances) or the largest (norms). */
typedef struct attest_extreme {
    attest_outputs *outputs;
    bool largest; /* the largest is wanted, not the least */
    attest_extreme_candidate *candidate;
    size_t count, room;
    long bits; /* the precision of the squares */
    attest_softmax_limits limits;
    mag_t enough; /* a distance or norm with this radius is not refined further; 0: no limit */
    arf_t edge;   /* least: the least upper end so far; largest: the largest lower end */
    bool has_edge;
    size_t named; /* set by decide: the candidate to name */
} attest_extreme;

/* No candidates, and the limits of the claim. Weights with an error s stand for a layer whose
 * distances and norms are known to s at best: enough is 2^-40 s (proofs-notes/pairing.md, "How
 * far the stand-in is resolved"). */
void attest_extreme_init(attest_extreme *extreme, attest_outputs *outputs, bool largest,
                         const attest_claim *claim);
void attest_extreme_clear(attest_extreme *extreme);

/* Encloses the square of the candidate at this precision. A square that still contains 0 at
 * twice the first precision goes to the zero test, once; if it is not 0, it is enclosed from
 * its leading exponents (softmax_sum.h), relative to its own size. Weights with an error skip
 * this, because no verdict depends on it. */
attest_status attest_extreme_enclose(attest_extreme_candidate *candidate,
                                     attest_outputs *outputs, long bits,
                                     const attest_softmax_limits *limits,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Adds a candidate, whose square is moved, unless another one excludes it. Status: UNABLE (too
 * many whose squares overlap), NOMEM. */
attest_status attest_extreme_add(attest_extreme *extreme, attest_extreme_candidate *candidate,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Removes the candidates that others exclude, in place. */
void attest_extreme_sift(attest_extreme *extreme);

/* Removes all but the candidate that was added last: it is the extreme. */
void attest_extreme_keep_last(attest_extreme *extreme);

/* True if the root of the square has a radius of at most enough. */
bool attest_extreme_is_resolved(const attest_extreme *extreme, const arb_t square);

/* How an extreme compares with the bound of a claim. */
typedef enum attest_comparison {
    ATTEST_COMPARISON_BELOW = 0,
    ATTEST_COMPARISON_ABOVE,
    ATTEST_COMPARISON_MET, /* a candidate's square equals the bound: strict inequalities fail */
    ATTEST_COMPARISON_UNKNOWN /* for the reason given */
} attest_comparison;

/* Refines the candidates until the extreme is known to 2^-40 of its size, to 2^-100 if more
 * than one candidate is left, and compared with bound (a square; NULL: none); or until its
 * radius is at most enough, in which case the outcome may be unknown without a reason. named is
 * the first candidate that has the outcome itself, and hull encloses both its square and the
 * extreme. If the limits on bits, terms or work are met, the outcome is unknown, and the reason
 * names the limit. Domain: count > 0. */
attest_status attest_extreme_decide(arb_t hull, attest_comparison *outcome,
                                    char reason[ATTEST_ERROR_SIZE], attest_extreme *extreme,
                                    const fmpq *bound, attest_error *error) ATTEST_WARN_UNUSED;

#endif
