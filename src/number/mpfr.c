/* mpfr.c -- contexts, vectors and conversions of the number system "mpfr". */
#include "number/mpfr.h"

#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

static void set_range(mpfr_exp_t emin, mpfr_exp_t emax)
{
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
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
    context->ieee = attest_format_is_ieee(format);
    mpfr_init2(context->product, format->precision);
    mpfr_init2(context->zero, 2);
    mpfr_set_zero(context->zero, 1);
    set_range(context->emin, context->emax);
}

void attest_mpfr_context_clear(attest_mpfr_context *context)
{
    mpfr_clear(context->product);
    mpfr_clear(context->zero);
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

void attest_mpfr_init_set_fmpz(mpfr_t x, const fmpz_t value)
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

    /* Operands of MPFR must be within the exponent range: divides exact operands in the widest
     * one and brings the quotient into the format's range; the ternary value avoids a second
     * rounding. */
    set_range(mpfr_get_emin_min(), mpfr_get_emax_max());
    attest_mpfr_init_set_fmpz(top, numerator);
    attest_mpfr_init_set_fmpz(bottom, denominator);
    ternary = mpfr_div(x, top, bottom, context->rounding);
    mpfr_clear(top);
    mpfr_clear(bottom);
    set_range(context->emin, context->emax);
    ternary = mpfr_check_range(x, ternary, context->rounding);
    attest_mpfr_fit(x, ternary, context);
}

/* True if x is the all-ones significand of the largest exponent: the one number of this
 * exponent whose successor has the next one, that is, overflows. */
static bool is_top(mpfr_srcptr x, const attest_mpfr_context *context)
{
    if (!mpfr_regular_p(x) || mpfr_get_exp(x) != context->emax)
        return false;
    MPFR(mpfr_get_prec(x), next);
    mpfr_abs(next, x, MPFR_RNDN);
    mpfr_nextabove(next);
    return mpfr_inf_p(next) != 0;
}

/* x = the largest number of its sign. */
static void set_largest(mpfr_ptr x, const attest_mpfr_context *context)
{
    mpfr_set_inf(x, mpfr_signbit(x) ? -1 : 1);
    mpfr_nexttoward(x, context->zero);
    if (context->format->top_is_nan)
        mpfr_nexttoward(x, context->zero);
}

/* Neither sign nor 0; nonzero: the exact result was not 0. */
static void fit_positive(mpfr_ptr x, bool nonzero, const attest_mpfr_context *context)
{
    if (mpfr_zero_p(x) && nonzero && !mpfr_signbit(x))
        mpfr_set_ui_2exp(x, 1, context->format->emin, MPFR_RNDN);
    else if (mpfr_zero_p(x) || mpfr_signbit(x))
        mpfr_set_nan(x);
}

void attest_mpfr_fit_special(mpfr_ptr x, int ternary, const attest_mpfr_context *context)
{
    const attest_format *f = context->format;
    mpfr_rnd_t rounding = context->rounding;
    bool toward_zero =
        rounding == MPFR_RNDZ || rounding == (mpfr_signbit(x) ? MPFR_RNDU : MPFR_RNDD);
    bool top = f->top_is_nan && is_top(x, context);

    if (top || mpfr_inf_p(x)) {
        if (f->saturates || (top && toward_zero))
            set_largest(x, context);
        else if (f->finite_only)
            mpfr_set_nan(x);
        else if (top)
            mpfr_set_inf(x, mpfr_signbit(x) ? -1 : 1);
    }
    if (f->positive && !mpfr_nan_p(x))
        fit_positive(x, ternary != 0, context);
    if (mpfr_nan_p(x) && f->no_nan)
        mpfr_set_zero(x, -1);
    if (mpfr_zero_p(x) && f->no_minus_zero)
        mpfr_set_zero(x, 1);
}
