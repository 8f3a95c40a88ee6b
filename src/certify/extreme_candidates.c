/* extreme_candidates.c -- the candidates for the least distance or the largest norm, in balls
 * whose precision doubles until the extreme is known and compared with its bound. */
#include "base/hint.h"
#include "certify/extreme_candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/certify.h>

#include "base/memory.h"
#include "number/scope.h"

/* At most MOST_CANDIDATES / 2 candidates with overlapping balls are kept. Under weights with an
 * error s, distances and norms are resolved to 2^-BELOW_ERROR s. */
enum { MOST_CANDIDATES = 1 << 24, BELOW_ERROR = 40 };

static void set_enough(mag_t enough, const fmpq_t slack)
{
    ARB(x);

    arb_set_fmpq(x, slack, 2 * MAG_BITS);
    arb_get_mag_lower(enough, x);
    mag_mul_2exp_si(enough, enough, -BELOW_ERROR);
}

void attest_extreme_init(attest_extreme *extreme, attest_outputs *outputs, bool largest,
                         const attest_claim *claim)
{
    memset(extreme, 0, sizeof *extreme);
    extreme->outputs = outputs;
    extreme->largest = largest;
    extreme->limits =
        (attest_softmax_limits){claim->max_bits, claim->max_terms, &outputs->work_left};
    extreme->bits = ATTEST_CERTIFY_BITS;
    mag_init(extreme->enough);
    set_enough(extreme->enough, claim->weights->output_error);
    arf_init(extreme->edge);
}

void attest_extreme_clear(attest_extreme *extreme)
{
    for (size_t i = 0; i < extreme->count; i++)
        arb_clear(&extreme->candidate[i].square);
    free(extreme->candidate);
    mag_clear(extreme->enough);
    arf_clear(extreme->edge);
}

static attest_status enclose(attest_extreme_candidate *candidate, attest_outputs *outputs,
                             long bits, attest_error *error)
{
    size_t dim = outputs->dataset->dim;
    arb_srcptr x, y = NULL;
    ARB(difference);

    ATTEST_TRY(attest_outputs_get_ball(&x, outputs, candidate->first, bits, error));
    if (candidate->second != candidate->first)
        ATTEST_TRY(attest_outputs_get_ball(&y, outputs, candidate->second, bits, error));
    arb_zero(&candidate->square);
    for (size_t c = 0; c < dim; c++) {
        arb_set(difference, x + c);
        if (y)
            arb_sub(difference, difference, y + c, bits);
        arb_sqr(difference, difference, bits);
        arb_add(&candidate->square, &candidate->square, difference, bits);
    }
    return ATTEST_OK;
}

/* sum, finished = the output, or the difference of outputs, that the candidate is the square
 * of. */
static attest_status make_sum(attest_softmax_sum *sum,
                              const attest_extreme_candidate *candidate,
                              const attest_outputs *outputs, attest_error *error)
{
    const attest_context *context = outputs->contexts->context;

    ATTEST_TRY(attest_softmax_sum_add(sum, 1, outputs->weights, outputs->dataset,
                                      &context[candidate->first], error));
    if (candidate->second != candidate->first)
        ATTEST_TRY(attest_softmax_sum_add(sum, -1, outputs->weights, outputs->dataset,
                                          &context[candidate->second], error));
    attest_softmax_sum_finish(sum);
    return ATTEST_OK;
}

/* Decides whether a square whose balls contain 0 is 0, and encloses it if it is not. */
static attest_status test_zero(attest_extreme_candidate *candidate,
                               const attest_outputs *outputs, long bits,
                               const attest_softmax_limits *limits, attest_error *error)
{
    attest_zero_answer answer = ATTEST_ZERO_DIFFERENT;
    ATTEST_SCOPED(attest_softmax_sum, sum, outputs->dataset->dim);
    FMPQ(zero);
    ARB(square);

    ATTEST_TRY(make_sum(&sum, candidate, outputs, error));
    if (!candidate->nonzero)
        ATTEST_TRY(attest_zero_test(&answer, &sum, zero, limits->terms, error));
    candidate->zero = answer == ATTEST_ZERO_EQUAL;
    candidate->nonzero = answer == ATTEST_ZERO_DIFFERENT;
    if (answer == ATTEST_ZERO_UNABLE)
        candidate->cap = ATTEST_SOFTMAX_CAP_TERMS;
    if (candidate->zero)
        arb_zero(&candidate->square);
    if (candidate->nonzero &&
        attest_softmax_enclose(square, &sum, bits, limits) == ATTEST_SOFTMAX_NO_CAP)
        arb_swap(&candidate->square, square);
    return ATTEST_OK;
}

