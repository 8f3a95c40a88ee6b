/* gate.c -- compares the record of an audit with a stored one. */
#include "audit/gate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>

#include "audit/errors.h"
#include "base/memory.h"
#include "base/scope.h"
#include "io/json_read.h"
#include "number/scope.h"

void attest_audit_gate_clear(attest_audit_gate *gate)
{
    for (size_t i = 0; i < gate->count; i++)
        free(gate->line[i]);
    free(gate->line);
    *gate = (attest_audit_gate){0};
}

ATTEST_PRINTF(3, 4)
static attest_status add_line(attest_audit_gate *gate, attest_error *error, const char *format,
                              ...)
{
    char text[256], *copy;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    copy = attest_memory_copy(text);
    if (!copy || !attest_memory_grow(&gate->line, &gate->room, gate->count + 1, sizeof copy)) {
        free(copy);
        return attest_memory_fail(error);
    }
    gate->line[gate->count++] = copy;
    return ATTEST_OK;
}

/* The kinds of values that are compared, and when one is worse. */
typedef enum kind {
    VERDICT,   /* later in the list of verdicts */
    COUNT,     /* a larger whole number */
    MEASURE,   /* more than 1.00001 times as large: records have six digits; or unknown now */
    SEPARATION /* a ball that is smaller for certain; or unknown now: no pair is required */
} kind;

/* A line is "FORMAT: " start NOW middle BEFORE. */
static const struct rule {
    kind kind;
    bool required;                  /* in its object; else a record without it passes */
    const char *object, *key, *add; /* object.key + object.add; NULL: the format's, nothing */
    const char *start, *middle;
} rules[] = {
    {VERDICT, true, NULL, "verdict", NULL, "", ", was "},
    {COUNT, true, NULL, "collisions", NULL, "collisions ", ", was "},
    {COUNT, true, NULL, "nonfinite", NULL, "nonfinite ", ", was "},
    {COUNT, false, NULL, "saturated", NULL, "saturated ", ", was "},
    {SEPARATION, false, NULL, "min_separation", NULL, "least separation ", ", was "},
    {MEASURE, false, NULL, "max_ulp", NULL, "max_ulp ", ", was "},
    /* records of 0.1.0 have none of these */
    {MEASURE, false, "relative_error", "max", NULL, "relative_error ", ", was "},
    {MEASURE, false, "weights_error", "max", NULL, "weights_error ", ", was "},
    {COUNT, true, "pairs", "by_rounding", "merged", "", " pairs not apart for certain, were "},
};

/* member[1] = the member of the rule and member[0] = its parent, whose place must outlive it;
 * *known: it is there, and not null. */
static attest_status find(attest_json_cursor member[2], bool *known,
                          const attest_json_cursor *format, const struct rule *rule,
                          attest_error *error)
{
    member[0] = *format;
    *known = !rule->object || attest_json_find_member(&member[0], format, rule->object);
    if (*known && rule->required)
        return attest_json_get_member(&member[1], &member[0], rule->key, error);
    *known = *known && attest_json_find_member(&member[1], &member[0], rule->key);
    return ATTEST_OK;
}

static attest_status get_count(fmpq_t count, const attest_json_cursor *member,
                               attest_error *error)
{
    ATTEST_TRY(attest_json_get_rational(count, member, error));
    if (!fmpz_is_one(fmpq_denref(count)) || fmpq_sgn(count) < 0)
        return attest_json_fail(member, error, ATTEST_FORMAT, "expected a count");
    return ATTEST_OK;
}

/* value = the count or measure of the rule; text = the same in a line. */
static attest_status get_number(fmpq_t value, char text[64], bool *known,
                                const attest_json_cursor *format, const struct rule *rule,
                                attest_error *error)
{
    attest_json_cursor member[2], other;
    char *digits;
    FMPQ(add);
    MPFR(64, measure);

    snprintf(text, 64, "unknown");
    ATTEST_TRY(find(member, known, format, rule, error));
    if (!*known)
        return ATTEST_OK;
    if (rule->kind == MEASURE) {
        ATTEST_TRY(attest_json_get_rational(value, &member[1], error));
        fmpq_get_mpfr(measure, value, MPFR_RNDN);
        attest_audit_size_format(text, attest_audit_size_get(measure), 6);
        return ATTEST_OK;
    }
    ATTEST_TRY(get_count(value, &member[1], error));
    if (rule->add) {
        ATTEST_TRY(attest_json_get_member(&other, &member[0], rule->add, error));
        ATTEST_TRY(get_count(add, &other, error));
        fmpq_add(value, value, add);
    }
    digits = fmpz_get_str(NULL, 10, fmpq_numref(value));
    snprintf(text, 64, "%.60s", digits);
    flint_free(digits);
    return ATTEST_OK;
}

