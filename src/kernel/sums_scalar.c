/* sums_scalar.c -- sums.h in vectors of 16 bytes, which every 64-bit machine has. */
enum { LANES = 2 };

#define SUMS attest_scalar_sums
#define SUMS_OF_REST(y, rest, rounding, outside) ((void)(rest), (size_t)0)
#include "kernel/sums.inc"
