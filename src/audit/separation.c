/* separation.c -- the least distance of outputs that must differ, exactly. */
#include "audit/separation.h"

#include <math.h>

#include "base/term.h"
#include "geometry/candidates.h"
#include "number/scope.h"

/* Bits of an exact difference; its square has twice as many. */
enum { MOST_SPREAD = 1 << 22 };

attest_status attest_audit_spread_check(const attest_audit_outputs *outputs,
                                        attest_error *error)
{
    mpfr_exp_t least = MPFR_EMAX_MAX, most = MPFR_EMIN_MIN;

    for (size_t i = 0; outputs->wide && i < outputs->count * outputs->dim; i++) {
        mpfr_srcptr x = outputs->wide + i;
        if (!mpfr_regular_p(x))
            continue;
        least = mpfr_get_exp(x) < least ? mpfr_get_exp(x) : least;
        most = mpfr_get_exp(x) > most ? mpfr_get_exp(x) : most;
    }
    if (most < least || most - least <= MOST_SPREAD)
        return ATTEST_OK;
    return attest_error_set(
        error, ATTEST_UNABLE,
        "outputs lie between 2^%ld and 2^%ld: how far apart they are would "
        "take numbers of more than %d bits; a format with bounded exponents "
        "has none of these",
        (long)least, (long)most, MOST_SPREAD);
}

void attest_audit_distance(arf_t square, const attest_audit_outputs *outputs, size_t p,
                           size_t q)
{
    ARF(x, y);

    arf_zero(square);
    for (size_t c = 0; c < outputs->dim; c++) {
        attest_audit_outputs_get(x, outputs, p, c);
        attest_audit_outputs_get(y, outputs, q, c);
        arf_sub(x, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul(x, x, x, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_add(square, square, x, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
}

static attest_status make_cloud(attest_cloud *cloud, const attest_audit_outputs *outputs,
                                const attest_contexts *classes, attest_error *error)
{
    ARB_VEC(ball, (slong)outputs->dim);

    ATTEST_TRY(attest_cloud_init(cloud, outputs->count, outputs->dim, error));
    for (size_t p = 0; p < outputs->count; p++) {
        cloud->colour[p] = classes->position[p];
        if (outputs->real) {
            attest_cloud_set_doubles(cloud, p, outputs->real + p * outputs->dim);
            continue;
        }
        for (size_t c = 0; c < outputs->dim; c++)
            attest_audit_outputs_get(arb_midref(ball + c), outputs, p, c);
        attest_cloud_set_balls(cloud, p, ball);
    }
    attest_cloud_finish(cloud);
    return ATTEST_OK;
}

/* By the tree of certify, in doubles with error bounds, and exactly among its candidates. */
static attest_status search_tree(arf_t square, size_t pair[2], bool *found,
                                 const attest_audit_outputs *outputs,
                                 const attest_contexts *classes, attest_error *error)
{
    attest_cloud cloud ATTEST_CLEARED_BY(attest_cloud_clear) = {0};
    attest_candidates candidates ATTEST_CLEARED_BY(attest_candidates_clear) = {0};
    ARF(other);

    ATTEST_TRY(make_cloud(&cloud, outputs, classes, error));
    *found = false;
    ATTEST_TRY(attest_candidates_init(&candidates, &cloud, error));
    for (;;) {
        size_t first, second;
        bool more;

        ATTEST_TRY(attest_candidates_next(&more, &first, &second, &candidates, error));
        if (!more)
            return ATTEST_OK;
        attest_audit_distance(other, outputs, first, second);
        if (*found && arf_cmp(other, square) >= 0)
            continue;
        *found = true;
        arf_set(square, other);
        pair[0] = first;
        pair[1] = second;
    }
}

/* At least the square of the norm at position p: a sum of up to 2^20 squares is off by one
 * rounding for each square and each addition but the first, and by what underflows; the last
 * product and sum round, too. Infinite where that is not known. */
static double square_above(const attest_audit_outputs *outputs, size_t p)
{
    const double *x = outputs->real ? outputs->real + p * outputs->dim : NULL;
    double sum = 0;

    if (!x || outputs->dim > (size_t)1 << 20)
        return INFINITY;
    for (size_t c = 0; c < outputs->dim; c++)
        sum += x[c] * x[c];
    return sum * (1 + ATTEST_TERM(square_sums, ((double)outputs->dim + 8) * 0x1p-53)) +
           ATTEST_TERM(square_underflow, 0x1p-1000);
}

void attest_audit_norm_get(arf_t square, const attest_audit_outputs *outputs)
{
    double most = 0; /* at most the largest square so far */
    ARF(x, norm);

    arf_zero(square);
    for (size_t p = 0; p < outputs->count; p++) {
        if (!attest_audit_outputs_finite(outputs, p) || square_above(outputs, p) < most)
            continue;
        arf_zero(norm);
        for (size_t c = 0; c < outputs->dim; c++) {
            attest_audit_outputs_get(x, outputs, p, c);
            arf_mul(x, x, x, ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_add(norm, norm, x, ARF_PREC_EXACT, ARF_RND_DOWN);
        }
        if (arf_cmp(norm, square) > 0) {
            arf_set(square, norm);
            most = arf_get_d(square, ARF_RND_FLOOR);
        }
    }
}

attest_status attest_audit_separation_get(arf_t square, size_t pair[2], bool *found,
                                          const attest_audit_outputs *outputs,
                                          const attest_contexts *classes, attest_error *error)
{
    ATTEST_TRY(attest_audit_spread_check(outputs, error));
    /* Doubles see no difference between many of the outputs of a wide format. */
    if (outputs->wide && attest_audit_separation_sweep(square, pair, found, outputs, classes))
        return ATTEST_OK;
    return search_tree(square, pair, found, outputs, classes, error);
}

attest_status attest_audit_separation_log2(double *log2, bool *known,
                                           const attest_audit_outputs *outputs,
                                           const attest_contexts *classes, attest_error *error)
{
    attest_status status;
    size_t pair[2];
    ARF(square);
    ARB(ball);

    status = attest_audit_separation_get(square, pair, known, outputs, classes, error);
    *known = status == ATTEST_OK && *known && arf_sgn(square) > 0;
    if (*known) {
        arb_set_arf(ball, square);
        arb_log_base_ui(ball, ball, 2, 64);
        *log2 = arf_get_d(arb_midref(ball), ARF_RND_NEAR) / 2;
    }
    return status == ATTEST_UNABLE ? ATTEST_OK : status;
}
