/* integer_dot.h -- exact dot products of integers. */
#ifndef ATTEST_NUMBER_INTEGER_DOT_H
#define ATTEST_NUMBER_INTEGER_DOT_H

#include <stddef.h>

#include <attest/flint.h>

/* z = the sum of x_i y_i. Fast where entries are below 2^128. z is no entry of x or y. */
void attest_integer_dot(fmpz *z, const fmpz *x, const fmpz *y, size_t count);

#endif
