/* Counterexamples, of a corpus or of a campaign: whatever is read is written, read again and
 * the same. */
#include "io/counterexample_json.h"

#define FUZZ_NAME counterexample
#define FUZZ(suffix) attest_counterexample##suffix
#define FUZZ_MEMBER property
#include "tests/fuzz/fuzz-json.inc"
