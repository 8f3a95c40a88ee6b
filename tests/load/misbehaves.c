/* misbehaves.c -- properties that fail, crash, hang and leak, for the tests of 'campaign
 * --load'. An instance is one number x of 0 .. 9999, the simplest 0. */
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

/* Is violated when the process decides x for the first time. */
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

/* 8 MiB at each call: a worker's memory is too small for all of its trials. */
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

/* The generator is the one that crashes. */
static attest_status draw_badly(attest_instance *instance, struct theft *t,
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
static const attest_property bad_draws = {
    .name = "bad-draws", .gen = draw_badly, .decide = holds, .trials = 1000};
/* These behave: one says how many trials it is worth, one does not. */
static const attest_property few = {.name = "few", .gen = draw, .decide = holds, .trials = 77};
static const attest_property usual = {.name = "usual", .gen = draw, .decide = holds};
static const attest_property seeks = {
    .name = "seeks", .gen = draw, .decide = holds, .expect_violation = true, .trials = 100};

ATTEST_LOAD(&fails_property, &crashes_property, &hangs_property, &leaks_property, &bad_draws,
            &flaky_property, &few, &usual, &seeks);
