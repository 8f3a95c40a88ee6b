/* Constructions and searches when memory runs out: every allocation fails once, and is told.
 * Needs --enable-faults. */
#include "base/fault.h"

#include "theory/approximate.h"
#include "theory/memorize.h"
#include "theory/separated.h"
#include "theory/theorem1.h"

#include "tests/theory/labelled.h"

#ifdef ATTEST_FAULTS

static attest_dataset data;
static attest_strategy strategy;
static bool positional;

static attest_status run_contexts(attest_error *error)
{
    attest_contexts contexts;
    attest_status status;

    attest_contexts_init(&contexts);
    contexts.keep_positions = true;
    status =
        attest_contexts_get(&contexts, &data, ATTEST_MASK_CAUSAL, ATTEST_TIES_UNIFORM, error);
    attest_contexts_clear(&contexts);
    return status;
}

static attest_status run_separated(attest_error *error)
{
    attest_separated extremes;
    attest_status status;

    attest_separated_init(&extremes);
    status = attest_separated_get(&extremes, &data, error);
    attest_separated_clear(&extremes);
    return status;
}

static attest_status run_construction(attest_error *error)
{
    attest_construction c;
    attest_status status;

    attest_construction_init(&c);
    c.strategy = strategy;
    status = attest_construction_build(&c, &data, error);
    attest_construction_clear(&c);
    return status;
}

static attest_status run_memorization(attest_error *error)
{
    attest_memorization m;
    attest_status status;

    attest_memorization_init(&m);
    m.positional = positional;
    status = attest_memorization_build(&m, &data, error);
    attest_memorization_clear(&m);
    return status;
}

static attest_status run_approximation(attest_error *error)
{
    attest_approximation a;
    attest_status status;

    attest_approximation_init(&a);
    a.function = attest_equivariants; /* sum */
    a.length = 1;
    a.grid = 2;
    status = attest_approximation_build(&a, error);
    attest_approximation_clear(&a);
    return status;
}

static attest_status run_vocabulary(attest_error *error)
{
    attest_counterexample c;
    attest_status status;
    bool found;

    attest_counterexample_init(&c);
    status = attest_theorem1_gen_weights(&c.weights, 2, 2, 1, 3, error);
    if (status == ATTEST_OK)
        status = attest_theorem1_build_from_vocabulary(&c, &found, &data, NULL, 1e12, error);
    attest_counterexample_clear(&c);
    return status;
}

static attest_status run_least(attest_error *error)
{
    attest_theorem1_space space;
    attest_counterexample c;
    attest_status status;
    bool found;

    attest_counterexample_init(&c);
    status = attest_theorem1_gen_weights(&c.weights, 1, 2, 1, 3, error);
    if (status == ATTEST_OK)
        status = attest_theorem1_build_least(&c, &found, &space, &data, NULL, 1e12, error);
    attest_counterexample_clear(&c);
    return status;
}

/* Fails the first, second, ... allocation until the call succeeds. */
static void fail_each(const char *name, attest_status (*run)(attest_error *))
{
    attest_status status = ATTEST_NOMEM;
    unsigned long k = 0;
    bool ok = true;

    while (status != ATTEST_OK && ok && k < 2000) {
        attest_error error = {.status = ATTEST_OK};

        attest_fault_arm("alloc", ++k, true);
        status = run(&error);
        ok = status == ATTEST_OK || (status == ATTEST_NOMEM && error.text[0]);
    }
    attest_fault_arm("alloc", 0, false);
    TAP_OK(ok && k > 1 && status == ATTEST_OK, "%s: %lu allocations failed one by one", name,
           k - 1);
}

TEST(memory)
{
    labelled_shape shape = {2, 3, 3, 1, false, ATTEST_MASK_NONE};
    uint64_t state = 5;

    attest_dataset_init(&data);
    labelled_gen(&data, &shape, &state);
    fail_each("contexts", run_contexts);
    fail_each("extremes", run_separated);
    for (int s = ATTEST_STRATEGY_THEOREM; s <= ATTEST_STRATEGY_TUNED; s++) {
        strategy = (attest_strategy)s;
        fail_each(attest_strategy_name(strategy), run_construction);
    }
    fail_each("memorize", run_memorization);
    positional = true;
    fail_each("memorize, positional", run_memorization);
    fail_each("approximate", run_approximation);
    fail_each("a pair from a vocabulary", run_vocabulary);
    fail_each("the least pair", run_least);
    attest_dataset_clear(&data);
    flint_cleanup();
    return 0;
}

#else

TEST(memory)
{
    return tap_skip("configure with --enable-faults");
}

#endif
