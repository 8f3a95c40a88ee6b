/* quick.c -- most rows are clearly within their bounds: attention in long double, with a crude
 * error bound of its own, sees that fifty times faster than balls do. What it cannot see is for
 * the balls. */
#include <float.h>

#include "tests/kernel/oracle.h"

/* Twice the unit roundoff of long double; where that is no more precise than double, nothing is
 * ever clear, and all rows go to the balls. */
#define EPSILON LDBL_EPSILON
#define LONGEST 4096

/* The scores of one row, and a bound on their errors. */
static long double scores(long double *score, const double *q, const double *k, size_t m,
                          size_t d)
{
    long double worst = 0.0L;

    for (size_t j = 0; j < m; j++) {
        long double sum = 0.0L, size = 0.0L;

        for (size_t c = 0; c < d; c++) {
            long double product = (long double)q[c] * (long double)k[j * d + c];

            sum += product;
            size += fabsl(product);
        }
        score[j] = sum;
        size *= (long double)(d + 2) * EPSILON;
        worst = size > worst ? size : worst;
    }
    return worst;
}

static long double norm(const double *x, size_t d)
{
    long double square = 0.0L;

    for (size_t c = 0; c < d; c++)
        square += (long double)x[c] * (long double)x[c];
    return sqrtl(square);
}

/* Weights e^(s - top) in place of scores; returns their sum. */
static long double weigh(long double *score, size_t m)
{
    long double top = score[0], sum = 0.0L;

    for (size_t j = 1; j < m; j++)
        top = score[j] > top ? score[j] : top;
    for (size_t j = 0; j < m; j++) {
        score[j] = expl(score[j] - top);
        sum += score[j];
    }
    return sum;
}

static bool softmax_clear(const long double *weight, long double sum, long double worst,
                          const double *v, const double *out, size_t m, size_t d, double error,
                          double *distance)
{
    /* In the mean over the keys: two scores, the rounding of their difference x (the mean of
     * |x| is at most log m < 9), and an exponential with an error of 4 ulp at most. */
    const long double eta = 2.0L * worst + 14.0L * EPSILON;
    long double largest = 0.0L, square = 0.0L;

    for (size_t j = 0; j < m; j++) {
        long double here = norm(v + j * d, d);

        largest = here > largest ? here : largest;
    }
    for (size_t c = 0; c < d; c++) {
        long double value = 0.0L;

        for (size_t j = 0; j < m; j++)
            value += weight[j] * (long double)v[j * d + c];
        value = value / sum - (long double)out[c];
        square += value * value;
    }
    *distance = (double)sqrtl(square);
    /* Weights err by eta relatively, their normalised sum by 2 eta, so a mean by 4 eta; sums of
     * m terms by m roundings. */
    return sqrtl(square) + largest * (5.0L * eta + 4.0L * (long double)(m + d + 8) * EPSILON) <=
           (long double)error * (1.0L - 0x1p-40L);
}

/* The output is the value of the key that wins by more than the errors of the scores. */
static bool hardmax_clear(const long double *score, long double worst, const double *v,
                          const double *out, size_t m, size_t d, double error)
{
    size_t best = 0;

    for (size_t j = 1; j < m; j++)
        best = score[j] > score[best] ? j : best;
    for (size_t j = 0; j < m; j++)
        if (j != best && !(score[best] - score[j] > 4.0L * worst))
            return false;
    for (size_t c = 0; c < d; c++)
        if (out[c] != v[best * d + c])
            return false;
    return error >= 0.0;
}

bool problem_row_clear(const struct problem *problem, size_t b, size_t i, double *distance)
{
    const size_t n = problem->n, d = problem->d, m = problem->causal ? i + 1 : n;
    const double *v = problem->v + b * n * d, *out = problem->out + (b * n + i) * d;
    double error = problem->error[b * n + i];
    static long double score[LONGEST];
    long double worst;

    *distance = 0.0;
    if (LDBL_MANT_DIG < 64 || m > LONGEST || !(error >= 0.0) || error == (double)INFINITY)
        return false;
    worst = scores(score, problem->q + (b * n + i) * d, problem->k + b * n * d, m, d);
    if (!(worst <= 0x1p-20L))
        return false;
    if (problem->hardmax)
        return hardmax_clear(score, worst + 0x1p-1060L, v, out, m, d, error);
    return softmax_clear(score, weigh(score, m), worst, v, out, m, d, error, distance);
}
