/* lemma_order.c -- neighbours in the order of Lemma F, the lemma's bounds of their
 * separations, the pairs that it does not prove apart, and its witness. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/term.h"
#include "base/workers.h"
#include "number/scope.h"
#include "recheck/lemma.h"

/* A list in the order for scores of one sign: entry k is its k-th largest score, as a number
 * that is smaller the larger the score. */
typedef struct reader {
    const attest_recheck_lemma *lemma;
    bool descending; /* alpha < 0: the smallest value scores most */
    uint32_t last;   /* the largest rank */
} reader;

static uint32_t entry(const reader *r, uint32_t list, size_t k)
{
    const attest_recheck_lemma *lemma = r->lemma;

    return r->descending ? r->last - lemma->key[lemma->start[list + 1] - 1 - k]
                         : lemma->key[lemma->start[list] + k];
}

static size_t length(const reader *r, uint32_t list)
{
    return r->lemma->start[list + 1] - r->lemma->start[list];
}

static size_t common_prefix(const reader *r, uint32_t a, uint32_t b)
{
    size_t most = length(r, a) < length(r, b) ? length(r, a) : length(r, b), k = 0;

    while (k < most && entry(r, a, k) == entry(r, b, k))
        k++;
    return k;
}

/* Compares lists by their means. If the largest scores differ, the smaller one comes first.
 * Otherwise the list that has the first difference (the larger score, or one that the other
 * list lacks) has the smaller mean. */
static int compare_lists(const reader *r, uint32_t a, uint32_t b)
{
    size_t k = common_prefix(r, a, b);

    if (k == length(r, a) || k == length(r, b))
        return (length(r, b) > length(r, a)) - (length(r, a) > length(r, b));
    if (k == 0)
        return entry(r, a, 0) > entry(r, b, 0) ? -1 : 1;
    return entry(r, a, k) < entry(r, b, k) ? -1 : 1;
}

/* Merge sort: qsort's comparison would need the reader as a global. */
static void sort_lists(const reader *r, uint32_t *list, uint32_t *spare, size_t count)
{
    size_t half = count / 2, i = 0, j = half, k = 0;

    if (count < 2)
        return;
    sort_lists(r, list, spare, half);
    sort_lists(r, list + half, spare, count - half);
    while (i < half || j < count) {
        bool left = j == count || (i < half && compare_lists(r, list[i], list[j]) <= 0);
        spare[k++] = left ? list[i++] : list[j++];
    }
    for (k = 0; k < count; k++)
        list[k] = spare[k];
}

/* Visits the token in a list; last = 1 + the last list that had it, or 0. */
static bool meet(const reader *r, uint32_t *last, uint32_t token, uint32_t list,
                 bool (*visit)(void *state, const attest_recheck_event *event), void *state)
{
    attest_recheck_event event = {
        .token = token, .after = list, .sign = r->descending ? -1 : 1};
    uint32_t before = last[token];

    last[token] = list + 1;
    if (before == 0)
        return true;
    event.before = before - 1;
    event.common = common_prefix(r, event.before, list);
    if (event.common == length(r, list) && event.common == length(r, event.before)) {
        last[token] = before; /* the same context: the first one stands for it */
        return true;
    }
    return visit(state, &event);
}

/* Visits all events of tokens whose alpha has this sign. */
static bool visit_sign(const reader *r, uint32_t *order, uint32_t *last,
                       bool (*visit)(void *state, const attest_recheck_event *event),
                       void *state)
{
    const attest_recheck_lemma *lemma = r->lemma;
    const attest_dataset *dataset = lemma->check->dataset;
    int sign = r->descending ? -1 : 1;
    bool causal = lemma->check->weights->mask == ATTEST_MASK_CAUSAL, more = true;

    attest_progress_report(&lemma->check->progress, "contexts", 0, lemma->lists, NULL);
    for (size_t i = 0; i < lemma->lists && more; i++) {
        uint32_t list = order[i];
        size_t first = lemma->start[list], end = lemma->start[list + 1];
        for (size_t k = causal ? end - 1 : first; k < end && more; k++) {
            uint32_t token = causal ? dataset->token[list] : lemma->sorted[lemma->key[k]];
            if (fmpz_sgn(lemma->slope + token) == sign)
                more = meet(r, last, token, list, visit, state);
        }
        attest_progress_report(&lemma->check->progress, "contexts", i + 1, lemma->lists, NULL);
    }
    attest_progress_end(&lemma->check->progress);
    return more;
}

bool attest_recheck_lemma_visit(const attest_recheck_lemma *lemma,
                                bool (*visit)(void *state, const attest_recheck_event *event),
                                void *state)
{
    size_t tokens = lemma->check->dataset->tokens.count;
    uint32_t *order ATTEST_FREED = attest_memory_alloc(lemma->lists, sizeof *order);
    uint32_t *spare ATTEST_FREED = attest_memory_alloc(lemma->lists, sizeof *spare);
    uint32_t *last ATTEST_FREED = attest_memory_alloc(tokens, sizeof *last);
    bool ok = order && spare && last, more = true;

    for (int sign = 1; ok && more && sign >= -1; sign -= 2) {
        reader r = {lemma, sign < 0, (uint32_t)tokens - 1};
        for (size_t i = 0; i < lemma->lists; i++)
            order[i] = (uint32_t)i;
        sort_lists(&r, order, spare, lemma->lists);
        more = visit_sign(&r, order, last, visit, state);
    }
    return ok;
}

