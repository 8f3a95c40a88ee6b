/* import_head.c -- the four matrices of one head, biases and scale included. */
#include "model/import_parts.h"

#include <stdint.h>

/* The first row of head h in the tensor, and in the bias. */
static size_t first_row(const attest_import_layer *layer, int i, size_t h)
{
    const attest_import_part *part = &layer->part[i];

    return part->first_row + h / (layer->heads / part->groups) * part->head_rows;
}

/* A of this head: s rows of q, k and v; s columns of o. */
static attest_array_slice slice_of(const attest_import_layer *layer, int i, size_t h)
{
    const attest_import_part *part = &layer->part[i];
    attest_array_slice slice = {.rows = layer->size,
                                .cols = layer->dim,
                                .row_step = part->row_step,
                                .col_step = part->col_step};

    if (i == ATTEST_IMPORT_O) {
        slice.rows = layer->dim;
        slice.cols = layer->size;
        slice.start = (layer->o_head + h) * layer->size * part->col_step;
    } else {
        slice.start = first_row(layer, i, h) * part->row_step;
    }
    return slice;
}

/* The bias of this head as a column; all of b_o. */
static attest_array_slice bias_of(const attest_import_layer *layer, int i, size_t h)
{
    attest_array_slice slice = {.cols = 1, .row_step = 1};

    slice.start = i == ATTEST_IMPORT_O ? 0 : first_row(layer, i, h);
    slice.rows = i == ATTEST_IMPORT_O ? layer->dim : layer->size;
    return slice;
}

/* Copies part into matrix with its first entry at row 0, column first; matrix' denominator is a
 * multiple of part's. */
static void put(attest_matrix *matrix, const attest_matrix *part, size_t first)
{
    fmpz_t factor;

    fmpz_init(factor);
    fmpz_divexact(factor, matrix->denominator, part->denominator);
    for (size_t r = 0; r < part->rows; r++)
        for (size_t c = 0; c < part->cols; c++)
            fmpz_mul(matrix->entry + r * matrix->cols + first + c,
                     part->entry + r * part->cols + c, factor);
    fmpz_clear(factor);
}

/* At most so many bits have part's numerators over this denominator. */
static size_t bits_over(const fmpz_t denominator, const attest_matrix *part)
{
    slong bits = _fmpz_vec_max_bits(part->entry, (slong)(part->rows * part->cols));

    return (size_t)FLINT_ABS(bits) + fmpz_bits(denominator) - fmpz_bits(part->denominator) + 1;
}

/* Charges for rows*cols numerators of so many bits. */
static attest_status charge(size_t rows, size_t cols, size_t bits, attest_budget *budget,
                            attest_error *error)
{
    size_t each = sizeof(fmpz);

    if (bits >= FLINT_BITS - 2)
        each += sizeof(__mpz_struct) + (bits / FLINT_BITS + 1) * sizeof(mp_limb_t);
    return attest_budget_charge(
        budget, cols > SIZE_MAX / each / rows ? SIZE_MAX : rows * cols * each, error);
}

/* matrix = a and the column b (unless NULL) at column first of a larger matrix of zeros. */
static attest_status join(attest_matrix *matrix, size_t rows, size_t cols,
                          const attest_matrix *a, const attest_matrix *b, size_t first,
                          attest_budget *budget, attest_error *error)
{
    attest_status status;
    size_t bits;
    fmpz_t common;

    fmpz_init_set(common, a->denominator);
    if (b)
        fmpz_lcm(common, common, b->denominator);
    bits = bits_over(common, a);
    if (b && bits_over(common, b) > bits)
        bits = bits_over(common, b);
    status = charge(rows, cols, bits, budget, error);
    if (status == ATTEST_OK) {
        attest_matrix_resize(matrix, rows, cols);
        fmpz_set(matrix->denominator, common);
        put(matrix, a, 0);
        if (b)
            put(matrix, b, first);
    }
    fmpz_clear(common);
    return status;
}

/* Matrix i with its bias, for tokens with a last coordinate 1. */
static attest_status set_with_bias(attest_matrix *matrix, const attest_import_layer *layer,
                                   int i, size_t h, bool output_bias, attest_budget *budget,
                                   attest_error *error)
{
    const attest_import_part *part = &layer->part[i];
    bool output = i == ATTEST_IMPORT_O;
    size_t size = layer->size + output_bias, dim = layer->dim + 1;
    bool has_column = part->bias_name && (!output || output_bias);
    attest_array_slice slice = slice_of(layer, i, h), column = bias_of(layer, i, h);
    size_t left = budget ? budget->left : 0, used = 0;
    attest_matrix a, b;
    attest_status status;

    attest_matrix_init(&a);
    attest_matrix_init(&b);
    status = attest_matrix_set_slice(&a, &part->array, &slice, budget, error);
    if (status == ATTEST_OK && has_column) {
        status = attest_matrix_set_slice(&b, &part->bias, &column, budget, error);
        if (status != ATTEST_OK)
            attest_error_prefix(error, status, part->bias_name);
    }
    if (budget)
        used = left - budget->left;
    if (status == ATTEST_OK)
        status = join(matrix, output ? dim : size, output ? size : dim, &a,
                      has_column ? &b : NULL, output ? layer->size : layer->dim, budget, error);
    /* The values' extra row (0, ..., 0, 1) feeds the output's bias. */
    if (status == ATTEST_OK && i == ATTEST_IMPORT_V && output_bias)
        fmpz_set(matrix->entry + layer->size * dim + layer->dim, matrix->denominator);
    attest_matrix_clear(&b);
    attest_matrix_clear(&a);
    attest_budget_give_back(budget, used);
    return status;
}

