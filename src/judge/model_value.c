/* model_value.c -- one value of a kernel model, out of JSON. */
#include "judge/model_value.h"

#include <string.h>

#include <mpfr.h>

#include "base/escape.h"
#include "base/scope.h"
#include "judge/gpu.h"

/* A string that errors may quote. A name that is changed by this, or cut, is none. */
static attest_status read_name(char *name, size_t room, const attest_json_cursor *value,
                               attest_error *error)
{
    const char *string;

    ATTEST_TRY(attest_json_get_string(&string, value, error));
    attest_escape_excerpt(name, room, string, strlen(string));
    return ATTEST_OK;
}

static attest_status read_format(attest_format *format, const attest_json_cursor *value,
                                 attest_error *error)
{
    char name[sizeof format->name];
    attest_error inner = {0};

    ATTEST_TRY(read_name(name, sizeof name, value, error));
    if (attest_format_parse(format, name, &inner) != ATTEST_OK)
        return attest_json_fail(value, error, ATTEST_FORMAT, "%s", inner.text);
    return ATTEST_OK;
}

/* The least double that is not below x. */
static double round_up(const fmpq_t x)
{
    double up;
    mpfr_t rounded;

    mpfr_init2(rounded, 53);
    fmpq_get_mpfr(rounded, x, MPFR_RNDU);
    up = mpfr_get_d(rounded, MPFR_RNDU);
    mpfr_clear(rounded);
    return up;
}

/* x = the number, which must be within the field's limits. */
static attest_status read_number(fmpq_t x, const attest_judge_field *field,
                                 const attest_json_cursor *value, attest_error *error)
{
    bool whole = field->kind != ATTEST_JUDGE_ERROR && field->kind != ATTEST_JUDGE_EXACT;
    bool open = field->kind == ATTEST_JUDGE_ERROR;
    int most;

    ATTEST_TRY(attest_json_get_rational(x, value, error));
    most = fmpq_cmp_si(x, (slong)field->most);
    if (fmpq_cmp_si(x, (slong)field->least) < 0 || most > 0 || (open && most == 0) ||
        (whole && !fmpz_is_one(fmpq_denref(x))))
        return attest_json_fail(
            value, error, ATTEST_FORMAT, "a %snumber from %.0f %s %.0f is expected",
            whole ? "whole " : "", field->least, open ? "to below" : "to", field->most);
    return ATTEST_OK;
}

static attest_status read_double(double *to, const attest_judge_field *field, const fmpq_t x,
                                 const attest_json_cursor *value, attest_error *error)
{
    fmpq_t back;
    bool exact;

    *to = round_up(x);
    fmpq_init(back);
    attest_number_set_double(back, *to);
    exact = fmpq_equal(back, x);
    fmpq_clear(back);
    if (field->kind == ATTEST_JUDGE_EXACT && !exact)
        return attest_json_fail(value, error, ATTEST_FORMAT,
                                "this is no binary fraction that a double holds");
    return ATTEST_OK;
}

/* A number of any kind, at its place. */
static attest_status read_value(void *at, const attest_judge_field *field,
                                const attest_json_cursor *value, attest_error *error)
{
    attest_status status;
    fmpq_t x;

    fmpq_init(x);
    status = read_number(x, field, value, error);
    if (status == ATTEST_OK) {
        if (field->kind == ATTEST_JUDGE_ERROR || field->kind == ATTEST_JUDGE_EXACT)
            status = read_double(at, field, x, value, error);
        else if (field->kind == ATTEST_JUDGE_INTEGER)
            *(long *)at = fmpz_get_si(fmpq_numref(x));
        else
            *(size_t *)at = fmpz_get_ui(fmpq_numref(x));
    }
    fmpq_clear(x);
    return status;
}

/* The order that a unit stands for, with its block, fraction and exact products: blocks in any
 * order, since the order of its instructions is the kernel's. */
static attest_status read_unit(attest_judge_dot *dot, bool score, const char *unit,
                               const attest_json_cursor *value, const attest_judge_model *model,
                               attest_error *error)
{
    size_t block = 0, fraction = 0;

    for (size_t i = 0; i < model->variants; i++) {
        const attest_judge_variant *variant = model->variant + i;
        attest_error inner = {0};

        if (!score && !variant->cast)
            return attest_json_fail(value, error, ATTEST_FORMAT,
                                    "p.format is null, and %s takes no binary32", unit);
        if (attest_judge_gpu_get(&dot->block, &dot->fraction, unit,
                                 score ? &variant->q : &variant->p,
                                 score ? &variant->k : &variant->v, &inner) != ATTEST_OK)
            return attest_json_fail(value, error, ATTEST_FORMAT, "%s", inner.text);
        if (i > 0 && (dot->block != block || dot->fraction != fraction))
            return attest_json_fail(value, error, ATTEST_FORMAT,
                                    "%s has another block for another of the formats: give "
                                    "block and fraction",
                                    unit);
        block = dot->block;
        fraction = dot->fraction;
    }
    dot->order = ATTEST_JUDGE_ORDER_TENSOR;
    dot->exact_products = true;
    return ATTEST_OK;
}

