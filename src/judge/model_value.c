/* model_value.c -- one value of a kernel model, out of JSON. */
#include "judge/model_value.h"

#include <string.h>

#include <mpfr.h>

#include "base/escape.h"
#include "judge/gpu.h"
#include "number/scope.h"

/* A string that errors may quote. A name that is changed by this, or cut, is none. */
static void take_name(char *name, size_t room, const attest_json_cursor *value)
{
    const char *string = attest_json_take_string(value, NULL);

    attest_escape_excerpt(name, room, string, strlen(string));
}

static void read_format(attest_format *format, const attest_json_cursor *value)
{
    char name[sizeof format->name];
    attest_error inner = {0};

    take_name(name, sizeof name, value);
    if (!attest_json_failed(value) && attest_format_parse(format, name, &inner) != ATTEST_OK)
        attest_json_refuse(value, "%s", inner.text);
}

/* The least double that is not below x. */
static double round_up(const fmpq_t x)
{
    MPFR(53, rounded);

    fmpq_get_mpfr(rounded, x, MPFR_RNDU);
    return mpfr_get_d(rounded, MPFR_RNDU);
}

/* x = the number, which must be within the field's limits. */
static void read_number(fmpq_t x, const attest_judge_field *field,
                        const attest_json_cursor *value)
{
    bool whole = field->kind != ATTEST_JUDGE_ERROR && field->kind != ATTEST_JUDGE_EXACT;
    bool open = field->kind == ATTEST_JUDGE_ERROR;
    int most;

    attest_json_take_rational(x, value, NULL);
    most = fmpq_cmp_si(x, (slong)field->most);
    if (fmpq_cmp_si(x, (slong)field->least) < 0 || most > 0 || (open && most == 0) ||
        (whole && !fmpz_is_one(fmpq_denref(x))))
        attest_json_refuse(value, "a %snumber from %.0f %s %.0f is expected",
                           whole ? "whole " : "", field->least, open ? "to below" : "to",
                           field->most);
}

static void read_double(double *to, const attest_judge_field *field, const fmpq_t x,
                        const attest_json_cursor *value)
{
    FMPQ(back);

    *to = round_up(x);
    attest_number_set_double(back, *to);
    if (field->kind == ATTEST_JUDGE_EXACT && !fmpq_equal(back, x))
        attest_json_refuse(value, "this is no binary fraction that a double holds");
}

/* A number of any kind, at its place. */
static void read_value(void *at, const attest_judge_field *field,
                       const attest_json_cursor *value)
{
    FMPQ(x);

    read_number(x, field, value);
    if (attest_json_failed(value))
        return;
    if (field->kind == ATTEST_JUDGE_ERROR || field->kind == ATTEST_JUDGE_EXACT)
        read_double(at, field, x, value);
    else if (field->kind == ATTEST_JUDGE_INTEGER)
        *(long *)at = fmpz_get_si(fmpq_numref(x));
    else
        *(size_t *)at = fmpz_get_ui(fmpq_numref(x));
}

/* The order that a unit stands for, with its block, fraction and exact products: blocks in any
 * order, since the order of its instructions is the kernel's. */
static void read_unit(attest_judge_dot *dot, bool score, const char *unit,
                      const attest_json_cursor *value, const attest_judge_model *model)
{
    size_t block = 0, fraction = 0;

    for (size_t i = 0; i < model->variants && !attest_json_failed(value); i++) {
        const attest_judge_variant *variant = model->variant + i;
        attest_error inner = {0};

        if (!score && !variant->cast)
            attest_json_refuse(value, "p.format is null, and %s takes no binary32", unit);
        else if (attest_judge_gpu_get(&dot->block, &dot->fraction, unit,
                                      score ? &variant->q : &variant->p,
                                      score ? &variant->k : &variant->v, &inner) != ATTEST_OK)
            attest_json_refuse(value, "%s", inner.text);
        else if (i > 0 && (dot->block != block || dot->fraction != fraction))
            attest_json_refuse(value,
                               "%s has another block for another of the formats: give "
                               "block and fraction",
                               unit);
        block = dot->block;
        fraction = dot->fraction;
    }
    dot->order = ATTEST_JUDGE_ORDER_TENSOR;
    dot->exact_products = true;
}

/* Refuses what the unit says already. */
static void check_alone(const attest_json_cursor *object, const char *unit)
{
    static const char *const key[] = {"products", "block", "fraction"};
    attest_json_cursor member;

    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
        if (attest_json_get_member(&member, object, key[i], NULL) == ATTEST_OK)
            attest_json_refuse(&member, "%s says it already, in \"order\"", unit);
}

static void read_word(char *base, const attest_judge_field *field,
                      const attest_json_cursor *value, const attest_judge_model *model)
{
    attest_judge_variant *variant = (void *)base;
    void *at = base + field->at;
    const char *string;
    char word[32];
    int choice;

    if (field->group && strcmp(field->key, "order") == 0 &&
        attest_json_get_string(&string, value, NULL) == ATTEST_OK &&
        strncmp(string, "tc:", 3) == 0) {
        bool score = strcmp(field->group, "score") == 0;

        take_name(word, sizeof word, value);
        check_alone(value->key ? value->parent : value->parent->parent, word);
        read_unit(score ? &variant->score : &variant->pv, score, word, value, model);
        return;
    }
    choice = attest_json_take_choice(value, NULL, field->words, field->count);
    if (field->kind == ATTEST_JUDGE_SWITCH)
        *(bool *)at = choice == 1;
    else
        *(unsigned *)at = (unsigned)choice;
}

/* Coefficients, the constant one first; null: none. */
static void read_polynomial(attest_exp2_polynomial *polynomial, const attest_json_cursor *list)
{
    static const attest_judge_field field = {.kind = ATTEST_JUDGE_EXACT, .most = 16};
    size_t count;

    polynomial->count = 0;
    if (attest_json_is_null(list))
        return;
    count = attest_json_take_length(list, "this list");
    if (count > ATTEST_EXP2_COEFFICIENTS)
        attest_json_refuse(list, "at most %d coefficients are expected",
                           ATTEST_EXP2_COEFFICIENTS);
    for (size_t i = 0; i < count && !attest_json_failed(list); i++) {
        attest_json_cursor value = attest_json_get_element(list, i);

        read_value(polynomial->coefficient + i, &field, &value);
    }
    if (!attest_json_failed(list))
        polynomial->count = count;
}

void attest_judge_value_read(void *variant, const attest_judge_field *field,
                             const attest_json_cursor *value, const attest_judge_model *model)
{
    char *base = variant;
    void *at = base + field->at;
    const char *word = "";

    switch (field->kind) {
    case ATTEST_JUDGE_FORMAT_OR_NULL:
        *(bool *)(base + field->flag) = !attest_json_is_null(value);
        if (!attest_json_is_null(value))
            read_format(at, value);
        return;
    case ATTEST_JUDGE_FORMAT:
        read_format(at, value);
        return;
    case ATTEST_JUDGE_WORD:
    case ATTEST_JUDGE_SWITCH:
        read_word(base, field, value, model);
        return;
    case ATTEST_JUDGE_POLYNOMIAL:
        read_polynomial(at, value);
        return;
    case ATTEST_JUDGE_COUNT_OR_NULL:
        *(size_t *)at = 0;
        if (attest_json_is_null(value))
            return;
        break;
    case ATTEST_JUDGE_COUNT_OR_ANY:
        *(size_t *)at = 0;
        if (attest_json_get_string(&word, value, NULL) == ATTEST_OK && strcmp(word, "any") == 0)
            return;
        break;
    default:
        break;
    }
    read_value(at, field, value);
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
