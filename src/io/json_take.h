/* json_take.h -- reads values from JSON with errors that stick.
 *
 * The first failure sets the error; every later call does nothing and returns 0, false, "" or
 * NULL. The caller checks the status once, at the end:
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
#ifndef ATTEST_IO_JSON_TAKE_H
#define ATTEST_IO_JSON_TAKE_H

#include "io/json_read.h"

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

static inline bool attest_json_failed(const attest_json_cursor *cursor)
{
    return cursor->failure->status != ATTEST_OK;
}

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

/* The value of object.key, or of the cursor itself if key is NULL, with this type
 * (json_read.h). A count below 0 fails with the text negative; the caller frees a copy. */
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
