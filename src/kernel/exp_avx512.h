/* exp_avx512.h -- the table of the exponential for vectors of eight, and exp_vectors over it.
 */
#ifndef ATTEST_KERNEL_EXP_AVX512_H
#define ATTEST_KERNEL_EXP_AVX512_H

#include "kernel/exp_constants.h"
#include "kernel/vector_avx512.h"

/* T[j] with j << 49 subtracted from its word, as in exp_avx2.h. */
struct exp_table {
    __m512i word;
};

static inline struct exp_table exp_table_load(void)
{
    __m512d table = _mm512_setr_pd(ATTEST_EXP_T0, ATTEST_EXP_T1, ATTEST_EXP_T2, ATTEST_EXP_T3,
                                   ATTEST_EXP_T4, ATTEST_EXP_T5, ATTEST_EXP_T6, ATTEST_EXP_T7);

    return (struct exp_table){
        _mm512_sub_epi64(_mm512_castpd_si512(table),
                         _mm512_slli_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), 49))};
}

/* T[j] 2^e for k = 8 e + j, which is in the low bits of shifted. */
static inline vector exp_scale(struct exp_table table, vector shifted)
{
    __m512i index = _mm512_castpd_si512(shifted);

    return _mm512_castsi512_pd(_mm512_add_epi64(_mm512_permutexvar_epi64(index, table.word),
                                                _mm512_slli_epi64(index, 49)));
}

#include "kernel/exp_vectors.h"

#endif
