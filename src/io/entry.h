/* entry.h -- the result of one chunk with its place in the campaign: what workers send, and
 * journals keep. */
#ifndef ATTEST_IO_ENTRY_H
#define ATTEST_IO_ENTRY_H

#include "base/text.h"
#include "io/chunk_result.h"

typedef struct attest_entry {
    size_t property; /* its place in the plan */
    uint64_t number; /* of the chunk */
    attest_chunk_result result;
} attest_entry;

void attest_entry_init(attest_entry *entry);
void attest_entry_clear(attest_entry *entry);

/* The entry as a JSON object; the caller frees it. NULL: out of memory. */
char *attest_entry_format(const attest_entry *entry);

/* entry (initialised) = the object in text[0..size). Status: FORMAT, NOMEM; then it is empty.
 */
attest_status attest_entry_parse(attest_entry *entry, const char *text, size_t size,
                                 attest_error *error) ATTEST_WARN_UNUSED;

#endif
