/* Labels, and Clopper-Pearson bounds against sums of the binomial distribution. */
#include <math.h>
#include <string.h>

#include <theft.h>
#include "theft/theft_extensions.h"

#include "tests/tap.h"
#include "tests/theft/quiet.h"

/* P(X >= k) by products of exact terms in long double: another route than the engine's. */
static long double tail(unsigned n, unsigned k, long double p)
{
    long double sum = 0;
    for (unsigned i = k; i <= n; i++) {
        long double term = 1;
        for (unsigned j = 0; j < i; j++)
            term *= (long double)(n - j) / (j + 1) * p;
        for (unsigned j = i; j < n; j++)
            term *= 1 - p;
        sum += term;
    }
    return sum;
}

static void test_bounds(void)
{
    static const double alphas[] = {0.25, 0.05, 0.005, 1e-6};
    bool sound = true, tight = true, upper = true;
    for (unsigned n = 1; n <= 60; n++)
        for (unsigned k = 0; k <= n; k++)
            for (size_t i = 0; i < 4; i++) {
                double low = theft_coverage_bound_lower(k, n, alphas[i]);
                double high = theft_coverage_bound_upper(k, n, alphas[i]);
                sound &= tail(n, k, low) <= alphas[i] * (1 + 1e-15L) || k == 0;
                tight &= k == 0 ? low == 0 : tail(n, k, low * 1.002L) > alphas[i];
                upper &=
                    fabs(high - (1 - theft_coverage_bound_lower(n - k, n, alphas[i]))) < 1e-15;
                upper &= low <= (double)k / n && (double)k / n <= high;
            }
    TAP_OK(sound, "the tail at the lower bound is at most alpha");
    TAP_OK(tight, "the tail slightly beyond the bound is more than alpha");
    TAP_OK(upper, "the upper bound is the mirror image");
    /* k = n: the bound is alpha^(1/n) in closed form; k = 1: 1 - (1 - alpha)^(1/n). */
    double all = theft_coverage_bound_lower(1000000, 1000000, 0.01);
    double one = theft_coverage_bound_lower(1, 1000000000, 0.01);
    TAP_OK(all <= exp(log(0.01) / 1e6) && all > exp(log(0.01) / 1e6) - 1e-9,
           "all of a million");
    TAP_OK(one <= -expm1(log1p(-0.01) / 1e9) && one > -expm1(log1p(-0.01) / 1e9) * 0.999,
           "one of 10^9");
    double half = theft_coverage_bound_lower(500000000, 1000000000, 0.025);
    TAP_OK(half < 0.5 - 1.9599 * 0.5 / sqrt(1e9) && half > 0.5 - 1.9601 * 0.5 / sqrt(1e9),
           "half of 10^9: the normal approximation");
    TAP_OK(theft_coverage_bound_lower(5, 3, 0.1) == 0 &&
               theft_coverage_bound_upper(5, 3, 0.1) == 1 &&
               theft_coverage_bound_lower(3, 5, 0.7) == 0 &&
               theft_coverage_bound_lower(3, 5, NAN) == 0,
           "outside the domain nothing is claimed");
}

static enum theft_trial_res labelled(struct theft *t, void *arg)
{
    uint32_t v = *(uint32_t *)arg;
    theft_label(t, v % 2 ? "odd" : "even");
    theft_label(t, v % 2 ? "odd" : "even"); /* once more does not count */
    if (v % 10 == 0)
        theft_label(t, "ten");
    return v % 7 == 0 ? THEFT_TRIAL_SKIP : THEFT_TRIAL_PASS;
}

static enum theft_alloc_res alloc(struct theft *t, void *env, void **output)
{
    uint32_t *x = malloc(sizeof *x);
    (void)env;
    *x = (uint32_t)theft_random_bits(t, 32);
    *output = x;
    return THEFT_ALLOC_OK;
}

static struct theft_extension_report report;
static struct theft_coverage_result results[2];

static enum theft_run_res run(size_t trials, double odd, double ten)
{
    static const struct theft_type_info info = {.alloc = alloc, .free = theft_generic_free_cb};
    struct theft_coverage required[2] = {{"odd", odd}, {"ten", ten}};
    struct theft_extension_config ext = {.coverage = required, .coverage_count = 2};
    struct theft_run_config cfg = {.prop1 = labelled, .type_info = {&info}, .trials = trials};
    quieten(&cfg);
    return theft_run_extended(&cfg, &ext, &report, results);
}

static void test_coverage(void)
{
    TAP_OK(run(20000, 0.4, 0.05) == THEFT_RUN_PASS &&
               results[0].verdict == THEFT_COVERAGE_SHOWN &&
               results[1].verdict == THEFT_COVERAGE_SHOWN,
           "coverage shown");
    TAP_OK(report.label_count == 3 &&
               report.labels[0].count + report.labels[1].count == report.trials.pass,
           "labels are counted once for every trial that was not skipped");
    TAP_OK(run(20000, 0.6, 0.05) == THEFT_RUN_FAIL &&
               results[0].verdict == THEFT_COVERAGE_REFUTED,
           "coverage refuted fails the run");
    TAP_OK(run(50, 0.4, 0.05) == THEFT_RUN_FAIL &&
               results[0].verdict == THEFT_COVERAGE_UNDECIDED && results[0].lower < 0.4 &&
               results[0].upper >= 0.4,
           "undecided is not a pass");
    FILE *f = tmpfile();
    struct theft_coverage required[2] = {{"odd", 0.4}, {"ten", 0.05}};
    struct theft_extension_config ext = {.coverage = required, .coverage_count = 2};
    char text[1024] = "";
    theft_print_extension_report(f, &ext, &report, results);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    TAP_OK(strstr(text, "odd") && strstr(text, "undecided"), "the report names them");
}

static enum theft_trial_res many_labels(struct theft *t, void *arg)
{
    char name[100];
    (void)arg;
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name,
                 "%03d-a label whose name is much longer than there is room for", i);
        theft_label(t, name);
    }
    return THEFT_TRIAL_PASS;
}

TEST(coverage)
{
    test_bounds();
    test_coverage();
    static const struct theft_type_info info = {.alloc = alloc, .free = theft_generic_free_cb};
    struct theft_run_config cfg = {.prop1 = many_labels, .type_info = {&info}, .trials = 3};
    quieten(&cfg);
    theft_run_extended(&cfg, NULL, &report, NULL);
    TAP_OK(report.label_count == THEFT_MAX_LABELS && report.labels_dropped == 3 &&
               report.labels[255].count == 3 && strlen(report.labels[0].name) == 47,
           "more labels than there is room for");
    return 0;
}
