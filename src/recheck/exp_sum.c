/* exp_sum.c -- sums of integer multiples of exponentials. */
#include "recheck/exp_sum.h"

#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

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
