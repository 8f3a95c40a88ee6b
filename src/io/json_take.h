/* json_take.h -- reads values from JSON with errors that stick.
 *
 * The first failure sets the error; every later call does nothing and returns 0, false, "" or
 * NULL. The caller looks at the status once, at the end. The cursor that a reader starts from
 * has a failure {ATTEST_OK, error}; cursors made from it share that. */
#ifndef ATTEST_IO_JSON_TAKE_H
#define ATTEST_IO_JSON_TAKE_H

#include "io/json_read.h"

typedef struct attest_json_failure {
    attest_status status;
    attest_error *error;
} attest_json_failure;

static inline bool attest_json_failed(const attest_json_cursor *cursor)
{
    return cursor->failure->status != ATTEST_OK;
}

/* Fails with FORMAT and the text "path: ...", unless there was a failure before. */
void attest_json_refuse(const attest_json_cursor *cursor, const char *format, ...)
    ATTEST_PRINTF(2, 3);

/* Fails with this status, whose error is set already, unless there was a failure before. */
void attest_json_note(const attest_json_cursor *cursor, attest_status status);

/* object.key; fails where it is missing. */
attest_json_cursor attest_json_take(const attest_json_cursor *object, const char *key);

/* Whether object.key is there and not null. */
bool attest_json_has(const attest_json_cursor *object, const char *key);

/* The count elements of an array; false after a failure, which is "not FORM" where the array
 * has another length. */
bool attest_json_take_tuple(attest_json_cursor *element, const attest_json_cursor *array,
                            size_t count, const char *form);

/* object.key, or the value at the cursor itself where key is NULL, as a value of this kind. A
 * count below 0 fails with the text negative; a copy is freed by the caller. */
const char *attest_json_take_string(const attest_json_cursor *object, const char *key);
char *attest_json_take_copy(const attest_json_cursor *object, const char *key);
bool attest_json_take_bool(const attest_json_cursor *object, const char *key);
int64_t attest_json_take_integer(const attest_json_cursor *object, const char *key);
size_t attest_json_take_count(const attest_json_cursor *object, const char *key,
                              const char *negative);
int attest_json_take_choice(const attest_json_cursor *object, const char *key,
                            const char *const *name, int count);
void attest_json_take_rational(fmpq_t value, const attest_json_cursor *object, const char *key);

#endif