attest_status attest_extreme_enclose(attest_extreme_candidate *candidate,
                                     attest_outputs *outputs, long bits,
                                     const attest_softmax_limits *limits, attest_error *error)
{
    /* Balls around the outputs contained 0 before: use the leading exponents first. */
    if (candidate->nonzero)
        ATTEST_TRY(test_zero(candidate, outputs, bits, limits, error));
    if (candidate->zero || (candidate->nonzero && arb_is_positive(&candidate->square)))
        return ATTEST_OK;
    ATTEST_TRY(enclose(candidate, outputs, bits, error));
    if (bits < 2 * ATTEST_CERTIFY_BITS || candidate->cap ||
        arb_is_positive(&candidate->square) || !fmpq_is_zero(outputs->weights->output_error))
        return ATTEST_OK;
    return test_zero(candidate, outputs, bits, limits, error);
}

/* The end of a square by which a candidate excludes others (least: the upper one), and the end
 * by which others exclude it. */
static void get_ends(arf_t excluding, arf_t excluded, const attest_extreme *extreme,
                     const attest_extreme_candidate *candidate)
{
    arf_ptr lower = extreme->largest ? excluding : excluded;

    arb_get_ubound_arf(extreme->largest ? excluded : excluding, &candidate->square,
                       extreme->bits);
    arb_get_lbound_arf(lower, &candidate->square, extreme->bits);
    if (arf_sgn(lower) < 0 || arf_is_nan(lower)) /* a square is not negative */
        arf_zero(lower);
    if (!arb_is_finite(&candidate->square)) /* an end may be NaN, which compares as equal */
        arf_pos_inf(extreme->largest ? excluded : excluding);
}

static int compare(const attest_extreme *extreme, const arf_t a, const arf_t b)
{
    return extreme->largest ? arf_cmp(b, a) : arf_cmp(a, b);
}

/* Moves the edge to the candidate if that is farther; true if it may still be the extreme. */
static bool move_edge(attest_extreme *extreme, const attest_extreme_candidate *candidate)
{
    ARF(excluding, excluded);

    get_ends(excluding, excluded, extreme, candidate);
    if (!extreme->has_edge || compare(extreme, excluding, extreme->edge) < 0)
        arf_set(extreme->edge, excluding);
    extreme->has_edge = true;
    return compare(extreme, excluded, extreme->edge) <= 0;
}

void attest_extreme_sift(attest_extreme *extreme)
{
    size_t kept = 0;

    for (size_t i = 0; i < extreme->count; i++) {
        if (move_edge(extreme, &extreme->candidate[i]))
            extreme->candidate[kept++] = extreme->candidate[i];
        else
            arb_clear(&extreme->candidate[i].square);
    }
    extreme->count = kept;
}

attest_status attest_extreme_add(attest_extreme *extreme, attest_extreme_candidate *candidate,
                                 attest_error *error)
{
    if (!move_edge(extreme, candidate))
        return ATTEST_OK;
    if (extreme->count == extreme->room)
        attest_extreme_sift(extreme);
    if (extreme->count > MOST_CANDIDATES / 2)
        return attest_error_set(error, ATTEST_UNABLE,
                                "more than %d pairs have nearly the same separation",
                                MOST_CANDIDATES / 2);
    if (extreme->count >= extreme->room - extreme->room / 2) {
        size_t room = extreme->room ? 2 * extreme->room : 64;
        attest_extreme_candidate *grown =
            attest_memory_resize(extreme->candidate, room, sizeof *grown);
        if (!grown)
            return attest_memory_fail(error);
        extreme->candidate = grown;
        extreme->room = room;
    }
    extreme->candidate[extreme->count] = *candidate;
    arb_init(&extreme->candidate[extreme->count].square);
    arb_swap(&extreme->candidate[extreme->count].square, &candidate->square);
    extreme->count++;
    return ATTEST_OK;
}

void attest_extreme_keep_last(attest_extreme *extreme)
{
    attest_extreme_candidate last = extreme->candidate[extreme->count - 1];

    for (size_t i = 0; i + 1 < extreme->count; i++)
        arb_clear(&extreme->candidate[i].square);
    extreme->candidate[0] = last;
    extreme->count = 1;
    extreme->has_edge = false;
    (void)move_edge(extreme, &extreme->candidate[0]);
}

