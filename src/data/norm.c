/* norm.c -- LayerNorm and RMSNorm of exact tokens, as rationals that are near. */
#include "data/norm.h"

/* Is the rational a square? Then root = 1/sqrt. */
static bool set_exact_root(fmpq_t root, const fmpq_t square)
{
    if (!fmpz_is_square(fmpq_numref(square)) || !fmpz_is_square(fmpq_denref(square)))
        return false;
    fmpz_sqrt(fmpq_denref(root), fmpq_numref(square));
    fmpz_sqrt(fmpq_numref(root), fmpq_denref(square));
    return true;
}

/* Whether |root^2 square - 1| <= 2^-bits, decided exactly: then root is 1/sqrt(square) times
 * 1 + t with |t| <= 2^-bits, too. */
static bool is_near(const fmpq_t root, const fmpq_t square, long bits)
{
    fmpq_t error, limit;
    bool near;

    fmpq_init(error);
    fmpq_init(limit);
    fmpq_mul(error, root, root);
    fmpq_mul(error, error, square);
    fmpq_sub_si(error, error, 1);
    fmpq_abs(error, error);
    fmpq_one(limit);
    fmpq_div_2exp(limit, limit, (flint_bitcnt_t)bits);
    near = fmpq_cmp(error, limit) <= 0;
    fmpq_clear(error);
    fmpq_clear(limit);
    return near;
}

/* root = 1/sqrt(square) to a relative error of 2^-bits, proved. Domain: square > 0. */
static void set_root(fmpq_t root, bool *exact, const fmpq_t square, long bits)
{
    arb_t x;
    arf_t middle;

    if (set_exact_root(root, square))
        return;
    *exact = false;
    arb_init(x);
    arf_init(middle);
    for (long more = bits + 32;; more *= 2) {
        arb_set_fmpq(x, square, more + 32);
        arb_rsqrt(x, x, more + 32);
        arf_set_round(middle, arb_midref(x), more, ARF_RND_NEAR);
        arf_get_fmpq(root, middle);
        if (is_near(root, square, bits))
            break;
    }
    arb_clear(x);
    arf_clear(middle);
}

attest_status attest_norm_get(fmpq *z, bool *exact, const attest_tokens *tokens, size_t t,
                              attest_norm norm, const fmpq_t eps, long bits,
                              attest_error *error)
{
    size_t dim = tokens->dim;
    fmpq_t sum, count;
    bool zero;

    fmpq_init(sum);
    fmpq_init(count);
    fmpq_set_ui(count, dim, 1);
    for (size_t c = 0; c < dim; c++) {
        attest_tokens_get_entry(z + c, tokens, t, c);
        fmpq_add(sum, sum, z + c);
    }
    fmpq_div(sum, sum, count);
    for (size_t c = 0; norm == ATTEST_NORM_LAYER && c < dim; c++)
        fmpq_sub(z + c, z + c, sum);
    fmpq_zero(sum);
    for (size_t c = 0; c < dim; c++)
        fmpq_addmul(sum, z + c, z + c);
    fmpq_div(sum, sum, count);
    fmpq_add(sum, sum, eps);
    zero = fmpq_is_zero(sum);
    if (!zero)
        set_root(count, exact, sum, bits);
    for (size_t c = 0; !zero && c < dim; c++)
        fmpq_mul(z + c, z + c, count);
    fmpq_clear(sum);
    fmpq_clear(count);
    return zero ? attest_error_set(error, ATTEST_FORMAT,
                                   "a token has nothing that its norm could divide by, and eps "
                                   "is 0")
                : ATTEST_OK;
}

void attest_norm_matrix(arb_t norm, const attest_matrix *matrix)
{
    fmpz_t sum, other;
    fmpq_t square;

    fmpz_init(sum);
    fmpz_init(other);
    fmpq_init(square);
    if (matrix->factored) {
        _fmpz_vec_dot(sum, matrix->u, matrix->u, (slong)matrix->rows);
        _fmpz_vec_dot(other, matrix->v, matrix->v, (slong)matrix->cols);
        fmpz_mul(sum, sum, other);
    } else {
        _fmpz_vec_dot(sum, matrix->entry, matrix->entry, (slong)(matrix->rows * matrix->cols));
    }
    fmpz_mul(other, matrix->denominator, matrix->denominator);
    fmpq_set_fmpz_frac(square, sum, other);
    arb_set_fmpq(norm, square, 64);
    arb_sqrtpos(norm, norm, 64);
    fmpz_clear(sum);
    fmpz_clear(other);
    fmpq_clear(square);
}

/* (1) scores differ by s <= 3 |W_K| |W_Q| T^2 t; (2) where s <= 1/8, outputs of the head by
 * |W_O| |W_V| T (4 s + t). *known = false where (2) does not hold. */
static void add_head(arb_t sum, bool *known, const attest_head *head, const arb_t length,
                     const arb_t t)
{
    arb_t score, part, limit;

    arb_init(score), arb_init(part), arb_init(limit);
    attest_norm_matrix(score, &head->wk);
    attest_norm_matrix(part, &head->wq);
    arb_mul(score, score, part, 64);
    arb_mul(score, score, length, 64);
    arb_mul(score, score, length, 64);
    arb_mul(score, score, t, 64);
    arb_mul_ui(score, score, 3, 64);
    arb_set_d(limit, 0.125);
    *known = *known && arb_le(score, limit);
    arb_mul_2exp_si(score, score, 2);
    arb_add(score, score, t, 64);
    arb_mul(score, score, length, 64);
    attest_norm_matrix(part, &head->wv);
    arb_mul(score, score, part, 64);
    attest_norm_matrix(part, &head->wo);
    arb_addmul(sum, score, part, 64);
    arb_clear(score), arb_clear(part), arb_clear(limit);
}

bool attest_norm_bound(fmpq_t slack, const attest_weights *weights, size_t dim, long bits)
{
    arb_t sum, length, t;
    arf_t above;
    bool known = true;

    arb_init(sum), arb_init(length), arb_init(t);
    arf_init(above);
    /* |(z, 1)| <= sqrt(dim + 1) before the factor, which is below sqrt(2) */
    arb_sqrt_ui(length, 2 * ((ulong)dim + 1), 64);
    arb_one(t);
    arb_mul_2exp_si(t, t, -bits);
    for (size_t h = 0; h < weights->heads; h++)
        add_head(sum, &known, &weights->head[h], length, t);
    arb_get_ubound_arf(above, sum, 64);
    known = known && arf_is_finite(above);
    if (known)
        arf_get_fmpq(slack, above);
    arb_clear(sum), arb_clear(length), arb_clear(t);
    arf_clear(above);
    return known;
}
