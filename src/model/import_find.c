/* import_find.c -- the tensors of an attention layer, and the form of its queries, keys and
 * scores. */
#include "base/hint.h"
#include "model/import_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/number.h>

#include "base/memory.h"
#include "base/scope.h"

static const char *const letter[ATTEST_IMPORTS] = {"q", "k", "v", "o"};

static attest_status check_request(const attest_import *request, attest_error *error)
{
    bool separate = request->q || request->k || request->v;
    bool separate_bias = request->bias_q || request->bias_k || request->bias_v;

    if (request->heads == 0 || request->count == 0 || request->first >= request->heads ||
        request->count > request->heads - request->first)
        return attest_error_set(error, ATTEST_USAGE, "head %zu of %zu does not exist",
                                request->first, request->heads);
    if (request->qkv && separate)
        return attest_error_set(error, ATTEST_USAGE,
                                "queries, keys and values are named twice: fused and separate");
    if (!request->qkv && !(request->q && request->k && request->v))
        return attest_error_set(error, ATTEST_USAGE,
                                "tensors are missing: name q, k and v, or one that has all");
    if (!request->o)
        return attest_error_set(error, ATTEST_USAGE, "the output's tensor o is missing");
    if (request->qkv ? separate_bias : request->bias_qkv != NULL)
        return attest_error_set(
            error, ATTEST_USAGE,
            "fused matrices have fused biases, and separate ones separate biases");
    if (request->interleaved && !request->qkv)
        return attest_error_set(error, ATTEST_USAGE,
                                "only a fused tensor can hold heads one after another");
    return ATTEST_OK;
}

/* Refuses a quantised matrix, whose scales are in a tensor of their own. */
static attest_status refuse_scales(const char *matrix, attest_model_file *file,
                                   attest_error *error)
{
    static const char *const end[] = {"_scale", "_scale_inv"};
    char name[ATTEST_IMPORT_NAME_SIZE];

    for (size_t i = 0; i < sizeof end / sizeof end[0]; i++)
        if (snprintf(name, sizeof name, "%s%s", matrix, end[i]) < (int)sizeof name &&
            attest_model_file_has(file, name))
            return attest_error_set(error, ATTEST_UNABLE,
                                    "tensor '%.80s' is quantised: its scales, '%.90s', are not "
                                    "read; write the matrix times its scales, in F32 or BF16",
                                    matrix, name);
    return ATTEST_OK;
}

static attest_status find_matrix(attest_import_part *part, attest_model_file *file,
                                 bool transpose, attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];

    ATTEST_TRY(attest_model_file_get(&part->array, file, part->name, error));
    ATTEST_TRY(refuse_scales(part->name, file, error));
    attest_array_format_shape(shape, &part->array);
    if (part->array.rank != 2 || part->array.count == 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "tensor '%.80s' has shape %s, but a matrix is needed",
                                part->name, shape);
    part->rows = part->array.shape[transpose];
    part->cols = part->array.shape[!transpose];
    part->row_step = attest_array_step(&part->array, transpose);
    part->col_step = attest_array_step(&part->array, !transpose);
    return ATTEST_OK;
}

static attest_status find_bias(attest_import_part *part, attest_model_file *file,
                               attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE], matrix[ATTEST_ARRAY_TEXT_SIZE];

    if (!part->bias_name)
        return ATTEST_OK;
    ATTEST_TRY(attest_model_file_get(&part->bias, file, part->bias_name, error));
    attest_array_format_shape(shape, &part->bias);
    attest_array_format_shape(matrix, &part->array);
    if (part->bias.rank != 1 || part->bias.count != part->rows)
        return attest_error_set(error, ATTEST_FORMAT,
                                "tensor '%.80s' has shape %s, but the bias of '%.80s', of "
                                "shape %s, has shape (%zu,)",
                                part->bias_name, shape, part->name, matrix, part->rows);
    return ATTEST_OK;
}

static attest_status refuse_shape(const attest_import_part *part, const char *wanted,
                                  size_t rows, size_t cols, attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];
    bool turned = part->rows == cols && part->cols == rows;

    attest_array_format_shape(shape, &part->array);
    return attest_error_set(
        error, ATTEST_FORMAT, "tensor '%.80s' has shape %s, but %s would be %zux%zu here%s",
        part->name, shape, wanted, rows, cols, turned ? "; " ATTEST_HINT_TRANSPOSE : "");
}

