/* entry.h -- the result of one chunk with its place in the campaign: what workers send, and
 * journals keep. */
#ifndef ATTEST_CAMPAIGN_ENTRY_H
#define ATTEST_CAMPAIGN_ENTRY_H

#include "base/text.h"
#include "campaign/chunk_result.h"

typedef struct attest_entry {
    size_t property; /* its place in the plan */
    uint64_t number; /* of the chunk */
    attest_chunk_result result;
} attest_entry;

void attest_entry_init(attest_entry *entry);
void attest_entry_clear(attest_entry *entry);

/* The entry as a JSON object; the caller frees it. NULL: out of memory. */
char *attest_entry_format(const attest_entry *entry);

/* Enters the seconds in the text of an entry that was formatted with 0. Only the campaign knows
 * them, only the worker has the rest: so an entry is formatted once, and what is received is
 * what is kept. Status: FORMAT (the text does not end as such a text does), NOMEM. */
attest_status attest_entry_set_seconds(attest_text *text, double seconds,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* entry (initialised) = the object in text[0..size). The budget (NULL: unlimited) bounds the
 * memory that parsing takes. Status: FORMAT, UNABLE, NOMEM; then it is empty. */
attest_status attest_entry_parse(attest_entry *entry, const char *text, size_t size,
                                 attest_budget *budget, attest_error *error) ATTEST_WARN_UNUSED;

#endif
