/* compare.c -- distances and norms against numbers, on the second route. */
#include "recheck/recheck.h"

enum { FIRST_BITS = 160 };

static int compare_exact(attest_recheck *check, size_t a, size_t b, const fmpq_t x)
{
    slong dim = (slong)check->dim;
    fmpq *p = _fmpq_vec_init(dim), *q = _fmpq_vec_init(dim);
    fmpq_t square, bound;
    int order;

    fmpq_init(square);
    fmpq_init(bound);
    attest_recheck_exact(p, check, a);
    if (b != a)
        attest_recheck_exact(q, check, b);
    for (slong c = 0; c < dim; c++) {
        fmpq_sub(p + c, p + c, q + c);
        fmpq_addmul(square, p + c, p + c);
    }
    fmpq_mul(bound, x, x);
    order = fmpq_cmp(square, bound);
    _fmpq_vec_clear(p, dim);
    _fmpq_vec_clear(q, dim);
    fmpq_clear(square);
    fmpq_clear(bound);
    return (order > 0) - (order < 0);
}

/* |F_a - F_b|^2 - x^2 in balls. */
static void enclose(arb_t difference, attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                    long bits)
{
    arb_srcptr p = attest_recheck_ball(check, a, bits);
    arb_srcptr q = attest_recheck_ball(check, b, bits);
    arb_t term;

    arb_init(term);
    arb_set_fmpq(term, x, bits);
    arb_sqr(difference, term, bits);
    arb_neg(difference, difference);
    for (size_t c = 0; c < check->dim; c++) {
        if (b == a)
            arb_set(term, p + c);
        else
            arb_sub(term, p + c, q + c, bits);
        arb_addmul(difference, term, term, bits);
    }
    arb_clear(term);
}

int attest_recheck_compare(attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                           long max_bits)
{
    int order = 2;
    bool tested = false;
    arb_t difference;

    if (check->weights->activation == ATTEST_HARDMAX)
        return compare_exact(check, a, b, x);
    arb_init(difference);
    for (long bits = FIRST_BITS; order == 2 && bits <= max_bits; bits *= 2) {
        enclose(difference, check, a, b, x, bits);
        if (arb_is_positive(difference))
            order = 1;
        else if (arb_is_negative(difference))
            order = -1;
        else if (arb_is_zero(difference)) /* no rounding happened at all */
            order = 0;
        else if (!tested && bits > FIRST_BITS) {
            int meets = attest_recheck_meets(check, a, b, x);
            tested = true;
            if (meets == 1)
                order = 0;
            else if (meets == 0 && fmpq_is_zero(x))
                order = 1;
        }
    }
    arb_clear(difference);
    return order;
}
