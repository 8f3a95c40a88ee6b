/* toy.h -- fast properties, and properties that misbehave, for tests of campaigns.
 *
 * An instance is one number x of 0 .. 9999, the simplest 0. */
#ifndef ATTEST_TESTS_TOY_H
#define ATTEST_TESTS_TOY_H

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "campaign/campaign.h"
#include "campaign/summary.h"
#include "report/campaign.h"

static attest_status toy_gen(attest_instance *instance, struct theft *t,
                             const attest_setting *setting)
{
    (void)setting;
    fmpq_set_si(attest_instance_set(instance, "x"), (slong)theft_random_choice(t, 10000), 1);
    return ATTEST_OK;
}

static long toy_x(const attest_instance *instance)
{
    const fmpq *x = attest_instance_get(instance, "x");

    return x ? fmpz_get_si(fmpq_numref(x)) : -1;
}

/* Holds, with labels and a margin that is least at 4321. */
static attest_status toy_holds(attest_trial *trial, const attest_instance *instance,
                               const attest_setting *setting, attest_error *error)
{
    long x = toy_x(instance);

    (void)setting;
    (void)error;
    attest_trial_label(trial, x % 2 ? "odd" : "even");
    if (x < 1000)
        attest_trial_label(trial, "small");
    trial->margin = 1 + fabs((double)(x - 4321));
    return ATTEST_OK;
}

/* Is violated from 9990 on. */
static attest_status toy_fails(attest_trial *trial, const attest_instance *instance,
                               const attest_setting *setting, attest_error *error)
{
    (void)setting;
    (void)error;
    if (toy_x(instance) >= 9990)
        attest_trial_violated(trial, "toy", "x is %ld", toy_x(instance));
    return ATTEST_OK;
}

/* Is violated from 5000 on, by a margin that grows with x: a knife edge at 5000. */
static attest_status toy_edge(attest_trial *trial, const attest_instance *instance,
                              const attest_setting *setting, attest_error *error)
{
    (void)setting;
    (void)error;
    trial->margin = (double)(4999 - toy_x(instance)) / 100;
    if (toy_x(instance) >= 5000)
        attest_trial_violated(trial, "toy", "x is %ld", toy_x(instance));
    return ATTEST_OK;
}

/* Is violated from 5000 on when the process decides x for the first time. */
static attest_status toy_flaky(attest_trial *trial, const attest_instance *instance,
                               const attest_setting *setting, attest_error *error)
{
    static bool seen[10000];
    long x = toy_x(instance);

    (void)setting;
    (void)error;
    if (x >= 5000 && !seen[x])
        attest_trial_violated(trial, "toy", "x was %ld", x);
    seen[x] = true;
    return ATTEST_OK;
}

/* Discards the instances below 6000, more than half of them. */
static attest_status toy_discards(attest_trial *trial, const attest_instance *instance,
                                  const attest_setting *setting, attest_error *error)
{
    (void)setting;
    (void)error;
    if (toy_x(instance) < 6000)
        trial->outcome = ATTEST_DISCARDED;
    return ATTEST_OK;
}

static attest_status toy_open(attest_trial *trial, const attest_instance *instance,
                              const attest_setting *setting, attest_error *error)
{
    (void)setting;
    if (toy_x(instance) % 100 == 7) {
        attest_error_set(error, ATTEST_UNABLE, "x ends with 07");
        attest_trial_open(trial, "%s", error->text);
    }
    return ATTEST_OK;
}

/* Kills its process, by a signal, by memory or by taking forever, at some x. */
static attest_status toy_kills(attest_trial *trial, const attest_instance *instance,
                               const attest_setting *setting, attest_error *error)
{
    long x = toy_x(instance);

    (void)trial;
    (void)setting;
    if (x % 50 == 3)
        raise(SIGKILL);
    if (x % 50 == 5)
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    if (x % 130 == 11)
        for (;;)
            pause();
    return ATTEST_OK;
}

/* Kills its process at every x. */
static attest_status toy_always_kills(attest_trial *trial, const attest_instance *instance,
                                      const attest_setting *setting, attest_error *error)
{
    (void)trial;
    (void)instance;
    (void)setting;
    (void)error;
    raise(SIGKILL);
    return ATTEST_OK;
}

/* Is violated from 100 on; shrinking to less than 1000 is deadly. */
static attest_status toy_kills_shrinking(attest_trial *trial, const attest_instance *instance,
                                         const attest_setting *setting, attest_error *error)
{
    (void)setting;
    (void)error;
    if (toy_x(instance) >= 100 && toy_x(instance) < 1000)
        raise(SIGKILL);
    if (toy_x(instance) >= 1000)
        attest_trial_violated(trial, "toy", "x is %ld", toy_x(instance));
    return ATTEST_OK;
}

/* Repeats every decision many times, with the memory of the first. */
#define TOY_MANY(name, decide)                                                                 \
    static attest_status name(attest_trial *trial, const attest_instance *instance,            \
                              size_t count, void **memory, const attest_setting *setting,      \
                              attest_error *error)                                             \
    {                                                                                          \
        attest_status status = ATTEST_OK;                                                      \
                                                                                               \
        if (!*memory)                                                                          \
            *memory = calloc(1, 1);                                                            \
        for (size_t i = 0; i < count && status == ATTEST_OK; i++)                              \
            status = decide(&trial[i], &instance[i], setting, error);                          \
        return status;                                                                         \
    }
