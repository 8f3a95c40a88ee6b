/* Duplicates are found exactly, within the memory that is allowed. */
#include <string.h>

#include <theft.h>
#include "theft/theft_extensions.h"

#include "tests/tap.h"
#include "tests/theft/quiet.h"

#ifndef INPUTS
#define INPUTS 300000
#endif

/* A counter as input: `period` distinct values, over and over. */
static uint64_t next_value, period;
static bool scrambled;

static enum theft_alloc_res count_alloc(struct theft *t, void *env, void **output)
{
    uint64_t *x = malloc(sizeof *x);
    (void)t;
    (void)env;
    *x = next_value++ % period;
    if (scrambled)
        *x *= UINT64_C(0x9e3779b97f4a7c15); /* injective */
    *output = x;
    return THEFT_ALLOC_OK;
}

static theft_hash identity(const void *instance, void *env)
{
    (void)env;
    return *(const uint64_t *)instance;
}

static enum theft_trial_res pass(struct theft *t, void *arg)
{
    (void)t;
    (void)arg;
    return THEFT_TRIAL_PASS;
}

static enum theft_trial_res pass2(struct theft *t, void *a, void *b)
{
    (void)t;
    (void)a;
    (void)b;
    return THEFT_TRIAL_PASS;
}

static struct theft_extension_report report;

static void run(const struct theft_type_info *a, const struct theft_type_info *b, size_t trials,
                size_t memory)
{
    struct theft_extension_config ext = {.duplicate_memory = memory};
    struct theft_run_config cfg = {
        .prop1 = pass, .prop2 = pass2, .type_info = {a, b}, .trials = trials};
    quieten(&cfg);
    next_value = 0;
    theft_run_extended(&cfg, &ext, &report, NULL);
}

static void expect(const char *what, size_t pass_count, size_t dup)
{
    TAP_OK(report.trials.pass == pass_count && report.trials.dup == dup,
           "%s: %zu distinct, %zu duplicates", what, report.trials.pass, report.trials.dup);
}

static enum theft_alloc_res word_alloc(struct theft *t, void *env, void **output)
{
    uint64_t *x = malloc(sizeof *x);
    (void)env;
    *x = theft_random_bits(t, 64);
    *output = x;
    return THEFT_ALLOC_OK;
}

TEST(duplicates)
{
    static const struct theft_type_info counter = {
        .alloc = count_alloc, .free = theft_generic_free_cb, .hash = identity};
    static const struct theft_type_info anonymous = {.alloc = count_alloc,
                                                     .free = theft_generic_free_cb};
    static const struct theft_type_info words = {.alloc = word_alloc,
                                                 .free = theft_generic_free_cb,
                                                 .autoshrink_config = {.enable = true}};
    size_t many = INPUTS;
    period = UINT64_MAX;
    run(&counter, NULL, many, 0);
    expect("consecutive hashes", many, 0);
    scrambled = true;
    run(&counter, NULL, many, 0);
    expect("scattered hashes", many, 0);
    period = many / 3;
    run(&counter, NULL, many, 0);
    expect("every input three times", many / 3, many - many / 3);
    run(&words, NULL, many, 0);
    expect("64 random bits", many, 0);
    run(&counter, &words, many, 0);
    expect("pairs", many, 0);
    period = 5;
    run(&counter, &counter, 50, 0);
    expect("pairs of few", 5, 45);
    run(&anonymous, NULL, 1000, 0);
    expect("inputs without an identity", 1000, 0);
    run(&anonymous, &counter, 1000, 0);
    expect("half of them without", 1000, 0);

    period = 10000;
    run(&counter, NULL, 30000, 64 << 10);
    TAP_OK(report.duplicates_missed && report.trials.dup > 0 && report.trials.dup < 20000 &&
               report.trials.pass + report.trials.dup == 30000,
           "a full set misses some, and reports that (%zu found)", report.trials.dup);
    period = UINT64_MAX;
    run(&counter, NULL, 30000, 64 << 10);
    expect("a full set invents none", 30000, 0);
    return 0;
}
