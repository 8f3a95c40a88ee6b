/* Datasets in JSON: whatever is read is written, read again and the same. */
#include "io/dataset_json.h"

#define FUZZ_NAME dataset
#define FUZZ(suffix) attest_dataset##suffix
#define FUZZ_MEMBER start
#include "tests/fuzz/fuzz-json.inc"
