/* lemma_f.c -- boltz(A) - boltz(B) at any magnitude, and the threshold and the bound of Lemma F
 * (proofs-notes/lemma_f.md).
 *
 * Let x_0 > x_1 > ... be the distinct values of A and B together, A_i and B_i their
 * multiplicities, Z_A = sum A_i e^{x_i}, beta = boltz(B). Since sum B_i (x_i - beta) e^{x_i} =
 * 0,
 *
 *     boltz(A) - boltz(B) = sum_i (A_i b - B_i a) (x_i - beta) e^{x_i} / (b Z_A)
 *
 * for every a and every b != 0. With (a, b) = (A_0, B_0) the terms vanish up to the first index
 * j with (A_j, B_j) not parallel to (A_0, B_0); for sets that is identity (L). There is no such
 * j iff the difference is 0 (proofs-notes/boltzmann.md). Everything is computed relative to
 * e^{x_0} or e^{x_j}, so no number here is small because t = x_0 - x_j is large. */
#include "theory/lemma_f.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "number/ball_exp.h"
#include "number/scope.h"

enum { LEAST_BITS = 128, GUARD_BITS = 64 };

/* A distinct value (over the denominator) and how often each side has it. */
typedef struct counted_value {
    const fmpz *x;
    fmpz_t a, b; /* A_i and B_i */
    fmpz_t d;    /* A_i B_0 - B_i A_0 */
} counted_value;

/* A and B merged, largest value first, named such that B owns the largest value. */
typedef struct merged {
    counted_value *value;
    size_t count;
    bool swapped; /* A and B have changed places: the difference changes its sign */
    size_t first; /* j, the first index with d != 0; count when there is none */
    size_t lead;  /* the first index with a != 0: 0, or first if A does not own x_0 */
    const fmpz *denominator;
} merged;

void attest_boltz_difference_init(attest_boltz_difference *difference)
{
    difference->sign = 0;
    arb_init(difference->value);
    arb_init(difference->log2);
    arb_indeterminate(difference->log2);
    difference->bits = 0;
}

void attest_boltz_difference_clear(attest_boltz_difference *difference)
{
    arb_clear(difference->value);
    arb_clear(difference->log2);
}

static int compare_descending(const void *left, const void *right)
{
    return fmpz_cmp(((const counted_value *)right)->x, ((const counted_value *)left)->x);
}

static void add_entries(merged *all, const attest_multiset *set, bool to_b)
{
    for (size_t i = 0; i < set->count; i++) {
        counted_value *v = &all->value[all->count++];

        v->x = &set->numerator[i];
        fmpz_init(v->a);
        fmpz_init(v->b);
        fmpz_init(v->d);
        fmpz_set_ui(to_b ? v->b : v->a, set->multiplicity ? set->multiplicity[i] : 1);
    }
}

static void clear_value(counted_value *v)
{
    fmpz_clear(v->a);
    fmpz_clear(v->b);
    fmpz_clear(v->d);
}

static void merged_clear(merged *all)
{
    for (size_t i = 0; i < all->count; i++)
        clear_value(&all->value[i]);
    free(all->value);
}

/* Joins entries of equal value; the list is sorted. */
static void collapse(merged *all)
{
    size_t kept = 0;

    for (size_t i = 1; i < all->count; i++) {
        counted_value *last = &all->value[kept], *v = &all->value[i];

        if (fmpz_equal(last->x, v->x)) {
            fmpz_add(last->a, last->a, v->a);
            fmpz_add(last->b, last->b, v->b);
            clear_value(v);
        } else {
            all->value[++kept] = *v;
        }
    }
    all->count = kept + 1;
}

/* Swaps A and B where B lacks x_0, then finds j and lead. */
static void orient(merged *all)
{
    all->swapped = fmpz_is_zero(all->value[0].b);
    all->first = all->count;
    all->lead = all->count;
    for (size_t i = 0; i < all->count; i++) {
        counted_value *v = &all->value[i];

        if (all->swapped)
            fmpz_swap(v->a, v->b);
        fmpz_mul(v->d, v->a, all->value[0].b);
        fmpz_submul(v->d, v->b, all->value[0].a);
        if (all->first == all->count && !fmpz_is_zero(v->d))
            all->first = i;
        if (all->lead == all->count && !fmpz_is_zero(v->a))
            all->lead = i;
    }
}

