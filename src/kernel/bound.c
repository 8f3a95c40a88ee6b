/* bound.c -- the running error bound; see bound.h and proofs-notes/kernel-error.md. */
#include "kernel/bound.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <attest/kernel.h>

#define UNIT ATTEST_BOUND_UNIT
#define SLACK ATTEST_BOUND_SLACK
/* The relative error of the exponential in units of roundoff: an ulp is at most two of them. */
#define EXP_ERROR (2.0 * ATTEST_KERNEL_EXP_ULP)
#define SIZE_LIMIT ((size_t)ATTEST_BOUND_SIZE_LIMIT)

/* The terms of the bound by weights (7). */
static void sharp_terms(struct bound_terms *terms, double d, double m, double sum_depth,
                        double value_depth)
{
    const double weight = EXP_ERROR + log(m) + 1.0, out = sum_depth + 2.0;
    /* Any t > 0 gives a bound; this one is nearly optimal if q and k have entries of size 1 and
     * scores of size d^1/2. */
    const double t = weight < d * sqrt(d) ? weight / (d * sqrt(d)) : 1.0;

    terms->unit = UNIT * SLACK;
    terms->score = 1.0 + t;
    terms->weight = (1.0 + 1.0 / t) * weight * weight;
    terms->out = ATTEST_BOUND_SHARP_OUT * out * out;
    terms->cancel = 8.0 * (m + d + value_depth + 8.0) * UNIT;
    terms->sum_depth = out;
    terms->value_depth = value_depth;
    terms->value_sums = m + value_depth;
}

struct bound_terms attest_bound_terms(size_t d, size_t m, size_t sum_depth, size_t value_depth)
{
    struct bound_terms terms = {.dot = INFINITY, .fixed = INFINITY, .unit = INFINITY};

    if (d >= SIZE_LIMIT || m >= SIZE_LIMIT)
        return terms;
    if (m == 1) /* the only weight is 1, and the result is v itself */
        return (struct bound_terms){.dot = 0.0};
    terms.dot = UNIT * SLACK;
    terms.fixed = (2.0 * log((double)m) + 2.0 * EXP_ERROR + (double)sum_depth +
                   (double)value_depth + 2.0) *
                  UNIT * SLACK;
    sharp_terms(&terms, (double)d, (double)m, (double)sum_depth, (double)value_depth);
    return terms;
}

double attest_bound_row(struct bound_terms terms, double q_square, double key_square,
                        double value_norm, double denominator)
{
    double delta = terms.dot * sqrt(q_square * key_square), peak, score, bound;

    if (!(denominator <= DBL_MAX) || !(delta <= DBL_MAX)) /* a NaN is neither */
        return INFINITY;
    if (terms.fixed == 0.0)
        return value_norm <= DBL_MAX ? 0.0 : INFINITY;
    peak =
        4.0 * denominator + (ATTEST_BOUND_PEAK_DELTA * delta + (ATTEST_BOUND_PEAK_SLACK - 4.0));
    score = delta * (peak < 1.0 ? peak : 1.0);
    bound = value_norm * (score + terms.fixed);
    return bound <= DBL_MAX ? bound : INFINITY;
}

double attest_bound_delta(struct bound_terms terms, double q_square, double key_square)
{
    /* Two roots: the product of the squares may underflow. */
    return terms.dot * (sqrt(q_square) * sqrt(key_square)) + ATTEST_BOUND_SCORE_FLOOR;
}

double attest_bound_square(const double *x, size_t d)
{
    double square = ATTEST_BOUND_SQUARE_FLOOR;

    for (size_t c = 0; c < d; c++)
        square += (double)(d - c + 1) * x[c] * x[c];
    return square;
}

