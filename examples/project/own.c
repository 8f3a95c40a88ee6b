/* own.c -- a property of your own.
 *
 *     cc -shared -fPIC own.c $(pkg-config --cflags attest attest-engine) -o own.so
 *     attest campaign --load ./own.so
 *
 * Link nothing: the program exports the functions of the headers, and FLINT, MPFR and GMP. */
#include <attest/attention.h>
#include <campaign/gen.h>
#include <campaign/property.h>

/* Makes an instance: a dataset, weights or named numbers. Draw only from t, by the functions of
 * campaign/gen.h or theft_random_choice(t, n), so that instances can be repeated and shrunk.
 * Draws of zero must make the simplest instance. Return ATTEST_DOMAIN to discard the draw. */
static attest_status draw(attest_instance *instance, struct theft *t,
                          const attest_setting *setting)
{
    static const attest_gen_layer layer = {
        .tokens = {.dim_max = 3, .count_min = 1, .count_max = 6},
        .sequences = {.count_min = 1, .count_max = 3, .length_min = 1, .length_max = 5},
        .heads = {.heads_max = 2, .size_max = 2},
        .activation = ATTEST_GEN_HARDMAX,
    };

    (void)setting;
    return attest_gen_data_and_weights(instance, t, &layer);
}

/* Decides the instance, and depends on nothing else. The default outcome is that it held.
 *
 *     attest_trial_violated(trial, "definition", "what is wrong, as printf");
 *     attest_trial_open(trial, "why it could not be decided");
 *     trial->outcome = ATTEST_DISCARDED;         the hypotheses are not met
 *     attest_trial_label(trial, "a kind");       labels are counted
 *     trial->margin = log2(actual / promised);   below 0 if and only if violated; with
 *                                                .targeted a search makes it small
 *
 * A crash or a hang ends only this trial; it is shrunk and kept like a violation. */
static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    (void)setting;
    (void)error;
    /* Instances also come from files: check the hypotheses. */
    if (instance->dataset.count == 0 || instance->weights.heads == 0) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_trial_label(trial, instance->weights.heads > 1 ? "several heads" : "one head");
    /* Replace this by your own claim. This one is true: weights fit the data. */
    if (instance->weights.dim != instance->dataset.dim)
        attest_trial_violated(trial, "fits", "tokens of %zu entries, weights for %zu",
                              instance->dataset.dim, instance->weights.dim);
    return ATTEST_OK;
}

static const attest_property property = {
    .name = "own",
    .title = "one line that states what must hold",
    .gen = draw,
    .decide = decide,
    .trials = 1000, /* if --trials and --time are not given */
    /* .expect_violation = true: it looks for a violation, and must find one */
};

ATTEST_LOAD(&property);