static attest_status merge(merged *all, const attest_multiset *a, const attest_multiset *b,
                           const fmpz_t denominator)
{
    all->count = 0;
    all->denominator = denominator;
    all->value = attest_memory_alloc(a->count + b->count, sizeof *all->value);
    if (!all->value)
        return ATTEST_NOMEM;
    add_entries(all, a, false);
    add_entries(all, b, true);
    qsort(all->value, all->count, sizeof *all->value, compare_descending);
    collapse(all);
    orient(all);
    return ATTEST_OK;
}

/* depth = (x_from - x_i) / denominator, with an absolute error below 2^-bits. */
static void set_depth(arb_t depth, const merged *all, size_t from, size_t i, long bits)
{
    slong magnitude;
    FMPZ(gap);

    fmpz_sub(gap, all->value[from].x, all->value[i].x);
    magnitude = (slong)fmpz_bits(gap) - (slong)fmpz_bits(all->denominator) + 1;
    arb_fmpz_div_fmpz(depth, gap, all->denominator, bits + (magnitude > 0 ? magnitude : 0));
}

/* weight = e^{x_i - x_from}; depth is as set_depth gives it, so the relative error stays near
 * 2^-bits. */
static void set_weight(arb_t weight, arb_t depth, const merged *all, size_t from, size_t i,
                       long bits)
{
    set_depth(depth, all, from, i, bits);
    attest_huge_exp(weight, depth, bits);
}

/* The sums that the identity needs. */
typedef struct sums {
    arb_t mean; /* x_0 - beta, the mean depth of B below x_0 */
    arb_t mass; /* Z_A / e^{x_lead} */
    arb_t head; /* sum_{i >= j} d_i (x_i - beta) e^{x_i - x_j} */
} sums;

static void sum_masses(sums *s, const merged *all, long bits)
{
    ARB(weight, depth, mass_b);

    arb_zero(s->mean);
    arb_zero(s->mass);
    for (size_t i = 0; i < all->count; i++) {
        const counted_value *v = &all->value[i];

        if (!fmpz_is_zero(v->b)) {
            set_weight(weight, depth, all, 0, i, bits);
            arb_mul_fmpz(weight, weight, v->b, bits);
            arb_add(mass_b, mass_b, weight, bits);
            arb_addmul(s->mean, weight, depth, bits);
        }
        if (!fmpz_is_zero(v->a)) {
            set_weight(weight, depth, all, all->lead, i, bits);
            arb_addmul_fmpz(s->mass, weight, v->a, bits);
        }
    }
    arb_div(s->mean, s->mean, mass_b, bits);
}

static void sum_head(sums *s, const merged *all, long bits)
{
    ARB(weight, depth);

    arb_zero(s->head);
    for (size_t i = all->first; i < all->count; i++) {
        const counted_value *v = &all->value[i];

        if (fmpz_is_zero(v->d))
            continue;
        set_weight(weight, depth, all, all->first, i, bits);
        set_depth(depth, all, 0, i, bits);
        arb_sub(depth, s->mean, depth, bits); /* x_i - beta */
        arb_mul_fmpz(depth, depth, v->d, bits);
        arb_addmul(s->head, weight, depth, bits);
    }
}

/* The difference at this precision: value = e^{-t} ratio, log2 = -t / log 2 + log2 |ratio|,
 * with ratio = head / (b mass) and t = x_lead - x_j. */
static void evaluate(attest_boltz_difference *difference, const merged *all, long bits)
{
    sums s;
    ARB(t, ratio, log2);

    arb_init(s.mean);
    arb_init(s.mass);
    arb_init(s.head);
    sum_masses(&s, all, bits);
    sum_head(&s, all, bits);
    arb_div(ratio, s.head, s.mass, bits);
    arb_div_fmpz(ratio, ratio, all->value[0].b, bits);
    set_weight(difference->value, t, all, all->lead, all->first, bits);
    arb_mul(difference->value, difference->value, ratio, bits);
    if (all->swapped)
        arb_neg(difference->value, difference->value);
    arb_const_log2(log2, bits);
    arb_abs(ratio, ratio);
    arb_log(ratio, ratio, bits);              /* indeterminate where ratio contains 0 */
    arb_sub(ratio, ratio, t, ARF_PREC_EXACT); /* t may be long: nothing is rounded away */
    arb_div(difference->log2, ratio, log2, bits);
    arb_clear(s.mean);
    arb_clear(s.mass);
    arb_clear(s.head);
}

