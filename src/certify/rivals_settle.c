/* rivals_settle.c -- precision is doubled until an extreme is known and compared with its
 * bound. */
#include <stdio.h>

#include <attest/certify.h>

#include "certify/rivals.h"
#include "number/scope.h"

/* The extreme itself is to be known to 2^-40 of its size, its square to half of that; and as
 * long as there are rivals, to 2^-100, so that a near tie is told from a tie. */
enum { SQUARE_ACCURACY = 42, TIE_ACCURACY = 101 };

/* Compares what is enclosed with the bound; unknown where they overlap. */
static attest_comparison compare_hull(const arb_t hull, const fmpq *bound, long bits)
{
    attest_comparison outcome = ATTEST_COMPARISON_UNKNOWN;
    ARB(difference);

    if (!bound)
        return ATTEST_COMPARISON_ABOVE;
    if (arb_is_zero(hull) && fmpq_is_zero(bound))
        return ATTEST_COMPARISON_MET;
    arb_set_fmpq(difference, bound, bits + 64);
    arb_sub(difference, hull, difference, bits + 64);
    if (arb_is_positive(difference))
        outcome = ATTEST_COMPARISON_ABOVE;
    else if (arb_is_negative(difference))
        outcome = ATTEST_COMPARISON_BELOW;
    return outcome;
}

/* Decides exactly of every rival that contains the bound on which side of it it lies, once. */
static attest_status compare_rivals(attest_rivals *rivals, const fmpq *bound,
                                    attest_error *error)
{

    for (size_t i = 0; i < rivals->count; i++) {
        attest_rival *rival = &rivals->rival[i];
        if (rival->compared || rival->zero || !arb_contains_fmpq(&rival->square, bound))
            continue;
        rival->compared = true;
        ATTEST_TRY(attest_rival_compare(rival, rivals, bound, error));
    }
    return ATTEST_OK;
}

/* The outcome for one rival, from its ball or as decided exactly. */
static attest_comparison outcome_of(const attest_rival *rival, const attest_rivals *rivals,
                                    const fmpq *bound)
{
    if (rival->told)
        return rival->order == 0  ? ATTEST_COMPARISON_MET
               : rival->order > 0 ? ATTEST_COMPARISON_ABOVE
                                  : ATTEST_COMPARISON_BELOW;
    if (rival->nonzero && fmpq_is_zero(bound))
        return ATTEST_COMPARISON_ABOVE;
    return compare_hull(&rival->square, bound, rivals->bits);
}

/* The outcome for the extreme: that of the rivals which lies farthest on its side. */
static attest_comparison outcome_of_all(const attest_rivals *rivals, const fmpq *bound)
{
    attest_comparison past =
        rivals->largest ? ATTEST_COMPARISON_ABOVE : ATTEST_COMPARISON_BELOW;
    bool met = false, unknown = false;

    for (size_t i = 0; i < rivals->count; i++) {
        attest_comparison own = outcome_of(&rivals->rival[i], rivals, bound);
        if (own == past)
            return past;
        met = met || own == ATTEST_COMPARISON_MET;
        unknown = unknown || own == ATTEST_COMPARISON_UNKNOWN;
    }
    /* Met already fails the strict inequality, whatever an unknown one is. */
    return met               ? ATTEST_COMPARISON_MET
           : unknown         ? ATTEST_COMPARISON_UNKNOWN
           : rivals->largest ? ATTEST_COMPARISON_BELOW
                             : ATTEST_COMPARISON_ABOVE;
}

/* The cap that some rival has met, if any. */
static attest_softmax_cap any_cap(const attest_rivals *rivals)
{
    attest_softmax_cap cap = ATTEST_SOFTMAX_NO_CAP;

    for (size_t i = 0; i < rivals->count; i++)
        if (rivals->rival[i].cap > cap)
            cap = rivals->rival[i].cap;
    return cap;
}

static bool accurate(const arb_t hull, const attest_rivals *rivals)
{
    slong enough = rivals->count > 1 ? TIE_ACCURACY : SQUARE_ACCURACY;

    return arb_is_exact(hull) ||
           (arb_is_positive(hull) && arb_rel_accuracy_bits(hull) >= enough);
}

/* Whether the outcome is known to hold of this rival, not only of the extreme. */
static bool has_outcome(const attest_rival *rival, const attest_rivals *rivals,
                        attest_comparison outcome, const fmpq *bound)
{
    return !bound || outcome_of(rival, rivals, bound) == outcome;
}

/* Names the first rival of which the outcome is known, or else the first, and takes it into the
 * hull: the ends of the extreme need not be those of any one rival. */
static void name_rival(arb_t hull, attest_rivals *rivals, attest_comparison outcome,
                       const fmpq *bound)
{
    rivals->named = 0;
    while (rivals->named < rivals->count &&
           !has_outcome(&rivals->rival[rivals->named], rivals, outcome, bound))
        rivals->named++;
    if (rivals->named == rivals->count)
        rivals->named = 0;
    arb_union(hull, hull, &rivals->rival[rivals->named].square, rivals->bits + 64);
}

static void give_reason(char reason[ATTEST_ERROR_SIZE], const attest_rivals *rivals)
{
    if (any_cap(rivals) == ATTEST_SOFTMAX_CAP_WORK)
        snprintf(reason, ATTEST_ERROR_SIZE,
                 "a comparison that balls leave open has to be multiplied out, which is more "
                 "work than is allowed");
    else if (any_cap(rivals) == ATTEST_SOFTMAX_CAP_TERMS)
        snprintf(
            reason, ATTEST_ERROR_SIZE,
            "a comparison that balls leave open has to be multiplied out, and %zu terms do "
            "not suffice",
            rivals->limits.terms);
    else
        snprintf(reason, ATTEST_ERROR_SIZE, "%ld bits do not suffice", rivals->limits.bits);
}

attest_status attest_rivals_settle(arb_t hull, attest_comparison *outcome,
                                   char reason[ATTEST_ERROR_SIZE], attest_rivals *rivals,
                                   const fmpq *bound, attest_error *error)
{
    long bits = ATTEST_CERTIFY_BITS;

    for (;;) {
        attest_rivals_hull(hull, rivals);
        *outcome = bound ? outcome_of_all(rivals, bound) : ATTEST_COMPARISON_ABOVE;
        if ((accurate(hull, rivals) && *outcome != ATTEST_COMPARISON_UNKNOWN) ||
            attest_rivals_resolve(rivals, hull))
            break;
        if (any_cap(rivals) || bits > rivals->limits.bits / 2) {
            give_reason(reason, rivals);
            break;
        }
        bits *= 2;
        ATTEST_TRY(attest_rivals_refine(rivals, bits, error));
        if (bound && mag_is_zero(rivals->enough))
            ATTEST_TRY(compare_rivals(rivals, bound, error));
    }
    name_rival(hull, rivals, *outcome, bound);
    return ATTEST_OK;
}
