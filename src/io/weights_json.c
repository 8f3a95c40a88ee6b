/* weights_json.c -- weights and matrices as JSON objects. */
#include "io/weights_json.h"

#include "base/file.h"
#include "base/scope.h"
#include "io/json_write.h"
#include "io/npy.h"
#include "number/rationals.h"
#include "number/scope.h"

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

/* matrix = an array of rows, or {"u": [...], "v": [...]}, which stays factored. Errors stick:
 * FORMAT (also for a matrix without rows or columns), UNABLE, NOMEM. */
static void set_matrix(attest_matrix *matrix, const attest_json_cursor *value)
{
    if (attest_json_is_object(value))
        set_factored(matrix, value);
    else
        set_dense(matrix, value);
}

static void write_matrix(attest_json *json, const char *key, const attest_matrix *matrix)
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

/* Biases of a head as columns of its matrices. */

enum { BIASES = 4, VALUES = 2, OUTPUT = 3 };

static const char *const bias_name[BIASES] = {"bQ", "bK", "bV", "bO"};

/* Returns whether one of the heads has a bias: a member bQ, bK, bV or bO that is not null. */
static bool have_bias(const attest_json_cursor *heads, size_t count)
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

/* wide = the matrix, zeros around it, and the bias in a column of its own, as entries of a
 * matrix with cols columns. */
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

/* Extends a head of s x d matrices to dimension d + 1: the last columns of W_Q, W_K, W_V are
 * bQ, bK, bV (0 if there is none), the last row of W_O is 0. With bO, s also grows by one: W_V
 * gets the row (0, ..., 0, 1), W_O the column bO. Errors stick: FORMAT (another length),
 * UNABLE, NOMEM. */
static void set_bias(attest_head *head, const attest_json_cursor *object)
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
        if (attest_json_failed(object))
            return;
        attest_matrix_resize(matrix[i], rows, cols);
        attest_json_take_common(matrix[i]->entry, matrix[i]->denominator, wide, rows * cols,
                                object);
    }
}

/* The form of queries, keys and scores: norms, rotary positions, softcap, ALiBi. */

static const char *const over_names[] = {"head", "heads"};
static const char *const gain_name[2] = {"gQ", "gK"};

/* value = the number under key, which must be above 0; unchanged if there is none. */
static void take_positive(fmpq_t value, const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member;

    if (!attest_json_find_member(&member, object, key))
        return;
    attest_json_take_rational(value, &member, NULL);
    if (fmpq_sgn(value) <= 0)
        attest_json_refuse(&member, "a number above 0 is expected");
}

static void set_rotary(attest_rotary *rotary, const attest_json_cursor *object)
{
    attest_json_cursor dims = attest_json_take(object, "dims");
    bool waves;

    rotary->dims = attest_json_take_size(&dims, NULL);
    if (rotary->dims == 0 || rotary->dims % 2 != 0)
        attest_json_refuse(
            &dims,
            "rotary positions rotate pairs of entries: an even number above 0 is expected");
    (void)attest_json_take(object, "theta");
    take_positive(rotary->theta, object, "theta");
    take_positive(rotary->factor, object, "factor");
    take_positive(rotary->long_wave, object, "long_wave");
    take_positive(rotary->short_wave, object, "short_wave");
    waves = !fmpq_is_zero(rotary->long_wave) || !fmpq_is_zero(rotary->short_wave);
    if (waves && (fmpq_is_zero(rotary->factor) || fmpq_is_zero(rotary->short_wave) ||
                  fmpq_cmp(rotary->short_wave, rotary->long_wave) >= 0))
        attest_json_refuse(object, "long_wave and short_wave need each other and a factor, and "
                                   "short_wave must be the smaller one");
}

static void set_head_norm(attest_score_form *form, const attest_json_cursor *object)
{
    attest_json_cursor eps = attest_json_take(object, "eps");

    attest_json_take_rational(form->eps, &eps, NULL);
    if (fmpq_sgn(form->eps) < 0)
        attest_json_refuse(&eps, "eps must not be negative");
    form->over_heads = attest_json_has(object, "over") &&
                       attest_json_take_choice(object, "over", over_names, 2) == 1;
}

