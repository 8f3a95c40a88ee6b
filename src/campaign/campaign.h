/* campaign.h -- a campaign while it runs: from its plan to the joined results.
 *
 * Without a limit of time its chunks are run property after property, chunk after chunk. With
 * one, each property gets one chunk first, the most expensive first, even if that exceeds the
 * budget. The seconds of those chunks estimate the later ones: the next chunk is one of the
 * property that has had the least time, among those whose chunk is expected to end in time. */
#ifndef ATTEST_CAMPAIGN_CAMPAIGN_H
#define ATTEST_CAMPAIGN_CAMPAIGN_H

#include <signal.h>

#include <attest/progress.h>

#include "base/file.h"
#include "campaign/join.h"
#include "campaign/journal.h"
#include "campaign/worker.h"

typedef struct attest_campaign {
    const attest_plan *plan;
    attest_join *join;                 /* one for each property */
    attest_journal *journal;           /* receives the records of chunks; may be NULL */
    attest_journal_tail tail;          /* after resume: what was cut off */
    attest_progress progress;          /* init: none */
    const volatile sig_atomic_t *stop; /* is set when the campaign is to end; may be NULL */
    bool interrupted;                  /* the campaign ended because of it */
} attest_campaign;

/* observations (may be NULL) receives the JSON Lines of joined chunks. The plan must outlive
 * the campaign. Status: NOMEM. */
attest_status attest_campaign_init(attest_campaign *campaign, const attest_plan *plan,
                                   FILE *observations, attest_error *error) ATTEST_WARN_UNUSED;
void attest_campaign_clear(attest_campaign *campaign);

/* Opens the journal in the directory and joins the chunks in it. An existing journal is an
 * error unless resume; budget (NULL: unlimited) bounds how much of it is read. journal is
 * initialised and must outlive the campaign. Status: USAGE (there is a journal, and resume is
 * false, or it has another plan), IO, NOMEM. */
attest_status attest_campaign_open(attest_campaign *campaign, attest_journal *journal,
                                   const char *directory, bool resume, attest_budget *budget,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Compares the plan with that of the journal in the directory; budget (NULL: unlimited) bounds
 * how much of it is read. Status: USAGE (the plans differ), UNABLE (the budget), IO, NOMEM. */
attest_status attest_campaign_check_plan(const attest_plan *plan, const char *directory,
                                         attest_budget *budget,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Runs the chunks that are not done yet, and syncs the journal. When *stop is set, the chunks
 * that are running are abandoned; a resumed campaign runs them again, with the same results.
 * Status: IO, NOMEM, FORMAT. */
attest_status attest_campaign_run(attest_campaign *campaign,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* The chunks that are left to run. */

typedef struct attest_share attest_share;

typedef struct attest_schedule {
    const attest_plan *plan;
    const attest_join *join; /* of each property */
    size_t property;         /* without a limit of time: the current one */
    double end;              /* by attest_clock_seconds; with a limit of time */
    attest_share *share;     /* of each property */
    size_t *order;           /* of the first chunks, most expensive first */
    size_t given;            /* first chunks that were given out */
} attest_schedule;

/* Starts the clock. Status: NOMEM. */
attest_status attest_schedule_init(attest_schedule *schedule, const attest_plan *plan,
                                   const attest_join *join,
                                   attest_error *error) ATTEST_WARN_UNUSED;
void attest_schedule_clear(attest_schedule *schedule);

/* job = the next chunk; returns false if there is none. */
bool attest_schedule_next(attest_schedule *schedule, attest_job *job);

/* Records how long a worker took for a chunk of the property. */
void attest_schedule_note(attest_schedule *schedule, size_t property, double seconds);

/* The file observations.jsonl in the directory of a campaign: trials as lines of JSON, with the
 * member names of Hypothesis's observability interface. It has the properties in the order of
 * the plan, and the chunks of each in order, however many runs and workers it took. */
typedef struct attest_observations {
    attest_output output;
    FILE **part; /* an unlinked file for the lines of each property */
    size_t count;
} attest_observations;

/* Opens a file for each property in the directory. observations is all 0 bytes, also after a
 * failure. Status: IO, NOMEM. */
attest_status attest_observations_open(attest_observations *observations, const char *directory,
                                       size_t properties,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Lets the joins, one for each property, write there. */
void attest_observations_use(const attest_observations *observations, attest_join *join);

/* Joins the files to observations.jsonl. Whatever the status, nothing is left to clear. Status:
 * IO.
 */
attest_status attest_observations_commit(attest_observations *observations,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Removes what was written, if anything is open. */
void attest_observations_abandon(attest_observations *observations);

#endif
