/* lemma_near.c -- the pairs that Lemma F does not keep apart, and its witness. */
#include <math.h>
#include <string.h>

#include "number/scope.h"
#include "recheck/lemma.h"

/* What the events are held against. */
typedef struct search {
    const attest_recheck_lemma *lemma;
    const arf_struct *reach;
    double reach_log; /* an upper bound of its logarithm; -infinity for 0 */
    bool (*visit)(void *state, size_t a, size_t b);
    void *state;
} search;

/* A bound of the logarithm of x >= 0, from above. */
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

/* Visits the event's pair unless the lemma keeps it apart. */
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

/* Looks for the event of the witness. */
typedef struct quest {
    const attest_recheck_lemma *lemma;
    const attest_certificate_witness *witness;
    attest_recheck_event event;
    bool found;
} quest;

/* Whether the place has the token, and the context that the list is. */
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
    quest *q = state;
    const attest_place *place = q->witness->neighbours;

    q->found = is_place(q->lemma, event->token, event->before, place[0]) &&
               is_place(q->lemma, event->token, event->after, place[1]);
    q->event = *event;
    return !q->found;
}

/* Whether the lemma's bound of the event lies in the ball, to which balls of it shrink. */
static bool bound_is(const quest *q)
{
    bool inside = false, told = false;
    ARB(bound);

    for (long bits = 64; bits <= 1024 && !told; bits *= 2) {
        attest_recheck_lemma_bound(bound, q->lemma, &q->event, bits);
        inside = arb_contains(q->witness->bound, bound);
        told = inside || !arb_overlaps(q->witness->bound, bound);
    }
    return inside;
}

attest_status attest_recheck_lemma_witness(const char **what, const attest_recheck_lemma *lemma,
                                           const attest_certificate_witness *witness,
                                           attest_error *error)
{
    quest q = {.lemma = lemma, .witness = witness};
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
        *what = "the contexts of the witness differ first elsewhere";
    else if (!fmpq_equal(witness->gap, gap))
        *what = "the least gap of scores is not that of the witness";
    else if (!bound_is(&q))
        *what = "the bound of the lemma does not lie in that of the witness";
    return ATTEST_OK;
}
