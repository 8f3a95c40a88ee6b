/* campaign_slurm.c -- a campaign as an array of Slurm jobs: a shard each, and a merge. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/campaign.h"
#include "cli/interrupt.h"
#include "cli/slurm.h"

static int check(const campaign_request *request)
{
    if (!request->out)
        return attest_cli_refuse("--slurm: where to? (--out DIR)");
    if (request->shard || request->tap || request->junit)
        return attest_cli_refuse("--slurm: cannot be with --shard, --tap or --junit");
    return EXIT_HOLDS;
}

int campaign_submit(const campaign_request *request)
{
    static const char *const valued[] = {"--slurm", "--sbatch", "--out", NULL};
    static const char *const flags[] = {"--dry-run", "--resume", "--json", NULL};
    int code = check(request);
    attest_text task, merge;
    attest_cli_slurm job = {.tasks = request->slurm,
                            .folder = request->out,
                            .options = request->sbatch,
                            .result = "whole",
                            .dry_run = request->dry_run};

    if (code != EXIT_HOLDS)
        return code;
    attest_text_init(&task);
    attest_text_init(&merge);
    /* The options come first: the words may end with names after "--". */
    attest_text_printf(&task,
                       "\"$attest\" campaign --shard \"$k/%zu\" --out \"$dir/shard.$k\" "
                       "--resume --journal-only",
                       job.tasks);
    if (!request->jobs)
        attest_text_add(&task, " --jobs \"${SLURM_CPUS_PER_TASK:-1}\"");
    attest_cli_slurm_add_words(&task, request->argc, request->argv, valued, flags);
    attest_text_add(&merge, "\"$attest\" merge -o \"$dir/whole\"");
    if (request->load) {
        attest_text_add(&merge, " --load");
        attest_cli_add_word(&merge, request->load);
    }
    attest_text_add(&merge, " \"$dir\"/shard.*");
    if (task.failed || merge.failed) {
        attest_cli_complain("out of memory");
        code = EXIT_ENVIRONMENT;
    } else {
        job.task = task.data;
        job.merge = merge.data;
        code = attest_cli_slurm_submit(&job);
    }
    attest_text_clear(&task);
    attest_text_clear(&merge);
    return code;
}
