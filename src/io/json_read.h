/* json_read.h -- values of a JSON text, with errors that contain their path and may stick.
 *
 * A document contains the whole text as a tree. A cursor is a value in it with its path: the
 * cursor of a member or an element points to the cursor of its parent, which must outlive it.
 * The path is formatted only when an error needs it:
 *
 *     sequences[3][0][1]: "1/0" has a zero denominator
 *
 * Every getter fails with FORMAT and such a text if the value has another type. */
#ifndef ATTEST_IO_JSON_READ_H
#define ATTEST_IO_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>
#include <attest/number.h>

#include "io/json_read.h"
#include "io/json_tree.h"

typedef struct attest_json_document {
    attest_json_tree tree; /* an object */
    attest_budget *budget;
} attest_json_document;

/* The first failure of a reader whose errors stick. */
typedef struct attest_json_failure {
    attest_status status;
    attest_error *error;
} attest_json_failure;

typedef struct attest_json_cursor {
    const attest_json_node *value; /* NULL is like null */
    const struct attest_json_cursor *parent;
    const char *key; /* NULL: element index of the parent */
    size_t index;
    attest_budget *budget;        /* charged for numbers */
    attest_json_failure *failure; /* NULL unless errors stick */
} attest_json_cursor;

/* Parses the text, which must be one object and may be freed afterwards. The budget (NULL:
 * unlimited) is charged for the tree before it is built; a text whose numbers would exceed it
 * is rejected at once. Status: FORMAT (also for a key that an object has twice), UNABLE,
 * NOMEM; the error contains the position. */
