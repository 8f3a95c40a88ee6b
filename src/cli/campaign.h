/* campaign.h -- what the commands of campaigns share. */
#ifndef ATTEST_CLI_CAMPAIGN_H
#define ATTEST_CLI_CAMPAIGN_H

#include "campaign/load.h"
#include "campaign/summary.h"
#include "cli/command.h"

/* The command line. */
typedef struct campaign_request {
    int argc; /* as it was given */
    char *const *argv;
    unsigned long trials, seed, jobs, bits, slurm;
    const char *time, *shard, *out, *without, *number, *round, *timeout;
    const char *junit, *corpus, *load, *sbatch;
    size_t worker_memory;
    bool resume, keep_going, observe, tap, dry_run, journal_only;
    char **names;
    size_t count;
} campaign_request;

/* Loads the properties of the shared object at path, or of $ATTEST_LOAD if path is NULL, if
 * there is one; attest_property_get finds them then. EXIT_HOLDS, or an error message and its
 * exit code. */
int attest_cli_load(const char *path);

/* Returns the loaded properties; their count is 0 if none was loaded. */
const attest_load *attest_cli_loaded(void);

/* Replays the counterexamples in the directory, or in $ATTEST_CORPUS if it is NULL; *given =
 * whether one of both is set. corpus is all 0; the caller clears it. EXIT_HOLDS even if a file
 * has another verdict than expected; or an error message and its exit code. */
int campaign_replay_corpus(attest_corpus *corpus, bool *given, const char *directory,
                           const attest_common *common);

/* Submits the campaign, whose plan is given, to Slurm. EXIT_HOLDS, or an error message and its
 * exit code. */
int campaign_submit(const campaign_request *request, const attest_plan *plan,
                    attest_common *common);

#endif