double attest_bound_norm(const double *x, size_t d, size_t m)
{
    double largest = 0.0, square = 0.0, scale, norm;
    int exponent;

    for (size_t c = 0; c < d; c++) {
        double magnitude = fabs(x[c]);

        if (!(magnitude <= DBL_MAX))
            return INFINITY;
        largest = magnitude > largest ? magnitude : largest;
    }
    if (largest == 0.0)
        return 0.0;
    frexp(largest, &exponent);
    scale = ldexp(1.0, -exponent / 2); /* in two halves: one may not be representable */
    for (size_t c = 0; c < d; c++) {
        double y = x[c] * scale * ldexp(1.0, -exponent - -exponent / 2);

        square += y * y;
    }
    /* y is exact or below 2^-1000 times the largest, which is at least 1/2. */
    norm = ldexp(sqrt(square) * SLACK, exponent) + (double)d * ((double)m + 1.0) * 0x1p-1020;
    return norm * ((double)m + 2.0) <= DBL_MAX ? norm : INFINITY;
}

/* Returns whether the dot product is computed without any rounding, with or without fused
 * multiply-add. */
static bool dot_is_exact(const double *q, const double *k, size_t d)
{
    double sum = 0.0;

    for (size_t c = 0; c < d; c++) {
        double product = q[c] * k[c];
        double next = sum + product;
        double part = next - sum;

        if (!(fabs(next) <= DBL_MAX) || fma(q[c], k[c], -product) != 0.0)
            return false;
        /* A residual below 2^-1074 would have been flushed: products this small are refused. */
        if (fabs(product) < 0x1p-960 && q[c] != 0.0 && k[c] != 0.0)
            return false;
        if ((sum - (next - part)) + (product - part) != 0.0)
            return false;
        sum = next;
    }
    return true;
}

static bool rows_equal(const double *a, const double *b, size_t d)
{
    for (size_t c = 0; c < d; c++)
        if (!(a[c] == b[c]))
            return false;
    return true;
}

static double dot(const double *a, const double *b, size_t d)
{
    double sum = 0.0;

    for (size_t c = 0; c < d; c++)
        sum += a[c] * b[c];
    return sum;
}

/* The keys that may have the largest score. */
struct candidates {
    size_t count, first;
    bool equal;  /* all of them are the same key */
    bool exact;  /* all of their scores were computed without rounding */
    size_t tied; /* how many have the largest computed score */
    double norm; /* of the largest value of a tied key */
};

static struct candidates find_candidates(const double *q, const double *k, const double *v,
                                         size_t m, size_t d, double delta)
{
    struct candidates found = {0, 0, true, true, 0, 0.0};
    double top = dot(q, k, d), threshold;

    for (size_t j = 1; j < m; j++) {
        double score = dot(q, k + j * d, d);

        top = score > top ? score : top;
    }
    /* Keys below lose for certain, here and in the kernel: 8 delta covers two scores of the
     * kernel, delta each, for two of these, at most 2 delta each, and for this subtraction. */
    threshold = top - ATTEST_BOUND_MARGIN_AGAIN * delta;
    for (size_t j = 0; j < m; j++) {
        double score = dot(q, k + j * d, d);

        if (score < threshold)
            continue; /* a NaN is a candidate */
        found.first = found.count++ ? found.first : j;
        found.equal = found.equal && rows_equal(k + found.first * d, k + j * d, d);
        found.exact = found.exact && dot_is_exact(q, k + j * d, d);
        if (score == top) {
            double norm = attest_bound_norm(v + j * d, d, m);

            found.tied++;
            found.norm = norm > found.norm ? norm : found.norm;
        }
    }
    return found;
}

double attest_bound_hardmax(const double *q, const double *k, const double *v, size_t m,
                            size_t d, double delta)
{
    struct candidates found = find_candidates(q, k, v, m, d, delta);

    if (d >= SIZE_LIMIT || m >= SIZE_LIMIT || !(delta <= DBL_MAX))
        return INFINITY;
    if (found.tied == 0 || !(found.norm <= DBL_MAX))
        return INFINITY;
    if (found.count > 1 && !found.equal && !found.exact)
        return INFINITY;
    /* The mean: tied - 1 sums, a reciprocal and a product; none when one key wins. */
    KERNEL_ASSERT(H6, found.count >= found.tied);
    return found.tied == 1 ? 0.0 : found.norm * ((double)found.tied + 1.0) * UNIT * SLACK;
}
