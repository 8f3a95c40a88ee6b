/* rivals_settle.c -- precision is doubled until an extreme is known and compared with its
 * bound. */
#include <stdio.h>

#include <attest/certify.h>

#include "certify/rivals.h"

/* The extreme itself is to be known to 2^-40 of its size, its square to half of that; and as
 * long as there are rivals, to 2^-100, so that a near tie is told from a tie. */
enum { SQUARE_ACCURACY = 42, TIE_ACCURACY = 101 };

/* Compares what is enclosed with the bound; unknown where they overlap. */
static attest_comparison compare_hull(const arb_t hull, const fmpq *bound, long bits)
{
    attest_comparison outcome = ATTEST_COMPARISON_UNKNOWN;
    arb_t difference;

    if (!bound)
        return ATTEST_COMPARISON_ABOVE;
    if (arb_is_zero(hull) && fmpq_is_zero(bound))
        return ATTEST_COMPARISON_MET;
    arb_init(difference);
    arb_set_fmpq(difference, bound, bits + 64);
    arb_sub(difference, hull, difference, bits + 64);
    if (arb_is_positive(difference))
        outcome = ATTEST_COMPARISON_ABOVE;
    else if (arb_is_negative(difference))
        outcome = ATTEST_COMPARISON_BELOW;
    arb_clear(difference);
    return outcome;
}

/* Puts every rival that contains the bound to the zero test, once; true when one meets it. */
static attest_status compare_rivals(bool *met, attest_rivals *rivals, const fmpq *bound,
                                    attest_error *error)
{
    for (size_t i = 0; i < rivals->count && !*met; i++) {
        attest_rival *rival = &rivals->rival[i];
        attest_zero_answer answer;
        attest_status status;
        if (rival->compared || rival->zero || !arb_contains_fmpq(&rival->square, bound))
            continue;
        rival->compared = true;
        status = attest_rival_test(&answer, rival, rivals->outputs, bound, error);
        if (status != ATTEST_OK)
            return status;
        *met = rival->meets = answer == ATTEST_ZERO_EQUAL;
        rival->unable = rival->unable || answer == ATTEST_ZERO_UNABLE;
    }
    return ATTEST_OK;
}

static bool any_unable(const attest_rivals *rivals)
{
    for (size_t i = 0; i < rivals->count; i++)
        if (rivals->rival[i].unable)
            return true;
    return false;
}

/* Whether the zero test, or a ball, has shown of every rival that it is not 0: then neither is
 * the extreme, at whatever precision that can be seen. */
static bool none_is_zero(const attest_rivals *rivals)
{
    for (size_t i = 0; i < rivals->count; i++)
        if (!rivals->rival[i].nonzero && !arb_is_positive(&rivals->rival[i].square))
            return false;
    return true;
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
    attest_comparison own = compare_hull(&rival->square, bound, rivals->bits);

    if (outcome == ATTEST_COMPARISON_MET) /* what met the bound may have been passed since */
        return rival->meets || own == outcome ||
               own == (rivals->largest ? ATTEST_COMPARISON_ABOVE : ATTEST_COMPARISON_BELOW);
    return own == outcome;
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

attest_status attest_rivals_settle(arb_t hull, attest_comparison *outcome,
                                   char reason[ATTEST_ERROR_SIZE], attest_rivals *rivals,
                                   const fmpq *bound, long max_bits, attest_error *error)
{
    attest_status status = ATTEST_OK;
    long bits = ATTEST_CERTIFY_BITS;
    bool met = false;

    for (;;) {
        attest_rivals_hull(hull, rivals);
        *outcome = met ? ATTEST_COMPARISON_MET : compare_hull(hull, bound, rivals->bits);
        if (*outcome == ATTEST_COMPARISON_UNKNOWN && fmpq_is_zero(bound) &&
            none_is_zero(rivals))
            *outcome = ATTEST_COMPARISON_ABOVE;
        if (accurate(hull, rivals) && *outcome != ATTEST_COMPARISON_UNKNOWN)
            break;
        if (any_unable(rivals)) {
            snprintf(reason, ATTEST_ERROR_SIZE,
                     "an equality that holds modulo several primes has more than %zu terms to "
                     "multiply out",
                     ATTEST_ZERO_TEST_TERMS);
            break;
        }
        if (bits > max_bits / 2) {
            snprintf(reason, ATTEST_ERROR_SIZE, "%ld bits do not suffice", max_bits);
            break;
        }
        bits *= 2;
        status = attest_rivals_refine(rivals, bits, error);
        if (status == ATTEST_OK && bound && !met)
            status = compare_rivals(&met, rivals, bound, error);
        if (status != ATTEST_OK)
            return status;
    }
    name_rival(hull, rivals, *outcome, bound);
    return ATTEST_OK;
}
