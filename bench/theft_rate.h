/* The trivial property, and how many trials of it an engine runs in a second. Uses the plain
 * theft API, so that the same text measures any engine. */
#ifndef BENCH_THEFT_RATE_H
#define BENCH_THEFT_RATE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <theft.h>

#include "tests/theft/quiet.h"

/* Time of this process on a core, so that the figures stand on a busy machine too. */
static double core_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static enum theft_trial_res trivial(struct theft *t, void *arg)
{
    (void)t;
    (void)arg;
    return THEFT_TRIAL_PASS;
}

static enum theft_alloc_res word_alloc(struct theft *t, void *env, void **output)
{
    uint64_t *x = malloc(sizeof *x);
    (void)env;
    if (!x)
        return THEFT_ALLOC_ERROR;
    *x = theft_random_bits(t, 64);
    *output = x;
    return THEFT_ALLOC_OK;
}

static theft_hash word_hash(const void *instance, void *env)
{
    (void)env;
    return theft_hash_onepass(instance, sizeof(uint64_t));
}

/* Types of 64-bit words: identified by nothing, by a hash, by their draws. */
static const struct theft_type_info word_plain = {.alloc = word_alloc,
                                                  .free = theft_generic_free_cb};
static const struct theft_type_info word_hashed = {
    .alloc = word_alloc, .free = theft_generic_free_cb, .hash = word_hash};
static const struct theft_type_info word_shrinking = {
    .alloc = word_alloc, .free = theft_generic_free_cb, .autoshrink_config = {.enable = true}};

static enum theft_hook_run_post_res keep_report(const struct theft_hook_run_post_info *info,
                                                void *env)
{
    *(struct theft_run_report *)env = info->report;
    return THEFT_HOOK_RUN_POST_CONTINUE;
}

/* Trials per second of one core, in one run. */
static double trial_rate(const struct theft_type_info *info, size_t trials,
                         struct theft_run_report *report)
{
    struct theft_run_config cfg = {.prop1 = trivial,
                                   .type_info = {info},
                                   .trials = trials,
                                   .hooks = {.run_post = keep_report, .env = report}};
    quieten(&cfg);
    double start = core_seconds();
    if (theft_run(&cfg) != THEFT_RUN_PASS)
        fprintf(stderr, "the trivial property did not pass\n");
    return (double)trials / (core_seconds() - start);
}

#endif