bool attest_extreme_is_resolved(const attest_extreme *extreme, const arb_t square)
{
    ARB(root);

    if (mag_is_zero(extreme->enough))
        return false;
    arb_sqrtpos(root, square, extreme->bits);
    return mag_cmp(arb_radref(root), extreme->enough) <= 0;
}

/* hull = an enclosure of the extreme square itself. Domain: count > 0. */
static void get_hull(arb_t hull, const attest_extreme *extreme)
{
    ARF(excluding, excluded, farthest);

    for (size_t i = 0; i < extreme->count; i++) {
        get_ends(excluding, excluded, extreme, &extreme->candidate[i]);
        if (i == 0 || compare(extreme, excluded, farthest) < 0)
            arf_set(farthest, excluded);
    }
    if (extreme->largest)
        arb_set_interval_arf(hull, extreme->edge, farthest, extreme->bits + 64);
    else
        arb_set_interval_arf(hull, farthest, extreme->edge, extreme->bits + 64);
}

/* Encloses all candidates anew at this precision and sifts. */
static attest_status refine(attest_extreme *extreme, long bits, attest_error *error)
{
    extreme->bits = bits;
    for (size_t i = 0; i < extreme->count; i++)
        ATTEST_TRY(attest_extreme_enclose(&extreme->candidate[i], extreme->outputs, bits,
                                          &extreme->limits, error));
    extreme->has_edge = false;
    for (size_t i = 0; i < extreme->count; i++)
        (void)move_edge(extreme, &extreme->candidate[i]);
    attest_extreme_sift(extreme);
    return ATTEST_OK;
}

/* Sets decided and order of the candidate: its square against the bound, decided exactly unless
 * a limit is met. Status: NOMEM. */
static attest_status compare_exactly(attest_extreme_candidate *candidate,
                                     const attest_extreme *extreme, const fmpq_t bound,
                                     attest_error *error)
{
    attest_softmax_cap cap = ATTEST_SOFTMAX_NO_CAP;
    attest_zero_answer answer = ATTEST_ZERO_UNABLE;
    ATTEST_SCOPED(attest_softmax_sum, sum, extreme->outputs->dataset->dim);

    ATTEST_TRY(make_sum(&sum, candidate, extreme->outputs, error));
    ATTEST_TRY(attest_zero_test(&answer, &sum, bound, extreme->limits.terms, error));
    if (answer == ATTEST_ZERO_UNABLE)
        cap = ATTEST_SOFTMAX_CAP_TERMS;
    candidate->order = fmpq_is_zero(bound) && answer == ATTEST_ZERO_DIFFERENT;
    if (answer == ATTEST_ZERO_DIFFERENT && !fmpq_is_zero(bound))
        cap = attest_softmax_sign(&candidate->order, &sum, bound, &extreme->limits);
    candidate->decided = !cap;
    if (cap)
        candidate->cap = cap;
    return ATTEST_OK;
}

/* The extreme is wanted to 2^-40 of its size, its square to half of that; while several
 * candidates are left, to 2^-100, so that a near tie is distinguished from a tie. */
enum { SQUARE_ACCURACY = 42, TIE_ACCURACY = 101 };

/* Compares the enclosed square with the bound; unknown where they overlap. */
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

/* Compares every candidate whose ball contains the bound exactly with it, once. */
static attest_status compare_open(attest_extreme *extreme, const fmpq *bound,
                                  attest_error *error)
{
    for (size_t i = 0; i < extreme->count; i++) {
        attest_extreme_candidate *candidate = &extreme->candidate[i];
        if (candidate->compared || candidate->zero ||
            !arb_contains_fmpq(&candidate->square, bound))
            continue;
        candidate->compared = true;
        ATTEST_TRY(compare_exactly(candidate, extreme, bound, error));
    }
    return ATTEST_OK;
}

/* The outcome for one candidate, from the exact comparison or from its ball. */
static attest_comparison outcome_of(const attest_extreme_candidate *candidate,
                                    const attest_extreme *extreme, const fmpq *bound)
{
    if (candidate->decided)
        return candidate->order == 0  ? ATTEST_COMPARISON_MET
               : candidate->order > 0 ? ATTEST_COMPARISON_ABOVE
                                      : ATTEST_COMPARISON_BELOW;
    if (candidate->nonzero && fmpq_is_zero(bound))
        return ATTEST_COMPARISON_ABOVE;
    return compare_hull(&candidate->square, bound, extreme->bits);
}

