/* import.c -- the attention heads of a model as weights. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <attest/flint.h>

#include "base/memory.h"
#include "base/scope.h"
#include "model/import_parts.h"
#include "number/scope.h"

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

/* Copies part into matrix with its first entry at row 0, column first; matrix' denominator is
 * a multiple of part's. */
static void put(attest_matrix *matrix, const attest_matrix *part, size_t first)
{
    FMPZ(factor);

    fmpz_divexact(factor, matrix->denominator, part->denominator);
    for (size_t r = 0; r < part->rows; r++)
        for (size_t c = 0; c < part->cols; c++)
            fmpz_mul(matrix->entry + r * matrix->cols + first + c,
                     part->entry + r * part->cols + c, factor);
}

/* An upper bound on the bits of part's numerators over this denominator. */
static size_t bits_over(const fmpz_t denominator, const attest_matrix *part)
{
    slong bits = _fmpz_vec_max_bits(part->entry, (slong)(part->rows * part->cols));

    return (size_t)FLINT_ABS(bits) + fmpz_bits(denominator) - fmpz_bits(part->denominator) + 1;
}

/* Charges rows*cols numerators of this many bits to the budget. */
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
    size_t bits;
    FMPZ(common);

    fmpz_set(common, a->denominator);
    if (b)
        fmpz_lcm(common, common, b->denominator);
    bits = bits_over(common, a);
    if (b && bits_over(common, b) > bits)
        bits = bits_over(common, b);
    ATTEST_TRY(charge(rows, cols, bits, budget, error));
    attest_matrix_resize(matrix, rows, cols);
    fmpz_set(matrix->denominator, common);
    put(matrix, a, 0);
    if (b)
        put(matrix, b, first);
    return ATTEST_OK;
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
    size_t left = attest_budget_left(budget), used;
    attest_status status;
    ATTEST_SCOPED(attest_matrix, a);
    ATTEST_SCOPED(attest_matrix, b);

    ATTEST_TRY(attest_matrix_set_slice(&a, &part->array, &slice, budget, error));
    used = left - attest_budget_left(budget);
    if (has_column)
        ATTEST_TRY_OR(attest_error_prefix(
                          error,
                          attest_matrix_set_slice(&b, &part->bias, &column, budget, error),
                          part->bias_name),
                      attest_budget_give_back(budget, used));
    used = left - attest_budget_left(budget);
    status = join(matrix, output ? dim : size, output ? size : dim, &a, has_column ? &b : NULL,
                  output ? layer->size : layer->dim, budget, error);
    attest_budget_give_back(budget, used);
    ATTEST_TRY(status);
    /* The values' extra row (0, ..., 0, 1) feeds the output's bias. */
    if (i == ATTEST_IMPORT_V && output_bias)
        fmpz_set(matrix->entry + layer->size * dim + layer->dim, matrix->denominator);
    return ATTEST_OK;
}

/* The factors or terms of the norm as a column, or a column of the default value. */
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

    FMPZ(common, to_g, to_b, sum);
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
}

/* Multiplies the gains and biases of the norm into W_Q, W_K or W_V. */
static attest_status fold_norm(attest_matrix *matrix, const attest_import_layer *layer,
                               attest_budget *budget, attest_error *error)
{
    size_t left = attest_budget_left(budget);
    ATTEST_SCOPED(attest_matrix, g);
    ATTEST_SCOPED(attest_matrix, b);

    if (!layer->normed)
        return ATTEST_OK;
    ATTEST_TRY(get_vector(&g, &layer->norm_weight, layer->dim, 1, budget, error));
    for (size_t c = 0; layer->one_more && c < layer->dim; c++)
        fmpz_add(g.entry + c, g.entry + c, g.denominator);
    ATTEST_TRY(get_vector(&b, &layer->norm_bias, layer->dim, 0, budget, error));
    attest_budget_give_back(budget, left - attest_budget_left(budget));
    ATTEST_TRY(charge(matrix->rows, matrix->cols,
                      bits_over(matrix->denominator, matrix) + bits_over(g.denominator, &g) +
                          bits_over(b.denominator, &b) + fmpz_bits(g.denominator) +
                          fmpz_bits(b.denominator) + 64,
                      budget, error));
    fold(matrix, &g, &b);
    return ATTEST_OK;
}

static attest_status multiply(attest_matrix *matrix, const fmpq *scale, attest_budget *budget,
                              attest_error *error)
{
    slong count = (slong)(matrix->rows * matrix->cols);
    slong bits = _fmpz_vec_max_bits(matrix->entry, count);

    ATTEST_TRY(charge(matrix->rows, matrix->cols,
                      (size_t)FLINT_ABS(bits) + fmpz_bits(fmpq_numref(scale)), budget, error));
    _fmpz_vec_scalar_mul_fmpz(matrix->entry, matrix->entry, count, fmpq_numref(scale));
    fmpz_mul(matrix->denominator, matrix->denominator, fmpq_denref(scale));
    return ATTEST_OK;
}

