/* exp_avx512.c -- exp of an array with AVX-512F and AVX-512DQ. */
#include "kernel/attention_avx512.h"
#include "kernel/exp_avx512.h"
#include "kernel/exp_scalar.h"

#define EXP_ARRAY attest_avx512_exp

#include "kernel/exp_array.inc"
