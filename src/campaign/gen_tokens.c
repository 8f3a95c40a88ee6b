/* gen_tokens.c -- numbers and tokens. */
#include "campaign/gen.h"

#include <stdlib.h>

#include "number/rationals.h"
#include "number/scope.h"

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
