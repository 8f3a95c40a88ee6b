/* exp2_polynomial.c -- exp2 by a polynomial: its bits, and a proof of its error. */
#include "format/exp2_polynomial.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <attest/flint.h>

#include "number/scope.h"

enum { LEAST = -127, CELLS = 2048, BITS = 96 };

double attest_exp2_polynomial_eval(const attest_exp2_polynomial *polynomial, double x)
{
    float clamped = (float)x < (float)LEAST ? (float)LEAST : (float)x;
    float whole = floorf(clamped), f = clamped - whole, r;
    uint32_t bits;
    size_t i = polynomial->count - 1;

    if (isnan(x))
        return x;
    r = (float)polynomial->coefficient[i];
    while (i-- > 0)
        r = fmaf(r, f, (float)polynomial->coefficient[i]);
    memcpy(&bits, &r, sizeof bits);
    /* as the hardware shifts: bits that do not fit into the exponent are lost */
    bits += (uint32_t)(int32_t)fminf(whole, 1 << 22) << 23;
    memcpy(&r, &bits, sizeof r);
    return (double)r;
}

/* Whether the results of Horner's scheme on [0, 1] are in [1, 2): all terms are >= 0, so that
 * they grow with f, and a sum of terms errs by a factor of (1 + 2^-24)^n at most. */
static bool is_proper(const attest_exp2_polynomial *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->count; i++) {
        double c = p->coefficient[i];

        if (!(c >= 0 && (double)(float)c == c))
            return false;
        sum += c;
    }
    return p->count > 0 && p->coefficient[0] == 1 && sum * (1 + 0x1p-19) < 2;
}

/* value, slope = p and p' on the ball f. */
static void evaluate(arb_t value, arb_t slope, const attest_exp2_polynomial *p, const arb_t f)
{
    ARB(c);

    arb_zero(value);
    arb_zero(slope);
    for (size_t i = p->count; i-- > 0;) {
        arb_mul(slope, slope, f, BITS);
        arb_add(slope, slope, value, BITS);
        arb_set_d(c, p->coefficient[i]);
        arb_mul(value, value, f, BITS);
        arb_add(value, value, c, BITS);
    }
}

/* error = a ball that contains p(f) 2^-f - 1 for every f of one cell of [0, 1]: the value in
 * its middle and, by the mean value theorem, half the cell times 2^-f (p' - log 2 p) on all of
 * it. */
static void bound_cell(arb_t error, const attest_exp2_polynomial *p, long cell)
{
    ARB(middle, whole, value, slope, power);

    arb_set_si(middle, 2 * cell + 1);
    arb_div_si(middle, middle, 2 * CELLS, BITS); /* exact: a power of two */
    arb_set(whole, middle);
    mag_set_ui_2exp_si(arb_radref(whole), 1, -12); /* half a cell, 1 / 4096 */
    evaluate(value, slope, p, whole);
    arb_const_log2(power, BITS);
    arb_submul(slope, value, power, BITS);
    evaluate(value, error, p, middle);
    arb_neg(power, middle);
    arb_set_si(error, 2);
    arb_pow(power, error, power, BITS);
    arb_mul(error, value, power, BITS);
    arb_sub_si(error, error, 1, BITS);
    arb_get_mag(arb_radref(whole), slope); /* 2^-f <= 1 */
    mag_mul_2exp_si(arb_radref(whole), arb_radref(whole), -12);
    arb_add_error_mag(error, arb_radref(whole));
}

double attest_exp2_polynomial_bound(const attest_exp2_polynomial *polynomial)
{
    double most = 0;
    ARB(error);
    MAG(size);

    if (!is_proper(polynomial))
        return (double)INFINITY;
    for (long cell = 0; cell < CELLS; cell++) {
        bound_cell(error, polynomial, cell);
        arb_get_mag(size, error);
        most = fmax(most, mag_get_d(size)); /* rounded up */
    }
    /* n fused steps err by 2^-24 each, f by 2^-25, which moves 2^f by less than 2^-25 */
    return most + (double)polynomial->count * 0x1p-23;
}
