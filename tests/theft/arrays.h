/* Arrays of numbers in the two usual encodings, and properties with known smallest
 * counterexamples, which measure the quality of shrinking. */
#ifndef TESTS_THEFT_ARRAYS_H
#define TESTS_THEFT_ARRAYS_H

#include <stdlib.h>

#include <theft.h>

#define ARRAY_MOST 64

struct array {
    size_t count;
    uint32_t at[ARRAY_MOST];
};

/* The env of the type. */
struct array_kind {
    bool prefixed; /* a length comes first; else a bit before each element says "one more" */
    uint8_t bits;  /* of an element */
};

static enum theft_alloc_res array_alloc(struct theft *t, void *env, void **output)
{
    const struct array_kind *kind = env;
    struct array *a = calloc(1, sizeof *a);
    if (!a)
        return THEFT_ALLOC_ERROR;
    if (kind->prefixed) {
        size_t n = theft_random_bits(t, 5);
        while (a->count < n)
            a->at[a->count++] = (uint32_t)theft_random_bits(t, kind->bits);
    } else {
        while (a->count < ARRAY_MOST && theft_random_bits(t, 3) != 0)
            a->at[a->count++] = (uint32_t)theft_random_bits(t, kind->bits);
    }
    *output = a;
    return THEFT_ALLOC_OK;
}

static uint64_t array_sum(const struct array *a)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < a->count; i++)
        sum += a->at[i];
    return sum;
}

static enum theft_trial_res verdict(bool holds)
{
    return holds ? THEFT_TRIAL_PASS : THEFT_TRIAL_FAIL;
}

static enum theft_trial_res sum_below_10000(struct theft *t, void *arg)
{
    (void)t;
    return verdict(array_sum(arg) < 10000);
}

static enum theft_trial_res sum_below_million(struct theft *t, void *arg)
{
    (void)t;
    return verdict(array_sum(arg) < 1000000);
}

static enum theft_trial_res no_large_residue_3(struct theft *t, void *arg)
{
    const struct array *a = arg;
    (void)t;
    for (size_t i = 0; i < a->count; i++)
        if (a->at[i] >= 1000 && a->at[i] % 7 == 3)
            return THEFT_TRIAL_FAIL;
    return THEFT_TRIAL_PASS;
}

static enum theft_trial_res no_equal_pair_from_20(struct theft *t, void *arg)
{
    const struct array *a = arg;
    (void)t;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < i; j++)
            if (a->at[i] == a->at[j] && a->at[i] >= 20)
                return THEFT_TRIAL_FAIL;
    return THEFT_TRIAL_PASS;
}

static enum theft_trial_res sum_below_1000(struct theft *t, void *arg)
{
    (void)t;
    return verdict(array_sum(arg) < 1000);
}

static enum theft_trial_res no_successor_from_10(struct theft *t, void *arg)
{
    const struct array *a = arg;
    (void)t;
    for (size_t i = 0; i + 1 < a->count; i++)
        if (a->at[i] >= 10 && a->at[i] + 1 == a->at[i + 1])
            return THEFT_TRIAL_FAIL;
    return THEFT_TRIAL_PASS;
}

static enum theft_trial_res products_below_1000(struct theft *t, void *arg)
{
    const struct array *a = arg;
    (void)t;
    for (size_t i = 0; i + 1 < a->count; i++)
        if (a->at[i] * a->at[i + 1] >= 1000)
            return THEFT_TRIAL_FAIL;
    return THEFT_TRIAL_PASS;
}

struct array_property {
    const char *name;
    theft_propfun1 *property;
    uint8_t bits;
    struct array smallest;
};

static const struct array_property array_properties[] = {
    {"sum < 10000 of 16-bit values", sum_below_10000, 16, {1, {10000}}},
    {"no element >= 1000 with % 7 == 3", no_large_residue_3, 16, {1, {1004}}},
    {"no two equal elements >= 20 of 8-bit values", no_equal_pair_from_20, 8, {2, {20, 20}}},
    {"sum < 10^6 of 32-bit values", sum_below_million, 32, {1, {1000000}}},
    /* and some that need other passes: several elements, kept distances, made-up losses */
    {"sum < 1000 of 8-bit values", sum_below_1000, 8, {4, {235, 255, 255, 255}}},
    {"no x >= 10 before x + 1", no_successor_from_10, 8, {2, {10, 11}}},
    {"neighbours multiply to < 1000", products_below_1000, 8, {2, {4, 250}}},
};
#define ARRAY_PROPERTIES (sizeof array_properties / sizeof *array_properties)

#endif
