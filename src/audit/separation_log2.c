/* separation_log2.c -- the least separation, roughly, at widths beyond doubles.
 *
 * For a curve, not for a verdict: differences are exact, squares and sums rounded to 53 bits.
 * The positions are sorted along the axis on which they are spread most, and each is compared
 * with those that follow while the gap along the axis alone is not above the least distance. */
#include <math.h>
#include <stdlib.h>

#include "audit/collisions.h"
#include "base/memory.h"

/* Up to so many comparisons per position; outputs that need more have no simple order. */
enum { MOST_VISITS = 200 };

typedef struct point {
    mpfr_srcptr key;
    size_t position;
} point;

static int compare_points(const void *a, const void *b)
{
    return mpfr_cmp(((const point *)a)->key, ((const point *)b)->key);
}

/* The entry in which the outputs differ most. */
static size_t widest_axis(const attest_audit_outputs *outputs)
{
    size_t best = 0;
    double widest = -1;

    for (size_t c = 0; c < outputs->dim; c++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t p = 0; p < outputs->count; p++) {
            double x = mpfr_get_d(outputs->wide + p * outputs->dim + c, MPFR_RNDN);
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (high - low > widest) {
            widest = high - low;
            best = c;
        }
    }
    return best;
}

/* square = |p - q|^2 to 53 bits; work has 53 bits, too. */
static void square_distance(mpfr_t square, mpfr_t work, const attest_audit_outputs *outputs,
                            size_t p, size_t q)
{
    mpfr_set_zero(square, 1);
    for (size_t c = 0; c < outputs->dim; c++) {
        mpfr_sub(work, outputs->wide + p * outputs->dim + c,
                 outputs->wide + q * outputs->dim + c, MPFR_RNDN);
        mpfr_sqr(work, work, MPFR_RNDN);
        mpfr_add(square, square, work, MPFR_RNDN);
    }
}

/* least = the least square over required pairs; false: too many comparisons. */
static bool sweep(mpfr_t least, const point *order, const attest_audit_outputs *outputs,
                  const attest_audit_classes *classes)
{
    size_t visits = 0, most = outputs->count * MOST_VISITS;
    mpfr_t gap, square;

    mpfr_init2(gap, 53);
    mpfr_init2(square, 53);
    mpfr_set_inf(least, 1);
    for (size_t i = 0; i < outputs->count && visits < most; i++)
        for (size_t j = i + 1; j < outputs->count && visits < most; j++, visits++) {
            mpfr_sub(gap, order[j].key, order[i].key, MPFR_RNDN);
            mpfr_sqr(gap, gap, MPFR_RNDN);
            if (mpfr_greater_p(gap, least))
                break;
            if (classes->group[order[i].position] == classes->group[order[j].position])
                continue;
            square_distance(square, gap, outputs, order[i].position, order[j].position);
            if (mpfr_less_p(square, least))
                mpfr_set(least, square, MPFR_RNDN);
        }
    mpfr_clear(gap);
    mpfr_clear(square);
    return visits < most;
}

static bool sweep_wide(double *log2, const attest_audit_outputs *outputs,
                       const attest_audit_classes *classes)
{
    point *order = attest_memory_alloc(outputs->count, sizeof *order);
    size_t axis = widest_axis(outputs);
    bool known = false;
    mpfr_t least;

    if (!order)
        return false;
    mpfr_init2(least, 53);
    for (size_t p = 0; p < outputs->count; p++)
        order[p] = (point){outputs->wide + p * outputs->dim + axis, p};
    qsort(order, outputs->count, sizeof *order, compare_points);
    known = sweep(least, order, outputs, classes) && mpfr_regular_p(least);
    if (known) {
        mpfr_log2(least, least, MPFR_RNDN);
        *log2 = mpfr_get_d(least, MPFR_RNDN) / 2;
    }
    mpfr_clear(least);
    free(order);
    return known;
}

bool attest_audit_separation_log2(double *log2, const attest_audit_outputs *outputs,
                                  const attest_audit_classes *classes)
{
    size_t pair[2];
    bool known;
    arf_t square;
    arb_t ball;

    if (!outputs->real)
        return sweep_wide(log2, outputs, classes);
    arf_init(square);
    arb_init(ball);
    known = attest_audit_separation_get(square, pair, &known, outputs, classes, NULL) ==
                ATTEST_OK &&
            known && arf_sgn(square) > 0;
    if (known) {
        arb_set_arf(ball, square);
        arb_log_base_ui(ball, ball, 2, 64);
        *log2 = arf_get_d(arb_midref(ball), ARF_RND_NEAR) / 2;
    }
    arb_clear(ball);
    arf_clear(square);
    return known;
}
