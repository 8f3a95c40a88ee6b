/* model_field.c -- the members of kernel models: names, values, comparison. */
#include "judge/model_field.h"

#include <mpfr.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "judge/matrix_unit.h"
#include "number/scope.h"

/* ---- the tables ---- */

/* clang-format off */
static const char *const score_orders[] = {
    [ATTEST_JUDGE_ORDER_ANY] = "any",
    [ATTEST_JUDGE_ORDER_FORWARD] = "sequential",
    [ATTEST_JUDGE_ORDER_BACKWARD] = "reversed",
    [ATTEST_JUDGE_ORDER_TENSOR] = "tensor",
    [ATTEST_JUDGE_ORDER_TENSOR_FORWARD] = "tensor-forward",
    [ATTEST_JUDGE_ORDER_TENSOR_BACKWARD] = "tensor-backward",
    [ATTEST_JUDGE_ORDER_PAIRWISE] = "pairwise",
};
static const char *const value_orders[] = {
    [ATTEST_JUDGE_ORDER_ANY] = "any",
    [ATTEST_JUDGE_ORDER_FORWARD] = "forward",
    [ATTEST_JUDGE_ORDER_BACKWARD] = "backward",
    [ATTEST_JUDGE_ORDER_TENSOR] = "tensor",
    [ATTEST_JUDGE_ORDER_TENSOR_FORWARD] = "tensor-forward",
    [ATTEST_JUDGE_ORDER_TENSOR_BACKWARD] = "tensor-backward",
};
static const char *const products[] = {"rounded", "exact"};
static const char *const scales[] = {
    [ATTEST_JUDGE_SCALE_ANY] = "any",
    [ATTEST_JUDGE_SCALE_SCORE] = "score",
    [ATTEST_JUDGE_SCALE_FOLDED] = "folded",
    [ATTEST_JUDGE_SCALE_QUERY] = "query",
};
static const char *const maxima[] = {
    [ATTEST_JUDGE_MAX_ANY] = "any",
    [ATTEST_JUDGE_MAX_TWO_PASS] = "two-pass",
    [ATTEST_JUDGE_MAX_ONLINE] = "online",
    [ATTEST_JUDGE_MAX_LAZY] = "lazy",
};
static const char *const directions[] = {
    [ATTEST_JUDGE_DIRECTION_ANY] = "any",
    [ATTEST_JUDGE_DIRECTION_FORWARD] = "forward",
    [ATTEST_JUDGE_DIRECTION_BACKWARD] = "backward",
};
static const char *const sums[] = {
    [ATTEST_JUDGE_SUM_UNCAST] = "uncast",
    [ATTEST_JUDGE_SUM_CAST] = "cast",
    [ATTEST_JUDGE_SUM_ANY] = "any",
};
static const char *const places[] = {
    [ATTEST_JUDGE_PLACE_ANY] = "any",
    [ATTEST_JUDGE_PLACE_AFTER] = "after",
    [ATTEST_JUDGE_PLACE_BEFORE] = "before",
};
static const char *const joins[] = {
    [ATTEST_JUDGE_JOIN_QUOTIENTS] = "quotients",
    [ATTEST_JUDGE_JOIN_LOGS] = "logs",
    [ATTEST_JUDGE_JOIN_SUMS] = "sums",
    [ATTEST_JUDGE_JOIN_ANY] = "any",
};
static const char *const quotients[] = {
    [ATTEST_JUDGE_QUOTIENT_DIVISION] = "division",
    [ATTEST_JUDGE_QUOTIENT_RECIPROCAL] = "reciprocal",
};
static const char *const roundings[] = {"nearest", "any"};
static const char *const bases[] = {
    [ATTEST_JUDGE_LSE_NATURAL] = "e",
    [ATTEST_JUDGE_LSE_BINARY] = "2",
};
static const char *const sinks[] = {"included", "excluded"};
static const char *const empties[] = {
    [ATTEST_JUDGE_LSE_EMPTY_ANY] = "any",
    [ATTEST_JUDGE_LSE_EMPTY_NEGATIVE] = "neg-inf",
    [ATTEST_JUDGE_LSE_EMPTY_POSITIVE] = "pos-inf",
    [ATTEST_JUDGE_LSE_EMPTY_ZERO] = "zero",
    [ATTEST_JUDGE_LSE_EMPTY_NAN] = "nan",
};
static const char *const flushes[] = {"never", "always"};
static const char *const constants[] = {
    [ATTEST_JUDGE_CONSTANT_FOLDED] = "folded-binary32",
    [ATTEST_JUDGE_CONSTANT_SEPARATE] = "separate",
};

