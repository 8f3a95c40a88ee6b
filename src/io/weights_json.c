/* weights_json.c -- weights as JSON objects. */
#include "io/weights_json.h"

#include "base/memory.h"
#include "base/scope.h"
#include "base/input.h"
#include "io/json_file.h"
#include "io/json_member.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/safetensors.h"
#include "io/weights_bias.h"
#include "io/weights_form.h"
#include "io/zip.h"

/* value = the choice under key; left alone where there is no such member. */
static attest_status set_choice(int *value, const attest_json_cursor *object, const char *key,
                                const char *const *name, int count, attest_error *error)
{
    attest_json_cursor member;

    if (!attest_json_find_member(&member, object, key))
        return ATTEST_OK;
    return attest_json_get_choice(value, &member, name, count, error);
}

static attest_status set_count(size_t *count, const attest_json_cursor *object, const char *key,
                               attest_error *error)
{
    attest_json_cursor member;
    uint64_t value = 0;
    attest_status status = ATTEST_OK;

    if (attest_json_find_member(&member, object, key))
        status = attest_json_get_member_count(&value, object, key, error);
    *count = (size_t)value;
    return status;
}

static attest_status set_norm(attest_weights *weights, const attest_json_cursor *object,
                              attest_error *error)
{
    attest_json_cursor norm, member;
    int kind = ATTEST_NORM_NONE;

    if (!attest_json_find_member(&norm, object, "norm"))
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_member(&member, &norm, "kind", error));
    ATTEST_TRY(attest_json_get_choice(&kind, &member, attest_norm_names, ATTEST_NORMS, error));
    ATTEST_TRY(attest_json_get_member(&member, &norm, "eps", error));
    ATTEST_TRY(attest_json_get_rational(weights->norm_eps, &member, error));
    if (fmpq_sgn(weights->norm_eps) < 0)
        return attest_json_fail(&member, error, ATTEST_FORMAT, "eps must not be negative");
    weights->norm = (attest_norm)kind;
    return ATTEST_OK;
}

/* What a real head has besides its matrices: pairing.h. */
static attest_status set_form(attest_weights *weights, const attest_json_cursor *object,
                              attest_error *error)
{
    attest_json_cursor member;

    ATTEST_TRY(set_count(&weights->skip_from, object, "skip_from", error));
    ATTEST_TRY(set_count(&weights->output_dim, object, "output_dim", error));
    if (attest_json_find_member(&member, object, "homogeneous"))
        ATTEST_TRY(attest_json_get_bool(&weights->homogeneous, &member, error));
    ATTEST_TRY(set_norm(weights, object, error));
    ATTEST_TRY(attest_weights_form_set(weights, object, error));
    return attest_json_copy_optional(&weights->residual, object, "residual", error);
}

static attest_status set_options(attest_weights *weights, const attest_json_cursor *object,
                                 attest_error *error)
{
    int activation = 0, ties = ATTEST_TIES_UNIFORM, mask = ATTEST_MASK_NONE;
    attest_json_cursor member;
    attest_status status = attest_json_get_member(&member, object, "activation", error);

    if (status == ATTEST_OK)
        status = attest_json_get_choice(&activation, &member, attest_activation_names,
                                        ATTEST_ACTIVATIONS, error);
    if (status == ATTEST_OK)
        status = set_choice(&ties, object, "ties", attest_ties_names, ATTEST_TIES, error);
    if (status == ATTEST_OK)
        status = set_choice(&mask, object, "mask", attest_mask_names, ATTEST_MASKS, error);
    if (status == ATTEST_OK && attest_json_find_member(&member, object, "skip"))
        status = attest_json_get_bool(&weights->skip, &member, error);
    if (status == ATTEST_OK)
        status = set_form(weights, object, error);
    weights->activation = (attest_activation)activation;
    weights->ties = (attest_ties)ties;
    weights->mask = (attest_mask)mask;
    return status;
}

