/* attention_rows.c -- sigma(Q K^T) V for rows of doubles, exactly or in balls. */
#include "props/attention_rows.h"

#include <math.h>
#include <stdlib.h>

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
