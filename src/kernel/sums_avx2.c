/* sums_avx2.c -- sums.h in vectors of AVX2, what is left in narrower ones. */
enum { LANES = 4 };

#define SUMS attest_avx2_sums
#define SUMS_OF_REST attest_scalar_sums
#include "kernel/sums.inc"
