/* Certificates: those that are read are the same after they are written and read again. */
#include "io/certificate_json.h"

#define FUZZ_NAME certificate
#define FUZZ(suffix) attest_certificate##suffix
#define FUZZ_MEMBER method
#include "tests/fuzz/fuzz-json.inc"
