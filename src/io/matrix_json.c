/* matrix_json.c -- exact matrices as JSON: arrays of rows, or the factors of rank 1. */
#include "io/weights_json.h"

#include "base/memory.h"
#include "number/rationals.h"

/* numerator/denominator = the rationals; numerator has room for them. */
static attest_status set_common(fmpz *numerator, fmpz_t denominator, const fmpq *rational,
                                size_t count, const attest_json_cursor *value,
                                attest_error *error)
{
    size_t bytes;
    attest_status status = attest_rationals_bound_common(denominator, &bytes, rational, count,
                                                         value->budget, error);

    if (status != ATTEST_OK)
        return attest_json_locate(value, error, status);
    attest_rationals_get_numerators(numerator, denominator, rational, count);
    return ATTEST_OK;
}

/* All rows must be as long as the first. */
static attest_status check_rows(size_t *rows, size_t *cols, const attest_json_cursor *value,
                                attest_error *error)
{
    size_t length = 0;
    attest_status status = attest_json_get_filled(rows, value, "the matrix", error);

    *cols = 0;
    for (size_t r = 0; r < *rows && status == ATTEST_OK; r++) {
        attest_json_cursor row = attest_json_get_element(value, r);
        status = attest_json_get_filled(&length, &row, "the row", error);
        *cols = r ? *cols : length;
        if (status == ATTEST_OK && length != *cols)
            status = attest_json_fail(&row, error, ATTEST_FORMAT,
                                      "the row has %zu numbers, the first one has %zu", length,
                                      *cols);
    }
    return status;
}

static attest_status set_dense(attest_matrix *matrix, const attest_json_cursor *value,
                               attest_error *error)
{
    size_t rows = 0, cols = 0;
    attest_status status = check_rows(&rows, &cols, value, error);
    fmpq *entry;

    if (status != ATTEST_OK)
        return status;
    entry = attest_rationals_alloc(rows * cols);
    if (!entry)
        return attest_memory_fail(error);
    for (size_t r = 0; r < rows && status == ATTEST_OK; r++) {
        attest_json_cursor row = attest_json_get_element(value, r);
        status = attest_json_get_rationals(entry + r * cols, &row, cols, error);
    }
    if (status == ATTEST_OK) {
        attest_matrix_resize(matrix, rows, cols);
        status =
            set_common(matrix->entry, matrix->denominator, entry, rows * cols, value, error);
    }
    attest_rationals_free(entry, rows * cols);
    return status;
}

/* The member "u" or "v". */
static attest_status set_factor(fmpz *numerator, fmpz_t denominator,
                                const attest_json_cursor *factor, size_t length,
                                attest_error *error)
{
    fmpq *entry = attest_rationals_alloc(length);
    attest_status status;

    if (!entry)
        return attest_memory_fail(error);
    status = attest_json_get_rationals(entry, factor, length, error);
    if (status == ATTEST_OK)
        status = set_common(numerator, denominator, entry, length, factor, error);
    attest_rationals_free(entry, length);
    return status;
}

static attest_status set_factored(attest_matrix *matrix, const attest_json_cursor *value,
                                  attest_error *error)
{
    attest_json_cursor u, v;
    size_t rows = 0, cols = 0;
    attest_status status = attest_json_get_member(&u, value, "u", error);

    if (status == ATTEST_OK)
        status = attest_json_get_member(&v, value, "v", error);
    if (status == ATTEST_OK)
        status = attest_json_get_filled(&rows, &u, "the vector", error);
    if (status == ATTEST_OK)
        status = attest_json_get_filled(&cols, &v, "the vector", error);
    if (status != ATTEST_OK)
        return status;
    attest_matrix_resize_factored(matrix, rows, cols);
    status = set_factor(matrix->u, matrix->u_denominator, &u, rows, error);
    if (status == ATTEST_OK)
        status = set_factor(matrix->v, matrix->v_denominator, &v, cols, error);
    fmpz_mul(matrix->denominator, matrix->u_denominator, matrix->v_denominator);
    return status;
}

attest_status attest_matrix_set_json(attest_matrix *matrix, const attest_json_cursor *value,
                                     attest_error *error)
{
    return attest_json_is_object(value) ? set_factored(matrix, value, error)
                                        : set_dense(matrix, value, error);
}

void attest_matrix_write_json(attest_json *json, const char *key, const attest_matrix *matrix)
{
    if (matrix->factored) {
        attest_json_write_object(json, key);
        attest_json_write_fractions(json, "u", matrix->u, matrix->u_denominator, matrix->rows);
        attest_json_write_fractions(json, "v", matrix->v, matrix->v_denominator, matrix->cols);
    } else {
        attest_json_write_array(json, key);
        for (size_t r = 0; r < matrix->rows; r++)
            attest_json_write_fractions(json, NULL, matrix->entry + r * matrix->cols,
                                        matrix->denominator, matrix->cols);
    }
    attest_json_write_close(json);
}
