/* product.c -- finds pairs of near points by products of small integers. */
#include "recheck/product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/term.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define ATTEST_RECHECK_X86 1
#include <immintrin.h>
#endif

enum { ROWS = ATTEST_RECHECK_ROWS, COLUMNS = ATTEST_RECHECK_COLUMNS, MOST_BITS = 13 };

/* The number of bits b such that 2^(2b) dim <= 2^28: integer distances squared are at most
 * 2^30.
 */
static int choose_bits(size_t dim)
{
    int bits = MOST_BITS;

    while (bits > 0 && ldexp((double)dim, 2 * bits) > 0x1p28)
        bits--;
    return bits;
}

/* Fills one point. Entries are rounded to the nearest integer, at most 1/2 off. */
static void fill(attest_recheck_product *product, size_t i, const double *x, size_t dim)
{
    int16_t *row = product->row + i * product->pairs * 2;
    int16_t *column = product->column + i / COLUMNS * product->pairs * COLUMNS * 2;
    int32_t norm = 0;

    for (size_t c = 0; c < dim; c++) {
        int16_t q = (int16_t)rint(x[c] * product->scale);
        row[c] = q;
        column[(c / 2 * COLUMNS + i % COLUMNS) * 2 + c % 2] = q;
        norm += (int32_t)q * q;
        if (c < 2 * product->first)
            product->norm[0][i] = norm;
    }
    product->norm[1][i] = norm;
}

bool attest_recheck_product_init(attest_recheck_product *product, const double *x,
                                 const uint32_t *order, size_t count, size_t dim)
{
    size_t blocks = (count + COLUMNS - 1) / COLUMNS;

    *product = (attest_recheck_product){.count = blocks * COLUMNS, .pairs = (dim + 1) / 2};
    product->find = attest_recheck_product_way(0);
    product->first = product->pairs > 8 ? (product->pairs + 1) / 2 : product->pairs;
    product->scale = ldexp(1, choose_bits(dim));
    product->rounding = 0.5 * sqrt((double)dim);
    product->row = attest_memory_alloc((product->count + ROWS) * product->pairs * 2, 2);
    product->column = attest_memory_alloc(product->count * product->pairs * 2, 2);
    product->norm[0] = attest_memory_alloc(product->count + ROWS, sizeof(int32_t));
    product->norm[1] = attest_memory_alloc(product->count + ROWS, sizeof(int32_t));
    if (!product->row || !product->column || !product->norm[0] || !product->norm[1]) {
        attest_recheck_product_clear(product);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        fill(product, i, x + order[i] * dim, dim);
    return true;
}

void attest_recheck_product_clear(attest_recheck_product *product)
{
    free(product->row);
    free(product->column);
    free(product->norm[0]);
    free(product->norm[1]);
}

bool attest_recheck_product_set_limit(attest_recheck_product *product, double reach)
{
    /* Integer points are this far apart at most, before the root, the sum, the square and the
     * last product are rounded: 6 u of the square, and 2 u more if the reach is a rounded sum.
     */
    double limit = reach * product->scale + 2 * product->rounding;

    limit = limit * limit * (1 + ATTEST_TERM(product_roundings, 16 * 0x1p-53));
    if (!(limit < 0x1p30))
        return false;
    product->limit = (int32_t)limit;
    return true;
}

/* near if norm + norm' - 2 x.x' <= limit, that is 2 x.x' + (limit - norm) >= norm'. All numbers
 * stay below 2^31: |2 x.x'| <= 2^29, the limit is below 2^30, norms are at most 2^28. */
static void find_plain(uint32_t *near, const attest_recheck_product *product, size_t row,
                       size_t block, size_t from, size_t to, int stage,
                       int32_t sum[ROWS][COLUMNS])
{
    const int16_t *column = product->column + block * product->pairs * COLUMNS * 2;
    const int32_t *norm = product->norm[stage] + block * COLUMNS;

    for (size_t r = 0; r < ROWS; r++) {
        const int16_t *x = product->row + (row + r) * product->pairs * 2;
        int32_t base = product->limit - product->norm[stage][row + r];
        for (size_t t = from; t < to; t++)
            for (size_t c = 0; c < COLUMNS; c++)
                sum[r][c] += x[2 * t] * column[(t * COLUMNS + c) * 2] +
                             x[2 * t + 1] * column[(t * COLUMNS + c) * 2 + 1];
        near[r] = 0;
        for (size_t c = 0; c < COLUMNS; c++)
            near[r] |= (uint32_t)(2 * sum[r][c] + base >= norm[c]) << c;
    }
}

#ifdef ATTEST_RECHECK_X86
static int32_t pair_at(const int16_t *x)
{
    int32_t pair;

    memcpy(&pair, x, sizeof pair);
    return pair;
}

__attribute__((target("avx2"))) static void
find_avx2(uint32_t *near, const attest_recheck_product *product, size_t row, size_t block,
          size_t from, size_t to, int stage, int32_t sum[ROWS][COLUMNS])
{
    size_t width = product->pairs * 2;
    const int16_t *column = product->column + block * product->pairs * COLUMNS * 2;

    for (size_t half = 0; half < ROWS; half += 4) { /* 4 rows: 8 sums stay in registers */
        const int16_t *x = product->row + (row + half) * width;
        __m256i s[4][2];
        for (int r = 0; r < 4; r++)
            for (int v = 0; v < 2; v++)
                s[r][v] = _mm256_loadu_si256((const __m256i *)(sum[half + (size_t)r] + 8 * v));
        for (size_t t = from; t < to; t++) {
            const __m256i *c = (const __m256i *)(column + t * COLUMNS * 2);
            __m256i low = _mm256_loadu_si256(c), high = _mm256_loadu_si256(c + 1);
            for (size_t r = 0; r < 4; r++) {
                __m256i pair = _mm256_set1_epi32(pair_at(x + r * width + 2 * t));
                s[r][0] = _mm256_add_epi32(s[r][0], _mm256_madd_epi16(pair, low));
                s[r][1] = _mm256_add_epi32(s[r][1], _mm256_madd_epi16(pair, high));
            }
        }
        for (size_t r = 0; r < 4; r++) {
            int32_t base = product->limit - product->norm[stage][row + half + r];
            const int32_t *norm = product->norm[stage] + block * COLUMNS;
            uint32_t far = 0;
            for (int v = 0; v < 2; v++) {
                __m256i twice = _mm256_add_epi32(_mm256_add_epi32(s[r][v], s[r][v]),
                                                 _mm256_set1_epi32(base));
                __m256i n = _mm256_loadu_si256((const __m256i *)(norm + 8 * v));
                __m256i less = _mm256_cmpgt_epi32(n, twice);
                far |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(less)) << 8 * v;
                _mm256_storeu_si256((__m256i *)(sum[half + r] + 8 * v), s[r][v]);
            }
            near[half + r] = ~far & 0xffff;
        }
    }
}

