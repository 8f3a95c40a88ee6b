/* exponentials.c -- sums of rational multiples of e^t, t rational, kept exactly. */
#include "tests/ref/exponentials.h"

#include <stdlib.h>

enum { FIRST_BITS = 64, ACCURACY = 160 };

void ref_sum_init(ref_sum *sum)
{
    *sum = (ref_sum){NULL, 0};
}

void ref_sum_clear(ref_sum *sum)
{
    for (size_t i = 0; i < sum->count; i++) {
        fmpq_clear(sum->term[i].exponent);
        fmpq_clear(sum->term[i].coefficient);
    }
    free(sum->term);
    ref_sum_init(sum);
}

/* Appends `more` terms, all 0; returns the first one. */
static ref_term *append(ref_sum *sum, size_t more)
{
    ref_term *first;

    if (more == 0)
        return NULL;
    sum->term = realloc(sum->term, (sum->count + more) * sizeof *sum->term);
    if (!sum->term)
        abort();
    first = sum->term + sum->count;
    for (size_t i = 0; i < more; i++) {
        fmpq_init(first[i].exponent);
        fmpq_init(first[i].coefficient);
    }
    sum->count += more;
    return first;
}

static int by_exponent(const void *a, const void *b)
{
    return fmpq_cmp(((const ref_term *)a)->exponent, ((const ref_term *)b)->exponent);
}

/* Sorts, adds up equal exponents, and drops what vanishes. */
static void collect(ref_sum *sum)
{
    ref_term *term = sum->term;
    size_t kept = 0;

    if (sum->count > 1)
        qsort(term, sum->count, sizeof *term, by_exponent);
    for (size_t i = 0, next; i < sum->count; i = next) {
        for (next = i + 1; next < sum->count && by_exponent(&term[i], &term[next]) == 0; next++)
            fmpq_add(term[i].coefficient, term[i].coefficient, term[next].coefficient);
        if (!fmpq_is_zero(term[i].coefficient)) {
            fmpq_swap(term[kept].exponent, term[i].exponent);
            fmpq_swap(term[kept++].coefficient, term[i].coefficient);
        }
    }
    for (size_t i = kept; i < sum->count; i++) {
        fmpq_clear(term[i].exponent);
        fmpq_clear(term[i].coefficient);
    }
    sum->count = kept;
}

void ref_sum_add_term(ref_sum *sum, const fmpq_t coefficient, const fmpq_t exponent)
{
    ref_term *term = append(sum, 1);

    fmpq_set(term->coefficient, coefficient);
    fmpq_set(term->exponent, exponent);
    collect(sum);
}

void ref_sum_add(ref_sum *sum, const ref_sum *other, const fmpq_t factor)
{
    ref_term *term = append(sum, other->count);

    for (size_t i = 0; i < other->count; i++) {
        fmpq_mul(term[i].coefficient, other->term[i].coefficient, factor);
        fmpq_set(term[i].exponent, other->term[i].exponent);
    }
    collect(sum);
}

void ref_sum_add_product(ref_sum *sum, const ref_sum *a, const ref_sum *b, const fmpq_t factor)
{
    ref_term *term = append(sum, a->count * b->count);

    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++, term++) {
            fmpq_mul(term->coefficient, a->term[i].coefficient, b->term[j].coefficient);
            fmpq_mul(term->coefficient, term->coefficient, factor);
            fmpq_add(term->exponent, a->term[i].exponent, b->term[j].exponent);
        }
    collect(sum);
}

/* value = the sum divided by e to its largest exponent, with this relative accuracy in bits.
 * The sum is not 0. */
static void enclose_divided(arb_t value, const ref_sum *sum, slong accuracy)
{
    const ref_term *top = &sum->term[sum->count - 1];
    fmpq_t exponent;
    arb_t power;

    fmpq_init(exponent);
    arb_init(power);
    for (slong bits = FIRST_BITS;; bits *= 2) {
        arb_zero(value);
        for (size_t i = 0; i < sum->count; i++) {
            fmpq_sub(exponent, sum->term[i].exponent, top->exponent);
            arb_set_fmpq(power, exponent, bits);
            arb_exp(power, power, bits);
            arb_mul_fmpz(power, power, fmpq_numref(sum->term[i].coefficient), bits);
            arb_div_fmpz(power, power, fmpq_denref(sum->term[i].coefficient), bits);
            arb_add(value, value, power, bits);
        }
        if (!arb_contains_zero(value) && arb_rel_accuracy_bits(value) >= accuracy)
            break;
    }
    fmpq_clear(exponent);
    arb_clear(power);
}

int ref_sum_sign(const ref_sum *sum)
{
    arb_t value;
    int sign;

    if (sum->count == 0)
        return 0;
    arb_init(value);
    enclose_divided(value, sum, 0);
    sign = arb_is_positive(value) ? 1 : -1;
    arb_clear(value);
    return sign;
}

void ref_sum_quotient(arb_t quotient, const ref_sum *above, const ref_sum *below)
{
    slong bits;
    fmpq_t exponent;
    arb_t value;

    fmpq_init(exponent);
    arb_init(value);
    enclose_divided(quotient, above, ACCURACY);
    enclose_divided(value, below, ACCURACY);
    arb_div(quotient, quotient, value, ACCURACY);
    fmpq_sub(exponent, above->term[above->count - 1].exponent,
             below->term[below->count - 1].exponent);
    /* The relative error of e^x is the absolute one of x. */
    bits = ACCURACY + (slong)fmpz_bits(fmpq_numref(exponent));
    arb_set_fmpq(value, exponent, bits);
    arb_exp(value, value, bits);
    arb_mul(quotient, quotient, value, ACCURACY);
    fmpq_clear(exponent);
    arb_clear(value);
}