/* Refuses what the unit says already. */
static attest_status check_alone(const attest_json_cursor *object, const char *unit,
                                 attest_error *error)
{
    static const char *const key[] = {"products", "block", "fraction"};
    attest_json_cursor member;

    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
        if (attest_json_get_member(&member, object, key[i], NULL) == ATTEST_OK)
            return attest_json_fail(&member, error, ATTEST_FORMAT,
                                    "%s says it already, in \"order\"", unit);
    return ATTEST_OK;
}

static attest_status read_word(char *base, const attest_judge_field *field,
                               const attest_json_cursor *value, const attest_judge_model *model,
                               attest_error *error)
{
    attest_judge_variant *variant = (void *)base;
    void *at = base + field->at;
    char word[32];
    int choice = 0;

    if (field->group && strcmp(field->key, "order") == 0 &&
        read_name(word, sizeof word, value, NULL) == ATTEST_OK &&
        strncmp(word, "tc:", 3) == 0) {
        bool score = strcmp(field->group, "score") == 0;

        ATTEST_TRY(
            check_alone(value->key ? value->parent : value->parent->parent, word, error));
        return read_unit(score ? &variant->score : &variant->pv, score, word, value, model,
                         error);
    }
    ATTEST_TRY(attest_json_get_choice(&choice, value, field->words, field->count, error));
    if (field->kind == ATTEST_JUDGE_SWITCH)
        *(bool *)at = choice == 1;
    else
        *(unsigned *)at = (unsigned)choice;
    return ATTEST_OK;
}

/* Coefficients, the constant one first; null: none. */
static attest_status read_polynomial(attest_exp2_polynomial *polynomial,
                                     const attest_json_cursor *list, attest_error *error)
{
    static const attest_judge_field field = {.kind = ATTEST_JUDGE_EXACT, .most = 16};
    size_t count;

    polynomial->count = 0;
    if (attest_json_is_null(list))
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_filled(&count, list, "this list", error));
    if (count > ATTEST_EXP2_COEFFICIENTS)
        return attest_json_fail(list, error, ATTEST_FORMAT,
                                "at most %d coefficients are expected",
                                ATTEST_EXP2_COEFFICIENTS);
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor value = attest_json_get_element(list, i);

        ATTEST_TRY(read_value(polynomial->coefficient + i, &field, &value, error));
    }
    polynomial->count = count;
    return ATTEST_OK;
}

attest_status attest_judge_value_read(void *variant, const attest_judge_field *field,
                                      const attest_json_cursor *value,
                                      const attest_judge_model *model, attest_error *error)
{
    char *base = variant;
    void *at = base + field->at;
    const char *word = "";

    switch (field->kind) {
    case ATTEST_JUDGE_FORMAT_OR_NULL:
        *(bool *)(base + field->flag) = !attest_json_is_null(value);
        if (attest_json_is_null(value))
            return ATTEST_OK;
        return read_format(at, value, error);
    case ATTEST_JUDGE_FORMAT:
        return read_format(at, value, error);
    case ATTEST_JUDGE_WORD:
    case ATTEST_JUDGE_SWITCH:
        return read_word(base, field, value, model, error);
    case ATTEST_JUDGE_POLYNOMIAL:
        return read_polynomial(at, value, error);
    case ATTEST_JUDGE_COUNT_OR_NULL:
        *(size_t *)at = 0;
        if (attest_json_is_null(value))
            return ATTEST_OK;
        break;
    case ATTEST_JUDGE_COUNT_OR_ANY:
        *(size_t *)at = 0;
        if (attest_json_get_string(&word, value, NULL) == ATTEST_OK && strcmp(word, "any") == 0)
            return ATTEST_OK;
        break;
    default:
        break;
    }
    return read_value(at, field, value, error);
}

void attest_judge_value_complete(attest_judge_variant *variant,
                                 const attest_json_cursor *object)
{
    attest_json_cursor member;

    if (attest_json_get_member(&member, object, "products", NULL) == ATTEST_OK)
        return;
    variant->score.exact_products |= attest_judge_order_is_tensor(variant->score.order);
    variant->pv.exact_products |= attest_judge_order_is_tensor(variant->pv.order);
}
