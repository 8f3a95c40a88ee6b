/* matrix_array.c -- exact matrices from the numbers of a binary file. */
#include "io/matrix_array.h"

size_t attest_array_step(const attest_array *array, size_t axis)
{
    size_t step = 1;

    if (array->fortran)
        for (size_t i = 0; i < axis; i++)
            step *= array->shape[i];
    else
        for (size_t i = axis + 1; i < array->rank; i++)
            step *= array->shape[i];
    return step;
}

static size_t place(const attest_array_slice *slice, size_t r, size_t c)
{
    return slice->start + r * slice->row_step + c * slice->col_step;
}

static int bit_length(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

/* All entries are multiples of 2^*least and below 2^*top in absolute value; *least <= 0. */
static attest_status find_range(int *least, int *top, const attest_array *array,
                                const attest_array_slice *slice, attest_error *error)
{
    *least = *top = 0;
    for (size_t r = 0; r < slice->rows; r++)
        for (size_t c = 0; c < slice->cols; c++) {
            attest_dyadic value;
            attest_status status = attest_array_get(&value, array, place(slice, r, c), error);
            if (status != ATTEST_OK)
                return status;
            int end = value.exponent + bit_length(value.magnitude);
            *least = value.exponent < *least ? value.exponent : *least;
            *top = end > *top ? end : *top;
        }
    return ATTEST_OK;
}

/* The memory of rows*cols numerators below 2^bits; SIZE_MAX when that is beyond counting. */
static size_t bytes_of(const attest_array_slice *slice, int bits)
{
    size_t each = sizeof(fmpz);

    if (bits > FLINT_BITS - 2)
        each += sizeof(__mpz_struct) + ((size_t)bits / FLINT_BITS + 1) * sizeof(mp_limb_t);
    return slice->cols > SIZE_MAX / each / slice->rows ? SIZE_MAX
                                                       : slice->rows * slice->cols * each;
}

attest_status attest_matrix_set_slice(attest_matrix *matrix, const attest_array *array,
                                      const attest_array_slice *slice, attest_budget *budget,
                                      attest_error *error)
{
    int least, top;
    attest_status status = attest_array_check_numbers(array, error);

    if (status == ATTEST_OK)
        status = find_range(&least, &top, array, slice, error);
    if (status == ATTEST_OK)
        status = attest_budget_charge(budget, bytes_of(slice, top - least), error);
    if (status != ATTEST_OK)
        return status;
    attest_matrix_resize(matrix, slice->rows, slice->cols);
    fmpz_one_2exp(matrix->denominator, (ulong)-least);
    for (size_t r = 0; r < slice->rows; r++)
        for (size_t c = 0; c < slice->cols; c++) {
            attest_dyadic value;
            fmpz *entry = matrix->entry + r * slice->cols + c;
            status = attest_array_get(&value, array, place(slice, r, c), error);
            if (status != ATTEST_OK) /* not after the first pass */
                return status;
            fmpz_set_ui(entry, value.magnitude);
            fmpz_mul_2exp(entry, entry, (ulong)(value.exponent - least));
            if (value.negative)
                fmpz_neg(entry, entry);
        }
    return ATTEST_OK;
}