/* Sets the form from the members rotary, head_norm and softcap, where they are present. */
static void set_form(attest_weights *weights, const attest_json_cursor *object)
{
    attest_json_cursor member;

    if (attest_json_find_member(&member, object, "rotary"))
        set_rotary(&weights->form.rotary, &member);
    if (attest_json_find_member(&member, object, "head_norm"))
        set_head_norm(&weights->form, &member);
    take_positive(weights->form.softcap, object, "softcap");
}

static bool has_gains(const attest_weights *weights)
{
    bool any = false;

    for (size_t h = 0; h < weights->heads; h++)
        any = any || weights->head[h].gain[0].rows || weights->head[h].gain[1].rows;
    return any;
}

/* The gains as a column. */
static void set_gain(attest_matrix *gain, const attest_json_cursor *array)
{
    size_t count = attest_json_take_length(array, "the gains");

    if (attest_json_failed(array))
        return;
    attest_matrix_resize(gain, count, 1);
    attest_json_take_fractions(gain->entry, gain->denominator, array, count);
}

/* Sets gains and slope of a head from the members gQ, gK and alibi, where they are present. */
static void set_head_form(attest_head *head, const attest_json_cursor *object)
{
    attest_json_cursor member;

    for (int i = 0; i < 2; i++)
        if (attest_json_find_member(&member, object, gain_name[i]))
            set_gain(&head->gain[i], &member);
    if (attest_json_has(object, "alibi"))
        attest_json_take_rational(head->slope, object, "alibi");
}

/* Once the heads are read: gains and head_norm are there together. Errors stick: FORMAT. */
static void check_form(const attest_weights *weights, const attest_json_cursor *object)
{
    bool normed = has_gains(weights);

    if (normed != attest_json_has(object, "head_norm"))
        attest_json_refuse(object, normed
                                       ? "heads have gains gQ or gK, but there is no head_norm"
                                       : "there is a head_norm, but no head has gains gQ or "
                                         "gK");
}

static void write_positive(attest_json *json, const char *key, const fmpq_t value)
{
    if (!fmpq_is_zero(value))
        attest_json_write_rational(json, key, value);
}

static void write_form(attest_json *json, const attest_weights *weights)
{
    const attest_score_form *form = &weights->form;

    if (has_gains(weights)) {
        attest_json_write_object(json, "head_norm");
        attest_json_write_rational(json, "eps", form->eps);
        attest_json_write_string(json, "over", over_names[form->over_heads]);
        attest_json_write_close(json);
    }
    if (form->rotary.dims > 0) {
        attest_json_write_object(json, "rotary");
        attest_json_write_count(json, "dims", form->rotary.dims);
        attest_json_write_rational(json, "theta", form->rotary.theta);
        write_positive(json, "factor", form->rotary.factor);
        write_positive(json, "long_wave", form->rotary.long_wave);
        write_positive(json, "short_wave", form->rotary.short_wave);
        attest_json_write_close(json);
    }
    write_positive(json, "softcap", form->softcap);
}

static void write_head_form(attest_json *json, const attest_head *head)
{
    for (int i = 0; i < 2; i++)
        if (head->gain[i].rows > 0)
            attest_json_write_fractions(json, gain_name[i], head->gain[i].entry,
                                        head->gain[i].denominator, head->gain[i].rows);
    if (!fmpq_is_zero(head->slope))
        attest_json_write_rational(json, "alibi", head->slope);
}

/* The weights file. */

/* The choice under key, or the default `otherwise`. */
static int take_option(const attest_json_cursor *object, const char *key,
                       const char *const *name, int count, int otherwise)
{
    return attest_json_has(object, key) ? attest_json_take_choice(object, key, name, count)
                                        : otherwise;
}

static size_t take_count(const attest_json_cursor *object, const char *key)
{
    return attest_json_has(object, key)
               ? (size_t)attest_json_take_count(object, key, "is negative")
               : 0;
}