static attest_status set_head(attest_head *head, const attest_json_cursor *object,
                              attest_error *error)
{
    static const char *const name[] = {"WQ", "WK", "WV", "WO"};
    attest_matrix *matrix[] = {&head->wq, &head->wk, &head->wv, &head->wo};
    attest_status status = ATTEST_OK;

    for (int i = 0; i < 4 && status == ATTEST_OK; i++) {
        attest_json_cursor member;
        status = attest_json_get_member(&member, object, name[i], error);
        if (status == ATTEST_OK)
            status = attest_matrix_set_json(matrix[i], &member, error);
    }
    return status == ATTEST_OK ? attest_weights_form_set_head(head, object, error) : status;
}

/* Heads with biases: linear ones on tokens with a last entry 1. */
static attest_status set_biases(attest_weights *weights, const attest_json_cursor *heads,
                                attest_error *error)
{
    if (!attest_weights_have_bias(heads, weights->heads))
        return ATTEST_OK;
    if (weights->homogeneous || weights->output_dim)
        return attest_json_fail(
            heads, error, ATTEST_FORMAT,
            "the heads have biases of their own, and columns of biases, too "
            "(homogeneous, output_dim)");
    for (size_t h = 0; h < weights->heads; h++) {
        attest_json_cursor head = attest_json_get_element(heads, h);
        ATTEST_TRY(attest_weights_set_bias(&weights->head[h], &head, error));
    }
    weights->homogeneous = true;
    weights->dim++;
    return ATTEST_OK;
}

static attest_status set_heads(attest_weights *weights, const attest_json_cursor *object,
                               attest_error *error)
{
    attest_json_cursor heads;
    size_t count = 0;
    attest_status status = attest_json_get_member(&heads, object, "heads", error);

    if (status == ATTEST_OK)
        status = attest_json_get_length(&count, &heads, error);
    if (status == ATTEST_OK && attest_weights_resize(weights, count) != ATTEST_OK)
        status = attest_memory_fail(error);
    for (size_t h = 0; h < count && status == ATTEST_OK; h++) {
        attest_json_cursor head = attest_json_get_element(&heads, h);
        status = set_head(weights->head + h, &head, error);
    }
    if (status != ATTEST_OK)
        return status;
    weights->dim = count ? weights->head[0].wq.cols : 0;
    status = attest_weights_check_shapes(weights, error);
    if (status == ATTEST_OK &&
        (weights->homogeneous || weights->residual || weights->norm != ATTEST_NORM_NONE) &&
        (weights->output_dim || weights->skip_from))
        status = attest_error_set(error, ATTEST_FORMAT,
                                  "output_dim and skip_from are for tokens that hold all, not "
                                  "with homogeneous, residual or norm");
    if (status != ATTEST_OK)
        return attest_json_locate(object, error, status);
    ATTEST_TRY(attest_weights_form_check(weights, object, error));
    return set_biases(weights, &heads, error);
}

attest_status attest_weights_set_json(attest_weights *weights, const attest_json_cursor *object,
                                      attest_error *error)
{
    attest_status status = attest_json_check_format(object, "attest/weights", error);

    attest_weights_clear(weights);
    if (status == ATTEST_OK)
        status = set_options(weights, object, error);
    if (status == ATTEST_OK)
        status = set_heads(weights, object, error);
    if (status != ATTEST_OK)
        attest_weights_clear(weights);
    return status;
}

static attest_status set(void *weights, const attest_json_cursor *object, attest_error *error)
{
    return attest_weights_set_json(weights, object, error);
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
    attest_input input;
    attest_status status = attest_input_open(&input, path, attest_budget_left(budget), error);

    attest_weights_clear(weights);
    if (status == ATTEST_OK)
        status = attest_weights_read_input(weights, &input, budget, error);
    attest_input_close(&input);
    return status;
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
    attest_status status = attest_json_file_open(&file, path, error);

    if (status != ATTEST_OK)
        return status;
    attest_weights_write_json(&file.json, NULL, weights);
    return attest_json_file_commit(&file, error);
}
