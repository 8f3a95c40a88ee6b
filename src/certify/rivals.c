/* rivals.c -- outputs and pairs of outputs that compete for an extreme, in balls. */
#include <stdlib.h>
#include <string.h>

#include <attest/certify.h>

#include "base/memory.h"
#include "certify/rivals.h"
#include "number/scope.h"

/* More than so many rivals that balls cannot tell apart are not kept. Under a slack s distances
 * and norms are resolved to 2^-BELOW_SLACK s. */
enum { MOST_RIVALS = 1 << 24, BELOW_SLACK = 40 };

static void set_enough(mag_t enough, const fmpq_t slack)
{
    ARB(x);

    arb_set_fmpq(x, slack, 2 * MAG_BITS);
    arb_get_mag_lower(enough, x);
    mag_mul_2exp_si(enough, enough, -BELOW_SLACK);
}

void attest_rivals_init(attest_rivals *rivals, attest_outputs *outputs, bool largest,
                        const attest_claim *claim)
{
    memset(rivals, 0, sizeof *rivals);
    rivals->outputs = outputs;
    rivals->largest = largest;
    rivals->limits =
        (attest_softmax_limits){claim->max_bits, claim->max_terms, &outputs->work_left};
    rivals->bits = ATTEST_CERTIFY_BITS;
    mag_init(rivals->enough);
    set_enough(rivals->enough, claim->weights->slack);
    arf_init(rivals->edge);
}

void attest_rivals_clear(attest_rivals *rivals)
{
    for (size_t i = 0; i < rivals->count; i++)
        arb_clear(&rivals->rival[i].square);
    free(rivals->rival);
    mag_clear(rivals->enough);
    arf_clear(rivals->edge);
}

static attest_status enclose(attest_rival *rival, attest_outputs *outputs, long bits,
                             attest_error *error)
{
    size_t dim = outputs->dataset->dim;
    arb_srcptr x, y = NULL;
    ARB(difference);

    ATTEST_TRY(attest_outputs_get_ball(&x, outputs, rival->first, bits, error));
    if (rival->second != rival->first)
        ATTEST_TRY(attest_outputs_get_ball(&y, outputs, rival->second, bits, error));
    arb_zero(&rival->square);
    for (size_t c = 0; c < dim; c++) {
        arb_set(difference, x + c);
        if (y)
            arb_sub(difference, difference, y + c, bits);
        arb_sqr(difference, difference, bits);
        arb_add(&rival->square, &rival->square, difference, bits);
    }
    return ATTEST_OK;
}

/* sum, finished = the output or the difference of outputs whose square the rival is. */
static attest_status make_sum(attest_softmax_sum *sum, const attest_rival *rival,
                              const attest_outputs *outputs, attest_error *error)
{
    const attest_context *context = outputs->contexts->context;

    ATTEST_TRY(attest_softmax_sum_add(sum, 1, outputs->weights, outputs->dataset,
                                      &context[rival->first], error));
    if (rival->second != rival->first)
        ATTEST_TRY(attest_softmax_sum_add(sum, -1, outputs->weights, outputs->dataset,
                                          &context[rival->second], error));
    attest_softmax_sum_finish(sum);
    return ATTEST_OK;
}

/* What balls around outputs leave open at 0: is it 0, and if not, of which size? */
static attest_status look_closer(attest_rival *rival, const attest_outputs *outputs, long bits,
                                 const attest_softmax_limits *limits, attest_error *error)
{
    attest_zero_answer answer = ATTEST_ZERO_DIFFERENT;
    ATTEST_SCOPED(attest_softmax_sum, sum, outputs->dataset->dim);
    FMPQ(zero);
    ARB(square);

    ATTEST_TRY(make_sum(&sum, rival, outputs, error));
    if (!rival->nonzero)
        ATTEST_TRY(attest_zero_test(&answer, &sum, zero, limits->terms, error));
    rival->zero = answer == ATTEST_ZERO_EQUAL;
    rival->nonzero = answer == ATTEST_ZERO_DIFFERENT;
    if (answer == ATTEST_ZERO_UNABLE)
        rival->cap = ATTEST_SOFTMAX_CAP_TERMS;
    if (rival->zero)
        arb_zero(&rival->square);
    if (rival->nonzero &&
        attest_softmax_enclose(square, &sum, bits, limits) == ATTEST_SOFTMAX_NO_CAP)
        arb_swap(&rival->square, square);
    return ATTEST_OK;
}

attest_status attest_rival_enclose(attest_rival *rival, attest_outputs *outputs, long bits,
                                   const attest_softmax_limits *limits, attest_error *error)
{
    if (rival->nonzero) /* balls around outputs did not tell it from 0: they will not soon */
        ATTEST_TRY(look_closer(rival, outputs, bits, limits, error));
    if (rival->zero || (rival->nonzero && arb_is_positive(&rival->square)))
        return ATTEST_OK;
    ATTEST_TRY(enclose(rival, outputs, bits, error));
    if (bits < 2 * ATTEST_CERTIFY_BITS || rival->cap || arb_is_positive(&rival->square) ||
        !fmpq_is_zero(outputs->weights->slack))
        return ATTEST_OK;
    return look_closer(rival, outputs, bits, limits, error);
}

/* The end of a square by which a rival excludes others (least: the upper one), and the end by
 * which others exclude it. */
