/* matrix_array.h -- exact matrices from the numbers of a binary file. */
#ifndef ATTEST_IO_MATRIX_ARRAY_H
#define ATTEST_IO_MATRIX_ARRAY_H

#include <attest/matrix.h>
#include <attest/number.h>

#include "io/array.h"

/* A matrix inside an array: entry (r, c) is the element start + r*row_step + c*col_step of its
 * storage. So rows of a larger matrix, its transpose and one head of several need no copy. */
typedef struct attest_array_slice {
    size_t start;
    size_t rows, cols;
    size_t row_step, col_step;
} attest_array_slice;

/* How far apart in storage two elements are whose index along this axis differs by one.
 * Domain: axis < rank. */
size_t attest_array_step(const attest_array *array, size_t axis);

/* matrix = the slice, exactly, over one power of two. Domain: the slice lies in the array.
 * Status: FORMAT (NaN, infinite; the text has the index in the array), UNABLE. On failure the
 * matrix is unchanged. Cost: two passes; numbers as long as the range of exponents. */
attest_status attest_matrix_set_slice(attest_matrix *matrix, const attest_array *array,
                                      const attest_array_slice *slice, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
