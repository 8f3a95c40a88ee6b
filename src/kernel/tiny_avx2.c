/* tiny_avx2.c -- attention of short sequences, four at a time. */
#include <float.h>
#include <math.h>

#include "kernel/exp_avx2.h"

#include "kernel/tiny.h"

#define TINY_SOFTMAX attest_avx2_tiny_softmax
#define TINY_HARDMAX attest_avx2_tiny_hardmax

#include "kernel/tiny_softmax.inc"

#include "kernel/tiny_hardmax.inc"
