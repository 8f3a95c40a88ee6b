/* exp_sum.c -- sums of integer multiples of exponentials, and softmax outputs as fractions of
 * such sums. */
#include "recheck/exp_sum.h"

#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"
#include <flint/fmpz_poly.h>

void attest_recheck_sum_init(attest_recheck_sum *sum)
{
    *sum = (attest_recheck_sum){0};
}

static void drop_terms(attest_recheck_sum *sum, size_t first)
{
    for (size_t i = first; i < sum->count; i++) {
        fmpz_clear(&sum->term[i].depth);
        fmpz_clear(&sum->term[i].factor);
    }
    sum->count = first < sum->count ? first : sum->count;
}

void attest_recheck_sum_clear(attest_recheck_sum *sum)
{
    drop_terms(sum, 0);
    free(sum->term);
    fmpz_clear(&sum->rest);
    attest_recheck_sum_init(sum);
}

void attest_recheck_sum_push(attest_recheck_sum *sum, const fmpz_t depth, const fmpz_t factor,
                             attest_recheck_cut *cut)
{
    if (cut->failed || sum->count >= cut->most ||
        !attest_memory_grow(&sum->term, &sum->room, sum->count + 1, sizeof *sum->term)) {
        cut->failed = true;
        return;
    }
    fmpz_init_set(&sum->term[sum->count].depth, depth);
    fmpz_init_set(&sum->term[sum->count].factor, factor);
    sum->count++;
}

static int by_depth(const void *a, const void *b)
{
    return fmpz_cmp(&((const attest_recheck_term *)a)->depth,
                    &((const attest_recheck_term *)b)->depth);
}

/* Adds |factor| of everything from first on to the rest, and drops it. */
static void cut_from(attest_recheck_sum *sum, size_t first)
{
    for (size_t i = first; i < sum->count; i++) {
        fmpz_abs(&sum->term[i].factor, &sum->term[i].factor);
        fmpz_add(&sum->rest, &sum->rest, &sum->term[i].factor);
    }
    drop_terms(sum, first);
}

void attest_recheck_sum_collect(attest_recheck_sum *sum, attest_recheck_cut *cut)
{
    attest_recheck_term *term = sum->term;
    size_t kept = 0, next;

    if (sum->count > 1)
        qsort(term, sum->count, sizeof *term, by_depth);
    for (size_t i = 0; i < sum->count; i = next) {
        for (next = i + 1; next < sum->count && fmpz_equal(&term[i].depth, &term[next].depth);
             next++)
            fmpz_add(&term[i].factor, &term[i].factor, &term[next].factor);
        if (fmpz_is_zero(&term[i].factor))
            continue;
        fmpz_swap(&term[kept].depth, &term[i].depth);
        fmpz_swap(&term[kept].factor, &term[i].factor);
        kept++;
    }
    drop_terms(sum, kept);
    if (cut->whole)
        return;
    while (kept > 0 && fmpz_cmp(&sum->term[kept - 1].depth, cut->depth) > 0)
        kept--;
    cut_from(sum, kept);
}

void attest_recheck_sum_add(attest_recheck_sum *sum, const attest_recheck_sum *other,
                            const fmpz_t factor, attest_recheck_cut *cut)
{
    FMPZ(value);

    for (size_t i = 0; i < other->count; i++) {
        fmpz_mul(value, &other->term[i].factor, factor);
        attest_recheck_sum_push(sum, &other->term[i].depth, value, cut);
    }
    fmpz_abs(value, factor);
    fmpz_addmul(&sum->rest, value, &other->rest);
    attest_recheck_sum_collect(sum, cut);
}

/* tail[i] = the sum of |factor| over the terms from i on. */
static fmpz *tail_sizes(const attest_recheck_sum *sum)
{
    fmpz *tail = _fmpz_vec_init((slong)sum->count + 1);

    for (size_t i = sum->count; i-- > 0;) {
        fmpz_abs(tail + i, &sum->term[i].factor);
        fmpz_add(tail + i, tail + i, tail + i + 1);
    }
    return tail;
}

