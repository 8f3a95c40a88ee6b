/* simulate_in_mpfr.c -- formats by MPFR: contexts, ranges and random rounding. */
#include "format/simulate_in_mpfr.h"

#include <stdlib.h>

#include "base/workers.h"
#include "base/memory.h"
#include "base/random.h"
#include "number/scope.h"

static void set_widest_range(void)
{
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
}

void attest_in_mpfr_init(attest_in_mpfr *wide, const attest_format *format,
                         attest_simulated_rounding rounding, uint64_t *random)
{
    wide->format = *format;
    wide->stochastic = rounding == ATTEST_SIMULATED_STOCHASTIC;
    wide->rounding = rounding == ATTEST_SIMULATED_NEAREST ? MPFR_RNDN : MPFR_RNDZ;
    wide->random = random;
    attest_mpfr_context_init(&wide->context, &wide->format, wide->rounding);
    set_widest_range();
    mpfr_init2(wide->operand, 53);
    mpfr_init2(wide->product, format->precision);
    mpfr_init2(wide->longer, format->precision + ATTEST_SIMULATED_RANDOM_BITS);
    mpz_init(wide->units);
    wide->cache = (attest_in_mpfr_cache){0};
}

void attest_in_mpfr_clear(attest_in_mpfr *wide)
{
    mpfr_clear(wide->operand);
    mpfr_clear(wide->product);
    mpfr_clear(wide->longer);
    mpz_clear(wide->units);
    free(wide->cache.power);
    free(wide->cache.value);
    attest_mpfr_context_clear(&wide->context);
}

void attest_in_mpfr_fit(mpfr_ptr z, int ternary, attest_in_mpfr *wide)
{
    mpfr_set_emin(wide->context.emin);
    mpfr_set_emax(wide->context.emax);
    ternary = mpfr_check_range(z, ternary, wide->rounding);
    attest_mpfr_fit(z, ternary, &wide->context);
    set_widest_range();
}

void attest_in_mpfr_remember(attest_in_mpfr *wide, long power_bits)
{
    attest_in_mpfr_cache *cache = &wide->cache;
    size_t bytes;

    if (wide->stochastic)
        return;
    cache->power = attest_in_mpfr_vector_init(&bytes, ATTEST_WIDE_SLOTS, power_bits, false);
    cache->value =
        attest_in_mpfr_vector_init(&bytes, ATTEST_WIDE_SLOTS, wide->format.precision, false);
    for (size_t i = 0; cache->power && i < ATTEST_WIDE_SLOTS; i++)
        mpfr_set_nan(cache->power + i);
}

void attest_in_mpfr_exp_cached(mpfr_ptr z, mpfr_srcptr x, attest_in_mpfr *wide)
{
    attest_in_mpfr_cache *cache = &wide->cache;
    size_t slot;

    if (!cache->power || !cache->value || !mpfr_regular_p(x)) {
        attest_in_mpfr_exp(z, x, wide);
        return;
    }
    slot = mpfr_get_exp(x) ^ ((const mp_limb_t *)mpfr_custom_get_significand(x))[0];
    slot ^= ((const mp_limb_t *)mpfr_custom_get_significand(
        x))[(mpfr_get_prec(x) - 1) / GMP_NUMB_BITS];
    slot = (slot * 0x9E3779B97F4A7C15u) >> 52; /* 12 bits */
    if (!mpfr_equal_p(cache->power + slot, x)) {
        attest_in_mpfr_exp(cache->value + slot, x, wide);
        mpfr_set(cache->power + slot, x, MPFR_RNDN); /* exact */
    }
    mpfr_set(z, cache->value + slot, MPFR_RNDN); /* exact */
}

/* Whether |x| is beyond the largest number of the format. */
static bool is_beyond(mpfr_srcptr x, const attest_in_mpfr *wide)
{
    const attest_format *f = &wide->format;

    if (!f->bounded)
        return false;
    MPFR(f->precision + 2, most);
    mpfr_set_ui_2exp(most, 1, (f->top_is_nan ? 2 : 1) - f->precision, MPFR_RNDN);
    mpfr_ui_sub(most, 2, most, MPFR_RNDN);
    mpfr_mul_2si(most, most, f->emax, MPFR_RNDN);
    return mpfr_cmpabs(x, most) > 0;
}

