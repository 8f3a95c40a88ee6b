/* gen_doubles.c -- distinct tokens whose entries are doubles. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/gen.h"

enum { SMALL, DYADIC, COLLINEAR, CLUSTERS, OPPOSITE, PACKED, LONG, KINDS };

enum { ENTRY_LIMIT = 8, LINE_LIMIT = 12, CENTRES = 3, CLUSTER_BITS = 32, BITS_OF_DECADE = 3 };

/* The common parts of the tokens of one vocabulary. */
typedef struct recipe {
    unsigned kind;
    size_t dim;
    double *centre; /* CENTRES vectors; the first is the direction of a line, never zero */
    double *step;   /* is added to a token that occurred before */
} recipe;

static bool is_zero(const double *x, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (x[c] != 0)
            return false;
    return true;
}

static bool is_equal(const double *x, const double *y, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (x[c] != y[c])
            return false;
    return true;
}

/* Returns whether token i must be changed: it equals an earlier one, or is zero. */
static bool is_taken(const attest_vocabulary *v, size_t i, bool zero)
{
    const double *x = v->real + i * v->dim;

    if (!zero && is_zero(x, v->dim))
        return true;
    for (size_t j = 0; j < i; j++)
        if (is_equal(x, v->real + j * v->dim, v->dim))
            return true;
    return false;
}

static void recipe_set(recipe *r, struct theft *t)
{
    r->kind = (unsigned)theft_random_choice(t, KINDS);
    r->step[0] = 1;
    if (r->kind != COLLINEAR && r->kind != PACKED && r->kind != CLUSTERS)
        return;
    for (size_t i = 0; i < CENTRES * r->dim; i++)
        r->centre[i] = (double)attest_gen_integer(t, ENTRY_LIMIT);
    if (is_zero(r->centre, r->dim))
        r->centre[0] = 1;
    if (r->kind == CLUSTERS)
        r->step[0] = ldexp(1, -CLUSTER_BITS);
    else
        memcpy(r->step, r->centre, r->dim * sizeof *r->step);
}

static double gen_entry(struct theft *t, const recipe *r)
{
    double x;

    switch (r->kind) {
    case DYADIC:
        x = (double)attest_gen_integer(t, 8 * LINE_LIMIT);
        return ldexp(x, -(int)theft_random_choice(t, 7));
    case LONG: /* 53 bits below the point */
        x = ldexp((double)theft_random_bits(t, 53), -50);
        return theft_random_bits(t, 1) ? -x : x;
    default:
        return (double)attest_gen_integer(t, ENTRY_LIMIT);
    }
}

static void gen_token(double *x, struct theft *t, const recipe *r, size_t i)
{
    double factor = 0;
    const double *centre = r->centre;

    if (r->kind == COLLINEAR)
        factor = (double)attest_gen_integer(t, LINE_LIMIT);
    else if (r->kind == PACKED)
        factor = (double)(i + 1);
    else if (r->kind == CLUSTERS)
        centre += r->dim * (size_t)theft_random_choice(t, CENTRES);
    for (size_t c = 0; c < r->dim; c++)
        if (r->kind == COLLINEAR || r->kind == PACKED)
            x[c] = factor * centre[c];
        else if (r->kind == CLUSTERS)
            x[c] = centre[c] + ldexp((double)attest_gen_integer(t, 3), -CLUSTER_BITS);
        else if (r->kind == OPPOSITE && i % 2)
            x[c] = -x[c - r->dim]; /* x[c - dim] is entry c of the token before */
        else
            x[c] = gen_entry(t, r);
}

/* Returns 0, or rarely the exponent of a power of two of up to this many decades. */
static int gen_scale(struct theft *t, unsigned decades)
{
    int power;

    if (decades == 0 || !attest_gen_rarely(t, 8))
        return 0;
    power = (int)theft_random_choice(t, BITS_OF_DECADE * decades + 1);
    return theft_random_bits(t, 1) ? -power : power;
}

attest_status attest_gen_doubles(attest_vocabulary *vocabulary, struct theft *t,
                                 const attest_gen_tokens *kind)
{
    size_t count = attest_gen_size(t, kind->count_min, kind->count_max);
    size_t dim = attest_gen_size(t, 1, kind->dim_max);
    int scale = gen_scale(t, kind->decades);
    /* One block of memory: the tokens, then the recipe. */
    double *real = attest_memory_alloc((count + CENTRES + 1) * dim, sizeof *real);
    recipe r = {.dim = dim};

    attest_vocabulary_clear(vocabulary);
    if (!real)
        return ATTEST_NOMEM;
    *vocabulary = (attest_vocabulary){.count = count, .dim = dim, .real = real};
    r.centre = real + count * dim;
    r.step = r.centre + CENTRES * dim;
    recipe_set(&r, t);
    for (size_t i = 0; i < count; i++) {
        double *x = real + i * dim;
        gen_token(x, t, &r, i);
        while (is_taken(vocabulary, i, kind->zero))
            for (size_t c = 0; c < dim; c++)
                x[c] += r.step[c];
    }
    for (size_t e = 0; e < count * dim && scale != 0; e++)
        real[e] = ldexp(real[e], scale);
    return ATTEST_OK;
}
