/* first_difference_evaluate.c -- single contexts and pairs at full accuracy. */
#include <stdlib.h>

#include "attention/attention_ball.h"
#include "theory/lemma_f.h"
#include "theory/sharp_gap.h"

#include "base/memory.h"
#include "certify/first_difference.h"
#include "number/scope.h"

/* The least distance of tokens, which sharpens a bound, is computed for at most this many
 * tokens. */
enum { DISTANCE_TOKENS = 20000 };

/* Means are computed with this many bits more than the results. */
enum { GUARD_BITS = 32 };

/* The scores of several lists over one denominator, for one query. */
typedef struct scores {
    fmpz *numerator;
    size_t count;
    fmpz_t denominator;
    fmpq_t alpha;
} scores;

static void scores_clear(scores *s)
{
    _fmpz_vec_clear(s->numerator, (slong)s->count);
    fmpz_clear(s->denominator);
    fmpq_clear(s->alpha);
}

static void get_alpha(fmpq_t alpha, const attest_first_difference_scan *scan, uint32_t token)
{
    if (!scan->head.parallel) {
        attest_projection_get(alpha, &scan->a, token);
        return;
    }
    attest_projection_get(alpha, &scan->y, token);
    fmpq_mul(alpha, alpha, scan->head.ratio);
}

/* Divides by the greatest common divisor of all numerators and the denominator. */
static void scores_reduce(scores *s)
{
    FMPZ(common);

    _fmpz_vec_content(common, s->numerator, (slong)s->count);
    fmpz_gcd(common, common, s->denominator);
    _fmpz_vec_scalar_divexact_fmpz(s->numerator, s->numerator, (slong)s->count, common);
    fmpz_divexact(s->denominator, s->denominator, common);
}

/* scores = alpha (v.y) for the keys y of the lists, one after another; over the least
 * denominator: exps of short fractions cost less. */
static void scores_set(scores *s, const attest_first_difference_scan *scan, uint32_t token,
                       const uint32_t *list, size_t lists)
{
    const attest_context_lists *all = &scan->lists;
    const attest_rational_vector *v = &scan->head.v;
    size_t next = 0;
    fmpz *own, *key;

    s->count = 0;
    for (size_t l = 0; l < lists; l++)
        s->count += attest_context_length(all, list[l]);
    s->numerator = _fmpz_vec_init((slong)s->count);
    fmpz_init_set_ui(s->denominator, 1);
    fmpq_init(s->alpha);
    get_alpha(s->alpha, scan, token);
    own = _fmpz_vec_init((slong)s->count); /* the keys' denominators */
    key = _fmpz_vec_init((slong)v->dim);
    for (size_t l = 0; l < lists; l++) {
        for (size_t k = 0; k < attest_context_length(all, list[l]); k++, next++) {
            attest_tokens_get(key, own + next, scan->y.tokens,
                              scan->y.token[all->key[all->start[list[l]] + k]]);
            _fmpz_vec_dot(s->numerator + next, v->numerator, key, (slong)v->dim);
            fmpz_lcm(s->denominator, s->denominator, own + next);
        }
    }
    for (size_t i = 0; i < s->count; i++) {
        fmpz_divexact(own + i, s->denominator, own + i);
        fmpz_mul(own + i, own + i, fmpq_numref(s->alpha));
        fmpz_mul(s->numerator + i, s->numerator + i, own + i);
    }
    fmpz_mul(s->denominator, s->denominator, v->denominator);
    fmpz_mul(s->denominator, s->denominator, fmpq_denref(s->alpha));
    scores_reduce(s);
    _fmpz_vec_clear(own, (slong)s->count);
    _fmpz_vec_clear(key, (slong)v->dim);
}

/* depth = the largest score minus the first score that only one list has; the scores before it
 * are common to both. The first count scores belong to one list, the rest to the other. */
static void scores_depth(fmpq_t depth, const scores *s, size_t count, size_t common)
{
    fmpz *sorted[2] = {_fmpz_vec_init((slong)count), _fmpz_vec_init((slong)(s->count - count))};
    size_t length[2] = {count, s->count - count};
    FMPZ(c);

    for (int side = 0; side < 2; side++) {
        _fmpz_vec_set(sorted[side], s->numerator + (side ? count : 0), (slong)length[side]);
        _fmpz_vec_sort(sorted[side], (slong)length[side]); /* ascending */
    }
    for (int side = 0, first = 1; side < 2; side++)
        if (common < length[side]) {
            const fmpz *own = sorted[side] + length[side] - 1 - common;
            if (first || fmpz_cmp(own, c) > 0)
                fmpz_set(c, own);
            first = 0;
        }
    fmpz_sub(c, sorted[0] + length[0] - 1, c);
    fmpq_set_fmpz_frac(depth, c, s->denominator);
    _fmpz_vec_clear(sorted[0], (slong)length[0]);
    _fmpz_vec_clear(sorted[1], (slong)length[1]);
}