/* distance = |value of the largest score - value of the first difference|, over values. */
static void get_distance(fmpz_t distance, const attest_recheck_lemma *lemma,
                         const attest_recheck_event *event)
{
    reader r = {lemma, event->sign < 0, (uint32_t)lemma->check->dataset->tokens.count - 1};
    size_t k = event->common;
    uint32_t own = UINT32_MAX, other = UINT32_MAX, top = entry(&r, event->after, 0);

    if (k < length(&r, event->before))
        own = entry(&r, event->before, k);
    if (k < length(&r, event->after))
        other = entry(&r, event->after, k);
    own = own < other ? own : other;
    if (r.descending) {
        own = r.last - own;
        top = r.last - top;
    }
    fmpz_sub(distance, lemma->value + lemma->sorted[top], lemma->value + lemma->sorted[own]);
    fmpz_abs(distance, distance);
}

/* log |w| - log |alpha| - t + bracket from below, t = |alpha| depth. Roundings by u = 2^-53: of
 * both differences, t, its subtraction, the sum and the result, and the last bits of depth,
 * together below 5 u of the sum of sizes. */
static double add_logs(const attest_recheck_lemma *lemma, uint32_t token, double depth,
                       double bracket)
{
    double offset = lemma->norm_log - lemma->slope_log[token],
           t = depth * lemma->slope_above[token];

    return offset - t + bracket -
           ATTEST_TERM(lemma_logs, (fabs(offset) + t + fabs(bracket)) * 0x1p-50);
}

double attest_recheck_lemma_log(const attest_recheck_lemma *lemma,
                                const attest_recheck_event *event)
{
    FMPZ(distance);
    ARB(x);

    if (event->common == 0)
        return add_logs(lemma, event->token, 0, -0.5); /* g - nu >= g/2 > e^-0.5 */
    get_distance(distance, lemma, event);
    arb_set_fmpz(x, distance);
    arb_div_fmpz(x, x, lemma->values, 64);
    return add_logs(lemma, event->token, arf_get_d(arb_midref(x), ARF_RND_UP),
                    lemma->bracket_log);
}

/* bracket = (t - m)(1 - 2q) - mu if the largest scores are equal, q = e^-g, mu = g q/(1-q),
 * m = g q/(1+q) if t < 2g, else nu = mu/(1-q); g - nu where they do not (t is NULL). */
static void set_bracket(arb_t bracket, const arb_t g, const arb_t t, bool shallow, long bits)
{
    ARB(q, rest, mu, mean);

    arb_neg(q, g);
    arb_exp(q, q, bits);
    arb_sub_ui(rest, q, 1, bits);
    arb_neg(rest, rest);
    arb_mul(mu, g, q, bits);
    arb_add_ui(mean, q, 1, bits);
    arb_div(mean, mu, mean, bits);
    arb_div(mu, mu, rest, bits);
    if (!shallow)
        arb_div(mean, mu, rest, bits);
    arb_sub(bracket, t ? t : g, mean, bits);
    if (t) {
        arb_sub(rest, rest, q, bits); /* 1 - 2q */
        arb_mul(bracket, bracket, rest, bits);
        arb_sub(bracket, bracket, mu, bits);
    }
}

void attest_recheck_lemma_bound(arb_t bound, const attest_recheck_lemma *lemma,
                                const attest_recheck_event *event, long bits)
{
    long more;
    ARB(alpha, g, t);
    FMPZ(distance, twice);

    arb_set_fmpz(alpha, lemma->slope + event->token);
    arb_abs(alpha, alpha);
    if (event->common > 0)
        get_distance(distance, lemma, event);
    more = (long)(fmpz_bits(distance) + fmpz_bits(lemma->slope + event->token));
    more = bits + 32 + more; /* the relative error of e^-t is the absolute one of t */
    arb_div_fmpz(alpha, alpha, lemma->slopes, more);
    arb_mul_fmpz(g, alpha, lemma->gap, more);
    arb_div_fmpz(g, g, lemma->values, more);
    fmpz_mul_2exp(twice, lemma->gap, 1);
    if (event->common == 0) {
        set_bracket(bound, g, NULL, false, bits + 32);
    } else {
        arb_mul_fmpz(t, alpha, distance, more);
        arb_div_fmpz(t, t, lemma->values, more);
        set_bracket(bound, g, t, fmpz_cmp(distance, twice) < 0, bits + 32);
        arb_neg(t, t);
        arb_exp(t, t, more);
        arb_mul(bound, bound, t, bits + 32);
    }
    arb_mul(bound, bound, lemma->norm, bits + 32);
    arb_div(bound, bound, alpha, bits + 32);
}

/* The search for pairs that the lemma does not prove apart. */
typedef struct search {
    const attest_recheck_lemma *lemma;
    const arf_struct *reach;
    double reach_log; /* an upper bound of its logarithm; -infinity for 0 */
    bool (*visit)(void *state, size_t a, size_t b);
    void *state;
} search;

