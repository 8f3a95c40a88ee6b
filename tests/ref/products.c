/* products.c -- matrix units in rationals, formats in MPFR. */
#include "tests/ref/products.h"

#include <math.h>
#include <stdlib.h>

/* ---- a block of a matrix unit ---- */

/* floor(log2|x|), at least emin; x != 0. */
static long exponent_of(double x, long emin)
{
    long e = ilogb(x);

    return e < emin ? emin : e;
}

/* sum += x cut toward zero to a multiple of 2^quantum. */
static void add_cut(fmpq_t sum, const fmpq_t x, long quantum)
{
    fmpq_t scaled;
    fmpz_t units;

    fmpq_init(scaled);
    fmpz_init(units);
    if (quantum >= 0)
        fmpq_div_2exp(scaled, x, (ulong)quantum);
    else
        fmpq_mul_2exp(scaled, x, (ulong)-quantum);
    fmpz_tdiv_q(units, fmpq_numref(scaled), fmpq_denref(scaled));
    fmpq_set_fmpz(scaled, units);
    if (quantum >= 0)
        fmpq_mul_2exp(scaled, scaled, (ulong)quantum);
    else
        fmpq_div_2exp(scaled, scaled, (ulong)-quantum);
    fmpq_add(sum, sum, scaled);
    fmpq_clear(scaled);
    fmpz_clear(units);
}

static void set_double(fmpq_t x, double value)
{
    int e;
    double m = frexp(value, &e);

    fmpq_set_si(x, (slong)ldexp(m, 53), 1);
    if (e >= 53)
        fmpq_mul_2exp(x, x, (ulong)(e - 53));
    else
        fmpq_div_2exp(x, x, (ulong)(53 - e));
}

