/* rivals.h -- outputs and pairs of outputs that compete for an extreme, in balls of growing
 * precision. */
#ifndef ATTEST_CERTIFY_RIVALS_H
#define ATTEST_CERTIFY_RIVALS_H

#include <attest/certify.h>

#include "certify/outputs.h"
#include "certify/softmax_sign.h"

/* What is compared: the square of the distance of two outputs, or of the norm of one. */
typedef struct attest_rival {
    uint32_t first, second; /* second = first: the norm */
    bool zero, nonzero;     /* what the zero test proved of the square */
    attest_softmax_cap cap; /* what kept a test from telling */
    bool compared;          /* its order relative to the bound of the claim was asked for, */
    bool told;              /* and is known: */
    int order;              /* the sign of square - bound */
    arb_struct square;      /* encloses it */
} attest_rival;

/* Rivals for being the least (distances) or the largest (norms). */
typedef struct attest_rivals {
    attest_outputs *outputs;
    bool largest; /* else the least is wanted */
    attest_rival *rival;
    size_t count, room;
    long bits; /* the precision of the squares */
    attest_softmax_limits limits;
    mag_t enough; /* a radius of distances and norms below which none is asked for; 0: none */
    arf_t edge;   /* least: the least upper end so far; largest: the largest lower end */
    bool has_edge;
    size_t named; /* once settled: the rival to name */
} attest_rivals;

/* The limits are those of the claim. Weights with a slack s stand for a layer whose distances
 * and norms are known to s at best: enough is 2^-40 s (proofs-notes/pairing.md, "How far the
 * stand-in is resolved"). */
void attest_rivals_init(attest_rivals *rivals, attest_outputs *outputs, bool largest,
                        const attest_claim *claim);
void attest_rivals_clear(attest_rivals *rivals);

/* Encloses the square of the rival at this precision. One that still contains 0 at twice the
 * first precision is put to the zero test, once, and where it is not 0 enclosed from its
 * leading exponents (softmax_sign.h), relative to its own size; not so under a slack, where no
 * verdict depends on it. */
attest_status attest_rival_enclose(attest_rival *rival, attest_outputs *outputs, long bits,
                                   const attest_softmax_limits *limits,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Enters a rival, whose square is moved, unless others exclude it. Status: UNABLE (too many
 * that nothing tells apart), NOMEM. */
attest_status attest_rivals_add(attest_rivals *rivals, attest_rival *rival,
                                attest_error *error) ATTEST_WARN_UNUSED;

/* Drops what others exclude, in place. */
void attest_rivals_sift(attest_rivals *rivals);

/* Drops all but the one entered last: it is the extreme. */
void attest_rivals_keep_last(attest_rivals *rivals);

/* Whether the root of the square is enclosed as narrowly as a slack makes sense of. */
bool attest_rivals_resolve(const attest_rivals *rivals, const arb_t square);

/* hull = an enclosure of the extreme square itself. Domain: count > 0. */
void attest_rivals_hull(arb_t hull, const attest_rivals *rivals);

/* Encloses all rivals anew at this precision and sifts. */
attest_status attest_rivals_refine(attest_rivals *rivals, long bits,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Sets told and order of the rival: its square against the bound, decided exactly unless a cap
 * is met. Status: NOMEM. */
attest_status attest_rival_compare(attest_rival *rival, const attest_rivals *rivals,
                                   const fmpq_t bound, attest_error *error) ATTEST_WARN_UNUSED;

/* How an extreme compares with the bound of a claim. */
typedef enum attest_comparison {
    ATTEST_COMPARISON_BELOW = 0,
    ATTEST_COMPARISON_ABOVE,
    ATTEST_COMPARISON_MET,    /* some rival's square is the bound: strict inequalities fail */
    ATTEST_COMPARISON_UNKNOWN /* for the reason given */
} attest_comparison;

/* Refines the rivals until the extreme is known to 2^-40 of its size, to 2^-100 if more than
 * one is left, and compared with bound (a square; NULL: none), or until it is known to within
 * enough; then the outcome may be unknown without a reason. named is the first rival that
 * has the outcome itself, and hull encloses both its square and the extreme. Where max_bits or
 * max_terms do not suffice the outcome is unknown, and the reason names the cap.
 * Domain: count > 0. */
attest_status attest_rivals_settle(arb_t hull, attest_comparison *outcome,
                                   char reason[ATTEST_ERROR_SIZE], attest_rivals *rivals,
                                   const fmpq *bound, attest_error *error) ATTEST_WARN_UNUSED;

#endif
