/* journal_file.h -- what reading and writing a journal share. */
#ifndef ATTEST_CAMPAIGN_JOURNAL_FILE_H
#define ATTEST_CAMPAIGN_JOURNAL_FILE_H

#include "campaign/journal.h"

/* Opens the journal at path to append, cut to size bytes, the last record of which has the hash
 * in chain. Status: IO, NOMEM. */
attest_status attest_journal_open_end(attest_journal *journal, const char *path,
                                      const attest_frame_chain *chain, size_t size,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
