/* theorem1_contexts.c -- all contexts that the tokens of a dataset have, each at its place. */
#include "theory/theorem1_contexts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/work.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/linear.h"
#include "number/scope.h"
#include "theory/theorem1_check.h"

attest_status attest_theorem1_add_place(attest_theorem1_search *s, attest_error *error)
{
    const attest_dataset *v = s->vocabulary;
    size_t k = s->places, end = s->start[k];

    for (size_t i = 0; i < v->count; i++) {
        size_t t = k < attest_dataset_length(v, i) ? attest_dataset_token(v, i, k) : SIZE_MAX;
        bool there = t == SIZE_MAX;

        if (!there && s->own[t] == SIZE_MAX) {
            s->own[t] = s->count;
            s->id[s->count++] = t;
        }
        for (size_t e = s->start[k]; e < end && !there; e++)
            there = s->at[e] == s->own[t];
        if (there)
            continue;
        if (!attest_memory_grow(&s->at, &s->at_room, end + 1, sizeof *s->at))
            return attest_memory_fail(error);
        s->at[end++] = s->own[t];
    }
    s->start[++s->places] = end;
    return ATTEST_OK;
}

/* added of head h, times scale. */
static void set_added(attest_theorem1_search *s, size_t h, const fmpz_t scale)
{
    const attest_head *head = &s->weights->head[h];
    size_t dim = s->vocabulary->dim, size = head->wv.rows;
    fmpz *functional = _fmpz_vec_init((slong)dim), *l = _fmpz_vec_init((slong)size),
         *pulled = _fmpz_vec_init((slong)dim);
    uint64_t state = s->functional;

    for (size_t c = 0; c < dim; c++)
        fmpz_set_ui(functional + c, (ulong)(attest_random_next(&state) >> 1));
    attest_linear_apply_transposed(l, &head->wo, functional);
    attest_linear_apply_transposed(pulled, &head->wv, l);
    for (size_t y = 0; y < s->count; y++) {
        fmpz *added = s->added + h * s->count + y;

        _fmpz_vec_dot(added, pulled, s->token + y * dim, (slong)dim);
        fmpz_mul(added, added, scale);
    }
    _fmpz_vec_clear(functional, (slong)dim);
    _fmpz_vec_clear(l, (slong)size);
    _fmpz_vec_clear(pulled, (slong)dim);
}

/* The scores of all tokens in play: a layer on them as one sequence. */
static attest_status charge_tables(attest_theorem1_search *s, attest_error *error)
{
    attest_sequence all = {.length = s->count, .dim = s->vocabulary->dim, .entry = s->token};

    *all.denominator = *s->denominator; /* lent */
    return attest_work_charge(&s->work_left,
                              attest_work_estimate(s->weights, &all, s->count, 0), error);
}

/* The contexts: every head of a sequence compares each two of its keys, and adds. */
static attest_status charge_contexts(attest_theorem1_search *s, size_t length,
                                     attest_error *error)
{
    size_t heads = s->weights->heads;
    double bits =
        fabs((double)_fmpz_vec_max_bits(s->score, (slong)(heads * s->count * s->count))) +
        fabs((double)_fmpz_vec_max_bits(s->added, (slong)(heads * s->count)));
    double sequences = 1, steps = 0;

    for (size_t n = 1; n <= length; n++) {
        sequences *= (double)(s->start[n] - s->start[n - 1]);
        steps += sequences * (double)(heads * n * n);
    }
    return attest_work_charge(&s->work_left, steps * attest_work_operation(bits), error);
}

/* Scores and what they add, for all tokens in play. */
static attest_status set_tables(attest_theorem1_search *s, attest_budget *budget,
                                attest_error *error)
{
    size_t heads = s->weights->heads, count = s->count;
    FMPZ(common, own);

    ATTEST_TRY(attest_theorem1_load(s->token, s->denominator, &s->vocabulary->tokens, s->id,
                                    count, budget, error));
    ATTEST_TRY(charge_tables(s, error));
    fmpz_one(common);
    for (size_t h = 0; h < heads; h++) {
        const attest_head *head = &s->weights->head[h];

        fmpz_mul(own, head->wv.denominator, head->wo.denominator);
        fmpz_lcm(common, common, own);
    }
    for (size_t h = 0; h < heads; h++) {
        const attest_head *head = &s->weights->head[h];

        fmpz_mul(own, head->wv.denominator, head->wo.denominator);
        fmpz_divexact(own, common, own);
        set_added(s, h, own);
        for (size_t x = 0; x < count; x++)
            attest_theorem1_rank(s->score + (h * count + x) * count, head, s->token, count,
                                 s->vocabulary->dim, x);
    }
    return ATTEST_OK;
}

