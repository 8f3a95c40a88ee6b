/* first_difference_extremes.c -- the least separation, from candidates. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "certify/first_difference.h"
#include "number/scope.h"

static int compare_places(attest_place a, attest_place b)
{
    if (a.sequence != b.sequence)
        return a.sequence < b.sequence ? -1 : 1;
    return (a.position > b.position) - (a.position < b.position);
}

/* Names the event's pair, whose separation is at most high, unless one named before comes
 * first. */
static void name_pair(attest_first_extremes *x, attest_finding *finding,
                      const attest_first_scan *scan, const attest_first_event *event,
                      const arf_t high, bool replace)
{
    attest_place one = attest_first_place(scan, event->token, event->before),
                 two = attest_first_place(scan, event->token, event->after), swap;
    int order;

    if (compare_places(one, two) > 0) {
        swap = one;
        one = two;
        two = swap;
    }
    order = compare_places(one, finding->pair[0]);
    if (!replace && (order > 0 || (order == 0 && compare_places(two, finding->pair[1]) >= 0)))
        return;
    finding->pair[0] = one;
    finding->pair[1] = two;
    arf_set(x->named, high);
}

static int compare_events(const void *left, const void *right)
{
    const attest_first_event *a = left, *b = right;

    if (a->bound != b->bound)
        return a->bound < b->bound ? -1 : 1;
    if (a->token != b->token)
        return a->token < b->token ? -1 : 1;
    return (a->after > b->after) - (a->after < b->after);
}

/* lower = |w| e^bound, rounded down: what Lemma F promises of an event. The relative error of
 * e^x is the absolute one of x: more bits for a large x, of which there are at most 1024. */
static void promised(arf_t lower, const attest_first_scan *scan, double bound)
{
    int more = 0;
    ARB(value);

    arb_set_d(value, bound);
    frexp(isfinite(bound) ? bound : 0, &more);
    arb_exp(value, value, ATTEST_FIRST_BITS + (more > 0 ? more : 0));
    arb_mul(value, value, scan->norm_w, ATTEST_FIRST_BITS);
    arb_get_lbound_arf(lower, value, ATTEST_FIRST_BITS);
}

/* Whether the separation is at least what Lemma F promised of the event: else our bound is
 * wrong. */
static bool keeps_promise(const attest_first_scan *scan, const attest_first_event *event,
                          const arb_t separation)
{
    ARB(log, promised);

    arb_div(log, separation, scan->norm_w, ATTEST_FIRST_BITS);
    arb_log(log, log, ATTEST_FIRST_BITS);
    arb_set_d(promised, event->bound);
    return !arb_lt(log, promised);
}

/* Encloses the separation of one candidate, and keeps the least. */
static attest_status evaluate_event(attest_first_extremes *x, attest_finding *finding,
                                    const attest_first_scan *scan,
                                    const attest_first_event *event, attest_error *error)
{
    ARB(separation);
    ARF(low, high);

    ATTEST_TRY(attest_first_separation(separation, scan, event, error));
    assert(keeps_promise(scan, event, separation));
    arb_get_lbound_arf(low, separation, ATTEST_FIRST_BITS);
    arb_get_ubound_arf(high, separation, ATTEST_FIRST_BITS);
    if (!arb_is_finite(separation)) { /* nothing is known: NaN would be passed over */
        arf_zero(low);
        arf_pos_inf(high);
    }
    if (x->evaluated == 0 || arf_cmp(high, x->low) < 0)
        name_pair(x, finding, scan, event, high, true); /* less than all before */
    else if (arf_cmp(low, x->high) <= 0)
        name_pair(x, finding, scan, event, high, false);
    if (x->evaluated == 0 || arf_cmp(low, x->low) < 0)
        arf_set(x->low, low);
    if (x->evaluated == 0 || arf_cmp(high, x->high) < 0)
        arf_set(x->high, high);
    x->evaluated++;
    return ATTEST_OK;
}

/* Candidates in ascending order of what is promised of them, until the promise exceeds what was
 * found. */
