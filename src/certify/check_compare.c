/* check_compare.c -- distances and norms against numbers, and equality, on the second route. */
#include <stdlib.h>

#include "base/memory.h"
#include "certify/check.h"

enum { FIRST_BITS = 160 };

static int compare_exact(attest_recheck *check, size_t a, size_t b, const fmpq_t x)
{
    slong dim = (slong)check->dim;
    fmpq *p = _fmpq_vec_init(dim), *q = _fmpq_vec_init(dim);
    fmpq_t square, bound;
    int order;

    fmpq_init(square);
    fmpq_init(bound);
    attest_recheck_exact(p, check, a);
    if (b != a)
        attest_recheck_exact(q, check, b);
    for (slong c = 0; c < dim; c++) {
        fmpq_sub(p + c, p + c, q + c);
        fmpq_addmul(square, p + c, p + c);
    }
    fmpq_mul(bound, x, x);
    order = fmpq_cmp(square, bound);
    _fmpq_vec_clear(p, dim);
    _fmpq_vec_clear(q, dim);
    fmpq_clear(square);
    fmpq_clear(bound);
    return (order > 0) - (order < 0);
}

/* |F_a - F_b|^2 - x^2 in balls. */
static void enclose(arb_t difference, attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                    long bits)
{
    arb_srcptr p = attest_recheck_ball(check, a, bits);
    arb_srcptr q = attest_recheck_ball(check, b, bits);
    arb_t term;

    arb_init(term);
    arb_set_fmpq(term, x, bits);
    arb_sqr(difference, term, bits);
    arb_neg(difference, difference);
    for (size_t c = 0; c < check->dim; c++) {
        if (b == a)
            arb_set(term, p + c);
        else
            arb_sub(term, p + c, q + c, bits);
        arb_addmul(difference, term, term, bits);
    }
    arb_clear(term);
}

int attest_recheck_compare(attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                           long max_bits)
{
    int order = 2;
    bool tested = false;
    arb_t difference;

    if (check->weights->activation == ATTEST_HARDMAX)
        return compare_exact(check, a, b, x);
    arb_init(difference);
    for (long bits = FIRST_BITS; order == 2 && bits <= max_bits; bits *= 2) {
        enclose(difference, check, a, b, x, bits);
        if (arb_is_positive(difference))
            order = 1;
        else if (arb_is_negative(difference))
            order = -1;
        else if (arb_is_zero(difference)) /* no rounding happened at all */
            order = 0;
        else if (!tested && a != b && fmpq_is_zero(x) && bits > FIRST_BITS) {
            int equal = attest_recheck_equal(check, a, b);
            tested = true;
            if (equal >= 0)
                order = equal ? 0 : 1;
        }
    }
    arb_clear(difference);
    return order;
}

/* ----- sums of rational multiples of exponentials of rationals ----- */

typedef struct term {
    fmpq exponent, coefficient;
} term;

typedef struct sum {
    term *term;
    size_t count;
} sum;

static void sum_clear(sum *s)
{
    for (size_t i = 0; i < s->count; i++) {
        fmpq_clear(&s->term[i].exponent);
        fmpq_clear(&s->term[i].coefficient);
    }
    free(s->term);
    *s = (sum){0};
}

static int by_exponent(const void *a, const void *b)
{
    return fmpq_cmp(&((const term *)a)->exponent, &((const term *)b)->exponent);
}

/* Collects equal exponents; terms that vanish go. */
static void collect(sum *s)
{
    size_t kept = 0;

    qsort(s->term, s->count, sizeof *s->term, by_exponent);
    for (size_t i = 0; i < s->count; i++) {
        if (kept && fmpq_equal(&s->term[kept - 1].exponent, &s->term[i].exponent)) {
            fmpq_add(&s->term[kept - 1].coefficient, &s->term[kept - 1].coefficient,
                     &s->term[i].coefficient);
            fmpq_clear(&s->term[i].exponent);
            fmpq_clear(&s->term[i].coefficient);
            continue;
        }
        if (kept && fmpq_is_zero(&s->term[kept - 1].coefficient)) {
            kept--;
            fmpq_clear(&s->term[kept].exponent);
            fmpq_clear(&s->term[kept].coefficient);
        }
        s->term[kept++] = s->term[i];
    }
    if (kept && fmpq_is_zero(&s->term[kept - 1].coefficient)) {
        kept--;
        fmpq_clear(&s->term[kept].exponent);
        fmpq_clear(&s->term[kept].coefficient);
    }
    s->count = kept;
}

enum { MOST_TERMS = 1 << 21 };