#define AT(member) offsetof(attest_judge_variant, member)
#define WORDS(table) .words = table, .count = sizeof table / sizeof table[0]
#define FORMAT(group, key, member) {group, key, ATTEST_JUDGE_FORMAT, .at = AT(member)}
#define FORMAT_OR_NULL(group, key, member, set) \
    {group, key, ATTEST_JUDGE_FORMAT_OR_NULL, .at = AT(member), .flag = AT(set)}
#define CHOICE(group, key, member, table) \
    {group, key, ATTEST_JUDGE_WORD, .at = AT(member), WORDS(table)}
#define SWITCH(group, key, member, table) \
    {group, key, ATTEST_JUDGE_SWITCH, .at = AT(member), WORDS(table)}
#define COUNT(group, key, member, from, to) \
    {group, key, ATTEST_JUDGE_COUNT, .at = AT(member), .least = from, .most = to}
#define ERROR(group, key, member, to) \
    {group, key, ATTEST_JUDGE_ERROR, .at = AT(member), .least = 0, .most = to}
/* The limits keep numbers that are computed from a member within a double and an int. */
#define DOT(group, member, orders) \
    FORMAT(group, "accumulate", member.accumulate), \
    SWITCH(group, "products", member.exact_products, products), \
    CHOICE(group, "order", member.order, orders), \
    COUNT(group, "block", member.block, 1, 65536), \
    COUNT(group, "fraction", member.fraction, 1, 1000), \
    {group, "depth", ATTEST_JUDGE_COUNT_OR_NULL, .at = AT(member.depth), .least = 1, .most = 1e9}, \
    {group, "promote", ATTEST_JUDGE_COUNT_OR_NULL, .at = AT(member.promote), .least = 1, .most = 1e9}

const attest_judge_field attest_judge_fields[] = {
    FORMAT("inputs", "q", q),
    FORMAT("inputs", "k", k),
    FORMAT("inputs", "v", v),
    DOT("score", score, score_orders),
    FORMAT_OR_NULL("score", "store", store, stored),
    CHOICE("scale", "where", scale, scales),
    FORMAT("scale", "format", scaled_query),
    FORMAT_OR_NULL("scale", "store", scale_store, scale_stored),
    ERROR("softcap", "relative", softcap_relative, 1),
    ERROR("softcap", "absolute", softcap_absolute, 1000),
    FORMAT_OR_NULL("softcap", "store", softcap_store, softcap_stored),
    FORMAT_OR_NULL("mask", "store", mask_store, mask_stored),
    CHOICE("max", "kind", max, maxima),
    {"max", "tile", ATTEST_JUDGE_COUNT_OR_ANY, .at = AT(tile), .least = 1, .most = 1e9},
    CHOICE("max", "direction", direction, directions),
    ERROR("max", "threshold", threshold, 1000),
    ERROR("exp", "relative", exp_relative, 1),
    FORMAT_OR_NULL("p", "format", p, cast),
    {"p", "offset", ATTEST_JUDGE_INTEGER, .at = AT(offset), .least = -1000, .most = 1000},
    CHOICE("sum", "of", sum_of, sums),
    FORMAT("sum", "accumulate", sum_accumulate),
    COUNT("sum", "lanes", lanes, 1, 65536),
    DOT("pv", pv, value_orders),
    {"pv", "promote_tiles", ATTEST_JUDGE_COUNT_OR_NULL, .at = AT(pv.promote_tiles), .least = 1, .most = 1e9},
    COUNT("splits", "most", splits, 1, 65536),
    ERROR("splits", "log", split_log, 1000),
    CHOICE("splits", "join", join, joins),
    ERROR("final", "relative", final_relative, 1),
    CHOICE("final", "place", place, places),
    FORMAT("output", "format", output),
    SWITCH("output", "round", output_any, roundings),
    CHOICE("lse", "base", lse.base, bases),
    ERROR("lse", "log_absolute", lse.log_absolute, 1000),
    ERROR("lse", "log_relative", lse.log_relative, 1),
    ERROR("lse", "reference", lse.reference, 1000),
    FORMAT("lse", "format", lse.format),
    SWITCH("lse", "sink", lse.without_sink, sinks),
    CHOICE("lse", "empty", lse.empty, empties),
};

