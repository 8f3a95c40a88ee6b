/* campaign.h -- a campaign from its plan to its summary. */
#ifndef ATTEST_CAMPAIGN_CAMPAIGN_H
#define ATTEST_CAMPAIGN_CAMPAIGN_H

#include <signal.h>

#include <attest/progress.h>

#include "campaign/journal.h"
#include "campaign/tally.h"

typedef struct attest_campaign {
    const attest_plan *plan;
    attest_tally *tally;               /* one for each property */
    attest_journal *journal;           /* where entries are kept; NULL: nowhere */
    attest_journal_tail tail;          /* after resume: what was cut off */
    attest_progress progress;          /* init: nobody is told */
    const volatile sig_atomic_t *stop; /* is set when the campaign is to end; may be NULL */
    bool interrupted;                  /* it ended for that */
} attest_campaign;

/* observations (may be NULL) gets the JSON Lines of joined chunks. The plan must outlive the
 * campaign. Status: NOMEM. */
attest_status attest_campaign_init(attest_campaign *campaign, const attest_plan *plan,
                                   FILE *observations, attest_error *error) ATTEST_WARN_UNUSED;
void attest_campaign_clear(attest_campaign *campaign);

/* Opens the journal in the folder, and reads what it holds: resume tells whether it may be
 * there already, budget (NULL: unlimited) how much of it may be read. journal is initialised
 * and must outlive the campaign. Status: USAGE (there is a journal, but resume is false; or it
 * is that of another plan), IO, NOMEM. */
attest_status attest_campaign_open(attest_campaign *campaign, attest_journal *journal,
                                   const char *folder, bool resume, attest_budget *budget,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Compares the plan with that of the journal in the folder, of which budget (NULL: unlimited)
 * may be read. Status: USAGE (it is another one), UNABLE (the budget), IO, NOMEM. */
attest_status attest_campaign_check_plan(const attest_plan *plan, const char *folder,
                                         attest_budget *budget,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Runs what is not done yet. When *stop is set, chunks that are being run are left: a campaign
 * that goes on runs them again, with the same results. The journal is synced. Status: IO,
 * NOMEM, FORMAT. */
attest_status attest_campaign_run(attest_campaign *campaign,
                                  attest_error *error) ATTEST_WARN_UNUSED;

#endif