static void get_ends(arf_t excluding, arf_t excluded, const attest_rivals *rivals,
                     const attest_rival *rival)
{
    arf_ptr lower = rivals->largest ? excluding : excluded;

    arb_get_ubound_arf(rivals->largest ? excluded : excluding, &rival->square, rivals->bits);
    arb_get_lbound_arf(lower, &rival->square, rivals->bits);
    if (arf_sgn(lower) < 0 || arf_is_nan(lower)) /* a square is not negative */
        arf_zero(lower);
    if (!arb_is_finite(&rival->square)) /* nothing is known: NaN would pass as equal to all */
        arf_pos_inf(rivals->largest ? excluded : excluding);
}

static int compare(const attest_rivals *rivals, const arf_t a, const arf_t b)
{
    return rivals->largest ? arf_cmp(b, a) : arf_cmp(a, b);
}

/* Takes the rival into the edge; whether it may still be the extreme. */
static bool move_edge(attest_rivals *rivals, const attest_rival *rival)
{
    ARF(excluding, excluded);

    get_ends(excluding, excluded, rivals, rival);
    if (!rivals->has_edge || compare(rivals, excluding, rivals->edge) < 0)
        arf_set(rivals->edge, excluding);
    rivals->has_edge = true;
    return compare(rivals, excluded, rivals->edge) <= 0;
}

void attest_rivals_sift(attest_rivals *rivals)
{
    size_t kept = 0;

    for (size_t i = 0; i < rivals->count; i++) {
        if (move_edge(rivals, &rivals->rival[i]))
            rivals->rival[kept++] = rivals->rival[i];
        else
            arb_clear(&rivals->rival[i].square);
    }
    rivals->count = kept;
}

attest_status attest_rivals_add(attest_rivals *rivals, attest_rival *rival, attest_error *error)
{
    if (!move_edge(rivals, rival))
        return ATTEST_OK;
    if (rivals->count == rivals->room)
        attest_rivals_sift(rivals);
    if (rivals->count > MOST_RIVALS / 2)
        return attest_error_set(error, ATTEST_UNABLE,
                                "more than %d pairs have nearly the same separation",
                                MOST_RIVALS / 2);
    if (rivals->count >= rivals->room - rivals->room / 2) {
        size_t room = rivals->room ? 2 * rivals->room : 64;
        attest_rival *grown = attest_memory_resize(rivals->rival, room, sizeof *grown);
        if (!grown)
            return attest_memory_fail(error);
        rivals->rival = grown;
        rivals->room = room;
    }
    rivals->rival[rivals->count] = *rival;
    arb_init(&rivals->rival[rivals->count].square);
    arb_swap(&rivals->rival[rivals->count].square, &rival->square);
    rivals->count++;
    return ATTEST_OK;
}

void attest_rivals_keep_last(attest_rivals *rivals)
{
    attest_rival last = rivals->rival[rivals->count - 1];

    for (size_t i = 0; i + 1 < rivals->count; i++)
        arb_clear(&rivals->rival[i].square);
    rivals->rival[0] = last;
    rivals->count = 1;
    rivals->has_edge = false;
    (void)move_edge(rivals, &rivals->rival[0]);
}

bool attest_rivals_resolve(const attest_rivals *rivals, const arb_t square)
{
    ARB(root);

    if (mag_is_zero(rivals->enough))
        return false;
    arb_sqrtpos(root, square, rivals->bits);
    return mag_cmp(arb_radref(root), rivals->enough) <= 0;
}

void attest_rivals_hull(arb_t hull, const attest_rivals *rivals)
{
    ARF(excluding, excluded, farthest);

    for (size_t i = 0; i < rivals->count; i++) {
        get_ends(excluding, excluded, rivals, &rivals->rival[i]);
        if (i == 0 || compare(rivals, excluded, farthest) < 0)
            arf_set(farthest, excluded);
    }
    if (rivals->largest)
        arb_set_interval_arf(hull, rivals->edge, farthest, rivals->bits + 64);
    else
        arb_set_interval_arf(hull, farthest, rivals->edge, rivals->bits + 64);
}

attest_status attest_rivals_refine(attest_rivals *rivals, long bits, attest_error *error)
{

    rivals->bits = bits;
    for (size_t i = 0; i < rivals->count; i++)
        ATTEST_TRY(attest_rival_enclose(&rivals->rival[i], rivals->outputs, bits,
                                        &rivals->limits, error));
    rivals->has_edge = false;
    for (size_t i = 0; i < rivals->count; i++)
        (void)move_edge(rivals, &rivals->rival[i]);
    attest_rivals_sift(rivals);
    return ATTEST_OK;
}

attest_status attest_rival_compare(attest_rival *rival, const attest_rivals *rivals,
                                   const fmpq_t bound, attest_error *error)
{
    attest_softmax_cap cap = ATTEST_SOFTMAX_NO_CAP;
    attest_zero_answer answer = ATTEST_ZERO_UNABLE;
    ATTEST_SCOPED(attest_softmax_sum, sum, rivals->outputs->dataset->dim);

    ATTEST_TRY(make_sum(&sum, rival, rivals->outputs, error));
    ATTEST_TRY(attest_zero_test(&answer, &sum, bound, rivals->limits.terms, error));
    if (answer == ATTEST_ZERO_UNABLE)
        cap = ATTEST_SOFTMAX_CAP_TERMS;
    rival->order = fmpq_is_zero(bound) && answer == ATTEST_ZERO_DIFFERENT;
    if (answer == ATTEST_ZERO_DIFFERENT && !fmpq_is_zero(bound))
        cap = attest_softmax_sign(&rival->order, &sum, bound, &rivals->limits);
    rival->told = !cap;
    if (cap)
        rival->cap = cap;
    return ATTEST_OK;
}
