/* array.h -- the numbers of a binary file: a typed, shaped view of its bytes, and exact
 * matrices made from it.
 *
 * Every value is a dyadic rational, so no conversion rounds. The bytes belong to the caller
 * and need not be aligned. */
#ifndef ATTEST_IO_ARRAY_H
#define ATTEST_IO_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>
#include <attest/matrix.h>
#include <attest/number.h>

typedef enum attest_array_type {
    ATTEST_ARRAY_F16 = 0, /* IEEE 754 binary16 */
    ATTEST_ARRAY_BF16,    /* the upper half of a binary32 */
    ATTEST_ARRAY_F32,
    ATTEST_ARRAY_F64,
    ATTEST_ARRAY_I8,
    ATTEST_ARRAY_I16,
    ATTEST_ARRAY_I32,
    ATTEST_ARRAY_I64,
    ATTEST_ARRAY_U8,
    ATTEST_ARRAY_U16,
    ATTEST_ARRAY_U32,
    ATTEST_ARRAY_U64,
    ATTEST_ARRAY_F8_E4M3, /* 1 sign, 4 exponent and 3 fraction bits; NaN, but no infinities */
    ATTEST_ARRAY_F8_E5M2, /* the upper half of a binary16 */
    ATTEST_ARRAY_BOOL     /* one byte: 0 is false */
} attest_array_type;

/* The formats of binary files. */
typedef enum attest_array_format {
    ATTEST_ARRAY_OTHER = 0,
    ATTEST_ARRAY_NPY,
    ATTEST_ARRAY_ZIP, /* .npz; an archive with at least one entry */
    ATTEST_ARRAY_SAFETENSORS
} attest_array_format;

enum {
    ATTEST_ARRAY_MAX_RANK = 32,
    /* Room for a shape or an index as text; longer ones are cut. */
    ATTEST_ARRAY_TEXT_SIZE = 128
};

typedef struct attest_array {
    attest_array_type type;
    bool big_endian;
    bool fortran; /* the first index runs fastest; else the last one does */
    size_t rank;
    size_t shape[ATTEST_ARRAY_MAX_RANK];
    size_t count; /* the product of the shape: elements in storage order 0 .. count-1 */
    const unsigned char *data;
} attest_array;

/* (-1)^negative * magnitude * 2^exponent, where magnitude is odd, or all three are 0. */
typedef struct attest_dyadic {
    uint64_t magnitude;
    int exponent;
    bool negative;
} attest_dyadic;

/* Returns the format that the bytes of a whole file begin like. */
attest_array_format attest_array_find_format(const unsigned char *bytes, size_t size);

/* Bytes per element: 1, 2, 4 or 8. */
size_t attest_array_item_size(attest_array_type type);

/* Sets rank, shape and count of an array whose type is set. Returns false, and leaves the
 * array unchanged, if the rank is above the limit or the elements take more than SIZE_MAX
 * bytes. */
bool attest_array_set_shape(attest_array *array, const size_t *shape, size_t rank);

/* count * item size. */
size_t attest_array_bytes(const attest_array *array);

/* "(2, 3, 4)" as Python writes a shape. */
void attest_array_format_shape(char text[ATTEST_ARRAY_TEXT_SIZE], const attest_array *array);

/* The index of the element at this place in storage, "[0][5][2]". */
void attest_array_format_index(char text[ATTEST_ARRAY_TEXT_SIZE], const attest_array *array,
                               size_t element);

/* Returns whether every value of this type is a double, NaN or an infinity: all types but the
 * 64-bit integers. */
bool attest_array_type_is_double(attest_array_type type);

/* Returns whether this element of a 64-bit integer type is also a double. */
bool attest_array_integer_is_double(const attest_array *array, size_t element);

/* to[i] = element first + i * step, i < count, exactly; minus zero becomes plus zero, and NaN
 * and infinities are kept. Domain: these elements are doubles, by type or by value. */
void attest_array_get_doubles(double *to, const attest_array *array, size_t first, size_t step,
                              size_t count);

/* value = one element, exactly. Status: FORMAT, naming the index (NaN, infinite). */
attest_status attest_array_get(attest_dyadic *value, const attest_array *array, size_t element,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* Rejects an array of truth values where numbers are expected. Status: FORMAT. */
attest_status attest_array_check_numbers(const attest_array *array,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the error of a NaN or infinite element; returns FORMAT. */
attest_status attest_array_refuse(const attest_array *array, size_t element,
                                  attest_error *error);

/* A matrix inside an array: entry (r, c) is the element start + r*row_step + c*col_step of its
 * storage. So rows of a larger matrix, its transpose and one head of several need no copy. */
typedef struct attest_array_slice {
    size_t start;
    size_t rows, cols;
    size_t row_step, col_step;
} attest_array_slice;

/* Returns the distance in storage, in elements, between neighbours along this axis. Domain:
 * axis < rank. */
size_t attest_array_step(const attest_array *array, size_t axis);

/* matrix = the slice, exactly, over one power of two. Domain: the slice lies in the array.
 * Status: FORMAT (NaN, infinite; the text has the index in the array), UNABLE. On failure the
 * matrix is unchanged. Cost: two passes; the numerators have as many bits as exponents range
 * over. */
attest_status attest_matrix_set_slice(attest_matrix *matrix, const attest_array *array,
                                      const attest_array_slice *slice, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
