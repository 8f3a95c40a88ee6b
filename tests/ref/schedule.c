/* schedule.c -- matrix units in rationals, schedules in MPFR. */
#include "tests/ref/schedule.h"

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

double ref_round(mpfr_srcptr x, const attest_format *f)
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

static double operate(char what, double a, double b, double c, const attest_format *f)
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
    case 't':
        mpfr_set_prec(y, 300);
        mpfr_tanh(y, x, MPFR_RNDN);
        mpfr_set(x, y, MPFR_RNDN);
        break;
    default:
        abort();
    }
    r = ref_round(x, f);
    mpfr_clear(x);
    mpfr_clear(y);
    return r;
}

static double cast(double x, const attest_format *f)
{
    return operate('+', x, 0, 0, f);
}

static double add(double x, double y, const attest_format *f)
{
    return operate('+', x, y, 0, f);
}

static double mul(double x, double y, const attest_format *f)
{
    return operate('*', x, y, 0, f);
}

/* ---- sums of products ---- */

typedef struct dot {
    const double *a, *b;
    size_t stride;
    const attest_judge_dot *how;
    attest_judge_order order;
    const attest_format *fa, *fb;
} dot;

static double leaf(const dot *x, size_t i)
{
    return x->how->exact_products ? x->a[i] * x->b[i * x->stride] /* 50 bits: exact */
                                  : mul(x->a[i], x->b[i * x->stride], &x->how->accumulate);
}

static double halves(const dot *x, size_t first, size_t count)
{
    size_t half = count / 2;

    if (count == 1)
        return leaf(x, first);
    return add(halves(x, first, half), halves(x, first + half, count - half),
               &x->how->accumulate);
}

/* start + the products first .. last-1 in blocks, the first one beginning at place 0. */
static double sum_blocks(double start, const dot *x, size_t first, size_t last)
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
static double sum_groups(double start, const dot *x, size_t first, size_t last)
{
    size_t size = x->how->promote, groups = (last + size - 1) / size;

    for (size_t n = 0; n < groups; n++) {
        size_t g = x->order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD ? groups - 1 - n : n;
        size_t from = g * size > first ? g * size : first;
        size_t to = (g + 1) * size < last ? (g + 1) * size : last;
        dot group = *x;

        if (to <= first)
            continue;
        group.a += g * size;
        group.b += g * size * x->stride;
        start = add(start, sum_blocks(0, &group, from - g * size, to - g * size),
                    &x->how->accumulate);
    }
    return start;
}

/* start + the products first .. last-1, the first block beginning at place 0. */
static double sum_products(double start, const dot *x, size_t first, size_t last)
{
    const attest_format *f = &x->how->accumulate;

    if (x->order == ATTEST_JUDGE_ORDER_FORWARD)
        for (size_t i = first; i < last; i++)
            start = add(start, leaf(x, i), f);
    else if (x->order == ATTEST_JUDGE_ORDER_BACKWARD)
        for (size_t i = last; i-- > first;)
            start = add(start, leaf(x, i), f);
    else if (x->order == ATTEST_JUDGE_ORDER_PAIRWISE)
        start = add(start, halves(x, first, last - first), f);
    else if (x->how->promote > 0)
        start = sum_groups(start, x, first, last);
    else
        start = sum_blocks(start, x, first, last);
    return start;
}

/* ---- a row ---- */

typedef struct kernel {
    const ref_row *row;
    const attest_judge_variant *v;
    const attest_judge_schedule *s;
    attest_format w;
    bool folded;
    double scale, cap, over, kappa, log2e;
} kernel;

/* scale or cap or 1, over cap, times log2 e. */
static double constant(const ref_row *row, const attest_format *f, bool scale, bool cap,
                       bool over, double fixed, bool log2e)
{
    mpfr_t x, y;
    double r;

    mpfr_init2(x, 400);
    mpfr_init2(y, 400);
    mpfr_set_d(x, fixed, MPFR_RNDN);
    if (scale && row->rsqrt) {
        mpfr_set_ui(x, row->dim, MPFR_RNDN);
        mpfr_sqrt(x, x, MPFR_RNDN);
        mpfr_ui_div(x, 1, x, MPFR_RNDN);
    } else if (scale) {
        mpfr_set_d(x, row->over, MPFR_RNDN);
        mpfr_div_d(x, x, row->under, MPFR_RNDN);
    }
    if (cap)
        mpfr_mul_d(x, x, row->cap, MPFR_RNDN);
    if (over)
        mpfr_div_d(x, x, row->cap, MPFR_RNDN);
    mpfr_const_log2(y, MPFR_RNDN);
    if (log2e)
        mpfr_div(x, x, y, MPFR_RNDN);
    r = ref_round(x, f);
    mpfr_clear(x);
    mpfr_clear(y);
    return r;
}

