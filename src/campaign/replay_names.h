/* replay_names.h -- whether a counterexample file names what is violated. */
#ifndef ATTEST_CAMPAIGN_REPLAY_NAMES_H
#define ATTEST_CAMPAIGN_REPLAY_NAMES_H

#include "campaign/replay.h"

/* value = the number of this name among the parameters of a file; *given: it is there. Status:
 * FORMAT. */
attest_status attest_replay_get_number(fmpq_t value, bool *given,
                                       const attest_counterexample *file, const char *name,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Holds the definition and the pair that a file names against what was decided. A pair is taken
 * where it is the one that was found, or where it violates the definition as well: that is
 * decided for a contextual mapping (by the checker's route) and for separatedness. The pair of
 * the replay is the file's then; where the file names none it stays the one that was found.
 * Status: FORMAT where a name is not true, and says what is; UNABLE; NOMEM. */
attest_status attest_replay_check_names(attest_replay *replay,
                                        const attest_counterexample *file,
                                        const attest_property *property,
                                        const attest_setting *setting,
                                        attest_error *error) ATTEST_WARN_UNUSED;

#endif
