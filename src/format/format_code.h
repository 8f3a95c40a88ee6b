/* format_code.h -- the numbers of a format as bit patterns, and casts of single numbers.
 *
 * A code is sign, exponent and significand, as in IEEE 754, with as many significand bits as
 * the precision requires; a positive format has no sign bit and no zero. In formats that differ
 * from IEEE 754 (format.h), NaN is: all bits set; all exponent bits and the first bit of the
 * significand, if there are infinities; the code of -0, if there is no -0. */
#ifndef ATTEST_FORMAT_FORMAT_CODE_H
#define ATTEST_FORMAT_FORMAT_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include <attest/format.h>

#include "number/mpfr.h"

/* The code of x. Domain: as above; x is a number of the format, or NaN or an infinity where it
 * has them. */
uint32_t attest_format_encode(double x, const attest_format *format);

/* The largest finite number. Domain: bounded, and no wider than binary64. */
double attest_format_get_most(const attest_format *format);

/* x rounded to nearest, ties to even (p = 1: to the larger); overflow and missing values as in
 * format.h. Domain: attest_in_double_fits, or a positive format with p = 1. */
double attest_format_cast(double x, const attest_format *format);

#endif
