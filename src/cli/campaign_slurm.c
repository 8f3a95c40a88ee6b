/* campaign_slurm.c -- a campaign as an array of Slurm jobs: a shard each, and a merge. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "campaign/campaign.h"
#include "cli/campaign.h"
#include "cli/slurm.h"

static int check(const campaign_request *request)
{
    if (!request->out)
        return attest_cli_refuse("--slurm needs a directory: --out DIR");
    if (request->shard || request->tap || request->junit)
        return attest_cli_refuse("--slurm: cannot be with --shard, --tap or --junit");
    return EXIT_HOLDS;
}

/* Returns whether this is a file of a campaign. "whole" is the result of a merge, which the
 * next merge removes.
 */
static int is_campaign(const struct dirent *entry)
{
    return strcmp(entry->d_name, ATTEST_JOURNAL_NAME) == 0 ||
           strcmp(entry->d_name, "whole") == 0 ||
           strncmp(entry->d_name, "shard.", strlen("shard.")) == 0;
}

/* Returns whether the directory contains a campaign that was not submitted from here. */
static bool is_taken(const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_campaign, NULL);

    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
    return count > 0;
}

/* Writes the plan beside the scripts, as a journal without results. A later submission
 * continues the tasks only if its plan is the same, and the merge accepts only shards of this
 * plan. */
static int keep_plan(const attest_cli_slurm *job, const attest_plan *whole,
                     attest_common *common)
{
    attest_plan plan = *whole;
    char *scripts ATTEST_FREED = attest_directory_join(job->directory, "slurm");
    char *path ATTEST_FREED = NULL;
    char *text ATTEST_FREED = NULL;
    attest_journal journal ATTEST_CLEARED_BY(attest_journal_close);
    attest_error error;

    plan.shards = job->tasks;
    attest_journal_init(&journal);
    if (scripts)
        path = attest_directory_join(scripts, ATTEST_JOURNAL_NAME);
    if (path)
        text = attest_plan_format(&plan, true);
    if (!text) {
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    if (access(path, F_OK) == 0) {
        if (attest_campaign_check_plan(&plan, scripts, &common->budget, &error))
            return error.status == ATTEST_USAGE
                       ? attest_cli_refuse("%s; use another directory", error.text)
                       : attest_cli_fail_journal(&error);
        return EXIT_HOLDS;
    }
    if (is_taken(job->directory))
        return attest_cli_refuse("%s: contains a campaign already; use another directory",
                                 job->directory);
    if (job->dry_run)
        return EXIT_HOLDS;
    ATTEST_CLI_TRY(attest_cli_slurm_make_directories(job));
    return attest_journal_create(&journal, path, text, &error) ? attest_cli_fail(&error)
                                                               : EXIT_HOLDS;
}

int campaign_submit(const campaign_request *request, const attest_plan *plan,
                    attest_common *common)
{
    static const char *const valued[] = {"--slurm", "--sbatch", "--out",
                                         "-o",      "--corpus", NULL};
    static const char *const flags[] = {"--dry-run", "--resume", "--json", NULL};
    ATTEST_SCOPED(attest_text, task);
    ATTEST_SCOPED(attest_text, merge);
    attest_cli_slurm job = {.tasks = request->slurm,
                            .directory = request->out,
                            .options = request->sbatch,
                            .result = "whole",
                            .dry_run = request->dry_run,
                            .task = &task,
                            .merge = &merge};

    ATTEST_CLI_TRY(check(request));
    ATTEST_CLI_TRY(keep_plan(&job, plan, common));
    /* The options come first: the words may end with names after "--". */
    attest_text_printf(&task,
                       "\"$attest\" campaign --shard \"$k/%zu\" --out \"$dir/shard.$k\" "
                       "--resume --journal-only",
                       job.tasks);
    if (!request->jobs)
        attest_text_add(&task, " --jobs \"${SLURM_CPUS_PER_TASK:-1}\"");
    attest_cli_slurm_add_words(&task, request->argc, request->argv, valued, flags);
    attest_text_add(&merge,
                    "\"$attest\" campaign merge --plan \"$dir/slurm\" -o \"$dir/whole\"");
    if (request->load) {
        attest_text_add(&merge, " --load");
        attest_text_add_word(&merge, request->load);
    }
    if (request->corpus) { /* the merge replays it, tasks need not */
        attest_text_add(&merge, " --corpus");
        attest_text_add_word(&merge, request->corpus);
    }
    attest_text_add(&merge, " \"$dir\"/shard.*");
    return attest_cli_slurm_submit(&job);
}
