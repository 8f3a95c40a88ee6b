/* size.h -- a size that doubles may not hold: errors in ulp reach 2^2097 in binary64 alone. */
#ifndef ATTEST_AUDIT_SIZE_H
#define ATTEST_AUDIT_SIZE_H

#include <attest/flint.h>
#include <mpfr.h>

/* part 2^exponent, 1/2 <= part < 1, or part 0; infinite: part is. */
typedef struct attest_audit_size {
    double part;
    long exponent;
} attest_audit_size;

/* x, not negative, rounded up to 53 bits. */
attest_audit_size attest_audit_size_get(const mpfr_t x);

/* x < 0, = 0, > 0 as a is less than, equal to, more than b. Domain: finite. */
int attest_audit_size_compare(attest_audit_size a, attest_audit_size b);

/* The mean of a, the mean of so many numbers, and b, that of others; rounded up. */
attest_audit_size attest_audit_size_mean(attest_audit_size a, size_t a_count,
                                         attest_audit_size b, size_t b_count);

/* The sign of size - rational, exactly. */
int attest_audit_size_compare_rational(attest_audit_size size, const fmpq_t rational);

/* As a decimal of so many digits, whatever its exponent: a number of JSON if it is finite. */
enum { ATTEST_AUDIT_SIZE_TEXT = 48 };
void attest_audit_size_format(char text[ATTEST_AUDIT_SIZE_TEXT], attest_audit_size size,
                              int digits);

#endif
