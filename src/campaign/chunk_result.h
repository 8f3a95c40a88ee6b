/* chunk_result.h -- what the trials of a chunk, or of several, gave: filling, joining, and the
 * JSON in which workers send it and journals keep it. */
#ifndef ATTEST_CAMPAIGN_CHUNK_RESULT_H
#define ATTEST_CAMPAIGN_CHUNK_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>

#include "io/json_take.h"
#include "io/json_write.h"

typedef enum attest_death_kind {
    ATTEST_DEATH_MEMORY = 0, /* out of memory */
    ATTEST_DEATH_TIMEOUT,
    ATTEST_DEATH_SIGNAL,
    ATTEST_DEATH_EXIT /* it left by itself, with a code that means nothing */
} attest_death_kind;

/* A trial at which the worker died. */
typedef struct attest_death {
    attest_death_kind kind;
    int detail; /* the signal, or the exit code */
    uint64_t trial;
    uint64_t seed;
    bool shrinking; /* it was a violation that was being shrunk: */
    uint64_t steps; /* attempts that went well */
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
    bool flaky;    /* decided again, the instance was not violated: it is not shrunk, and reason
                      is that of the first time */
} attest_violation;

/* What the trials of a chunk, or of several, gave. */
typedef struct attest_chunk_result {
    uint64_t passed, failed, discarded, undecided;
    uint64_t searched; /* of the passed ones: found by guided search, not drawn at random */
    size_t labels;
    attest_label_count *label; /* in the order of first appearance */
    bool has_tightest;         /* the least margin of a trial, and its instance: */
    double tightest;
    char *tightest_text;
    char *open_reason; /* of the first undecided trial, or NULL */
    size_t violations;
    attest_violation *violation;
    size_t deaths;
    attest_death *death;
    char *observations; /* JSON Lines, or NULL */
    double seconds;     /* of the campaign that went by for it */
} attest_chunk_result;

void attest_chunk_result_init(attest_chunk_result *result);
void attest_chunk_result_clear(attest_chunk_result *result);

/* Counts the name so many times more. Status: NOMEM. */
attest_status attest_chunk_result_add_label(attest_chunk_result *result, const char *name,
                                            uint64_t count) ATTEST_WARN_UNUSED;

/* Appends a violation; its texts belong to the result then, whatever the status. Status: NOMEM
 * (also when a text is NULL). */
attest_status
attest_chunk_result_add_violation(attest_chunk_result *result,
                                  const attest_violation *violation) ATTEST_WARN_UNUSED;

/* Appends a death. Status: NOMEM. */
attest_status attest_chunk_result_add_death(attest_chunk_result *result,
                                            const attest_death *death) ATTEST_WARN_UNUSED;

/* Adds the result of the chunk that follows, whose texts are taken over: it is empty then. Of
 * equal margins the earlier one stays the tightest. Observations are dropped.
 * Status: NOMEM. */
attest_status attest_chunk_result_join(attest_chunk_result *result,
                                       attest_chunk_result *next) ATTEST_WARN_UNUSED;

/* Violations that were shrunk to the same instance become one, the first, which counts the
 * others: what differs is their seeds and how many steps it took. Flaky ones come last. A
 * result that was united is neither joined nor written. */
void attest_chunk_result_unite(attest_chunk_result *result);

/* Writes the result as a JSON object under key, and reads it back: the same, bit for bit.
 * Errors stick: FORMAT, NOMEM; after a failure the result can only be cleared. */
void attest_chunk_result_write(attest_json *json, const char *key,
                               const attest_chunk_result *result);
void attest_chunk_result_read(attest_chunk_result *result, const attest_json_cursor *object);

#endif