/* What the format puts in the place of a value that it does not have. */
static void fit_special(mpfr_ptr z, int ternary, attest_in_mpfr *wide)
{
    if (wide->context.ieee)
        return;
    mpfr_set_emin(wide->context.emin);
    mpfr_set_emax(wide->context.emax);
    attest_mpfr_fit_special(z, ternary, &wide->context);
    set_widest_range();
}

void attest_in_mpfr_draw(mpfr_ptr z, attest_in_mpfr *wide)
{
    const attest_format *f = &wide->format;
    unsigned long draw = (unsigned long)(attest_random_next(wide->random) >>
                                         (64 - ATTEST_SIMULATED_RANDOM_BITS));
    mpfr_ptr x = wide->longer;
    long unit;

    if (!mpfr_regular_p(x)) {
        mpfr_set(z, x, MPFR_RNDN);
        fit_special(z, 0, wide);
        return;
    }
    unit = (long)mpfr_get_exp(x) - f->precision;
    if (f->bounded && unit < f->emin - f->precision + 1)
        unit = f->emin - f->precision + 1;
    /* |x| in parts of 2^-24 units, cut; plus the draw; in units, cut. */
    mpfr_mul_2si(x, x, ATTEST_SIMULATED_RANDOM_BITS - unit, MPFR_RNDN);
    mpfr_get_z(wide->units, x, MPFR_RNDZ);
    if (mpz_sgn(wide->units) < 0 || mpfr_signbit(x))
        mpz_sub_ui(wide->units, wide->units, draw);
    else
        mpz_add_ui(wide->units, wide->units, draw);
    mpz_tdiv_q_2exp(wide->units, wide->units, ATTEST_SIMULATED_RANDOM_BITS);
    mpfr_set_z_2exp(z, wide->units, unit, MPFR_RNDN);
    if (mpfr_zero_p(z))
        mpfr_set_zero(z, mpfr_signbit(x) ? -1 : 1);
    if (is_beyond(z, wide))
        mpfr_set_inf(z, mpfr_sgn(z));
    fit_special(z, 1, wide);
}

/* x = value exactly: the precision is the integer's size. */
static void init_set_integer(mpfr_t x, const fmpz_t value)
{
    size_t bits = fmpz_bits(value);

    mpfr_init2(x, bits > 1 ? (mpfr_prec_t)bits : 2);
    if (COEFF_IS_MPZ(*value))
        mpfr_set_z(x, COEFF_TO_PTR(*value), MPFR_RNDN);
    else
        mpfr_set_si(x, *value, MPFR_RNDN);
}

void attest_in_mpfr_set_fraction(mpfr_ptr x, const fmpz_t numerator, const fmpz_t denominator,
                                 attest_in_mpfr *wide)
{
    mpfr_t top, bottom;

    init_set_integer(top, numerator);
    init_set_integer(bottom, denominator);
    attest_in_mpfr_div(x, top, bottom, wide);
    mpfr_clear(top);
    mpfr_clear(bottom);
}

__mpfr_struct *attest_in_mpfr_vector_init(size_t *bytes, size_t count, long precision,
                                          bool shared)
{
    size_t limbs = mpfr_custom_get_size(precision), each = sizeof(__mpfr_struct) + limbs;
    __mpfr_struct *vector;
    char *limb;

    if (count > SIZE_MAX / 2 / each)
        return NULL;
    *bytes = count * each;
    vector = shared ? attest_shared_alloc(*bytes, 1) : attest_memory_alloc(*bytes, 1);
    limb = (char *)(vector + count);
    for (size_t i = 0; vector && i < count; i++, limb += limbs) {
        mpfr_custom_init(limb, precision);
        mpfr_custom_init_set(vector + i, MPFR_ZERO_KIND, 0, precision, limb);
    }
    return vector;
}
