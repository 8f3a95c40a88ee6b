/* sketch.c -- all outputs as doubles with bounds. */
#include <assert.h>
#include <math.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/term.h"
#include "base/workers.h"
#include "number/scope.h"
#include "recheck/quick.h"

enum { BITS = 96, PART = 512 /* positions that a worker takes at a time */ };

/* Exponents are kept within +-LIMIT: far beyond those of files, and their differences fit. */
#define LIMIT ((slong)1 << 40)
#define OPEN WORD_MAX

/* Raises *exponent, which is at least -LIMIT, until |x| < 2^*exponent on the whole ball; false
 * when that is not possible up to LIMIT, or the ball is not finite. */
static bool raise_exponent(slong *exponent, const arb_t x)
{
    bool fits;
    MAG(bound);

    arb_get_mag(bound, x);
    fits = arb_is_finite(x) && mag_cmp_2exp_si(bound, LIMIT) < 0;
    if (fits && mag_cmp_2exp_si(bound, *exponent) >= 0)
        *exponent = fmpz_get_si(MAG_EXPREF(bound)); /* bound < 2^its exponent */
    return fits;
}

/* The sketch of balls: entries divided by 2^own, and the sum of their errors, which is at least
 * the Euclidean one. Of an output that does not fit nothing is known: it is 0, with an infinite
 * error, which makes it near to everything. */
static double sketch_balls(double *x, slong *own, arb_srcptr out, size_t dim)
{
    double error = 0;
    bool fits = true;
    ARF(scaled);
    MAG(radius);

    *own = -LIMIT;
    for (size_t c = 0; c < dim && fits; c++)
        fits = raise_exponent(own, out + c);
    for (size_t c = 0; c < dim && fits; c++) {
        arf_mul_2exp_si(scaled, arb_midref(out + c), -*own);
        x[c] = arf_get_d(scaled, ARF_RND_NEAR); /* an error of 2^-54 at most */
        assert(fabs(x[c]) <= 1);
        mag_mul_2exp_si(radius, arb_radref(out + c), -*own);
        error += ATTEST_TERM(sketch_radius, mag_get_d(radius)) +
                 ATTEST_TERM(sketch_rounding, 0x1p-54);
    }
    *own = fits ? *own : -LIMIT;
    return fits ? error * (1 + ATTEST_TERM(sketch_sums, (double)dim * 0x1p-52)) : INFINITY;
}

static void sketch_position(attest_recheck *check, size_t p, arb_ptr out, slong *own)
{
    attest_recheck_enclose(out, check, p, BITS);
    check->error[p] = sketch_balls(check->sketch + p * check->dim, own, out, check->dim);
}

/* The sketch of doubles that are not all 0: their exponent, entries divided by 2^exponent, and
 * their error likewise. */
static double sketch_doubles(double *x, slong *own, double most, double error, size_t dim)
{
    int exponent;

    (void)frexp(most, &exponent); /* most < 2^exponent */
    for (size_t c = 0; c < dim; c++)
        x[c] = ldexp(x[c], -exponent); /* what underflows is counted below */
    *own = exponent;
    return ldexp(error, -exponent) + ATTEST_TERM(sketch_underflow, (double)dim * 0x1p-1000);
}

/* A position from doubles; false where they do not serve: then the output is not known to a
 * useful accuracy. */
static bool sketch_quickly(attest_recheck *check, size_t p, attest_recheck_quick *quick,
                           slong *own)
{
    double *x = check->sketch + p * check->dim, most = 0, error;

    if (!quick || !attest_recheck_quick_get(x, &error, quick, check, p))
        return false;
    for (size_t c = 0; c < check->dim; c++)
        most = fmax(most, fabs(x[c]));
    if (!(error < most * 0x1p-20))
        return false;
    check->error[p] = sketch_doubles(x, own, most, error, check->dim);
    return true;
}

/* What workers sketch with; each has its own out and quick once it is forked. */
typedef struct sketcher {
    attest_recheck *check;
    attest_recheck_quick *quick;
    arb_ptr out;
    slong *own; /* by position: its exponent, or OPEN; shared */
    bool open;  /* what doubles left open is at work */
    pid_t parent;
} sketcher;

static bool sketch_part(void *context, size_t part)
{
    sketcher *s = context;
    attest_recheck *check = s->check;
    size_t end = (part + 1) * PART;
    bool tell = getpid() == s->parent;

    for (size_t p = part * PART; p < end && p < check->positions; p++) {
        if (!s->open && !sketch_quickly(check, p, s->quick, &s->own[p]))
            s->own[p] = OPEN;
        else if (s->open && s->own[p] == OPEN)
            sketch_position(check, p, s->out, &s->own[p]);
        if (tell)
            attest_progress_report(&check->progress, "positions", p + 1, check->positions,
                                   NULL);
    }
    return true;
}