void attest_recheck_sum_addmul(attest_recheck_sum *product, const attest_recheck_sum *a,
                               const attest_recheck_sum *b, attest_recheck_cut *cut)
{
    fmpz *left = tail_sizes(a), *right = tail_sizes(b);
    FMPZ(depth, factor);

    for (size_t i = 0; i < a->count && !cut->failed; i++) {
        size_t j = 0;
        for (; j < b->count && !cut->failed; j++) {
            fmpz_add(depth, &a->term[i].depth, &b->term[j].depth);
            if (!cut->whole && fmpz_cmp(depth, cut->depth) > 0)
                break;
            fmpz_mul(factor, &a->term[i].factor, &b->term[j].factor);
            attest_recheck_sum_push(product, depth, factor, cut);
        }
        fmpz_abs(factor, &a->term[i].factor); /* what follows is deeper still */
        fmpz_addmul(&product->rest, factor, right + j);
    }
    /* (A + r)(B + s) - A B: every exponential is at most 1. */
    fmpz_addmul(&product->rest, left, &b->rest);
    fmpz_addmul(&product->rest, right, &a->rest);
    fmpz_addmul(&product->rest, &a->rest, &b->rest);
    _fmpz_vec_clear(left, (slong)a->count + 1);
    _fmpz_vec_clear(right, (slong)b->count + 1);
    attest_recheck_sum_collect(product, cut);
}

bool attest_recheck_sum_equal(const attest_recheck_sum *a, const attest_recheck_sum *b)
{
    bool equal = a->count == b->count;

    for (size_t i = 0; equal && i < a->count; i++)
        equal = fmpz_equal(&a->term[i].depth, &b->term[i].depth) &&
                fmpz_equal(&a->term[i].factor, &b->term[i].factor);
    return equal;
}

void attest_recheck_sum_power(arb_t power, const fmpz_t depth, const fmpz_t denominator,
                              long bits)
{
    /* The relative error of e^x is the absolute one of x: more bits for a large x. */
    slong more = (slong)fmpz_bits(depth) - (slong)fmpz_bits(denominator) + 8;

    bits += more > 8 ? more : 8;
    arb_set_fmpz(power, depth);
    arb_div_fmpz(power, power, denominator, bits);
    arb_neg(power, power);
    arb_exp(power, power, bits);
}

void attest_recheck_sum_enclose(arb_t factor, mag_t tail, const attest_recheck_sum *sum,
                                const fmpz_t lead, const fmpz_t denominator, long bits,
                                const attest_recheck_cut *cut)
{
    FMPZ(depth, far);
    ARB(power);

    arb_zero(factor);
    fmpz_mul_si(far, denominator, 2 * bits);
    for (size_t i = 0; i < sum->count; i++) {
        fmpz_sub(depth, &sum->term[i].depth, lead);
        if (fmpz_cmp(depth, far) > 0) { /* at most 2^-floor(depth / D) */
            arb_zero(power);
            fmpz_fdiv_q(depth, depth, denominator);
            fmpz_neg(depth, depth);
            arb_add_error_2exp_fmpz(power, depth);
        } else {
            attest_recheck_sum_power(power, depth, denominator, bits);
        }
        arb_addmul_fmpz(factor, power, &sum->term[i].factor, bits);
    }
    mag_zero(tail);
    if (!fmpz_is_zero(&sum->rest)) {
        fmpz_sub(depth, cut->depth, lead);
        attest_recheck_sum_power(power, depth, denominator, 64);
        arb_mul_fmpz(power, power, &sum->rest, 64);
        arb_get_mag(tail, power);
        arb_add_error_mag(factor, tail);
    }
}

/* Fractions. */

/* Polynomials up to this degree are reduced. */
enum { MOST_DEGREE = 20000 };

static void fraction_clear(attest_recheck_fraction *fraction, size_t dim)
{
    attest_recheck_sum_clear(&fraction->below);
    for (size_t c = 0; fraction->above && c < dim; c++)
        attest_recheck_sum_clear(&fraction->above[c]);
    free(fraction->above);
}

void attest_recheck_fractions_clear(attest_recheck_fractions *f)
{
    for (size_t i = 0; i < f->count; i++)
        fraction_clear(&f->fraction[i], f->dim);
    free(f->fraction);
    _fmpz_vec_clear(f->constant, (slong)f->dim);
    fmpz_clear(f->scale);
    fmpz_clear(f->denominator);
}

/* One position under one head: its scores below the largest one. */
typedef struct sight {
    size_t seen;
    const attest_recheck_loaded *loaded;
    fmpz *depth; /* seen: (largest - score) D */
} sight;

