/* The constants of the exponential, which are defined only here: the C code includes this
 * file, and the proof scripts read its "#define NAME hex-float" lines.
 *
 *     exp(x) = 2^e T[j] exp(r),   k = 8 e + j,   0 <= j < 8,   r = x - k log(2)/8 - SHIFT
 *
 * T[j] is the double nearest to exp(SHIFT) 2^(j/8). SHIFT makes the table nearly
 * exact: among the doubles just below 1, T[0] was searched so that all eight products
 * T[0] 2^(j/8) fall within 1/72 ulp of a double, and SHIFT = log(T[0]) + 2^-60 spreads the rest
 * of the error to both sides. No second word per entry is then needed. Derivation and error
 * bound: proofs-notes/kernel-exp.md.
 */
#ifndef ATTEST_KERNEL_EXP_CONSTANTS_H
#define ATTEST_KERNEL_EXP_CONSTANTS_H

/* 8/log(2) to nearest; the integer k only has to be nearly the nearest one. */
#define ATTEST_EXP_INVERSE_STEP 0x1.71547652b82fep+3
/* Adding it rounds to an integer, which stands in the low bits. */
#define ATTEST_EXP_ROUND_TO_INTEGER 0x1.8p+52
/* log(2)/8 = STEP_HI + STEP_LO; STEP_HI has 39 bits, so k STEP_HI is exact for |k| < 2^14. */
#define ATTEST_EXP_STEP_HI 0x1.62e42fefa4p-4
#define ATTEST_EXP_STEP_LO -0x1.8432a1b0e2634p-46
#define ATTEST_EXP_SHIFT -0x1.6a1c656682718p-18

/* exp(r) - 1 = r + r^2 (C2 + C3 r + ... + C7 r^5) for |r| <= log(2)/16 + 2^-17. */
#define ATTEST_EXP_C2 0x1.000000000010fp-1
#define ATTEST_EXP_C3 0x1.5555555555661p-3
#define ATTEST_EXP_C4 0x1.55555547f5d09p-5
#define ATTEST_EXP_C5 0x1.11111107cc03cp-7
#define ATTEST_EXP_C6 0x1.6c1cc1d37bc22p-10
#define ATTEST_EXP_C7 0x1.a0207964d462cp-13

/* T[j], nearest doubles to exp(SHIFT) 2^(j/8). */
#define ATTEST_EXP_T0 0x1.ffff4af1ed5p-1
#define ATTEST_EXP_T1 0x1.172b210f46a07p+0
#define ATTEST_EXP_T2 0x1.306f74fb305bfp+0
#define ATTEST_EXP_T3 0x1.4bfd37ed14cebp+0
#define ATTEST_EXP_T4 0x1.6a096661804cfp+0
#define ATTEST_EXP_T5 0x1.8acdc885df423p+0
#define ATTEST_EXP_T6 0x1.ae8961561102cp+0
#define ATTEST_EXP_T7 0x1.d580e7c885f8bp+0

#endif
