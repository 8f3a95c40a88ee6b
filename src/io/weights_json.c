/* weights_json.c -- weights as JSON objects. */
#include "io/weights_json.h"

#include "base/input.h"
#include "base/scope.h"
#include "io/json_file.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/safetensors.h"
#include "io/weights_bias.h"
#include "io/weights_form.h"
#include "io/zip.h"

/* The choice under key; otherwise where there is no such member. */
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
    attest_weights_form_set(weights, object);
    weights->residual = attest_json_take_optional(object, "residual");
}

static void set_head(attest_head *head, const attest_json_cursor *object)
{
    static const char *const name[] = {"WQ", "WK", "WV", "WO"};
    attest_matrix *matrix[] = {&head->wq, &head->wk, &head->wv, &head->wo};

    for (int i = 0; i < 4; i++) {
        attest_json_cursor member = attest_json_take(object, name[i]);

        attest_matrix_set_json(matrix[i], &member);
    }
    attest_weights_form_set_head(head, object);
}

/* Heads with biases: linear ones on tokens with a last entry 1. */
static void set_biases(attest_weights *weights, const attest_json_cursor *heads)
{
    if (attest_json_failed(heads) || !attest_weights_have_bias(heads, weights->heads))
        return;
    if (weights->homogeneous || weights->output_dim)
        attest_json_refuse(heads,
                           "the heads have biases of their own, and columns of biases, too "
                           "(homogeneous, output_dim)");
    for (size_t h = 0; h < weights->heads && !attest_json_failed(heads); h++) {
        attest_json_cursor head = attest_json_get_element(heads, h);

        attest_weights_set_bias(&weights->head[h], &head);
    }
    weights->homogeneous = true;
    weights->dim++;
}

static attest_status check(const attest_weights *weights, attest_error *error)
{
    ATTEST_TRY(attest_weights_check_shapes(weights, error));
    if ((weights->homogeneous || weights->residual || weights->norm != ATTEST_NORM_NONE) &&
        (weights->output_dim || weights->skip_from))
        return attest_error_set(error, ATTEST_FORMAT,
                                "output_dim and skip_from are for tokens that hold all, not "
                                "with homogeneous, residual or norm");
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
    attest_weights_form_check(weights, object);
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
    if (attest_zip_is(bytes, size))
        return attest_weights_set_npz(weights, bytes, size, budget, error);
    return attest_error_set(error, ATTEST_FORMAT,
                            "weights are a JSON file or an .npz archive of WQ, WK, WV and "
                            "WO; 'attest import' makes them from a safetensors file");
}

bool attest_weights_is_binary(const unsigned char *bytes, size_t size)
{
    return attest_zip_is(bytes, size) || attest_npy_is(bytes, size) ||
           attest_safetensors_is(bytes, size);
}

attest_status attest_weights_read_input(attest_weights *weights, const attest_input *input,
                                        attest_budget *budget, attest_error *error)
{
    attest_status status;

    attest_weights_clear(weights);
    if (attest_weights_is_binary(input->data, input->size))
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
    attest_json_write_string(json, "format", "attest/weights");
    attest_json_write_integer(json, "version", 1);
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
    attest_weights_form_write(json, weights);
    if (weights->output_dim) {
        attest_json_write_count(json, "skip_from", weights->skip_from);
        attest_json_write_count(json, "output_dim", weights->output_dim);
    }
    attest_json_write_array(json, "heads");
    for (size_t h = 0; h < weights->heads; h++) {
        attest_json_write_object(json, NULL);
        attest_matrix_write_json(json, "WQ", &weights->head[h].wq);
        attest_matrix_write_json(json, "WK", &weights->head[h].wk);
        attest_matrix_write_json(json, "WV", &weights->head[h].wv);
        attest_matrix_write_json(json, "WO", &weights->head[h].wo);
        attest_weights_form_write_head(json, &weights->head[h]);
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
