/* allclose.c -- is an output within atol + rtol |o|? */
#include "judge/allclose.h"

#include <float.h>
#include <math.h>

#include "number/scope.h"

static double up(double x)
{
    return nextafter(x, (double)INFINITY);
}

static double down(double x)
{
    return nextafter(x, (double)-INFINITY);
}

/* The next doubles: *low <= value <= *high. */
static void enclose(double *low, double *high, const fmpq_t value)
{
    ARF(end);

    arf_fmpz_div_fmpz(end, fmpq_numref(value), fmpq_denref(value), DBL_MANT_DIG, ARF_RND_FLOOR);
    *low = arf_get_d(end, ARF_RND_FLOOR);
    arf_fmpz_div_fmpz(end, fmpq_numref(value), fmpq_denref(value), DBL_MANT_DIG, ARF_RND_CEIL);
    *high = arf_get_d(end, ARF_RND_CEIL);
}

void attest_judge_allclose_set(attest_judge_allclose *tolerance, const fmpq_t atol,
                               const fmpq_t rtol)
{
    enclose(&tolerance->atol_low, &tolerance->atol_high, atol);
    enclose(&tolerance->rtol_low, &tolerance->rtol_high, rtol);
}

/* A NaN whose error is not infinite is one that is to be there: a row without keys. */
static bool is_unknown(double value, double error)
{
    return isnan(value) && isinf(error);
}

/* No more than what is allowed at an exact value within error of o. */
static double allow_low(const attest_judge_allclose *tolerance, double o, double error)
{
    double least = fmax(down(fabs(o) - error), 0);

    return down(tolerance->atol_low + fmax(down(tolerance->rtol_low * least), 0));
}

/* One element: the distance and what is allowed, each rounded away from the claim by a step
 * after every operation, which is more than its rounding. */
static attest_judge_closeness compare(double *excess, const attest_judge_allclose *tolerance,
                                      double y, double y_error, double o, double o_error)
{
    double distance = fabs(y - o), errors = up(y_error + o_error), size = fabs(o);
    double allowed;

    *excess = (double)INFINITY;
    if (is_unknown(o, o_error) || is_unknown(y, y_error))
        return ATTEST_JUDGE_OPEN;
    if (isnan(o) || isnan(y))
        return isnan(o) && isnan(y) ? ATTEST_JUDGE_CLOSE : ATTEST_JUDGE_FAR;
    if (isinf(y))
        return y_error == 0 ? ATTEST_JUDGE_FAR
                            : ATTEST_JUDGE_OPEN; /* the exact value is finite */
    allowed = tolerance->atol_high + tolerance->rtol_high * size;
    *excess = distance - allowed;
    if (y_error == 0 && o_error == 0 && distance == 0)
        return ATTEST_JUDGE_CLOSE;
    if (up(up(distance) + errors) <= allow_low(tolerance, o, o_error))
        return ATTEST_JUDGE_CLOSE;
    allowed = up(tolerance->atol_high + up(tolerance->rtol_high * up(size + o_error)));
    return down(down(distance) - errors) > allowed ? ATTEST_JUDGE_FAR : ATTEST_JUDGE_OPEN;
}

attest_judge_closeness attest_judge_allclose_check(size_t *at,
                                                   const attest_judge_allclose *tolerance,
                                                   const double *y, const double *y_error,
                                                   const double *o, const double *o_error,
                                                   size_t count)
{
    static const int rank[] = {
        [ATTEST_JUDGE_CLOSE] = 0, [ATTEST_JUDGE_OPEN] = 1, [ATTEST_JUDGE_FAR] = 2};
    attest_judge_closeness worst = ATTEST_JUDGE_CLOSE;
    double most = (double)-INFINITY;

    *at = 0;
    for (size_t i = 0; i < count; i++) {
        double excess;
        attest_judge_closeness this =
            compare(&excess, tolerance, y[i], y_error ? y_error[i] : 0, o[i], o_error[i]);

        if (rank[this] > rank[worst] || (this == worst && excess > most)) {
            worst = this;
            most = excess;
            *at = i;
        }
    }
    return worst;
}

bool attest_judge_allclose_holds(size_t *at, const attest_judge_allclose *tolerance,
                                 const double *bound, const double *o, const double *o_error,
                                 size_t count)
{
    double most = (double)-INFINITY;
    bool holds = true;

    for (size_t i = 0; i < count; i++) {
        double allowed = allow_low(tolerance, o[i], o_error[i]), excess = bound[i] - allowed;

        if ((isnan(o[i]) && !is_unknown(o[i], o_error[i])) || bound[i] <= allowed ||
            bound[i] == 0)
            continue;
        holds = false;
        if (!(excess <= most)) {
            most = excess;
            *at = i;
        }
    }
    return holds;
}
