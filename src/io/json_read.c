/* json_read.c -- values of a JSON text, with errors that contain their path and may stick. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "io/json_read.h"
#include "number/rationals.h"
#include "number/scope.h"

attest_json_cursor attest_json_root(const attest_json_document *document)
{
    attest_json_cursor root = {document->tree.root, NULL, NULL, 0, document->budget, NULL};

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

    if (status == ATTEST_OK || !error || !cursor->parent)
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

static attest_json_kind kind_of(const attest_json_cursor *cursor)
{
    return cursor->value ? cursor->value->kind : ATTEST_JSON_NULL;
}

static attest_status wrong_kind(const attest_json_cursor *cursor, attest_error *error,
                                const char *expected)
{
    static const char *const name[] = {
        [ATTEST_JSON_NULL] = "null",       [ATTEST_JSON_FALSE] = "a boolean",
        [ATTEST_JSON_TRUE] = "a boolean",  [ATTEST_JSON_NUMBER] = "a number",
        [ATTEST_JSON_STRING] = "a string", [ATTEST_JSON_ARRAY] = "an array",
        [ATTEST_JSON_OBJECT] = "an object"};

    return attest_json_fail(cursor, error, ATTEST_FORMAT, "%s is expected, this is %s",
                            expected, name[kind_of(cursor)]);
}

bool attest_json_is_object(const attest_json_cursor *cursor)
{
    return kind_of(cursor) == ATTEST_JSON_OBJECT;
}

bool attest_json_is_null(const attest_json_cursor *cursor)
{
    return kind_of(cursor) == ATTEST_JSON_NULL;
}

bool attest_json_failed(const attest_json_cursor *cursor)
{
    return cursor->failure && cursor->failure->status != ATTEST_OK;
}

/* The value under the key of an object, or NULL. */
static const attest_json_node *find(const attest_json_cursor *object, const char *key)
{
    const attest_json_node *child = object->value->child;
    size_t length = strlen(key);

    for (size_t i = 0; i < object->value->count; i++)
        if (child[2 * i].count == length && memcmp(child[2 * i].text, key, length) == 0)
            return &child[2 * i + 1];
    return NULL;
}

bool attest_json_find_member(attest_json_cursor *member, const attest_json_cursor *object,
                             const char *key)
{
    attest_json_cursor found = {NULL, object, key, 0, object->budget, object->failure};

    if (attest_json_is_object(object) && !attest_json_failed(object))
        found.value = find(object, key);
    if (attest_json_is_null(&found))
        return false;
    *member = found;
    return true;
}

attest_status attest_json_get_member(attest_json_cursor *member,
                                     const attest_json_cursor *object, const char *key,
                                     attest_error *error)
{
    if (!attest_json_is_object(object))
        return wrong_kind(object, error, "an object");
    *member = (attest_json_cursor){find(object, key), object,         key, 0,
                                   object->budget,    object->failure};
    if (!member->value)
        return attest_json_fail(object, error, ATTEST_FORMAT, "\"%s\" is missing", key);
    return ATTEST_OK;
}

bool attest_json_get_member_at(attest_json_cursor *member, const attest_json_cursor *object,
                               size_t index)
{
    const attest_json_node *child;

    if (!attest_json_is_object(object) || index >= object->value->count ||
        attest_json_failed(object))
        return false;
    child = object->value->child + 2 * index;
    *member = (attest_json_cursor){child + 1, object,         child->text,
                                   0,         object->budget, object->failure};
    return true;
}

attest_status attest_json_check_format(const attest_json_cursor *object, const char *format,
                                       attest_error *error)
{
    attest_json_cursor member;
    const char *found = NULL;
    char quoted[64];
    int64_t version = 0;

    if (attest_json_is_object(object) && !find(object, "format"))
        return attest_json_fail(object, error, ATTEST_FORMAT,
                                "\"format\" is missing: \"format\": \"%s\", \"version\": 1 "
                                "is expected here (see doc/files.md)",
                                format);
    ATTEST_TRY(attest_json_get_member(&member, object, "format", error));
    ATTEST_TRY(attest_json_get_string(&found, &member, error));
    attest_escape_excerpt(quoted, sizeof quoted, found, strlen(found));
    if (strcmp(found, format) != 0)
        return attest_json_fail(&member, error, ATTEST_FORMAT,
                                "\"%s\" is expected, this is \"%s\"", format, quoted);
    ATTEST_TRY(attest_json_get_member(&member, object, "version", error));
    ATTEST_TRY(attest_json_get_integer(&version, &member, error));
    if (version != 1)
        return attest_json_fail(&member, error, ATTEST_FORMAT,
                                "version 1 is expected, this is version %lld",
                                (long long)version);
    return ATTEST_OK;
}

