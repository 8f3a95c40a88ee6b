/* cloud.c -- many points, each known up to an error, as doubles. */
#include "geometry/closest_pair.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

/* The exponent of a point that is exactly zero; far below any other, and half the range so that
 * differences of exponents do not overflow. */
#define ZERO_EXPONENT (WORD_MIN / 4)

attest_status attest_cloud_init(attest_cloud *cloud, size_t count, size_t dim,
                                attest_error *error)
{
    *cloud = (attest_cloud){.count = count, .dim = dim, .exponent = ZERO_EXPONENT};
    if (count >= UINT32_MAX)
        return attest_error_set(error, ATTEST_UNABLE, "more than %lu points",
                                (unsigned long)UINT32_MAX - 1);
    if (dim == 0 || count <= SIZE_MAX / dim)
        cloud->centre = attest_memory_alloc(count * dim, sizeof *cloud->centre);
    cloud->radius = attest_memory_alloc(count, sizeof *cloud->radius);
    cloud->colour = attest_memory_alloc(count, sizeof *cloud->colour);
    cloud->own = attest_memory_alloc(count, sizeof *cloud->own);
    if (cloud->centre && cloud->radius && cloud->colour && cloud->own)
        return ATTEST_OK;
    attest_cloud_clear(cloud);
    return attest_memory_fail(error);
}

void attest_cloud_clear(attest_cloud *cloud)
{
    free(cloud->centre);
    free(cloud->radius);
    free(cloud->colour);
    free(cloud->own);
    *cloud = (attest_cloud){0};
}

/* Raises *e, which is at least ZERO_EXPONENT, until |x| < 2^*e on the whole ball; false when
 * the ball is not finite, or beyond the range of own. */
static bool raise_exponent(slong *e, const arb_t ball)
{
    bool fits;
    MAG(bound);

    arb_get_mag(bound, ball);
    fits = arb_is_finite(ball) && mag_cmp_2exp_si(bound, -ZERO_EXPONENT) < 0;
    if (fits && mag_cmp_2exp_si(bound, *e) >= 0)
        *e = fmpz_get_si(MAG_EXPREF(bound)); /* bound < 2^its exponent */
    return fits;
}

void attest_cloud_set_balls(attest_cloud *cloud, size_t i, arb_srcptr value)
{
    double *centre = cloud->centre + i * cloud->dim, worst = 0;
    slong e = ZERO_EXPONENT;
    mag_t radius;
    bool fits = true;
    ARF(scaled);

    for (size_t c = 0; c < cloud->dim && fits; c++)
        fits = raise_exponent(&e, value + c);
    mag_init(radius);
    for (size_t c = 0; c < cloud->dim && fits; c++) {
        arf_mul_2exp_si(scaled, arb_midref(value + c), -e);
        /* |scaled| <= 1: rounding adds at most 2^-54. */
        centre[c] = arf_get_d(scaled, ARF_RND_NEAR);
        mag_mul_2exp_si(radius, arb_radref(value + c), -e);
        worst = fmax(worst, mag_get_d(radius)); /* mag_get_d rounds up */
    }
    mag_clear(radius);
    cloud->own[i] = fits ? e : ZERO_EXPONENT;
    /* The error of a vector is at most sqrt(dim) times the largest of its entries; the factor
     * covers the roundings of this line. A coordinate that does not fit a double is counted by
     * finish. */
    cloud->radius[i] =
        fits ? sqrt((double)cloud->dim) * (worst + 0x1p-54) * (1 + 0x1p-48) : INFINITY;
}

void attest_cloud_set_rounded(attest_cloud *cloud, size_t i, const double *value, double radius)
{
    double *centre = cloud->centre + i * cloud->dim, most = radius;
    int e;

    for (size_t c = 0; c < cloud->dim; c++)
        most = fmax(most, fabs(value[c]));
    frexp(most, &e);
    for (size_t c = 0; c < cloud->dim; c++)
        centre[c] = ldexp(value[c], -e); /* exact, or within 2^-1074: counted by finish */
    cloud->own[i] = most == 0 ? ZERO_EXPONENT : e;
    cloud->radius[i] = ldexp(radius, -e);
}

void attest_cloud_set_doubles(attest_cloud *cloud, size_t i, const double *value)
{
    attest_cloud_set_rounded(cloud, i, value, 0);
}

/* Comparisons of trees do not allow for NaN: a point that is not finite gets an infinite
 * radius. */
static void leave_unknown(attest_cloud *cloud, size_t i)
{
    double *centre = cloud->centre + i * cloud->dim;
    bool finite = cloud->radius[i] < INFINITY;

    for (size_t c = 0; c < cloud->dim; c++)
        finite = finite && isfinite(centre[c]);
    if (finite)
        return;
    for (size_t c = 0; c < cloud->dim; c++)
        centre[c] = 0;
    cloud->radius[i] = INFINITY;
}

void attest_cloud_finish(attest_cloud *cloud)
{
    slong most = ZERO_EXPONENT;
    double tiny = sqrt((double)cloud->dim) * 0x1p-1072;

    for (size_t i = 0; i < cloud->count; i++)
        most = cloud->own[i] > most ? cloud->own[i] : most;
    for (size_t i = 0; i < cloud->count; i++) {
        slong shift = cloud->own[i] - most;
        int e = shift < -2200 ? -2200 : (int)shift;
        double *centre = cloud->centre + i * cloud->dim;
        for (size_t c = 0; e != 0 && c < cloud->dim; c++)
            centre[c] = ldexp(centre[c], e);
        /* Up to four roundings into the subnormal range (two of a coordinate, two of the
         * radius), each at most 2^-1075, in each of dim coordinates. */
        cloud->radius[i] = ldexp(cloud->radius[i], e) + tiny;
        leave_unknown(cloud, i);
    }
    cloud->exponent = most;
    free(cloud->own);
    cloud->own = NULL;
}

/* Bounds from the computed square s of a distance of centres, and the sum of their radii. */
static void bound_distance(double *lower, double *upper, const attest_cloud *cloud, double s,
                           double radii)
{
    double slack = ((double)cloud->dim + 16) * 0x1p-52;
    /* At least dim 2^-1072; a larger one, as arithmetic with subnormal numbers is slow. */
    const double tiny = 0x1p-1000;

    *upper = (sqrt(s * (1 + slack) + tiny) * (1 + 0x1p-50) + radii) * (1 + 0x1p-50);
    s = s * (1 - slack) - tiny;
    *lower = s > 0 ? sqrt(s) * (1 - 0x1p-50) - radii : 0;
    *lower = *lower > 0 ? *lower * (1 - 0x1p-50) : 0;
}

void attest_cloud_norm(double *lower, double *upper, const attest_cloud *cloud, size_t i)
{
    const double *x = cloud->centre + i * cloud->dim;
    double s = 0;

    for (size_t c = 0; c < cloud->dim; c++)
        s += x[c] * x[c];
    bound_distance(lower, upper, cloud, s, cloud->radius[i]);
}

void attest_cloud_distance(double *lower, double *upper, const attest_cloud *cloud, size_t i,
                           size_t j)
{
    const double *x = cloud->centre + i * cloud->dim, *y = cloud->centre + j * cloud->dim;
    double s = 0;

    for (size_t c = 0; c < cloud->dim; c++)
        s += (x[c] - y[c]) * (x[c] - y[c]);
    bound_distance(lower, upper, cloud, s,
                   (cloud->radius[i] + cloud->radius[j]) * (1 + 0x1p-50));
}
