/* softmax_sign.c -- the sign of |sum|^2 - target: the sum over the product of its denominators,
 * as a polynomial that is cut off after its leading exponents. */
#include "certify/softmax_sum.h"

#include <flint/fmpz_mpoly.h>

#include <stdlib.h>

#include "attention/head_plan.h"
#include "base/term.h"
#include "number/ball_exp.h"
#include "number/scope.h"

/* A polynomial in w = e^{-unit} <= 1, cut off after w^depth: its value is that of poly plus at
 * most rest w^(depth + 1). */
typedef struct series {
    fmpz_mpoly_t poly;
    fmpz_t rest;
} series;

/* The parameters and limits of one computation. */
typedef struct frame {
    const attest_softmax_sum *sum;
    attest_softmax_limits limits;
    fmpz_mpoly_ctx_t context;
    bool cut; /* terms beyond depth are cut off */
    fmpz_t depth;
    bool fits; /* no product had too many terms */
    bool paid; /* no product took more work than is left; if false, fits is false, too */
} frame;

static void series_init(series *s, const frame *f)
{
    fmpz_mpoly_init(s->poly, f->context);
    fmpz_init(s->rest);
}

static void series_clear(series *s, const frame *f)
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

/* The i-th term of the polynomial; they come in descending powers of w. */
static void series_term(fmpz_t coefficient, fmpz_t exponent, const series *s, slong i,
                        const frame *f)
{
    fmpz *exponents[1] = {exponent};

    fmpz_mpoly_get_term_coeff_fmpz(coefficient, s->poly, i, f->context);
    fmpz_mpoly_get_term_exp_fmpz(exponents, s->poly, i, f->context);
}

/* Moves the terms beyond the depth from poly to rest. Terms come in descending powers. */
static void cut_off(series *s, const frame *f)
{
    slong length = fmpz_mpoly_length(s->poly, f->context), first = 0;
    fmpz_mpoly_t kept;
    FMPZ(c, exponent);

    if (!f->cut)
        return;
    for (; first < length; first++) {
        series_term(c, exponent, s, first, f);
        if (fmpz_cmp(exponent, f->depth) <= 0)
            break;
        fmpz_abs(c, c);
        fmpz_add(s->rest, s->rest, c);
    }
    if (first > 0) {
        fmpz_mpoly_init(kept, f->context);
        for (slong i = first; i < length; i++) {
            fmpz *exponents[1] = {exponent};
            series_term(c, exponent, s, i, f);
            fmpz_mpoly_push_term_fmpz_fmpz(kept, c, exponents, f->context);
        }
        fmpz_mpoly_swap(s->poly, kept, f->context);
        fmpz_mpoly_clear(kept, f->context);
    }
}

/* Charges the work of a product with this many terms: coefficients are multiplied, exponents
 * of any size added and compared. False if it exceeds the limit. */
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

    series_init(&n, f), series_init(&z, f), series_init(&left, f);
    series_init(&right, f);
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
    series_clear(&n, f), series_clear(&z, f), series_clear(&left, f);
    series_clear(&right, f);
}

/* total / (clear below)^2 = |sum|^2 - target, times the denominator of the target, at the depth
 * of the frame, as long as it fits. */
static void series_expand(series *total, series *below, fmpz_t clear, const fmpq_t target,
                          frame *f)
{
    series above, square;
    FMPZ(factor);

    series_init(&above, f);
    series_init(&square, f);
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
    series_clear(&above, f);
    series_clear(&square, f);
}

int attest_softmax_series_vanishes(const attest_softmax_sum *sum, const fmpq_t target)
{
    frame f = {.sum = sum, .limits = {.terms = SIZE_MAX}, .fits = true};
    series above, below;
    bool zero = true;
    FMPZ(clear);

    fmpz_mpoly_ctx_init(f.context, 1, ORD_LEX);
    series_init(&above, &f), series_init(&below, &f);
    if (fmpq_is_zero(target)) {
        get_clear(clear, sum);
        for (size_t c = 0; c < sum->dim && zero; c++) {
            expand_entry(&above, &below, c, clear, &f);
            zero = fmpz_mpoly_is_zero(above.poly, f.context);
        }
    } else {
        series_expand(&above, &below, clear, target, &f);
        zero = fmpz_mpoly_is_zero(above.poly, f.context);
    }
    series_clear(&above, &f), series_clear(&below, &f);
    fmpz_mpoly_ctx_clear(f.context);
    return f.fits ? zero : -1;
}

enum { FIRST_BITS = 64, SMALL_TERMS = 32 };

/* How many powers are computed together. */
enum { BLOCK_TERMS = 1024 };