attest_status attest_json_document_parse(attest_json_document *document, const char *text,
                                         size_t size, attest_budget *budget,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Reads and parses a file; "-" is standard input. The error's text begins with the path.
 * Status: also IO. */
attest_status attest_json_document_read(attest_json_document *document, const char *path,
                                        attest_budget *budget,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Reads and parses a file that the user did not name; it must be a regular file (base/file.h).
 * Status: also USAGE. */
attest_status attest_json_document_read_file(attest_json_document *document, const char *path,
                                             attest_budget *budget,
                                             attest_error *error) ATTEST_WARN_UNUSED;
void attest_json_document_clear(attest_json_document *document);

/* The whole document. */
attest_json_cursor attest_json_root(const attest_json_document *document);

/* Sets *error to "path: ..." and returns status. */
attest_status attest_json_fail(const attest_json_cursor *cursor, attest_error *error,
                               attest_status status, const char *format, ...)
    ATTEST_PRINTF(4, 5);

/* Puts "path: " before *error's text unless status is OK; returns status. */
attest_status attest_json_locate(const attest_json_cursor *cursor, attest_error *error,
                                 attest_status status);

/* Checks that "format" is the given one and "version" is 1. */
attest_status attest_json_check_format(const attest_json_cursor *object, const char *format,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* member = object.key, which must exist. */
attest_status attest_json_get_member(attest_json_cursor *member,
                                     const attest_json_cursor *object, const char *key,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* member = object.key if it exists. Returns false if the member is missing or null, object is
 * no JSON object, or an earlier failure sticks. */
bool attest_json_find_member(attest_json_cursor *member, const attest_json_cursor *object,
                             const char *key);

/* member = the member number index in the order of the text; its key is member->key. False:
 * there is no such member, object is no JSON object, or an earlier failure sticks. */
bool attest_json_get_member_at(attest_json_cursor *member, const attest_json_cursor *object,
                               size_t index);

bool attest_json_is_object(const attest_json_cursor *cursor);
bool attest_json_is_null(const attest_json_cursor *cursor);

/* The number of elements of an array. */
attest_status attest_json_get_length(size_t *length, const attest_json_cursor *array,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* array[index]. Domain: an array, index < its length. */
attest_json_cursor attest_json_get_element(const attest_json_cursor *array, size_t index);

/* Strings are UTF-8 without zero bytes; they belong to the document. */
attest_status attest_json_get_string(const char **string, const attest_json_cursor *cursor,
                                     attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_json_get_bool(bool *value, const attest_json_cursor *cursor,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Integers without point and exponent that fit; a size is not negative. */
attest_status attest_json_get_integer(int64_t *value, const attest_json_cursor *cursor,
                                      attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_json_get_size(size_t *value, const attest_json_cursor *cursor,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* A string, or the JSON text of any other value that is not an array or object. */
attest_status attest_json_get_text(const char **text, const attest_json_cursor *cursor,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* value = the index of the string in name[0..count). */
attest_status attest_json_get_choice(int *value, const attest_json_cursor *cursor,
                                     const char *const *name, int count,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* A number as number.h reads it, from a string or a JSON number. Exact. Status: also UNABLE. */
attest_status attest_json_get_rational(fmpq_t value, const attest_json_cursor *cursor,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Errors that stick: the first failure sets the error; every later call does nothing and
 * returns 0, false, "" or NULL. The caller checks the status once, at the end:
 *
 *     static void set(void *value, const attest_json_cursor *object)
 *     {
 *         attest_thing *thing = value;
 *
 *         attest_json_take_format(object, "attest/thing");
 *         thing->name = attest_json_take_copy(object, "name");
 *         thing->size = attest_json_take_size(object, "size");
 *         if (attest_json_failed(object))
 *             attest_thing_clear(thing);
 *     }
 *     ...
 *     return attest_json_read_value(&thing, set, path, budget, error);
 *
 * Cursors made from one that has a failure share it. */

/* The root of a document; *failure becomes {ATTEST_OK, error}. */
attest_json_cursor attest_json_begin(const attest_json_document *document,
                                     attest_json_failure *failure, attest_error *error);

/* Sets value to what the object contains. */
typedef void attest_json_setter(void *value, const attest_json_cursor *object);

/* set(value, the whole text). Status: as attest_json_document_parse, or the failure of set. */
attest_status attest_json_parse_value(void *value, attest_json_setter *set, const char *text,
                                      size_t size, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* set(value, the contents of the file); "-" is standard input. The error's text begins with its
 * name. Status: also IO. */
attest_status attest_json_read_value(void *value, attest_json_setter *set, const char *path,
                                     attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Returns whether there was a failure that sticks. */
bool attest_json_failed(const attest_json_cursor *cursor);

/* Fails with FORMAT, or this status, and the text "path: ...", unless there was a failure
 * before. */
void attest_json_refuse(const attest_json_cursor *cursor, const char *format, ...)
    ATTEST_PRINTF(2, 3);
void attest_json_refuse_as(const attest_json_cursor *cursor, attest_status status,
                           const char *format, ...) ATTEST_PRINTF(3, 4);

/* Fails with "out of memory", unless there was a failure before. */
void attest_json_note_memory(const attest_json_cursor *cursor);

/* Fails with this status, whose error is set already, unless there was a failure before. */
void attest_json_note(const attest_json_cursor *cursor, attest_status status);

/* Makes the call, whose last argument is the cursor's error, and notes its status, unless
 * there was a failure before. ATTEST_JSON_NOTE_AT also puts the path before the error's text.
 */
#define ATTEST_JSON_NOTE(cursor, call)                                                         \
    do {                                                                                       \
        if (!attest_json_failed(cursor))                                                       \
            attest_json_note(cursor, call);                                                    \
    } while (0)
#define ATTEST_JSON_NOTE_AT(cursor, call)                                                      \
    do {                                                                                       \
        if (!attest_json_failed(cursor)) {                                                     \
            attest_json_note(cursor, call);                                                    \
            if (attest_json_failed(cursor))                                                    \
                attest_json_locate(cursor, (cursor)->failure->error,                           \
                                   (cursor)->failure->status);                                 \
        }                                                                                      \
    } while (0)

/* Checks that "format" is the given one and "version" is 1. */
void attest_json_take_format(const attest_json_cursor *object, const char *format);

/* Returns object.key; fails if it is missing. */
attest_json_cursor attest_json_take(const attest_json_cursor *object, const char *key);

/* Returns whether object.key exists and is not null. */
bool attest_json_has(const attest_json_cursor *object, const char *key);

/* The number of elements of an array. An empty one fails with "WHAT is empty" unless what is
 * NULL. Elements: attest_json_get_element. */
size_t attest_json_take_length(const attest_json_cursor *array, const char *what);

/* The count elements of an array; false after a failure, which is "not FORM" if the array has
 * another length. */
bool attest_json_take_tuple(attest_json_cursor *element, const attest_json_cursor *array,
                            size_t count, const char *form);

/* The value of object.key, or of the cursor itself if key is NULL, with this type. A
 * count below 0 fails with the text negative; the caller frees a copy. */
const char *attest_json_take_string(const attest_json_cursor *object, const char *key);
const char *attest_json_take_text(const attest_json_cursor *object, const char *key);
char *attest_json_take_copy(const attest_json_cursor *object, const char *key);
bool attest_json_take_bool(const attest_json_cursor *object, const char *key);
int64_t attest_json_take_integer(const attest_json_cursor *object, const char *key);
size_t attest_json_take_size(const attest_json_cursor *object, const char *key);
uint64_t attest_json_take_count(const attest_json_cursor *object, const char *key,
                                const char *negative);
int attest_json_take_choice(const attest_json_cursor *object, const char *key,
                            const char *const *name, int count);
void attest_json_take_rational(fmpq_t value, const attest_json_cursor *object, const char *key);

/* The copy of a string that may be missing: NULL. */
char *attest_json_take_optional(const attest_json_cursor *object, const char *key);

/* rational[i] = array[i] for i < length. Domain: an array of at least that length. */
void attest_json_take_rationals(fmpq *rational, const attest_json_cursor *array, size_t length);

/* numerator[i] / denominator = rational[i] for i < count, over the least common denominator.
 * The budget is charged; errors are those of the value. */
void attest_json_take_common(fmpz *numerator, fmpz_t denominator, const fmpq *rational,
                             size_t count, const attest_json_cursor *value);

/* numerator[i] / denominator = array[i] for i < length. Domain: as take_rationals. */
void attest_json_take_fractions(fmpz *numerator, fmpz_t denominator,
                                const attest_json_cursor *array, size_t length);

#endif