/* matrix = matrix i of head h, with the norm and, for the keys, the scale (unless NULL). */
static attest_status set_matrix(attest_matrix *matrix, const attest_import_layer *layer, int i,
                                size_t h, bool output_bias, const fmpq *scale,
                                attest_budget *budget, attest_error *error)
{
    attest_array_slice slice = slice_of(layer, i, h);

    ATTEST_TRY(layer->has_bias ? set_with_bias(matrix, layer, i, h, output_bias, budget, error)
                               : attest_matrix_set_slice(matrix, &layer->part[i].array, &slice,
                                                         budget, error));
    if (i != ATTEST_IMPORT_O)
        ATTEST_TRY(fold_norm(matrix, layer, budget, error));
    if (i == ATTEST_IMPORT_K && scale)
        ATTEST_TRY(multiply(matrix, scale, budget, error));
    return ATTEST_OK;
}

attest_status attest_import_set_head(attest_head *head, const attest_import_layer *layer,
                                     size_t h, bool output_bias, const fmpq *scale,
                                     attest_budget *budget, attest_error *error)
{
    attest_matrix *const matrix[ATTEST_IMPORTS] = {&head->wq, &head->wk, &head->wv, &head->wo};

    for (int i = 0; i < ATTEST_IMPORTS; i++)
        ATTEST_TRY(attest_error_prefix(
            error, set_matrix(matrix[i], layer, i, h, output_bias, scale, budget, error),
            layer->part[i].name));
    return ATTEST_OK;
}

bool attest_import_has_bias(const attest_import *request)
{
    return request->bias_q || request->bias_k || request->bias_v || request->bias_o ||
           request->bias_qkv || (request->norm != ATTEST_NORM_NONE && request->norm_bias);
}

/* scale = 1/sqrt(s) if s is a square, else the binary32 number nearest to it, by which
 * programs multiply. */
static void set_rsqrt(fmpq_t scale, size_t s)
{
    mpfr_t size, root;

    mpfr_init2(size, 64);
    mpfr_init2(root, 24);
    ARF(exact);
    mpfr_set_ui(size, s, MPFR_RNDN);
    if (mpfr_rec_sqrt(root, size, MPFR_RNDN) == 0 || mpfr_sqrt(size, size, MPFR_RNDN) != 0) {
        arf_set_mpfr(exact, root);
        arf_get_fmpq(scale, exact);
    } else { /* the root is an integer */
        fmpq_set_ui(scale, 1, mpfr_get_ui(size, MPFR_RNDN));
    }
    mpfr_clear(size);
    mpfr_clear(root);
}

/* Allocates the heads, and sets the members of the weights that all heads share. */
static attest_status begin(attest_weights *weights, const attest_import_layer *layer,
                           const attest_import *request, const attest_model_config *config,
                           attest_budget *budget, attest_error *error)
{
    /* The shapes fit, so there are no more heads than rows in a tensor. */
    ATTEST_TRY(attest_budget_charge(budget, request->count * sizeof(attest_head), error));
    if (attest_weights_resize(weights, request->count) != ATTEST_OK)
        return attest_memory_fail(error);
    weights->dim = layer->dim + layer->has_bias;
    weights->homogeneous = layer->has_bias;
    weights->norm = request->norm;
    if (request->norm_eps && request->norm != ATTEST_NORM_NONE)
        fmpq_set(weights->norm_eps, request->norm_eps);
    else if (request->norm != ATTEST_NORM_NONE)
        attest_import_set_decimal(weights->norm_eps, config->norm_eps > 0 ? config->norm_eps
                                                     : request->known.eps > 0
                                                         ? request->known.eps
                                                         : 1e-5);
    return ATTEST_OK;
}

/* scale = the factor of scores. */
static void set_scale(fmpq_t scale, const attest_import *request, size_t size)
{
    fmpq_one(scale);
    if (request->rsqrt)
        set_rsqrt(scale, size);
    else if (request->scale)
        fmpq_set(scale, request->scale);
}

/* Head i of the weights = head h of the layer. */
static attest_status set_head(attest_weights *weights, size_t i,
                              const attest_import_layer *layer, size_t h,
                              const attest_import *request, const fmpq *scale,
                              attest_budget *budget, attest_error *error)
{
    return attest_import_set_head(&weights->head[i], layer, h, request->bias_o && i == 0, scale,
                                  budget, error);
}

/* The names of the tensors of one head: {} is replaced by its number. */
typedef struct head_names {
    char text[9][ATTEST_IMPORT_NAME_SIZE];
} head_names;

static bool has_hole(const char *name)
{
    return name && strstr(name, "{}");
}