/* An upper bound of the logarithm of x >= 0. */
static double log_above(const arf_t x)
{
    ARB(log);
    ARF(end);

    if (arf_sgn(x) <= 0)
        return -INFINITY;
    arb_set_arf(log, x);
    arb_log(log, log, 64);
    arb_get_ubound_arf(end, log, 53);
    return arf_get_d(end, ARF_RND_CEIL);
}

/* Visits the event's pair unless the lemma proves it farther apart than the reach. */
static bool visit_event(void *state, const attest_recheck_event *event)
{
    const search *s = state;
    bool apart = attest_recheck_lemma_log(s->lemma, event) > s->reach_log;
    size_t a, b;
    arb_t bound;

    if (!apart && arf_sgn(s->reach) <= 0)
        apart = true; /* the lemma's bound is positive */
    if (!apart) {
        arb_init(bound);
        attest_recheck_lemma_bound(bound, s->lemma, event, 128);
        arb_sub_arf(bound, bound, s->reach, 128);
        apart = arb_is_positive(bound);
        arb_clear(bound);
    }
    if (apart)
        return true;
    a = attest_recheck_lemma_place(s->lemma, event->token, event->before);
    b = attest_recheck_lemma_place(s->lemma, event->token, event->after);
    return s->visit(s->state, a < b ? a : b, a < b ? b : a);
}

attest_status attest_recheck_lemma_visit_near(bool *covers, const attest_recheck_lemma *lemma,
                                              const arf_t reach,
                                              bool (*visit)(void *state, size_t a, size_t b),
                                              void *state, attest_error *error)
{
    search s = {.lemma = lemma, .reach = reach, .visit = visit, .state = state};
    bool ok;
    ARF(tokens);

    ok = attest_recheck_lemma_tokens(tokens, lemma);
    *covers = ok && arf_cmp(tokens, reach) > 0;
    s.reach_log = log_above(reach);
    if (*covers)
        ok = attest_recheck_lemma_visit(lemma, visit_event, &s);
    return ok ? ATTEST_OK : attest_error_set(error, ATTEST_NOMEM, "out of memory");
}

/* The search for the event of the witness. */
typedef struct witness_search {
    const attest_recheck_lemma *lemma;
    const attest_certificate_witness *witness;
    attest_recheck_event event;
    bool found;
} witness_search;

/* True if the place has the token and the list as its context. */
static bool is_place(const attest_recheck_lemma *lemma, uint32_t token, uint32_t list,
                     attest_place place)
{
    const attest_dataset *dataset = lemma->check->dataset;
    size_t position, own, size = lemma->start[list + 1] - lemma->start[list];

    if (place.sequence >= dataset->count ||
        place.position >= attest_dataset_length(dataset, place.sequence))
        return false;
    position = dataset->start[place.sequence] + place.position;
    own = lemma->check->weights->mask == ATTEST_MASK_CAUSAL ? position : place.sequence;
    return dataset->token[position] == token &&
           lemma->start[own + 1] - lemma->start[own] == size &&
           memcmp(lemma->key + lemma->start[own], lemma->key + lemma->start[list],
                  size * sizeof *lemma->key) == 0;
}

static bool look_at(void *state, const attest_recheck_event *event)
{
    witness_search *q = state;
    const attest_place *place = q->witness->neighbours;

    q->found = is_place(q->lemma, event->token, event->before, place[0]) &&
               is_place(q->lemma, event->token, event->after, place[1]);
    q->event = *event;
    return !q->found;
}

/* True if the lemma's bound of the event, in balls of growing precision, lies in the
 * witness's ball. */
static bool is_bound_inside(const witness_search *q)
{
    bool inside = false, decided = false;
    ARB(bound);

    for (long bits = 64; bits <= 1024 && !decided; bits *= 2) {
        attest_recheck_lemma_bound(bound, q->lemma, &q->event, bits);
        inside = arb_contains(q->witness->bound, bound);
        decided = inside || !arb_overlaps(q->witness->bound, bound);
    }
    return inside;
}

attest_status attest_recheck_lemma_witness(const char **what, const attest_recheck_lemma *lemma,
                                           const attest_certificate_witness *witness,
                                           attest_error *error)
{
    witness_search q = {.lemma = lemma, .witness = witness};
    FMPQ(gap);

    *what = NULL;
    if (!attest_recheck_lemma_visit(lemma, look_at, &q))
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    if (q.found)
        attest_recheck_lemma_gap(gap, lemma, q.event.token);
    if (!q.found)
        *what = "the contexts of the witness are not neighbours in its order";
    else if (witness->order != q.event.sign)
        *what = "the witness names the other order";
    else if (witness->common != q.event.common)
        *what = "the contexts of the witness first differ elsewhere";
    else if (!fmpq_equal(witness->gap, gap))
        *what = "the least gap of scores differs from that of the witness";
    else if (!is_bound_inside(&q))
        *what = "the ball of the witness does not contain the lemma's bound";
    return ATTEST_OK;
}
