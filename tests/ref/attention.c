/* attention.c -- attention from its definition, by another route than src/attention. */
#include "tests/ref/attention.h"

#include "tests/ref/matrices.h"

/* value = entry (r, c) of the matrix. */
static void get_entry(fmpq_t value, const attest_matrix *m, size_t r, size_t c)
{
    fmpq_t other;

    fmpq_init(other);
    if (m->factored) {
        fmpq_set_fmpz_frac(value, m->u + r, m->u_denominator);
        fmpq_set_fmpz_frac(other, m->v + c, m->v_denominator);
        fmpq_mul(value, value, other);
    } else {
        fmpq_set_fmpz_frac(value, m->entry + r * m->cols + c, m->denominator);
    }
    fmpq_clear(other);
}

static void get_matrix(fmpq_mat_t to, const attest_matrix *from)
{
    fmpq_mat_init(to, (slong)from->rows, (slong)from->cols);
    for (size_t r = 0; r < from->rows; r++)
        for (size_t c = 0; c < from->cols; c++)
            get_entry(fmpq_mat_entry(to, (slong)r, (slong)c), from, r, c);
}

void ref_tokens(fmpq_mat_t to, const attest_sequence *sequence)
{
    fmpq_mat_init(to, (slong)sequence->dim, (slong)sequence->length);
    for (size_t k = 0; k < sequence->length; k++)
        for (size_t c = 0; c < sequence->dim; c++)
            fmpq_set_fmpz_frac(fmpq_mat_entry(to, (slong)c, (slong)k),
                               sequence->entry + k * sequence->dim + c, sequence->denominator);
}

void ref_head_matrices(fmpq_mat_t scores, fmpq_mat_t values, const attest_head *head,
                       const fmpq_mat_t z)
{
    slong d = fmpq_mat_nrows(z), n = fmpq_mat_ncols(z);
    fmpq_mat_t q, k, v, o, kt, zt, form, half, mean;

    get_matrix(q, &head->wq);
    get_matrix(k, &head->wk);
    get_matrix(v, &head->wv);
    get_matrix(o, &head->wo);
    fmpq_mat_init(kt, d, fmpq_mat_nrows(k));
    fmpq_mat_init(zt, n, d);
    fmpq_mat_init(form, d, d);
    fmpq_mat_init(half, n, d);
    fmpq_mat_init(mean, d, d);
    fmpq_mat_transpose(kt, k);
    fmpq_mat_transpose(zt, z);
    fmpq_mat_mul(form, kt, q);
    fmpq_mat_mul(half, zt, form);
    fmpq_mat_init(scores, n, n);
    fmpq_mat_mul(scores, half, z);
    fmpq_mat_mul(mean, o, v);
    fmpq_mat_init(values, d, n);
    fmpq_mat_mul(values, mean, z);
    fmpq_mat_clear(q);
    fmpq_mat_clear(k);
    fmpq_mat_clear(v);
    fmpq_mat_clear(o);
    fmpq_mat_clear(kt);
    fmpq_mat_clear(zt);
    fmpq_mat_clear(form);
    fmpq_mat_clear(half);
    fmpq_mat_clear(mean);
}

/* How many keys query k sees. */
static slong visible_keys(const attest_weights *weights, slong k, slong n)
{
    return weights->mask == ATTEST_MASK_CAUSAL ? k + 1 : n;
}

/* No other visible key beats key j for query k. */
static bool wins(const fmpq_mat_t scores, slong j, slong k, slong visible)
{
    for (slong i = 0; i < visible; i++)
        if (fmpq_cmp(fmpq_mat_entry(scores, i, k), fmpq_mat_entry(scores, j, k)) > 0)
            return false;
    return true;
}

