/* softmax_sign.c -- the sign of an exponential sum from its leading exponents. */
#include "certify/softmax_sign.h"

#include <stdlib.h>

#include "base/term.h"
#include "certify/softmax_series.h"
#include "number/ball_exp.h"
#include "number/scope.h"

enum { FIRST_BITS = 64, SMALL_TERMS = 32 };

/* The powers of so many terms are made together. */
enum { BLOCK_TERMS = 1024 };

typedef attest_softmax_series series;
typedef attest_softmax_frame frame;

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

/* Adds the terms of a block, from begin on, divided by w^lead. Where a power of w is small, a
 * ball around 0 will do: e^-x <= 2^-x. */
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
        attest_softmax_series_term(coefficient + near, exponent + near, s, begin + i, f);
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

/* factor, lead: the series is w^lead times a factor that is known to be not 0, with so many
 * bits. NEEDS_TERMS: what was cut off hides it. */
static outcome find_factor(arb_t factor, fmpz_t lead, const series *s, long accuracy,
                           const frame *f)
{
    slong length = fmpz_mpoly_length(s->poly, f->context);
    outcome found = NEEDS_BITS;
    FMPZ(c);
    MAG(tail);

    if (length == 0)
        return NEEDS_TERMS;
    attest_softmax_series_term(c, lead, s, length - 1, f); /* the least power of w */
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

/* All depths at which terms of the groups lie, ascending. */
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

/* Whether the whole product is so small that nothing need be cut off. */
static bool is_small(const attest_softmax_sum *sum)
{
    size_t terms = 1;

    for (size_t g = 0; g < sum->groups && terms <= SMALL_TERMS; g++)
        terms *= sum->group[g].terms;
    return terms <= SMALL_TERMS;
}

/* The next depth: the first of so many terms, then twice the largest, and in the end all. */
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

/* total = w^lead factor, factor known to accuracy bits, at a depth that suffices, or the zero
 * polynomial, *zero; unless a cap is met. below is the product of the denominators. */
static attest_softmax_cap resolve(arb_t factor, fmpz_t lead, bool *zero, series *below,
                                  fmpz_t clear, const fmpq_t target, long accuracy, frame *f)
{
    slong count = count_terms(f->sum), next = 3;
    outcome found = NEEDS_TERMS;
    series total;
    FMPZ_VEC(depth, count + 1);

    attest_softmax_series_init(&total, f);
    get_depths(depth, f->sum);
    f->cut = !is_small(f->sum);
    f->fits = f->paid = true;
    *zero = false;
    for (bool last = false; found == NEEDS_TERMS && f->fits && !*zero && !last;) {
        if (f->cut)
            deepen(f, &next, depth, count);
        last = !f->cut;
        attest_softmax_series_expand(&total, below, clear, target, f);
        if (!f->fits)
            break;
        *zero = fmpz_mpoly_is_zero(total.poly, f->context) && fmpz_is_zero(total.rest);
        if (!*zero)
            found = find_factor(factor, lead, &total, accuracy, f);
    }
    attest_softmax_series_clear(&total, f);
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
    attest_softmax_series_init(&below, &f);
    cap = resolve(factor, lead, &zero, &below, clear, target, 0, &f);
    *sign = zero ? 0 : arb_is_positive(factor) ? 1 : -1;
    attest_softmax_series_clear(&below, &f);
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
    attest_softmax_series_init(&below, &f);
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
    attest_softmax_series_clear(&below, &f);
    frame_clear(&f);
    return cap;
}
