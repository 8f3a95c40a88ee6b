/* judge_avx512.c -- the sums of judge.h with AVX-512. */
#include <string.h>

#include "kernel/judge.h"
#include "kernel/vector_avx512.h"

#define JUDGE_TABLE attest_kernel_judge_avx512
#define JUDGE_VECTORS 4

#include "kernel/judge_keys.inc"
#include "kernel/judge_columns.inc"
#include "kernel/judge_replay.inc"
#include "kernel/judge_unit.inc"

#include "kernel/judge.inc"
