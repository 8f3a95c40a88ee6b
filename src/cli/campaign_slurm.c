/* campaign_slurm.c -- a campaign as an array of Slurm jobs: a shard each, and a merge. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/campaign.h"
#include "cli/interrupt.h"
#include "cli/slurm.h"

/* Whether the word is this option; *value: its argument is the next word. */
static bool is_option(const char *word, const char *name, bool *value)
{
    size_t length = strlen(name);

    *value = strcmp(word, name) == 0;
    return *value || (strncmp(word, name, length) == 0 && word[length] == '=');
}

/* The words of the command line that are the tasks' own, too. */
static void add_words(attest_text *text, const campaign_request *request)
{
    static const char *const valued[] = {"--slurm", "--sbatch", "--out", NULL};
    static const char *const flags[] = {"--dry-run", "--resume", "--json", NULL};
    bool operands = false;

    for (int i = 1; i < request->argc; i++) {
        bool dropped = false, value = false;

        operands = operands || strcmp(request->argv[i], "--") == 0;
        for (size_t o = 0; valued[o] && !operands && !dropped; o++)
            dropped = is_option(request->argv[i], valued[o], &value);
        for (size_t o = 0; flags[o] && !operands && !dropped; o++)
            dropped = strcmp(request->argv[i], flags[o]) == 0;
        if (!dropped)
            attest_cli_add_word(text, request->argv[i]);
        else if (value)
            i++;
    }
}

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
    int code = check(request);
    attest_text task, merge;
    attest_cli_slurm job = {.tasks = request->slurm,
                            .folder = request->out,
                            .options = request->sbatch,
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
    add_words(&task, request);
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