/* power = w^exponent to a relative accuracy of about bits. */
static void get_power(arb_t power, const fmpz_t exponent, const fmpq_t unit, long bits)
{
    FMPZ(x);
    FMPQ(value);

    fmpq_mul_fmpz(value, unit, exponent);
    fmpz_fdiv_q(x, fmpq_numref(value), fmpq_denref(value));
    bits += (long)fmpz_bits(x) + 8;
    fmpq_neg(value, value);
    arb_set_fmpq(power, value, bits);
    arb_exp(power, power, bits);
}

/* Adds the terms of a block, from begin on, divided by w^lead. A small power of w becomes a
 * ball around 0: e^-x <= 2^-x. */
static void add_terms(arb_t sum, const series *s, slong begin, const fmpz_t lead, long bits,
                      const frame *f)
{
    slong left = fmpz_mpoly_length(s->poly, f->context) - begin, near = 0;
    slong count = left < BLOCK_TERMS ? left : BLOCK_TERMS;
    ARB_VEC(power, count);
    FMPZ(x);
    FMPZ_VEC(coefficient, count);
    FMPZ_VEC(exponent, count);

    for (slong i = 0; i < count; i++) {
        series_term(coefficient + near, exponent + near, s, begin + i, f);
        fmpz_sub(exponent + near, exponent + near, lead);
        fmpz_mul(exponent + near, exponent + near, fmpq_numref(f->sum->unit));
        fmpz_neg(exponent + near, exponent + near);
        fmpz_cdiv_q(x, exponent + near, fmpq_denref(f->sum->unit));
        if (fmpz_cmp_si(x, -2 * bits) >= 0) {
            near++;
            continue;
        }
        arb_zero(power);
        arb_add_error_2exp_fmpz(power, x);
        ATTEST_TERM_MAG(sign_far, arb_radref(power));
        arb_addmul_fmpz(sum, power, coefficient + near, bits);
    }
    attest_ball_exp_fractions(power, exponent, fmpq_denref(f->sum->unit), (size_t)near,
                              bits + 8);
    for (slong i = 0; i < near; i++)
        arb_addmul_fmpz(sum, power + i, coefficient + i, bits);
}

/* factor = the value of the series divided by w^lead, in balls of this precision; *tail = the
 * part of its radius that is due to what was cut off. */
static void evaluate(arb_t factor, mag_t tail, const series *s, const fmpz_t lead, long bits,
                     const frame *f)
{
    FMPZ(exponent);
    ARB(power);

    arb_zero(factor);
    for (slong i = 0; i < fmpz_mpoly_length(s->poly, f->context); i += BLOCK_TERMS)
        add_terms(factor, s, i, lead, bits, f);
    mag_zero(tail);
    if (!fmpz_is_zero(s->rest)) {
        fmpz_add_ui(exponent, f->depth, 1);
        fmpz_sub(exponent, exponent, lead);
        get_power(power, exponent, f->sum->unit, 64);
        arb_mul_fmpz(power, power, s->rest, 64);
        arb_get_mag(tail, power);
        ATTEST_TERM_MAG(sign_tail, tail);
        arb_add_error_mag(factor, tail);
    }
}

typedef enum outcome { DONE, NEEDS_TERMS, NEEDS_BITS } outcome;

/* Writes the series as w^lead times a factor that is proved to be not 0 and has this
 * accuracy. NEEDS_TERMS: the terms that were cut off may cancel the factor. */
static outcome find_factor(arb_t factor, fmpz_t lead, const series *s, long accuracy,
                           const frame *f)
{
    slong length = fmpz_mpoly_length(s->poly, f->context);
    outcome found = NEEDS_BITS;
    FMPZ(c);
    MAG(tail);

    if (length == 0)
        return NEEDS_TERMS;
    series_term(c, lead, s, length - 1, f); /* the least power of w */
    for (long bits = FIRST_BITS + accuracy; found == NEEDS_BITS && bits <= f->limits.bits;
         bits *= 2) {
        evaluate(factor, tail, s, lead, bits, f);
        if (!arb_contains_zero(factor) && arb_rel_accuracy_bits(factor) >= accuracy)
            found = DONE;
        else { /* more bits help as long as most of the radius is not the tail */
            mag_mul_2exp_si(tail, tail, 1);
            if (mag_cmp(tail, arb_radref(factor)) >= 0)
                found = NEEDS_TERMS;
        }
    }
    return found;
}

static int by_size(const void *a, const void *b)
{
    return fmpz_cmp(a, b);
}

/* depth = the depths of all terms of the groups, ascending. */
static void get_depths(fmpz *depth, const attest_softmax_sum *sum)
{
    slong count = 0;

    for (size_t g = 0; g < sum->groups; g++) {
        const attest_softmax_group *group = &sum->group[g];
        for (size_t i = 0; i < group->terms; i++)
            fmpz_sub(depth + count++, group->exponent + group->terms - 1, group->exponent + i);
    }
    qsort(depth, (size_t)count, sizeof *depth, by_size);
}

