/* sketch.c -- all outputs as doubles with bounds. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/progress.h"
#include "recheck/quick.h"

enum { BITS = 96 };

/* Exponents are kept within +-LIMIT: far beyond those of files, and their differences fit. */
#define LIMIT ((slong)1 << 40)

/* Raises *exponent, which is at least -LIMIT, until |x| < 2^*exponent on the whole ball; false
 * when that is not possible up to LIMIT, or the ball is not finite. */
static bool raise_exponent(slong *exponent, const arb_t x)
{
    mag_t bound;
    bool fits;

    mag_init(bound);
    arb_get_mag(bound, x);
    fits = arb_is_finite(x) && mag_cmp_2exp_si(bound, LIMIT) < 0;
    if (fits && mag_cmp_2exp_si(bound, *exponent) >= 0)
        *exponent = fmpz_get_si(MAG_EXPREF(bound)); /* bound < 2^its exponent */
    mag_clear(bound);
    return fits;
}

/* The sketch of one position: entries divided by 2^own, and the sum of their errors, which is
 * at least the Euclidean one. Of an output that does not fit nothing is known: it is 0, with an
 * infinite error, which makes it near to everything. */
static void sketch_position(attest_recheck *check, size_t p, arb_ptr out, slong *own)
{
    double *x = check->sketch + p * check->dim, error = 0;
    arf_t scaled;
    mag_t radius;
    bool fits = true;

    attest_recheck_enclose(out, check, p, BITS);
    *own = -LIMIT;
    for (size_t c = 0; c < check->dim && fits; c++)
        fits = raise_exponent(own, out + c);
    arf_init(scaled);
    mag_init(radius);
    for (size_t c = 0; c < check->dim && fits; c++) {
        arf_mul_2exp_si(scaled, arb_midref(out + c), -*own);
        x[c] = arf_get_d(scaled, ARF_RND_NEAR); /* an error of 2^-54 at most */
        assert(fabs(x[c]) <= 1);
        mag_mul_2exp_si(radius, arb_radref(out + c), -*own);
        error += mag_get_d(radius) + 0x1p-54;
    }
    check->error[p] = fits ? error * (1 + (double)check->dim * 0x1p-52) : INFINITY;
    *own = fits ? *own : -LIMIT;
    arf_clear(scaled);
    mag_clear(radius);
}

/* The same from doubles; false where they do not serve: then the output is not known to a
 * useful accuracy. */
static bool sketch_quickly(attest_recheck *check, size_t p, attest_recheck_quick *quick,
                           slong *own)
{
    double *x = check->sketch + p * check->dim, most = 0, error;
    int exponent;

    if (!quick || !attest_recheck_quick_get(x, &error, quick, check, p))
        return false;
    for (size_t c = 0; c < check->dim; c++)
        most = fmax(most, fabs(x[c]));
    if (!(error < most * 0x1p-20))
        return false;
    (void)frexp(most, &exponent); /* most < 2^exponent */
    for (size_t c = 0; c < check->dim; c++)
        x[c] = ldexp(x[c], -exponent); /* what underflows is counted below */
    check->error[p] = ldexp(error, -exponent) + (double)check->dim * 0x1p-1000;
    *own = exponent;
    return true;
}

attest_status attest_recheck_make_sketch(attest_recheck *check, attest_error *error)
{
    slong *own = attest_memory_alloc(check->positions, sizeof *own);
    attest_recheck_quick *quick;
    arb_ptr out;

    check->sketch = attest_memory_alloc(check->positions * check->dim, sizeof *check->sketch);
    check->error = attest_memory_alloc(check->positions, sizeof *check->error);
    if (!own || !check->sketch || !check->error) {
        free(own);
        return attest_memory_fail(error);
    }
    out = _arb_vec_init((slong)check->dim);
    quick = attest_recheck_quick_new(check);
    check->exponent = -LIMIT;
    attest_progress_report(&check->progress, "positions", 0, check->positions, NULL);
    for (size_t p = 0; p < check->positions && !check->met_work; p++) {
        if (!sketch_quickly(check, p, quick, &own[p]) && attest_recheck_afford(check, p, BITS))
            sketch_position(check, p, out, &own[p]);
        check->exponent = own[p] > check->exponent ? own[p] : check->exponent;
        attest_progress_report(&check->progress, "positions", p + 1, check->positions, NULL);
    }
    attest_progress_end(&check->progress);
    _arb_vec_clear(out, (slong)check->dim);
    attest_recheck_quick_free(quick);
    if (check->met_work) {
        free(own);
        return attest_error_set(error, ATTEST_UNABLE,
                                "outputs stay open, and the work that is allowed does not "
                                "suffice");
    }
    for (size_t p = 0; p < check->positions; p++) {
        slong shift = own[p] - check->exponent;
        int e = shift < -3000 ? -3000 : (int)shift;
        for (size_t c = 0; c < check->dim; c++)
            check->sketch[p * check->dim + c] = ldexp(check->sketch[p * check->dim + c], e);
        /* Where something underflows, each entry may be off by 2^-1074. */
        check->error[p] = ldexp(check->error[p], e) + (double)check->dim * 0x1p-1000;
    }
    free(own);
    return ATTEST_OK;
}

double attest_recheck_scale(const attest_recheck *check, const arf_t x, int sign)
{
    double d;
    arf_t t;

    arf_init(t);
    arf_mul_2exp_si(t, x, -check->exponent);
    d = arf_get_d(t, sign < 0 ? ARF_RND_FLOOR : ARF_RND_CEIL);
    arf_clear(t);
    return d;
}

bool attest_recheck_may_reach(const attest_recheck *check, size_t a, double x)
{
    const double *p = check->sketch + a * check->dim;
    double s = 0;

    for (size_t c = 0; c < check->dim; c++)
        s += p[c] * p[c];
    /* dim + 4 roundings, and 2^-1000 for what underflows. */
    s = sqrt(s * (1 + ((double)check->dim + 16) * 0x1p-52) + 0x1p-1000) + check->error[a];
    return !(s * (1 + 0x1p-50) < x);
}