static void sight_init(sight *s, attest_recheck *check, size_t h, size_t position,
                       const fmpz_t denominator)
{
    size_t at;
    FMPZ(largest, own);

    s->seen = attest_recheck_seen(check, position);
    s->loaded = attest_recheck_load(check, position, &at);
    s->depth = _fmpz_vec_init((slong)s->seen);
    for (size_t j = 0; j < s->seen; j++) {
        attest_recheck_score(s->depth + j, check, s->loaded, h, j, at);
        if (j == 0 || fmpz_cmp(s->depth + j, largest) > 0)
            fmpz_set(largest, s->depth + j);
    }
    attest_recheck_score_denominator(own, check, s->loaded, h);
    fmpz_divexact(own, denominator, own);
    for (size_t j = 0; j < s->seen; j++) {
        fmpz_sub(s->depth + j, largest, s->depth + j);
        fmpz_mul(s->depth + j, s->depth + j, own);
    }
}

/* fraction = sign * head h at the position, its values times the scale. */
static bool fraction_set(attest_recheck_fraction *fraction, attest_recheck *check, size_t h,
                         size_t position, int sign, const attest_recheck_fractions *f)
{
    attest_recheck_cut cut = {.whole = true, .most = SIZE_MAX};
    fmpz_t factor, value, one;
    sight s;

    *fraction = (attest_recheck_fraction){.above = NULL};
    fraction->above = attest_memory_alloc(f->dim, sizeof *fraction->above);
    if (!fraction->above)
        return false;
    sight_init(&s, check, h, position, f->denominator);
    fmpz_init(factor), fmpz_init(value), fmpz_init_set_ui(one, 1);
    attest_recheck_value_denominator(factor, check, s.loaded, h);
    fmpz_divexact(factor, f->scale, factor);
    if (sign < 0)
        fmpz_neg(factor, factor);
    for (size_t j = 0; j < s.seen; j++) {
        attest_recheck_sum_push(&fraction->below, s.depth + j, one, &cut);
        for (size_t c = 0; c < f->dim; c++) {
            fmpz_mul(value, factor, fmpz_mat_entry(s.loaded->value[h], (slong)j, (slong)c));
            if (!fmpz_is_zero(value))
                attest_recheck_sum_push(&fraction->above[c], s.depth + j, value, &cut);
        }
    }
    attest_recheck_sum_collect(&fraction->below, &cut);
    for (size_t c = 0; c < f->dim; c++)
        attest_recheck_sum_collect(&fraction->above[c], &cut);
    _fmpz_vec_clear(s.depth, (slong)s.seen);
    fmpz_clear(factor), fmpz_clear(value), fmpz_clear(one);
    return !cut.failed;
}

/* ----- reduction ----- */

static bool to_polynomial(fmpz_poly_t p, const attest_recheck_sum *sum, const fmpz_t stride)
{
    bool fits = true;
    FMPZ(degree);

    for (size_t i = sum->count; i-- > 0 && fits;) {
        fmpz_divexact(degree, &sum->term[i].depth, stride);
        fits = fmpz_cmp_ui(degree, MOST_DEGREE) <= 0;
        if (fits)
            fmpz_poly_set_coeff_fmpz(p, fmpz_get_si(degree), &sum->term[i].factor);
    }
    return fits;
}

static bool from_polynomial(attest_recheck_sum *sum, const fmpz_poly_t p, const fmpz_t stride)
{
    attest_recheck_cut cut = {.whole = true, .most = SIZE_MAX};
    FMPZ(depth, factor);

    attest_recheck_sum_clear(sum);
    for (slong i = 0; i < fmpz_poly_length(p); i++) {
        fmpz_poly_get_coeff_fmpz(factor, p, i);
        fmpz_mul_si(depth, stride, i);
        if (!fmpz_is_zero(factor))
            attest_recheck_sum_push(sum, depth, factor, &cut);
    }
    return !cut.failed;
}

/* If entry c of the fraction can be reduced, *own = the reduced fraction and *changed =
 * true. Quotients by a primitive divisor are integer polynomials (Gauss). */
static bool split_entry(attest_recheck_fraction *own, bool *changed,
                        const attest_recheck_fraction *fraction, size_t c, size_t dim,
                        const fmpz_t stride)
{
    fmpz_poly_t above, below, common;
    bool ok = true;

    fmpz_poly_init(above), fmpz_poly_init(below), fmpz_poly_init(common);
    *changed = false;
    if (to_polynomial(below, &fraction->below, stride) &&
        to_polynomial(above, &fraction->above[c], stride)) {
        fmpz_poly_gcd(common, above, below);
        fmpz_poly_primitive_part(common, common);
        *changed = fmpz_poly_degree(common) > 0;
    }
    if (*changed) {
        fmpz_poly_div(above, above, common);
        fmpz_poly_div(below, below, common);
        /* The divisor has a positive leading coefficient, and no positive root because the
         * denominator has none. So the divisor and the reduced denominator are positive. */
        *own = (attest_recheck_fraction){.above = attest_memory_alloc(dim, sizeof *own->above)};
        ok = own->above && from_polynomial(&own->below, below, stride) &&
             from_polynomial(&own->above[c], above, stride);
    }
    fmpz_poly_clear(above), fmpz_poly_clear(below), fmpz_poly_clear(common);
    return ok;
}