#undef AT
#define AT(member) offsetof(attest_judge_schedule, member)
#define OPTIONAL_COUNT(key, member) \
    {NULL, key, ATTEST_JUDGE_COUNT, .at = AT(member), .least = 0, .most = 1e9, .optional = true}

const attest_judge_field attest_judge_schedule_fields[] = {
    CHOICE(NULL, "scores", scores, score_orders),
    {NULL, "pv", ATTEST_JUDGE_WORD, .at = AT(pv), WORDS(value_orders), .optional = true},
    COUNT(NULL, "tile", tile, 1, 1e9),
    CHOICE(NULL, "direction", direction, directions),
    COUNT(NULL, "lanes", lanes, 1, 65536),
    {NULL, "rescale", ATTEST_JUDGE_EXACT, .at = AT(rescale), .least = 0, .most = 1000},
    CHOICE(NULL, "constant", constant, constants),
    CHOICE(NULL, "divide", divide, places),
    {NULL, "quotient", ATTEST_JUDGE_WORD, .at = AT(quotient), WORDS(quotients), .optional = true},
    {NULL, "polynomial", ATTEST_JUDGE_POLYNOMIAL, .at = AT(emulation.polynomial), .optional = true},
    OPTIONAL_COUNT("fragment", emulation.fragment),
    OPTIONAL_COUNT("frequency", emulation.frequency),
    OPTIONAL_COUNT("emulated", emulation.emulated),
    OPTIONAL_COUNT("first_fragments", emulation.first),
    OPTIONAL_COUNT("last_fragments", emulation.spared),
    {NULL, "splits", ATTEST_JUDGE_COUNT, .at = AT(splits), .least = 0, .most = 65536, .optional = true},
    {NULL, "flush", ATTEST_JUDGE_SWITCH, .at = AT(flush), WORDS(flushes), .optional = true},
};
/* clang-format on */

/* Sets *value to the number of the word in the list. */
static attest_status find_word(unsigned *value, const char *word, const char *const *words,
                               unsigned count, const char *what, attest_error *error)
{
    for (*value = 0; *value < count; ++*value)
        if (strcmp(words[*value], word) == 0)
            return ATTEST_OK;
    return attest_error_set(error, ATTEST_USAGE, "%s: there is no \"%.40s\"", what, word);
}

attest_status attest_judge_model_set_lse_base(attest_judge_model *model, const char *word,
                                              attest_error *error)
{
    unsigned value;

    ATTEST_TRY(find_word(&value, word, bases, sizeof bases / sizeof *bases,
                         "the base of the log-sum-exp, e or 2", error));
    for (size_t i = 0; i < model->variants; i++)
        model->variant[i].lse.base = (attest_judge_lse_base)value;
    return ATTEST_OK;
}

