/* approximate_functions.c -- equivariant functions that need the whole context.
 *
 * Polynomials with rational coefficients, so that values at rational points are exact.
 * Derivatives of each are bounded in proofs-notes/approximate.md, "The functions". */
#include "theory/approximate.h"

#include <math.h>
#include <string.h>

/* sum: x_kc sum_j x_jc. */
static int64_t get_sum(const int64_t *x, size_t d, size_t n)
{
    int64_t sum = 0;

    for (size_t j = 0; j < n; j++)
        sum += x[j * d];
    return x[0] * sum;
}

static int64_t scale_one(size_t d, size_t n)
{
    (void)d;
    (void)n;
    return 1;
}

static size_t degree_two(size_t n)
{
    (void)n;
    return 2;
}

static void bound_sum(attest_partial_bounds *first, attest_partial_bounds *second, long *range,
                      size_t d, size_t n)
{
    (void)d;
    *first = (attest_partial_bounds){.own = (long)n + 1, .token = 1};
    *second = (attest_partial_bounds){.own = 2};
    *range = (long)n;
}

static void slopes_sum(double *slope, const double *centre, double half, size_t d, size_t n)
{
    double sum = 0;

    for (size_t j = 0; j < n; j++) {
        sum += centre[j * d] + half;
        slope[j * d] = centre[0] + half;
    }
    slope[0] += sum;
}

/* product: the product of all x_jc. */
static int64_t get_product(const int64_t *x, size_t d, size_t n)
{
    int64_t product = 1;

    for (size_t j = 0; j < n; j++)
        product *= x[j * d];
    return product;
}

static size_t degree_length(size_t n)
{
    return n;
}

static void bound_product(attest_partial_bounds *first, attest_partial_bounds *second,
                          long *range, size_t d, size_t n)
{
    (void)d;
    (void)n;
    *first = (attest_partial_bounds){.own = 1, .token = 1};
    *second = (attest_partial_bounds){0};
    *range = 1;
}

static void slopes_product(double *slope, const double *centre, double half, size_t d, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        slope[j * d] = 1;
        for (size_t i = 0; i < n; i++)
            if (i != j)
                slope[j * d] *= centre[i * d] + half;
    }
}

/* variance: (x_kc - mean_j x_jc)^2. */
static int64_t get_variance(const int64_t *x, size_t d, size_t n)
{
    int64_t difference = (int64_t)n * x[0];

    for (size_t j = 0; j < n; j++)
        difference -= x[j * d];
    return difference * difference;
}

static int64_t scale_variance(size_t d, size_t n)
{
    (void)d;
    return (int64_t)(n * n);
}

static void bound_variance(attest_partial_bounds *first, attest_partial_bounds *second,
                           long *range, size_t d, size_t n)
{
    long m = (long)n - 1;

    (void)d;
    *first = (attest_partial_bounds){.own = 2 * m * m, .token = 2 * m};
    *second = (attest_partial_bounds){.own = 2 * m * m, .token = 2};
    *range = m * m;
}

/* |x_kc - mean| changes by at most 2 half (n - 1)/n inside the cube. */
static void slopes_variance(double *slope, const double *centre, double half, size_t d,
                            size_t n)
{
    double m = (double)n, mean = 0, most;

    for (size_t j = 0; j < n; j++)
        mean += centre[j * d] / m;
    most = fabs(centre[0] - mean) + 2 * half * (m - 1) / m;
    for (size_t j = 0; j < n; j++)
        slope[j * d] = 2 * most * (j == 0 ? m - 1 : 1) / m;
}

/* inner: x_kc mean_je x_ke x_je. */
static int64_t get_inner(const int64_t *x, size_t d, size_t n)
{
    int64_t sum = 0;

    for (size_t j = 0; j < n; j++)
        for (size_t e = 0; e < d; e++)
            sum += x[e] * x[j * d + e];
    return x[0] * sum;
}

static int64_t scale_inner(size_t d, size_t n)
{
    return (int64_t)(d * n);
}

static size_t degree_three(size_t n)
{
    (void)n;
    return 3;
}

