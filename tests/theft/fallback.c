/* The extensions header on the plain API compiles, and its fallbacks work. */
#undef ATTEST_THEFT_NO_EXTENSIONS
#define ATTEST_THEFT_NO_EXTENSIONS 1
#include "theft/theft_extensions.h"

#include "tests/tap.h"
#include "tests/theft/quiet.h"

static enum theft_alloc_res alloc(struct theft *t, void *env, void **output)
{
    double *x = malloc(sizeof *x);
    (void)env;
    *x = theft_gen_double_bits(t);
    *output = x;
    return THEFT_ALLOC_OK;
}

static enum theft_trial_res is_finite(struct theft *t, void *arg)
{
    double x = *(double *)arg;
    theft_label(t, "label");
    theft_target(t, x);
    return isfinite(x) ? THEFT_TRIAL_PASS : THEFT_TRIAL_FAIL;
}

static enum theft_hook_trial_post_res no_target(const struct theft_hook_trial_post_info *info,
                                                void *env)
{
    double value;
    (void)env;
    return theft_target_get(info->t, &value) ? THEFT_HOOK_TRIAL_POST_ERROR
                                             : THEFT_HOOK_TRIAL_POST_CONTINUE;
}

TEST(fallback)
{
    static struct theft_extension_report report = {.available = true};
    struct theft_coverage required = {"label", 0.5};
    struct theft_coverage_result result;
    struct theft_extension_config ext = {
        .target_trials = 50, .coverage = &required, .coverage_count = 1};
    struct theft_type_info info = {.alloc = alloc, .free = theft_generic_free_cb};
    struct theft_run_config cfg = {
        .prop1 = is_finite, .type_info = {&info}, .hooks = {.trial_post = no_target}};
    quieten(&cfg);
    TAP_OK(THEFT_HAVE_EXTENSIONS == 0, "extensions are off");
    TAP_OK(theft_run_extended(&cfg, &ext, &report, &result) == THEFT_RUN_PASS,
           "the run passes");
    TAP_OK(!report.available && report.label_count == 0, "the report is marked as empty");
    TAP_OK(result.verdict == THEFT_COVERAGE_UNDECIDED && result.lower == 0 && result.upper == 1,
           "coverage is not decided");
    TAP_OK(theft_coverage_bound_lower(5, 5, 0.1) == 0 &&
               theft_coverage_bound_upper(0, 5, 0.1) == 1,
           "bounds claim nothing");
    printf("# ");
    theft_print_extension_report(stdout, &ext, &report, &result);
    return 0;
}
