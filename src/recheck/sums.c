/* sums.c -- sums of rational multiples of exponentials of rationals. */
#include <stdlib.h>

#include "base/memory.h"
#include "recheck/recheck.h"

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
static bool head_sums(sum *n, sum *z, attest_recheck *check, size_t h, size_t position,
                      size_t c)
{
    size_t at, seen = attest_recheck_seen(check, position);
    const attest_recheck_loaded *loaded = attest_recheck_load(check, position, &at);
    fmpz_t scores, values, score;

    n->term = attest_memory_alloc(seen, sizeof *n->term);
    z->term = attest_memory_alloc(seen, sizeof *z->term);
    if (!n->term || !z->term)
        return false;
    n->count = z->count = seen;
    fmpz_init(scores), fmpz_init(values), fmpz_init(score);
    attest_recheck_score_denominator(scores, check, loaded, h);
    attest_recheck_value_denominator(values, check, loaded, h);
    for (size_t j = 0; j < seen; j++) {
        fmpq_init(&n->term[j].exponent), fmpq_init(&n->term[j].coefficient);
        fmpq_init(&z->term[j].exponent), fmpq_init(&z->term[j].coefficient);
        attest_recheck_score(score, check, loaded, h, j, at);
        fmpq_set_fmpz_frac(&n->term[j].exponent, score, scores);
        fmpq_set(&z->term[j].exponent, &n->term[j].exponent);
        fmpq_one(&z->term[j].coefficient);
        fmpq_set_fmpz_frac(&n->term[j].coefficient,
                           fmpz_mat_entry(loaded->value[h], (slong)j, (slong)c), values);
    }
    fmpz_clear(scores), fmpz_clear(values), fmpz_clear(score);
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

/* numerator / denominator = entry c of F_a - F_b, or of F_a for b = a. The denominator is the
 * same for every c. */
static bool entry_fraction(sum *numerator, sum *denominator, attest_recheck *check, size_t a,
                           size_t b, size_t c)
{
    fmpq_t x, y;
    bool ok;

    fmpq_init(x);
    fmpq_init(y);
    if (check->weights->skip) {
        attest_tokens_get_entry(x, &check->dataset->tokens, check->dataset->token[a], c);
        if (b != a)
            attest_tokens_get_entry(y, &check->dataset->tokens, check->dataset->token[b], c);
    }
    fmpq_sub(x, x, y);
    fmpq_one(y);
    ok = constant(numerator, x) && constant(denominator, y);
    for (size_t side = 0; side < (b == a ? 1 : 2); side++) {
        for (size_t h = 0; ok && h < check->heads; h++) {
            sum n = {0}, z = {0};
            ok = head_sums(&n, &z, check, h, side ? b : a, c) &&
                 add_fraction(numerator, denominator, &n, &z, side ? -1 : 1);
            sum_clear(&n);
            sum_clear(&z);
        }
    }
    fmpq_clear(x);
    fmpq_clear(y);
    return ok;
}

/* total += factor * x * x. */
static bool add_square(sum *total, const sum *x, const fmpq_t factor)
{
    sum square = {0}, all = {0};
    bool ok = multiply(&square, x, x);

    if (ok)
        all.term = attest_memory_alloc(total->count + square.count + 1, sizeof *all.term);
    ok = ok && all.term;
    if (ok) {
        for (size_t i = 0; i < total->count; i++)
            all.term[all.count++] = total->term[i];
        for (size_t i = 0; i < square.count; i++) {
            fmpq_mul(&square.term[i].coefficient, &square.term[i].coefficient, factor);
            all.term[all.count++] = square.term[i];
        }
        square.count = total->count = 0;
        collect(&all);
        sum_clear(total);
        *total = all;
    }
    sum_clear(&square);
    return ok;
}

/* Exponentials of different rationals are linearly independent over the rationals, so a
 * collected sum is 0 iff it has no term. For x = 0 all numerators must vanish; else the sum of
 * their squares must be x^2 times that of the denominator. */
int attest_recheck_meets(attest_recheck *check, size_t a, size_t b, const fmpq_t x)
{
    sum total = {0};
    fmpq_t factor;
    int meets = 1;

    fmpq_init(factor);
    for (size_t c = 0; c < check->dim && (meets == 1 || (meets == -1 && fmpq_is_zero(x)));
         c++) {
        sum numerator = {0}, denominator = {0};
        bool ok = entry_fraction(&numerator, &denominator, check, a, b, c);
        if (ok && fmpq_is_zero(x)) {
            if (numerator.count > 0)
                meets = 0;
        } else if (ok) {
            fmpq_one(factor);
            ok = add_square(&total, &numerator, factor);
            fmpq_mul(factor, x, x);
            fmpq_neg(factor, factor);
            if (ok && c + 1 == check->dim)
                ok = add_square(&total, &denominator, factor);
        }
        if (!ok)
            meets = -1; /* for x = 0 a difference in a later entry still decides */
        sum_clear(&numerator);
        sum_clear(&denominator);
    }
    if (meets == 1 && total.count > 0)
        meets = 0;
    sum_clear(&total);
    fmpq_clear(factor);
    return meets;
}
