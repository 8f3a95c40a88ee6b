/* campaign.h -- what attest campaign asks for. */
#ifndef ATTEST_CLI_CAMPAIGN_H
#define ATTEST_CLI_CAMPAIGN_H

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

/* plan = what is asked for. The list of properties is the caller's to free(). EXIT_HOLDS, or a
 * complaint and its exit code. */
int campaign_make_plan(attest_plan *plan, const campaign_request *request);

/* Replays the files of the folder, or of ATTEST_CORPUS if it is NULL; *there: there is one.
 * corpus is all 0, and the caller's to clear. EXIT_HOLDS, or a complaint and its exit code: a
 * file that is not as expected is none. */
int campaign_replay_corpus(attest_corpus *corpus, bool *there, const char *folder,
                           const attest_common *common);

/* Hands the campaign to Slurm instead of running it; the plan is that of the request.
 * EXIT_HOLDS, or a complaint and its exit code. */
int campaign_submit(const campaign_request *request, const attest_plan *plan,
                    attest_common *common);

#endif
