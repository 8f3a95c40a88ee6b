/* gen_dataset.c -- sequences of tokens. */
#include "campaign/gen.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "number/scope.h"

enum { LENGTH_MAX = 64 };

/* A sequence under construction: indices into the vocabulary. */
typedef struct draft {
    size_t length;
    size_t token[LENGTH_MAX];
} draft;

/* How a new sequence is made: at random, or from the one before. */
enum { FRESH, EXCHANGE, PERMUTE, SHORTEN, REPEAT, RELATIONS };

static size_t find(const draft *s, size_t length, size_t token)
{
    size_t k = 0;

    while (k < length && s->token[k] != token)
        k++;
    return k;
}

/* Draws a token that may follow the first `length` ones: any, or (without repeats) the next one
 * that does not occur yet. Domain: without repeats, there is one. */
static size_t gen_token(struct theft *t, const draft *s, size_t length, size_t count,
                        bool repeats)
{
    size_t token = (size_t)theft_random_choice(t, count);

    while (!repeats && find(s, length, token) < length)
        token = (token + 1) % count;
    return token;
}

static void gen_fresh(draft *s, struct theft *t, size_t length, size_t count, bool repeats)
{
    for (size_t k = 0; k < length; k++)
        s->token[k] = gen_token(t, s, k, count, repeats);
    s->length = length;
}

static void gen_permutation(draft *s, struct theft *t)
{
    for (size_t k = s->length; k > 1; k--) {
        /* The zero draw leaves the token in its place. */
        size_t other = k - 1 - (size_t)theft_random_choice(t, k);
        size_t token = s->token[k - 1];
        s->token[k - 1] = s->token[other];
        s->token[other] = token;
    }
}

static void exchange_one(draft *s, struct theft *t, size_t count, bool repeats)
{
    size_t k = (size_t)theft_random_choice(t, s->length);

    if (repeats || s->length < count)
        s->token[k] = gen_token(t, s, s->length, count, repeats);
}

static void leave_one_out(draft *s, struct theft *t)
{
    size_t k = (size_t)theft_random_choice(t, s->length);

    for (s->length--; k < s->length; k++)
        s->token[k] = s->token[k + 1];
}

static void double_one(draft *s, struct theft *t)
{
    size_t k = (size_t)theft_random_choice(t, s->length);

    s->token[s->length++] = s->token[k];
}

/* Changes a sequence to the next one. */
static void gen_next(draft *s, struct theft *t, size_t count, size_t length, size_t longest,
                     const attest_gen_sequences *kind)
{
    unsigned relation = (unsigned)theft_random_choice(t, RELATIONS);
    bool fixed = kind->equal_lengths;

    if (relation == EXCHANGE)
        exchange_one(s, t, count, kind->repeats);
    else if (relation == PERMUTE)
        gen_permutation(s, t);
    else if (relation == SHORTEN && !fixed && s->length > kind->length_min)
        leave_one_out(s, t);
    else if (relation == REPEAT && !fixed && kind->repeats && s->length < longest)
        double_one(s, t);
    else
        gen_fresh(s, t, fixed ? length : attest_gen_size(t, kind->length_min, longest), count,
                  kind->repeats);
}

/* Returns the set of the tokens at the first `length` positions. Domain: fewer than 64 tokens.
 */
static uint64_t set_of(const draft *s, size_t length)
{
    uint64_t set = 0;

    for (size_t k = 0; k < length; k++)
        set |= UINT64_C(1) << s->token[k];
    return set;
}

/* Returns whether a token of both sequences has different contexts in them, with a mask and
 * without. */
static bool share_a_token(const draft *a, const draft *b)
{
    if (set_of(a, a->length) == set_of(b, b->length))
        return false;
    for (size_t k = 0; k < a->length; k++)
        for (size_t l = 0; l < b->length; l++)
            if (a->token[k] == b->token[l] && set_of(a, k + 1) != set_of(b, l + 1))
                return true;
    return false;
}

/* Changes the context of the last token of the sequence: adds a token that does not occur, or
 * removes one that does. If neither is possible, the sequence stays. */
static void gen_contrast(draft *s, struct theft *t, size_t count, size_t longest,
                         const attest_gen_sequences *kind)
{
    uint64_t set = set_of(s, s->length);
    size_t last = s->token[s->length - 1], first = s->token[0];
    size_t other = (size_t)theft_random_choice(t, count), k = 0;

    while (k < count && set >> other & 1)
        other = (other + 1) % count, k++;
    if (k < count && s->length >= 2) {
        s->token[0] = other;
    } else if (k < count && !kind->equal_lengths && longest >= 2) {
        s->length = 2;
        s->token[0] = other, s->token[1] = last;
    } else if (k == count && kind->repeats) {
        if (first == last) /* some token is not the last: the set changes */
            first = (first + 1) % count;
        for (size_t j = 0; j < s->length; j++)
            s->token[j] = s->token[j] == first ? last : s->token[j];
    } else if (k == count && !kind->equal_lengths && s->length > kind->length_min &&
               s->length > 1) {
        memmove(s->token, s->token + 1, (s->length - 1) * sizeof *s->token);
        s->length--;
    }
}