static void bound_inner(attest_partial_bounds *first, attest_partial_bounds *second,
                        long *range, size_t d, size_t n)
{
    long all = (long)(d * n), more = (long)n + 1;

    *first = (attest_partial_bounds){
        .own = all + more, .own_other = more, .token = 1, .token_other = 1};
    *second = (attest_partial_bounds){.own = 2 * more + 2, .own_other = 2};
    *range = all;
}

static void slopes_inner(double *slope, const double *centre, double half, size_t d, size_t n)
{
    double all = (double)(d * n), own = centre[0] + half, mean = 0;

    for (size_t e = 0; e < d; e++) {
        double here = centre[e] + half, sum = 0;

        for (size_t j = 0; j < n; j++) {
            sum += centre[j * d + e] + half;
            slope[j * d + e] = own * here / all;
        }
        mean += here * sum / all;
        slope[e] = own * (sum + here) / all;
    }
    slope[0] += mean;
}

/* distance: mean_je (x_ke - x_je)^2. */
static int64_t get_distance(const int64_t *x, size_t d, size_t n)
{
    int64_t sum = 0;

    for (size_t j = 1; j < n; j++)
        for (size_t e = 0; e < d; e++)
            sum += (x[e] - x[j * d + e]) * (x[e] - x[j * d + e]);
    return sum;
}

static void bound_distance(attest_partial_bounds *first, attest_partial_bounds *second,
                           long *range, size_t d, size_t n)
{
    long m = (long)n - 1;

    *first =
        (attest_partial_bounds){.own = 2 * m, .own_other = 2 * m, .token = 2, .token_other = 2};
    *second = *first;
    *range = m * (long)d;
}

/* Differences of two entries change by at most 2 half. */
static void slopes_distance(double *slope, const double *centre, double half, size_t d,
                            size_t n)
{
    double all = (double)(d * n);

    for (size_t e = 0; e < d; e++) {
        double sum = 0;

        for (size_t j = 1; j < n; j++) {
            sum += centre[e] - centre[j * d + e];
            slope[j * d + e] = 2 * (fabs(centre[e] - centre[j * d + e]) + 2 * half) / all;
        }
        slope[e] = 2 * (fabs(sum) + 2 * half * (double)(n - 1)) / all;
    }
}

const attest_equivariant attest_equivariants[] = {
    {"sum", "x_kc sum_j x_jc", get_sum, scale_one, degree_two, bound_sum, slopes_sum},
    {"product", "product_j x_jc", get_product, scale_one, degree_length, bound_product,
     slopes_product},
    {"variance", "(x_kc - mean_j x_jc)^2", get_variance, scale_variance, degree_two,
     bound_variance, slopes_variance},
    {"inner", "x_kc mean_je x_ke x_je", get_inner, scale_inner, degree_three, bound_inner,
     slopes_inner},
    {"distance", "mean_je (x_ke - x_je)^2", get_distance, scale_inner, degree_two,
     bound_distance, slopes_distance},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

static void exchange(int64_t *x, int64_t *y)
{
    int64_t held = *x;

    *x = *y;
    *y = held;
}

void attest_equivariant_value(fmpq_t value, const attest_equivariant *function,
                              const int64_t *x, int64_t unit, size_t d, size_t n, size_t k,
                              size_t c)
{
    int64_t own[ATTEST_APPROXIMATE_MOST_DIM * ATTEST_APPROXIMATE_MOST_LENGTH];

    memcpy(own, x, n * d * sizeof *own);
    for (size_t e = 0; e < d && k > 0; e++)
        exchange(&own[e], &own[k * d + e]);
    for (size_t j = 0; j < n && c > 0; j++)
        exchange(&own[j * d], &own[j * d + c]);
    fmpz_set_si(fmpq_numref(value), function->get(own, d, n));
    fmpz_set_si(fmpq_denref(value), unit);
    fmpz_pow_ui(fmpq_denref(value), fmpq_denref(value), function->get_degree(n));
    fmpz_mul_si(fmpq_denref(value), fmpq_denref(value), function->get_scale(d, n));
    fmpq_canonicalise(value);
}