TOY_MANY(toy_many_hold, toy_holds)
TOY_MANY(toy_many_fail, toy_fails)
TOY_MANY(toy_many_discard, toy_discards)
TOY_MANY(toy_many_stay_open, toy_open)
TOY_MANY(toy_many_kill, toy_kills)

/* Decides half of the instances, and finds half of the violations of toy_edge. */
static attest_status toy_many_ask_half(attest_trial *trial, const attest_instance *instance,
                                       size_t count, void **memory,
                                       const attest_setting *setting, attest_error *error)
{
    attest_status status = ATTEST_OK;

    (void)memory;
    for (size_t i = 0; i < count && status == ATTEST_OK; i++)
        status = toy_x(&instance[i]) % 2 ? toy_edge(&trial[i], &instance[i], setting, error)
                                         : toy_holds(&trial[i], &instance[i], setting, error);
    return status;
}

static const attest_property toys[] = {
    {.name = "holds",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_holds,
     .trials = 96,
     .chunk = 8},
    {.name = "guided",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_holds,
     .trials = 400,
     .chunk = 50,
     .targeted = true},
    {.name = "fails",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_fails,
     .trials = 4000,
     .chunk = 16},
    {.name = "edge",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_edge,
     .trials = 100,
     .chunk = 16},
    {.name = "flaky",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_flaky,
     .trials = 100,
     .chunk = 16},
    {.name = "discards",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_discards,
     .trials = 200,
     .chunk = 16},
    {.name = "open",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_open,
     .trials = 300,
     .chunk = 16},
    {.name = "kills",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_kills,
     .trials = 120,
     .chunk = 16},
    {.name = "always-kills",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_always_kills,
     .trials = 32,
     .chunk = 16},
    {.name = "kills-shrinking",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_kills_shrinking,
     .trials = 16,
     .chunk = 16},
    {.name = "many-hold",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_holds,
     .decide_many = toy_many_hold,
     .forget = free,
     .trials = 3000,
     .chunk = 1400},
    {.name = "many-are-guided",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_holds,
     .decide_many = toy_many_hold,
     .forget = free,
     .trials = 400,
     .chunk = 50,
     .targeted = true},
    {.name = "many-fail",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_fails,
     .decide_many = toy_many_fail,
     .forget = free,
     .trials = 4000,
     .chunk = 900},
    {.name = "many-are-discarded",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_discards,
     .decide_many = toy_many_discard,
     .forget = free,
     .trials = 200,
     .chunk = 16},
    {.name = "many-stay-open",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_open,
     .decide_many = toy_many_stay_open,
     .forget = free,
     .trials = 300,
     .chunk = 100},
    {.name = "many-kill",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_kills,
     .decide_many = toy_many_kill,
     .forget = free,
     .trials = 120,
     .chunk = 16},
    {.name = "only-many-hold", /* alone it is violated, but nothing is decided alone */
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_edge,
     .decide_many = toy_many_hold,
     .forget = free,
     .trials = 300,
     .chunk = 100},
    {.name = "only-many-fail",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_holds,
     .decide_many = toy_many_fail,
     .forget = free,
     .trials = 4000,
     .chunk = 4000},
    {.name = "half-are-asked",
     .statement = "toy",
     .gen = toy_gen,
     .decide = toy_edge,
     .decide_many = toy_many_ask_half,
     .trials = 100,
     .chunk = 20},
};

enum { TOYS = sizeof toys / sizeof *toys };

static const attest_property *toy_find(const char *name)
{
    for (size_t i = 0; i < TOYS; i++)
        if (strcmp(toys[i].name, name) == 0)
            return &toys[i];
    return NULL;
}

static inline attest_plan toy_plan(const attest_property *const *list, size_t count)
{
    return (attest_plan){.seed = 7,
                         .properties = count,
                         .property = list,
                         .shard = 1,
                         .shards = 1,
                         .jobs = 1,
                         .timeout = 30,
                         .memory = (size_t)1 << 30};
}

/* The report as JSON without the two lines that may change; the caller frees it. */
static inline char *toy_report(const attest_plan *plan, const attest_join *join)
{
    attest_summary summary;
    char *text = NULL, *from, *to;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    attest_json json;

    if (!stream ||
        attest_summary_init(&summary, plan, join, NULL, "directory", NULL) != ATTEST_OK)
        return NULL;
    attest_json_write_begin(&json, stream);
    attest_report_campaign_json(&json, &summary);
    (void)attest_json_write_end(&json);
    fclose(stream);
    attest_summary_clear(&summary);
    for (from = to = text; *from;) {
        size_t line = strcspn(from, "\n") + 1;

        if (from[line - 1] == '\0')
            line--;
        if (!memmem(from, line, "seconds", 7) && !memmem(from, line, "per_second", 10)) {
            memmove(to, from, line);
            to += line;
        }
        from += line;
    }
    *to = '\0';
    return text;
}

/* Runs the plan without a directory. */
static inline char *toy_run(const attest_plan *plan)
{
    attest_campaign campaign;
    char *report = NULL;

    if (attest_campaign_init(&campaign, plan, NULL, NULL) == ATTEST_OK &&
        attest_campaign_run(&campaign, NULL) == ATTEST_OK)
        report = toy_report(plan, campaign.join);
    attest_campaign_clear(&campaign);
    return report;
}

#endif
