/* model_qkv.c -- queries, keys and values of a model's layers, computed in binary64 from its
 * weights and the recorded stream. */
#include "model/model_qkv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "base/file.h"
#include "base/hint.h"
#include "base/memory.h"
#include "base/scope.h"
#include "model/import_parts.h"

/* ---- one layer ---- */

/* The tensors of a layer. */
typedef struct layer_tensors {
    attest_import request;
    attest_import_layer import;
    attest_array norm[2]; /* of queries and of keys; data NULL: none */
    attest_rotary_doubles rotary;
    double eps;
} layer_tensors;

/* Every operation is rounded to nearest, in the order that is written here, and sums run over
 * entries in their order: the same file gives the same numbers on every machine. The analysis
 * of attention takes these numbers as exact. */

/* z = (x - mean)/sqrt(variance + eps) weight + bias (LayerNorm), x/sqrt(mean square + eps)
 * weight + bias (RMSNorm), or x. weight and bias may be NULL; z may be x. */
static void apply_norm(double *z, const double *x, size_t dim, attest_norm norm, double eps,
                       const double *weight, const double *bias)
{
    double mean = 0, square = 0, root = 1;

    if (norm == ATTEST_NORM_LAYER) {
        for (size_t c = 0; c < dim; c++)
            mean += x[c];
        mean /= (double)dim;
    }
    if (norm != ATTEST_NORM_NONE) {
        for (size_t c = 0; c < dim; c++)
            square += (x[c] - mean) * (x[c] - mean);
        root = sqrt(square / (double)dim + eps);
    }
    for (size_t c = 0; c < dim; c++) {
        z[c] = norm == ATTEST_NORM_NONE ? x[c] : (x[c] - mean) / root;
        if (weight)
            z[c] *= weight[c];
        if (bias)
            z[c] += bias[c];
    }
}

/* y[r] = sum over c of matrix[c * rows + r] z[c], + bias[r] unless NULL. */
static void project(double *y, const double *matrix, const double *bias, const double *z,
                    size_t rows, size_t dim)
{
    for (size_t r = 0; r < rows; r++)
        y[r] = 0;
    /* Rows inside: each sum keeps its order, and several run at once. */
    for (size_t c = 0; c < dim; c++)
        for (size_t r = 0; r < rows; r++)
            y[r] += matrix[c * rows + r] * z[c];
    for (size_t r = 0; bias && r < rows; r++)
        y[r] += bias[r];
}

/* (a, b) = (a cos - b sin, b cos + a sin) for a = head[i], b = head[i + half]. */
static void rotate(double *head, size_t half, const double *cosine, const double *sine)
{
    for (size_t i = 0; i < half; i++) {
        double a = head[i], b = head[i + half];

        head[i] = a * cosine[i] - b * sine[i];
        head[i + half] = b * cosine[i] + a * sine[i];
    }
}

/* The state while a layer is computed. */
typedef struct former {
    const layer_tensors *layer;
    attest_array stream;
    size_t batch, tokens;
    double *matrix[3], *bias[3];     /* of q, k, v, inputs by outputs */
    double *norm_weight, *norm_bias; /* before them; NULL: none */
    double *head_norm[2];            /* of q and k; NULL: none */
    double *cosine, *sine;           /* by position */
    double *x, *y;                   /* a token, and its q, k or v */
} former;

/* *to = count numbers, element by element at this step; all finite. */
static attest_status get_numbers(double *to, const attest_array *array, size_t first,
                                 size_t step, size_t count, attest_error *error)
{
    ATTEST_TRY(attest_array_check_numbers(array, error));
    for (size_t i = 0; !attest_array_type_is_double(array->type) && i < count; i++)
        if (!attest_array_integer_is_double(array, first + i * step))
            return attest_error_set(error, ATTEST_FORMAT,
                                    "an integer is not a binary64 number");
    attest_array_get_doubles(to, array, first, step, count);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(to[i]))
            return attest_array_refuse(array, first + i * step, error);
    return ATTEST_OK;
}

/* An optional vector. */
static attest_status get_vector(double **to, const attest_array *array, const char *name,
                                attest_error *error)
{
    if (!array->data)
        return ATTEST_OK;
    *to = attest_memory_alloc(array->count, sizeof **to);
    if (!*to)
        return attest_memory_fail(error);
    return attest_error_prefix(error, get_numbers(*to, array, 0, 1, array->count, error), name);
}

