/* json_read.c -- values out of a JSON text, with errors that say where they stand. */
#include "io/json_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "base/escape.h"
#include "base/text.h"

attest_json_cursor attest_json_root(const attest_json_document *document)
{
    attest_json_cursor root = {document->root, NULL, NULL, 0, document->budget};

    return root;
}

static void write_path(attest_text *path, const attest_json_cursor *cursor)
{
    char key[48] = "";

    if (!cursor->parent)
        return;
    write_path(path, cursor->parent);
    if (cursor->key)
        attest_escape_excerpt(key, sizeof key, cursor->key, strlen(cursor->key));
    if (!cursor->key)
        attest_text_printf(path, "[%zu]", cursor->index);
    else
        attest_text_printf(path, "%s%s", path->size ? "." : "", key);
}

attest_status attest_json_locate(const attest_json_cursor *cursor, attest_error *error,
                                 attest_status status)
{
    attest_text path;

    if (!error || !cursor->parent)
        return status;
    attest_text_init(&path);
    write_path(&path, cursor);
    if (path.data)
        attest_error_prefix(error, status, path.data);
    attest_text_clear(&path);
    return status;
}

attest_status attest_json_fail(const attest_json_cursor *cursor, attest_error *error,
                               attest_status status, const char *format, ...)
{
    char text[ATTEST_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    attest_error_set(error, status, "%s", text);
    return attest_json_locate(cursor, error, status);
}

static const char *kind(const attest_json_cursor *cursor)
{
    switch (json_object_get_type(cursor->value)) {
    case json_type_null:
        return "null";
    case json_type_boolean:
        return "a boolean";
    case json_type_double:
    case json_type_int:
        return "a number";
    case json_type_object:
        return "an object";
    case json_type_array:
        return "an array";
    default:
        return "a string";
    }
}

static attest_status wrong_kind(const attest_json_cursor *cursor, attest_error *error,
                                const char *expected)
{
    return attest_json_fail(cursor, error, ATTEST_FORMAT, "%s is expected, this is %s",
                            expected, kind(cursor));
}

bool attest_json_is_object(const attest_json_cursor *cursor)
{
    return json_object_is_type(cursor->value, json_type_object);
}

bool attest_json_find_member(attest_json_cursor *member, const attest_json_cursor *object,
                             const char *key)
{
    struct json_object *value;

    if (!attest_json_is_object(object) ||
        !json_object_object_get_ex(object->value, key, &value) || !value)
        return false;
    *member = (attest_json_cursor){value, object, key, 0, object->budget};
    return true;
}

attest_status attest_json_get_member(attest_json_cursor *member,
                                     const attest_json_cursor *object, const char *key,
                                     attest_error *error)
{
    if (!attest_json_is_object(object))
        return wrong_kind(object, error, "an object");
    if (!json_object_object_get_ex(object->value, key, NULL))
        return attest_json_fail(object, error, ATTEST_FORMAT, "\"%s\" is missing", key);
    *member = (attest_json_cursor){NULL, object, key, 0, object->budget};
    json_object_object_get_ex(object->value, key, &member->value);
    return ATTEST_OK;
}

attest_status attest_json_check_format(const attest_json_cursor *object, const char *format,
                                       attest_error *error)
{
    attest_json_cursor member;
    const char *found = NULL;
    char quoted[64];
    int64_t version = 0;
    attest_status status = attest_json_get_member(&member, object, "format", error);

    if (status == ATTEST_OK)
        status = attest_json_get_string(&found, &member, error);
    if (status != ATTEST_OK)
        return status;
    attest_escape_excerpt(quoted, sizeof quoted, found, strlen(found));
    if (strcmp(found, format) != 0)
        return attest_json_fail(&member, error, ATTEST_FORMAT,
                                "\"%s\" is expected, this is \"%s\"", format, quoted);
    status = attest_json_get_member(&member, object, "version", error);
    if (status == ATTEST_OK)
        status = attest_json_get_integer(&version, &member, error);
    if (status == ATTEST_OK && version != 1)
        status =
            attest_json_fail(&member, error, ATTEST_FORMAT,
                             "version 1 is expected, this is version %lld", (long long)version);
    return status;
}

attest_status attest_json_get_length(size_t *length, const attest_json_cursor *array,
                                     attest_error *error)
{
    if (!json_object_is_type(array->value, json_type_array))
        return wrong_kind(array, error, "an array");
    *length = json_object_array_length(array->value);
    return ATTEST_OK;
}

const char *attest_json_get_key(const attest_json_cursor *object, size_t index)
{
    if (!attest_json_is_object(object))
        return NULL;
    json_object_object_foreach(object->value, key, value)
    {
        (void)value;
        if (index-- == 0)
            return key;
    }
    return NULL;
}

attest_json_cursor attest_json_get_element(const attest_json_cursor *array, size_t index)
{
    attest_json_cursor element = {json_object_array_get_idx(array->value, index), array, NULL,
                                  index, array->budget};

    return element;
}

attest_status attest_json_get_string(const char **string, const attest_json_cursor *cursor,
                                     attest_error *error)
{
    if (!json_object_is_type(cursor->value, json_type_string))
        return wrong_kind(cursor, error, "a string");
    *string = json_object_get_string(cursor->value);
    return ATTEST_OK;
}

attest_status attest_json_get_bool(bool *value, const attest_json_cursor *cursor,
                                   attest_error *error)
{
    if (!json_object_is_type(cursor->value, json_type_boolean))
        return wrong_kind(cursor, error, "true or false");
    *value = json_object_get_boolean(cursor->value);
    return ATTEST_OK;
}

attest_status attest_json_get_integer(int64_t *value, const attest_json_cursor *cursor,
                                      attest_error *error)
{
    if (!json_object_is_type(cursor->value, json_type_int))
        return wrong_kind(cursor, error, "an integer");
    *value = json_object_get_int64(cursor->value);
    return ATTEST_OK;
}

attest_status attest_json_get_choice(int *value, const attest_json_cursor *cursor,
                                     const char *const *name, int count, attest_error *error)
{
    const char *found = NULL;
    attest_status status = attest_json_get_string(&found, cursor, error);
    char list[200] = "", quoted[64];

    if (status != ATTEST_OK)
        return status;
    for (int i = 0; i < count; i++) {
        size_t used = strlen(list);
        if (strcmp(found, name[i]) == 0) {
            *value = i;
            return ATTEST_OK;
        }
        snprintf(list + used, sizeof list - used, "%s\"%s\"", i ? " or " : "", name[i]);
    }
    attest_escape_excerpt(quoted, sizeof quoted, found, strlen(found));
    return attest_json_fail(cursor, error, ATTEST_FORMAT, "%s is expected, this is \"%s\"",
                            list, quoted);
}

/* An integer that json-c has converted. It keeps -2^63 ... 2^64-1, and the scan has refused
 * what it would not keep. */
static void set_integer(fmpq_t value, struct json_object *object)
{
    int64_t number = json_object_get_int64(object);

    fmpz_one(fmpq_denref(value));
    if (number == INT64_MAX)
        fmpz_set_ui(fmpq_numref(value), json_object_get_uint64(object));
    else
        fmpz_set_si(fmpq_numref(value), number);
}

attest_status attest_json_get_rational(fmpq_t value, const attest_json_cursor *cursor,
                                       attest_error *error)
{
    struct json_object *object = cursor->value;
    const char *text;
    attest_status status;

    switch (json_object_get_type(object)) {
    case json_type_int:
        status = attest_budget_charge(cursor->budget, sizeof(fmpq), error);
        if (status == ATTEST_OK)
            set_integer(value, object);
        break;
    case json_type_double:
        /* The text as it stands in the file; json-c keeps it beside the double. */
        text = json_object_get_userdata(object);
        text = text ? text : json_object_to_json_string(object);
        status = attest_number_parse(value, text, strlen(text), cursor->budget, error);
        break;
    case json_type_string:
        status = attest_number_parse(value, json_object_get_string(object),
                                     (size_t)json_object_get_string_len(object), cursor->budget,
                                     error);
        break;
    default:
        return wrong_kind(cursor, error, "a number");
    }
    return status == ATTEST_OK ? ATTEST_OK : attest_json_locate(cursor, error, status);
}

attest_status attest_json_get_filled(size_t *length, const attest_json_cursor *array,
                                     const char *what, attest_error *error)
{
    attest_status status = attest_json_get_length(length, array, error);

    if (status == ATTEST_OK && *length == 0)
        status = attest_json_fail(array, error, ATTEST_FORMAT, "%s is empty", what);
    return status;
}

attest_status attest_json_get_rationals(fmpq *rational, const attest_json_cursor *array,
                                        size_t length, attest_error *error)
{
    attest_status status = ATTEST_OK;

    for (size_t i = 0; i < length && status == ATTEST_OK; i++) {
        attest_json_cursor element = attest_json_get_element(array, i);
        status = attest_json_get_rational(rational + i, &element, error);
    }
    return status;
}