static void set_norm(attest_weights *weights, const attest_json_cursor *norm)
{
    int kind = attest_json_take_choice(norm, "kind", attest_norm_names, ATTEST_NORMS);
    attest_json_cursor eps = attest_json_take(norm, "eps");

    attest_json_take_rational(weights->norm_eps, &eps, NULL);
    if (fmpq_sgn(weights->norm_eps) < 0)
        attest_json_refuse(&eps, "eps must not be negative");
    weights->norm = (attest_norm)kind;
}

static void set_options(attest_weights *weights, const attest_json_cursor *object)
{
    attest_json_cursor norm;

    weights->activation = (attest_activation)attest_json_take_choice(
        object, "activation", attest_activation_names, ATTEST_ACTIVATIONS);
    weights->ties = (attest_ties)take_option(object, "ties", attest_ties_names, ATTEST_TIES,
                                             ATTEST_TIES_UNIFORM);
    weights->mask = (attest_mask)take_option(object, "mask", attest_mask_names, ATTEST_MASKS,
                                             ATTEST_MASK_NONE);
    if (attest_json_has(object, "skip"))
        weights->skip = attest_json_take_bool(object, "skip");
    weights->skip_from = take_count(object, "skip_from");
    weights->output_dim = take_count(object, "output_dim");
    if (attest_json_has(object, "homogeneous"))
        weights->homogeneous = attest_json_take_bool(object, "homogeneous");
    if (attest_json_find_member(&norm, object, "norm"))
        set_norm(weights, &norm);
    set_form(weights, object);
    weights->residual = attest_json_take_optional(object, "residual");
}

static void set_head(attest_head *head, const attest_json_cursor *object)
{
    static const char *const name[] = {"WQ", "WK", "WV", "WO"};
    attest_matrix *matrix[] = {&head->wq, &head->wk, &head->wv, &head->wo};

    for (int i = 0; i < 4; i++) {
        attest_json_cursor member = attest_json_take(object, name[i]);

        set_matrix(matrix[i], &member);
    }
    set_head_form(head, object);
}

/* Heads with biases: linear ones on tokens with a last entry 1. */
static void set_biases(attest_weights *weights, const attest_json_cursor *heads)
{
    if (attest_json_failed(heads) || !have_bias(heads, weights->heads))
        return;
    if (weights->homogeneous || weights->output_dim)
        attest_json_refuse(heads,
                           "the heads have biases of their own, and columns of biases, too "
                           "(homogeneous, output_dim)");
    for (size_t h = 0; h < weights->heads && !attest_json_failed(heads); h++) {
        attest_json_cursor head = attest_json_get_element(heads, h);

        set_bias(&weights->head[h], &head);
    }
    weights->homogeneous = true;
    weights->dim++;
}

static attest_status check(const attest_weights *weights, attest_error *error)
{
    ATTEST_TRY(attest_weights_check_shapes(weights, error));
    if ((weights->homogeneous || weights->residual || weights->norm != ATTEST_NORM_NONE) &&
        (weights->output_dim || weights->skip_from))
        return attest_error_set(
            error, ATTEST_FORMAT,
            "output_dim and skip_from cannot be combined with homogeneous, residual or norm");
    return ATTEST_OK;
}

static void set_heads(attest_weights *weights, const attest_json_cursor *object)
{
    attest_json_cursor heads = attest_json_take(object, "heads");
    size_t count = attest_json_take_length(&heads, NULL);

    if (!attest_json_failed(object) && attest_weights_resize(weights, count) != ATTEST_OK)
        attest_json_note_memory(object);
    for (size_t h = 0; h < count && !attest_json_failed(object); h++) {
        attest_json_cursor head = attest_json_get_element(&heads, h);

        set_head(weights->head + h, &head);
    }
    if (attest_json_failed(object))
        return;
    weights->dim = count ? weights->head[0].wq.cols : 0;
    ATTEST_JSON_NOTE_AT(object, check(weights, object->failure->error));
    check_form(weights, object);
    set_biases(weights, &heads);
}

