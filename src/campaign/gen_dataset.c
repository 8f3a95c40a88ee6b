/* gen_dataset.c -- numbers, tokens, and sequences of tokens. */
#include "campaign/gen.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "number/rationals.h"
#include "number/scope.h"

/* ---- Tokens. */

enum { SMALL, FRACTIONS, COLLINEAR, CLUSTERS, OPPOSITE, PACKED, LONG, NEARLY_PACKED, KINDS };

enum { ENTRY_LIMIT = 8, LINE_LIMIT = 12, CENTRES = 3, CLUSTER_BITS = 40, CLOSER_BITS = 200 };

void attest_vocabulary_init(attest_vocabulary *vocabulary)
{
    *vocabulary = (attest_vocabulary){0};
}

void attest_vocabulary_clear(attest_vocabulary *vocabulary)
{
    if (vocabulary->entry)
        attest_rationals_free(vocabulary->entry, vocabulary->count * vocabulary->dim);
    free(vocabulary->real);
    *vocabulary = (attest_vocabulary){0};
}

static attest_status resize(attest_vocabulary *vocabulary, size_t count, size_t dim)
{
    attest_vocabulary_clear(vocabulary);
    vocabulary->entry = attest_rationals_alloc(count * dim);
    if (!vocabulary->entry)
        return ATTEST_NOMEM;
    vocabulary->count = count;
    vocabulary->dim = dim;
    return ATTEST_OK;
}

static bool is_zero(const fmpq *x, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (!fmpq_is_zero(x + c))
            return false;
    return true;
}

static bool is_equal(const fmpq *x, const fmpq *y, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (!fmpq_equal(x + c, y + c))
            return false;
    return true;
}

/* Returns whether token i must be changed: it equals an earlier one, or is zero. */
static bool is_taken(const attest_vocabulary *vocabulary, size_t i, bool zero)
{
    size_t dim = vocabulary->dim;
    const fmpq *x = vocabulary->entry + i * dim;

    if (!zero && is_zero(x, dim))
        return true;
    for (size_t j = 0; j < i; j++)
        if (is_equal(x, vocabulary->entry + j * dim, dim))
            return true;
    return false;
}

/* The common parts of the tokens of one vocabulary. */
typedef struct recipe {
    unsigned kind;
    fmpq *centre; /* CENTRES vectors; the first is the direction of a line, never zero */
    fmpq *step;   /* is added to a token that occurred before */
    size_t dim;
    bool own_scale; /* each token has its own scale */
    unsigned decades;
    flint_bitcnt_t bits; /* near tokens differ by multiples of 2^-bits */
} recipe;

static attest_status recipe_init(recipe *r, struct theft *t, size_t dim, unsigned decades)
{
    r->kind = (unsigned)theft_random_choice(t, KINDS);
    r->dim = dim;
    r->decades = decades;
    r->own_scale = decades && attest_gen_rarely(t, 12);
    r->centre = attest_rationals_alloc(CENTRES * dim);
    r->step = attest_rationals_alloc(dim);
    if (!r->centre || !r->step)
        return ATTEST_NOMEM;
    fmpq_one(r->step);
    if (r->kind != COLLINEAR && r->kind != PACKED && r->kind != CLUSTERS &&
        r->kind != NEARLY_PACKED)
        return ATTEST_OK;
    r->bits = r->kind == NEARLY_PACKED || (r->kind == CLUSTERS && attest_gen_rarely(t, 2))
                  ? CLOSER_BITS
                  : CLUSTER_BITS;
    for (size_t i = 0; i < CENTRES * dim; i++)
        fmpq_set_si(r->centre + i, attest_gen_integer(t, ENTRY_LIMIT), 1);
    if (is_zero(r->centre, dim))
        fmpq_one(r->centre);
    if (r->kind == CLUSTERS)
        fmpq_div_2exp(r->step, r->step, r->bits);
    else
        for (size_t c = 0; c < dim; c++)
            fmpq_set(r->step + c, r->centre + c);
    return ATTEST_OK;
}

static void recipe_clear(recipe *r)
{
    if (r->centre)
        attest_rationals_free(r->centre, CENTRES * r->dim);
    if (r->step)
        attest_rationals_free(r->step, r->dim);
}