attest_status attest_json_get_length(size_t *length, const attest_json_cursor *array,
                                     attest_error *error)
{
    if (kind_of(array) != ATTEST_JSON_ARRAY)
        return wrong_kind(array, error, "an array");
    *length = array->value->count;
    return ATTEST_OK;
}

attest_json_cursor attest_json_get_element(const attest_json_cursor *array, size_t index)
{
    attest_json_cursor element = {
        array->value->child + index, array, NULL, index, array->budget, array->failure};

    return element;
}

attest_status attest_json_get_string(const char **string, const attest_json_cursor *cursor,
                                     attest_error *error)
{
    if (kind_of(cursor) != ATTEST_JSON_STRING)
        return wrong_kind(cursor, error, "a string");
    *string = cursor->value->text;
    return ATTEST_OK;
}

attest_status attest_json_get_text(const char **text, const attest_json_cursor *cursor,
                                   attest_error *error)
{
    if (kind_of(cursor) == ATTEST_JSON_ARRAY || kind_of(cursor) == ATTEST_JSON_OBJECT)
        return wrong_kind(cursor, error, "a string or a number");
    *text = cursor->value ? cursor->value->text : "null";
    return ATTEST_OK;
}

attest_status attest_json_get_bool(bool *value, const attest_json_cursor *cursor,
                                   attest_error *error)
{
    if (kind_of(cursor) != ATTEST_JSON_TRUE && kind_of(cursor) != ATTEST_JSON_FALSE)
        return wrong_kind(cursor, error, "true or false");
    *value = kind_of(cursor) == ATTEST_JSON_TRUE;
    return ATTEST_OK;
}

static bool is_integer(const attest_json_cursor *cursor)
{
    return kind_of(cursor) == ATTEST_JSON_NUMBER && !strpbrk(cursor->value->text, ".eE");
}

attest_status attest_json_get_integer(int64_t *value, const attest_json_cursor *cursor,
                                      attest_error *error)
{
    if (!is_integer(cursor))
        return wrong_kind(cursor, error, "an integer");
    errno = 0;
    *value = strtoll(cursor->value->text, NULL, 10);
    if (errno)
        return attest_json_fail(cursor, error, ATTEST_FORMAT,
                                "this integer does not fit into 64 bits");
    return ATTEST_OK;
}

attest_status attest_json_get_size(size_t *value, const attest_json_cursor *cursor,
                                   attest_error *error)
{
    unsigned long long number;

    if (!is_integer(cursor) || cursor->value->text[0] == '-')
        return wrong_kind(cursor, error, "a whole number >= 0");
    errno = 0;
    number = strtoull(cursor->value->text, NULL, 10);
    if (errno || number > SIZE_MAX)
        return attest_json_fail(cursor, error, ATTEST_FORMAT,
                                "a number below 2^%zu is expected", 8 * sizeof *value);
    *value = (size_t)number;
    return ATTEST_OK;
}