static slong count_terms(const attest_softmax_sum *sum)
{
    slong count = 0;

    for (size_t g = 0; g < sum->groups; g++)
        count += (slong)sum->group[g].terms;
    return count;
}

/* True if the whole product is so small that nothing needs to be cut off. */
static bool is_small(const attest_softmax_sum *sum)
{
    size_t terms = 1;

    for (size_t g = 0; g < sum->groups && terms <= SMALL_TERMS; g++)
        terms *= sum->group[g].terms;
    return terms <= SMALL_TERMS;
}

/* Takes the next depth: that of a growing number of terms, then multiples of the largest,
 * and finally no limit. */
static void deepen(frame *f, slong *next, const fmpz *depth, slong count)
{
    if (*next < count) {
        fmpz_set(f->depth, depth + *next);
        *next = 4 * *next + 4;
    } else if (*next < 16 * count) {
        fmpz_set(f->depth, depth + count - 1);
        fmpz_mul_si(f->depth, f->depth, 1 + *next / count);
        *next *= 2;
    } else {
        f->cut = false;
    }
}

/* total = w^lead factor, factor known to accuracy bits, at a depth that suffices, or the
 * zero polynomial, *zero; unless a limit is met. below is the product of the denominators. */
static attest_softmax_cap resolve(arb_t factor, fmpz_t lead, bool *zero, series *below,
                                  fmpz_t clear, const fmpq_t target, long accuracy, frame *f)
{
    slong count = count_terms(f->sum), next = 3;
    outcome found = NEEDS_TERMS;
    series total;
    FMPZ_VEC(depth, count + 1);

    series_init(&total, f);
    get_depths(depth, f->sum);
    f->cut = !is_small(f->sum);
    f->fits = f->paid = true;
    *zero = false;
    for (bool last = false; found == NEEDS_TERMS && f->fits && !*zero && !last;) {
        if (f->cut)
            deepen(f, &next, depth, count);
        last = !f->cut;
        series_expand(&total, below, clear, target, f);
        if (!f->fits)
            break;
        *zero = fmpz_mpoly_is_zero(total.poly, f->context) && fmpz_is_zero(total.rest);
        if (!*zero)
            found = find_factor(factor, lead, &total, accuracy, f);
    }
    series_clear(&total, f);
    if (found == DONE || *zero)
        return ATTEST_SOFTMAX_NO_CAP;
    return !f->paid   ? ATTEST_SOFTMAX_CAP_WORK
           : !f->fits ? ATTEST_SOFTMAX_CAP_TERMS
                      : ATTEST_SOFTMAX_CAP_BITS;
}

static void frame_init(frame *f, const attest_softmax_sum *sum,
                       const attest_softmax_limits *limits)
{
    f->sum = sum;
    f->limits = *limits;
    fmpz_mpoly_ctx_init(f->context, 1, ORD_LEX);
    fmpz_init(f->depth);
}

static void frame_clear(frame *f)
{
    fmpz_clear(f->depth);
    fmpz_mpoly_ctx_clear(f->context);
}

attest_softmax_cap attest_softmax_sign(int *sign, const attest_softmax_sum *sum,
                                       const fmpq_t target, const attest_softmax_limits *limits)
{
    attest_softmax_cap cap;
    series below;
    bool zero;
    frame f;
    FMPZ(lead, clear);
    ARB(factor);

    frame_init(&f, sum, limits);
    series_init(&below, &f);
    cap = resolve(factor, lead, &zero, &below, clear, target, 0, &f);
    *sign = zero ? 0 : arb_is_positive(factor) ? 1 : -1;
    series_clear(&below, &f);
    frame_clear(&f);
    return cap;
}

attest_softmax_cap attest_softmax_enclose(arb_t square, const attest_softmax_sum *sum,
                                          long bits, const attest_softmax_limits *limits)
{
    attest_softmax_cap cap;
    series below;
    bool zero;
    frame f;
    FMPZ(lead, none, clear);
    ARB(factor, power);
    FMPQ(target);
    MAG(tail);

    frame_init(&f, sum, limits);
    series_init(&below, &f);
    cap = resolve(factor, lead, &zero, &below, clear, target, bits + 8, &f);
    if (zero) {
        arb_zero(square);
    } else if (cap == ATTEST_SOFTMAX_NO_CAP) {
        evaluate(square, tail, &below, none, 2 * bits + 64, &f);
        arb_mul_fmpz(square, square, clear, 2 * bits + 64);
        arb_sqr(square, square, 2 * bits + 64);
        get_power(power, lead, sum->unit, bits + 16);
        arb_mul(factor, factor, power, bits + 16);
        arb_div(square, factor, square, bits + 16);
        if (!arb_is_positive(square))
            cap = ATTEST_SOFTMAX_CAP_BITS;
    }
    series_clear(&below, &f);
    frame_clear(&f);
    return cap;
}