/* The norm's factors or terms as a column; as many of the one value where there are none. */
static attest_status get_vector(attest_matrix *column, const attest_array *array, size_t dim,
                                slong value, attest_budget *budget, attest_error *error)
{
    const attest_array_slice slice = {.rows = dim, .cols = 1, .row_step = 1};

    if (array->data)
        return attest_matrix_set_slice(column, array, &slice, budget, error);
    attest_matrix_resize(column, dim, 1);
    for (size_t c = 0; c < dim; c++)
        fmpz_set_si(column->entry + c, value);
    return ATTEST_OK;
}

/* matrix = [A diag(g)  A b + its own bias], over the product of all denominators. */
static void fold(attest_matrix *matrix, const attest_matrix *g, const attest_matrix *b)
{
    size_t dim = g->rows;
    fmpz_t common, to_g, to_b, sum;

    fmpz_init(common), fmpz_init(to_g), fmpz_init(to_b), fmpz_init(sum);
    fmpz_lcm(common, g->denominator, b->denominator);
    fmpz_divexact(to_g, common, g->denominator);
    fmpz_divexact(to_b, common, b->denominator);
    for (size_t r = 0; r < matrix->rows; r++) {
        fmpz *row = matrix->entry + r * matrix->cols;

        fmpz_zero(sum);
        for (size_t c = 0; c < dim; c++) {
            fmpz_addmul(sum, row + c, b->entry + c);
            fmpz_mul(row + c, row + c, g->entry + c);
            fmpz_mul(row + c, row + c, to_g);
        }
        if (matrix->cols > dim) {
            fmpz_mul(row + dim, row + dim, common);
            fmpz_addmul(row + dim, sum, to_b);
        }
    }
    fmpz_mul(matrix->denominator, matrix->denominator, common);
    fmpz_clear(common), fmpz_clear(to_g), fmpz_clear(to_b), fmpz_clear(sum);
}

/* What the norm multiplies by and adds, taken into W_Q, W_K or W_V. */
static attest_status fold_norm(attest_matrix *matrix, const attest_import_layer *layer,
                               attest_budget *budget, attest_error *error)
{
    size_t left = budget ? budget->left : 0;
    attest_matrix g, b;
    attest_status status;

    if (!layer->normed)
        return ATTEST_OK;
    attest_matrix_init(&g);
    attest_matrix_init(&b);
    status = get_vector(&g, &layer->norm_weight, layer->dim, 1, budget, error);
    for (size_t c = 0; status == ATTEST_OK && layer->one_more && c < layer->dim; c++)
        fmpz_add(g.entry + c, g.entry + c, g.denominator);
    if (status == ATTEST_OK)
        status = get_vector(&b, &layer->norm_bias, layer->dim, 0, budget, error);
    if (status == ATTEST_OK)
        attest_budget_give_back(budget, left - (budget ? budget->left : 0));
    if (status == ATTEST_OK)
        status = charge(matrix->rows, matrix->cols,
                        bits_over(matrix->denominator, matrix) + bits_over(g.denominator, &g) +
                            bits_over(b.denominator, &b) + fmpz_bits(g.denominator) +
                            fmpz_bits(b.denominator) + 64,
                        budget, error);
    if (status == ATTEST_OK)
        fold(matrix, &g, &b);
    attest_matrix_clear(&b);
    attest_matrix_clear(&g);
    return status;
}

static attest_status multiply(attest_matrix *matrix, const fmpq *scale, attest_budget *budget,
                              attest_error *error)
{
    slong count = (slong)(matrix->rows * matrix->cols);
    slong bits = _fmpz_vec_max_bits(matrix->entry, count);
    attest_status status =
        charge(matrix->rows, matrix->cols,
               (size_t)FLINT_ABS(bits) + fmpz_bits(fmpq_numref(scale)), budget, error);

    if (status != ATTEST_OK)
        return status;
    _fmpz_vec_scalar_mul_fmpz(matrix->entry, matrix->entry, count, fmpq_numref(scale));
    fmpz_mul(matrix->denominator, matrix->denominator, fmpq_denref(scale));
    return ATTEST_OK;
}

attest_status attest_import_set_head(attest_head *head, const attest_import_layer *layer,
                                     size_t h, bool output_bias, const fmpq *scale,
                                     attest_budget *budget, attest_error *error)
{
    attest_matrix *const matrix[ATTEST_IMPORTS] = {&head->wq, &head->wk, &head->wv, &head->wo};
    attest_status status = ATTEST_OK;

    for (int i = 0; i < ATTEST_IMPORTS && status == ATTEST_OK; i++) {
        attest_array_slice slice = slice_of(layer, i, h);
        if (layer->has_bias)
            status = set_with_bias(matrix[i], layer, i, h, output_bias, budget, error);
        else
            status = attest_matrix_set_slice(matrix[i], &layer->part[i].array, &slice, budget,
                                             error);
        if (status == ATTEST_OK && i != ATTEST_IMPORT_O)
            status = fold_norm(matrix[i], layer, budget, error);
        if (status == ATTEST_OK && i == ATTEST_IMPORT_K && scale)
            status = multiply(matrix[i], scale, budget, error);
        if (status != ATTEST_OK)
            return attest_error_prefix(error, status, layer->part[i].name);
    }
    return ATTEST_OK;
}