/* number += the sum of head h over the winners among t[0..keys) for the query x, times
 * multiple / their number. */
static void add_head(fmpz_t number, const attest_theorem1_search *s, size_t h, const size_t *t,
                     size_t keys, size_t x, ulong multiple)
{
    const fmpz *score = s->score + (h * s->count + x) * s->count;
    size_t best = t[0];
    ulong winners = 0;
    FMPZ(sum);

    for (size_t j = 1; j < keys; j++)
        best = fmpz_cmp(score + t[j], score + best) > 0 ? t[j] : best;
    for (size_t j = 0; j < keys; j++) {
        if (!fmpz_equal(score + t[j], score + best) ||
            (s->weights->ties == ATTEST_TIES_LEFTMOST && winners > 0))
            continue;
        fmpz_add(sum, sum, s->added + h * s->count + t[j]);
        winners++;
    }
    fmpz_addmul_ui(number, sum, multiple / winners);
}

/* The contexts of the sequence at the end of the pool; under a mask only that of the last
 * position: the others are contexts of shorter sequences. */
static attest_status add_contexts(attest_theorem1_search *s, size_t length, ulong multiple,
                                  attest_error *error)
{
    bool causal = s->weights->mask == ATTEST_MASK_CAUSAL;
    size_t sequence = s->pooled - length;
    const size_t *t = s->pool + sequence;

    if (!attest_memory_grow(&s->context, &s->context_room, s->contexts + length,
                            sizeof *s->context))
        return attest_memory_fail(error);
    for (size_t k = causal ? length - 1 : 0; k < length; k++) {
        attest_theorem1_context *x = &s->context[s->contexts++];

        *x = (attest_theorem1_context){
            .sequence = sequence, .length = length, .position = k, .token = t[k]};
        fmpz_init(&x->number);
        for (size_t h = 0; h < s->weights->heads; h++)
            add_head(&x->number, s, h, t, length, t[k], multiple);
    }
    return ATTEST_OK;
}

/* All sequences of this length, the last place fastest. */
static attest_status add_sequences(attest_theorem1_search *s, size_t length, ulong multiple,
                                   attest_error *error)
{
    size_t *digit ATTEST_FREED = attest_memory_alloc(length, sizeof *digit), k = 0;

    if (!digit)
        return attest_memory_fail(error);
    memset(digit, 0, length * sizeof *digit);
    while (k < length) {
        if (!attest_memory_grow(&s->pool, &s->pool_room, s->pooled + length, sizeof *s->pool))
            return attest_memory_fail(error);
        for (size_t j = 0; j < length; j++)
            s->pool[s->pooled++] = s->at[s->start[j] + digit[j]];
        ATTEST_TRY(add_contexts(s, length, multiple, error));
        for (k = 0; k < length; k++) {
            size_t place = length - 1 - k;

            if (++digit[place] < s->start[place + 1] - s->start[place])
                break;
            digit[place] = 0;
        }
    }
    return ATTEST_OK;
}

/* The least number that all up to length divide. */
static ulong multiple_of_all(size_t length)
{
    ulong multiple = 1;

    for (size_t n = 2; n <= length; n++)
        multiple *= n / n_gcd(multiple, n);
    return multiple;
}

void attest_theorem1_clear_contexts(attest_theorem1_search *s)
{
    for (size_t i = 0; i < s->contexts; i++)
        fmpz_clear(&s->context[i].number);
    s->contexts = s->pooled = 0;
}

attest_status attest_theorem1_set_contexts(attest_theorem1_search *s, size_t length,
                                           attest_budget *budget, attest_error *error)
{
    ulong multiple = multiple_of_all(length);

    ATTEST_TRY(set_tables(s, budget, error));
    ATTEST_TRY(charge_contexts(s, length, error));
    attest_theorem1_clear_contexts(s);
    for (size_t n = 1; n <= length; n++)
        ATTEST_TRY(add_sequences(s, n, multiple, error));
    return ATTEST_OK;
}