static void set_constants(kernel *k)
{
    const ref_row *row = k->row;
    const attest_format *w = &k->w;

    k->scale = constant(row, w, true, false, false, 1, false);
    k->cap = row->cap;
    k->log2e = constant(row, w, false, false, false, 1, true);
    k->kappa = k->log2e;
    if (row->cap != 0) {
        k->cap = constant(row, w, false, true, false, 1, false);
        k->over = constant(row, w, true, false, true, 1, false);
    }
    if (!row->bias)
        k->kappa =
            constant(row, w, false, false, false, row->cap != 0 ? k->cap : k->scale, true);
}

static double score(const kernel *k, const double *q, size_t j)
{
    const ref_row *row = k->row;
    const attest_judge_variant *v = k->v;
    bool query = !k->folded && v->scale == ATTEST_JUDGE_SCALE_QUERY;
    dot x = {q,         row->k + j * row->dim, 1,
             &v->score, k->s->scores,          query ? &v->scaled_query : &v->q,
             &v->k};
    double s = sum_products(0, &x, 0, row->dim), t;

    if (v->stored)
        s = cast(s, &v->store);
    if (k->folded && !row->bias && row->cap == 0)
        return s;
    if (row->cap != 0) {
        if (k->folded)
            t = mul(s, k->over, &k->w);
        else
            t = operate('/', query ? s : mul(s, k->scale, &k->w), k->cap, 0, &k->w);
        t = operate('t', t, 0, 0, &k->w);
        if (k->folded && !row->bias)
            return t;
        t = mul(t, k->cap, &k->w);
    } else
        t = query ? s : mul(s, k->scale, &k->w);
    return row->bias ? add(t, cast(row->bias[j], &k->w), &k->w) : t;
}

/* exp2 by the schedule's polynomial: Horner's scheme by fused operations of binary32, and a
 * power of two; below 2^-126 what the bits say, in which the leading 1 is missing. */
static double emulated(const kernel *k, double x)
{
    const attest_exp2_polynomial *p = &k->s->emulation.polynomial;
    double whole, f, r;

    if (x < -127)
        x = -127;
    whole = floor(x);
    f = add(x, -whole, &k->w);
    r = p->coefficient[p->count - 1];
    for (size_t i = p->count - 1; i-- > 0;)
        r = operate('*', r, f, p->coefficient[i], &k->w);
    return whole < -126 ? ldexp(r - 1, -126) : ldexp(r, (int)whole);
}

/* Which keys of a tile take it. */
static bool emulates(const kernel *k, size_t i)
{
    const attest_judge_emulation *e = &k->s->emulation;
    size_t size = e->fragment ? e->fragment : k->s->tile;
    size_t fragments = k->s->tile / size + (k->s->tile % size != 0), even = i % size / 2 * 2;

    return e->polynomial.count > 0 && i / size >= e->first &&
           i / size + 1 + e->spared <= fragments &&
           (e->frequency == 0 || even % e->frequency + e->emulated >= e->frequency);
}

static double quotient(const kernel *k, double a, double b)
{
    if (k->s->quotient == ATTEST_JUDGE_QUOTIENT_RECIPROCAL)
        return mul(a, operate('/', 1, b, 0, &k->w), &k->w);
    return operate('/', a, b, 0, &k->w);
}

static double cast_weight(const kernel *k, double y)
{
    return k->v->cast ? cast(y, &k->v->p) : y;
}

static double weight(const kernel *k, double s, double m, bool offset, bool sink,
                     bool polynomial)
{
    const attest_format *w = &k->w;
    double b = offset ? (double)k->v->offset : 0, c;

    if (!k->folded)
        return mul(operate('e', add(s, -m, w), 0, 0, w), ldexp(1, (int)b), w);
    c = mul(m, k->kappa, w);
    if (b != 0)
        c = add(c, -b, w);
    c = operate('*', s, sink ? k->log2e : k->kappa, -c, w);
    return polynomial ? emulated(k, c) : operate('2', c, 0, 0, w);
}

static double rescale_argument(const kernel *k, double m, double more)
{
    double d = add(m, -more, &k->w);

    return k->folded ? mul(d, k->kappa, &k->w) : d;
}

static bool keeps(const kernel *k, double m, double more)
{
    double d = rescale_argument(k, m, more);

    if (!k->folded)
        d = mul(d, k->log2e, &k->w);
    return k->s->rescale > 0 ? d >= -k->s->rescale : more <= m;
}

typedef struct state {
    double m, *lane, *o, *s, *p, *y;
    bool started;
} state;

static void add_pv(const kernel *k, state *x, size_t start, size_t first, size_t last)
{
    const ref_row *row = k->row;

    for (size_t c = 0; c < row->value_dim; c++) {
        dot pv = {x->p + start, row->v + start * row->value_dim + c, row->value_dim, &k->v->pv,
                  k->s->pv,     k->v->cast ? &k->v->p : &k->w,       &k->v->v};

        x->o[c] = sum_products(x->o[c], &pv, first - start, last - start);
    }
}

