/* campaign_merge.c -- attest campaign merge: joins the shards of a campaign. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scope.h"
#include "campaign/campaign.h"
#include "campaign/merge.h"
#include "cli/campaign.h"
#include "cli/terminal.h"
#include "props/registry.h"
#include "report/campaign.h"

static int run(int argc, char **argv);

const attest_command attest_command_campaign_merge = {
    .name = "campaign merge",
    .arguments = "DIR... -o DIR",
    .summary = "join the shards of a campaign",
    .details =
        "Joins the directories of 'attest campaign --shard 1/N --out DIR', ..., N/N. The\n"
        "result is that of the whole campaign run at once. Refuses shards that are missing,\n"
        "unfinished or of another campaign. --partial joins the trials that are there;\n"
        "'attest campaign --resume' of the result runs the others. The exit code is that of\n"
        "the campaign.",
    .example = "  attest campaign merge part1 part2 part3 -o whole",
    .product = "write the whole campaign to the directory FILE, which must not contain one",
    .directory = true,
    .run = run,
};

/* Writes the journal and the reports of a campaign without shards. */
static int write_whole(const attest_merge *merge, const attest_summary *summary,
                       char *const *directories, size_t count, attest_common *common)
{
    const char *target = common->output;
    char *path ATTEST_FREED = attest_directory_join(target, ATTEST_JOURNAL_NAME);
    char *plan ATTEST_FREED = attest_plan_format(&merge->saved.plan, true);
    attest_journal journal ATTEST_CLEARED_BY(attest_journal_close);
    attest_error error;

    attest_journal_init(&journal);
    if (!path || !plan) {
        attest_cli_complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return attest_cli_refuse("%s: contains a campaign already; use another directory",
                                 target);
    if (attest_journal_create(&journal, path, plan, &error) ||
        attest_merge_copy(&journal, (const char *const *)directories, count, &common->budget,
                          &error) ||
        attest_report_campaign_files(summary, &error))
        return attest_cli_fail(&error);
    return EXIT_HOLDS;
}

/* Writes every trial, if the shards were observed: reads the journals again, in the order of
 * the whole campaign. */
static int write_observations(const attest_merge *merge, char *const *directories, size_t count,
                              bool partial, attest_common *common)
{
    attest_observations observations = {.count = 0};
    attest_error error;
    attest_merge again;

    if (!merge->saved.plan.observe)
        return EXIT_HOLDS;
    if (attest_observations_open(&observations, common->output, merge->saved.plan.properties,
                                 &error))
        return attest_cli_fail(&error);
    if (attest_merge_read(&again, (const char *const *)directories, count, attest_property_get,
                          partial, &observations, &common->budget, &error)) {
        attest_observations_abandon(&observations);
        return attest_cli_fail(&error);
    }
    attest_merge_clear(&again);
    return attest_observations_commit(&observations, &error) ? attest_cli_fail(&error)
                                                             : EXIT_HOLDS;
}

static int write_directory(const attest_merge *merge, const attest_summary *summary,
                           char *const *directories, size_t count, bool partial,
                           attest_common *common)
{
    attest_directory directory ATTEST_CLEARED_BY(attest_directory_close) = {.lock = -1};
    attest_error error;

    if (attest_directory_open(&directory, common->output, &error))
        return attest_cli_fail(&error);
    ATTEST_CLI_TRY(write_whole(merge, summary, directories, count, common));
    return write_observations(merge, directories, count, partial, common);
}

/* Refuses shards of another plan than the one in this directory. */
static int check_plan(const attest_merge *merge, const char *directory, attest_common *common)
{
    attest_plan plan = merge->saved.plan;
    attest_error error;

    plan.shards = merge->shards;
    return directory && attest_campaign_check_plan(&plan, directory, &common->budget, &error)
               ? attest_cli_fail_journal(&error)
               : EXIT_HOLDS;
}

static int print(const attest_summary *summary, const attest_common *common)
{
    int code = attest_summary_code(summary);
    attest_json json;

    if (!common->json) {
        attest_report_campaign_text(stdout, summary, attest_cli_width());
        attest_cli_print_hint(common,
                              "next: 'attest report %s -o OUT.html' writes a page with plots",
                              common->output);
        return code;
    }
    attest_json_write_begin(&json, stdout);
    attest_report_campaign_json(&json, summary);
    return attest_cli_end_json(&json, code);
}

static int run(int argc, char **argv)
{
    attest_summary summary = {0};
    const char *load = NULL, *planned = NULL, *directory = NULL;
    attest_corpus corpus = {0};
    bool partial = false, has_corpus;
    attest_common common;
    attest_merge merge;
    attest_error error;
    char **directories;
    size_t count;
    const attest_option options[] = {
        {"partial", 0, NULL,
         "join the finished chunks, although shards are missing or unfinished", OPTION_FLAG,
         &partial, NULL},
        {"plan", 0, "DIR", "refuse shards of any other campaign than the one in DIR",
         OPTION_TEXT, &planned, NULL},
        {"corpus", 0, "DIR", "replay the counterexamples in DIR, too (default: $ATTEST_CORPUS)",
         OPTION_TEXT, &directory, NULL},
        {"load", 0, "FILE.so",
         "use the properties of this shared object (default: $ATTEST_LOAD)", OPTION_TEXT, &load,
         NULL},
        {0},
    };
    int code;

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_campaign_merge, &common, options, argc,
                                    argv, 1, 1000000, &directories, &count));
    if (!common.output)
        return attest_cli_refuse("no directory to write to: use -o DIR (see 'attest campaign "
                                 "merge --help')");
    ATTEST_CLI_TRY(attest_cli_load(load));
    attest_cli_work_begin("reading journals");
    if (attest_merge_read(&merge, (const char *const *)directories, count, attest_property_get,
                          partial, NULL, &common.budget, &error))
        return attest_cli_fail_journal(&error);
    attest_cli_work_begin("writing");
    code = check_plan(&merge, planned, &common);
    if (code == EXIT_HOLDS)
        code = campaign_replay_corpus(&corpus, &has_corpus, directory, &common);
    if (code == EXIT_HOLDS &&
        attest_summary_init(&summary, &merge.saved.plan, merge.join,
                            has_corpus ? &corpus : NULL, common.output, &error))
        code = attest_cli_fail(&error);
    if (code == EXIT_HOLDS)
        code = write_directory(&merge, &summary, directories, count, partial, &common);
    attest_cli_work_end();
    if (code == EXIT_HOLDS && merge.saved.plan.partial)
        attest_cli_complain("partial: %zu of %zu shards are missing%s", merge.missing,
                            merge.shards, merge.unfinished ? ", chunks are missing" : "");
    if (code == EXIT_HOLDS)
        code = print(&summary, &common);
    attest_summary_clear(&summary);
    attest_corpus_clear(&corpus);
    attest_merge_clear(&merge);
    return code;
}
