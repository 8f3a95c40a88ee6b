/* Weights in JSON: whatever is read is written, read again and the same. */
#include "io/weights_json.h"

#define FUZZ_NAME weights
#define FUZZ(suffix) attest_weights##suffix
#define FUZZ_MEMBER head
#include "tests/fuzz/fuzz-json.inc"
