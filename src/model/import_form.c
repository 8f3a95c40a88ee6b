/* import_form.c -- positions, norms of queries and keys, and softcap of an imported layer. */
#include "model/import_parts.h"

#include <stdlib.h>
#include <string.h>

#include <attest/number.h>

#include "base/memory.h"
#include "base/scope.h"

/* value = the number in so many decimal digits. */
static void set_digits(fmpq_t value, const mpfr_t number, size_t digits)
{
    mpfr_exp_t exponent;
    char *text = mpfr_get_str(NULL, &exponent, 10, digits, number, MPFR_RNDN);
    fmpz_t power;

    fmpz_init_set_ui(power, 10);
    fmpz_set_str(fmpq_numref(value), text, 10);
    fmpz_one(fmpq_denref(value));
    exponent -= (mpfr_exp_t)digits; /* the point stands before the first digit */
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
    attest_prelude_slopes(slope, request->heads);
    for (size_t i = 0; i < request->count; i++)
        attest_number_set_double(weights->head[i].slope, slope[request->first + i]);
    free(slope);
    return ATTEST_OK;
}

static attest_status set_rotary(attest_rotary *exact, const attest_import_layer *layer,
                                const attest_import *request, const attest_model_config *config,
                                attest_error *error)
{
    attest_prelude_rotary rotary;

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
