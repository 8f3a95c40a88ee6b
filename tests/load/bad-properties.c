/* bad-properties.c -- properties that fail, crash, hang and leak, for the tests of 'campaign
 * --load', and some that hold. An instance is a whole number x from 0 to 9999; 0 is the
 * simplest one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <campaign/property.h>

static attest_status draw(attest_instance *instance, struct theft *t,
                          const attest_setting *setting)
{
    (void)setting;
    fmpq_set_si(attest_instance_set(instance, "x"), (slong)theft_random_choice(t, 10000), 1);
    return ATTEST_OK;
}

static long get(const attest_instance *instance)
{
    const fmpq *x = attest_instance_get(instance, "x");

    return x ? fmpz_get_si(fmpq_numref(x)) : -1;
}

/* Is violated for x > 9000; the margin is least for large x. */
static attest_status fails(attest_trial *trial, const attest_instance *instance,
                           const attest_setting *setting, attest_error *error)
{
    (void)setting;
    (void)error;
    attest_trial_label(trial, get(instance) % 2 ? "odd" : "even");
    trial->margin = (double)(9000 - get(instance)) / 100 + 0.001;
    if (get(instance) > 9000)
        attest_trial_violated(trial, "at-most-9000", "x is %ld", get(instance));
    return ATTEST_OK;
}

static attest_status crashes(attest_trial *trial, const attest_instance *instance,
                             const attest_setting *setting, attest_error *error)
{
    (void)trial;
    (void)setting;
    (void)error;
    if (get(instance) > 9900)
        *(volatile int *)0 = 1;
    return ATTEST_OK;
}

static attest_status hangs(attest_trial *trial, const attest_instance *instance,
                           const attest_setting *setting, attest_error *error)
{
    (void)trial;
    (void)setting;
    (void)error;
    while (get(instance) > 9900)
        pause();
    return ATTEST_OK;
}

/* Is violated when a process decides an x > 9000 for the first time, and holds afterwards. */
static attest_status flaky(attest_trial *trial, const attest_instance *instance,
                           const attest_setting *setting, attest_error *error)
{
    static bool seen[10000];
    long x = get(instance);

    (void)setting;
    (void)error;
    if (x > 9000 && !seen[x])
        attest_trial_violated(trial, "at-most-9000", "x was %ld", x);
    seen[x] = true;
    return ATTEST_OK;
}

/* Loses 8 MiB at each call, so that a worker reaches its memory limit before its last trial. */
static attest_status leaks(attest_trial *trial, const attest_instance *instance,
                           const attest_setting *setting, attest_error *error)
{
    char *lost = malloc((size_t)8 << 20);

    (void)trial;
    (void)instance;
    (void)setting;
    (void)error;
    if (!lost)
        return ATTEST_NOMEM;
    memset(lost, 1, (size_t)8 << 20);
    return ATTEST_OK;
}

/* A generator that crashes for x > 9900. */
static attest_status draw_or_crash(attest_instance *instance, struct theft *t,
                                   const attest_setting *setting)
{
    attest_status status = draw(instance, t, setting);

    if (get(instance) > 9900)
        abort();
    return status;
}

static attest_status holds(attest_trial *trial, const attest_instance *instance,
                           const attest_setting *setting, attest_error *error)
{
    (void)trial;
    (void)instance;
    (void)setting;
    (void)error;
    return ATTEST_OK;
}

#define PROPERTY(what, generator)                                                              \
    static const attest_property what##_property = {                                           \
        .name = #what, .gen = generator, .decide = what, .trials = 1000, .chunk = 50}
PROPERTY(crashes, draw);
PROPERTY(hangs, draw);
PROPERTY(flaky, draw);
PROPERTY(leaks, draw);

static const attest_property fails_property = {
    .name = "fails", .gen = draw, .decide = fails, .targeted = true, .trials = 1000};
static const attest_property generator_crashes = {
    .name = "generator-crashes", .gen = draw_or_crash, .decide = holds, .trials = 1000};
/* Properties that hold, with and without a number of trials of their own. */
static const attest_property holds_77 = {
    .name = "holds-77", .gen = draw, .decide = holds, .trials = 77};
static const attest_property holds_default = {
    .name = "holds-default", .gen = draw, .decide = holds};
/* A search for a violation that does not exist. */
static const attest_property finds_nothing = {.name = "finds-nothing",
                                              .gen = draw,
                                              .decide = holds,
                                              .expect_violation = true,
                                              .trials = 100};

ATTEST_LOAD(&fails_property, &crashes_property, &hangs_property, &leaks_property,
            &generator_crashes, &flaky_property, &holds_77, &holds_default, &finds_nothing);