static void visit(const kernel *k, state *x, size_t start, size_t first, size_t last)
{
    const ref_row *row = k->row;
    bool before = k->s->divide == ATTEST_JUDGE_PLACE_BEFORE;
    double more = -(double)INFINITY;
    size_t lanes = k->s->lanes;

    for (size_t j = first; j < last; j++)
        if (row->seen[j] && x->s[j] > more)
            more = x->s[j];
    if (more == -(double)INFINITY)
        return;
    if (k->v->max == ATTEST_JUDGE_MAX_TWO_PASS) {
        for (size_t j = 0; j < row->keys; j++)
            if (row->seen[j] && x->s[j] > more)
                more = x->s[j];
        x->m = more;
    } else if (!x->started)
        x->m = more;
    else if (more < x->m)
        more = x->m;
    x->started = true;
    if (!keeps(k, x->m, more)) {
        double a = operate(k->folded ? '2' : 'e', rescale_argument(k, x->m, more), 0, 0, &k->w);

        for (size_t l = 0; l < lanes; l++)
            x->lane[l] = mul(x->lane[l], a, &k->v->sum_accumulate);
        for (size_t c = 0; c < row->value_dim; c++)
            x->o[c] = mul(x->o[c], a, &k->v->pv.accumulate);
        x->m = more;
    }
    for (size_t j = first; j < last; j++) {
        x->y[j] =
            row->seen[j] ? weight(k, x->s[j], x->m, !before, false, emulates(k, j - start)) : 0;
        x->p[j] = cast_weight(k, x->y[j]);
    }
    for (size_t j = first; j < last; j++) {
        double term = k->v->sum_of == ATTEST_JUDGE_SUM_CAST && !before ? x->p[j] : x->y[j];
        size_t l = (j - start) % lanes;

        x->lane[l] = add(x->lane[l], cast(term, &k->v->sum_accumulate), &k->v->sum_accumulate);
    }
    if (!before)
        add_pv(k, x, start, first, last);
}

/* The tiles in their order. */
static void each_tile(const kernel *k, state *x, size_t from, size_t to, bool second,
                      double sum)
{
    size_t T = k->s->tile, least = from / T, most = (to - 1) / T;

    for (size_t n = 0; n <= most - least; n++) {
        size_t t = k->s->direction == ATTEST_JUDGE_DIRECTION_BACKWARD ? most - n : least + n;
        size_t first = t * T > from ? t * T : from, last = (t + 1) * T < to ? (t + 1) * T : to;
        bool any = false;

        for (size_t j = first; j < last; j++)
            any = any || k->row->seen[j];
        if (!any)
            continue;
        if (!second) {
            visit(k, x, t * T, first, last);
            continue;
        }
        for (size_t j = first; j < last; j++) {
            double y = k->row->seen[j]
                           ? weight(k, x->s[j], x->m, false, false, emulates(k, j - t * T))
                           : 0;

            y = mul(quotient(k, y, sum), ldexp(1, (int)k->v->offset), &k->w);
            x->p[j] = cast_weight(k, y);
        }
        add_pv(k, x, t * T, first, last);
    }
}

static double *zeros(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);

    if (!x)
        abort();
    return x;
}

void ref_schedule(double *out, const ref_row *row, const attest_judge_variant *variant,
                  const attest_judge_schedule *schedule)
{
    static const attest_format single = {.name = "binary32", 24, true, -126, 127, 32};
    kernel k = {.row = row, .v = variant, .s = schedule, .w = single};
    bool before = schedule->divide == ATTEST_JUDGE_PLACE_BEFORE;
    state x = {.lane = zeros(schedule->lanes),
               .o = zeros(row->value_dim),
               .s = zeros(row->keys),
               .p = zeros(row->keys),
               .y = zeros(row->keys)};
    double *q = zeros(row->dim), sum;
    size_t from = row->first, to = row->last;

    k.folded = schedule->constant == ATTEST_JUDGE_CONSTANT_FOLDED;
    set_constants(&k);
    for (size_t c = 0; c < row->dim; c++)
        q[c] = !k.folded && variant->scale == ATTEST_JUDGE_SCALE_QUERY
                   ? cast(mul(row->q[c], k.scale, &k.w), &variant->scaled_query)
                   : row->q[c];
    for (size_t j = 0; j < row->keys; j++)
        x.s[j] = row->seen[j] ? score(&k, q, j) : 0;
    if (from < to)
        each_tile(&k, &x, from, to, false, 0);
    sum = x.lane[0];
    for (size_t l = 1; l < schedule->lanes; l++)
        sum = add(sum, x.lane[l], &variant->sum_accumulate);
    if (row->sink)
        sum = add(sum,
                  cast(weight(&k, cast(row->logit, &k.w), x.m, !before, true, false),
                       &variant->sum_accumulate),
                  &variant->sum_accumulate);
    if (before && from < to)
        each_tile(&k, &x, from, to, true, sum);
    for (size_t c = 0; c < row->value_dim; c++) {
        out[c] = before ? mul(x.o[c], ldexp(1, (int)-variant->offset), &k.w)
                        : quotient(&k, x.o[c], sum);
        out[c] = cast(out[c], &variant->output);
        if (!x.started)
            out[c] = 0;
    }
    free(x.lane);
    free(x.o);
    free(x.s);
    free(x.p);
    free(x.y);
    free(q);
}
