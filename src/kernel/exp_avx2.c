/* exp_avx2.c -- exp of an array with AVX2 and FMA. */
#include "kernel/attention_avx2.h"
#include "kernel/exp_avx2.h"
#include "kernel/exp_scalar.h"

#define EXP_ARRAY attest_avx2_exp

#include "kernel/exp_array.inc"