/* The transposed matrix of q, k or v, and its bias: all heads one after another. */
static attest_status get_part(former *f, int i, attest_error *error)
{
    const attest_import_layer *import = &f->layer->import;
    const attest_import_part *part = &import->part[i];
    size_t rows = part->groups * import->size, dim = import->dim;
    double *row ATTEST_FREED = attest_memory_alloc(dim, sizeof *row);

    f->matrix[i] = attest_memory_alloc(rows * dim, sizeof *f->matrix[i]);
    if (part->bias_name)
        f->bias[i] = attest_memory_alloc(rows, sizeof *f->bias[i]);
    if (!row || !f->matrix[i] || (part->bias_name && !f->bias[i]))
        return attest_memory_fail(error);
    for (size_t r = 0; r < rows; r++) {
        size_t at = part->first_row + r / import->size * part->head_rows + r % import->size;

        ATTEST_TRY(attest_error_prefix(
            error,
            get_numbers(row, &part->array, at * part->row_step, part->col_step, dim, error),
            part->name));
        for (size_t c = 0; c < dim; c++)
            f->matrix[i][c * rows + r] = row[c];
        if (part->bias_name)
            ATTEST_TRY(attest_error_prefix(
                error, get_numbers(&f->bias[i][r], &part->bias, at, 1, 1, error),
                part->bias_name));
    }
    return ATTEST_OK;
}

/* Gemma's norms multiply by 1 + w. */
static void add_one(double *weight, size_t count)
{
    for (size_t i = 0; weight && i < count; i++)
        weight[i] += 1;
}

static attest_status get_norms(former *f, attest_error *error)
{
    const layer_tensors *layer = f->layer;
    const attest_import *request = &layer->request;

    ATTEST_TRY(
        get_vector(&f->norm_weight, &layer->import.norm_weight, request->norm_weight, error));
    ATTEST_TRY(get_vector(&f->norm_bias, &layer->import.norm_bias, request->norm_bias, error));
    ATTEST_TRY(get_vector(&f->head_norm[0], &layer->norm[0], request->known.q_norm, error));
    ATTEST_TRY(get_vector(&f->head_norm[1], &layer->norm[1], request->known.k_norm, error));
    if (request->known.one_more) {
        add_one(f->norm_weight, layer->import.dim);
        for (int i = 0; i < 2; i++)
            add_one(f->head_norm[i], layer->norm[i].count);
    }
    return ATTEST_OK;
}

static attest_status get_angles(former *f, attest_error *error)
{
    size_t half = f->layer->rotary.dims / 2;

    if (half == 0)
        return ATTEST_OK;
    f->cosine = attest_memory_alloc(f->tokens * half, sizeof *f->cosine);
    f->sine = attest_memory_alloc(f->tokens * half, sizeof *f->sine);
    if (!f->cosine || !f->sine)
        return attest_memory_fail(error);
    attest_rotary_angles(f->cosine, f->sine, &f->layer->rotary, f->tokens);
    return ATTEST_OK;
}

static attest_status former_init(former *f, attest_error *error)
{
    const attest_import_layer *import = &f->layer->import;

    f->x = attest_memory_alloc(import->dim, sizeof *f->x);
    f->y = attest_memory_alloc(import->heads * import->size, sizeof *f->y);
    if (!f->x || !f->y)
        return attest_memory_fail(error);
    ATTEST_TRY(get_norms(f, error));
    ATTEST_TRY(get_angles(f, error));
    for (int i = 0; i < 3; i++)
        ATTEST_TRY(get_part(f, i, error));
    return ATTEST_OK;
}

static void former_clear(former *f)
{
    for (int i = 0; i < 3; i++) {
        free(f->matrix[i]);
        free(f->bias[i]);
    }
    free(f->norm_weight);
    free(f->norm_bias);
    free(f->head_norm[0]);
    free(f->head_norm[1]);
    free(f->cosine);
    free(f->sine);
    free(f->x);
    free(f->y);
}

/* Applies norm and positions to the queries or keys of one token, in y. */
static void finish(former *f, int i, size_t t)
{
    size_t size = f->layer->import.size, groups = f->layer->import.part[i].groups;
    size_t half = f->layer->rotary.dims / 2;
    const double *norm = i < 2 ? f->head_norm[i] : NULL;
    size_t width = norm ? f->layer->norm[i].count : 0;

    for (size_t at = 0; norm && at < groups * size; at += width)
        apply_norm(f->y + at, f->y + at, width, ATTEST_NORM_RMS, f->layer->eps, norm, NULL);
    for (size_t g = 0; i < 2 && half > 0 && g < groups; g++)
        rotate(f->y + g * size, half, f->cosine + t * half, f->sine + t * half);
}

