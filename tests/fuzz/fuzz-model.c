/* Kernel models in JSON: whatever is read is written, read again and the same. */
#include "judge/model_field.h"

#define FUZZ_NAME model
#define FUZZ(suffix) attest_judge_model##suffix
#define FUZZ_MEMBER variant
#include "tests/fuzz/fuzz-json.inc"
