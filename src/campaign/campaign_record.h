/* campaign_record.h -- the results of the trials of one or more chunks, and the record of one
 * chunk, as workers send it and journals keep it.
 *
 * A record is a JSON object. In pipes and journals it stands in a frame with its length and a
 * hash, so that a reader detects missing or changed bytes:
 *
 *     attest-record KIND LENGTH SHA256\nPAYLOAD\n
 *
 * The hash covers the hash of the frame before it, KIND, LENGTH and PAYLOAD: no frame can be
 * changed, lost or moved without being detected. */
#ifndef ATTEST_CAMPAIGN_CAMPAIGN_RECORD_H
#define ATTEST_CAMPAIGN_CAMPAIGN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>

#include "base/sha256.h"
#include "base/text.h"
#include "io/json_read.h"
#include "io/json_write.h"

typedef enum attest_death_kind {
    ATTEST_DEATH_MEMORY = 0, /* out of memory */
    ATTEST_DEATH_TIMEOUT,
    ATTEST_DEATH_SIGNAL,
    ATTEST_DEATH_EXIT /* it called exit */
} attest_death_kind;

/* Returns "memory", "timeout", "signal" or "exit". */
const char *attest_death_kind_name(attest_death_kind kind);

/* A trial at which the worker died. */
typedef struct attest_death {
    attest_death_kind kind;
    int detail; /* the signal, or the exit code */
    uint64_t trial;
    uint64_t seed;
    bool shrinking; /* a violation was being shrunk: */
    uint64_t steps; /* this many attempts ended before */
} attest_death;

typedef struct attest_label_count {
    char *name;
    uint64_t count;
} attest_label_count;

/* A violation, shrunk, as the text of a counterexample file. */
typedef struct attest_violation {
    uint64_t trial;
    double margin; /* NAN: none */
    char *reason;
    char *text;
    uint64_t more; /* further trials that were shrunk to the same instance */
    /* The shrunk instance was not violated when it was decided again; text, margin and reason
     * are those of the trial's own instance. */
    bool flaky;
} attest_violation;

typedef struct attest_chunk_result {
    uint64_t passed, failed, discarded, undecided;
    uint64_t searched; /* of those that passed: chosen by guided search, not drawn at random */
    size_t labels;
    attest_label_count *label; /* in the order of first appearance */
    bool has_tightest;         /* the least margin of all trials, and its instance: */
    double tightest;
    char *tightest_text;
    char *open_reason; /* of the first undecided trial, or NULL */
    size_t violations;
    attest_violation *violation;
    size_t deaths;
    attest_death *death;
    char *observations; /* JSON Lines, or NULL */
    double seconds;     /* its share of the time of the campaign */
} attest_chunk_result;

void attest_chunk_result_init(attest_chunk_result *result);
void attest_chunk_result_clear(attest_chunk_result *result);

/* Adds count to the label of this name. Status: NOMEM. */
attest_status attest_chunk_result_add_label(attest_chunk_result *result, const char *name,
                                            uint64_t count) ATTEST_WARN_UNUSED;

/* Appends a violation and takes over its texts, whatever the status. Status: NOMEM (also if a
 * text is NULL). */
attest_status
attest_chunk_result_add_violation(attest_chunk_result *result,
                                  const attest_violation *violation) ATTEST_WARN_UNUSED;

/* Appends a death. Status: NOMEM. */
attest_status attest_chunk_result_add_death(attest_chunk_result *result,
                                            const attest_death *death) ATTEST_WARN_UNUSED;

/* Replaces violations that were shrunk to the same instance (by other seeds, in other steps) by
 * the first of them, which counts the others; moves flaky ones to the end. The result must not
 * be joined or written afterwards. */
void attest_chunk_result_unite(attest_chunk_result *result);

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

/* Appends a frame to text and sets the chain to its hash; out of memory, text->failed is set.
 * Domain: kind is 1 to ATTEST_FRAME_KIND - 1 lower-case letters, size is below 10^12. */
void attest_frame_format(attest_text *text, attest_frame_chain *chain, const char *kind,
                         const char *payload, size_t size);

/* frame = the frame at the beginning of bytes[0..size), if it is whole; its payload points into
 * bytes. Then the chain is set to its hash; otherwise the chain does not change, and frame is
 * unspecified. */
attest_frame_state attest_frame_parse(attest_frame *frame, attest_frame_chain *chain,
                                      const char *bytes, size_t size);

#endif