/* Computes q, k and v of token t of batch element b. */
static void form_token(former *f, double *const to[3], size_t b, size_t t)
{
    const attest_import_layer *import = &f->layer->import;
    size_t size = import->size;

    apply_norm(f->x, f->x, import->dim, f->layer->request.norm, f->layer->eps, f->norm_weight,
               f->norm_bias);
    for (int i = 0; i < 3; i++) {
        size_t groups = import->part[i].groups;

        project(f->y, f->matrix[i], f->bias[i], f->x, groups * size, import->dim);
        finish(f, i, t);
        for (size_t g = 0; g < groups; g++)
            memcpy(to[i] + ((b * groups + g) * f->tokens + t) * size, f->y + g * size,
                   size * sizeof *f->y);
    }
}

static attest_status form_tokens(former *f, double *const to[3], attest_error *error)
{
    size_t axis = f->stream.rank - 2;
    size_t step = attest_array_step(&f->stream, axis);
    size_t batch_step = axis ? attest_array_step(&f->stream, 0) : 0;

    for (size_t b = 0; b < f->batch; b++)
        for (size_t t = 0; t < f->tokens; t++) {
            ATTEST_TRY(get_numbers(f->x, &f->stream, b * batch_step + t * step,
                                   attest_array_step(&f->stream, axis + 1),
                                   f->layer->import.dim, error));
            form_token(f, to, b, t);
        }
    return ATTEST_OK;
}

static void set_tensor(attest_tensor *tensor, const double *data, size_t batch, size_t heads,
                       size_t tokens, size_t size)
{
    size_t shape[4] = {batch, heads, tokens, size}, stride = sizeof *data;

    tensor->data = data;
    tensor->type = ATTEST_TENSOR_F64;
    for (int i = 3; i >= 0; i--) {
        tensor->shape[i] = shape[i];
        tensor->stride[i] = (ptrdiff_t)stride;
        stride *= shape[i];
    }
}

/* Sets the terms that ALiBi adds to scores: slope * position of the key, for every query. */
static void set_alibi(attest_tensor *mask, double *to, size_t heads, size_t tokens)
{
    double *slope = to + heads * tokens;

    attest_alibi_slopes(slope, heads);
    for (size_t h = 0; h < heads; h++)
        for (size_t t = 0; t < tokens; t++)
            to[h * tokens + t] = slope[h] * (double)t;
    set_tensor(mask, to, 1, heads, 1, tokens);
}

/* Allocates one block for q, k, v and, with ALiBi, for the terms and slopes. */
static attest_status alloc(attest_qkv_formed *formed, double *to[3], const former *f,
                           attest_budget *budget, attest_error *error)
{
    const attest_import_layer *import = &f->layer->import;
    size_t rows = f->batch * f->tokens, total = 0;
    size_t extra = f->layer->request.known.alibi ? import->heads * (f->tokens + 1) : 0;

    for (int i = 0; i < 3; i++)
        total += import->part[i].groups * import->size;
    if (rows > SIZE_MAX / sizeof(double) / 2 / total || extra > SIZE_MAX / sizeof(double) / 2)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_budget_charge(budget, (rows * total + extra) * sizeof(double), error));
    formed->block = attest_memory_alloc(rows * total + extra, sizeof *formed->block);
    if (!formed->block)
        return attest_memory_fail(error);
    to[0] = formed->block;
    for (int i = 0; i < 3; i++) {
        size_t groups = import->part[i].groups, count = groups * import->size * rows;

        set_tensor(&formed->tensor[i], to[i], f->batch, groups, f->tokens, import->size);
        if (i < 2)
            to[i + 1] = to[i] + count;
        else if (extra)
            set_alibi(&formed->tensor[ATTEST_QKV_MASK], to[i] + count, import->heads,
                      f->tokens);
    }
    return ATTEST_OK;
}

static attest_status get_stream(former *f, const char *name, attest_tensor_file *file,
                                attest_error *error)
{
    char shape[ATTEST_ARRAY_TEXT_SIZE];
    size_t dim = f->layer->import.dim, rank;

    ATTEST_TRY(attest_tensor_file_get(&f->stream, file, name, error));
    attest_array_format_shape(shape, &f->stream);
    rank = f->stream.rank;
    if ((rank != 2 && rank != 3) || f->stream.shape[rank - 1] != dim || f->stream.count == 0)
        return attest_input_locate(
            &file->input,
            attest_error_set(error, ATTEST_FORMAT,
                             "tensor '%.80s' has shape %s, but the stream of this model has "
                             "(batch, tokens, %zu), or (tokens, %zu)",
                             name, shape, dim, dim),
            error);
    f->batch = rank == 3 ? f->stream.shape[0] : 1;
    f->tokens = f->stream.shape[rank - 2];
    return ATTEST_OK;
}

