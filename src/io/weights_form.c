/* weights_form.c -- the form of queries, keys and scores in weights files. */
#include "io/weights_form.h"

#include "base/memory.h"
#include "base/scope.h"
#include "number/rationals.h"

static const char *const over_names[] = {"head", "heads"};
static const char *const gain_name[2] = {"gQ", "gK"};

/* value = the number under key, which must be above 0; left alone where there is none. */
static attest_status set_positive(fmpq_t value, const attest_json_cursor *object,
                                  const char *key, attest_error *error)
{
    attest_json_cursor member;

    if (!attest_json_find_member(&member, object, key))
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_rational(value, &member, error));
    return fmpq_sgn(value) > 0 ? ATTEST_OK
                               : attest_json_fail(&member, error, ATTEST_FORMAT,
                                                  "a number above 0 is expected");
}

static attest_status set_rotary(attest_rotary *rotary, const attest_json_cursor *object,
                                attest_error *error)
{
    attest_json_cursor member, theta;
    bool waves;

    ATTEST_TRY(attest_json_get_member(&member, object, "dims", error));
    ATTEST_TRY(attest_json_get_size(&rotary->dims, &member, error));
    if (rotary->dims == 0 || rotary->dims % 2 != 0)
        return attest_json_fail(&member, error, ATTEST_FORMAT,
                                "positions turn pairs of entries: an even number above 0 is "
                                "expected");
    ATTEST_TRY(attest_json_get_member(&theta, object, "theta", error));
    ATTEST_TRY(set_positive(rotary->theta, object, "theta", error));
    ATTEST_TRY(set_positive(rotary->factor, object, "factor", error));
    ATTEST_TRY(set_positive(rotary->long_wave, object, "long_wave", error));
    ATTEST_TRY(set_positive(rotary->short_wave, object, "short_wave", error));
    waves = !fmpq_is_zero(rotary->long_wave) || !fmpq_is_zero(rotary->short_wave);
    if (waves && (fmpq_is_zero(rotary->factor) || fmpq_is_zero(rotary->short_wave) ||
                  fmpq_cmp(rotary->short_wave, rotary->long_wave) >= 0))
        return attest_json_fail(
            object, error, ATTEST_FORMAT,
            "long_wave and short_wave belong together, the second below the "
            "first, and to a factor");
    return ATTEST_OK;
}

static attest_status set_norm(attest_score_form *form, const attest_json_cursor *object,
                              attest_error *error)
{
    attest_json_cursor member;
    int over = 0;

    ATTEST_TRY(attest_json_get_member(&member, object, "eps", error));
    ATTEST_TRY(attest_json_get_rational(form->eps, &member, error));
    if (fmpq_sgn(form->eps) < 0)
        return attest_json_fail(&member, error, ATTEST_FORMAT, "eps must not be negative");
    if (attest_json_find_member(&member, object, "over"))
        ATTEST_TRY(attest_json_get_choice(&over, &member, over_names, 2, error));
    form->over_heads = over == 1;
    return ATTEST_OK;
}

attest_status attest_weights_form_set(attest_weights *weights, const attest_json_cursor *object,
                                      attest_error *error)
{
    attest_json_cursor member;

    if (attest_json_find_member(&member, object, "rotary"))
        ATTEST_TRY(set_rotary(&weights->form.rotary, &member, error));
    if (attest_json_find_member(&member, object, "head_norm"))
        ATTEST_TRY(set_norm(&weights->form, &member, error));
    return set_positive(weights->form.softcap, object, "softcap", error);
}

static bool has_gains(const attest_weights *weights)
{
    bool any = false;

    for (size_t h = 0; h < weights->heads; h++)
        any = any || weights->head[h].gain[0].rows || weights->head[h].gain[1].rows;
    return any;
}

/* The gains as a column. */
static attest_status set_gain(attest_matrix *gain, const attest_json_cursor *array,
                              attest_error *error)
{
    fmpz_t denominator;
    attest_status status;
    size_t count, bytes;
    fmpq *number;

    ATTEST_TRY(attest_json_get_filled(&count, array, "the gains", error));
    number = attest_rationals_alloc(count);
    if (!number)
        return attest_memory_fail(error);
    fmpz_init(denominator);
    status = attest_json_get_rationals(number, array, count, error);
    if (status == ATTEST_OK)
        status = attest_rationals_bound_common(denominator, &bytes, number, count,
                                               array->budget, error);
    if (status == ATTEST_OK) {
        attest_matrix_resize(gain, count, 1);
        fmpz_set(gain->denominator, denominator);
        attest_rationals_get_numerators(gain->entry, denominator, number, count);
    }
    fmpz_clear(denominator);
    attest_rationals_free(number, count);
    return status;
}

attest_status attest_weights_form_set_head(attest_head *head, const attest_json_cursor *object,
                                           attest_error *error)
{
    attest_json_cursor member;

    for (int i = 0; i < 2; i++)
        if (attest_json_find_member(&member, object, gain_name[i]))
            ATTEST_TRY(set_gain(&head->gain[i], &member, error));
    if (!attest_json_find_member(&member, object, "alibi"))
        return ATTEST_OK;
    return attest_json_get_rational(head->slope, &member, error);
}

attest_status attest_weights_form_check(const attest_weights *weights,
                                        const attest_json_cursor *object, attest_error *error)
{
    attest_json_cursor member;
    bool normed = has_gains(weights);

    if (normed == attest_json_find_member(&member, object, "head_norm"))
        return ATTEST_OK;
    return attest_json_fail(object, error, ATTEST_FORMAT,
                            normed
                                ? "heads have gains gQ or gK, but there is no head_norm that "
                                  "says what they are of"
                                : "there is a head_norm, but no head has gains gQ or gK");
}

static void write_positive(attest_json *json, const char *key, const fmpq_t value)
{
    if (!fmpq_is_zero(value))
        attest_json_write_rational(json, key, value);
}

void attest_weights_form_write(attest_json *json, const attest_weights *weights)
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

void attest_weights_form_write_head(attest_json *json, const attest_head *head)
{
    for (int i = 0; i < 2; i++)
        if (head->gain[i].rows > 0)
            attest_json_write_fractions(json, gain_name[i], head->gain[i].entry,
                                        head->gain[i].denominator, head->gain[i].rows);
    if (!fmpq_is_zero(head->slope))
        attest_json_write_rational(json, "alibi", head->slope);
}