static attest_status refuse_heads(const attest_import_part *part, size_t count,
                                  const char *lines, size_t heads, const char *of,
                                  attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];

    attest_array_format_shape(shape, &part->array);
    return attest_error_set(error, ATTEST_FORMAT,
                            "tensor '%.80s' has shape %s: its %zu %s are not %zu heads%s",
                            part->name, shape, count, lines, heads, of);
}

/* Derives s and d from the queries. If these are fused with keys and values of G heads, s
 * follows from the output, and G from the (H + 2 G) s rows. */
static attest_status set_size(attest_import_layer *layer, size_t *groups,
                              const attest_import *request, attest_error *error)
{
    const attest_import_part *q = &layer->part[ATTEST_IMPORT_Q];
    const attest_import_part *o = &layer->part[ATTEST_IMPORT_O];
    size_t heads = layer->heads, all = request->o_heads ? request->o_heads : heads;
    size_t lines = q->rows, rest;

    layer->size = request->qkv ? o->cols / all : lines / heads;
    layer->dim = q->cols;
    *groups = heads;
    if (request->qkv && o->cols % all != 0)
        return refuse_heads(o, o->cols, "columns", all, "", error);
    if (!request->qkv)
        return lines % heads == 0 ? ATTEST_OK
                                  : refuse_heads(q, lines, "rows", heads, "", error);
    lines = heads * layer->size;
    rest = q->rows > lines ? (q->rows - lines) / layer->size : 0; /* 2 G */
    *groups = rest / 2;
    if (*groups == 0 || rest % 2 != 0 || q->rows != lines + rest * layer->size ||
        heads % *groups != 0 || (request->interleaved && *groups != heads))
        return refuse_heads(q, q->rows, "rows", heads, " of queries, keys and values", error);
    return ATTEST_OK;
}

/* Sets the rows of the heads of one of q, k, v; fused keys and values have `groups` heads. */
static attest_status set_rows(attest_import_layer *layer, int i, size_t groups,
                              const attest_import *request, attest_error *error)
{
    attest_import_part *part = &layer->part[i];
    size_t size = layer->size, heads = layer->heads;

    part->head_rows = request->interleaved ? 3 * size : size;
    if (request->qkv) {
        part->groups = i == ATTEST_IMPORT_Q ? heads : groups;
        if (request->interleaved)
            part->first_row = (size_t)i * size;
        else if (i != ATTEST_IMPORT_Q)
            part->first_row = (heads + (i == ATTEST_IMPORT_V ? groups : 0)) * size;
        return ATTEST_OK;
    }
    part->groups = part->rows / size;
    if (part->cols != layer->dim || part->rows % size != 0 || part->groups == 0 ||
        heads % part->groups != 0) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%s with %zu heads of size %zu", letter[i], heads,
                 size);
        return refuse_shape(part, wanted, heads * size, layer->dim, error);
    }
    return ATTEST_OK;
}

static attest_status check_shapes(attest_import_layer *layer, const attest_import *request,
                                  attest_error *error)
{
    attest_import_part *o = &layer->part[ATTEST_IMPORT_O];
    size_t groups, all = request->o_heads ? request->o_heads : layer->heads;

    ATTEST_TRY(set_size(layer, &groups, request, error));
    for (int i = 0; i < ATTEST_IMPORT_O; i++)
        ATTEST_TRY(set_rows(layer, i, groups, request, error));
    if (o->rows != layer->dim || o->cols != all * layer->size)
        return refuse_shape(o, "o", layer->dim, all * layer->size, error);
    /* Keys and values must have the same number of heads. */
    if (layer->part[ATTEST_IMPORT_K].groups != layer->part[ATTEST_IMPORT_V].groups)
        return refuse_shape(&layer->part[ATTEST_IMPORT_V], "v, to fit k,",
                            layer->part[ATTEST_IMPORT_K].rows, layer->dim, error);
    return ATTEST_OK;
}