static attest_status form_named(attest_qkv_formed *formed, former *f, const char *name,
                                attest_tensor_file *file, attest_budget *budget,
                                attest_error *error)
{
    double *to[3];

    ATTEST_TRY(get_stream(f, name, file, error));
    ATTEST_TRY(former_init(f, error));
    ATTEST_TRY(alloc(formed, to, f, budget, error));
    return attest_input_locate(
        &file->input, attest_error_prefix(error, form_tokens(f, to, error), name), error);
}

/* formed = the queries, keys and values for the stream in the file, and the terms added to
 * scores. Status: as of open. On failure there is nothing to free. */
static attest_status form_layer(attest_qkv_formed *formed, const layer_tensors *layer,
                                const attest_model_stream *stream, attest_tensor_file *file,
                                attest_budget *budget, attest_error *error)
{
    former f ATTEST_CLEARED_BY(former_clear) = {.layer = layer};
    char *name ATTEST_FREED = attest_qkv_format_name(stream->name, layer->request.layer);

    memset(formed, 0, sizeof *formed);
    if (!name)
        return attest_memory_fail(error);
    ATTEST_TRY_OR(form_named(formed, &f, name, file, budget, error), {
        free(formed->block);
        formed->block = NULL;
    });
    return ATTEST_OK;
}

/* Finds the tensors of a layer. Status: as of open. */
static attest_status find_layer(layer_tensors *layer, attest_model_stream *stream,
                                attest_model_file *model, size_t number, attest_error *error)
{
    attest_import *request = &layer->request;
    attest_import_known *known = &request->known;
    const attest_import_part *part = layer->import.part;

    request->arch = stream->arch;
    request->layer = number;
    request->heads = request->count = stream->heads ? stream->heads : stream->known.heads;
    if (request->heads == 0)
        return attest_error_set(
            error, ATTEST_USAGE,
            "how many heads a layer has is not in the tensors: " ATTEST_HINT_HEADS);
    request->norm = attest_import_arch_norm(stream->arch); /* the stream is its input */
    ATTEST_TRY(attest_import_arch_set(request, model, error));
    ATTEST_TRY(attest_import_find(&layer->import, model, request, error));
    ATTEST_TRY(attest_model_config_check(&stream->known, stream->arch, layer->import.heads,
                                         part[ATTEST_IMPORT_K].groups, layer->import.size,
                                         error));
    ATTEST_TRY(attest_import_find_gain(&layer->norm[0], model, known->q_norm,
                                       layer->import.size, layer->import.heads, error));
    ATTEST_TRY(attest_import_find_gain(&layer->norm[1], model, known->k_norm,
                                       layer->import.size, part[ATTEST_IMPORT_K].groups,
                                       error));
    layer->eps = stream->known.norm_eps > 0 ? stream->known.norm_eps : known->eps;
    ATTEST_TRY(attest_model_config_rotary(&layer->rotary, &stream->known, known->rotary,
                                          layer->import.size, error));
    stream->rotary = layer->rotary.dims;
    stream->alibi = known->alibi;
    stream->key_norm = known->k_norm != NULL;
    return ATTEST_OK;
}

/* ---- all layers ---- */

/* Sets the numbers of the layers to compute. */
static attest_status find_layers(attest_qkv_source *source, const attest_model_stream *stream,
                                 attest_model_file *model, attest_error *error)
{
    attest_input *input = &source->file[0].input;
    size_t kept = 0;

    source->layered = attest_qkv_is_pattern(stream->name);
    if (source->layered) {
        ATTEST_TRY(
            attest_input_locate(input,
                                attest_qkv_find_layers(&source->layer, &source->layers,
                                                       source->file, stream->name, error),
                                error));
    } else {
        source->layer = attest_memory_alloc(1, sizeof *source->layer);
        if (!source->layer)
            return attest_memory_fail(error);
        source->layer[source->layers++] = stream->layer;
    }
    /* A recording may end with the output of the last layer. */
    for (size_t i = 0; i < source->layers; i++)
        if ((!stream->one || source->layer[i] == stream->layer) &&
            (i == 0 || i + 1 < source->layers ||
             attest_import_arch_has(stream->arch, source->layer[i], model)))
            source->layer[kept++] = source->layer[i];
    if (kept == 0 && source->layers > 0)
        attest_error_set(error, ATTEST_USAGE, "there is no '%.80s' of layer %zu", stream->name,
                         stream->layer);
    else if (kept == 0)
        attest_error_set(
            error, ATTEST_USAGE,
            "no tensor has a name like '%.80s', the name of the streams that enter "
            "the layers",
            stream->name);
    source->layers = kept;
    return kept > 0 ? ATTEST_OK : attest_input_locate(input, ATTEST_USAGE, error);
}

