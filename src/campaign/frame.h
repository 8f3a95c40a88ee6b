/* frame.h -- records that know whether they are whole.
 *
 *     attest-record KIND LENGTH SHA256\n PAYLOAD \n
 *
 * The hash is that of the record before it, KIND, LENGTH and PAYLOAD: no bit can change, no
 * record be lost or moved without notice. */
#ifndef ATTEST_CAMPAIGN_FRAME_H
#define ATTEST_CAMPAIGN_FRAME_H

#include <stddef.h>

#include "base/sha256.h"
#include "base/text.h"

enum { ATTEST_FRAME_KIND = 16 };

/* The hash of the latest record of a row of them; all zero before the first. */
typedef struct attest_frame_chain {
    unsigned char hash[ATTEST_SHA256_SIZE];
} attest_frame_chain;

typedef struct attest_frame {
    char kind[ATTEST_FRAME_KIND]; /* a word of lower-case letters */
    const char *payload;
    size_t size;
    size_t total; /* bytes of the whole record */
} attest_frame;

typedef enum attest_frame_state {
    ATTEST_FRAME_WHOLE,
    ATTEST_FRAME_TORN,   /* the bytes end within it */
    ATTEST_FRAME_DAMAGED /* it is not what was written */
} attest_frame_state;

/* Appends the record to text; the chain goes on. Domain: kind is shorter than its room. */
void attest_frame_format(attest_text *text, attest_frame_chain *chain, const char *kind,
                         const char *payload, size_t size);

/* frame = the record at the beginning of bytes[0..size), if it is whole: then the chain goes
 * on. */
attest_frame_state attest_frame_parse(attest_frame *frame, attest_frame_chain *chain,
                                      const char *bytes, size_t size);

#endif
