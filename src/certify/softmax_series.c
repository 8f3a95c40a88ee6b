/* softmax_series.c -- a softmax sum over its denominators, as a polynomial that is cut off. */
#include "certify/softmax_series.h"

#include "attention/work.h"
#include "number/scope.h"

typedef attest_softmax_series series;
typedef attest_softmax_frame frame;

void attest_softmax_series_init(series *s, const frame *f)
{
    fmpz_mpoly_init(s->poly, f->context);
    fmpz_init(s->rest);
}

void attest_softmax_series_clear(series *s, const frame *f)
{
    fmpz_mpoly_clear(s->poly, f->context);
    fmpz_clear(s->rest);
}

/* size = the sum of the absolute values of the coefficients: w <= 1, so |poly| <= size. */
static void get_size(fmpz_t size, const series *s, const frame *f)
{
    FMPZ(c);

    fmpz_zero(size);
    for (slong i = 0; i < fmpz_mpoly_length(s->poly, f->context); i++) {
        fmpz_mpoly_get_term_coeff_fmpz(c, s->poly, i, f->context);
        fmpz_abs(c, c);
        fmpz_add(size, size, c);
    }
}

void attest_softmax_series_term(fmpz_t coefficient, fmpz_t exponent, const series *s, slong i,
                                const frame *f)
{
    fmpz *exponents[1] = {exponent};

    fmpz_mpoly_get_term_coeff_fmpz(coefficient, s->poly, i, f->context);
    fmpz_mpoly_get_term_exp_fmpz(exponents, s->poly, i, f->context);
}

/* Moves what lies behind the depth from poly to rest. Terms come in descending powers. */
static void cut_off(series *s, const frame *f)
{
    slong length = fmpz_mpoly_length(s->poly, f->context), first = 0;
    fmpz_mpoly_t kept;
    FMPZ(c, exponent);

    if (!f->cut)
        return;
    for (; first < length; first++) {
        attest_softmax_series_term(c, exponent, s, first, f);
        if (fmpz_cmp(exponent, f->depth) <= 0)
            break;
        fmpz_abs(c, c);
        fmpz_add(s->rest, s->rest, c);
    }
    if (first > 0) {
        fmpz_mpoly_init(kept, f->context);
        for (slong i = first; i < length; i++) {
            fmpz *exponents[1] = {exponent};
            attest_softmax_series_term(c, exponent, s, i, f);
            fmpz_mpoly_push_term_fmpz_fmpz(kept, c, exponents, f->context);
        }
        fmpz_mpoly_swap(s->poly, kept, f->context);
        fmpz_mpoly_clear(kept, f->context);
    }
}

/* Takes the work of a product of so many terms from what is left: coefficients are multiplied,
 * exponents of any size added and compared. */
static bool pay(frame *f, const series *a, const series *b, double terms)
{
    double bits = (double)FLINT_ABS(fmpz_mpoly_max_bits(a->poly)) +
                  (double)FLINT_ABS(fmpz_mpoly_max_bits(b->poly)) +
                  (double)FLINT_MAX(a->poly->bits, b->poly->bits);
    double work = terms * attest_work_operation(bits);

    if (!f->limits.work)
        return true;
    if (!(work <= *f->limits.work))
        return false;
    *f->limits.work -= work;
    return true;
}

/* p = a b. With a = A + r, b = B + s: A B + A s + r B + r s. */
static void series_mul(series *p, const series *a, const series *b, frame *f)
{
    size_t left = (size_t)fmpz_mpoly_length(a->poly, f->context);
    size_t right = (size_t)fmpz_mpoly_length(b->poly, f->context);
    FMPZ(size, rest);

    if (right > 0 && left > f->limits.terms / right)
        f->fits = false;
    if (f->fits && !pay(f, a, b, (double)left * (double)right))
        f->fits = f->paid = false;
    if (!f->fits)
        return;
    get_size(size, a, f);
    fmpz_add(size, size, a->rest);
    fmpz_mul(rest, size, b->rest);
    get_size(size, b, f);
    fmpz_addmul(rest, size, a->rest);
    fmpz_mpoly_mul(p->poly, a->poly, b->poly, f->context);
    fmpz_swap(p->rest, rest);
    cut_off(p, f);
}

static void series_add(series *s, const series *other, const frame *f)
{
    fmpz_mpoly_add(s->poly, s->poly, other->poly, f->context);
    fmpz_add(s->rest, s->rest, other->rest);
}

static void series_scale(series *s, const fmpz_t factor, const frame *f)
{
    fmpz_mpoly_scalar_mul_fmpz(s->poly, s->poly, factor, f->context);
    fmpz_mul(s->rest, s->rest, factor);
    fmpz_abs(s->rest, s->rest);
}

/* s = Z (c = dim), or clear N_c, of a group, times a power of y that makes the largest exponent
 * w^0; clear N_c is an integer polynomial. */