/* Sets the scale of the config, if it differs from that of the head's size, to the binary32
 * number by which programs multiply. */
static void set_scale(attest_qkv *qkv, attest_model_stream *stream, size_t size)
{
    mpfr_t root;

    if (qkv->scale || stream->known.scalar == 0 || stream->known.scalar == size)
        return;
    mpfr_init2(root, 24);
    mpfr_set_ui(root, stream->known.scalar, MPFR_RNDN);
    mpfr_rec_sqrt(root, root, MPFR_RNDN);
    snprintf(stream->scale, sizeof stream->scale, "%a", mpfr_get_d(root, MPFR_RNDN));
    mpfr_clear(root);
    qkv->scale = stream->scale;
}

/* Rejects a sliding window that is shorter than the rows: not all layers of all models have
 * it. */
static attest_status check_window(const attest_qkv *qkv, const attest_model_stream *stream,
                                  size_t tokens, attest_error *error)
{
    if (qkv->windowed || stream->known.window == 0 || tokens <= stream->known.window)
        return ATTEST_OK;
    return attest_error_set(
        error, ATTEST_USAGE,
        "the config has a sliding window of %zu, and these are %zu tokens: give "
        "the window %zu,0 for layers that have it, -1,0 for others",
        stream->known.window, tokens, stream->known.window - 1);
}

static attest_status form(attest_qkv_source *source, attest_qkv *qkv,
                          attest_model_stream *stream, attest_model_file *model,
                          attest_budget *budget, attest_error *error)
{
    ATTEST_TRY(find_layers(source, stream, model, error));
    source->formed = attest_memory_alloc(source->layers, sizeof *source->formed);
    if (!source->formed)
        return attest_memory_fail(error);
    for (size_t i = 0; i < source->layers; i++) {
        layer_tensors layer = {0};

        ATTEST_TRY(find_layer(&layer, stream, model, source->layer[i], error));
        ATTEST_TRY(form_layer(&source->formed[i], &layer, stream, source->file, budget, error));
        if (i == 0) {
            set_scale(qkv, stream, layer.import.size);
            ATTEST_TRY(check_window(qkv, stream, source->formed[0].tensor[0].shape[2], error));
            if (layer.request.known.causal && qkv->causal == ATTEST_CAUSAL_NONE)
                qkv->causal = ATTEST_CAUSAL_BOTTOM_RIGHT;
        }
    }
    if (!qkv->softcap && stream->known.softcap[0])
        qkv->softcap = stream->known.softcap;
    source->rank = 4;
    return ATTEST_OK;
}

attest_status attest_model_qkv_open(attest_qkv_source *source, attest_qkv *qkv,
                                    attest_model_stream *stream, attest_budget *budget,
                                    attest_error *error)
{
    attest_model_file model ATTEST_CLEARED_BY(attest_model_file_close) = {0};
    attest_status status;
    bool found;

    memset(source, 0, sizeof *source);
    ATTEST_TRY(attest_model_config_find(&stream->known, &found, stream->config, stream->model,
                                        budget, error));
    ATTEST_TRY(attest_model_file_open(&model, stream->model, budget, error));
    if (model.shards == 1 && model.shard[0].open)
        memcpy(stream->sha256, attest_input_sha256(&model.shard[0].file.input), 65);
    source->names.path = stream->path;
    ATTEST_TRY_OR(attest_tensor_file_open(&source->file[0], stream->path, budget, error),
                  attest_qkv_source_close(source));
    status = form(source, qkv, stream, &model, budget, error);
    /* Errors of the stream begin with its file; all others are about the model. */
    if (status != ATTEST_OK && strncmp(error->text, stream->path, strlen(stream->path)) != 0)
        attest_model_file_locate(stream->model, status, error);
    ATTEST_TRY_OR(status, attest_qkv_source_close(source));
    return ATTEST_OK;
}
