/* weights_bias.c -- biases of a head as columns of its matrices. */
#include "io/weights_bias.h"

#include "number/rationals.h"
#include "number/scope.h"

enum { BIASES = 4, VALUES = 2, OUTPUT = 3 };

static const char *const bias_name[BIASES] = {"bQ", "bK", "bV", "bO"};

bool attest_weights_have_bias(const attest_json_cursor *heads, size_t count)
{
    attest_json_cursor member;

    for (size_t h = 0; h < count; h++) {
        attest_json_cursor head = attest_json_get_element(heads, h);
        for (int i = 0; i < BIASES; i++)
            if (attest_json_find_member(&member, &head, bias_name[i]))
                return true;
    }
    return false;
}

/* wide = the matrix, zeros around it, and the bias in its own column: entries of a rows x cols
 * matrix, rows of them not the output's. */
static void fill(fmpq *wide, size_t cols, const attest_matrix *matrix, int which,
                 const attest_json_cursor *object)
{
    size_t count, at = matrix->cols;
    attest_json_cursor member;

    for (size_t r = 0; r < matrix->rows; r++)
        for (size_t c = 0; c < matrix->cols; c++)
            attest_matrix_get_entry(wide + r * cols + c, matrix, r, c);
    if (!attest_json_find_member(&member, object, bias_name[which]))
        return;
    ATTEST_RATIONALS(bias, matrix->rows);
    if (!bias)
        attest_json_note_memory(&member);
    count = attest_json_take_length(&member, NULL);
    if (count != matrix->rows)
        attest_json_refuse(&member, "the bias has %zu numbers, but W%c has %zu rows", count,
                           bias_name[which][1], matrix->rows);
    attest_json_take_rationals(bias, &member, matrix->rows);
    for (size_t r = 0; r < matrix->rows && !attest_json_failed(&member); r++)
        fmpq_swap(wide + r * cols + at, bias + r);
}

/* matrix = the rationals, of this shape. */
static void set_dense(attest_matrix *matrix, const fmpq *wide, size_t rows, size_t cols,
                      const attest_json_cursor *object)
{
    FMPZ(denominator);
    size_t bytes;

    ATTEST_JSON_NOTE_AT(object,
                        attest_rationals_bound_common(denominator, &bytes, wide, rows * cols,
                                                      object->budget, object->failure->error));
    if (attest_json_failed(object))
        return;
    attest_matrix_resize(matrix, rows, cols);
    fmpz_set(matrix->denominator, denominator);
    attest_rationals_get_numerators(matrix->entry, denominator, wide, rows * cols);
}

void attest_weights_set_bias(attest_head *head, const attest_json_cursor *object)
{
    attest_matrix *const matrix[BIASES] = {&head->wq, &head->wk, &head->wv, &head->wo};
    bool output_bias = attest_json_has(object, bias_name[OUTPUT]);
    size_t size = head->wq.rows + output_bias, dim = head->wq.cols + 1;

    for (int i = 0; i < BIASES && !attest_json_failed(object); i++) {
        size_t rows = i == OUTPUT ? dim : size, cols = i == OUTPUT ? size : dim;
        ATTEST_RATIONALS(wide, rows * cols);

        if (!wide) {
            attest_json_note_memory(object);
            return;
        }
        fill(wide, cols, matrix[i], i, object);
        if (i == VALUES && output_bias)
            fmpq_one(wide + rows * cols - 1);
        set_dense(matrix[i], wide, rows, cols, object);
    }
}