/* x = factor times the direction. */
static void set_on_line(fmpq *x, const recipe *r, long factor)
{
    FMPQ(f);

    fmpq_set_si(f, factor, 1);
    for (size_t c = 0; c < r->dim; c++)
        fmpq_mul(x + c, r->centre + c, f);
}

/* Adds a few 2^-bits to each entry. */
static void gen_offset(fmpq *x, struct theft *t, const recipe *r)
{
    FMPQ(offset);

    for (size_t c = 0; c < r->dim; c++) {
        fmpq_set_si(offset, attest_gen_integer(t, 3), 1);
        fmpq_div_2exp(offset, offset, r->bits);
        fmpq_add(x + c, x + c, offset);
    }
}

/* x = a centre, and an offset. */
static void gen_in_cluster(fmpq *x, struct theft *t, const recipe *r)
{
    const fmpq *centre = r->centre + r->dim * (size_t)theft_random_choice(t, CENTRES);

    for (size_t c = 0; c < r->dim; c++)
        fmpq_set(x + c, centre + c);
    gen_offset(x, t, r);
}

static void gen_entries(fmpq *x, struct theft *t, const recipe *r)
{
    for (size_t c = 0; c < r->dim; c++)
        if (r->kind == FRACTIONS)
            attest_gen_rational(x + c, t, LINE_LIMIT);
        else if (r->kind == LONG)
            attest_gen_rational(x + c, t, 1000000000);
        else
            fmpq_set_si(x + c, attest_gen_integer(t, ENTRY_LIMIT), 1);
}

static void gen_token(fmpq *x, struct theft *t, const recipe *r, size_t i)
{
    if (r->kind == COLLINEAR)
        set_on_line(x, r, attest_gen_integer(t, LINE_LIMIT));
    else if (r->kind == PACKED)
        set_on_line(x, r, (long)i + 1);
    else if (r->kind == NEARLY_PACKED) {
        set_on_line(x, r, (long)i + 1);
        gen_offset(x, t, r);
    } else if (r->kind == CLUSTERS)
        gen_in_cluster(x, t, r);
    else if (r->kind == OPPOSITE && i % 2)
        for (size_t c = 0; c < r->dim; c++)
            fmpq_neg(x + c, x + c - r->dim);
    else
        gen_entries(x, t, r);
}

static void multiply(fmpq *x, size_t count, const fmpq_t factor)
{
    for (size_t c = 0; c < count; c++)
        fmpq_mul(x + c, x + c, factor);
}

attest_status attest_gen_vocabulary(attest_vocabulary *vocabulary, struct theft *t,
                                    const attest_gen_tokens *kind)
{
    size_t count = attest_gen_size(t, kind->count_min, kind->count_max);
    size_t dim = attest_gen_size(t, 1, kind->dim_max);
    recipe r ATTEST_CLEARED_BY(recipe_clear) = {0};
    FMPQ(scale);

    ATTEST_TRY(resize(vocabulary, count, dim));
    attest_gen_scale(scale, t, kind->decades);
    ATTEST_TRY(recipe_init(&r, t, dim, kind->decades));
    for (size_t i = 0; i < count; i++) {
        fmpq *x = vocabulary->entry + i * dim;

        gen_token(x, t, &r, i);
        if (r.own_scale) {
            FMPQ(own);

            attest_gen_scale(own, t, kind->decades);
            multiply(x, dim, own);
        }
        while (is_taken(vocabulary, i, kind->zero))
            for (size_t c = 0; c < dim; c++)
                fmpq_add(x + c, x + c, r.step + c);
    }
    multiply(vocabulary->entry, count * dim, scale);
    return ATTEST_OK;
}

