/* campaign.c -- attest campaign: properties, tried on random instances. */
#include <stdio.h>
#include <stdlib.h>

#include "campaign/chunk.h"
#include "cli/command.h"
#include "props/properties.h"

enum { DEFAULT_CHUNK = 64 };

static int run(int argc, char **argv);

const attest_command attest_command_campaign = {
    .name = "campaign",
    .arguments = "PROPERTY... [OPTION]...",
    .summary = "try properties on random instances",
    .example = "  attest campaign theorem1 --trials 10000 --seed 1",
    .run = run,
};

typedef struct campaign_job {
    unsigned long trials, seed;
    const char *without;
} campaign_job;

static int run_property(const campaign_job *job, const attest_property *property)
{
    attest_setting setting = {.without = job->without};
    uint64_t trials = job->trials ? job->trials : property->trials, failed = 0;
    size_t size = property->chunk ? property->chunk : DEFAULT_CHUNK;
    attest_error error;

    for (uint64_t first = 0; first < trials && !failed; first += size) {
        attest_chunk chunk = {.property = property,
                              .setting = &setting,
                              .seed = job->seed,
                              .first = first,
                              .count = trials - first < size ? trials - first : size};
        attest_chunk_result result;

        attest_chunk_result_init(&result);
        if (attest_chunk_run(&result, &chunk, &error))
            return attest_cli_fail(&error);
        failed += result.failed;
        printf("%s: trials %lu..: %lu passed, %lu failed, %lu discarded, %lu undecided\n",
               property->name, (unsigned long)first, (unsigned long)result.passed,
               (unsigned long)result.failed, (unsigned long)result.discarded,
               (unsigned long)result.undecided);
        for (size_t v = 0; v < result.violations; v++)
            printf("%s\n%s", result.violation[v].reason, result.violation[v].text);
        attest_chunk_result_clear(&result);
    }
    return failed ? EXIT_FAILS : EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    campaign_job job = {.seed = 1};
    attest_common common;
    char **operands;
    size_t count;
    const attest_option options[] = {
        {"trials", 0, "N", "trials of each property", OPTION_COUNT, &job.trials, NULL},
        {"seed", 0, "S", "of the random instances; 1 if not given", OPTION_COUNT, &job.seed,
         NULL},
        {"without", 0, "HYPOTHESIS", "drop this hypothesis", OPTION_TEXT, &job.without, NULL},
        {0},
    };
    int code = attest_cli_parse(&attest_command_campaign, &common, options, argc, argv, 1, 64,
                                &operands, &count);

    for (size_t i = 0; i < count && code == EXIT_HOLDS; i++) {
        const attest_property *property = attest_property_get(operands[i]);

        if (!property)
            return attest_cli_refuse("%s: no such property ('attest list' lists them)",
                                     operands[i]);
        code = run_property(&job, property);
    }
    return code;
}