attest_status attest_json_get_choice(int *value, const attest_json_cursor *cursor,
                                     const char *const *name, int count, attest_error *error)
{
    const char *found = NULL;
    char list[200] = "", quoted[64];

    ATTEST_TRY(attest_json_get_string(&found, cursor, error));
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

attest_status attest_json_get_rational(fmpq_t value, const attest_json_cursor *cursor,
                                       attest_error *error)
{
    if (kind_of(cursor) != ATTEST_JSON_NUMBER && kind_of(cursor) != ATTEST_JSON_STRING)
        return wrong_kind(cursor, error, "a number");
    return attest_json_locate(cursor, error,
                              attest_number_parse(value, cursor->value->text,
                                                  cursor->value->count, cursor->budget, error));
}

/* A whole JSON text: parsed, and checked for repeated keys. */

static int compare_keys(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Refuses an object that has a key twice. The keys are sorted rather than hashed, because a
 * hash table would be slow for keys that were chosen to collide. */
static attest_status check_keys(const attest_json_cursor *object, attest_error *error)
{
    const attest_json_node *node = object->value;
    const char **key ATTEST_FREED = NULL;

    /* Nothing else is charged before the keys are freed. */
    ATTEST_TRY(attest_budget_charge(object->budget, node->count * sizeof(char *), error));
    attest_budget_give_back(object->budget, node->count * sizeof(char *));
    key = attest_memory_alloc(node->count, sizeof *key);
    if (!key)
        return attest_memory_fail(error);
    for (size_t i = 0; i < node->count; i++)
        key[i] = node->child[2 * i].text;
    qsort(key, node->count, sizeof *key, compare_keys);
    for (size_t i = 1; i < node->count; i++)
        if (strcmp(key[i - 1], key[i]) == 0)
            return attest_json_fail(object, error, ATTEST_FORMAT,
                                    "the same key stands twice in this object");
    return ATTEST_OK;
}

/* Checks all objects in the value; the depth of the tree bounds the recursion. */
static attest_status check_all_keys(const attest_json_cursor *cursor, attest_error *error)
{
    const attest_json_node *node = cursor->value;
    bool object = node->kind == ATTEST_JSON_OBJECT;

    if (object)
        ATTEST_TRY(check_keys(cursor, error));
    for (size_t i = 0; i < node->count; i++) {
        attest_json_cursor inner;
        if (object)
            (void)attest_json_get_member_at(&inner, cursor, i);
        else
            inner = attest_json_get_element(cursor, i);
        if (inner.value->kind == ATTEST_JSON_ARRAY || inner.value->kind == ATTEST_JSON_OBJECT)
            ATTEST_TRY(check_all_keys(&inner, error));
    }
    return ATTEST_OK;
}

static attest_status parse(attest_json_document *document, const char *text, size_t size,
                           attest_error *error)
{
    attest_json_cursor root;

    ATTEST_TRY(attest_json_tree_parse(&document->tree, text, size, document->budget, error));
    if (document->budget && document->tree.numbers > document->budget->left)
        return attest_budget_charge(document->budget, SIZE_MAX, error);
    root = attest_json_root(document);
    if (!attest_json_is_object(&root))
        return attest_error_set(
            error, ATTEST_FORMAT,
            "this is not a JSON object (files.md of the manual describes them)");
    return check_all_keys(&root, error);
}

attest_status attest_json_document_parse(attest_json_document *document, const char *text,
                                         size_t size, attest_budget *budget,
                                         attest_error *error)
{
    memset(document, 0, sizeof *document);
    document->budget = budget;
    ATTEST_TRY_OR(parse(document, text, size, error), attest_json_document_clear(document));
    return ATTEST_OK;
}

static attest_status read_by(attest_input_opener *open, attest_json_document *document,
                             const char *path, attest_budget *budget, attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    memset(document, 0, sizeof *document);
    ATTEST_TRY(open(&input, path, attest_budget_left(budget), error));
    return attest_input_locate(&input,
                               attest_json_document_parse(document, (const char *)input.data,
                                                          input.size, budget, error),
                               error);
}

attest_status attest_json_document_read(attest_json_document *document, const char *path,
                                        attest_budget *budget, attest_error *error)
{
    return read_by(attest_input_open, document, path, budget, error);
}

attest_status attest_json_document_read_file(attest_json_document *document, const char *path,
                                             attest_budget *budget, attest_error *error)
{
    return read_by(attest_input_open_file, document, path, budget, error);
}

void attest_json_document_clear(attest_json_document *document)
{
    attest_json_tree_clear(&document->tree, document->budget);
    memset(document, 0, sizeof *document);
}

/* Errors that stick. */

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
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    ATTEST_TRY(attest_input_open(&input, path, attest_budget_left(budget), error));
    return attest_input_locate(&input,
                               attest_json_parse_value(value, set, (const char *)input.data,
                                                       input.size, budget, error),
                               error);
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
