/* counterexample_search.c -- attest counterexample --search. */
#include <string.h>

#include "attention/work.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/scope.h"
#include "campaign/chunk.h"
#include "cli/counterexample.h"
#include "cli/progress.h"
#include "io/counterexample_json.h"
#include "props/properties.h"
#include "theory/theorem1.h"

enum { TRIALS = 20000, CHUNK = 64, LONGEST = 6 };

/* Adds the names of property and method, and checks the violation again with exact numbers. */
static attest_status confirm(attest_counterexample *counterexample, bool *found,
                             attest_error *error)
{
    if (attest_counterexample_set_texts(counterexample, "theorem1", "contextual-mapping",
                                        "search") != ATTEST_OK)
        return attest_memory_fail(error);
    return attest_theorem1_check(found, counterexample, error);
}

/* The work of a chunk: two sequences of small numbers per trial. */
static double work_of_chunk(const attest_weights *weights)
{
    ATTEST_SCOPED(attest_sequence, sequence);

    attest_sequence_resize(&sequence, LONGEST, weights->dim);
    return 2 * CHUNK * attest_work_estimate(weights, &sequence, LONGEST, 0);
}

int attest_cli_search_counterexample(attest_counterexample *counterexample, bool *found,
                                     uint64_t seed, attest_common *common)
{
    double work = work_of_chunk(&counterexample->weights);
    attest_setting setting = {.weights = &counterexample->weights};
    attest_chunk chunk = {.property = attest_property_get("theorem1-search"),
                          .setting = &setting,
                          .seed = seed,
                          .count = CHUNK};
    attest_chunk_result result;
    attest_progress progress = attest_cli_progress();
    attest_status status = ATTEST_OK;
    attest_error error;

    *found = false;
    attest_chunk_result_init(&result);
    attest_cli_work_begin("searching");
    attest_progress_report(&progress, "trials", 0, TRIALS, NULL);
    for (; chunk.first < TRIALS && !result.failed && status == ATTEST_OK;
         chunk.first += CHUNK) {
        attest_chunk_result_clear(&result);
        status = attest_work_charge(&common->max_work, work, &error);
        if (status == ATTEST_OK)
            status = attest_chunk_run(&result, &chunk, &error);
        attest_progress_report(&progress, "trials", chunk.first + CHUNK, TRIALS, NULL);
    }
    attest_cli_work_end();
    if (status == ATTEST_OK && result.violations > 0) {
        status =
            attest_counterexample_parse_json(counterexample, result.violation[0].text,
                                             strlen(result.violation[0].text), NULL, &error);
        if (status == ATTEST_OK)
            status = confirm(counterexample, found, &error);
    }
    attest_chunk_result_clear(&result);
    return status == ATTEST_OK ? EXIT_HOLDS : attest_cli_fail_work(&error, common);
}
