/* json_take.c -- reads values from JSON with errors that stick. */
#include "io/json_take.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "io/json_member.h"

void attest_json_note(const attest_json_cursor *cursor, attest_status status)
{
    if (!attest_json_failed(cursor))
        cursor->failure->status = status;
}

void attest_json_refuse(const attest_json_cursor *cursor, const char *format, ...)
{
    char text[ATTEST_ERROR_SIZE];
    va_list arguments;

    if (attest_json_failed(cursor))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    attest_json_note(
        cursor, attest_json_fail(cursor, cursor->failure->error, ATTEST_FORMAT, "%s", text));
}

attest_json_cursor attest_json_take(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member = {.parent = object, .key = key, .failure = object->failure};

    if (!attest_json_failed(object))
        attest_json_note(object,
                         attest_json_get_member(&member, object, key, object->failure->error));
    return member;
}

bool attest_json_has(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member;

    return !attest_json_failed(object) && attest_json_find_member(&member, object, key);
}

bool attest_json_take_tuple(attest_json_cursor *element, const attest_json_cursor *array,
                            size_t count, const char *form)
{
    size_t length = 0;

    if (!attest_json_failed(array))
        attest_json_note(array, attest_json_get_length(&length, array, array->failure->error));
    if (length != count)
        attest_json_refuse(array, "not %s", form);
    for (size_t i = 0; i < count && !attest_json_failed(array); i++)
        element[i] = attest_json_get_element(array, i);
    return !attest_json_failed(array);
}

/* Declares member, the cursor, and value, what the getter reads there. */
#define TAKE(type, zero, getter)                                                               \
    attest_json_cursor member = key ? attest_json_take(object, key) : *object;                 \
    type value = zero;                                                                         \
    if (!attest_json_failed(&member))                                                          \
    attest_json_note(&member, getter(&value, &member, member.failure->error))

const char *attest_json_take_string(const attest_json_cursor *object, const char *key)
{
    TAKE(const char *, "", attest_json_get_string);
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

size_t attest_json_take_count(const attest_json_cursor *object, const char *key,
                              const char *negative)
{
    TAKE(int64_t, 0, attest_json_get_integer);
    if (value < 0)
        attest_json_refuse(&member, "%s", negative);
    return value < 0 ? 0 : (size_t)value;
}

char *attest_json_take_copy(const attest_json_cursor *object, const char *key)
{
    const char *string = attest_json_take_string(object, key);
    char *copy = attest_json_failed(object) ? NULL : attest_memory_copy(string);

    if (!copy && !attest_json_failed(object))
        attest_json_note(object, attest_memory_fail(object->failure->error));
    return copy;
}

int attest_json_take_choice(const attest_json_cursor *object, const char *key,
                            const char *const *name, int count)
{
    attest_json_cursor member = attest_json_take(object, key);
    int value = 0;

    if (!attest_json_failed(object))
        attest_json_note(object, attest_json_get_choice(&value, &member, name, count,
                                                        object->failure->error));
    return value;
}

void attest_json_take_rational(fmpq_t value, const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member = attest_json_take(object, key);

    if (!attest_json_failed(object))
        attest_json_note(object,
                         attest_json_get_rational(value, &member, object->failure->error));
}
