/* Datasets in JSON: those that are read are the same after they are written and read
 * again. */
#include "io/dataset.h"

#define FUZZ_NAME dataset
#define FUZZ(suffix) attest_dataset##suffix
#define FUZZ_MEMBER start
#include "tests/fuzz/fuzz-json.inc"
