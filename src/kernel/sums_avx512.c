/* sums_avx512.c -- sums.h in vectors of AVX-512, what is left in narrower ones. */
enum { LANES = 8 };

#define SUMS attest_avx512_sums
#define SUMS_OF_REST attest_avx2_sums
#include "kernel/sums.inc"