/* The outcome for the extreme: that of the candidate that lies farthest on its side. */
static attest_comparison outcome_of_extreme(const attest_extreme *extreme, const fmpq *bound)
{
    attest_comparison past =
        extreme->largest ? ATTEST_COMPARISON_ABOVE : ATTEST_COMPARISON_BELOW;
    bool met = false, unknown = false;

    for (size_t i = 0; i < extreme->count; i++) {
        attest_comparison own = outcome_of(&extreme->candidate[i], extreme, bound);
        if (own == past)
            return past;
        met = met || own == ATTEST_COMPARISON_MET;
        unknown = unknown || own == ATTEST_COMPARISON_UNKNOWN;
    }
    /* MET alone fails the strict inequality; an unknown candidate does not matter then. */
    return met                ? ATTEST_COMPARISON_MET
           : unknown          ? ATTEST_COMPARISON_UNKNOWN
           : extreme->largest ? ATTEST_COMPARISON_BELOW
                              : ATTEST_COMPARISON_ABOVE;
}

/* The limit that some candidate has met, if any. */
static attest_softmax_cap any_cap(const attest_extreme *extreme)
{
    attest_softmax_cap cap = ATTEST_SOFTMAX_NO_CAP;

    for (size_t i = 0; i < extreme->count; i++)
        if (extreme->candidate[i].cap > cap)
            cap = extreme->candidate[i].cap;
    return cap;
}

static bool accurate(const arb_t hull, const attest_extreme *extreme)
{
    slong enough = extreme->count > 1 ? TIE_ACCURACY : SQUARE_ACCURACY;

    return arb_is_exact(hull) ||
           (arb_is_positive(hull) && arb_rel_accuracy_bits(hull) >= enough);
}

/* Names the first candidate that has the outcome, or else the first, and widens the hull to
 * include it: the ends of the extreme need not be those of one candidate. */
static void name_candidate(arb_t hull, attest_extreme *extreme, attest_comparison outcome,
                           const fmpq *bound)
{
    extreme->named = 0;
    while (extreme->named < extreme->count && bound &&
           outcome_of(&extreme->candidate[extreme->named], extreme, bound) != outcome)
        extreme->named++;
    if (extreme->named == extreme->count)
        extreme->named = 0;
    arb_union(hull, hull, &extreme->candidate[extreme->named].square, extreme->bits + 64);
}

static void give_reason(char reason[ATTEST_ERROR_SIZE], const attest_extreme *extreme)
{
    if (any_cap(extreme) == ATTEST_SOFTMAX_CAP_WORK)
        snprintf(
            reason, ATTEST_ERROR_SIZE,
            "balls leave a comparison open, and deciding it exactly takes " ATTEST_HINT_WORK);
    else if (any_cap(extreme) == ATTEST_SOFTMAX_CAP_TERMS)
        snprintf(reason, ATTEST_ERROR_SIZE,
                 "balls leave a comparison open, and %zu " ATTEST_HINT_TERMS,
                 extreme->limits.terms);
    else
        snprintf(reason, ATTEST_ERROR_SIZE, "%ld " ATTEST_HINT_BITS, extreme->limits.bits);
}

attest_status attest_extreme_decide(arb_t hull, attest_comparison *outcome,
                                    char reason[ATTEST_ERROR_SIZE], attest_extreme *extreme,
                                    const fmpq *bound, attest_error *error)
{
    long bits = ATTEST_CERTIFY_BITS;

    for (;;) {
        get_hull(hull, extreme);
        *outcome = bound ? outcome_of_extreme(extreme, bound) : ATTEST_COMPARISON_ABOVE;
        if ((accurate(hull, extreme) && *outcome != ATTEST_COMPARISON_UNKNOWN) ||
            attest_extreme_is_resolved(extreme, hull))
            break;
        if (any_cap(extreme) || bits > extreme->limits.bits / 2) {
            give_reason(reason, extreme);
            break;
        }
        bits *= 2;
        ATTEST_TRY(refine(extreme, bits, error));
        if (bound && mag_is_zero(extreme->enough))
            ATTEST_TRY(compare_open(extreme, bound, error));
    }
    name_candidate(hull, extreme, *outcome, bound);
    return ATTEST_OK;
}
