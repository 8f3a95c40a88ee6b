/* softmax_reduce.c -- the fractions of a softmax sum, reduced and over coprime denominators
 * (proofs-notes/zero_test.md, "Reduced fractions"). A fraction N_c / Z is an fmpz_poly_q in
 * the variable y^stride: in lowest terms, the leading coefficient of Z positive. */
#include "certify/softmax_sum.h"

#include <stdlib.h>

#include <flint/fmpz_poly_q.h>

#include "base/memory.h"
#include "number/scope.h"

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

/* f = entry c of the group, reduced. False when its degree is too large. */
static bool set_fraction(fmpz_poly_q_t f, const attest_softmax_group *group, size_t dim,
                         size_t c, const fmpz_t stride)
{
    FMPZ(degree, clear, value);

    fmpz_poly_q_zero(f);
    if (entry_is_zero(group, dim, c))
        return true;
    fmpz_fdiv_q(degree, group->exponent + group->terms - 1, stride);
    if (fmpz_cmp_ui(degree, ATTEST_SOFTMAX_DEGREE) > 0)
        return false;
    fmpz_one(clear);
    for (size_t i = 0; i < group->terms; i++)
        fmpz_lcm(clear, clear, fmpq_denref(group->n + i * dim + c));
    fmpz_poly_zero(fmpz_poly_q_denref(f));
    for (size_t i = 0; i < group->terms; i++) {
        const fmpq *n = group->n + i * dim + c;

        fmpz_divexact(degree, group->exponent + i, stride);
        fmpz_mul(value, clear, group->z + i);
        fmpz_poly_set_coeff_fmpz(fmpz_poly_q_denref(f), fmpz_get_si(degree), value);
        fmpz_divexact(value, clear, fmpq_denref(n));
        fmpz_mul(value, value, fmpq_numref(n));
        fmpz_poly_set_coeff_fmpz(fmpz_poly_q_numref(f), fmpz_get_si(degree), value);
    }
    fmpz_poly_q_canonicalise(f);
    return true;
}

/* group = the fraction as entry c, all others 0. */
static void group_set(attest_softmax_group *group, const fmpz_poly_q_t f, size_t dim, size_t c,
                      const fmpz_t stride)
{
    const fmpz_poly_struct *above = fmpz_poly_q_numref(f), *below = fmpz_poly_q_denref(f);
    slong length = FLINT_MAX(fmpz_poly_length(below), fmpz_poly_length(above));
    FMPZ(content, n, z);

    fmpz_poly_content(content, below);
    group->terms = 0;
    group->exponent = _fmpz_vec_init(length);
    group->z = _fmpz_vec_init(length);
    group->n = _fmpq_vec_init(length * (slong)dim);
    for (slong i = 0; i < length; i++) {
        fmpz_poly_get_coeff_fmpz(z, below, i);
        fmpz_poly_get_coeff_fmpz(n, above, i);
        if (fmpz_is_zero(z) && fmpz_is_zero(n))
            continue;
        fmpz_mul_si(group->exponent + group->terms, stride, i);
        fmpz_divexact(group->z + group->terms, z, content);
        fmpq_set_fmpz_frac(group->n + group->terms++ * dim + c, n, content);
    }
}

/* Moves entry c of group g to a group of its own behind the others if the fraction can be
 * reduced; *moved tells. */
static attest_status split_entry(bool *moved, attest_softmax_sum *sum, size_t g, size_t c,
                                 attest_error *error)
{
    attest_softmax_group *group;
    fmpz_poly_q_t f;
    FMPZ(stride, degree);

    if (!attest_memory_grow(&sum->group, &sum->room, sum->groups + 1, sizeof *sum->group))
        return attest_memory_fail(error);
    group = &sum->group[g];
    *moved = false;
    if (entry_is_zero(group, sum->dim, c))
        return ATTEST_OK;
    fmpz_poly_q_init(f);
    get_stride(stride, group);
    for (size_t i = 0; i < group->terms; i++)
        if (!fmpz_is_zero(group->z + i))
            fmpz_divexact(degree, group->exponent + i, stride);
    *moved = set_fraction(f, group, sum->dim, c, stride) &&
             fmpz_cmp_si(degree, fmpz_poly_degree(fmpz_poly_q_denref(f))) > 0;
    if (*moved) {
        group_set(&sum->group[sum->groups++], f, sum->dim, c, stride);
        for (size_t i = 0; i < group->terms; i++)
            fmpq_zero(group->n + i * sum->dim + c);
    }
    fmpz_poly_q_clear(f);
    return ATTEST_OK;
}

