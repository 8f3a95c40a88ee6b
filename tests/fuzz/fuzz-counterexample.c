/* Counterexamples, of a corpus or of a campaign: whatever is read is written, read again and
 * the same. */
#include "io/counterexample_json.h"
#include "io/json_member.h"

static attest_status set(void *value, const attest_json_cursor *object, attest_error *error)
{
    return attest_counterexample_set_json(value, object, error);
}

static attest_status attest_counterexample_parse_json(attest_counterexample *counterexample,
                                                      const char *text, size_t size,
                                                      attest_budget *budget,
                                                      attest_error *error)
{
    attest_status status;

    attest_counterexample_clear(counterexample);
    attest_counterexample_init(counterexample);
    status = attest_json_parse_value(counterexample, set, text, size, budget, error);
    if (status != ATTEST_OK) { /* what is left of it can be cleared */
        attest_counterexample_clear(counterexample);
        attest_counterexample_init(counterexample);
    }
    return status;
}

#define FUZZ_NAME counterexample
#define FUZZ(suffix) attest_counterexample##suffix
#define FUZZ_MEMBER property
#include "tests/fuzz/fuzz-json.inc"