static attest_status compare_numbers(attest_audit_gate *gate, const attest_json_cursor *now,
                                     const attest_json_cursor *before, const char *name,
                                     const struct rule *rule, attest_error *error)
{
    char text[2][64];
    bool known[2];
    FMPQ(value, most, factor);

    ATTEST_TRY(get_number(most, text[1], &known[1], before, rule, error));
    if (!known[1])
        return ATTEST_OK;
    ATTEST_TRY(get_number(value, text[0], &known[0], now, rule, error));
    if (rule->kind == MEASURE) {
        fmpq_set_si(factor, 100001, 100000);
        fmpq_mul(most, most, factor);
    }
    if (known[0] && fmpq_cmp(value, most) <= 0)
        return ATTEST_OK;
    return add_line(gate, error, "%s: %s%s%s%s", name, rule->start, text[0], rule->middle,
                    text[1]);
}

static attest_status get_ball(arb_t ball, bool *known, const attest_json_cursor *format,
                              const struct rule *rule, attest_error *error)
{
    attest_json_cursor member[2], part;
    const char *digits;
    ARF(x);

    ATTEST_TRY(find(member, known, format, rule, error));
    for (int i = 0; i < 2 && *known; i++) {
        int parsed;

        ATTEST_TRY(attest_json_get_member(&part, &member[1], i == 0 ? "mid" : "rad", error));
        ATTEST_TRY(attest_json_get_string(&digits, &part, error));
        parsed = attest_ball_parse_arf(x, digits);
        if (parsed == -2)
            return attest_memory_fail(error);
        if (parsed != 0)
            return attest_json_fail(&part, error, ATTEST_FORMAT, "expected a hex float");
        if (i == 0)
            arb_set_arf(ball, x);
        else
            arb_add_error_arf(ball, x);
    }
    return ATTEST_OK;
}

/* Writes a separation of any size as a power of two. Returns false if memory runs out. */
static bool format_separation(char text[64], const arb_t separation)
{
    bool positive = arb_is_positive(separation) && arb_is_finite(separation);
    char *log2 ATTEST_FREED = attest_ball_format_log2(separation);

    snprintf(text, 64, log2 ? "2^%.40s" : "0", log2);
    return log2 || !positive;
}

static attest_status compare_separations(attest_audit_gate *gate, const attest_json_cursor *now,
                                         const attest_json_cursor *before, const char *name,
                                         const struct rule *rule, attest_error *error)
{
    char text[2][64];
    bool known[2];
    ARB(value, least);

    ATTEST_TRY(get_ball(least, &known[1], before, rule, error));
    ATTEST_TRY(get_ball(value, &known[0], now, rule, error));
    if (!known[1] || (known[0] && !arb_lt(value, least)))
        return ATTEST_OK;
    if (!format_separation(text[0], value) || !format_separation(text[1], least))
        return attest_memory_fail(error);
    return add_line(gate, error, "%s: %s%s%s%s", name, rule->start,
                    known[0] ? text[0] : "unknown", rule->middle, text[1]);
}

static attest_status compare_verdicts(attest_audit_gate *gate, const attest_json_cursor *now,
                                      const attest_json_cursor *before, const char *name,
                                      const struct rule *rule, attest_error *error)
{
    static const char *const verdict[] = {"survives", "fails", "collapses"};
    const attest_json_cursor *const format[2] = {now, before};
    attest_json_cursor member[2];
    int value[2];
    bool known;

    for (int i = 0; i < 2; i++) {
        ATTEST_TRY(find(member, &known, format[i], rule, error));
        ATTEST_TRY(attest_json_get_choice(&value[i], &member[1], verdict, 3, error));
    }
    if (value[0] <= value[1])
        return ATTEST_OK;
    return add_line(gate, error, "%s: %s%s%s%s", name, rule->start, verdict[value[0]],
                    rule->middle, verdict[value[1]]);
}

attest_status attest_audit_gate_format(attest_audit_gate *gate, const attest_json_cursor *now,
                                       const attest_json_cursor *before, const char *name,
                                       attest_error *error)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *rule = &rules[i];

        ATTEST_TRY((rule->kind == VERDICT ? compare_verdicts
                    : rule->kind == SEPARATION
                        ? compare_separations
                        : compare_numbers)(gate, now, before, name, rule, error));
    }
    return ATTEST_OK;
}

static attest_status get_list(attest_json_cursor *list, size_t *count,
                              const attest_json_cursor *object, const char *key,
                              attest_error *error)
{
    ATTEST_TRY(attest_json_get_member(list, object, key, error));
    return attest_json_get_length(count, list, error);
}

static attest_status get_name(const char **name, const attest_json_cursor *format,
                              attest_error *error)
{
    attest_json_cursor member;

    ATTEST_TRY(attest_json_get_member(&member, format, "name", error));
    return attest_json_get_string(name, &member, error);
}