attest_status attest_softmax_sum_reduce(attest_softmax_sum *sum, attest_error *error)
{
    bool changed = true, moved = false;

    while (changed) { /* each pass lowers the sum of the degrees */
        size_t groups = sum->groups;
        changed = false;
        for (size_t g = 0; g < groups; g++)
            for (size_t c = 0; c < sum->dim; c++) {
                ATTEST_TRY(split_entry(&moved, sum, g, c, error));
                changed = changed || moved;
            }
        attest_softmax_sum_join(sum);
    }
    return ATTEST_OK;
}

/* Adds fractions whose denominators share a factor until all are coprime; each sum stands in
 * one place, and 0 in the others. False when a degree is too large. */
static bool make_coprime(fmpz_poly_q_t *f, size_t count)
{
    fmpz_poly_t common;
    bool fits = true;

    fmpz_poly_init(common);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && fits; j++) {
            slong a = fmpz_poly_degree(fmpz_poly_q_denref(f[i]));
            slong b = fmpz_poly_degree(fmpz_poly_q_denref(f[j]));
            fmpz_poly_gcd(common, fmpz_poly_q_denref(f[i]), fmpz_poly_q_denref(f[j]));
            if (fmpz_poly_degree(common) == 0)
                continue;
            fits = a + b - fmpz_poly_degree(common) <= ATTEST_SOFTMAX_DEGREE;
            if (fits) {
                fmpz_poly_q_add(f[i], f[i], f[j]);
                fmpz_poly_q_zero(f[j]);
                j = i; /* the denominator has changed: compare with all others again */
            }
        }
    fmpz_poly_clear(common);
    return fits;
}

/* Entry c: 1 when it is 0, 0 when it is not, -1 when degrees are too large. Reduced fractions
 * over coprime denominators add up to a constant only if each is one: a root of one denominator
 * is a pole of that fraction and of no other. */
static int entry_vanishes(const attest_softmax_sum *sum, size_t c, const fmpz_t stride,
                          fmpz_poly_q_t *f)
{
    bool fits = true, constant = true;
    FMPQ(total, part);

    fmpq_set(total, sum->constant + c);
    for (size_t g = 0; g < sum->groups; g++)
        fits = fits && set_fraction(f[g], &sum->group[g], sum->dim, c, stride);
    fits = fits && make_coprime(f, sum->groups);
    for (size_t g = 0; g < sum->groups && fits; g++) {
        const fmpz_poly_struct *above = fmpz_poly_q_numref(f[g]);

        constant = constant && fmpz_poly_degree(above) <= 0 &&
                   fmpz_poly_degree(fmpz_poly_q_denref(f[g])) == 0;
        fmpz_poly_get_coeff_fmpz(fmpq_numref(part), above, 0);
        fmpz_poly_get_coeff_fmpz(fmpq_denref(part), fmpz_poly_q_denref(f[g]), 0);
        if (constant)
            fmpq_add(total, total, part);
    }
    return fits ? constant && fmpq_is_zero(total) : -1;
}

int attest_softmax_sum_vanishes(const attest_softmax_sum *sum)
{
    fmpz_poly_q_t *f ATTEST_FREED = attest_memory_alloc(sum->groups, sizeof *f);
    int vanishes = f ? 1 : -1; /* -1: no memory, or the degree is too large */
    FMPZ(stride, content);

    for (size_t g = 0; g < sum->groups && f; g++) {
        fmpz_poly_q_init(f[g]);
        get_stride(content, &sum->group[g]);
        fmpz_gcd(stride, stride, content);
    }
    if (fmpz_is_zero(stride))
        fmpz_one(stride);
    for (size_t c = 0; c < sum->dim && vanishes == 1; c++)
        vanishes = entry_vanishes(sum, c, stride, f);
    for (size_t g = 0; g < sum->groups && f; g++)
        fmpz_poly_q_clear(f[g]);
    return vanishes;
}
