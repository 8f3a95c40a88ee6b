/* memory.h -- allocation with checked sizes. */
#ifndef ATTEST_BASE_MEMORY_H
#define ATTEST_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>

/* Returns count * size zeroed bytes, or NULL if the product overflows or memory runs out.
 * Never NULL for count = 0. Free with free(). Fault point "alloc". */
void *attest_memory_alloc(size_t count, size_t size);

/* Like realloc to count * size bytes; on NULL the old block is unchanged. Fault point "alloc".
 */
void *attest_memory_resize(void *block, size_t count, size_t size);

/* Makes room for at least needed elements of size bytes in the array that *block, or NULL,
 * points to; *room is its capacity, which grows by half, or to 16, or to needed. block is the
 * address of a pointer of any type. Returns false if memory runs out; then nothing has changed.
 * Fault point "alloc". */
bool attest_memory_grow(void *block, size_t *room, size_t needed, size_t size);

/* A copy of the string, or NULL. Fault point "alloc". */
char *attest_memory_copy(const char *string);

/* The machine's memory in bytes (at least 64 MiB is assumed). */
size_t attest_memory_total(void);

/* Set the error "out of memory" or "FILE: out of memory"; return NOMEM. */
attest_status attest_memory_fail(attest_error *error);
attest_status attest_memory_fail_at(attest_error *error, const char *file);

#endif
