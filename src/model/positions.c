/* positions.c -- positions of tokens: rotary angles, in balls and in binary64, and ALiBi. */
#include "model/positions.h"
#include "number/scope.h"

/* Bits of angles before they are rounded: positions below 2^64 leave 128 of them. */
enum { ANGLE_BITS = 192 };

/* part = 1 at short_wave and below, 0 at long_wave and above, between them linear in 1/wave =
 * frequency / (2 pi). The function is continuous, so a ball that contains a corner does not
 * become wide. */
static void set_part(arb_t part, const attest_rotary *rotary, const arb_t frequency, slong bits)
{
    FMPQ(low, high);
    ARB(x);

    fmpq_inv(low, rotary->long_wave);
    fmpq_inv(high, rotary->short_wave);
    arb_const_pi(x, bits);
    arb_mul_2exp_si(x, x, 1);
    arb_div(part, frequency, x, bits);
    arb_set_fmpq(x, low, bits);
    arb_sub(part, part, x, bits);
    fmpq_sub(high, high, low);
    arb_set_fmpq(x, high, bits);
    arb_div(part, part, x, bits);
    arb_zero(x);
    arb_max(part, part, x, bits);
    arb_one(x);
    arb_min(part, part, x, bits);
}

/* frequency = part frequency + (1 - part) frequency / factor */
static void divide(arb_t frequency, const attest_rotary *rotary, slong bits)
{
    ARB(part, slow, factor);

    arb_set_fmpq(factor, rotary->factor, bits);
    arb_div(slow, frequency, factor, bits);
    if (fmpq_is_zero(rotary->long_wave)) {
        arb_swap(frequency, slow);
    } else {
        set_part(part, rotary, frequency, bits);
        arb_mul(frequency, frequency, part, bits);
        arb_sub_ui(part, part, 1, bits);
        arb_neg(part, part);
        arb_addmul(frequency, slow, part, bits);
    }
}

void attest_rotary_frequency(arb_t frequency, const attest_rotary *rotary, size_t i, slong bits)
{
    ARB(power);
    FMPQ(exponent);

    fmpq_set_si(exponent, -2 * (slong)i, rotary->dims);
    arb_set_fmpq(power, exponent, bits);
    arb_set_fmpq(frequency, rotary->theta, bits);
    arb_pow(frequency, frequency, power, bits);
    if (!fmpq_is_zero(rotary->factor))
        divide(frequency, rotary, bits);
}

/* x = a double, exactly. */
static void set_double(fmpq_t x, double value)
{
    ARF(exact);

    arf_set_d(exact, value);
    arf_get_fmpq(x, exact);
}

static void set_rotary(attest_rotary *exact, const attest_rotary_doubles *rotary)
{
    exact->dims = rotary->dims;
    set_double(exact->theta, rotary->theta);
    set_double(exact->factor, rotary->factor);
    set_double(exact->long_wave, rotary->long_wave);
    set_double(exact->short_wave, rotary->short_wave);
}

void attest_rotary_angles(double *cosine, double *sine, const attest_rotary_doubles *rotary,
                          size_t length)
{
    size_t half = rotary->dims / 2;
    attest_weights holder; /* of exact numbers */

    attest_weights_init(&holder);
    ARB(frequency, angle, c, s);
    set_rotary(&holder.form.rotary, rotary);
    for (size_t i = 0; i < half; i++) {
        attest_rotary_frequency(frequency, &holder.form.rotary, i, ANGLE_BITS);
        for (size_t p = 0; p < length; p++) {
            arb_mul_ui(angle, frequency, p, ANGLE_BITS);
            arb_sin_cos(s, c, angle, ANGLE_BITS);
            cosine[p * half + i] = arf_get_d(arb_midref(c), ARF_RND_NEAR);
            sine[p * half + i] = arf_get_d(arb_midref(s), ARF_RND_NEAR);
        }
    }
    attest_weights_clear(&holder);
}

void attest_alibi_slopes(double *slope, size_t heads)
{
    size_t power = 1;
    mpfr_t x;

    while (2 * power <= heads)
        power *= 2;
    mpfr_init2(x, 64);
    for (size_t h = 0; h < heads; h++) {
        size_t place = h < power ? 2 * (h + 1) : 2 * (h - power) + 1; /* of 2 power */

        mpfr_set_si(x, -4 * (long)place, MPFR_RNDN);
        mpfr_div_ui(x, x, power, MPFR_RNDN);
        mpfr_exp2(x, x, MPFR_RNDN);
        slope[h] = mpfr_get_d(x, MPFR_RNDN);
    }
    mpfr_clear(x);
}
