/* The projection of Corollary 1 against all that are tried, drawn again and compared pair by
 * pair. Points are whole numbers, so that doubles are exact. */
#include <math.h>

#include "theory/memorize.h"
#include "theory/theorem2.h"

#include "tests/tap.h"

enum { MOST = 12, TRIALS = 64 };

/* Points to be projected, and what p must not be orthogonal to. */
typedef struct scene {
    size_t dim, count;
    long z[MOST][3], w[3];
    attest_context context[MOST];
    bool by_contexts;
} scene;

static long along(const scene *s, const fmpz *p, const long *x)
{
    long sum = 0;

    for (size_t e = 0; e < s->dim; e++)
        sum += fmpz_get_si(p + e) * x[e];
    return sum;
}

/* Returns whether there is a point between the two. */
static bool has_between(const scene *s, const fmpz *p, size_t a, size_t b)
{
    long low = along(s, p, s->z[a]), high = along(s, p, s->z[b]);

    for (size_t i = 0; i < s->count; i++) {
        long here = along(s, p, s->z[i]);

        if (here > low && here < high)
            return true;
    }
    return false;
}

static bool same_class(const scene *s, size_t a, size_t b)
{
    return s->by_contexts ? a == b : s->context[a].group == s->context[b].group;
}

/* The least gap between neighbours of different classes, over |p|; contexts of one token at one
 * place do not count. Domain: only such contexts share a place. */
static double gap_of(const scene *s, const fmpz *p)
{
    double least = INFINITY, square = 0;

    for (size_t e = 0; e < s->dim; e++)
        square += fmpz_get_d(p + e) * fmpz_get_d(p + e);
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++) {
            long gap = along(s, p, s->z[b]) - along(s, p, s->z[a]);

            if (a != b && gap >= 0 && !same_class(s, a, b) && !has_between(s, p, a, b) &&
                !(gap == 0 && s->context[a].query == s->context[b].query))
                least = fmin(least, (double)gap);
        }
    return least / sqrt(square);
}

/* The i-th trial has 17 - (11 - i/4) bits, at most 17; on a line there is one. */
static void draw(attest_rational_vector *v, size_t i, uint64_t *state)
{
    long divisor = i < 44 ? 1L << (11 - i / 4) : 1;

    attest_direction_gen(v, state);
    for (size_t e = 0; e < v->dim && v->dim > 1; e++)
        fmpz_set_si(v->numerator + e, fmpz_get_si(v->numerator + e) / divisor);
}

/* p = the first of those with the widest gap. */
static void choose(fmpz *p, const scene *s, uint64_t seed)
{
    size_t usable = 0, wanted = s->dim == 1 ? 1 : TRIALS;
    double best = -1;
    attest_rational_vector v;

    attest_rational_vector_init(&v, s->dim);
    for (size_t i = 0; usable < wanted; i++) {
        draw(&v, i, &seed);
        if (along(s, v.numerator, s->w) == 0)
            continue;
        usable++;
        if (gap_of(s, v.numerator) > best) {
            best = gap_of(s, v.numerator);
            _fmpz_vec_set(p, v.numerator, (slong)s->dim);
        }
    }
    attest_rational_vector_clear(&v);
}

static bool agrees(const scene *s, uint64_t seed)
{
    attest_contexts contexts = {.count = s->count, .context = (attest_context *)s->context};
    fmpz *p = _fmpz_vec_init((slong)s->dim), *expected = _fmpz_vec_init((slong)s->dim);
    fmpq *w = _fmpq_vec_init((slong)s->dim);
    attest_memorize_points points = {.contexts = &contexts,
                                     .by_contexts = s->by_contexts,
                                     .dim = s->dim,
                                     .count = s->count,
                                     .z = _arb_vec_init((slong)(s->count * s->dim)),
                                     .projection = p};
    bool ok;

    for (size_t e = 0; e < s->count * s->dim; e++)
        arb_set_si(points.z + e, s->z[e / s->dim][e % s->dim]);
    for (size_t e = 0; e < s->dim; e++)
        fmpq_set_si(w + e, s->w[e], 3);
    choose(expected, s, seed);
    ok = attest_memorize_points_choose(&points, w, seed, NULL) == ATTEST_OK &&
         _fmpz_vec_equal(p, expected, (slong)s->dim);
    _arb_vec_clear(points.z, (slong)(s->count * s->dim));
    _fmpz_vec_clear(p, (slong)s->dim);
    _fmpz_vec_clear(expected, (slong)s->dim);
    _fmpq_vec_clear(w, (slong)s->dim);
    return ok;
}

/* Points of few classes, every one a token of its own. */
static void gen_scene(scene *s, size_t dim, uint64_t *state)
{
    *s = (scene){.dim = dim, .count = 2 + tap_random(state) % (MOST - 1), .w = {1, -1, 2}};
    for (size_t i = 0; i < s->count; i++) {
        for (size_t e = 0; e < dim; e++)
            s->z[i][e] = (long)(tap_random(state) % 2001) - 1000;
        s->context[i] =
            (attest_context){.query = (uint32_t)i, .group = (uint32_t)(tap_random(state) % 4)};
    }
    s->by_contexts = tap_random(state) % 2;
}

static void test_random(uint64_t *state)
{
    int right[4] = {0};
    scene s;

    for (size_t dim = 1; dim <= 3; dim++) {
        for (int i = 0; i < 40; i++) {
            gen_scene(&s, dim, state);
            right[dim] += agrees(&s, (uint64_t)i + 1);
        }
        TAP_OK(right[dim] == 40, "d = %zu: %d of 40 projections are the best tried", dim,
               right[dim]);
    }
}

/* Two contexts of a token at one place say nothing, so that the others decide; those of two
 * tokens leave no gap to any, and the first is taken. */
static void test_same_place(uint64_t *state)
{
    int right = 0, first = 0;
    scene s;

    for (int i = 0; i < 20; i++) {
        gen_scene(&s, 2, state);
        s.by_contexts = true;
        s.count = 5;
        for (size_t e = 0; e < 2; e++)
            s.z[3][e] = s.z[1][e];
        s.context[3].query = s.context[1].query;
        right += agrees(&s, 7);
        s.context[3].query++;
        first += agrees(&s, 7);
    }
    TAP_OK(right == 20, "contexts of one token at one place: %d of 20", right);
    TAP_OK(first == 20, "of two tokens: %d of 20", first);
}

/* Points along the second axis: p = (0, y) would be best, but does not see w = (1, 0). */
static void test_orthogonal(void)
{
    scene s = {.dim = 2, .count = 3, .w = {1, 0}, .by_contexts = true};
    int right = 0;

    for (size_t i = 0; i < s.count; i++) {
        s.z[i][1] = (long)(100 * i * i);
        s.context[i].query = (uint32_t)i;
    }
    for (uint64_t seed = 1; seed <= 60; seed++)
        right += agrees(&s, seed);
    TAP_OK(right == 60, "none is orthogonal to w: %d of 60", right);
}

TEST(memorize_projection)
{
    uint64_t state = tap_seed(0x9203ec);

    test_random(&state);
    test_same_place(&state);
    test_orthogonal();
    flint_cleanup();
    return 0;
}
