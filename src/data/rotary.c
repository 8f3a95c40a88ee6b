/* rotary.c -- what rotary positions turn by, as balls. */
#include "data/rotary.h"

/* part = 1 at short_wave and below, 0 at long_wave and above, between them linear in 1/wave =
 * frequency / (2 pi). No ball is wide for lying at a corner: the function is continuous. */
static void set_part(arb_t part, const attest_rotary *rotary, const arb_t frequency, slong bits)
{
    fmpq_t low, high;
    arb_t x;

    fmpq_init(low);
    fmpq_init(high);
    arb_init(x);
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
    fmpq_clear(low);
    fmpq_clear(high);
    arb_clear(x);
}

/* frequency = part frequency + (1 - part) frequency / factor */
static void divide(arb_t frequency, const attest_rotary *rotary, slong bits)
{
    arb_t part, slow, factor;

    arb_init(part);
    arb_init(slow);
    arb_init(factor);
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
    arb_clear(part);
    arb_clear(slow);
    arb_clear(factor);
}

void attest_rotary_frequency(arb_t frequency, const attest_rotary *rotary, size_t i, slong bits)
{
    arb_t power;
    fmpq_t exponent;

    arb_init(power);
    fmpq_init(exponent);
    fmpq_set_si(exponent, -2 * (slong)i, rotary->dims);
    arb_set_fmpq(power, exponent, bits);
    arb_set_fmpq(frequency, rotary->theta, bits);
    arb_pow(frequency, frequency, power, bits);
    if (!fmpq_is_zero(rotary->factor))
        divide(frequency, rotary, bits);
    fmpq_clear(exponent);
    arb_clear(power);
}