/* Adds to out the mean of the winners' values for query k. */
static void add_hardmax(fmpq *out, const fmpq_mat_t scores, const fmpq_mat_t values, slong k,
                        const attest_weights *weights)
{
    slong n = fmpq_mat_ncols(values), d = fmpq_mat_nrows(values);
    slong visible = visible_keys(weights, k, n), winners = 0;
    fmpq *sum = _fmpq_vec_init(d);

    for (slong j = visible - 1; j >= 0; j--) {
        if (!wins(scores, j, k, visible))
            continue;
        if (weights->ties == ATTEST_TIES_LEFTMOST) {
            winners = 0;
            for (slong c = 0; c < d; c++)
                fmpq_zero(sum + c);
        }
        winners++;
        for (slong c = 0; c < d; c++)
            fmpq_add(sum + c, sum + c, fmpq_mat_entry(values, c, j));
    }
    for (slong c = 0; c < d; c++) {
        fmpz_t m;
        fmpz_init_set_ui(m, (ulong)winners);
        fmpq_div_fmpz(sum + c, sum + c, m);
        fmpq_add(out + c, out + c, sum + c);
        fmpz_clear(m);
    }
    _fmpq_vec_clear(sum, d);
}

void ref_hardmax(fmpq *out, const attest_weights *weights, const attest_sequence *sequence)
{
    slong d = (slong)sequence->dim, n = (slong)sequence->length;
    fmpq_mat_t z;

    ref_tokens(z, sequence);
    for (slong k = 0; k < n; k++)
        for (slong c = 0; c < d; c++)
            if (weights->skip)
                fmpq_set(out + k * d + c, fmpq_mat_entry(z, c, k));
            else
                fmpq_zero(out + k * d + c);
    for (size_t h = weights->heads; h > 0; h--) {
        fmpq_mat_t scores, values;
        ref_head_matrices(scores, values, &weights->head[h - 1], z);
        for (slong k = 0; k < n; k++)
            add_hardmax(out + k * d, scores, values, k, weights);
        fmpq_mat_clear(scores);
        fmpq_mat_clear(values);
    }
    fmpq_mat_clear(z);
}

static void note_term(mag_ptr largest, const arb_t term)
{
    mag_t size;

    mag_init(size);
    arb_get_mag(size, term);
    if (mag_cmp(size, largest) > 0)
        mag_set(largest, size);
    mag_clear(size);
}

/* Adds to out the softmax average of the values for query k, without subtracting a maximum. */
static void add_softmax(arb_ptr out, mag_ptr largest, const fmpq_mat_t scores,
                        const fmpq_mat_t values, slong k, const attest_weights *weights,
                        slong precision)
{
    slong n = fmpq_mat_ncols(values), d = fmpq_mat_nrows(values);
    slong visible = visible_keys(weights, k, n);
    arb_ptr power = _arb_vec_init(visible);
    arb_t total, term, value;

    arb_init(total);
    arb_init(term);
    arb_init(value);
    for (slong j = visible - 1; j >= 0; j--) {
        arb_set_fmpq(power + j, fmpq_mat_entry(scores, j, k), precision);
        arb_exp(power + j, power + j, precision);
        arb_add(total, total, power + j, precision);
    }
    for (slong c = 0; c < d; c++)
        for (slong j = visible - 1; j >= 0; j--) {
            arb_set_fmpq(value, fmpq_mat_entry(values, c, j), precision);
            arb_div(term, power + j, total, precision);
            arb_mul(term, term, value, precision);
            arb_add(out + c, out + c, term, precision);
            if (largest)
                note_term(largest + c, term);
        }
    arb_clear(total);
    arb_clear(term);
    arb_clear(value);
    _arb_vec_clear(power, visible);
}

void ref_softmax(arb_ptr out, mag_ptr largest, const attest_weights *weights,
                 const attest_sequence *sequence, slong precision)
{
    slong d = (slong)sequence->dim, n = (slong)sequence->length;
    fmpq_mat_t z;

    ref_tokens(z, sequence);
    for (slong k = 0; k < n; k++)
        for (slong c = 0; c < d; c++) {
            if (weights->skip)
                arb_set_fmpq(out + k * d + c, fmpq_mat_entry(z, c, k), precision);
            else
                arb_zero(out + k * d + c);
            if (largest) {
                mag_zero(largest + k * d + c);
                note_term(largest + k * d + c, out + k * d + c);
            }
        }
    for (size_t h = weights->heads; h > 0; h--) {
        fmpq_mat_t scores, values;
        ref_head_matrices(scores, values, &weights->head[h - 1], z);
        for (slong k = 0; k < n; k++)
            add_softmax(out + k * d, largest ? largest + k * d : NULL, scores, values, k,
                        weights, precision);
        fmpq_mat_clear(scores);
        fmpq_mat_clear(values);
    }
    fmpq_mat_clear(z);
}
