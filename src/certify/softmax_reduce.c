/* softmax_reduce.c -- the fractions of a softmax sum, reduced and over coprime denominators
 * (proofs-notes/zero_test.md, "Reduced fractions"). */
#include "certify/softmax_sum.h"

#include <stdlib.h>

#include <flint/fmpq_poly.h>
#include <flint/fmpz_poly.h>

#include "base/memory.h"

/* N / Z in the variable y^stride. */
typedef struct fraction {
    fmpz_poly_t z;
    fmpq_poly_t n;
} fraction;

static void fraction_init(fraction *f)
{
    fmpz_poly_init(f->z);
    fmpq_poly_init(f->n);
}

static void fraction_clear(fraction *f)
{
    fmpz_poly_clear(f->z);
    fmpq_poly_clear(f->n);
}

/* f = entry c of the group. False when its degree is too large. */
static bool fraction_set(fraction *f, const attest_softmax_group *group, size_t dim, size_t c,
                         const fmpz_t stride)
{
    fmpz_t degree;
    bool fits;

    fmpz_init(degree);
    fmpz_fdiv_q(degree, group->exponent + group->terms - 1, stride);
    fits = fmpz_cmp_ui(degree, ATTEST_SOFTMAX_DEGREE) <= 0;
    for (size_t i = 0; fits && i < group->terms; i++) {
        fmpz_divexact(degree, group->exponent + i, stride);
        fmpz_poly_set_coeff_fmpz(f->z, fmpz_get_si(degree), group->z + i);
        fmpq_poly_set_coeff_fmpq(f->n, fmpz_get_si(degree), group->n + i * dim + c);
    }
    fmpz_clear(degree);
    return fits;
}

/* Divides N and Z by their greatest common divisor; whether it was not constant. Z becomes
 * primitive with a positive leading coefficient. */
static bool fraction_reduce(fraction *f)
{
    fmpz_poly_t numerator, common;
    fmpz_t content;
    bool reducible;

    fmpz_poly_init(numerator);
    fmpz_poly_init(common);
    fmpz_init(content);
    fmpq_poly_get_numerator(numerator, f->n);
    fmpz_poly_gcd(common, numerator, f->z);
    reducible = fmpz_poly_degree(common) > 0;
    if (reducible) {
        fmpz_poly_div(f->z, f->z, common);
        fmpz_poly_div(numerator, numerator, common);
        fmpz_set(content, fmpq_poly_denref(f->n));
        fmpq_poly_set_fmpz_poly(f->n, numerator);
        fmpq_poly_scalar_div_fmpz(f->n, f->n, content);
    }
    fmpz_poly_content(content, f->z);
    if (fmpz_sgn(fmpz_poly_lead(f->z)) < 0)
        fmpz_neg(content, content);
    fmpz_poly_scalar_divexact_fmpz(f->z, f->z, content);
    fmpq_poly_scalar_div_fmpz(f->n, f->n, content);
    fmpz_poly_clear(numerator);
    fmpz_poly_clear(common);
    fmpz_clear(content);
    return reducible;
}

/* group = the fraction as entry c, all others 0. */
static void group_set(attest_softmax_group *group, const fraction *f, size_t dim, size_t c,
                      const fmpz_t stride)
{
    slong length = FLINT_MAX(fmpz_poly_length(f->z), fmpq_poly_length(f->n));
    size_t at = 0;
    fmpq_t n;
    fmpz_t z;

    fmpq_init(n);
    fmpz_init(z);
    group->exponent = _fmpz_vec_init(length);
    group->z = _fmpz_vec_init(length);
    group->n = _fmpq_vec_init(length * (slong)dim);
    for (slong i = 0; i < length; i++) {
        fmpz_poly_get_coeff_fmpz(z, f->z, i);
        fmpq_poly_get_coeff_fmpq(n, f->n, i);
        if (fmpz_is_zero(z) && fmpq_is_zero(n))
            continue;
        fmpz_mul_si(group->exponent + at, stride, i);
        fmpz_set(group->z + at, z);
        fmpq_set(group->n + at * dim + c, n);
        at++;
    }
    group->terms = at;
    fmpq_clear(n);
    fmpz_clear(z);
}

static void get_stride(fmpz_t stride, const attest_softmax_group *group)
{
    _fmpz_vec_content(stride, group->exponent, (slong)group->terms);
    if (fmpz_is_zero(stride))
        fmpz_one(stride);
}

static bool entry_is_zero(const attest_softmax_group *group, size_t dim, size_t c)
{
    for (size_t i = 0; i < group->terms; i++)
        if (!fmpq_is_zero(group->n + i * dim + c))
            return false;
    return true;
}

/* Moves entry c of group g to a group of its own behind the others if the fraction can be
 * reduced; *moved tells. */
static attest_status split_entry(bool *moved, attest_softmax_sum *sum, size_t g, size_t c,
                                 attest_error *error)
{
    fmpz_t stride;
    fraction f;

    if (!attest_memory_grow(&sum->group, &sum->room, sum->groups + 1, sizeof *sum->group))
        return attest_memory_fail(error);
    fmpz_init(stride);
    fraction_init(&f);
    get_stride(stride, &sum->group[g]);
    *moved = !entry_is_zero(&sum->group[g], sum->dim, c) &&
             fraction_set(&f, &sum->group[g], sum->dim, c, stride) && fraction_reduce(&f);
    if (*moved) {
        group_set(&sum->group[sum->groups++], &f, sum->dim, c, stride);
        for (size_t i = 0; i < sum->group[g].terms; i++)
            fmpq_zero(sum->group[g].n + i * sum->dim + c);
    }
    fraction_clear(&f);
    fmpz_clear(stride);
    return ATTEST_OK;
}

