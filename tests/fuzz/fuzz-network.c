/* Networks in JSON: whatever is read is written, read again and the same. */
#include "io/network_json.h"

#define FUZZ(suffix) attest_network##suffix
#define FUZZ_MEMBER attention.head
#include "tests/fuzz/fuzz-json.inc"