void attest_weights_set_json(attest_weights *weights, const attest_json_cursor *object)
{
    attest_weights_clear(weights);
    attest_json_take_format(object, "attest/weights");
    set_options(weights, object);
    set_heads(weights, object);
    if (attest_json_failed(object))
        attest_weights_clear(weights);
}

static void set(void *weights, const attest_json_cursor *object)
{
    attest_weights_set_json(weights, object);
}

attest_status attest_weights_parse_json(attest_weights *weights, const char *text, size_t size,
                                        attest_budget *budget, attest_error *error)
{
    return attest_json_parse_value(weights, set, text, size, budget, error);
}

attest_status attest_weights_parse_binary(attest_weights *weights, const unsigned char *bytes,
                                          size_t size, attest_budget *budget,
                                          attest_error *error)
{
    if (attest_array_find_format(bytes, size) == ATTEST_ARRAY_ZIP)
        return attest_weights_set_npz(weights, bytes, size, budget, error);
    return attest_error_set(error, ATTEST_FORMAT,
                            "weights are a JSON file or an .npz archive of WQ, WK, WV and "
                            "WO; 'attest import' makes them from a safetensors file");
}

attest_status attest_weights_read_input(attest_weights *weights, const attest_input *input,
                                        attest_budget *budget, attest_error *error)
{
    attest_status status;

    attest_weights_clear(weights);
    if (attest_array_find_format(input->data, input->size) != ATTEST_ARRAY_OTHER)
        status = attest_weights_parse_binary(weights, input->data, input->size, budget, error);
    else
        status = attest_weights_parse_json(weights, (const char *)input->data, input->size,
                                           budget, error);
    return attest_input_locate(input, status, error);
}

attest_status attest_weights_read(attest_weights *weights, const char *path,
                                  attest_budget *budget, attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close);

    attest_weights_clear(weights);
    ATTEST_TRY(attest_input_open(&input, path, attest_budget_left(budget), error));
    return attest_weights_read_input(weights, &input, budget, error);
}

void attest_weights_write_json(attest_json *json, const char *key,
                               const attest_weights *weights)
{
    attest_json_write_object(json, key);
    attest_json_write_format(json, "attest/weights");
    attest_json_write_string(json, "activation", attest_activation_name(weights->activation));
    if (weights->activation == ATTEST_HARDMAX)
        attest_json_write_string(json, "ties", attest_ties_name(weights->ties));
    attest_json_write_string(json, "mask", attest_mask_name(weights->mask));
    attest_json_write_bool(json, "skip", weights->skip);
    if (weights->homogeneous)
        attest_json_write_bool(json, "homogeneous", true);
    if (weights->residual)
        attest_json_write_string(json, "residual", weights->residual);
    if (weights->norm != ATTEST_NORM_NONE) {
        attest_json_write_object(json, "norm");
        attest_json_write_string(json, "kind", attest_norm_names[weights->norm]);
        attest_json_write_rational(json, "eps", weights->norm_eps);
        attest_json_write_close(json);
    }
    write_form(json, weights);
    if (weights->output_dim) {
        attest_json_write_count(json, "skip_from", weights->skip_from);
        attest_json_write_count(json, "output_dim", weights->output_dim);
    }
    attest_json_write_array(json, "heads");
    for (size_t h = 0; h < weights->heads; h++) {
        attest_json_write_object(json, NULL);
        write_matrix(json, "WQ", &weights->head[h].wq);
        write_matrix(json, "WK", &weights->head[h].wk);
        write_matrix(json, "WV", &weights->head[h].wv);
        write_matrix(json, "WO", &weights->head[h].wo);
        write_head_form(json, &weights->head[h]);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_close(json);
}

attest_status attest_weights_write(const attest_weights *weights, const char *path,
                                   attest_error *error)
{
    attest_json_file file;

    ATTEST_TRY(attest_json_file_open(&file, path, error));
    attest_weights_write_json(&file.json, NULL, weights);
    return attest_json_file_commit(&file, error);
}