attest_status attest_gen_reals(attest_vocabulary *reals, struct theft *t, size_t count_min,
                               size_t count_max, const fmpq_t gap)
{
    size_t count = attest_gen_size(t, count_min, count_max);
    FMPQ(extra);

    ATTEST_TRY(resize(reals, count, 1));
    attest_gen_rational(reals->entry, t, ENTRY_LIMIT);
    for (size_t i = 1; i < count; i++) {
        unsigned kind = (unsigned)theft_random_choice(t, 4);
        fmpq_zero(extra);
        if (kind >= 1) /* 0: packed */
            attest_gen_rational(extra, t, ENTRY_LIMIT);
        fmpq_abs(extra, extra);
        if (kind == 2) /* nearly packed */
            fmpq_div_2exp(extra, extra, CLUSTER_BITS);
        fmpq_sub(reals->entry + i, reals->entry + i - 1, gap);
        fmpq_sub(reals->entry + i, reals->entry + i, extra);
    }
    return ATTEST_OK;
}

size_t attest_gen_size(struct theft *t, size_t low, size_t high)
{
    return low + (size_t)theft_random_choice(t, high - low + 1);
}

bool attest_gen_rarely(struct theft *t, unsigned odds)
{
    return theft_random_choice(t, odds) == odds - 1;
}

long attest_gen_integer(struct theft *t, unsigned limit)
{
    long x = (long)theft_random_choice(t, (uint64_t)limit + 1);

    return theft_random_bits(t, 1) ? -x : x;
}

/* Draws an integer of up to `bits` bits; all lengths are equally likely. */
static void gen_long(fmpz_t x, struct theft *t, unsigned bits)
{
    unsigned length = (unsigned)theft_random_choice(t, bits + 1);

    fmpz_zero(x);
    for (unsigned done = 0; done < length;) {
        unsigned step = length - done < 32 ? length - done : 32;
        fmpz_mul_2exp(x, x, step);
        fmpz_add_ui(x, x, (ulong)theft_random_bits(t, (uint8_t)step));
        done += step;
    }
}

enum { INTEGER, RATIONAL, LONG_RATIONAL };

/* Draws the kind of a rational: half of them integers, few of them long. */
static unsigned gen_kind(struct theft *t)
{
    unsigned draw = (unsigned)theft_random_choice(t, 16);

    return draw < 8 ? INTEGER : draw < 15 ? RATIONAL : LONG_RATIONAL;
}

/* Draws an absolute value; an integer is at least `least` (0 or 1). */
static void gen_magnitude(fmpq_t x, struct theft *t, unsigned limit, unsigned least)
{
    unsigned kind = gen_kind(t);

    if (kind == LONG_RATIONAL) {
        gen_long(fmpq_numref(x), t, 128);
        gen_long(fmpq_denref(x), t, 128);
        fmpz_add_ui(fmpq_numref(x), fmpq_numref(x), least);
        fmpz_add_ui(fmpq_denref(x), fmpq_denref(x), 1);
        fmpq_canonicalise(x);
        return;
    }
    ulong p = least + (ulong)theft_random_choice(t, limit - least + 1);
    ulong q = kind == RATIONAL ? 1 + (ulong)theft_random_choice(t, limit) : 1;
    fmpq_set_si(x, (slong)p, q);
}

static void gen_sign(fmpq_t x, struct theft *t)
{
    if (theft_random_bits(t, 1))
        fmpq_neg(x, x);
}

void attest_gen_rational(fmpq_t x, struct theft *t, unsigned limit)
{
    gen_magnitude(x, t, limit, 0);
    gen_sign(x, t);
}

void attest_gen_nonzero(fmpq_t x, struct theft *t, unsigned limit)
{
    gen_magnitude(x, t, limit, 1);
    gen_sign(x, t);
}

void attest_gen_positive(fmpq_t x, struct theft *t, unsigned limit)
{
    gen_magnitude(x, t, limit, 1);
}

void attest_gen_scale(fmpq_t x, struct theft *t, unsigned decades)
{
    fmpq_one(x);
    if (decades == 0 || !attest_gen_rarely(t, 8))
        return;
    ulong power = (ulong)theft_random_choice(t, decades + 1);
    fmpz_ui_pow_ui(fmpq_numref(x), 10, power);
    if (theft_random_bits(t, 1))
        fmpq_inv(x, x);
}

/* ---- Sequences. */

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
static size_t draw_token(struct theft *t, const draft *s, size_t length, size_t count,
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
        s->token[k] = draw_token(t, s, k, count, repeats);
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
        s->token[k] = draw_token(t, s, s->length, count, repeats);
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