/* Finds an optional vector of the norm. */
static attest_status find_vector(attest_array *array, attest_model_file *file, const char *name,
                                 size_t dim, attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];

    if (!name)
        return ATTEST_OK;
    ATTEST_TRY(attest_model_file_get(array, file, name, error));
    attest_array_format_shape(shape, array);
    if (array->rank != 1 || array->count != dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "tensor '%.80s' has shape %s, but the norm of tokens of %zu "
                                "entries has shape (%zu,)",
                                name, shape, dim, dim);
    return ATTEST_OK;
}

static attest_status find_norm(attest_import_layer *layer, attest_model_file *file,
                               const attest_import *request, attest_error *error)
{
    layer->normed = request->norm != ATTEST_NORM_NONE;
    layer->one_more = request->known.one_more && request->norm_weight;
    if (!layer->normed)
        return ATTEST_OK;
    ATTEST_TRY(find_vector(&layer->norm_weight, file, request->norm_weight, layer->dim, error));
    return find_vector(&layer->norm_bias, file, request->norm_bias, layer->dim, error);
}

attest_status attest_import_find(attest_import_layer *layer, attest_model_file *file,
                                 const attest_import *request, attest_error *error)
{
    const char *const name[ATTEST_IMPORTS] = {request->q, request->k, request->v, request->o};
    const char *const bias[ATTEST_IMPORTS] = {request->bias_q, request->bias_k, request->bias_v,
                                              request->bias_o};

    memset(layer, 0, sizeof *layer);
    layer->heads = request->heads;
    layer->o_head = request->o_head;
    layer->has_bias = attest_import_has_bias(request);
    ATTEST_TRY(check_request(request, error));
    for (int i = 0; i < ATTEST_IMPORTS; i++) {
        bool fused = request->qkv && i != ATTEST_IMPORT_O;
        layer->part[i].name = fused ? request->qkv : name[i];
        layer->part[i].bias_name = fused ? request->bias_qkv : bias[i];
        ATTEST_TRY(find_matrix(&layer->part[i], file, request->transpose, error));
    }
    ATTEST_TRY(check_shapes(layer, request, error));
    for (int i = 0; i < ATTEST_IMPORTS; i++)
        ATTEST_TRY(find_bias(&layer->part[i], file, error));
    return find_norm(layer, file, request, error);
}

/* value = the number in this many decimal digits. */
static void set_digits(fmpq_t value, const mpfr_t number, size_t digits)
{
    mpfr_exp_t exponent;
    char *text = mpfr_get_str(NULL, &exponent, 10, digits, number, MPFR_RNDN);
    fmpz_t power;

    fmpz_init_set_ui(power, 10);
    fmpz_set_str(fmpq_numref(value), text, 10);
    fmpz_one(fmpq_denref(value));
    exponent -= (mpfr_exp_t)digits; /* the point is before the first digit */
    fmpz_pow_ui(power, power, (ulong)(exponent < 0 ? -exponent : exponent));
    if (exponent < 0)
        fmpz_set(fmpq_denref(value), power);
    else
        fmpz_mul(fmpq_numref(value), fmpq_numref(value), power);
    fmpq_canonicalise(value);
    fmpz_clear(power);
    mpfr_free_str(text);
}

void attest_import_set_decimal(fmpq_t value, double number)
{
    mpfr_t exact, back;

    fmpq_zero(value);
    if (number == 0)
        return;
    mpfr_init2(exact, 53);
    mpfr_init2(back, 53);
    mpfr_set_d(exact, number, MPFR_RNDN);
    for (size_t digits = 2; digits <= 17; digits++) {
        set_digits(value, exact, digits);
        fmpq_get_mpfr(back, value, MPFR_RNDN);
        if (mpfr_equal_p(back, exact))
            break;
    }
    mpfr_clear(exact);
    mpfr_clear(back);
}

attest_status attest_import_find_gain(attest_array *array, attest_model_file *file,
                                      const char *name, size_t size, size_t groups,
                                      attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];

    if (!name)
        return ATTEST_OK;
    ATTEST_TRY(attest_model_file_get(array, file, name, error));
    attest_array_format_shape(shape, array);
    if (array->rank == 1 && (array->count == size || array->count == groups * size))
        return ATTEST_OK;
    return attest_error_set(
        error, ATTEST_FORMAT,
        "tensor '%.80s' has shape %s, but a norm of heads of %zu entries has "
        "shape (%zu,), or (%zu,) for all of them",
        name, shape, size, size, groups * size);
}

