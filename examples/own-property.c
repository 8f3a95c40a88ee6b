/* own-property.c -- properties of your own, with the generators, labels, shrinking, workers,
 * journals, shards and replay of the built-in ones.
 *
 *     cc -shared -fPIC own-property.c $(pkg-config --cflags attest attest-engine) -o
 * own-property.so attest campaign --load ./own-property.so
 *
 * Link nothing: the program exports the functions of the headers. 'attest campaign new NAME'
 * writes a file like this one. */
#include <attest/attention.h>
#include <campaign/gen.h>
#include <campaign/property.h>

/* An instance: two hardmax heads or more, on a few short sequences. All randomness comes from
 * t, so that instances can be repeated and shrunk. */
static attest_status draw(attest_instance *instance, struct theft *t,
                          const attest_setting *setting)
{
    static const attest_gen_layer layer = {
        .tokens = {.dim_max = 3, .count_min = 1, .count_max = 5},
        .sequences =
            {.count_min = 1, .count_max = 2, .length_min = 1, .length_max = 4, .repeats = true},
        .heads = {.heads_max = 3, .size_max = 2},
        .activation = ATTEST_GEN_HARDMAX,
    };

    (void)setting;
    return attest_gen_data_and_weights(instance, t, &layer);
}

/* out = the outputs of the first sequence, exact. */
static attest_status evaluate(fmpq *out, const attest_instance *instance,
                              const attest_weights *weights, attest_error *error)
{
    attest_sequence sequence;
    attest_status status;

    attest_sequence_init(&sequence);
    status = attest_dataset_get_sequence(&sequence, &instance->dataset, 0, NULL, error);
    if (status == ATTEST_OK)
        status = attest_attention_exact(out, weights, &sequence, error);
    attest_sequence_clear(&sequence);
    return status;
}

/* trial is violated unless the layer and a changed copy of its weights have the same outputs.
 */
static attest_status compare(attest_trial *trial, const attest_instance *instance,
                             const attest_weights *changed, attest_error *error)
{
    slong count = (slong)(attest_dataset_length(&instance->dataset, 0) * instance->dataset.dim);
    fmpq *one = _fmpq_vec_init(count), *other = _fmpq_vec_init(count);
    attest_status status = evaluate(one, instance, &instance->weights, error);

    if (status == ATTEST_OK)
        status = evaluate(other, instance, changed, error);
    for (slong i = 0; status == ATTEST_OK && i < count; i++)
        if (!fmpq_equal(one + i, other + i) && trial->outcome == ATTEST_HELD)
            attest_trial_violated(trial, "equal-outputs", "entry %ld of the outputs differs",
                                  i);
    _fmpq_vec_clear(one, count);
    _fmpq_vec_clear(other, count);
    return status;
}

/* Instances also come from files: those that do not meet the hypotheses are discarded. */
static bool is_asked(attest_trial *trial, const attest_instance *instance)
{
    if (instance->dataset.count > 0 && instance->weights.heads > 0 &&
        instance->weights.activation == ATTEST_HARDMAX)
        return true;
    trial->outcome = ATTEST_DISCARDED;
    return false;
}

/* The outputs of heads are added up: their order does not matter. */
static attest_status decide_order(attest_trial *trial, const attest_instance *instance,
                                  const attest_setting *setting, attest_error *error)
{
    attest_weights changed;
    attest_status status;

    (void)setting;
    if (!is_asked(trial, instance))
        return ATTEST_OK;
    attest_trial_label(trial, instance->weights.heads > 1 ? "several heads" : "one head");
    attest_weights_init(&changed);
    status = attest_weights_set(&changed, &instance->weights);
    if (status == ATTEST_OK) {
        attest_head first = changed.head[0];

        changed.head[0] = changed.head[changed.heads - 1];
        changed.head[changed.heads - 1] = first;
        status = compare(trial, instance, &changed, error);
    }
    attest_weights_clear(&changed);
    return status;
}

/* False: heads are not superfluous. The property must find a violation. */
static attest_status decide_last(attest_trial *trial, const attest_instance *instance,
                                 const attest_setting *setting, attest_error *error)
{
    attest_weights changed = instance->weights; /* borrowed */

    (void)setting;
    if (!is_asked(trial, instance))
        return ATTEST_OK;
    if (changed.heads < 2)
        return ATTEST_OK;
    changed.heads--;
    return compare(trial, instance, &changed, error);
}

static const attest_property own_order = {
    .name = "own-order",
    .title = "the order of heads does not matter",
    .gen = draw,
    .decide = decide_order,
    .trials = 1000,
};

static const attest_property own_search = {
    .name = "own-search",
    .title = "some layer needs its last head",
    .gen = draw,
    .decide = decide_last,
    .expect_violation = true,
    .trials = 256,
};

ATTEST_LOAD(&own_order, &own_search);