attest_status attest_judge_model_set_lse_empty(attest_judge_model *model, const char *word,
                                               attest_error *error)
{
    unsigned value;

    ATTEST_TRY(find_word(&value, word, empties, sizeof empties / sizeof *empties,
                         "the log-sum-exp of rows without keys, neg-inf, pos-inf, zero, nan or "
                         "any",
                         error));
    for (size_t i = 0; i < model->variants; i++)
        model->variant[i].lse.empty = (attest_judge_lse_empty)value;
    return ATTEST_OK;
}

size_t attest_judge_field_count_group(size_t first)
{
    const char *group = attest_judge_fields[first].group;
    size_t count = 1;

    while (first + count < ATTEST_JUDGE_FIELDS &&
           strcmp(attest_judge_fields[first + count].group, group) == 0)
        count++;
    return count;
}

/* The size of a member, without its flag. */
static size_t get_size(const attest_judge_field *field)
{
    switch (field->kind) {
    case ATTEST_JUDGE_FORMAT:
    case ATTEST_JUDGE_FORMAT_OR_NULL:
        return sizeof(attest_format);
    case ATTEST_JUDGE_WORD:
        return sizeof(attest_judge_order);
    case ATTEST_JUDGE_SWITCH:
        return sizeof(bool);
    case ATTEST_JUDGE_COUNT:
    case ATTEST_JUDGE_COUNT_OR_NULL:
    case ATTEST_JUDGE_COUNT_OR_ANY:
        return sizeof(size_t);
    case ATTEST_JUDGE_INTEGER:
        return sizeof(long);
    case ATTEST_JUDGE_POLYNOMIAL:
        return sizeof(attest_exp2_polynomial);
    case ATTEST_JUDGE_ERROR:
    case ATTEST_JUDGE_EXACT:
        break;
    }
    return sizeof(double);
}

bool attest_judge_field_equal(const attest_judge_field *field, const void *a, const void *b)
{
    bool quoted[2];
    char buffer[2][ATTEST_JUDGE_FIELD_SIZE];

    return strcmp(attest_judge_field_get_text(&quoted[0], buffer[0], field, a),
                  attest_judge_field_get_text(&quoted[1], buffer[1], field, b)) == 0;
}

bool attest_judge_field_equal_group(size_t first, size_t count, const attest_judge_variant *a,
                                    const attest_judge_variant *b)
{
    for (size_t f = first; f < first + count; f++)
        if (!attest_judge_field_equal(attest_judge_fields + f, a, b))
            return false;
    return true;
}

void attest_judge_field_copy(const attest_judge_field *field, void *to, const void *from)
{
    memcpy((char *)to + field->at, (const char *)from + field->at, get_size(field));
    if (field->kind == ATTEST_JUDGE_FORMAT_OR_NULL)
        memcpy((char *)to + field->flag, (const char *)from + field->flag, sizeof(bool));
}

/* A double exactly: whole numbers in decimal, others in hexadecimal. */
static const char *format_double(bool *quoted, char buffer[ATTEST_JUDGE_FIELD_SIZE], double x)
{
    *quoted = x != (double)(long)x;
    snprintf(buffer, ATTEST_JUDGE_FIELD_SIZE, *quoted ? "%a" : "%.0f", x);
    return buffer;
}

/* A list of doubles in JSON, or null. */
static const char *format_polynomial(char buffer[ATTEST_JUDGE_FIELD_SIZE],
                                     const attest_exp2_polynomial *polynomial)
{
    size_t used = 0;

    if (polynomial->count == 0)
        return "null";
    for (size_t i = 0; i < polynomial->count; i++)
        used += (size_t)snprintf(buffer + used, ATTEST_JUDGE_FIELD_SIZE - used, "%s\"%a\"",
                                 i ? ", " : "[", polynomial->coefficient[i]);
    snprintf(buffer + used, ATTEST_JUDGE_FIELD_SIZE - used, "]");
    return buffer;
}