/* p = a b; false when it would be too large. */
static bool multiply(sum *p, const sum *a, const sum *b)
{
    if (b->count && a->count > MOST_TERMS / b->count)
        return false;
    p->count = a->count * b->count;
    p->term = attest_memory_alloc(p->count, sizeof *p->term);
    if (!p->term) {
        p->count = 0;
        return false;
    }
    for (size_t i = 0; i < p->count; i++) {
        const term *x = &a->term[i / b->count], *y = &b->term[i % b->count];
        fmpq_init(&p->term[i].exponent);
        fmpq_init(&p->term[i].coefficient);
        fmpq_add(&p->term[i].exponent, &x->exponent, &y->exponent);
        fmpq_mul(&p->term[i].coefficient, &x->coefficient, &y->coefficient);
    }
    collect(p);
    return true;
}

/* z = sum_j e^{s_j} over the keys in sight; n = sum_j v_jc e^{s_j}. */
static bool head_sums(sum *n, sum *z, const attest_recheck *check, size_t h, size_t position,
                      size_t c)
{
    const uint32_t *token = check->dataset->token;
    size_t start = check->dataset->start[attest_recheck_sequence(check, position)];
    size_t seen = attest_recheck_seen(check, position);

    n->term = attest_memory_alloc(seen, sizeof *n->term);
    z->term = attest_memory_alloc(seen, sizeof *z->term);
    if (!n->term || !z->term)
        return false;
    n->count = z->count = seen;
    for (size_t j = 0; j < seen; j++) {
        uint32_t t = token[start + j];
        fmpq_init(&n->term[j].exponent), fmpq_init(&n->term[j].coefficient);
        fmpq_init(&z->term[j].exponent), fmpq_init(&z->term[j].coefficient);
        attest_recheck_score(&n->term[j].exponent, check, h, t, token[position]);
        fmpq_set(&z->term[j].exponent, &n->term[j].exponent);
        fmpq_one(&z->term[j].coefficient);
        fmpq_set(&n->term[j].coefficient, attest_recheck_mixed(check, h, t) + c);
    }
    collect(n);
    collect(z);
    return true;
}

/* numerator / denominator += sign * n / z. */
static bool add_fraction(sum *numerator, sum *denominator, const sum *n, const sum *z, int sign)
{
    sum left = {0}, right = {0}, below = {0}, all = {0};
    bool ok = multiply(&left, numerator, z) && multiply(&right, n, denominator) &&
              multiply(&below, denominator, z);

    if (ok)
        all.term = attest_memory_alloc(left.count + right.count, sizeof *all.term);
    ok = ok && all.term;
    if (ok) {
        for (size_t i = 0; i < right.count && sign < 0; i++)
            fmpq_neg(&right.term[i].coefficient, &right.term[i].coefficient);
        for (size_t i = 0; i < left.count; i++)
            all.term[all.count++] = left.term[i];
        for (size_t i = 0; i < right.count; i++)
            all.term[all.count++] = right.term[i];
        left.count = right.count = 0;
        collect(&all);
        sum_clear(numerator);
        sum_clear(denominator);
        *numerator = all;
        *denominator = below;
        below = (sum){0};
    } else {
        free(all.term);
    }
    sum_clear(&left);
    sum_clear(&right);
    sum_clear(&below);
    return ok;
}

/* A constant as a sum. */
static bool constant(sum *s, const fmpq_t value)
{
    s->term = attest_memory_alloc(1, sizeof *s->term);
    if (!s->term)
        return false;
    s->count = 1;
    fmpq_init(&s->term[0].exponent);
    fmpq_init(&s->term[0].coefficient);
    fmpq_set(&s->term[0].coefficient, value);
    return true;
}

/* Exponentials of different rationals are linearly independent over the rationals: the
 * difference of two entries is 0 iff its collected numerator has no term. */
static int entries_equal(const attest_recheck *check, size_t a, size_t b, size_t c)
{
    sum numerator = {0}, denominator = {0};
    fmpq_t x, y;
    int equal;
    bool ok;

    fmpq_init(x);
    fmpq_init(y);
    if (check->weights->skip) {
        attest_tokens_get_entry(x, &check->dataset->tokens, check->dataset->token[a], c);
        attest_tokens_get_entry(y, &check->dataset->tokens, check->dataset->token[b], c);
    }
    fmpq_sub(x, x, y);
    fmpq_one(y);
    ok = constant(&numerator, x) && constant(&denominator, y);
    for (size_t h = 0; ok && h < 2 * check->weights->heads; h++) {
        sum n = {0}, z = {0};
        ok = head_sums(&n, &z, check, h / 2, h % 2 ? b : a, c) &&
             add_fraction(&numerator, &denominator, &n, &z, h % 2 ? -1 : 1);
        sum_clear(&n);
        sum_clear(&z);
    }
    equal = ok ? numerator.count == 0 : -1;
    sum_clear(&numerator);
    sum_clear(&denominator);
    fmpq_clear(x);
    fmpq_clear(y);
    return equal;
}

int attest_recheck_equal(const attest_recheck *check, size_t a, size_t b)
{
    int equal = 1;

    for (size_t c = 0; c < check->dim && equal != 0; c++) {
        int entry = entries_equal(check, a, b, c);
        if (entry != 1)
            equal = entry; /* a difference in a later entry still decides */
    }
    return equal;
}