__attribute__((target("avx512f,avx512bw"))) static void
find_avx512(uint32_t *near, const attest_recheck_product *product, size_t row, size_t block,
            size_t from, size_t to, int stage, int32_t sum[ROWS][COLUMNS])
{
    size_t width = product->pairs * 2;
    const int16_t *column = product->column + block * product->pairs * COLUMNS * 2;
    const int16_t *x = product->row + row * width;
    __m512i n = _mm512_loadu_si512(product->norm[stage] + block * COLUMNS), s[ROWS];

    for (size_t r = 0; r < ROWS; r++)
        s[r] = _mm512_loadu_si512(sum[r]);
    for (size_t t = from; t < to; t++) {
        __m512i c = _mm512_loadu_si512(column + t * COLUMNS * 2);
        for (size_t r = 0; r < ROWS; r++) {
            __m512i pair = _mm512_set1_epi32(pair_at(x + r * width + 2 * t));
            s[r] = _mm512_add_epi32(s[r], _mm512_madd_epi16(pair, c));
        }
    }
    for (size_t r = 0; r < ROWS; r++) {
        int32_t base = product->limit - product->norm[stage][row + r];
        __m512i twice = _mm512_add_epi32(_mm512_add_epi32(s[r], s[r]), _mm512_set1_epi32(base));
        near[r] = _mm512_cmpge_epi32_mask(twice, n);
        _mm512_storeu_si512(sum[r], s[r]);
    }
}

#endif

attest_recheck_find *attest_recheck_product_way(size_t i)
{
#ifdef ATTEST_RECHECK_X86
    if (__builtin_cpu_supports("avx512bw") && i-- == 0)
        return find_avx512;
    if (__builtin_cpu_supports("avx2") && i-- == 0)
        return find_avx2;
#endif
    return i == 0 ? find_plain : NULL;
}

void attest_recheck_product_find(uint32_t near[ROWS], const attest_recheck_product *product,
                                 size_t row, size_t block)
{
    int32_t sum[ROWS][COLUMNS] = {{0}};
    uint32_t any = 0;

    product->find(near, product, row, block, 0, product->first, 0, sum);
    for (size_t r = 0; r < ROWS; r++)
        any |= near[r];
    if (any && product->first <
                   product->pairs) /* points that are far apart in some entries are far apart */
        product->find(near, product, row, block, product->first, product->pairs, 1, sum);
    for (size_t r = 0; r < ROWS; r++)
        if (row + r >= product->count)
            near[r] = 0;
}
