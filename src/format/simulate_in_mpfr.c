/* simulate_in_mpfr.c -- formats by MPFR: contexts, ranges and random rounding. */
#include "format/simulate_in_mpfr.h"

#include <stdlib.h>

#include "base/workers.h"
#include "base/memory.h"
#include "base/random.h"
#include "number/mpfr.h"
#include "number/scope.h"

/* ---- simulated arithmetics ---- */

void attest_simulated_arithmetic_init(attest_simulated_arithmetic *arithmetic,
                                      const attest_format *format)
{
    *arithmetic = (attest_simulated_arithmetic){.format = *format, .block = 16, .seed = 1};
}

const char *attest_simulated_rounding_name(attest_simulated_rounding rounding)
{
    static const char *const name[] = {"nearest", "zero", "stochastic"};

    return name[rounding];
}

const char *attest_simulated_softmax_name(attest_simulated_softmax softmax)
{
    static const char *const name[] = {"shifted", "naive", "online"};

    return name[softmax];
}

const char *attest_simulated_stage_name(attest_simulated_stage stage)
{
    static const char *const name[] = {"input", "score", "max",      "exp",
                                       "sum",   "mix",   "division", "output"};

    return name[stage];
}

long attest_simulated_unit_bits(const attest_format *format, attest_simulated_rounding rounding)
{
    return rounding == ATTEST_SIMULATED_NEAREST ? format->precision : format->precision - 1;
}

/* ---- operations by MPFR ---- */

static void set_widest_range(void)
{
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
}

void attest_in_mpfr_init(attest_in_mpfr *arithmetic, const attest_format *format,
                         attest_simulated_rounding rounding, uint64_t *random)
{
    arithmetic->format = *format;
    arithmetic->stochastic = rounding == ATTEST_SIMULATED_STOCHASTIC;
    arithmetic->rounding = rounding == ATTEST_SIMULATED_NEAREST ? MPFR_RNDN : MPFR_RNDZ;
    arithmetic->random = random;
    attest_mpfr_context_init(&arithmetic->context, &arithmetic->format, arithmetic->rounding);
    set_widest_range();
    mpfr_init2(arithmetic->operand, 53);
    mpfr_init2(arithmetic->product, format->precision);
    mpfr_init2(arithmetic->longer, format->precision + ATTEST_SIMULATED_RANDOM_BITS);
    mpz_init(arithmetic->units);
    arithmetic->cache = (attest_in_mpfr_cache){0};
}

void attest_in_mpfr_clear(attest_in_mpfr *arithmetic)
{
    mpfr_clear(arithmetic->operand);
    mpfr_clear(arithmetic->product);
    mpfr_clear(arithmetic->longer);
    mpz_clear(arithmetic->units);
    free(arithmetic->cache.power);
    free(arithmetic->cache.value);
    attest_mpfr_context_clear(&arithmetic->context);
}

void attest_in_mpfr_fit(mpfr_ptr z, int ternary, attest_in_mpfr *arithmetic)
{
    mpfr_set_emin(arithmetic->context.emin);
    mpfr_set_emax(arithmetic->context.emax);
    ternary = mpfr_check_range(z, ternary, arithmetic->rounding);
    attest_mpfr_fit(z, ternary, &arithmetic->context);
    set_widest_range();
}

void attest_in_mpfr_remember(attest_in_mpfr *arithmetic, long power_bits)
{
    attest_in_mpfr_cache *cache = &arithmetic->cache;
    size_t bytes;

    if (arithmetic->stochastic)
        return;
    cache->power = attest_in_mpfr_vector_init(&bytes, ATTEST_IN_MPFR_SLOTS, power_bits, false);
    if (!cache->power)
        return;
    cache->value = attest_in_mpfr_vector_init(&bytes, ATTEST_IN_MPFR_SLOTS,
                                              arithmetic->format.precision, false);
    for (size_t i = 0; i < ATTEST_IN_MPFR_SLOTS; i++)
        mpfr_set_nan(cache->power + i);
}

