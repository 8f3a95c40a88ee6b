/* mpfr.c -- contexts, vectors and conversions of the number system "mpfr". */
#include "number/mpfr.h"

#include <stdlib.h>

#include "base/memory.h"

static void set_range(mpfr_exp_t emin, mpfr_exp_t emax)
{
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
}

static void set_widest_range(void)
{
    set_range(mpfr_get_emin_min(), mpfr_get_emax_max());
}

void attest_mpfr_context_init(attest_mpfr_context *context, const attest_format *format,
                              mpfr_rnd_t rounding)
{
    context->format = format;
    context->rounding = rounding;
    context->caller_emin = mpfr_get_emin();
    context->caller_emax = mpfr_get_emax();
    context->caller_flags = mpfr_flags_save();
    /* MPFR's significands are in [1/2, 1), so its exponents are one more; its emin is that of
     * the least subnormal number 2^(emin-p+1). */
    context->emin =
        format->bounded ? format->emin - format->precision + 2 : mpfr_get_emin_min();
    context->emax = format->bounded ? format->emax + 1 : mpfr_get_emax_max();
    mpfr_init2(context->product, format->precision);
    set_range(context->emin, context->emax);
}

void attest_mpfr_context_clear(attest_mpfr_context *context)
{
    mpfr_clear(context->product);
    set_range(context->caller_emin, context->caller_emax);
    mpfr_flags_restore(context->caller_flags, MPFR_FLAGS_ALL);
}

__mpfr_struct *attest_mpfr_vector_init(size_t count, const attest_mpfr_context *context)
{
    __mpfr_struct *vector = attest_memory_alloc(count, sizeof *vector);

    for (size_t i = 0; vector && i < count; i++) {
        mpfr_init2(vector + i, context->format->precision);
        mpfr_set_zero(vector + i, 1);
    }
    return vector;
}

void attest_mpfr_vector_clear(__mpfr_struct *vector, size_t count)
{
    for (size_t i = 0; vector && i < count; i++)
        mpfr_clear(vector + i);
    free(vector);
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

void attest_mpfr_set_fraction(mpfr_ptr x, const fmpz_t numerator, const fmpz_t denominator,
                              const attest_mpfr_context *context)
{
    mpfr_t top, bottom;
    int ternary;

    /* MPFR wants operands within the exponent range: divide exact operands in the widest one
     * and bring the quotient into the format's range, which its ternary value makes right. */
    set_widest_range();
    init_set_integer(top, numerator);
    init_set_integer(bottom, denominator);
    ternary = mpfr_div(x, top, bottom, context->rounding);
    mpfr_clear(top);
    mpfr_clear(bottom);
    set_range(context->emin, context->emax);
    ternary = mpfr_check_range(x, ternary, context->rounding);
    attest_mpfr_fit(x, ternary, context);
}

void attest_mpfr_fit_finite(mpfr_ptr x, const attest_mpfr_context *context)
{
    mpfr_rnd_t rounding = context->rounding;
    bool toward_zero =
        rounding == MPFR_RNDZ || rounding == (mpfr_signbit(x) ? MPFR_RNDU : MPFR_RNDD);

    if (mpfr_inf_p(x)) {
        mpfr_set_nan(x);
    } else if (mpfr_regular_p(x) && mpfr_get_exp(x) == context->emax) {
        /* The all-ones significand is the one number of this exponent whose successor has the
         * next exponent, that is, overflows. */
        mpfr_t next;
        mpfr_init2(next, mpfr_get_prec(x));
        mpfr_set(next, x, MPFR_RNDN);
        if (mpfr_signbit(x))
            mpfr_nextbelow(next);
        else
            mpfr_nextabove(next);
        if (mpfr_inf_p(next) && toward_zero) {
            if (mpfr_signbit(x))
                mpfr_nextabove(x);
            else
                mpfr_nextbelow(x);
        } else if (mpfr_inf_p(next)) {
            mpfr_set_nan(x);
        }
        mpfr_clear(next);
    }
}
