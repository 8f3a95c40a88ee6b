/* tiny_avx512.c -- attention of short sequences, eight at a time. */
#include <float.h>
#include <math.h>

#include "kernel/attention_avx512.h"
#include "kernel/exp_avx512.h"

#include "kernel/tiny.h"

#define TINY_SOFTMAX attest_avx512_tiny_softmax
#define TINY_HARDMAX attest_avx512_tiny_hardmax

#include "kernel/tiny_softmax.inc"

#include "kernel/tiny_hardmax.inc"
