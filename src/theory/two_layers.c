/* two_layers.c -- the criterion and the layers of proofs-notes/two_layers.md. */
#include "theory/two_layers.h"

#include <assert.h>

#include <attest/attention.h>

#include "base/memory.h"
#include "base/scope.h"

/* The data of the tokens of one sign: 0 positive, 1 negative. */
typedef struct kind {
    long count, sum;
    long largest, smallest;
    long largest_times, smallest_times;
} kind;

typedef struct summary {
    kind kind[2];
} summary;

static void add_token(kind *k, long t)
{
    if (k->count == 0 || t > k->largest)
        k->largest = t, k->largest_times = 0;
    if (k->count == 0 || t < k->smallest)
        k->smallest = t, k->smallest_times = 0;
    k->largest_times += t == k->largest;
    k->smallest_times += t == k->smallest;
    k->count++;
    k->sum += t;
}

static summary summarise(const attest_universal_pair *pair, size_t side)
{
    summary s = {{{0}}};

    for (size_t k = 0; k < pair->length[side]; k++) {
        assert(pair->t[side][k] != 0);
        add_token(&s.kind[pair->t[side][k] < 0], pair->t[side][k]);
    }
    return s;
}

static long largest(const summary *s)
{
    return s->kind[0].count ? s->kind[0].largest : s->kind[1].largest;
}

static long smallest(const summary *s)
{
    return s->kind[1].count ? s->kind[1].smallest : s->kind[0].smallest;
}

/* Returns whether a/b = c/d; all but a and c positive. */
static bool same_ratio(long a, long b, long c, long d)
{
    return a * d == c * b;
}

static bool is_universal(const summary *a, const summary *b)
{
    return largest(a) == largest(b) && smallest(a) == smallest(b) &&
           same_ratio(a->kind[0].sum + a->kind[1].sum, a->kind[0].count + a->kind[1].count,
                      b->kind[0].sum + b->kind[1].sum, b->kind[0].count + b->kind[1].count);
}

attest_two_layers_part attest_two_layers_check(const attest_universal_pair *pair)
{
    summary a = summarise(pair, 0), b = summarise(pair, 1);
    const kind *p = &a.kind[0], *n = &a.kind[1], *q = &b.kind[0], *m = &b.kind[1];

    if (!is_universal(&a, &b))
        return ATTEST_TWO_LAYERS_UNIVERSAL;
    if (p->count == 0 || n->count == 0) /* then b has one sign, too: the extremes agree */
        return ATTEST_TWO_LAYERS_SURVIVES;
    if (p->smallest != q->smallest || n->largest != m->largest)
        return ATTEST_TWO_LAYERS_NEAREST;
    if (!same_ratio(p->sum, p->count, q->sum, q->count) ||
        !same_ratio(n->sum, n->count, m->sum, m->count))
        return ATTEST_TWO_LAYERS_MEANS;
    if (!same_ratio(p->largest_times, n->largest_times, q->largest_times, m->largest_times) ||
        !same_ratio(p->smallest_times, n->smallest_times, q->smallest_times, m->smallest_times))
        return ATTEST_TWO_LAYERS_MULTIPLICITIES;
    return ATTEST_TWO_LAYERS_SURVIVES;
}

/* Chooses the scores of the second layer that distinguish the pair: a key (t, e), e = M for t >
 * 0 and m for t < 0, scores along t + beside e. All are whole numbers. */
