/* matrix_json.c -- exact matrices as JSON: arrays of rows, or the factors of rank 1. */
#include "io/weights_json.h"

#include "number/rationals.h"

static void set_dense(attest_matrix *matrix, const attest_json_cursor *value)
{
    size_t rows = attest_json_take_length(value, "the matrix"), cols = 0;

    for (size_t r = 0; r < rows && !attest_json_failed(value); r++) {
        attest_json_cursor row = attest_json_get_element(value, r);
        size_t length = attest_json_take_length(&row, "the row");

        cols = r ? cols : length;
        if (length != cols)
            attest_json_refuse(&row, "the row has %zu numbers, the first one has %zu", length,
                               cols);
    }
    if (attest_json_failed(value))
        return;
    ATTEST_RATIONALS(entry, rows * cols);
    if (!entry)
        attest_json_note_memory(value);
    for (size_t r = 0; r < rows && !attest_json_failed(value); r++) {
        attest_json_cursor row = attest_json_get_element(value, r);

        attest_json_take_rationals(entry + r * cols, &row, cols);
    }
    if (attest_json_failed(value))
        return;
    attest_matrix_resize(matrix, rows, cols);
    attest_json_take_common(matrix->entry, matrix->denominator, entry, rows * cols, value);
}

static void set_factored(attest_matrix *matrix, const attest_json_cursor *value)
{
    attest_json_cursor u = attest_json_take(value, "u"), v = attest_json_take(value, "v");
    size_t rows = attest_json_take_length(&u, "the vector");
    size_t cols = attest_json_take_length(&v, "the vector");

    if (attest_json_failed(value))
        return;
    attest_matrix_resize_factored(matrix, rows, cols);
    attest_json_take_fractions(matrix->u, matrix->u_denominator, &u, rows);
    attest_json_take_fractions(matrix->v, matrix->v_denominator, &v, cols);
    fmpz_mul(matrix->denominator, matrix->u_denominator, matrix->v_denominator);
}

void attest_matrix_set_json(attest_matrix *matrix, const attest_json_cursor *value)
{
    if (attest_json_is_object(value))
        set_factored(matrix, value);
    else
        set_dense(matrix, value);
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