/* ball = ball / |alpha|. */
static void divide_alpha(arb_t ball, const fmpq_t alpha)
{
    ARB(divisor);

    arb_set_fmpq(divisor, alpha, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_div(ball, ball, divisor, ATTEST_FIRST_DIFFERENCE_BITS);
}

attest_status attest_first_difference_mean(arb_t mean, const attest_first_difference_scan *scan,
                                           uint32_t token, uint32_t list, attest_error *error)
{
    scores s ATTEST_CLEARED_BY(scores_clear);

    scores_set(&s, scan, token, &list, 1);
    ATTEST_TRY(attest_boltz_ball(mean, s.numerator, s.denominator, s.count,
                                 ATTEST_FIRST_DIFFERENCE_BITS + GUARD_BITS, error));
    divide_alpha(mean, s.alpha);
    return ATTEST_OK;
}

attest_status attest_first_difference_separation(arb_t separation,
                                                 const attest_first_difference_scan *scan,
                                                 const attest_first_difference_event *event,
                                                 attest_error *error)
{
    const uint32_t list[2] = {event->before, event->after};
    attest_boltz_difference difference ATTEST_CLEARED_BY(attest_boltz_difference_clear);
    scores s ATTEST_CLEARED_BY(scores_clear);
    attest_multiset a, b;

    attest_boltz_difference_init(&difference);
    scores_set(&s, scan, event->token, list, 2);
    a = (attest_multiset){attest_context_length(&scan->lists, list[0]), s.numerator, NULL};
    b = (attest_multiset){s.count - a.count, s.numerator + a.count, NULL};
    ATTEST_TRY(attest_boltz_difference_bound(&difference, &a, &b, s.denominator, 60,
                                             scan->claim->max_bits, error));
    arb_mul(separation, difference.value, scan->norm_w, ATTEST_FIRST_DIFFERENCE_BITS);
    divide_alpha(separation, s.alpha);
    arb_abs(separation, separation);
    return ATTEST_OK;
}

/* The common prefix of two lists, in the order for the sign. */
static size_t common_scores(const attest_context_lists *lists, const uint32_t *list, int sign)
{
    size_t length[2], k = 0;
    const uint32_t *key[2];

    for (int side = 0; side < 2; side++) {
        length[side] = attest_context_length(lists, list[side]);
        key[side] = lists->key + lists->start[list[side]];
    }
    while (k < length[0] && k < length[1] &&
           key[0][sign > 0 ? k : length[0] - 1 - k] == key[1][sign > 0 ? k : length[1] - 1 - k])
        k++;
    return k;
}

attest_status attest_first_difference_witness(attest_certificate_witness *witness,
                                              const attest_first_difference_scan *scan,
                                              const attest_first_difference_event *event,
                                              attest_error *error)
{
    const uint32_t list[2] = {event->before, event->after};
    const attest_first_difference_query *query = &scan->query[event->token];
    int sign = (query->sign > 0) - (query->sign < 0);
    scores s ATTEST_CLEARED_BY(scores_clear);
    slong bits = ATTEST_FIRST_DIFFERENCE_BITS;
    attest_status status;

    ARB(gap, t, log2);
    FMPQ(alpha, distance);
    witness->present = false;
    for (int side = 0; side < 2; side++)
        witness->neighbours[side] =
            attest_first_difference_place(scan, event->token, list[side]);
    witness->order = sign;
    witness->common = common_scores(&scan->lists, list, sign);
    get_alpha(alpha, scan, event->token);
    fmpq_abs(alpha, alpha);
    fmpq_mul(witness->gap, alpha, scan->y.gap);
    scores_set(&s, scan, event->token, list, 2);
    scores_depth(distance, &s, attest_context_length(&scan->lists, list[0]), witness->common);
    /* enough bits to separate t from 2 gap, where the bound jumps: both are multiples of one
     * fraction */
    bits += (slong)(fmpq_height_bits(distance) + fmpq_height_bits(witness->gap));
    arb_set_fmpq(gap, witness->gap, bits);
    arb_set_fmpq(t, distance, bits);
    status = attest_sharp_gap_bound(witness->bound, log2, gap, witness->common == 0, t,
                                    ATTEST_FIRST_DIFFERENCE_BITS, error);
    if (status == ATTEST_DOMAIN)
        return ATTEST_OK; /* too close to the threshold: no witness */
    ATTEST_TRY(status);
    arb_mul(witness->bound, witness->bound, scan->norm_w, ATTEST_FIRST_DIFFERENCE_BITS);
    divide_alpha(witness->bound, alpha);
    witness->present = arb_is_finite(witness->bound);
    return ATTEST_OK;
}

attest_place attest_first_difference_place(const attest_first_difference_scan *scan,
                                           uint32_t token, uint32_t list)
{
    const attest_dataset *dataset = scan->claim->dataset;
    attest_place place = {attest_context_sequence(&scan->lists, list), 0};

    if (scan->lists.causal) {
        place.position = list - dataset->start[place.sequence];
        return place;
    }
    while (attest_dataset_token(dataset, place.sequence, place.position) != token)
        place.position++;
    return place;
}

/* p = (w.w) v - (v.w) w, a multiple of the part of v that is orthogonal to w, over 1. Its scale
 * cancels in gap / |p|. False where it is 0. */
static bool set_orthogonal(attest_rational_vector *p, const attest_rank_one *head)
{
    const fmpz *v = head->v.numerator, *w = head->w.numerator;
    FMPZ(ww, vw);

    _fmpz_vec_dot(ww, w, w, (slong)head->dim);
    _fmpz_vec_dot(vw, v, w, (slong)head->dim);
    for (size_t c = 0; c < head->dim; c++) {
        fmpz_mul(p->numerator + c, ww, v + c);
        fmpz_submul(p->numerator + c, vw, w + c);
    }
    return !_fmpz_vec_is_zero(p->numerator, (slong)head->dim);
}

/* bound = max(bound, gap / |p|) for the projection on p. */
static void raise_to_gap(arf_t bound, const attest_projection *p)
{
    ARB(ratio, norm);
    ARF(lower);

    if (!p->injective || !p->has_gap)
        return;
    attest_rational_vector_norm(norm, p->vector, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_set_fmpq(ratio, p->gap, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_div(ratio, ratio, norm, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_get_lbound_arf(lower, ratio, ATTEST_FIRST_DIFFERENCE_BITS);
    if (arf_cmp(lower, bound) > 0)
        arf_set(bound, lower);
}

/* bound = max(bound, least |x - x'| - |w| (max v.x - min v.x)). */
static attest_status raise_to_distance(arf_t bound, const attest_first_difference_scan *scan,
                                       attest_error *error)
{
    ATTEST_SCOPED(attest_separated, extremes);

    FMPQ(low, high);
    ARB(distance, range);
    ARF(lower);
    ATTEST_TRY(attest_separated_get(&extremes, scan->claim->dataset, error));
    if (!extremes.has_pair)
        return ATTEST_OK;
    attest_projection_get(low, &scan->y, scan->y.token[0]);
    attest_projection_get(high, &scan->y, scan->y.token[scan->y.tokens->count - 1]);
    fmpq_sub(high, high, low);
    arb_set_fmpq(range, high, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_mul(range, range, scan->norm_w, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_set_fmpq(distance, extremes.eps_square, 2 * ATTEST_FIRST_DIFFERENCE_BITS);
    arb_sqrt(distance, distance, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_sub(distance, distance, range, ATTEST_FIRST_DIFFERENCE_BITS);
    arb_get_lbound_arf(lower, distance, ATTEST_FIRST_DIFFERENCE_BITS);
    if (arf_cmp(lower, bound) > 0)
        arf_set(bound, lower);
    return ATTEST_OK;
}

attest_status attest_first_difference_bound_tokens(arf_t bound,
                                                   const attest_first_difference_scan *scan,
                                                   const arf_t enough, attest_error *error)
{
    attest_rational_vector p ATTEST_CLEARED_BY(attest_rational_vector_clear);
    FMPZ(vw);

    arf_zero(bound);
    _fmpz_vec_dot(vw, scan->head.v.numerator, scan->head.w.numerator, (slong)scan->head.dim);
    attest_rational_vector_init(&p, scan->head.dim);
    if (fmpz_is_zero(vw)) {
        raise_to_gap(bound, &scan->y);
    } else if (set_orthogonal(&p, &scan->head)) {
        attest_projection along ATTEST_CLEARED_BY(attest_projection_clear);
        attest_status status = attest_projection_init(&along, scan->y.tokens, &p, error);

        if (status != ATTEST_UNABLE) {
            ATTEST_TRY(status);
            if (attest_projection_sort(&along) != ATTEST_OK)
                return attest_memory_fail(error);
            raise_to_gap(bound, &along);
        }
    }
    if (arf_cmp(bound, enough) <= 0 &&
        (arf_is_zero(bound) || scan->y.tokens->count <= DISTANCE_TOKENS))
        return raise_to_distance(bound, scan, error);
    return ATTEST_OK;
}
