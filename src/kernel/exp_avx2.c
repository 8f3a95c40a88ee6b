/* exp_avx2.c -- exp of an array with AVX2 and FMA. */
#include "kernel/exp_avx2.h"
#include "kernel/attention_avx2.h"
#include "kernel/exp_scalar.h"

/* Below 708^2, and enough below it that four rounded additions cannot hide an argument of 708.
 */
#define SQUARES_LIMIT (707.0 * 707.0)

/* Whether the sum of squares in each lane proves all arguments to be in the domain of
 * exp_vectors; false for a NaN. */
static inline int squares_inside(__m256d squares)
{
    __m256d inside = _mm256_cmp_pd(squares, _mm256_set1_pd(SQUARES_LIMIT), _CMP_LT_OQ);

    return _mm256_movemask_pd(inside) == 15;
}

/* The same vector by vector, for four of them. */
static inline int each_inside(const __m256d *a)
{
    return squares_inside(_mm256_mul_pd(a[0], a[0])) &&
           squares_inside(_mm256_mul_pd(a[1], a[1])) &&
           squares_inside(_mm256_mul_pd(a[2], a[2])) &&
           squares_inside(_mm256_mul_pd(a[3], a[3]));
}

/* Four elements; outside the domain of exp_vectors one by one. */
static inline void exp_four(double *y, const double *x, struct exp_table table)
{
    __m256d value = _mm256_loadu_pd(x);

    if (__builtin_expect(squares_inside(_mm256_mul_pd(value, value)), 1)) {
        exp_vectors(&value, 1, table);
        _mm256_storeu_pd(y, value);
        return;
    }
    for (size_t i = 0; i < 4; i++)
        y[i] = exp_one(x[i]);
}

void attest_avx2_exp(double *y, const double *x, size_t count)
{
    const struct exp_table table = exp_table_load();
    size_t i = 0;

    /* Four vectors share one range check: the sum of their squares. It also refuses vectors
     * that are all of them large; each vector is then looked at. */
    for (; count - i >= 16; i += 16) {
        __m256d a[4] = {_mm256_loadu_pd(x + i), _mm256_loadu_pd(x + i + 4),
                        _mm256_loadu_pd(x + i + 8), _mm256_loadu_pd(x + i + 12)};
        __m256d squares = _mm256_mul_pd(a[0], a[0]);

        squares = _mm256_fmadd_pd(a[1], a[1], squares);
        squares = _mm256_fmadd_pd(a[2], a[2], squares);
        squares = _mm256_fmadd_pd(a[3], a[3], squares);
        if (__builtin_expect(!squares_inside(squares), 0) && !each_inside(a)) {
            for (size_t j = 0; j < 16; j += 4)
                exp_four(y + i + j, x + i + j, table);
            continue;
        }
        exp_vectors(a, 4, table);
        _mm256_storeu_pd(y + i, a[0]);
        _mm256_storeu_pd(y + i + 4, a[1]);
        _mm256_storeu_pd(y + i + 8, a[2]);
        _mm256_storeu_pd(y + i + 12, a[3]);
    }
    for (; count - i >= 4; i += 4)
        exp_four(y + i, x + i, table);
    if (i < count) {
        double buffer[4] = {0.0, 0.0, 0.0, 0.0};

        memcpy(buffer, x + i, (count - i) * sizeof *x);
        exp_four(buffer, buffer, table);
        memcpy(y + i, buffer, (count - i) * sizeof *y);
    }
}
