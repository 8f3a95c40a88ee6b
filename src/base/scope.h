/* scope.h -- calls one after another up to the first that fails, and variables that are cleared
 * when their block ends, by return or otherwise.
 *
 *     attest_status attest_thing_read(attest_thing *thing, const char *path, attest_error *e)
 *     {
 *         ATTEST_SCOPED(attest_text, text);
 *         double *value ATTEST_FREED = attest_memory_alloc(COUNT, sizeof *value);
 *
 *         if (!value)
 *             return attest_memory_fail(e);
 *         ATTEST_TRY(attest_text_read(&text, path, e));
 *         return attest_thing_parse(thing, value, &text, e);
 *     }
 */
#ifndef ATTEST_BASE_SCOPE_H
#define ATTEST_BASE_SCOPE_H

#include <stdlib.h>

#include <attest/status.h>

/* Returns from the function with the status of the call unless it is OK. */
#define ATTEST_TRY(call)                                                                       \
    do {                                                                                       \
        attest_status attest_try_status = (call);                                              \
        if (attest_try_status != ATTEST_OK)                                                    \
            return attest_try_status;                                                          \
    } while (0)

/* The same, and runs the statement undo before it returns. */
#define ATTEST_TRY_OR(call, undo)                                                              \
    do {                                                                                       \
        attest_status attest_try_status = (call);                                              \
        if (attest_try_status != ATTEST_OK) {                                                  \
            undo;                                                                              \
            return attest_try_status;                                                          \
        }                                                                                      \
    } while (0)

/* After the name of a variable: clear(&variable) runs at the end of its block. The variable
 * must be initialised before any return. */
#define ATTEST_CLEARED_BY(clear) __attribute__((cleanup(clear)))

/* Declares a variable, and runs type_init(&name) now, with any further arguments, and
 * type_clear(&name) at the end of its block. */
#define ATTEST_SCOPED(type, name, ...)                                                         \
    type name ATTEST_CLEARED_BY(type##_clear);                                                 \
    type##_init(&name, ##__VA_ARGS__)

/* After the name of a pointer: free(pointer) runs at the end of its block. The pointer must be
 * initialised where it is declared. */
#define ATTEST_FREED ATTEST_CLEARED_BY(attest_scope_free)

static inline void attest_scope_free(void *pointer)
{
    free(*(void **)pointer);
}

#endif
