/* journal.h -- what a campaign has found out so far, in a file that survives it.
 *
 * A journal is a row of records (frame.h): the plan, then the entries of chunks, in the order
 * in which they were finished. It is only ever appended to. Chunks can be run again with the
 * same result, so a record that is torn or damaged costs time, not truth: the journal is cut
 * back to the last whole record before it. Only a damaged plan cannot be recovered. */
#ifndef ATTEST_CAMPAIGN_JOURNAL_H
#define ATTEST_CAMPAIGN_JOURNAL_H

#include "campaign/entry.h"
#include "campaign/frame.h"

typedef struct attest_journal {
    char *path;
    int file; /* -1: closed */
    attest_frame_chain chain;
    size_t size; /* of the whole records */
    bool dirty;  /* something is not yet synced, */
    double synced;
} attest_journal;

/* The file's name in a campaign's folder. */
#define ATTEST_JOURNAL_NAME "journal"

void attest_journal_init(attest_journal *journal);

/* Creates the journal of the plan; it appears with that first record or not at all. Status: IO,
 * NOMEM. */
attest_status attest_journal_create(attest_journal *journal, const char *path, const char *plan,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* What reading found behind the last whole record. */
typedef struct attest_journal_tail {
    size_t records; /* whole ones, that of the plan included */
    size_t dropped; /* bytes behind them */
    bool damaged;   /* they are not the beginning of a record that was cut off */
} attest_journal_tail;

/* Is given the plan, then every entry, which it may take over (and leaves empty then), with the
 * record that it was read from. */
typedef struct attest_journal_reader {
    attest_status (*plan)(void *env, const char *text, size_t size, attest_budget *budget,
                          attest_error *error);
    attest_status (*entry)(void *env, attest_entry *entry, const attest_frame *frame,
                           attest_error *error);
    void *env;
    attest_budget *budget; /* bounds the bytes of the file and what a record takes while it is
                            * read; NULL: unlimited */
    /* Instead of entry, if that is NULL: the record as it is. */
    attest_status (*record)(void *env, const attest_frame *frame, attest_error *error);
} attest_journal_reader;

/* Reads the journal, which must be a regular file. Status: IO (also when the record of the plan
 * is not whole), USAGE (not a regular file), UNABLE (the budget), NOMEM, or what a reader
 * says. */
attest_status attest_journal_read(attest_journal_tail *tail, const char *path,
                                  const attest_journal_reader *reader,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Reads the journal, cuts off what is not whole (kept in the file PATH.damaged if it is
 * damaged), and opens it to append. Status: as above. */
attest_status attest_journal_resume(attest_journal *journal, attest_journal_tail *tail,
                                    const char *path, const attest_journal_reader *reader,
                                    attest_error *error) ATTEST_WARN_UNUSED;

/* Appends the entry with this text (entry.h). It is synced with the next checkpoint: after a
 * second, or by sync. Status: IO, NOMEM; then the journal ends with the record before, or, if
 * even that fails, with a torn one. Fault points "write", "fsync". */
attest_status attest_journal_append(attest_journal *journal, const char *text, size_t size,
                                    attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_journal_sync(attest_journal *journal,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_journal_close(attest_journal *journal);

#endif