static void series_set(series *s, const attest_softmax_group *group, size_t c,
                       const fmpz_t clear, const frame *f)
{
    size_t dim = f->sum->dim;
    FMPZ(exponent, value);
    fmpz *exponents[1] = {exponent};

    fmpz_mpoly_zero(s->poly, f->context);
    fmpz_zero(s->rest);
    for (size_t i = 0; i < group->terms; i++) { /* ascending in y: descending in w */
        if (c == dim) {
            fmpz_set(value, group->z + i);
        } else {
            fmpz_divexact(value, clear, fmpq_denref(group->n + i * dim + c));
            fmpz_mul(value, value, fmpq_numref(group->n + i * dim + c));
        }
        fmpz_sub(exponent, group->exponent + group->terms - 1, group->exponent + i);
        if (!fmpz_is_zero(value))
            fmpz_mpoly_push_term_fmpz_fmpz(s->poly, value, exponents, f->context);
    }
    cut_off(s, f);
}

/* clear = a common denominator of all rational numbers of the sum. */
static void get_clear(fmpz_t clear, const attest_softmax_sum *sum)
{
    fmpz_one(clear);
    for (size_t c = 0; c < sum->dim; c++)
        fmpz_lcm(clear, clear, fmpq_denref(sum->constant + c));
    for (size_t g = 0; g < sum->groups; g++)
        for (size_t i = 0; i < sum->group[g].terms * sum->dim; i++)
            fmpz_lcm(clear, clear, fmpq_denref(sum->group[g].n + i));
}

/* above / below = clear (entry c of the sum); below is the product of the denominators. */
static void expand_entry(series *above, series *below, size_t c, const fmpz_t clear, frame *f)
{
    const attest_softmax_sum *sum = f->sum;
    series n, z, left, right;
    FMPZ(value);

    attest_softmax_series_init(&n, f), attest_softmax_series_init(&z, f),
        attest_softmax_series_init(&left, f);
    attest_softmax_series_init(&right, f);
    fmpz_divexact(value, clear, fmpq_denref(sum->constant + c));
    fmpz_mul(value, value, fmpq_numref(sum->constant + c));
    fmpz_mpoly_set_fmpz(above->poly, value, f->context);
    fmpz_mpoly_one(below->poly, f->context);
    fmpz_zero(above->rest);
    fmpz_zero(below->rest);
    for (size_t g = 0; g < sum->groups && f->fits; g++) {
        series_set(&n, &sum->group[g], c, clear, f);
        series_set(&z, &sum->group[g], sum->dim, clear, f);
        series_mul(&left, above, &z, f);
        series_mul(&right, below, &n, f);
        series_add(&left, &right, f);
        series_mul(&right, below, &z, f);
        fmpz_mpoly_swap(above->poly, left.poly, f->context);
        fmpz_swap(above->rest, left.rest);
        fmpz_mpoly_swap(below->poly, right.poly, f->context);
        fmpz_swap(below->rest, right.rest);
    }
    attest_softmax_series_clear(&n, f), attest_softmax_series_clear(&z, f),
        attest_softmax_series_clear(&left, f);
    attest_softmax_series_clear(&right, f);
}

void attest_softmax_series_expand(series *total, series *below, fmpz_t clear,
                                  const fmpq_t target, frame *f)
{
    series above, square;
    FMPZ(factor);

    attest_softmax_series_init(&above, f);
    attest_softmax_series_init(&square, f);
    get_clear(clear, f->sum);
    fmpz_mpoly_zero(total->poly, f->context);
    fmpz_zero(total->rest);
    for (size_t c = 0; c < f->sum->dim && f->fits; c++) {
        expand_entry(&above, below, c, clear, f);
        series_mul(&square, &above, &above, f);
        series_scale(&square, fmpq_denref(target), f);
        series_add(total, &square, f);
    }
    if (!fmpq_is_zero(target)) {
        fmpz_mul(factor, clear, clear);
        fmpz_mul(factor, factor, fmpq_numref(target));
        fmpz_neg(factor, factor);
        series_mul(&square, below, below, f);
        series_scale(&square, factor, f);
        series_add(total, &square, f);
    }
    attest_softmax_series_clear(&above, f);
    attest_softmax_series_clear(&square, f);
}

int attest_softmax_series_vanishes(const attest_softmax_sum *sum, const fmpq_t target)
{
    frame f = {.sum = sum, .limits = {.terms = SIZE_MAX}, .fits = true};
    series above, below;
    bool zero = true;
    FMPZ(clear);

    fmpz_mpoly_ctx_init(f.context, 1, ORD_LEX);
    attest_softmax_series_init(&above, &f), attest_softmax_series_init(&below, &f);
    if (fmpq_is_zero(target)) {
        get_clear(clear, sum);
        for (size_t c = 0; c < sum->dim && zero; c++) {
            expand_entry(&above, &below, c, clear, &f);
            zero = fmpz_mpoly_is_zero(above.poly, f.context);
        }
    } else {
        attest_softmax_series_expand(&above, &below, clear, target, &f);
        zero = fmpz_mpoly_is_zero(above.poly, f.context);
    }
    attest_softmax_series_clear(&above, &f), attest_softmax_series_clear(&below, &f);
    fmpz_mpoly_ctx_clear(f.context);
    return f.fits ? zero : -1;
}
