/* rounding.h -- rounding to a small format by looking at the list of all its numbers.
 *
 * For formats with p <= 11 and small exponents, doubles represent the numbers, and the sums and
 * products of two of them, exactly. For other formats the caller ensures that the x it rounds
 * is exact. */
#ifndef ATTEST_TESTS_REF_ROUNDING_H
#define ATTEST_TESTS_REF_ROUNDING_H

#include <stddef.h>

#include <attest/format.h>

typedef struct ref_numbers {
    const attest_format *format;
    double *number; /* the finite numbers >= 0, increasing */
    size_t count;
} ref_numbers;

/* Lists the numbers. format must outlive the list. Domain: bounded exponents, few numbers; out
 * of memory, the program aborts. */
void ref_numbers_init(ref_numbers *list, const attest_format *format);
void ref_numbers_clear(ref_numbers *list);

/* The rounding of x to the format: NaN or an infinity as the format has them. */
double ref_round(double x, mpfr_rnd_t rounding, const ref_numbers *list);

/* The value and the sign of zero agree, or both are NaN. */
bool ref_same(double x, double y);

#endif