/* The gains of the heads' queries (side 0) or keys, times the scale. */
static attest_status set_gains(attest_weights *weights, int side,
                               const attest_import_layer *layer, const attest_import *request,
                               const fmpq *scale, attest_model_file *file,
                               attest_budget *budget, attest_error *error)
{
    const char *name = side == 0 ? request->known.q_norm : request->known.k_norm;
    size_t groups = layer->part[side].groups, size = layer->size;
    attest_array array;

    if (!name)
        return ATTEST_OK;
    ATTEST_TRY(attest_import_find_gain(&array, file, name, size, groups, error));
    if (array.count != size && request->count < request->heads)
        return attest_error_set(error, ATTEST_USAGE,
                                "tensor '%.80s' is a norm over all heads: take all of them",
                                name);
    weights->form.over_heads = weights->form.over_heads || array.count != size;
    for (size_t i = 0; i < request->count; i++) {
        size_t group = (request->first + i) / (layer->heads / groups);
        attest_array_slice slice = {.rows = size, .cols = 1, .row_step = 1};
        attest_matrix *gain = &weights->head[i].gain[side];

        slice.start = array.count == size ? 0 : group * size;
        ATTEST_TRY(attest_matrix_set_slice(gain, &array, &slice, budget, error));
        for (size_t r = 0; r < size; r++) {
            if (request->known.one_more)
                fmpz_add(gain->entry + r, gain->entry + r, gain->denominator);
            if (scale)
                fmpz_mul(gain->entry + r, gain->entry + r, fmpq_numref(scale));
        }
        if (scale)
            fmpz_mul(gain->denominator, gain->denominator, fmpq_denref(scale));
    }
    return ATTEST_OK;
}

static attest_status set_slopes(attest_weights *weights, const attest_import *request,
                                attest_error *error)
{
    double *slope = attest_memory_alloc(request->heads, sizeof *slope);

    if (!slope)
        return attest_memory_fail(error);
    attest_alibi_slopes(slope, request->heads);
    for (size_t i = 0; i < request->count; i++)
        attest_number_set_double(weights->head[i].slope, slope[request->first + i]);
    free(slope);
    return ATTEST_OK;
}

static attest_status set_rotary(attest_rotary *exact, const attest_import_layer *layer,
                                const attest_import *request, const attest_model_config *config,
                                attest_error *error)
{
    attest_rotary_doubles rotary;

    ATTEST_TRY(
        attest_model_config_rotary(&rotary, config, request->known.rotary, layer->size, error));
    exact->dims = rotary.dims;
    if (rotary.dims == 0)
        return ATTEST_OK;
    attest_import_set_decimal(exact->theta, rotary.theta);
    attest_import_set_decimal(exact->factor, rotary.factor);
    attest_import_set_decimal(exact->long_wave, rotary.long_wave);
    attest_import_set_decimal(exact->short_wave, rotary.short_wave);
    return ATTEST_OK;
}

attest_status attest_import_set_form(attest_weights *weights, const attest_import_layer *layer,
                                     const attest_import *request,
                                     const attest_model_config *config, const fmpq *scale,
                                     attest_model_file *file, attest_budget *budget,
                                     attest_error *error)
{
    attest_score_form *form = &weights->form;

    ATTEST_TRY(set_rotary(&form->rotary, layer, request, config, error));
    ATTEST_TRY(set_gains(weights, 0, layer, request, NULL, file, budget, error));
    ATTEST_TRY(set_gains(weights, 1, layer, request, scale, file, budget, error));
    attest_import_set_decimal(form->eps,
                              config->norm_eps > 0 ? config->norm_eps : request->known.eps);
    if (request->known.alibi)
        ATTEST_TRY(set_slopes(weights, request, error));
    if (!config->softcap[0])
        return ATTEST_OK;
    return attest_number_parse(form->softcap, config->softcap, strlen(config->softcap), NULL,
                               error);
}
