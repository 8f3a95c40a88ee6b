/* Rough bounds contain the exact values of all pairs, on the layers of three properties; and
 * the sample of instances with all checks depends on every number of them. */
#include <math.h>

#include "props/brute.h"
#include "props/registry.h"
#include "props/rough.h"
#include "props/sample.h"
#include "tests/props/quiet.h"
#include "tests/tap.h"

typedef struct tally {
    size_t trials, decided, collisions, wrong, sampled;
} tally;

/* Whether the root of the ball lies strictly between the bounds. */
static bool encloses(const double *bound, const arb_t square)
{
    bool inside;
    arb_t x;

    arb_init(x);
    arb_set_d(x, bound[0]);
    arb_mul(x, x, x, 256);
    inside = bound[0] < 0 || arb_gt(square, x);
    arb_set_d(x, bound[1]);
    arb_mul(x, x, x, 256);
    inside = inside && arb_lt(square, x);
    arb_clear(x);
    return inside;
}

/* Returns whether the bounds contain the exact values, also if doubles do not decide. */
static bool agrees(const attest_rough *rough, bool decided, const attest_brute *brute)
{
    if (brute->required != rough->required || !encloses(rough->norm, brute->norm))
        return false;
    if (decided && brute->collision != rough->collision)
        return false;
    return rough->required == 0 || rough->collision ||
           (brute->collision ? rough->separation[0] < 0 && rough->separation[1] > 0
                             : encloses(rough->separation, brute->separation));
}

static void look(const attest_instance *instance, void *env)
{
    tally *t = env;
    attest_rough rough;
    attest_brute brute;
    bool decided = attest_rough_get(&rough, instance);

    t->trials++;
    t->sampled += attest_sample_takes(attest_sample_number(instance));
    t->decided += decided;
    t->collisions += rough.collision;
    attest_brute_init(&brute);
    if (attest_brute_get(&brute, &instance->dataset, &instance->weights) != ATTEST_OK ||
        (!brute.open && !agrees(&rough, decided, &brute)) || (brute.open && decided))
        t->wrong++;
    attest_brute_clear(&brute);
}

static void test_layers(const char *name, theft_seed seed)
{
    attest_setting setting = {.number = ATTEST_ARITHMETIC_NONE};
    tally t = {0};

    TAP_OK(quiet_run(attest_property_get(name), &setting, look, &t, seed, 600), "%s: drawn",
           name);
    TAP_OK(t.wrong == 0, "%s: no bound is wrong", name);
    TAP_OK(t.decided * 2 > t.trials, "%s: doubles decide %zu of %zu", name, t.decided,
           t.trials);
    TAP_OK(t.collisions * 8 > t.trials, "%s: %zu of them collide", name, t.collisions);
    TAP_OK(t.sampled * 16 < t.trials && t.sampled * 64 > t.trials,
           "%s: %zu are in the sample with all checks", name, t.sampled);
}

/* A change of a token, a weight, a parameter or a place changes the number. */
static void change(const attest_instance *instance, void *env)
{
    attest_instance *copy = (attest_instance *)instance; /* changed, and changed back */
    uint64_t number = attest_sample_number(instance), other[3];
    fmpz *entry = instance->weights.head->wo.entry;
    size_t *same = env;

    if (instance->dataset.tokens.real || instance->weights.head->wo.factored)
        return;
    fmpz_add_ui(entry, entry, 1);
    other[0] = attest_sample_number(instance);
    fmpz_sub_ui(entry, entry, 1);
    entry = instance->dataset.tokens.numerator;
    fmpz_add_ui(entry, entry, 1);
    other[1] = attest_sample_number(instance);
    fmpz_sub_ui(entry, entry, 1);
    copy->weights.skip = !copy->weights.skip;
    other[2] = attest_sample_number(instance);
    copy->weights.skip = !copy->weights.skip;
    for (size_t i = 0; i < 3; i++)
        *same += other[i] == number;
    *same += attest_sample_number(instance) != number;
}

TEST(rough)
{
    attest_setting setting = {.number = ATTEST_ARITHMETIC_NONE};
    theft_seed seed = tap_seed(0x5eed0023);
    size_t same = 0;

    test_layers("contextual", seed);
    test_layers("contextual-relations", seed);
    test_layers("filter", seed);
    TAP_OK(quiet_run(attest_property_get("contextual"), &setting, change, &same, seed, 200) &&
               same == 0,
           "numbers of instances depend on every entry");
    flint_cleanup();
    return 0;
}
