/* first_difference_scan.c -- neighbours of all tokens in one pass over the sorted contexts.
 *
 * For a token, consecutive contexts in the order are its neighbours; their common prefix is the
 * least of the common prefixes between them, read from a stack of suffix minima. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/progress.h"
#include "base/term.h"
#include "certify/first_difference.h"
#include "number/double.h"

/* (order, common): minima of common over suffixes of the places met so far, strictly increasing
 * towards the top. */
typedef struct minimum {
    uint32_t order, common;
} minimum;

typedef struct stack {
    minimum *item;
    size_t count;
} stack;

static void push(stack *s, uint32_t order, uint32_t common)
{
    while (s->count > 0 && s->item[s->count - 1].common >= common)
        s->count--;
    s->item[s->count++] = (minimum){order, common};
}

/* The least common over places in (before, now]: that of the lowest item beyond before. */
static uint32_t least_common(const stack *s, uint32_t before)
{
    size_t low = 0, high = s->count - 1;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->item[middle].order > before)
            high = middle;
        else
            low = middle + 1;
    }
    return s->item[low].common;
}

static void sift_event(attest_first_event *heap, size_t count, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        attest_first_event swap;

        if (child + 1 < count && heap[child + 1].bound > heap[child].bound)
            child++;
        if (heap[i].bound >= heap[child].bound)
            return;
        swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Keeps the events of least bound. */
static void offer_event(attest_first_scan *scan, attest_first_event event)
{
    attest_first_event *heap = scan->event;

    if (scan->events < ATTEST_FIRST_EVENTS) {
        heap[scan->events++] = event;
        if (scan->events == ATTEST_FIRST_EVENTS)
            for (size_t i = ATTEST_FIRST_EVENTS / 2; i-- > 0;)
                sift_event(heap, ATTEST_FIRST_EVENTS, i);
        return;
    }
    if (event.bound >= heap[0].bound) {
        scan->dropped_event = fmin(scan->dropped_event, event.bound);
        return;
    }
    scan->dropped_event = fmin(scan->dropped_event, heap[0].bound);
    heap[0] = event;
    sift_event(heap, ATTEST_FIRST_EVENTS, 0);
}

static void sift_norm(attest_first_norm *heap, size_t count, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        attest_first_norm swap;

        if (child + 1 < count && heap[child + 1].bound < heap[child].bound)
            child++;
        if (heap[i].bound <= heap[child].bound)
            return;
        swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Keeps the positions of largest bound. */
static void offer_norm(attest_first_scan *scan, attest_first_norm norm)
{
    attest_first_norm *heap = scan->norm;

    if (scan->norms < ATTEST_FIRST_NORMS) {
        heap[scan->norms++] = norm;
        if (scan->norms == ATTEST_FIRST_NORMS)
            for (size_t i = ATTEST_FIRST_NORMS / 2; i-- > 0;)
                sift_norm(heap, ATTEST_FIRST_NORMS, i);
        return;
    }
    if (norm.bound <= heap[0].bound) {
        scan->dropped_norm = fmax(scan->dropped_norm, norm.bound);
        return;
    }
    scan->dropped_norm = fmax(scan->dropped_norm, heap[0].bound);
    heap[0] = norm;
    sift_norm(heap, ATTEST_FIRST_NORMS, 0);
}

/* A lower bound of log(|boltz(A) - boltz(B)| / |alpha|) for scores that differ first at tokens
 * top and c. With t in [low, high], e^{-t} is least at high, and the bracket, which rises with
 * t, at low. Not finite where a score overflows, or nothing is known. The distance, the sum of
 * errors and their difference are off by 3 u of the distance, which may be much of low: the
 * distance counts 8 u more as an error. All else in low is relative to it, and within the slack
 * of the slope. */
static double event_bound(const attest_first_scan *scan, const attest_first_query *query,
                          uint32_t top, uint32_t c)
{
    const attest_projection *y = &scan->y;
    double distance = fabs(y->value[top] - y->value[c]),
           error = ATTEST_TERM(event_errors, y->error[top] + y->error[c]) +
                   ATTEST_TERM(event_distance, 0x1p-50 * distance);
    double high = scan->scale * (query->alpha + query->alpha_error) * (distance + error),
           low = scan->scale * (query->alpha - query->alpha_error) * (distance - error);
    double mean = high < query->twice ? query->shallow : query->nu;
    double bracket = (low - mean) * query->slope - query->mu;

    return query->offset - high + attest_double_log(bracket) -
           ATTEST_TERM(event_logs, 1e-10 * (1 + 1e-3 * fabs(query->offset) + 1e-4 * high));
}

/* The token meets list number o of the order; lists before it were met already. */
static void meet(attest_first_scan *scan, const stack *minima, const uint32_t *token_of,
                 uint32_t token, uint32_t o)
{
    const attest_context_lists *lists = &scan->lists;
    attest_first_query *query = &scan->query[token];
    uint32_t list = lists->order[o], before, common;
    bool equal = false;
    attest_first_event event;

    if (query->last != ATTEST_FIRST_NONE) {
        before = lists->order[query->last];
        common = least_common(minima, query->last);
        equal = common == attest_context_length(lists, before) &&
                common == attest_context_length(lists, list);
        if (!equal) {
            const uint32_t *key = lists->key + lists->start[before];

            event = (attest_first_event){0, token, query->first, list};
            event.bound =
                common == 0 ? query->offset + query->at_maximum
                            : event_bound(scan, query, token_of[key[0]], token_of[key[common]]);
            if (!isfinite(event.bound)) /* nothing is known */
                event.bound = -INFINITY;
            offer_event(scan, event);
        }
    }
    query->last = o;
    if (!equal)
        query->first = list;
}

/* An upper bound of |x + w m|: m lies within reach of the value that scores most. */
static void meet_norm(attest_first_scan *scan, const uint32_t *token_of, uint32_t token,
                      uint32_t list)
{
    uint32_t top = token_of[scan->lists.key[scan->lists.start[list]]];
    /* lost: what underflows in a product, and in the quotient of reach before its unit */
    const double lost = ATTEST_TERM(place_lost, 0x1p-1060);
    double m = (fabs(scan->y.value[top]) + scan->y.error[top] + lost) * scan->unit +
               scan->query[token].reach + lost;
    double bound = (scan->query[token].norm + scan->norm_w_above * m) *
                       (1 + ATTEST_TERM(place_roundings, 8 * 0x1p-53)) +
                   lost;

    offer_norm(scan, (attest_first_norm){isfinite(bound) ? bound : INFINITY, token, list});
}

/* All tokens of one sign, with lists sorted for it. */
static attest_status scan_sign(attest_first_scan *scan, const uint32_t *token_of, int sign)
{
    attest_context_lists *lists = &scan->lists;
    const attest_dataset *dataset = lists->dataset;
    stack minima = {attest_memory_alloc(dataset->longest + 2, sizeof(minimum)), 0};

    if (!minima.item || attest_context_lists_sort(lists) != ATTEST_OK) {
        free(minima.item);
        return ATTEST_NOMEM;
    }
    attest_progress_report(&scan->claim->progress, "contexts in order", 0, lists->count, NULL);
    for (size_t o = 0; o < lists->count; o++) {
        uint32_t list = lists->order[o];
        const uint32_t *key = lists->key + lists->start[list];
        size_t length = attest_context_length(lists, list);

        attest_progress_report(&scan->claim->progress, "contexts in order", o, lists->count,
                               NULL);
        push(&minima, (uint32_t)o, lists->common[o]);
        if (lists->causal) {
            uint32_t token = dataset->token[list];

            if (scan->query[token].sign == sign) {
                meet(scan, &minima, token_of, token, (uint32_t)o);
                meet_norm(scan, token_of, token, list);
            }
            continue;
        }
        for (size_t k = 0; k < length; k++) {
            uint32_t token = token_of[key[k]];

            if (scan->query[token].sign != sign)
                continue;
            meet(scan, &minima, token_of, token, (uint32_t)o);
            meet_norm(scan, token_of, token, list);
        }
    }
    attest_progress_end(&scan->claim->progress);
    free(minima.item);
    return ATTEST_OK;
}

static bool has_sign(const attest_first_scan *scan, int sign)
{
    for (size_t t = 0; t < scan->y.tokens->count; t++)
        if (scan->query[t].sign == sign)
            return true;
    return false;
}

attest_status attest_first_scan_lists(attest_first_scan *scan)
{
    size_t count = scan->y.tokens->count;
    uint32_t most = (uint32_t)count - 1;
    uint32_t *reversed ATTEST_FREED = NULL;
    attest_status status;

    scan->dropped_event = INFINITY;
    scan->dropped_norm = 0;
    if (has_sign(scan, 1))
        ATTEST_TRY(scan_sign(scan, scan->y.token, 1));
    if (!has_sign(scan, -1))
        return ATTEST_OK;
    /* For negative alpha the least value scores most. Keys and tokens change places alike. */
    reversed = attest_memory_alloc(count, sizeof *reversed);
    if (!reversed)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < count; i++)
        reversed[i] = scan->y.token[most - i];
    attest_context_lists_reverse(&scan->lists, most);
    status = scan_sign(scan, reversed, -1);
    attest_context_lists_reverse(&scan->lists, most);
    return status;
}
