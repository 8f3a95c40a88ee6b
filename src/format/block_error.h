/* block_error.h -- groups of block formats, and the errors of numbers that are not negative:
 * the weights of attention, row by row.
 *
 * proofs-notes/formats.md derives the errors. */
#ifndef ATTEST_FORMAT_BLOCK_ERROR_H
#define ATTEST_FORMAT_BLOCK_ERROR_H

#include <attest/block.h>

#include "format/simulate_in_double.h"

/* A group of numbers that share a scale. */
typedef struct attest_block_group {
    const attest_block_format *format;
    attest_in_double element; /* of floating-point elements: to nearest, saturating */
    attest_in_double half;    /* binary16 */
    float tensor_amax;        /* the largest |number| of the array */
    const float *x;
    size_t count;
    double *y; /* the elements */
    attest_block_scale *scale;
} attest_block_group;

/* Sets the formats; the caller sets the other members. */
void attest_block_group_init(attest_block_group *group, const attest_block_format *format);

/* y, scale = the elements of x and their scale. */
void attest_block_group_quantise(attest_block_group *group);

/* For x_i >= 0 of a group with the largest number a, 0 or least <= a <= most:
 *     |value of element i - x_i| <= relative x_i + of_largest a + tiny. */
typedef struct attest_block_error {
    double relative, of_largest, tiny;
    double least, most;
} attest_block_error;

/* Status: USAGE: the scale of a group of one row depends on other rows, or the format does not
 * accept binary32 numbers, or it is a plain cast. */
attest_status attest_block_error_init(attest_block_error *bound,
                                      const attest_block_format *format,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Work space to quantise the groups of a row. */
typedef struct attest_block_row {
    attest_block_format format;
    attest_block_group group;
    float *x;
    double *y;
} attest_block_row;

/* capacity: the longest row. Status: NOMEM. Clear in any case. */
attest_status attest_block_row_init(attest_block_row *row, const attest_block_format *format,
                                    size_t capacity, attest_error *error) ATTEST_WARN_UNUSED;
void attest_block_row_clear(attest_block_row *row);

/* element = the elements of these numbers, quantised in a group that also contains largest,
 * which is at least all of them; returns the scale. Domain: numbers of binary32, count at most
 * the capacity. */
attest_block_scale attest_block_row_quantise(double *element, attest_block_row *row,
                                             const double *x, size_t count, double largest);

/* element factor / divisor + offset, rounded once to nearest in a format. */
double attest_block_get_value(double element, const attest_block_scale *scale,
                              const attest_in_double *to);

#endif