static void choose_scores(long *along, long *beside, const attest_universal_pair *pair,
                          attest_two_layers_part part)
{
    summary a = summarise(pair, 0), b = summarise(pair, 1);
    const kind *p = &a.kind[0], *n = &a.kind[1], *q = &b.kind[0], *m = &b.kind[1];
    long width = p->largest - n->smallest; /* M - m, the same for b */

    switch (part) {
    case ATTEST_TWO_LAYERS_NEAREST: /* the positive ones far above, and the least of them best:
                                     * or the negative ones, and the largest */
        *along = p->smallest != q->smallest ? -1 : 1;
        *beside = p->smallest != q->smallest ? 2 : -2;
        return;
    case ATTEST_TWO_LAYERS_MEANS: /* all positive ones win, or all negative ones */
        *along = 0;
        *beside = same_ratio(p->sum, p->count, q->sum, q->count) ? -1 : 1;
        return;
    default: /* the largest, or the smallest, of both signs tie */
        if (!same_ratio(p->largest_times, n->largest_times, q->largest_times,
                        m->largest_times)) {
            *along = width;
            *beside = n->largest - p->largest;
        } else {
            *along = -width;
            *beside = p->smallest - n->smallest;
        }
    }
}

/* A head of one head_size: W_Q, W_K rows of two entries, W_V, W_O. */
static attest_status set_layer(attest_weights *layer, const long query[2], const long key[2],
                               const long value[][2], const long output[][2], size_t size,
                               attest_error *error)
{
    attest_head *head;

    if (attest_weights_resize(layer, 1) != ATTEST_OK)
        return attest_memory_fail(error);
    layer->activation = ATTEST_HARDMAX;
    layer->dim = 2;
    head = &layer->head[0];
    attest_matrix_resize(&head->wq, size, 2);
    attest_matrix_resize(&head->wk, size, 2);
    attest_matrix_resize(&head->wv, size, 2);
    attest_matrix_resize(&head->wo, 2, size);
    for (size_t c = 0; c < 2; c++) {
        fmpz_set_si(head->wq.entry + c, query[c]); /* the other rows are 0 */
        fmpz_set_si(head->wk.entry + c, key[c]);
        for (size_t r = 0; r < size; r++) {
            fmpz_set_si(head->wv.entry + 2 * r + c, value[r][c]);
            fmpz_set_si(head->wo.entry + c * size + r, output[c][r]);
        }
    }
    return ATTEST_OK;
}

attest_status attest_two_layers_separate(attest_weights layer[2],
                                         const attest_universal_pair *pair,
                                         attest_two_layers_part part, attest_error *error)
{
    static const long first[2] = {1, 0}, read[1][2] = {{1, 0}}, put[2][2] = {{0, 0}, {1, 0}},
                      same[2][2] = {{1, 0}, {0, 1}};
    long query[2] = {pair->t[0][pair->position[0]] > 0 ? 1 : -1, 0}, key[2];

    choose_scores(&key[0], &key[1], pair, part);
    /* (t, 0) becomes (t, M) or (t, m): the best key is the largest for a positive query. */
    ATTEST_TRY(set_layer(&layer[0], first, first, read, put, 1, error));
    return set_layer(&layer[1], query, key, same, same, 2, error);
}

/* sequence = the rationals over one denominator. */
static void set_sequence(attest_sequence *sequence, const fmpq *x)
{
    slong entries = (slong)(sequence->length * sequence->dim);

    fmpz_one(sequence->denominator);
    for (slong e = 0; e < entries; e++)
        fmpz_lcm(sequence->denominator, sequence->denominator, fmpq_denref(x + e));
    for (slong e = 0; e < entries; e++) {
        fmpz_divexact(sequence->entry + e, sequence->denominator, fmpq_denref(x + e));
        fmpz_mul(sequence->entry + e, sequence->entry + e, fmpq_numref(x + e));
    }
}

attest_status attest_two_layers_evaluate(fmpq *out, const attest_weights *layer, size_t layers,
                                         const attest_sequence *sequence, attest_error *error)
{
    ATTEST_SCOPED(attest_sequence, between);

    ATTEST_TRY(attest_attention_exact(out, &layer[0], sequence, error));
    attest_sequence_resize(&between, sequence->length, sequence->dim);
    for (size_t l = 1; l < layers; l++) {
        set_sequence(&between, out);
        ATTEST_TRY(attest_attention_exact(out, &layer[l], &between, error));
    }
    return ATTEST_OK;
}