/* one = the request for the tensors of head h alone. */
static attest_status name_head(attest_import *one, head_names *names,
                               const attest_import *request, size_t h, attest_error *error)
{
    const char **const name[9] = {&one->q,      &one->k,      &one->v,
                                  &one->qkv,    &one->o,      &one->bias_q,
                                  &one->bias_k, &one->bias_v, &one->bias_qkv};

    *one = *request;
    one->heads = one->count = 1;
    one->first = 0;
    if (!has_hole(request->o)) {
        one->o_heads = request->heads;
        one->o_head = h;
    }
    for (int i = 0; i < 9; i++) {
        const char *hole = *name[i] ? strstr(*name[i], "{}") : NULL;

        if (!hole)
            continue;
        if (snprintf(names->text[i], sizeof names->text[i], "%.*s%zu%s", (int)(hole - *name[i]),
                     *name[i], h, hole + 2) >= (int)sizeof names->text[i])
            return attest_error_set(error, ATTEST_USAGE, "'%.80s' is too long a name",
                                    *name[i]);
        *name[i] = names->text[i];
    }
    return ATTEST_OK;
}

/* Heads with tensors of their own. */
static attest_status import_each(attest_weights *weights, attest_model_file *file,
                                 const attest_import *request, attest_budget *budget,
                                 attest_error *error)
{
    for (size_t i = 0; i < request->count; i++) {
        const attest_model_config none = {0};
        attest_import_layer layer;
        attest_import one;
        head_names names;
        attest_status status;
        fmpq_t scale;

        ATTEST_TRY(name_head(&one, &names, request, request->first + i, error));
        ATTEST_TRY(attest_import_find(&layer, file, &one, error));
        if (i == 0)
            ATTEST_TRY(begin(weights, &layer, request, &none, budget, error));
        if (layer.dim + layer.has_bias != weights->dim)
            return attest_error_set(
                error, ATTEST_FORMAT, "head %zu has dimension %zu, but the first one %zu",
                request->first + i, layer.dim, weights->dim - layer.has_bias);
        fmpq_init(scale);
        set_scale(scale, request, layer.size);
        status = set_head(weights, i, &layer, 0, request, scale, budget, error);
        fmpq_clear(scale);
        ATTEST_TRY(status);
    }
    return ATTEST_OK;
}

/* All heads of a layer whose tensors are found. */
static attest_status import_heads(attest_weights *weights, const attest_import_layer *layer,
                                  const attest_import *request,
                                  const attest_model_config *config, const fmpq *scale,
                                  attest_model_file *file, attest_budget *budget,
                                  attest_error *error)
{
    /* A norm of keys would undo a scale before it. */
    const fmpq *before = request->known.k_norm ? NULL : scale;

    ATTEST_TRY(begin(weights, layer, request, config, budget, error));
    for (size_t i = 0; i < request->count; i++)
        ATTEST_TRY(
            set_head(weights, i, layer, request->first + i, request, before, budget, error));
    return request->arch ? attest_import_set_form(weights, layer, request, config, scale, file,
                                                  budget, error)
                         : ATTEST_OK;
}

attest_status attest_import_set(attest_weights *weights, attest_model_file *file,
                                const char *path, attest_import *request, attest_budget *budget,
                                attest_error *error)
{
    attest_model_config config = {0};
    attest_import_layer layer;

    if (request->arch) {
        /* Positions and norms are those of a layer, and would be left out. */
        if (has_hole(request->q) || has_hole(request->qkv))
            return attest_error_set(error, ATTEST_USAGE,
                                    "'%.80s' is of one head, and an architecture has tensors "
                                    "of all heads: leave one of the two out",
                                    has_hole(request->q) ? request->q : request->qkv);
        ATTEST_TRY(attest_import_arch_set(request, file, error));
        ATTEST_TRY(attest_model_config_find(&config, &request->has_config, request->config,
                                            path, budget, error));
        request->window = config.window;
    }
    if (has_hole(request->q) || has_hole(request->qkv))
        return import_each(weights, file, request, budget, error);
    ATTEST_TRY(attest_import_find(&layer, file, request, error));
    if (request->arch)
        ATTEST_TRY(attest_model_config_check(&config, request->arch, layer.heads,
                                             layer.part[ATTEST_IMPORT_K].groups, layer.size,
                                             error));
    FMPQ(scale);
    set_scale(scale, request, config.scalar ? config.scalar : layer.size);
    return import_heads(weights, &layer, request, &config, scale, file, budget, error);
}

attest_status attest_import_read(attest_weights *weights, const char *path,
                                 attest_import *request, attest_budget *budget,
                                 attest_error *error)
{
    attest_model_file file;
    size_t left = attest_budget_left(budget);
    attest_status status;

    attest_weights_clear(weights);
    ATTEST_TRY(attest_model_file_open(&file, path, budget, error));
    status = attest_import_set(weights, &file, path, request, budget, error);
    attest_model_file_close(&file);
    ATTEST_TRY_OR(attest_model_file_locate(path, status, error), {
        attest_weights_clear(weights);
        if (budget)
            budget->left = left;
    });
    return ATTEST_OK;
}
