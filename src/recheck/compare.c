/* compare.c -- distances and norms against numbers, on the second route. */
#include "number/scope.h"
#include "recheck/recheck.h"

/* Balls are tried at these precisions before exact sums. Ends whose exponents are within
 * HANDY are written out as rationals at once, within LARGEST if need be. */
enum { FIRST_BITS = 160, LAST_BITS = 320, HANDY = 4096, LARGEST = 1 << 26 };

/* square = |F_a - F_b|^2, or |F_a|^2 for b = a. Domain: hardmax. */
static void get_square(fmpq_t square, attest_recheck *check, size_t a, size_t b)
{
    slong dim = (slong)check->dim;
    FMPQ_VEC(p, dim);
    FMPQ_VEC(q, dim);

    fmpq_zero(square);
    attest_recheck_exact(p, check, a);
    if (b != a)
        attest_recheck_exact(q, check, b);
    for (slong c = 0; c < dim; c++) {
        fmpq_sub(p + c, p + c, q + c);
        fmpq_addmul(square, p + c, p + c);
    }
}

static int compare_exact(attest_recheck *check, size_t a, size_t b, const fmpq_t x)
{
    int order;
    FMPQ(square, bound);

    get_square(square, check, a, b);
    fmpq_mul(bound, x, x);
    order = fmpq_cmp(square, bound);
    return (order > 0) - (order < 0);
}

/* difference -= x^2; the order that it shows, or 2. */
static int compare_balls(const arb_t square, const arb_t x, long bits)
{
    int order;
    ARB(difference);

    arb_sqr(difference, x, bits);
    arb_sub(difference, square, difference, bits);
    order = arb_is_positive(difference)   ? 1
            : arb_is_negative(difference) ? -1
            : arb_is_zero(difference)     ? 0 /* no rounding happened at all */
                                          : 2;
    return order;
}

/* The square of a distance or norm from the balls of outputs. */
static void enclose(arb_t square, attest_recheck *check, size_t a, size_t b, long bits)
{
    arb_srcptr p = attest_recheck_ball(check, a, bits);
    arb_srcptr q = attest_recheck_ball(check, b, bits);
    ARB(term);

    arb_zero(square);
    for (size_t c = 0; c < check->dim; c++) {
        if (b == a)
            arb_set(term, p + c);
        else
            arb_sub(term, p + c, q + c, bits);
        arb_addmul(square, term, term, bits);
    }
}

/* What is kept from earlier comparisons costs nothing more. */
static bool afford(attest_recheck *check, size_t a, size_t b)
{
    return (check->bits[a] >= LAST_BITS || attest_recheck_afford(check, a, LAST_BITS)) &&
           (b == a || check->bits[b] >= LAST_BITS ||
            attest_recheck_afford(check, b, LAST_BITS));
}

int attest_recheck_compare(attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                           long max_bits)
{
    int order = 2;
    ARB(square, bound);

    if (!afford(check, a, b))
        return 2;
    if (check->weights->activation == ATTEST_HARDMAX)
        return compare_exact(check, a, b, x);
    for (long bits = FIRST_BITS; order == 2 && bits <= LAST_BITS; bits *= 2) {
        enclose(square, check, a, b, bits);
        arb_set_fmpq(bound, x, bits);
        order = compare_balls(square, bound, bits);
    }
    return order == 2 ? attest_recheck_order(check, a, b, x, max_bits) : order;
}

/* Whether 2^-size < |x| < 2^size. */
static bool is_within(const arf_t x, slong size)
{
    return arf_cmpabs_2exp_si(x, size) < 0 && arf_cmpabs_2exp_si(x, -size) > 0;
}

static int compare_rational(attest_recheck *check, size_t a, size_t b, const arf_t x,
                            long max_bits)
{
    FMPQ(exact);

    arf_get_fmpq(exact, x);
    return attest_recheck_compare(check, a, b, exact, max_bits);
}

/* The square relative to its own size, whatever that is. */
static bool enclose_closely(arb_t square, attest_recheck *check, size_t a, size_t b, long bits,
                            long max_bits)
{
    FMPQ(exact);

    if (check->weights->activation == ATTEST_SOFTMAX)
        return attest_recheck_square(square, check, a, b, bits, max_bits);
    get_square(exact, check, a, b);
    arb_set_fmpq(square, exact, bits);
    return true;
}

int attest_recheck_compare_end(attest_recheck *check, size_t a, size_t b, const arf_t x,
                               long max_bits)
{
    int order = 2;
    ARB(square, bound);

    if (arf_is_zero(x) || is_within(x, HANDY))
        return compare_rational(check, a, b, x, max_bits);
    if (!afford(check, a, b))
        return 2;
    arb_set_arf(bound, x);
    if (check->weights->activation == ATTEST_SOFTMAX) {
        enclose(square, check, a, b, FIRST_BITS);
        order = compare_balls(square, bound, FIRST_BITS);
    }
    for (long bits = FIRST_BITS;
         order == 2 && bits <= max_bits &&
         enclose_closely(square, check, a, b, bits, max_bits > 2 * bits ? max_bits : 2 * bits);
         bits *= 2)
        order = compare_balls(square, bound, bits);
    /* Only a rational can be the end itself. */
    if (order == 2 && is_within(x, LARGEST))
        order = compare_rational(check, a, b, x, max_bits);
    return order;
}
