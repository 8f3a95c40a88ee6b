/* exponentials.h -- sums of rational multiples of e^t, t rational, kept exactly.
 *
 * Exponentials of different rationals are linearly independent over the rationals (Lindemann
 * and Weierstrass), so a collected sum is 0 iff it has no term, and otherwise its sign shows at
 * some precision, whatever the size of the exponents: the largest one is divided out first. */
#ifndef ATTEST_TESTS_REF_EXPONENTIALS_H
#define ATTEST_TESTS_REF_EXPONENTIALS_H

#include <stddef.h>

#include <attest/flint.h>

typedef struct ref_term {
    fmpq_t exponent, coefficient;
} ref_term;

/* Exponents rise strictly, and no coefficient is 0. */
typedef struct ref_sum {
    ref_term *term;
    size_t count;
} ref_sum;

void ref_sum_init(ref_sum *sum); /* 0 */
void ref_sum_clear(ref_sum *sum);

/* sum += coefficient e^exponent. */
void ref_sum_add_term(ref_sum *sum, const fmpq_t coefficient, const fmpq_t exponent);

/* sum += factor * other. */
void ref_sum_add(ref_sum *sum, const ref_sum *other, const fmpq_t factor);

/* sum += factor * a * b; sum is neither a nor b. */
void ref_sum_add_product(ref_sum *sum, const ref_sum *a, const ref_sum *b, const fmpq_t factor);

/* -1, 0 or 1. */
int ref_sum_sign(const ref_sum *sum);

/* Encloses above / below, both > 0, to at least 128 bits, however large or small it is. */
void ref_sum_quotient(arb_t quotient, const ref_sum *above, const ref_sum *below);

#endif
