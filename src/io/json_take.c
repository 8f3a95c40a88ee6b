/* json_take.c -- reads values from JSON with errors that stick. */
#include "io/json_take.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "number/rationals.h"
#include "number/scope.h"

attest_json_cursor attest_json_begin(const attest_json_document *document,
                                     attest_json_failure *failure, attest_error *error)
{
    attest_json_cursor root = attest_json_root(document);

    *failure = (attest_json_failure){ATTEST_OK, error};
    root.failure = failure;
    return root;
}

attest_status attest_json_parse_value(void *value, attest_json_setter *set, const char *text,
                                      size_t size, attest_budget *budget, attest_error *error)
{
    attest_json_document document;
    attest_json_failure failure;
    attest_json_cursor root;

    ATTEST_TRY(attest_json_document_parse(&document, text, size, budget, error));
    root = attest_json_begin(&document, &failure, error);
    set(value, &root);
    attest_json_document_clear(&document);
    return failure.status;
}

attest_status attest_json_read_value(void *value, attest_json_setter *set, const char *path,
                                     attest_budget *budget, attest_error *error)
{
    attest_input input;
    attest_status status;

    ATTEST_TRY(attest_input_open(&input, path, attest_budget_left(budget), error));
    status = attest_json_parse_value(value, set, (const char *)input.data, input.size, budget,
                                     error);
    return attest_input_end(&input, status, error);
}

void attest_json_note(const attest_json_cursor *cursor, attest_status status)
{
    if (!attest_json_failed(cursor))
        cursor->failure->status = status;
}

void attest_json_note_memory(const attest_json_cursor *cursor)
{
    ATTEST_JSON_NOTE(cursor, attest_memory_fail(cursor->failure->error));
}

ATTEST_PRINTF(3, 0)
static void refuse(const attest_json_cursor *cursor, attest_status status, const char *format,
                   va_list arguments)
{
    char text[ATTEST_ERROR_SIZE];

    vsnprintf(text, sizeof text, format, arguments);
    ATTEST_JSON_NOTE(cursor,
                     attest_json_fail(cursor, cursor->failure->error, status, "%s", text));
}

void attest_json_refuse(const attest_json_cursor *cursor, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    refuse(cursor, ATTEST_FORMAT, format, arguments);
    va_end(arguments);
}

void attest_json_refuse_as(const attest_json_cursor *cursor, attest_status status,
                           const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    refuse(cursor, status, format, arguments);
    va_end(arguments);
}

void attest_json_take_format(const attest_json_cursor *object, const char *format)
{
    ATTEST_JSON_NOTE(object, attest_json_check_format(object, format, object->failure->error));
}

attest_json_cursor attest_json_take(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member = {.parent = object, .key = key, .failure = object->failure};

    ATTEST_JSON_NOTE(object,
                     attest_json_get_member(&member, object, key, object->failure->error));
    return member;
}

bool attest_json_has(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member;

    return attest_json_find_member(&member, object, key);
}

size_t attest_json_take_length(const attest_json_cursor *array, const char *what)
{
    size_t length = 0;

    ATTEST_JSON_NOTE(array, attest_json_get_length(&length, array, array->failure->error));
    if (what && length == 0)
        attest_json_refuse(array, "%s is empty", what);
    return length;
}

bool attest_json_take_tuple(attest_json_cursor *element, const attest_json_cursor *array,
                            size_t count, const char *form)
{
    if (attest_json_take_length(array, NULL) != count)
        attest_json_refuse(array, "not %s", form);
    for (size_t i = 0; i < count && !attest_json_failed(array); i++)
        element[i] = attest_json_get_element(array, i);
    return !attest_json_failed(array);
}

/* Declares member, a cursor, and value, which the getter reads from it; zero after a failure.
 */
#define TAKE(type, zero, getter)                                                               \
    attest_json_cursor member = key ? attest_json_take(object, key) : *object;                 \
    type value = zero;                                                                         \
    ATTEST_JSON_NOTE(&member, getter(&value, &member, member.failure->error));                 \
    if (attest_json_failed(&member))                                                           \
    value = zero

const char *attest_json_take_string(const attest_json_cursor *object, const char *key)
{
    TAKE(const char *, "", attest_json_get_string);
    return value;
}

const char *attest_json_take_text(const attest_json_cursor *object, const char *key)
{
    TAKE(const char *, "", attest_json_get_text);
    return value;
}

bool attest_json_take_bool(const attest_json_cursor *object, const char *key)
{
    TAKE(bool, false, attest_json_get_bool);
    return value;
}

int64_t attest_json_take_integer(const attest_json_cursor *object, const char *key)
{
    TAKE(int64_t, 0, attest_json_get_integer);
    return value;
}

size_t attest_json_take_size(const attest_json_cursor *object, const char *key)
{
    TAKE(size_t, 0, attest_json_get_size);
    return value;
}

uint64_t attest_json_take_count(const attest_json_cursor *object, const char *key,
                                const char *negative)
{
    TAKE(int64_t, 0, attest_json_get_integer);
    if (value < 0)
        attest_json_refuse(&member, "%s", negative);
    return value < 0 ? 0 : (uint64_t)value;
}

char *attest_json_take_copy(const attest_json_cursor *object, const char *key)
{
    const char *string = attest_json_take_string(object, key);
    char *copy = attest_json_failed(object) ? NULL : attest_memory_copy(string);

    if (!copy)
        attest_json_note_memory(object);
    return copy;
}

char *attest_json_take_optional(const attest_json_cursor *object, const char *key)
{
    return attest_json_has(object, key) ? attest_json_take_copy(object, key) : NULL;
}

int attest_json_take_choice(const attest_json_cursor *object, const char *key,
                            const char *const *name, int count)
{
    attest_json_cursor member = key ? attest_json_take(object, key) : *object;
    int value = 0;

    ATTEST_JSON_NOTE(
        object, attest_json_get_choice(&value, &member, name, count, object->failure->error));
    return value;
}

void attest_json_take_rational(fmpq_t value, const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member = key ? attest_json_take(object, key) : *object;

    ATTEST_JSON_NOTE(object, attest_json_get_rational(value, &member, object->failure->error));
}

void attest_json_take_rationals(fmpq *rational, const attest_json_cursor *array, size_t length)
{
    for (size_t i = 0; i < length && !attest_json_failed(array); i++) {
        attest_json_cursor element = attest_json_get_element(array, i);

        attest_json_take_rational(rational + i, &element, NULL);
    }
}

void attest_json_take_common(fmpz *numerator, fmpz_t denominator, const fmpq *rational,
                             size_t count, const attest_json_cursor *value)
{
    size_t bytes;

    ATTEST_JSON_NOTE_AT(value,
                        attest_rationals_bound_common(denominator, &bytes, rational, count,
                                                      value->budget, value->failure->error));
    if (!attest_json_failed(value))
        attest_rationals_get_numerators(numerator, denominator, rational, count);
}

void attest_json_take_fractions(fmpz *numerator, fmpz_t denominator,
                                const attest_json_cursor *array, size_t length)
{
    ATTEST_RATIONALS(rational, length);

    if (!rational)
        attest_json_note_memory(array);
    attest_json_take_rationals(rational, array, length);
    attest_json_take_common(numerator, denominator, rational, length, array);
}