static attest_status find_least(attest_first_extremes *x, attest_finding *finding,
                                attest_first_scan *scan, attest_error *error)
{
    ARF(lower);

    qsort(scan->event, scan->events, sizeof *scan->event, compare_events);
    for (size_t e = 0; e < scan->events; e++) {
        promised(lower, scan, scan->event[e].bound);
        if (x->evaluated > 0 && arf_cmp(lower, x->high) > 0)
            break;
        ATTEST_TRY(evaluate_event(x, finding, scan, &scan->event[e], error));
    }
    if (scan->dropped_event < INFINITY && x->evaluated == scan->events) {
        promised(lower, scan, scan->dropped_event);
        if (arf_cmp(lower, x->low) < 0)
            arf_set(x->low, lower);
    }
    /* Of pairs that overlap the first is named: the enclosure is to hold its separation too. */
    if (arf_cmp(x->named, x->high) > 0)
        arf_set(x->high, x->named);
    return attest_first_witness(&finding->witness, scan, &scan->event[0], error);
}

/* Where no token has two contexts: the separation of the two tokens closest along v. */
static attest_status use_tokens(attest_first_extremes *x, attest_finding *finding,
                                const attest_first_scan *scan, attest_error *error)
{
    uint32_t list[2] = {0, 0};
    ARB(first, second, square, entry, token);
    arb_ptr mean[2] = {first, second};
    FMPQ(exact);

    for (int side = 0; side < 2; side++) {
        size_t place = 0;

        while (scan->claim->dataset->token[place] != scan->y.close[side])
            place++;
        while (!scan->lists.causal && scan->claim->dataset->start[list[side] + 1] <= place)
            list[side]++;
        if (scan->lists.causal)
            list[side] = (uint32_t)place;
        finding->pair[side] = attest_first_place(scan, scan->y.close[side], list[side]);
        ATTEST_TRY(attest_first_mean(mean[side], scan, scan->y.close[side], list[side], error));
    }
    if (compare_places(finding->pair[0], finding->pair[1]) > 0) {
        attest_place swap = finding->pair[0];

        finding->pair[0] = finding->pair[1];
        finding->pair[1] = swap;
    }
    arb_sub(mean[0], mean[0], mean[1], ATTEST_FIRST_BITS);
    for (size_t c = 0; c < scan->head.dim; c++) {
        arb_mul_fmpz(entry, mean[0], scan->head.w.numerator + c, ATTEST_FIRST_BITS);
        arb_div_fmpz(entry, entry, scan->head.w.denominator, ATTEST_FIRST_BITS);
        for (int side = 0; side < 2; side++) {
            attest_tokens_get_entry(exact, scan->y.tokens, scan->y.close[side], c);
            if (side)
                fmpq_neg(exact, exact);
            arb_set_fmpq(token, exact, ATTEST_FIRST_BITS);
            arb_add(entry, entry, token, ATTEST_FIRST_BITS);
        }
        arb_addmul(square, entry, entry, ATTEST_FIRST_BITS);
    }
    arb_sqrtpos(square, square, ATTEST_FIRST_BITS); /* a ball around 0 has a root, too */
    arb_get_ubound_arf(x->high, square, ATTEST_FIRST_BITS);
    arf_set(x->low, x->high);
    return ATTEST_OK;
}

/* The enclosure of the least separation over all required pairs. */
attest_status attest_first_find_separation(attest_first_extremes *x, attest_finding *finding,
                                           attest_first_scan *scan, attest_error *error)
{
    ATTEST_TRY(scan->events > 0 ? find_least(x, finding, scan, error)
                                : use_tokens(x, finding, scan, error));
    ATTEST_TRY(attest_first_bound_tokens(x->other, scan, x->high, error));
    if (arf_cmp(x->other, x->low) < 0)
        arf_set(x->low, x->other);
    arb_set_interval_arf(finding->min_separation, x->low, x->high, ATTEST_FIRST_BITS);
    return ATTEST_OK;
}
