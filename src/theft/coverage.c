/* Required coverage, decided by Clopper-Pearson bounds that are rounded to the safe side.
 *
 * The lower bound for k events in n trials is the largest p with P(X >= k) <= alpha for X
 * binomial (n, p). The tail grows with p, so any p whose tail is at most alpha is a lower bound
 * of that; bisection looks for a good one, and what it computes is an upper bound of the tail.
 *
 *   ln P(X = k) = d(n) - d(k) - d(n-k) + ln(n / (2 pi k (n-k))) / 2 - K,
 *   K = k ln(k / (n p)) + (n-k) ln((n-k) / (n q)),     q = 1 - p,
 *
 * by Stirling's series ln m! = m ln m - m + ln(2 pi m) / 2 + d(m), which envelops d:
 *
 *   1/(12 m) - 1/(360 m^3) < d(m) < 1/(12 m) - 1/(360 m^3) + 1/(1260 m^5),     m >= 1.
 *
 * Rounding (u = 2^-53, libm's log and exp within 2 ulp): the arguments of the two logarithms in
 * K carry at most three roundings and the error of q, together below 6u relative, so each
 * logarithm is off by at most 6u + 4u|ln|, and K by 7u n + 6u (k |ln| + (n-k) |ln|) with its
 * own products and sum. The remaining terms are below 40 in absolute value for n <= 2^40, each
 * with a few u. SLACK covers all of it with room to spare.
 *
 * proofs-notes/clopper-pearson.md has it in full.
 *
 * From k >= n p on, each term of the tail is the one before times
 * r_i = (n-k-i+1) p / ((k+i) q) < 1, decreasing in i: terms are summed until they do not
 * matter, and the rest is at most a geometric series. */
#include "internal.h"

#define MOST_TRIALS ((size_t)1 << 40)
#define UNIT 0x1p-53
#define SLACK 16 * UNIT
#define TWO_PI 6.283185307179586

static double stirling_lower(double m)
{
    return 1 / (12 * m) - 1 / (360 * m * m * m);
}

static double stirling_upper(double m)
{
    return stirling_lower(m) + 1 / (1260 * m * m * m * m * m);
}

/* At least ln P(X = k), 1 <= k <= n, 0 < p < 1. */
static double log_pmf_upper(double n, double k, double p)
{
    double q = 1 - p, rest = n - k;
    if (rest == 0)
        return n * log(p) * (1 - SLACK);
    double a = log(k / (n * p)), b = log(rest / (n * q));
    double error = SLACK * (n + k * fabs(a) + rest * fabs(b) + 40);
    double stirling = stirling_upper(n) - stirling_lower(k) - stirling_lower(rest);
    return stirling + 0.5 * log(n / (TWO_PI * k * rest)) - (k * a + rest * b) + error;
}

/* At least P(X >= k); 1 where k < n p, which is good enough. */
static double tail_upper(double n, double k, double p)
{
    if (k < n * p * (1 + 4 * UNIT))
        return 1;
    double sum = 1, term = 1, odds = p / (1 - p), steps = 0;
    for (double i = 1; i <= n - k; i++) {
        double ratio = (n - k - i + 1) / (k + i) * odds;
        term *= ratio;
        sum += term;
        steps = i;
        if (term < sum * UNIT && ratio < 0.999999) {
            sum += term * ratio / (1 - ratio) * (1 + 0x1p-20);
            break;
        }
    }
    /* The i-th term has at most 6 i roundings, and so has every sum of such terms. */
    sum *= 1 + 8 * UNIT * (steps + 4);
    double tail = exp(log_pmf_upper(n, k, p)) * (1 + 8 * UNIT) * sum;
    return tail < 1 ? tail : 1;
}

static bool in_domain(size_t count, size_t trials, double alpha)
{
    return trials > 0 && count <= trials && trials <= MOST_TRIALS && alpha > 0 && alpha < 0.5;
}

double theft_coverage_bound_lower(size_t count, size_t trials, double alpha)
{
    if (!in_domain(count, trials, alpha) || count == 0)
        return 0;
    double n = (double)trials, k = (double)count; /* exact */
    double low = 0, high = k / n;
    while (high - low > high * 0x1p-40) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (tail_upper(n, k, middle) <= alpha)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double theft_coverage_bound_upper(size_t count, size_t trials, double alpha)
{
    if (!in_domain(count, trials, alpha) || count == trials)
        return 1;
    double lower = theft_coverage_bound_lower(trials - count, trials, alpha);
    return fmin(1, nextafter(1 - lower, 2));
}

static enum theft_coverage_verdict decide(struct theft_coverage_result *r, double fraction,
                                          double alpha)
{
    r->lower = theft_coverage_bound_lower(r->count, r->trials, alpha);
    r->upper = theft_coverage_bound_upper(r->count, r->trials, alpha);
    if (r->lower >= fraction)
        return THEFT_COVERAGE_SHOWN;
    return r->upper < fraction ? THEFT_COVERAGE_REFUTED : THEFT_COVERAGE_UNDECIDED;
}

/* Returns the number of trials with the label. */
static size_t count_trials(const struct theft *t, const char *name)
{
    const struct theft_shared *s = t->shared;
    for (size_t i = 0; s && i < s->label_count && i < THEFT_MAX_LABELS; i++)
        if (strncmp(s->labels[i], name, THEFT_MAX_LABEL_BYTES - 1) == 0)
            return t->label_counts[i];
    return 0;
}

/* Each of the 2 * coverage_count bounds may fail with the same share of the whole risk. */
bool theft_coverage_check(const struct theft *t, struct theft_coverage_result *results)
{
    double confidence =
        t->ext.confidence > 0 && t->ext.confidence < 1 ? t->ext.confidence : 0.99;
    double alpha = (1 - confidence) / (2 * (double)t->ext.coverage_count);
    bool all = true;
    for (size_t i = 0; i < t->ext.coverage_count; i++) {
        struct theft_coverage_result r = {.count = count_trials(t, t->ext.coverage[i].label),
                                          .trials = t->report.pass + t->report.fail};
        r.verdict = decide(&r, t->ext.coverage[i].fraction, alpha);
        all &= r.verdict == THEFT_COVERAGE_SHOWN;
        if (results)
            results[i] = r;
    }
    return all;
}
