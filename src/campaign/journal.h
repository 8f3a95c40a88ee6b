/* journal.h -- the file in which a campaign keeps its results, so that it can be resumed.
 *
 * A journal is a row of frames (campaign_record.h): the plan, then the records of chunks in the
 * order in which they were finished. Frames are only appended. A chunk can be run again with
 * the same result, so a frame that is incomplete or damaged costs time, never correctness: the
 * journal is cut back to the last whole frame before it. Only a damaged plan cannot be
 * recovered. */
#ifndef ATTEST_CAMPAIGN_JOURNAL_H
#define ATTEST_CAMPAIGN_JOURNAL_H

#include "campaign/campaign_record.h"

typedef struct attest_journal {
    char *path;
    int file; /* -1: closed */
    attest_frame_chain chain;
    size_t size;   /* of the whole frames */
    bool dirty;    /* something was written after the last fsync, */
    double synced; /* which was at this time */
} attest_journal;

/* The name of the file in the directory of a campaign. */
#define ATTEST_JOURNAL_NAME "journal"

void attest_journal_init(attest_journal *journal);

/* Creates a journal with the plan in it, or no file at all. Status: IO, NOMEM. */
attest_status attest_journal_create(attest_journal *journal, const char *path, const char *plan,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* What follows the last whole frame of a journal. */
typedef struct attest_journal_tail {
    size_t records; /* whole frames, that of the plan included */
    size_t dropped; /* bytes after them */
    bool damaged;   /* they are not the beginning of a frame that was cut off */
} attest_journal_tail;

/* Functions that are called with the contents of a journal: plan first, then record (or raw, if
 * record is NULL) for each chunk. record may take over the texts of its argument. */
typedef struct attest_journal_reader {
    attest_status (*plan)(void *env, const char *text, size_t size, attest_budget *budget,
                          attest_error *error); /* NULL: the plan is skipped */
    attest_status (*record)(void *env, attest_campaign_record *record, attest_error *error);
    attest_status (*raw)(void *env, const attest_frame *frame, attest_error *error);
    void *env;
    attest_budget *budget; /* bounds the bytes of the file and the memory of its parser; NULL:
                            * unlimited */
} attest_journal_reader;

/* Reads the journal, which must be a regular file. Status: IO (also if the frame of the plan is
 * not whole), USAGE (not a regular file), UNABLE (the budget), NOMEM, or the status of a
 * function of the reader. */
attest_status attest_journal_read(attest_journal_tail *tail, const char *path,
                                  const attest_journal_reader *reader,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Reads the journal, cuts off what follows the last whole frame (a damaged end is copied to
 * PATH.damaged first), and opens it to append. Status: as above. */
attest_status attest_journal_resume(attest_journal *journal, attest_journal_tail *tail,
                                    const char *path, const attest_journal_reader *reader,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Appends the text of a record. It is synced with the next call of this function that comes a
 * second or more after the last fsync, or by attest_journal_sync. Status: IO, NOMEM; then the
 * journal ends with the frame before, or, if it cannot be cut back, with an incomplete one.
 * Fault points "write", "fsync". */
attest_status attest_journal_append(attest_journal *journal, const char *text, size_t size,
                                    attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_journal_sync(attest_journal *journal,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_journal_close(attest_journal *journal);

#endif
