/* Weights in JSON: those that are read are the same after they are written and read
 * again. */
#include "io/weights_json.h"

#define FUZZ_NAME weights
#define FUZZ(suffix) attest_weights##suffix
#define FUZZ_MEMBER head
#include "tests/fuzz/fuzz-json.inc"
