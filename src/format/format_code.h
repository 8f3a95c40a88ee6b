/* format_code.h -- the numbers of a format as bit patterns, and casts of single numbers.
 *
 * A code is sign, exponent and significand, as in IEEE 754, with as many significand bits as
 * the precision asks for; a format that is positive has no sign bit and no zero. Where a format
 * departs from IEEE 754 (format.h), NaN is: all ones; all exponents' ones with the first bit of
 * the significand, if there are infinities; the code that -0 would have, if there is no -0. */
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

/* x to nearest, ties to even (p = 1: to the larger), overflows and what the format does not
 * have as format.h says. Domain: doubles host the format, or it is positive with p = 1. */
double attest_format_cast(double x, const attest_format *format);

#endif