static attest_status refine(attest_boltz_difference *difference, const merged *all,
                            long accuracy, long max_bits, attest_error *error)
{
    long bits = accuracy + GUARD_BITS > LEAST_BITS ? accuracy + GUARD_BITS : LEAST_BITS;

    for (;; bits *= 2) {
        if (max_bits > 0 && bits > max_bits)
            bits = max_bits;
        evaluate(difference, all, bits);
        if (!arb_contains_zero(difference->value) &&
            arb_rel_accuracy_bits(difference->value) > accuracy) {
            difference->bits = bits;
            difference->sign = arb_is_positive(difference->value) ? 1 : -1;
            return ATTEST_OK;
        }
        if ((max_bits > 0 && bits >= max_bits) || bits > ARF_PREC_EXACT / 4)
            return attest_error_set(error, ATTEST_UNABLE,
                                    "the difference is not 0, but %ld bits do not separate it",
                                    bits);
    }
}

attest_status attest_boltz_difference_bound(attest_boltz_difference *difference,
                                            const attest_multiset *a, const attest_multiset *b,
                                            const fmpz_t denominator, long accuracy,
                                            long max_bits, attest_error *error)
{
    attest_status status = ATTEST_OK;
    merged all;

    if (a->count == 0 || b->count == 0 || fmpz_sgn(denominator) <= 0 || accuracy < 2)
        return attest_error_set(error, ATTEST_DOMAIN, "boltz of an empty multiset");
    if (merge(&all, a, b, denominator) != ATTEST_OK)
        return attest_memory_fail(error);
    if (all.first == all.count) {
        difference->sign = 0;
        difference->bits = 0;
        arb_zero(difference->value);
        arb_indeterminate(difference->log2);
    } else {
        status = refine(difference, &all, accuracy, max_bits, error);
    }
    merged_clear(&all);
    return status;
}

/* value = g - 1 - g/(e^g - 1), which increases with g > 0 and vanishes at g*. */
static void threshold_function(arb_t value, const arb_t g, long bits)
{
    arb_expm1(value, g, bits);
    arb_div(value, g, value, bits);
    arb_sub(value, g, value, bits);
    arb_sub_ui(value, value, 1, bits);
}

/* Which side of g* the number x lies on: -1 below, 1 above, 0 unknown at this precision. */
static int threshold_side(const arb_t x, long bits)
{
    ARB(value);

    threshold_function(value, x, bits);
    return arb_is_positive(value) - arb_is_negative(value);
}

bool attest_lemma_f_check_gap(const fmpq_t gap)
{
    int side = 0;
    ARB(x);

    if (fmpq_cmp_si(gap, 1) <= 0)
        return false;
    for (long bits = 64; side == 0; bits *= 2) {
        arb_set_fmpq(x, gap, bits);
        side = threshold_side(x, bits);
    }
    return side > 0;
}

/* bracket = (t - mu)(1 - 2q) - mu, with mu = g/(e^g - 1) = g q/(1-q); for differing maxima
 * g - mu. */
static void set_bracket(arb_t bracket, const arb_t gap, bool first_at_maximum, const arb_t t,
                        long bits)
{
    ARB(mu, q);

    arb_expm1(q, gap, bits);
    arb_div(mu, gap, q, bits);
    if (first_at_maximum) {
        arb_sub(bracket, gap, mu, bits);
    } else {
        arb_neg(q, gap);
        arb_exp(q, q, bits);
        arb_mul_si(q, q, -2, bits);
        arb_add_ui(q, q, 1, bits);
        arb_sub(bracket, t, mu, bits);
        arb_mul(bracket, bracket, q, bits);
        arb_sub(bracket, bracket, mu, bits);
    }
}

attest_status attest_lemma_f_bound(arb_t value, arb_t log2, const arb_t gap,
                                   bool first_at_maximum, const arb_t t, long bits,
                                   attest_error *error)
{
    bool usable;
    ARB(bracket);

    if (threshold_side(gap, bits) <= 0)
        return attest_error_set(error, ATTEST_DOMAIN, "Lemma F: the gap is not above g*");
    if (!first_at_maximum && !arb_ge(t, gap) && !arb_overlaps(t, gap))
        return attest_error_set(error, ATTEST_DOMAIN, "Lemma F: t is smaller than the gap");
    set_bracket(bracket, gap, first_at_maximum, t, bits);
    usable = attest_huge_exp_scale(value, log2, bracket, first_at_maximum ? NULL : t, bits);
    if (!usable)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "Lemma F: the gap or t is too wide a ball");
    return ATTEST_OK;
}