/* Compares every stored format with the one of the same name. prefix: of the lines. */
static attest_status compare_formats(attest_audit_gate *gate, const attest_json_cursor *now,
                                     const attest_json_cursor *before, const char *prefix,
                                     attest_error *error)
{
    attest_json_cursor formats[2];
    size_t count[2];

    ATTEST_TRY(get_list(&formats[1], &count[1], before, "formats", error));
    ATTEST_TRY(get_list(&formats[0], &count[0], now, "formats", error));
    for (size_t i = 0; i < count[1]; i++) {
        attest_json_cursor stored = attest_json_get_element(&formats[1], i), own;
        const char *name, *own_name = NULL;
        char what[192];

        ATTEST_TRY(get_name(&name, &stored, error));
        snprintf(what, sizeof what, "%s%.100s", prefix, name);
        for (size_t f = 0; f < count[0] && (!own_name || strcmp(own_name, name) != 0); f++) {
            own = attest_json_get_element(&formats[0], f);
            ATTEST_TRY(get_name(&own_name, &own, error));
        }
        if (own_name && strcmp(own_name, name) == 0)
            ATTEST_TRY(attest_audit_gate_format(gate, &own, &stored, what, error));
        else
            ATTEST_TRY(add_line(gate, error, "%s: not audited any more", what));
    }
    return ATTEST_OK;
}

/* place = layer and head. */
static attest_status get_place(int64_t place[2], const attest_json_cursor *head,
                               attest_error *error)
{
    attest_json_cursor member;

    for (int i = 0; i < 2; i++) {
        ATTEST_TRY(attest_json_get_member(&member, head, i == 0 ? "layer" : "head", error));
        ATTEST_TRY(attest_json_get_integer(&place[i], &member, error));
    }
    return ATTEST_OK;
}

/* Compares every stored head with the same one of a record that has heads. */
static attest_status compare_heads(attest_audit_gate *gate, const attest_json_cursor *now,
                                   const attest_json_cursor *before, attest_error *error)
{
    attest_json_cursor heads[2];
    size_t count[2];

    if (!attest_json_find_member(&heads[0], now, "heads"))
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_length(&count[0], &heads[0], error));
    ATTEST_TRY(get_list(&heads[1], &count[1], before, "heads", error));
    for (size_t i = 0; i < count[1]; i++) {
        attest_json_cursor stored = attest_json_get_element(&heads[1], i), own;
        int64_t place[2], own_place[2];
        char prefix[64];
        bool found = false;

        ATTEST_TRY(get_place(place, &stored, error));
        snprintf(prefix, sizeof prefix, "layer %lld, head %lld, ", (long long)place[0],
                 (long long)place[1]);
        for (size_t h = 0; h < count[0] && !found; h++) {
            own = attest_json_get_element(&heads[0], h);
            ATTEST_TRY(get_place(own_place, &own, error));
            found = memcmp(place, own_place, sizeof place) == 0;
        }
        if (found)
            ATTEST_TRY(compare_formats(gate, &own, &stored, prefix, error));
        else
            ATTEST_TRY(add_line(gate, error, "%.*s: not audited any more",
                                (int)strlen(prefix) - 2, prefix));
    }
    return ATTEST_OK;
}

static attest_status compare_collapse(attest_audit_gate *gate, const attest_json_cursor *now,
                                      const attest_json_cursor *before, attest_error *error)
{
    attest_json_cursor member;
    int64_t bits[2];

    if (!attest_json_find_member(&member, before, "collapse_bits"))
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_integer(&bits[1], &member, error));
    if (!attest_json_find_member(&member, now, "collapse_bits"))
        return add_line(gate, error, "collapse_bits: null, was %lld", (long long)bits[1]);
    ATTEST_TRY(attest_json_get_integer(&bits[0], &member, error));
    if (bits[0] <= bits[1])
        return ATTEST_OK;
    return add_line(gate, error, "collapse_bits: %lld, was %lld", (long long)bits[0],
                    (long long)bits[1]);
}

static attest_status compare_records(attest_audit_gate *gate, const attest_json_cursor *now,
                                     const attest_json_cursor *before, attest_error *error)
{
    ATTEST_TRY(attest_json_check_format(before, "attest/audit", error));
    ATTEST_TRY(compare_formats(gate, now, before, "", error));
    ATTEST_TRY(compare_heads(gate, now, before, error));
    return compare_collapse(gate, now, before, error);
}

attest_status attest_audit_gate_check(attest_audit_gate *gate, attest_json_writer *write,
                                      const void *audit, const char *path,
                                      attest_budget *budget, attest_error *error)
{
    attest_json_document made ATTEST_CLEARED_BY(attest_json_document_clear) = {0};
    attest_json_document read ATTEST_CLEARED_BY(attest_json_document_clear) = {0};
    attest_json_cursor now, before;
    attest_status status;
    size_t size;
    char *text ATTEST_FREED = attest_json_format(&size, write, audit);

    if (!text)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_json_document_parse(&made, text, size, NULL, error));
    ATTEST_TRY(attest_json_document_read(&read, path, budget, error));
    now = attest_json_root(&made);
    before = attest_json_root(&read);
    status = compare_records(gate, &now, &before, error);
    return status == ATTEST_FORMAT ? attest_error_prefix(error, status, path) : status;
}
