/* first_difference_scan.c -- the hypotheses of Lemma F for every token, and the neighbours of
 * all tokens in one pass over the sorted contexts.
 *
 * For a token, consecutive contexts in the order are its neighbours; their common prefix is the
 * least of the common prefixes between them, read from a stack of suffix minima. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <attest/kernel.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/term.h"
#include "base/workers.h"
#include "certify/first_difference.h"
#include "number/double.h"
#include "number/scope.h"
#include "theory/sharp_gap.h"

/* (order, common): minima of common over suffixes of the places visited so far, strictly
 * increasing towards the top. */
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

/* The least common over places in (before, now]: that of the lowest item after before. */
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

static void sift_event(attest_first_difference_event *heap, size_t count, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        attest_first_difference_event swap;

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
static void offer_event(attest_first_difference_scan *scan, attest_first_difference_event event)
{
    attest_first_difference_event *heap = scan->event;

    if (scan->events < ATTEST_FIRST_DIFFERENCE_EVENTS) {
        heap[scan->events++] = event;
        if (scan->events == ATTEST_FIRST_DIFFERENCE_EVENTS)
            for (size_t i = ATTEST_FIRST_DIFFERENCE_EVENTS / 2; i-- > 0;)
                sift_event(heap, ATTEST_FIRST_DIFFERENCE_EVENTS, i);
        return;
    }
    if (event.bound >= heap[0].bound) {
        scan->dropped_event = fmin(scan->dropped_event, event.bound);
        return;
    }
    scan->dropped_event = fmin(scan->dropped_event, heap[0].bound);
    heap[0] = event;
    sift_event(heap, ATTEST_FIRST_DIFFERENCE_EVENTS, 0);
}

static void sift_norm(attest_first_difference_norm *heap, size_t count, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        attest_first_difference_norm swap;

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
static void offer_norm(attest_first_difference_scan *scan, attest_first_difference_norm norm)
{
    attest_first_difference_norm *heap = scan->norm;

    if (scan->norms < ATTEST_FIRST_DIFFERENCE_NORMS) {
        heap[scan->norms++] = norm;
        if (scan->norms == ATTEST_FIRST_DIFFERENCE_NORMS)
            for (size_t i = ATTEST_FIRST_DIFFERENCE_NORMS / 2; i-- > 0;)
                sift_norm(heap, ATTEST_FIRST_DIFFERENCE_NORMS, i);
        return;
    }
    if (norm.bound <= heap[0].bound) {
        scan->dropped_norm = fmax(scan->dropped_norm, norm.bound);
        return;
    }
    scan->dropped_norm = fmax(scan->dropped_norm, heap[0].bound);
    heap[0] = norm;
    sift_norm(heap, ATTEST_FIRST_DIFFERENCE_NORMS, 0);
}

/* A lower bound of log(|boltz(A) - boltz(B)| / |alpha|) for scores that differ first at
 * tokens top and c. With t in [low, high], e^{-t} is least at high, and the bracket, which
 * rises with t, at low. Not finite if a score overflows or there is no bound. The distance,
 * the sum of errors and their difference are off by 3 u of the distance, which may be much
 * of low: the distance counts 8 u more as an error. All else in low is relative to it, and
 * within the slack of the slope. */
static double event_bound(const attest_first_difference_scan *scan,
                          const attest_first_difference_query *query, uint32_t top, uint32_t c)
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

/* Visits the token in list number o of the order, after the lists that precede it. */
static void meet(attest_first_difference_scan *scan, const stack *minima,
                 const uint32_t *token_of, uint32_t token, uint32_t o)
{
    const attest_context_lists *lists = &scan->lists;
    attest_first_difference_query *query = &scan->query[token];
    uint32_t list = lists->order[o], before, common;
    bool equal = false;
    attest_first_difference_event event;

    if (query->last != ATTEST_FIRST_DIFFERENCE_NONE) {
        before = lists->order[query->last];
        common = least_common(minima, query->last);
        equal = common == attest_context_length(lists, before) &&
                common == attest_context_length(lists, list);
        if (!equal) {
            const uint32_t *key = lists->key + lists->start[before];

            event = (attest_first_difference_event){0, token, query->first, list};
            event.bound =
                common == 0 ? query->offset + query->at_maximum
                            : event_bound(scan, query, token_of[key[0]], token_of[key[common]]);
            if (!isfinite(event.bound)) /* no bound */
                event.bound = -INFINITY;
            offer_event(scan, event);
        }
    }
    query->last = o;
    if (!equal)
        query->first = list;
}

/* An upper bound of |x + w m|: m lies within reach of the value that scores most. */
static void meet_norm(attest_first_difference_scan *scan, const uint32_t *token_of,
                      uint32_t token, uint32_t list)
{
    uint32_t top = token_of[scan->lists.key[scan->lists.start[list]]];
    /* lost: the underflow in a product, and in the quotient of reach before its unit */
    const double lost = ATTEST_TERM(place_lost, 0x1p-1060);
    double m = (fabs(scan->y.value[top]) + scan->y.error[top] + lost) * scan->unit +
               scan->query[token].reach + lost;
    double bound = (scan->query[token].norm + scan->norm_w_above * m) *
                       (1 + ATTEST_TERM(place_roundings, 8 * 0x1p-53)) +
                   lost;

    offer_norm(scan,
               (attest_first_difference_norm){isfinite(bound) ? bound : INFINITY, token, list});
}

/* All tokens of one sign, with lists sorted for it. */
static attest_status scan_sign(attest_first_difference_scan *scan, const uint32_t *token_of,
                               int sign)
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

static bool has_sign(const attest_first_difference_scan *scan, int sign)
{
    for (size_t t = 0; t < scan->y.tokens->count; t++)
        if (scan->query[t].sign == sign)
            return true;
    return false;
}

attest_status attest_first_difference_scan_lists(attest_first_difference_scan *scan)
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
    /* For negative alpha the least value has the largest score: reverse keys and tokens. */
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

/* log(2 + sqrt 3) = 1.316957896924816..., and a double safely above it. */
static const double threshold_above = 1.3169578969249;

/* Constants are moved by this relative amount in the safe direction, more than the roundings of
 * all that is computed from them: products, the kernels' exp, attest_double_log, a few ulps
 * each (proofs-notes/first_difference.md, "Candidates"). */
static const double slack = 1e-12;

/* The sign of the projection of x, exactly. */
static int exact_sign(const attest_first_difference_scan *scan, size_t t)
{
    FMPQ(value);

    attest_projection_get(value, scan->head.parallel ? &scan->y : &scan->a, t);
    return fmpq_sgn(value);
}

/* True if |a.x| gap >= log(2 + sqrt 3), decided exactly. */
static bool exact_gap(const attest_first_difference_scan *scan, size_t t)
{
    FMPQ(gap, least);

    fmpq_set(least, scan->y.gap);
    attest_projection_get(gap, scan->head.parallel ? &scan->y : &scan->a, t);
    if (scan->head.parallel)
        fmpq_mul(gap, gap, scan->head.ratio);
    fmpq_abs(gap, gap);
    fmpq_mul(gap, gap, least);
    return attest_sharp_gap_check(gap);
}

/* |entry c of token t|, within a relative error of 2^-51. */
static double magnitude(const attest_tokens *tokens, size_t t, size_t c)
{
    FMPQ(entry);
    ARB(x);

    if (tokens->real)
        return fabs(tokens->real[t * tokens->dim + c]);
    attest_tokens_get_entry(entry, tokens, t, c);
    arb_set_fmpq(x, entry, 60);
    return fabs(arf_get_d(arb_midref(x), ARF_RND_UP));
}

/* An upper bound of |x|, apart from an underflow of 2^-1075 at the end. Roundings by u =
 * 2^-53: the root halves the d of a square and its sum, and makes one; the product two, the
 * entries of rational tokens less than one. Scaled so that the largest entry is at most 1,
 * and not far below: nothing overflows, and hardly anything underflows. */
static double norm_above(const attest_tokens *tokens, size_t t)
{
    double sum = 0, most = 0, factor;
    int exponent;

    for (size_t c = 0; c < tokens->dim; c++) {
        double size = magnitude(tokens, t, c);
        most = size > most ? size : most;
    }
    frexp(most, &exponent);
    exponent = exponent < -1000 ? -1000 : exponent; /* 2^-exponent must not overflow */
    factor = ldexp(1, -exponent);
    for (size_t c = 0; c < tokens->dim; c++) {
        double scaled = magnitude(tokens, t, c) * factor;
        sum += scaled * scaled;
    }
    return ldexp(sqrt(sum) *
                     (1 + ATTEST_TERM(query_norm, ((double)tokens->dim / 2 + 6) * 0x1p-53)),
                 exponent);
}

/* The bound's constants at a gap that is at most the token's: smaller gaps bound less. */
static void set_constants(attest_first_difference_query *query, double gap)
{
    double q, below = -gap;

    attest_kernel_exp(&q, &below, 1);
    query->mu = gap * q / (1 - q) * (1 + ATTEST_TERM(query_mu, slack)) +
                ATTEST_TERM(query_mu_underflow, 0x1p-1000); /* where q underflows */
    query->nu = query->mu / (1 - q);                        /* mu's slack is enough for both */
    query->shallow = gap * q / (1 + q) * (1 + ATTEST_TERM(query_shallow, slack)) +
                     ATTEST_TERM(query_shallow_underflow, 0x1p-1000);
    query->twice = 2 * gap;
    query->slope = 1 - 2 * q - ATTEST_TERM(query_slope, slack);
    query->at_maximum = attest_double_log(gap - query->nu);
    /* near 0, where this is little, the slack of nu is enough */
    query->at_maximum -= ATTEST_TERM(query_maximum, slack * fabs(query->at_maximum));
}

static void set_query(attest_first_difference_scan *scan, size_t t, double gap)
{
    const attest_projection *a = scan->head.parallel ? &scan->y : &scan->a;
    attest_first_difference_query *query = &scan->query[t];
    double most, score;

    query->alpha = fabs(a->value[t]);
    query->alpha_error = a->error[t];
    query->last = ATTEST_FIRST_DIFFERENCE_NONE;
    query->sign = (int8_t)((a->value[t] > 0) - (a->value[t] < 0));
    if (query->alpha <= query->alpha_error)
        query->sign = (int8_t)exact_sign(scan, t);
    if (scan->head.parallel && fmpq_sgn(scan->head.ratio) < 0)
        query->sign = (int8_t)-query->sign; /* a = ratio v */
    /* scores are K alpha times a difference of values; a.x = K alpha / unit */
    score = scan->scale * (query->alpha - query->alpha_error);
    most = scan->scale * (query->alpha + query->alpha_error);
    query->offset = -attest_double_log(most / scan->unit);
    query->offset -= ATTEST_TERM(query_offset, slack * (1 + fabs(query->offset)));
    query->norm = norm_above(scan->y.tokens, t);
    if (score * gap >= threshold_above)
        set_constants(query, score * gap);
    else
        query->mu = query->nu = NAN; /* to be decided exactly */
    query->reach = query->nu / score * scan->unit;
}

/* For a token whose gap is within rounding of the threshold: decides the hypothesis exactly,
 * and takes the constants of a gap slightly below the threshold. */
static bool set_close_query(attest_first_difference_scan *scan, size_t t)
{
    attest_first_difference_query *query = &scan->query[t];
    double score = scan->scale * (query->alpha - query->alpha_error);

    if (!exact_gap(scan, t))
        return false;
    set_constants(query, 1.31695789692481);
    query->reach = query->nu / score * scan->unit;
    return score > 0;
}

static void explain_token(char *reason, size_t size, const attest_first_difference_scan *scan,
                          size_t t, const char *what)
{
    const attest_dataset *dataset = scan->claim->dataset;
    size_t place = 0, sequence = 0;

    while (dataset->token[place] != t) /* every token occurs */
        place++;
    while (dataset->start[sequence + 1] <= place)
        sequence++;
    snprintf(reason, size, "%s at [%zu,%zu]", what, sequence, place - dataset->start[sequence]);
}

/* Returns a lower bound of the least distance of values; its slack also covers the rounding of
 * its product with a score. */
static double get_gap(const attest_projection *y)
{
    ARB(least);

    arb_set_fmpq(least, y->gap, 64);
    arb_mul_2exp_si(least, least, -y->exponent);
    return arf_get_d(arb_midref(least), ARF_RND_DOWN) * (1 - ATTEST_TERM(query_gap, slack));
}

attest_status attest_first_difference_set_queries(attest_first_difference_scan *scan,
                                                  char *reason, size_t size,
                                                  attest_error *error)
{
    size_t count = scan->y.tokens->count;
    double gap;

    scan->query = attest_memory_alloc(count, sizeof *scan->query);
    if (!scan->query)
        return attest_memory_fail(error);
    gap = get_gap(&scan->y);
    for (size_t t = 0; t < count; t++) {
        set_query(scan, t, gap);
        if (scan->query[t].sign == 0) {
            explain_token(reason, size, scan, t,
                          "Lemma F does not apply: all keys score 0 for the token");
            return ATTEST_OK;
        }
        if (isnan(scan->query[t].mu) && !set_close_query(scan, t)) {
            explain_token(reason, size, scan, t,
                          "Lemma F does not apply: scores come closer than 1.3170 for the "
                          "token");
            return ATTEST_OK;
        }
    }
    return ATTEST_OK;
}