/* stride = the greatest common divisor of all depths of entry c. Those of the denominator alone
 * do not suffice: in (1 + w^3) / (1 + 3 w^2 + 2 w^4), which cannot be reduced, they are even.
 */
static void get_stride(fmpz_t stride, const attest_recheck_fraction *fraction, size_t c)
{
    const attest_recheck_sum *sums[] = {&fraction->below, &fraction->above[c]};

    fmpz_zero(stride);
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < sums[s]->count; i++)
            fmpz_gcd(stride, stride, &sums[s]->term[i].depth);
    if (fmpz_is_zero(stride))
        fmpz_one(stride);
}

/* True if entry c is a multiple of the denominator; ratio = the factor, an integer because
 * the denominator is primitive. */
static bool is_multiple(fmpz_t ratio, const attest_recheck_fraction *fraction, size_t c)
{
    const attest_recheck_sum *above = &fraction->above[c], *below = &fraction->below;
    bool is = above->count == below->count &&
              fmpz_divisible(&above->term[0].factor, &below->term[0].factor);
    FMPZ(product);

    if (is)
        fmpz_divexact(ratio, &above->term[0].factor, &below->term[0].factor);
    for (size_t i = 0; i < above->count && is; i++) {
        fmpz_mul(product, ratio, &below->term[i].factor);
        is = fmpz_equal(&above->term[i].depth, &below->term[i].depth) &&
             fmpz_equal(&above->term[i].factor, product);
    }
    return is;
}

/* Multiplies the scale and all numerators by factor. */
static void multiply_scale(attest_recheck_fractions *f, const fmpz_t factor)
{
    if (fmpz_is_one(factor))
        return;
    fmpz_mul(f->scale, f->scale, factor);
    _fmpz_vec_scalar_mul_fmpz(f->constant, f->constant, (slong)f->dim, factor);
    for (size_t i = 0; i < f->count; i++)
        for (size_t c = 0; c < f->dim; c++)
            for (size_t t = 0; t < f->fraction[i].above[c].count; t++)
                fmpz_mul(&f->fraction[i].above[c].term[t].factor,
                         &f->fraction[i].above[c].term[t].factor, factor);
}

/* Divides the denominator of fraction i by its content. */
static void make_primitive(attest_recheck_fractions *f, size_t i)
{
    attest_recheck_fraction *fraction = &f->fraction[i];
    FMPZ(content);

    for (size_t t = 0; t < fraction->below.count; t++)
        fmpz_gcd(content, content, &fraction->below.term[t].factor);
    if (!fmpz_is_one(content)) {
        multiply_scale(f, content);
        for (size_t t = 0; t < fraction->below.count; t++)
            fmpz_divexact(&fraction->below.term[t].factor, &fraction->below.term[t].factor,
                          content);
        for (size_t c = 0; c < f->dim; c++)
            for (size_t t = 0; t < fraction->above[c].count; t++)
                fmpz_divexact(&fraction->above[c].term[t].factor,
                              &fraction->above[c].term[t].factor, content);
    }
}

/* Adds the constant entries of fraction i to the constants; true if nothing else is left of
 * it. */
static bool absorb(attest_recheck_fractions *f, size_t i)
{
    attest_recheck_fraction *fraction = &f->fraction[i];
    bool empty = true;
    FMPZ(ratio);

    for (size_t c = 0; c < f->dim; c++) {
        if (fraction->above[c].count == 0)
            continue;
        if (is_multiple(ratio, fraction, c)) {
            attest_recheck_sum_clear(&fraction->above[c]);
            fmpz_add(f->constant + c, f->constant + c, ratio);
        } else {
            empty = false;
        }
    }
    return empty;
}

static void remove_fraction(attest_recheck_fractions *f, size_t i)
{
    fraction_clear(&f->fraction[i], f->dim);
    f->fraction[i] = f->fraction[--f->count];
}

