/* attention_rows.c -- the oracles of kernels: sigma(Q K^T) V for rows of doubles, and
 * exponentials. */
#include "props/attention_rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <attest/flint.h>
#include <attest/kernel.h>

#include "base/memory.h"
#include "number/scope.h"

attest_status attest_row_init(attest_row *row, const attest_rows *rows)
{
    size_t n = rows->n, d = rows->d;

    *row = (attest_row){.rows = rows};
    arb_init(row->weight);
    row->score = attest_memory_alloc(n, sizeof *row->score);
    if (!row->score)
        return ATTEST_NOMEM;
    for (size_t j = 0; j < n; j++)
        arf_init(row->score + j);
    row->sum = _arb_vec_init((slong)d);
    row->term = _arb_vec_init((slong)n);
    row->value = _arb_vec_init((slong)(n * d));
    for (size_t e = 0; e < n * d; e++)
        arb_set_d(row->value + e, rows->v[e]);
    return ATTEST_OK;
}

void attest_row_clear(attest_row *row)
{
    size_t n = row->rows->n, d = row->rows->d;

    arb_clear(row->weight);
    if (!row->score)
        return;
    for (size_t j = 0; j < n; j++)
        arf_clear(row->score + j);
    free(row->score);
    _arb_vec_clear(row->sum, (slong)d);
    _arb_vec_clear(row->term, (slong)n);
    _arb_vec_clear(row->value, (slong)(n * d));
}

void attest_row_begin(attest_row *row, size_t i)
{
    const attest_rows *rows = row->rows;
    const double *q = rows->q + i * rows->d;
    ARF(x, y);

    row->seen = rows->causal ? i + 1 : rows->n;
    for (size_t j = 0; j < row->seen; j++) {
        const double *k = rows->k + j * rows->d;
        arf_zero(row->score + j);
        for (size_t c = 0; c < rows->d; c++) {
            arf_set_d(x, q[c]);
            arf_set_d(y, k[c]);
            arf_mul(x, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_add(row->score + j, row->score + j, x, ARF_PREC_EXACT, ARF_RND_DOWN);
        }
    }
}

static const arf_struct *largest(const attest_row *row)
{
    const arf_struct *most = row->score;

    for (size_t j = 1; j < row->seen; j++)
        if (arf_cmp(row->score + j, most) > 0)
            most = row->score + j;
    return most;
}

void attest_row_evaluate(attest_row *row, long bits)
{
    const attest_rows *rows = row->rows;
    const arf_struct *most = largest(row);

    for (size_t j = 0; j < row->seen; j++) {
        arb_ptr term = row->term + j;
        if (rows->hardmax) {
            arb_set_si(term, arf_equal(row->score + j, most));
            continue;
        }
        arb_zero(term);
        arf_sub(arb_midref(term), row->score + j, most, ARF_PREC_EXACT, ARF_RND_DOWN);
        arb_exp(term, term, bits);
    }
    if (rows->hardmax)
        bits = ARF_PREC_EXACT;
    arb_zero(row->weight);
    _arb_vec_zero(row->sum, (slong)rows->d);
    for (size_t j = 0; j < row->seen; j++) {
        arb_add(row->weight, row->weight, row->term + j, bits);
        if (arb_is_zero(row->term + j))
            continue;
        for (size_t c = 0; c < rows->d; c++)
            arb_addmul(row->sum + c, row->term + j, row->value + j * rows->d + c, bits);
    }
}

static double log2_of(const arb_t x)
{
    MAG(most);

    arb_get_mag(most, x);
    return mag_is_zero(most) ? -INFINITY : mag_get_d_log2_approx(most);
}

int attest_row_compare(double *margin, const attest_row *row, const double *out, double bound,
                       long bits)
{
    int sign = 0;

    if (row->rows->hardmax)
        bits = ARF_PREC_EXACT;
    ARB(square, limit, x);
    for (size_t c = 0; c < row->rows->d; c++) {
        arb_set_d(x, out[c]);
        arb_mul(x, x, row->weight, bits);
        arb_sub(x, x, row->sum + c, bits);
        arb_addmul(square, x, x, bits);
    }
    arb_set_d(x, bound);
    arb_mul(x, x, row->weight, bits);
    arb_mul(limit, x, x, bits);
    if (arb_le(square, limit))
        sign = 1;
    else if (arb_gt(square, limit))
        sign = -1;
    *margin = arb_is_zero(square) ? INFINITY : (log2_of(limit) - log2_of(square)) / 2;
    return sign;
}

/* ---- Whether a double is the exponential that attest/kernel.h promises. */

enum { BITS = 128, MOST_BITS = 1024, LEAST_ULP = -1074, MOST_EXPONENT = 1024 };

/* Sets *e with 2^*e <= exact < 2^(*e+1), where exact encloses e^x; returns false if the ball
 * does not determine it. Of the powers of two only 1 can be closer to e^x than any precision
 * resolves; there the sign of x decides. */
static bool get_binade(long *e, const arb_t exact, double x)
{
    bool known;
    ARF(low, high);

    arb_get_lbound_arf(low, exact, BITS);
    arb_get_ubound_arf(high, exact, BITS);
    known = arf_sgn(low) > 0 && arf_abs_bound_lt_2exp_si(low) == arf_abs_bound_lt_2exp_si(high);
    *e = known ? (long)arf_abs_bound_lt_2exp_si(low) - 1 : 0;
    if (!known && fabs(x) < 0x1p-30) {
        known = true;
        *e = x > 0 ? 0 : -1;
    }
    return known;
}

/* Compares |y - exact| with the promised bound. An infinite y counts as 2^1024, the least power
 * of two that is not a double. */
static int compare(double y, const arb_t exact, double x, long bits)
{
    int sign = 0;
    long e;

    if (!get_binade(&e, exact, x))
        return 0;
    if (e >= MOST_EXPONENT)
        return isinf(y) ? 1 : -1;
    ARB(distance, limit);
    if (isinf(y)) {
        arb_one(distance);
        arb_mul_2exp_si(distance, distance, MOST_EXPONENT);
    } else
        arb_set_d(distance, y);
    arb_sub(distance, distance, exact, bits);
    arb_abs(distance, distance);
    arb_set_d(limit, ATTEST_KERNEL_EXP_ULP);
    arb_mul_2exp_si(limit, limit, e - 52 > LEAST_ULP ? e - 52 : LEAST_ULP);
    if (arb_le(distance, limit))
        sign = 1;
    else if (arb_gt(distance, limit))
        sign = -1;
    return sign;
}

int attest_exp_compare(double y, double x)
{
    int sign = 0;

    if (x == 0)
        return y == 1 ? 1 : -1;
    if (x > 710) /* above 2^1024 */
        return y == INFINITY ? 1 : -1;
    if (x < -746) /* below 2^-1076: next to 0 */
        return y == 0 ? 1 : -1;
    if (isnan(y) || y < 0)
        return -1;
    ARB(exact);
    for (long bits = BITS; sign == 0 && bits <= MOST_BITS; bits *= 2) {
        arb_set_d(exact, x);
        arb_exp(exact, exact, bits);
        sign = compare(y, exact, x, bits);
    }
    return sign;
}