/* The rounded sum: MPFR rounds to a format by its own exponent range. */
static double round_to(const fmpq_t sum, long bits, long emin, long emax, mpfr_rnd_t rounding)
{
    mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    mpq_t q;
    mpfr_t x;
    double r;
    int inexact;

    mpq_init(q);
    fmpq_get_mpq(q, sum);
    mpfr_init2(x, bits);
    mpfr_set_emin(emin - bits + 2);
    mpfr_set_emax(emax + 1);
    inexact = mpfr_set_q(x, q, rounding);
    inexact = mpfr_check_range(x, inexact, rounding);
    mpfr_subnormalize(x, inexact, rounding);
    r = mpfr_get_d(x, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    mpfr_clear(x);
    mpq_clear(q);
    return r;
}

/* The definition, in rationals. */
double ref_block(double c, const double *a, const double *b, size_t stride, size_t n,
                 const attest_format *fa, const attest_format *fb, bool half, long fraction)
{
    long top = -100000, e;
    fmpq_t sum, x, y;
    double r;

    fmpq_init(sum);
    fmpq_init(x);
    fmpq_init(y);
    for (size_t i = 0; i < n; i++)
        if (a[i] != 0 && b[i * stride] != 0) {
            e = exponent_of(a[i], fa->emin) + exponent_of(b[i * stride], fb->emin);
            top = e > top ? e : top;
        }
    if (c != 0 && (e = exponent_of(c, half ? -14 : -126)) > top)
        top = e;
    for (size_t i = 0; top > -100000 && i < n; i++) {
        set_double(x, a[i]);
        set_double(y, b[i * stride]);
        fmpq_mul(x, x, y);
        add_cut(sum, x, top - fraction);
    }
    set_double(x, c);
    if (top > -100000)
        add_cut(sum, x, top - fraction);
    if (half)
        r = round_to(sum, 11, -14, 15, MPFR_RNDN);
    else
        r = round_to(sum, fraction < 23 ? fraction + 1 : 24,
                     fraction < 23 ? -126 - (23 - fraction) : -126, 127, MPFR_RNDZ);
    if (!half && fabs(r) >= 0x1.fffffep127 && fmpq_sgn(sum) != 0) {
        set_double(x, 0x1.fffffep127);
        fmpq_abs(y, sum);
        if (fmpq_cmp(y, x) > 0)
            r = copysign(INFINITY, r);
    }
    fmpq_clear(sum);
    fmpq_clear(x);
    fmpq_clear(y);
    return r;
}

/* ---- operations of a format ---- */

enum { WIDE = 2400 }; /* sums of doubles are exact */

double ref_nearest(mpfr_srcptr x, const attest_format *f)
{
    mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    double r,
        top = ldexp(2 - ldexp(1, (f->top_is_nan ? 2 : 1) - (int)f->precision), (int)f->emax);
    mpfr_t y;
    int inexact;

    mpfr_init2(y, f->precision);
    inexact = mpfr_set(y, x, MPFR_RNDN);
    mpfr_set_emin(f->emin - f->precision + 2);
    mpfr_set_emax(f->emax + 1);
    inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
    mpfr_subnormalize(y, inexact, MPFR_RNDN);
    r = mpfr_get_d(y, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    mpfr_clear(y);
    if (fabs(r) > top)
        r = f->saturates     ? copysign(top, r)
            : f->finite_only ? (double)NAN
                             : copysign(INFINITY, r);
    return r;
}

/* Whether the kernel that runs flushes. */
static bool flushes;

void ref_set_flush(bool flush)
{
    flushes = flush;
}

double ref_operate(char what, double a, double b, double c, const attest_format *f)
{
    mpfr_t x, y;
    double r;

    mpfr_init2(x, WIDE);
    mpfr_init2(y, WIDE);
    mpfr_set_d(x, a, MPFR_RNDN);
    switch (what) {
    case '+':
        mpfr_add_d(x, x, b, MPFR_RNDN);
        break;
    case '*': /* and what is added to it */
        mpfr_mul_d(x, x, b, MPFR_RNDN);
        mpfr_add_d(x, x, c, MPFR_RNDN);
        break;
    case '/':
        mpfr_div_d(x, x, b, MPFR_RNDN);
        break;
    case 'e':
        mpfr_set_prec(y, 300);
        mpfr_exp(y, x, MPFR_RNDN);
        mpfr_set(x, y, MPFR_RNDN);
        break;
    case '2':
        mpfr_set_prec(y, 300);
        mpfr_exp2(y, x, MPFR_RNDN);
        mpfr_set(x, y, MPFR_RNDN);
        break;
    case 'l':
        mpfr_set_prec(y, 300);
        mpfr_log(y, x, MPFR_RNDN);
        mpfr_set(x, y, MPFR_RNDN);
        break;
    case 't':
        mpfr_set_prec(y, 300);
        mpfr_tanh(y, x, MPFR_RNDN);
        mpfr_set(x, y, MPFR_RNDN);
        break;
    default:
        abort();
    }
    r = ref_nearest(x, f);
    mpfr_clear(x);
    mpfr_clear(y);
    return flushes && f->precision == 24 && fabs(r) < 0x1p-126 ? 0 : r;
}

double ref_cast(double x, const attest_format *f)
{
    mpfr_t exact;
    double r;

    mpfr_init2(exact, 53);
    mpfr_set_d(exact, x, MPFR_RNDN);
    r = ref_nearest(exact, f);
    mpfr_clear(exact);
    return r;
}

double ref_add(double x, double y, const attest_format *f)
{
    return ref_operate('+', x, y, 0, f);
}

double ref_mul(double x, double y, const attest_format *f)
{
    return ref_operate('*', x, y, 0, f);
}

/* ---- sums of products ---- */

static double leaf(const ref_dot *x, size_t i)
{
    return x->how->exact_products ? x->a[i] * x->b[i * x->stride] /* 50 bits: exact */
                                  : ref_mul(x->a[i], x->b[i * x->stride], &x->how->accumulate);
}

static double halves(const ref_dot *x, size_t first, size_t count)
{
    size_t half = count / 2;

    if (count == 1)
        return leaf(x, first);
    return ref_add(halves(x, first, half), halves(x, first + half, count - half),
                   &x->how->accumulate);
}

/* start + the products first .. last-1 in blocks, the first one beginning at place 0. */
static double sum_blocks(double start, const ref_dot *x, size_t first, size_t last)
{
    const attest_format *f = &x->how->accumulate;
    size_t k = x->how->block, blocks = (last + k - 1) / k;

    for (size_t n = 0; n < blocks; n++) {
        size_t block = x->order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD ? blocks - 1 - n : n;
        size_t from = block * k, to = from + k < last ? from + k : last;

        if (to <= first)
            continue;
        start = ref_block(start, x->a + from, x->b + from * x->stride, x->stride, to - from,
                          x->fa, x->fb, f->precision == 11, (long)x->how->fraction);
    }
    return start;
}

/* The same in groups of promote places, each from 0 and then added. */
static double sum_groups(double start, const ref_dot *x, size_t first, size_t last)
{
    size_t size = x->how->promote, groups = (last + size - 1) / size;

    for (size_t n = 0; n < groups; n++) {
        size_t g = x->order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD ? groups - 1 - n : n;
        size_t from = g * size > first ? g * size : first;
        size_t to = (g + 1) * size < last ? (g + 1) * size : last;
        ref_dot group = *x;

        if (to <= first)
            continue;
        group.a += g * size;
        group.b += g * size * x->stride;
        start = ref_add(start, sum_blocks(0, &group, from - g * size, to - g * size),
                        &x->how->accumulate);
    }
    return start;
}

/* start + the products first .. last-1, the first block beginning at place 0. */
double ref_sum_products(double start, const ref_dot *x, size_t first, size_t last)
{
    const attest_format *f = &x->how->accumulate;

    if (x->order == ATTEST_JUDGE_ORDER_FORWARD)
        for (size_t i = first; i < last; i++)
            start = ref_add(start, leaf(x, i), f);
    else if (x->order == ATTEST_JUDGE_ORDER_BACKWARD)
        for (size_t i = last; i-- > first;)
            start = ref_add(start, leaf(x, i), f);
    else if (x->order == ATTEST_JUDGE_ORDER_PAIRWISE)
        start = ref_add(start, halves(x, first, last - first), f);
    else if (x->how->promote > 0)
        start = sum_groups(start, x, first, last);
    else
        start = sum_blocks(start, x, first, last);
    return start;
}
