/* coverage.c -- whether the instances of a campaign were of the kinds that they should be. */
#include "campaign/coverage.h"

#include <math.h>
#include <stdio.h>

#include "campaign/label.h"

const attest_coverage attest_coverage_layers[] = {
    {ATTEST_LABEL_ONE_TOKEN, 0, 10},
    {ATTEST_LABEL_DEAD, 0, 10},
    {ATTEST_LABEL_ONE_CONTEXT, 0, 10},
    {0},
};

static double count_label(const attest_chunk_result *result, const char *label)
{
    for (size_t l = 0; l < result->labels; l++)
        if (strcmp(result->label[l].name, label) == 0)
            return (double)result->label[l].count;
    return 0;
}

/* Three standard deviations of a count whose expectation is this share of the trials. */
static double slack(double trials, double share)
{
    return 3 * sqrt(trials * share * (1 - share));
}

bool attest_coverage_check(char *reason, size_t size, const attest_property *property,
                           const attest_chunk_result *result)
{
    double trials = (double)(result->passed + result->failed);

    if (trials < ATTEST_COVERAGE_TRIALS)
        return true;
    for (const attest_coverage *c = property->coverage; c && c->label; c++) {
        double count = count_label(result, c->label), least = c->least / 100.0,
               most = c->most / 100.0;
        bool few = count < trials * least - slack(trials, least);

        if (!few && count <= trials * most + slack(trials, most))
            continue;
        snprintf(reason, size,
                 "coverage: %.3g %% of the trials are \"%.60s\", at %s %u %% should be",
                 100 * count / trials, c->label, few ? "least" : "most",
                 few ? c->least : c->most);
        return false;
    }
    return true;
}
