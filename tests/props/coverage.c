/* Coverage: shares that miss their bounds are reported unless chance explains them, and every
 * property whose generator draws layers has bounds. */
#include "campaign/label.h"
#include "campaign/summary.h"
#include "props/registry.h"
#include "tests/tap.h"

static const attest_coverage wanted[] = {{"dull", 0, 10}, {"sharp", 20, 100}, {0}};
static const attest_property property = {.name = "toy", .coverage = wanted};

/* Returns whether so many labels in so many trials are within the bounds. */
static bool is_within(uint64_t trials, uint64_t dull, uint64_t sharp, char reason[160])
{
    attest_chunk_result result;
    bool within;

    attest_chunk_result_init(&result);
    result.passed = trials;
    within = attest_chunk_result_add_label(&result, "dull", dull) == ATTEST_OK &&
             attest_chunk_result_add_label(&result, "sharp", sharp) == ATTEST_OK &&
             attest_coverage_check(reason, 160, &property, &result);
    attest_chunk_result_clear(&result);
    return within;
}

TEST(coverage)
{
    char reason[160] = "";

    TAP_OK(is_within(1000, 100, 200, reason), "shares at their bounds");
    /* Three standard deviations: 28.5 of 1000 at 10 %, 37.9 at 20 %. */
    TAP_OK(is_within(1000, 128, 163, reason), "within three standard deviations");
    TAP_OK(!is_within(1000, 129, 200, reason), "too large a share: %s", reason);
    TAP_OK(strcmp(reason,
                  "coverage: 12.9 % of the trials are \"dull\", at most 10 % should be") == 0,
           "the reason contains the share and its bound");
    TAP_OK(!is_within(1000, 0, 162, reason), "too small a share: %s", reason);
    TAP_OK(is_within(ATTEST_COVERAGE_TRIALS - 1, 399, 0, reason),
           "too few trials decide nothing");
    TAP_OK(!is_within(1000000, 101000, 500000, reason), "many trials decide closer shares: %s",
           reason);

    for (size_t i = 0; attest_properties[i]; i++) {
        static const char *const layers[] = {
            "separatedness", "contextual",   "certificate",       "filter",
            "reference",     "equivariance", "zero_test-outputs", NULL};
        for (size_t l = 0; layers[l]; l++)
            if (strcmp(attest_properties[i]->name, layers[l]) == 0) {
                const attest_coverage *c = attest_properties[i]->coverage;
                size_t trivial = 0;
                for (; c && c->label; c++)
                    trivial +=
                        c->most <= 10 && (strcmp(c->label, ATTEST_LABEL_ONE_TOKEN) == 0 ||
                                          strcmp(c->label, ATTEST_LABEL_DEAD) == 0 ||
                                          strcmp(c->label, ATTEST_LABEL_ONE_CONTEXT) == 0);
                TAP_OK(trivial == 3, "%s bounds the shares of trivial instances", layers[l]);
            }
    }
    return 0;
}