const char *attest_judge_field_get_text(bool *quoted, char buffer[ATTEST_JUDGE_FIELD_SIZE],
                                        const attest_judge_field *field, const void *variant)
{
    const char *base = variant;
    const void *at = base + field->at;
    size_t count;

    *quoted = true;
    switch (field->kind) {
    case ATTEST_JUDGE_FORMAT_OR_NULL:
        *quoted = *(const bool *)(base + field->flag);
        return *quoted ? ((const attest_format *)at)->name : "null";
    case ATTEST_JUDGE_FORMAT:
        return ((const attest_format *)at)->name;
    case ATTEST_JUDGE_WORD:
        return field->words[*(const unsigned *)at];
    case ATTEST_JUDGE_SWITCH:
        return field->words[*(const bool *)at];
    case ATTEST_JUDGE_ERROR:
    case ATTEST_JUDGE_EXACT:
        return format_double(quoted, buffer, *(const double *)at);
    case ATTEST_JUDGE_POLYNOMIAL:
        *quoted = false;
        return format_polynomial(buffer, at);
    case ATTEST_JUDGE_INTEGER:
        *quoted = false;
        snprintf(buffer, ATTEST_JUDGE_FIELD_SIZE, "%ld", *(const long *)at);
        return buffer;
    case ATTEST_JUDGE_COUNT:
    case ATTEST_JUDGE_COUNT_OR_NULL:
    case ATTEST_JUDGE_COUNT_OR_ANY:
        break;
    }
    count = *(const size_t *)at;
    if (count == 0 && field->kind == ATTEST_JUDGE_COUNT_OR_ANY)
        return "any";
    *quoted = false;
    snprintf(buffer, ATTEST_JUDGE_FIELD_SIZE, "%zu", count);
    return count == 0 && field->kind == ATTEST_JUDGE_COUNT_OR_NULL ? "null" : buffer;
}

/* ---- values from JSON ---- */

/* Takes a string that fits into error messages. A name that would be changed or cut is refused.
 * */
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

/* Reads a number within the limits of the field. */
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
        attest_json_refuse(
            value, "this number is not a double: write it exactly, for example as 0x1.8p-1");
}

/* Reads a number of any kind to its place. */
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

/* Sets the order, block, fraction and exact products of a matrix unit. Its blocks come in any
 * order, since the kernel chooses the order of its instructions. */
static void read_unit(attest_judge_dot *dot, bool score, const char *unit,
                      const attest_json_cursor *value, const attest_judge_model *model)
{
    size_t block = 0, fraction = 0;

    for (size_t i = 0; i < model->variants && !attest_json_failed(value); i++) {
        const attest_judge_variant *variant = model->variant + i;
        attest_error inner = {0};

        if (!score && !variant->cast)
            attest_json_refuse(
                value, "p.format is null, but %s does not multiply binary32 numbers", unit);
        else if (attest_judge_gpu_get(&dot->block, &dot->fraction, unit,
                                      score ? &variant->q : &variant->p,
                                      score ? &variant->k : &variant->v, &inner) != ATTEST_OK)
            attest_json_refuse(value, "%s", inner.text);
        else if (i > 0 && (dot->block != block || dot->fraction != fraction))
            attest_json_refuse(value,
                               "the block of %s depends on the format, and there are several: "
                               "give block and fraction",
                               unit);
        block = dot->block;
        fraction = dot->fraction;
    }
    dot->order = ATTEST_JUDGE_ORDER_TENSOR;
    dot->exact_products = true;
}

/* Refuses members that the unit determines. */
static void check_alone(const attest_json_cursor *object, const char *unit)
{
    static const char *const key[] = {"products", "block", "fraction"};
    attest_json_cursor member;

    for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
        if (attest_json_get_member(&member, object, key[i], NULL) == ATTEST_OK)
            attest_json_refuse(&member, "\"order\" is %s, which determines this member", unit);
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

/* Reads coefficients, the constant first; null: none. */
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
