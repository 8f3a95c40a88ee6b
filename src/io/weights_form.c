/* weights_form.c -- the form of queries, keys and scores in weights files. */
#include "io/weights_form.h"

#include "number/rationals.h"
#include "number/scope.h"

static const char *const over_names[] = {"head", "heads"};
static const char *const gain_name[2] = {"gQ", "gK"};

/* value = the number under key, which must be above 0; left alone where there is none. */
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
        attest_json_refuse(&dims, "positions turn pairs of entries: an even number above 0 is "
                                  "expected");
    (void)attest_json_take(object, "theta");
    take_positive(rotary->theta, object, "theta");
    take_positive(rotary->factor, object, "factor");
    take_positive(rotary->long_wave, object, "long_wave");
    take_positive(rotary->short_wave, object, "short_wave");
    waves = !fmpq_is_zero(rotary->long_wave) || !fmpq_is_zero(rotary->short_wave);
    if (waves && (fmpq_is_zero(rotary->factor) || fmpq_is_zero(rotary->short_wave) ||
                  fmpq_cmp(rotary->short_wave, rotary->long_wave) >= 0))
        attest_json_refuse(object,
                           "long_wave and short_wave belong together, the second below the "
                           "first, and to a factor");
}

static void set_norm(attest_score_form *form, const attest_json_cursor *object)
{
    attest_json_cursor eps = attest_json_take(object, "eps");

    attest_json_take_rational(form->eps, &eps, NULL);
    if (fmpq_sgn(form->eps) < 0)
        attest_json_refuse(&eps, "eps must not be negative");
    form->over_heads = attest_json_has(object, "over") &&
                       attest_json_take_choice(object, "over", over_names, 2) == 1;
}

void attest_weights_form_set(attest_weights *weights, const attest_json_cursor *object)
{
    attest_json_cursor member;

    if (attest_json_find_member(&member, object, "rotary"))
        set_rotary(&weights->form.rotary, &member);
    if (attest_json_find_member(&member, object, "head_norm"))
        set_norm(&weights->form, &member);
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
    size_t count = attest_json_take_length(array, "the gains"), bytes;

    FMPZ(denominator);
    ATTEST_RATIONALS(number, count);
    if (!number)
        attest_json_note_memory(array);
    attest_json_take_rationals(number, array, count);
    ATTEST_JSON_NOTE(array,
                     attest_rationals_bound_common(denominator, &bytes, number, count,
                                                   array->budget, array->failure->error));
    if (attest_json_failed(array))
        return;
    attest_matrix_resize(gain, count, 1);
    fmpz_set(gain->denominator, denominator);
    attest_rationals_get_numerators(gain->entry, denominator, number, count);
}

void attest_weights_form_set_head(attest_head *head, const attest_json_cursor *object)
{
    attest_json_cursor member;

    for (int i = 0; i < 2; i++)
        if (attest_json_find_member(&member, object, gain_name[i]))
            set_gain(&head->gain[i], &member);
    if (attest_json_has(object, "alibi"))
        attest_json_take_rational(head->slope, object, "alibi");
}

void attest_weights_form_check(const attest_weights *weights, const attest_json_cursor *object)
{
    bool normed = has_gains(weights);

    if (normed != attest_json_has(object, "head_norm"))
        attest_json_refuse(object, normed ? "heads have gains gQ or gK, but there is no "
                                            "head_norm that says what they are of"
                                          : "there is a head_norm, but no head has gains gQ or "
                                            "gK");
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