/* Adds all tokens of a sequence at once, which is faster; room has memory for them. */
static attest_status add_doubles(attest_dataset_builder *builder, const draft *s,
                                 const attest_vocabulary *vocabulary, double *room)
{
    size_t dim = vocabulary->dim;

    for (size_t k = 0; k < s->length; k++)
        memcpy(room + k * dim, vocabulary->real + s->token[k] * dim, dim * sizeof *room);
    return attest_dataset_builder_add_sequences(builder, room, 1, s->length, NULL);
}

static attest_status add_rationals(attest_dataset_builder *builder, const draft *s,
                                   const attest_vocabulary *vocabulary)
{
    for (size_t k = 0; k < s->length; k++)
        ATTEST_TRY(attest_dataset_builder_add_token(
            builder, vocabulary->entry + s->token[k] * vocabulary->dim, NULL));
    return attest_dataset_builder_end_sequence(builder, NULL);
}

attest_status attest_gen_dataset(attest_dataset *dataset, struct theft *t,
                                 const attest_vocabulary *vocabulary,
                                 const attest_gen_sequences *kind)
{
    size_t count = attest_gen_size(t, kind->count_min, kind->count_max);
    size_t longest = kind->length_max, length;
    /* The zero draw changes nothing. */
    bool met = !kind->shared || theft_random_choice(t, 16) == 0 || vocabulary->count >= 64;
    ATTEST_SCOPED(attest_dataset_builder, builder, vocabulary->dim,
                  vocabulary->real ? ATTEST_TABLE_REAL : ATTEST_TABLE_RATIONAL, NULL);
    double *room ATTEST_FREED = NULL;
    draft sequence, before;

    if (!met && count < 2)
        count = 2;
    if (!kind->repeats && longest > vocabulary->count)
        longest = vocabulary->count;
    room = attest_memory_alloc(longest * vocabulary->dim, sizeof *room);
    if (!room)
        return ATTEST_NOMEM;
    ATTEST_TRY(attest_dataset_builder_reserve(&builder, count, count * longest, NULL));
    length = attest_gen_size(t, kind->length_min, longest);
    gen_fresh(&sequence, t, length, vocabulary->count, kind->repeats);
    for (size_t i = 0; i < count; i++) {
        before = sequence;
        if (i > 0)
            gen_next(&sequence, t, vocabulary->count, length, longest, kind);
        met = met || (i > 0 && share_a_token(&before, &sequence));
        if (!met && i + 1 == count) {
            sequence = before;
            gen_contrast(&sequence, t, vocabulary->count, longest, kind);
        }
        ATTEST_TRY(vocabulary->real ? add_doubles(&builder, &sequence, vocabulary, room)
                                    : add_rationals(&builder, &sequence, vocabulary));
    }
    return attest_dataset_builder_finish(dataset, &builder, NULL);
}

attest_status attest_gen_sequences_of(attest_dataset *dataset, struct theft *t,
                                      const attest_gen_tokens *tokens,
                                      const attest_gen_sequences *kind)
{
    ATTEST_SCOPED(attest_vocabulary, vocabulary);

    ATTEST_TRY(attest_gen_vocabulary(&vocabulary, t, tokens));
    return attest_gen_dataset(dataset, t, &vocabulary, kind);
}

/* Divides all values by the least power of two such that they are within the range. */
static void limit_range(attest_vocabulary *values, unsigned range)
{
    const fmpq *low = values->entry, *high = values->entry;
    ulong power = 0;
    FMPQ(width);

    for (size_t i = 1; i < values->count; i++) {
        if (fmpq_cmp(values->entry + i, low) < 0)
            low = values->entry + i;
        if (fmpq_cmp(values->entry + i, high) > 0)
            high = values->entry + i;
    }
    fmpq_sub(width, high, low);
    for (; fmpq_cmp_ui(width, range) > 0; fmpq_div_2exp(width, width, 1))
        power++;
    for (size_t i = 0; i < values->count; i++)
        fmpq_div_2exp(values->entry + i, values->entry + i, power);
}

attest_status attest_gen_scores(attest_dataset *dataset, struct theft *t,
                                const attest_gen_sequences *kind, unsigned range)
{
    static const attest_gen_tokens tokens = {
        .dim_max = 1, .count_min = 1, .count_max = 6, .zero = true, .decades = 20};
    ATTEST_SCOPED(attest_vocabulary, values);

    ATTEST_TRY(attest_gen_vocabulary(&values, t, &tokens));
    limit_range(&values, range);
    return attest_gen_dataset(dataset, t, &values, kind);
}
