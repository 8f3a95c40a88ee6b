/* separatedness_search.c -- layers that lose separatedness: found by search, hardmax and
 * softmax.
 *
 * The data are tokenwise separated (different tokens differ); the search is for a layer with
 * skip that maps two different tokens to the same output. */
#include <math.h>

#include <attest/attention.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/gen.h"
#include "props/oracle.h"
#include "props/properties.h"

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 2, .count_min = 2, .count_max = 4},
    .sequences = {.count_min = 1, .count_max = 2, .length_min = 1, .length_max = 4},
    .heads = {.heads_max = 2, .size_max = 2, .nonzero = true, .plain = true, .score_limit = 40},
    .simple = true,
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    (void)setting;
    return attest_gen_data_and_weights(instance, t, &kind);
}

/* Decides the property separatedness without its hypothesis. */
static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    attest_setting without = *setting;

    without.without = "small-values";
    return attest_property_separatedness.decide(trial, instance, &without, error);
}

/* out = all outputs in double; returns false if that fails. */
static bool evaluate(double *out, const attest_instance *instance)
{
    const attest_dataset *d = &instance->dataset;
    ATTEST_SCOPED(attest_sequence, sequence);

    for (size_t i = 0; i < d->count; i++)
        if (attest_dataset_get_sequence(&sequence, d, i, NULL, NULL) != ATTEST_OK ||
            attest_attention_double(out + d->start[i] * d->dim, &instance->weights, &sequence,
                                    NULL) != ATTEST_OK)
            return false;
    return true;
}

/* Returns log2 of the least distance of outputs at different tokens, which the search
 * minimises. */
static double propose(const attest_instance *instance, const attest_setting *setting)
{
    const attest_dataset *d = &instance->dataset;
    double *out ATTEST_FREED = attest_memory_alloc(d->total * d->dim, sizeof *out);
    double least = INFINITY;
    attest_place a = {0, 0};

    (void)setting;
    if (!out || !evaluate(out, instance))
        return NAN;
    do
        for (attest_place b = a; attest_oracle_next(&b, d);) {
            const double *x = out + (d->start[a.sequence] + a.position) * d->dim;
            const double *y = out + (d->start[b.sequence] + b.position) * d->dim;
            double square = 0;
            for (size_t c = 0; c < d->dim; c++)
                square += (x[c] - y[c]) * (x[c] - y[c]);
            if (attest_dataset_token(d, a.sequence, a.position) !=
                attest_dataset_token(d, b.sequence, b.position))
                least = fmin(least, square);
        }
    while (attest_oracle_next(&a, d));
    return fmax(log2(least) / 2, -1074);
}

/* The head cancels the skip connection. */
static const char witness[] =
    "{\"format\": \"attest/counterexample\", \"version\": 1, \"property\": "
    "\"separatedness-search\","
    " \"dataset\": {\"format\": \"attest/dataset\", \"version\": 1,"
    " \"sequences\": [[[0]], [[1]]]},"
    " \"weights\": {\"format\": \"attest/weights\", \"version\": 1, \"activation\": "
    "\"softmax\","
    " \"heads\": [{\"WQ\": [[1]], \"WK\": [[1]], \"WV\": [[1]], \"WO\": [[-1]]}]},"
    " \"parameters\": {}, \"violates\": {\"definition\": \"separatedness\","
    " \"pair\": [[0, 0], [1, 0]]}, \"found_by\": \"campaign\", \"shrink_steps\": 0}";

const attest_property attest_property_separatedness_search = {
    .name = "separatedness-search",
    .title = "some layers map different tokens to the same output",
    .statement = "separatedness",
    .gen = gen,
    .decide = decide,
    .propose = propose,
    .targeted = true,
    .expect_violation = true,
    .witness = witness,
    .trials = 8192,
};
