/* loops_avx512.c -- the sums of loops.h with AVX-512. */
#include <string.h>

#include "judge/loops.h"
#include "kernel/vector.h"

#define JUDGE_TABLE attest_judge_loops_avx512
#define JUDGE_VECTORS 4

#include "judge/loops_keys.inc"
#include "judge/loops.inc"
