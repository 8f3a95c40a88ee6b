/* campaign_record.h -- the result of one chunk, as workers send it and journals keep it.
 *
 * A record is a JSON object. In pipes and journals it stands in a frame with its length and a
 * hash, so that a reader notices when bytes are missing or changed:
 *
 *     attest-record KIND LENGTH SHA256\n PAYLOAD \n
 *
 * The hash covers the hash of the frame before it, KIND, LENGTH and PAYLOAD: no frame can be
 * changed, lost or moved unnoticed. */
#ifndef ATTEST_CAMPAIGN_CAMPAIGN_RECORD_H
#define ATTEST_CAMPAIGN_CAMPAIGN_RECORD_H

#include <stddef.h>

#include "base/sha256.h"
#include "base/text.h"
#include "campaign/chunk_result.h"

typedef struct attest_campaign_record {
    size_t property; /* its index in the plan */
    uint64_t number; /* of the chunk */
    attest_chunk_result result;
} attest_campaign_record;

void attest_campaign_record_init(attest_campaign_record *record);
void attest_campaign_record_clear(attest_campaign_record *record);

/* Returns the record as a JSON object, which the caller frees; NULL: out of memory. */
char *attest_campaign_record_format(const attest_campaign_record *record);

/* Replaces the seconds in the text of a record that was formatted with 0 seconds. A worker
 * formats its record once; the campaign, which measures the time, enters it and keeps the text.
 * Status: FORMAT (the text does not end like that of a record), NOMEM. */
attest_status attest_campaign_record_set_seconds(attest_text *text, double seconds,
                                                 attest_error *error) ATTEST_WARN_UNUSED;

/* record (initialised) = the object in text[0..size). The budget (NULL: unlimited) bounds the
 * memory of the parser. Status: FORMAT, UNABLE, NOMEM; then the record is empty. */
attest_status attest_campaign_record_parse(attest_campaign_record *record, const char *text,
                                           size_t size, attest_budget *budget,
                                           attest_error *error) ATTEST_WARN_UNUSED;

enum { ATTEST_FRAME_KIND = 16 };

/* The hash of the latest frame; all zero before the first. */
typedef struct attest_frame_chain {
    unsigned char hash[ATTEST_SHA256_SIZE];
} attest_frame_chain;

typedef struct attest_frame {
    char kind[ATTEST_FRAME_KIND]; /* a word of lower-case letters */
    const char *payload;
    size_t size;  /* of the payload */
    size_t total; /* bytes of the whole frame */
} attest_frame;

typedef enum attest_frame_state {
    ATTEST_FRAME_WHOLE,
    ATTEST_FRAME_TORN,   /* the bytes end within the frame */
    ATTEST_FRAME_DAMAGED /* the bytes are not those that were written */
} attest_frame_state;

/* Appends a frame to text and sets the chain to its hash. Domain: kind has fewer than
 * ATTEST_FRAME_KIND letters. */
void attest_frame_format(attest_text *text, attest_frame_chain *chain, const char *kind,
                         const char *payload, size_t size);

/* frame = the frame at the beginning of bytes[0..size), if it is whole; then the chain is set
 * to its hash. */
attest_frame_state attest_frame_parse(attest_frame *frame, attest_frame_chain *chain,
                                      const char *bytes, size_t size);

#endif