/* First what doubles give; then the rest, once its work is known to be allowed: before workers
 * share it, or what is allowed would depend on them. */
static attest_status sketch_all(sketcher *s, size_t jobs, attest_error *error)
{
    attest_recheck *check = s->check;
    size_t parts = (check->positions + PART - 1) / PART, open = 0;

    ATTEST_TRY(attest_workers_run(sketch_part, s, parts, jobs, error));
    for (size_t p = 0; p < check->positions; p++) {
        if (s->own[p] != OPEN)
            continue;
        if (!attest_recheck_afford(check, p, BITS))
            return attest_error_set(error, ATTEST_UNABLE,
                                    "outputs stay open, and the work that is allowed does not "
                                    "suffice");
        open++;
    }
    s->open = true;
    return open > 0 ? attest_workers_run(sketch_part, s, parts, jobs, error) : ATTEST_OK;
}

/* Brings all positions to one exponent. */
static void finish(attest_recheck *check, const slong *own)
{
    check->exponent = -LIMIT;
    for (size_t p = 0; p < check->positions; p++)
        check->exponent = own[p] > check->exponent ? own[p] : check->exponent;
    for (size_t p = 0; p < check->positions; p++) {
        slong shift = own[p] - check->exponent;
        int e = shift < -3000 ? -3000 : (int)shift;
        for (size_t c = 0; c < check->dim; c++)
            check->sketch[p * check->dim + c] = ldexp(check->sketch[p * check->dim + c], e);
        /* Where something underflows, each entry may be off by 2^-1074. */
        check->error[p] = ldexp(check->error[p], e) +
                          ATTEST_TERM(finish_underflow, (double)check->dim * 0x1p-1000);
    }
}

attest_status attest_recheck_make_sketch(attest_recheck *check, attest_error *error)
{
    size_t jobs = check->jobs > 1 && check->positions > 4 * PART ? check->jobs : 1;
    sketcher s = {.check = check, .parent = getpid()};
    attest_status status;

    check->sketch_jobs = jobs;
    s.own = attest_workers_alloc(check->positions, sizeof *s.own, jobs);
    check->sketch =
        attest_workers_alloc(check->positions * check->dim, sizeof *check->sketch, jobs);
    check->error = attest_workers_alloc(check->positions, sizeof *check->error, jobs);
    if (!s.own || !check->sketch || !check->error) {
        attest_workers_free(s.own, check->positions, sizeof *s.own, jobs);
        return attest_memory_fail(error);
    }
    s.out = _arb_vec_init((slong)check->dim);
    s.quick = attest_recheck_quick_new(check);
    attest_progress_report(&check->progress, "positions", 0, check->positions, NULL);
    status = sketch_all(&s, jobs, error);
    attest_progress_end(&check->progress);
    _arb_vec_clear(s.out, (slong)check->dim);
    attest_recheck_quick_free(s.quick);
    if (status == ATTEST_OK)
        finish(check, s.own);
    attest_workers_free(s.own, check->positions, sizeof *s.own, jobs);
    return status;
}

void attest_recheck_clear_sketch(attest_recheck *check)
{
    attest_workers_free(check->sketch, check->positions * check->dim, sizeof *check->sketch,
                        check->sketch_jobs);
    attest_workers_free(check->error, check->positions, sizeof *check->error,
                        check->sketch_jobs);
    check->sketch = check->error = NULL;
}

double attest_recheck_scale(const attest_recheck *check, const arf_t x, int sign)
{
    ARF(t);

    arf_mul_2exp_si(t, x, -check->exponent);
    return arf_get_d(t, sign < 0 ? ARF_RND_FLOOR : ARF_RND_CEIL);
}

bool attest_recheck_may_reach(const attest_recheck *check, size_t a, double x)
{
    const double *p = check->sketch + a * check->dim;
    double s = 0;

    for (size_t c = 0; c < check->dim; c++)
        s += p[c] * p[c];
    /* dim roundings by 2^-53 of the sum, halved by the root, and 5 more; squares that underflow
     * lose at most dim 2^-1074. */
    s = (sqrt(s) + ATTEST_TERM(norm_error, check->error[a])) *
            (1 + ATTEST_TERM(norm_sums, (0.5 * (double)check->dim + 8) * 0x1p-53)) +
        ATTEST_TERM(norm_underflow, 0x1p-500);
    return !(s < x);
}