attest_status attest_softmax_sum_reduce(attest_softmax_sum *sum, attest_error *error)
{
    bool changed = true, moved = false;
    attest_status status = ATTEST_OK;

    while (changed && status == ATTEST_OK) { /* each pass lowers the sum of the degrees */
        size_t groups = sum->groups;
        changed = false;
        for (size_t g = 0; g < groups; g++)
            for (size_t c = 0; c < sum->dim && status == ATTEST_OK; c++) {
                status = split_entry(&moved, sum, g, c, error);
                changed = changed || moved;
            }
        attest_softmax_sum_join(sum);
    }
    return status;
}

/* f += other, over the least common multiple of the denominators. False when the degree of that
 * is too large. */
static bool fraction_add(fraction *f, const fraction *other, const fmpz_poly_t common)
{
    fmpz_poly_t left, right;
    fmpq_poly_t term;
    bool fits;

    fmpz_poly_init(left);
    fmpz_poly_init(right);
    fmpq_poly_init(term);
    fmpz_poly_div(left, f->z, common);
    fmpz_poly_div(right, other->z, common);
    fits = fmpz_poly_degree(f->z) + fmpz_poly_degree(right) <= ATTEST_SOFTMAX_DEGREE;
    if (fits) {
        fmpq_poly_set_fmpz_poly(term, right);
        fmpq_poly_mul(f->n, f->n, term);
        fmpq_poly_set_fmpz_poly(term, left);
        fmpq_poly_mul(term, term, other->n);
        fmpq_poly_add(f->n, f->n, term);
        fmpz_poly_mul(f->z, f->z, right);
    }
    fmpz_poly_clear(left);
    fmpz_poly_clear(right);
    fmpq_poly_clear(term);
    return fits;
}

/* Adds the fractions that share factors, until all denominators are coprime; *count = how many
 * are left. False when a degree is too large. */
static bool make_coprime(fraction *f, size_t *count)
{
    fmpz_poly_t common;
    bool fits = true;

    fmpz_poly_init(common);
    for (size_t i = 0; i < *count && fits; i++)
        for (size_t j = i + 1; j < *count && fits; j++) {
            fmpz_poly_gcd(common, f[i].z, f[j].z);
            if (fmpz_poly_degree(common) == 0)
                continue;
            fits = fraction_add(&f[i], &f[j], common);
            (void)fraction_reduce(&f[i]);
            fraction_clear(&f[j]);
            f[j] = f[--*count];
            j = i; /* the denominator has changed: all others anew */
            if (fmpz_poly_degree(f[i].z) == 0)
                break;
        }
    fmpz_poly_clear(common);
    return fits;
}

/* Entry c: 1 when it is 0, 0 when it is not, -1 when degrees are too large. Reduced fractions
 * over coprime denominators add up to a constant only if each is one: a root of one denominator
 * is a pole of that fraction and of no other. */
static int entry_vanishes(const attest_softmax_sum *sum, size_t c, const fmpz_t stride,
                          fraction *f)
{
    size_t count = 0;
    bool fits = true, constant = true;
    fmpq_t total, part;

    fmpq_init(total);
    fmpq_init(part);
    fmpq_set(total, sum->constant + c);
    for (size_t g = 0; g < sum->groups && fits; g++) {
        if (entry_is_zero(&sum->group[g], sum->dim, c))
            continue;
        fraction_init(&f[count]);
        fits = fraction_set(&f[count], &sum->group[g], sum->dim, c, stride);
        if (fits)
            (void)fraction_reduce(&f[count]);
        count++;
    }
    fits = fits && make_coprime(f, &count);
    for (size_t i = 0; i < count; i++) {
        if (fmpz_poly_degree(f[i].z) > 0 || fmpq_poly_degree(f[i].n) > 0)
            constant = false;
        fmpq_poly_get_coeff_fmpq(part, f[i].n, 0); /* Z = 1: it is primitive */
        fmpq_add(total, total, part);
        fraction_clear(&f[i]);
    }
    constant = constant && fmpq_is_zero(total);
    fmpq_clear(total);
    fmpq_clear(part);
    return fits ? constant : -1;
}

int attest_softmax_sum_vanishes(const attest_softmax_sum *sum)
{
    fraction *f = attest_memory_alloc(sum->groups, sizeof *f);
    int vanishes = f || sum->groups == 0 ? 1 : -1;
    fmpz_t stride, content;

    fmpz_init(stride);
    fmpz_init(content);
    for (size_t g = 0; g < sum->groups; g++) {
        get_stride(content, &sum->group[g]);
        fmpz_gcd(stride, stride, content);
    }
    if (fmpz_is_zero(stride))
        fmpz_one(stride);
    for (size_t c = 0; c < sum->dim && vanishes == 1; c++)
        vanishes = entry_vanishes(sum, c, stride, f);
    fmpz_clear(stride);
    fmpz_clear(content);
    free(f);
    return vanishes;
}
