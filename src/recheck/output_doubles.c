/* output_doubles.c -- all outputs as doubles with error bounds. */
#include <assert.h>
#include <math.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/term.h"
#include "base/workers.h"
#include "number/scope.h"
#include "recheck/double_eval.h"

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

/* x = the balls' midpoints divided by 2^own; returns the sum of their errors, which is at least
 * the Euclidean error. An output that does not fit becomes 0 with an infinite error, which
 * makes it near to every other. */
static double set_from_balls(double *x, slong *own, arb_srcptr out, size_t dim)
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

static void evaluate_in_balls(attest_recheck *check, size_t p, arb_ptr out, slong *own)
{
    attest_recheck_enclose(out, check, p, BITS);
    check->error[p] = set_from_balls(check->output + p * check->dim, own, out, check->dim);
}

/* Divides doubles that are not all 0 by 2^own, which is their exponent; returns their error,
 * divided likewise. */
static double set_from_doubles(double *x, slong *own, double most, double error, size_t dim)
{
    int exponent;

    (void)frexp(most, &exponent); /* most < 2^exponent */
    for (size_t c = 0; c < dim; c++)
        x[c] = ldexp(x[c], -exponent); /* what underflows is counted below */
    *own = exponent;
    return ldexp(error, -exponent) + ATTEST_TERM(sketch_underflow, (double)dim * 0x1p-1000);
}

/* Evaluates a position in doubles; false if their error is too large to be of use. */
static bool evaluate_in_doubles(attest_recheck *check, size_t p,
                                attest_recheck_double_eval *eval, slong *own)
{
    double *x = check->output + p * check->dim, most = 0, error;

    if (!eval || !attest_recheck_double_eval_get(x, &error, eval, check, p))
        return false;
    for (size_t c = 0; c < check->dim; c++)
        most = fmax(most, fabs(x[c]));
    if (!(error < most * 0x1p-20))
        return false;
    check->error[p] = set_from_doubles(x, own, most, error, check->dim);
    return true;
}

/* The state of a worker; each has its own out and eval once it is forked. */
typedef struct evaluation {
    attest_recheck *check;
    attest_recheck_double_eval *eval;
    arb_ptr out;
    slong *own; /* by position: its exponent, or OPEN; shared */
    bool open;  /* second pass: the positions that doubles left open */
    pid_t parent;
} evaluation;

static bool evaluate_part(void *context, size_t part)
{
    evaluation *s = context;
    attest_recheck *check = s->check;
    size_t end = (part + 1) * PART;
    bool tell = getpid() == s->parent;

    for (size_t p = part * PART; p < end && p < check->positions; p++) {
        if (!s->open && !evaluate_in_doubles(check, p, s->eval, &s->own[p]))
            s->own[p] = OPEN;
        else if (s->open && s->own[p] == OPEN)
            evaluate_in_balls(check, p, s->out, &s->own[p]);
        if (tell)
            attest_progress_report(&check->progress, "positions", p + 1, check->positions,
                                   NULL);
    }
    return true;
}

/* Evaluates in doubles first, then the open positions in balls. The work of these is taken
 * before workers share it, so that the result does not depend on their number. */
static attest_status evaluate_all(evaluation *s, size_t jobs, attest_error *error)
{
    attest_recheck *check = s->check;
    size_t parts = (check->positions + PART - 1) / PART, open = 0;

    ATTEST_TRY(attest_workers_run(evaluate_part, s, parts, jobs, error));
    for (size_t p = 0; p < check->positions; p++) {
        if (s->own[p] != OPEN)
            continue;
        if (!attest_recheck_afford(check, p, BITS))
            return attest_error_set(
                error, ATTEST_UNABLE,
                "doubles leave outputs open, and the work that is allowed does not suffice");
        open++;
    }
    s->open = true;
    return open > 0 ? attest_workers_run(evaluate_part, s, parts, jobs, error) : ATTEST_OK;
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
            check->output[p * check->dim + c] = ldexp(check->output[p * check->dim + c], e);
        /* After an underflow, each entry may be off by 2^-1074. */
        check->error[p] = ldexp(check->error[p], e) +
                          ATTEST_TERM(finish_underflow, (double)check->dim * 0x1p-1000);
    }
}

attest_status attest_recheck_make_doubles(attest_recheck *check, attest_error *error)
{
    size_t jobs = check->jobs > 1 && check->positions > 4 * PART ? check->jobs : 1;
    evaluation s = {.check = check, .parent = getpid()};
    attest_status status;

    check->double_jobs = jobs;
    s.own = attest_workers_alloc(check->positions, sizeof *s.own, jobs);
    check->output =
        attest_workers_alloc(check->positions * check->dim, sizeof *check->output, jobs);
    check->error = attest_workers_alloc(check->positions, sizeof *check->error, jobs);
    if (!s.own || !check->output || !check->error) {
        attest_workers_free(s.own, check->positions, sizeof *s.own, jobs);
        return attest_memory_fail(error);
    }
    s.out = _arb_vec_init((slong)check->dim);
    s.eval = attest_recheck_double_eval_new(check);
    attest_progress_report(&check->progress, "positions", 0, check->positions, NULL);
    status = evaluate_all(&s, jobs, error);
    attest_progress_end(&check->progress);
    _arb_vec_clear(s.out, (slong)check->dim);
    attest_recheck_double_eval_free(s.eval);
    if (status == ATTEST_OK)
        finish(check, s.own);
    attest_workers_free(s.own, check->positions, sizeof *s.own, jobs);
    return status;
}

void attest_recheck_clear_doubles(attest_recheck *check)
{
    attest_workers_free(check->output, check->positions * check->dim, sizeof *check->output,
                        check->double_jobs);
    attest_workers_free(check->error, check->positions, sizeof *check->error,
                        check->double_jobs);
    check->output = check->error = NULL;
}

double attest_recheck_scale(const attest_recheck *check, const arf_t x, int sign)
{
    ARF(t);

    arf_mul_2exp_si(t, x, -check->exponent);
    return arf_get_d(t, sign < 0 ? ARF_RND_FLOOR : ARF_RND_CEIL);
}

bool attest_recheck_may_reach(const attest_recheck *check, size_t a, double x)
{
    const double *p = check->output + a * check->dim;
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
