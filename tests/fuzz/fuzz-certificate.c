/* Certificates: whatever is read is written, read again and the same. */
#include "io/certificate_json.h"

#define FUZZ_NAME certificate
#define FUZZ(suffix) attest_certificate##suffix
#define FUZZ_MEMBER method
#include "tests/fuzz/fuzz-json.inc"
