/* Kernel models in JSON: those that are read are the same after they are written and read
 * again. */
#include "judge/model_field.h"

#define FUZZ_NAME model
#define FUZZ(suffix) attest_judge_model##suffix
#define FUZZ_MEMBER variant
#include "tests/fuzz/fuzz-json.inc"