void attest_in_mpfr_exp_cached(mpfr_ptr z, mpfr_srcptr x, attest_in_mpfr *arithmetic)
{
    attest_in_mpfr_cache *cache = &arithmetic->cache;
    size_t slot;

    if (!cache->value || !mpfr_regular_p(x)) {
        attest_in_mpfr_exp(z, x, arithmetic);
        return;
    }
    slot = mpfr_get_exp(x) ^ ((const mp_limb_t *)mpfr_custom_get_significand(x))[0];
    slot ^= ((const mp_limb_t *)mpfr_custom_get_significand(
        x))[(mpfr_get_prec(x) - 1) / GMP_NUMB_BITS];
    slot = (slot * 0x9E3779B97F4A7C15u) >> 52; /* 12 bits */
    if (!mpfr_equal_p(cache->power + slot, x)) {
        attest_in_mpfr_exp(cache->value + slot, x, arithmetic);
        mpfr_set(cache->power + slot, x, MPFR_RNDN); /* exact */
    }
    mpfr_set(z, cache->value + slot, MPFR_RNDN); /* exact */
}

/* Returns whether |x| is beyond the largest number of the format. */
static bool is_beyond(mpfr_srcptr x, const attest_in_mpfr *arithmetic)
{
    const attest_format *f = &arithmetic->format;

    if (!f->bounded)
        return false;
    MPFR(f->precision + 2, most);
    mpfr_set_ui_2exp(most, 1, (f->top_is_nan ? 2 : 1) - f->precision, MPFR_RNDN);
    mpfr_ui_sub(most, 2, most, MPFR_RNDN);
    mpfr_mul_2si(most, most, f->emax, MPFR_RNDN);
    return mpfr_cmpabs(x, most) > 0;
}

/* Replaces values that the format does not have. */
static void fit_special(mpfr_ptr z, int ternary, attest_in_mpfr *arithmetic)
{
    if (arithmetic->context.ieee)
        return;
    mpfr_set_emin(arithmetic->context.emin);
    mpfr_set_emax(arithmetic->context.emax);
    attest_mpfr_fit_special(z, ternary, &arithmetic->context);
    set_widest_range();
}

void attest_in_mpfr_draw(mpfr_ptr z, attest_in_mpfr *arithmetic)
{
    const attest_format *f = &arithmetic->format;
    unsigned long draw = (unsigned long)(attest_random_next(arithmetic->random) >>
                                         (64 - ATTEST_SIMULATED_RANDOM_BITS));
    mpfr_ptr x = arithmetic->longer;
    long unit;

    if (!mpfr_regular_p(x)) {
        mpfr_set(z, x, MPFR_RNDN);
        fit_special(z, 0, arithmetic);
        return;
    }
    unit = (long)mpfr_get_exp(x) - f->precision;
    if (f->bounded && unit < f->emin - f->precision + 1)
        unit = f->emin - f->precision + 1;
    /* |x| in parts of 2^-24 units, cut; plus the draw; in units, cut. */
    mpfr_mul_2si(x, x, ATTEST_SIMULATED_RANDOM_BITS - unit, MPFR_RNDN);
    mpfr_get_z(arithmetic->units, x, MPFR_RNDZ);
    if (mpz_sgn(arithmetic->units) < 0 || mpfr_signbit(x))
        mpz_sub_ui(arithmetic->units, arithmetic->units, draw);
    else
        mpz_add_ui(arithmetic->units, arithmetic->units, draw);
    mpz_tdiv_q_2exp(arithmetic->units, arithmetic->units, ATTEST_SIMULATED_RANDOM_BITS);
    mpfr_set_z_2exp(z, arithmetic->units, unit, MPFR_RNDN);
    if (mpfr_zero_p(z))
        mpfr_set_zero(z, mpfr_signbit(x) ? -1 : 1);
    if (is_beyond(z, arithmetic))
        mpfr_set_inf(z, mpfr_sgn(z));
    fit_special(z, 1, arithmetic);
}

void attest_in_mpfr_set_fraction(mpfr_ptr x, const fmpz_t numerator, const fmpz_t denominator,
                                 attest_in_mpfr *arithmetic)
{
    mpfr_t top, bottom;

    attest_mpfr_init_set_fmpz(top, numerator);
    attest_mpfr_init_set_fmpz(bottom, denominator);
    attest_in_mpfr_div(x, top, bottom, arithmetic);
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