/* Adds fraction i to an earlier one with the same denominator; true if there was one. */
static bool join(attest_recheck_fractions *f, size_t i)
{
    attest_recheck_cut cut = {.whole = true, .most = SIZE_MAX};
    size_t like = 0;
    FMPZ(one);

    while (like < i &&
           !attest_recheck_sum_equal(&f->fraction[like].below, &f->fraction[i].below))
        like++;
    if (like == i)
        return false;
    fmpz_one(one);
    for (size_t c = 0; c < f->dim; c++)
        attest_recheck_sum_add(&f->fraction[like].above[c], &f->fraction[i].above[c], one,
                               &cut);
    f->failed = f->failed || cut.failed;
    remove_fraction(f, i);
    return true;
}

static void join_all(attest_recheck_fractions *f)
{
    for (size_t i = 0; i < f->count; i++)
        make_primitive(f, i);
    for (size_t i = 0; i < f->count;)
        i += !join(f, i);
    for (size_t i = 0; i < f->count;) {
        if (absorb(f, i))
            remove_fraction(f, i);
        else
            i++;
    }
}

/* Reduces every entry of every fraction; true if anything changed. */
static bool reduce_all(attest_recheck_fractions *f)
{
    size_t count = f->count;
    bool any = false;
    FMPZ(stride);

    for (size_t i = 0; i < count && !f->failed; i++) {
        for (size_t c = 0; c < f->dim && !f->failed; c++) {
            attest_recheck_fraction own;
            bool changed;
            if (f->fraction[i].above[c].count == 0)
                continue;
            get_stride(stride, &f->fraction[i], c);
            f->failed = !split_entry(&own, &changed, &f->fraction[i], c, f->dim, stride);
            if (!changed)
                continue;
            attest_recheck_fraction *grown =
                attest_memory_resize(f->fraction, f->count + 1, sizeof *grown);
            if (!grown) {
                fraction_clear(&own, f->dim);
                f->failed = true;
                break;
            }
            f->fraction = grown;
            f->fraction[f->count++] = own;
            attest_recheck_sum_clear(&f->fraction[i].above[c]);
            any = true;
        }
    }
    return any;
}

/* Sets the scale of all values, the denominator of all scores, and the constants. */
static void set_scales(attest_recheck_fractions *f, attest_recheck *check, size_t a, size_t b)
{
    size_t at;
    FMPQ_VEC(x, (slong)f->dim);
    FMPZ(value);
    FMPQ(entry);

    for (size_t side = 0; side < 1 + (b != a); side++) {
        size_t position = side ? b : a;
        const attest_recheck_loaded *loaded = attest_recheck_load(check, position, &at);
        for (size_t h = 0; h < check->heads; h++) {
            attest_recheck_score_denominator(value, check, loaded, h);
            fmpz_lcm(f->denominator, f->denominator, value);
            attest_recheck_value_denominator(value, check, loaded, h);
            fmpz_lcm(f->scale, f->scale, value);
        }
        for (size_t c = 0; c < f->dim; c++) {
            size_t from = attest_weights_skip_entry(check->weights, c);
            if (from == SIZE_MAX)
                continue;
            attest_tokens_get_entry(entry, &check->dataset->tokens,
                                    check->dataset->token[position], from);
            if (side)
                fmpq_sub(x + c, x + c, entry);
            else
                fmpq_set(x + c, entry);
        }
    }
    for (size_t c = 0; c < f->dim; c++)
        fmpz_lcm(f->scale, f->scale, fmpq_denref(x + c));
    for (size_t c = 0; c < f->dim; c++) {
        fmpz_divexact(value, f->scale, fmpq_denref(x + c));
        fmpz_mul(f->constant + c, value, fmpq_numref(x + c));
    }
}

void attest_recheck_fractions_init(attest_recheck_fractions *f, attest_recheck *check, size_t a,
                                   size_t b)
{
    size_t sides = 1 + (b != a);

    *f = (attest_recheck_fractions){.dim = check->dim};
    f->constant = _fmpz_vec_init((slong)f->dim);
    fmpz_init_set_ui(f->scale, 1);
    fmpz_init_set_ui(f->denominator, 1);
    f->fraction = attest_memory_alloc(sides * check->heads, sizeof *f->fraction);
    f->failed = !f->fraction;
    if (f->failed)
        return;
    set_scales(f, check, a, b);
    for (size_t side = 0; side < sides; side++)
        for (size_t h = 0; h < check->heads && !f->failed; h++) {
            attest_recheck_fraction *next = &f->fraction[f->count++];
            f->failed = !fraction_set(next, check, h, side ? b : a, side ? -1 : 1, f);
        }
    if (f->failed)
        return;
    join_all(f);
    while (!f->failed && f->count > 0 && reduce_all(f))
        join_all(f);
}
