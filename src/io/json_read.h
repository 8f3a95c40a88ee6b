/* json_read.h -- values of a JSON text, with errors that contain their path.
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
    attest_json_failure *failure; /* NULL unless errors stick (json_take.h) */
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

/* Puts "path: " before *error's text and returns status. */
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

#endif
