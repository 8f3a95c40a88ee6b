/* approximate.c -- universal approximation of equivariant functions. */
#include <math.h>

#include "number/scope.h"
#include "theory/approximate.h"

#include "campaign/gen.h"
#include "props/registry.h"

static const attest_hypothesis hypotheses[] = {
    {"continuous", "the function is continuous on a compact domain"},
    {"equivariant", "permuting the tokens permutes the outputs"},
    {0},
};

static const attest_constant constants[] = {
    {"error", "(d n)^{1/p} (omega(cell) + range measure^{1/p})"},
    {0},
};

const attest_statement attest_statement_approximate = {
    .name = "approximate",
    .title = "Proposition 1: universal approximation of equivariant functions",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Proposition 1",
    .text = "Feed-forward, attention, feed-forward: such networks approximate continuous "
            "permutation-equivariant functions on a compact domain in L^p, 1 <= p < infinity. "
            "The domain is scaled into the unit cube, and the function extended to it (Tietze) "
            "and symmetrised; on the cube the error bound below holds for every grid.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "balls and exact rationals, with a quadrature whose own error is known",
    .note = "proofs-notes/approximate.md",
};

/* Shapes (d, n), with grids from 2 on, and how many of 17 instances have them: networks for
 * more than one dimension take ten times as long. */
static const struct {
    size_t dim, length, grid, odds;
} shapes[] = {{1, 2, 12, 8}, {1, 3, 4, 6}, {2, 2, 3, 1}, {2, 3, 2, 1}, {3, 2, 2, 1}};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static size_t gen_shape(struct theft *t)
{
    size_t draw, shape = 0, all = 0;

    for (size_t s = 0; s < SHAPES; s++)
        all += shapes[s].odds;
    draw = attest_gen_size(t, 0, all - 1);
    for (; draw >= shapes[shape].odds; shape++)
        draw -= shapes[shape].odds;
    return shape;
}

static size_t count_functions(void)
{
    size_t count = 0;

    while (attest_equivariants[count].name)
        count++;
    return count;
}

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    size_t shape = gen_shape(t);

    (void)setting;
    fmpq_set_ui(attest_instance_set(instance, "function"),
                attest_gen_size(t, 0, count_functions() - 1), 1);
    fmpq_set_ui(attest_instance_set(instance, "dim"), shapes[shape].dim, 1);
    fmpq_set_ui(attest_instance_set(instance, "length"), shapes[shape].length, 1);
    fmpq_set_ui(attest_instance_set(instance, "grid"),
                attest_gen_size(t, 2, shapes[shape].grid), 1);
    fmpq_set_ui(attest_instance_set(instance, "seed"), attest_gen_size(t, 1, 1000), 1);
    return ATTEST_OK;
}

/* *value = the parameter, a whole number up to most; returns false if it is missing. */
static bool get_size(size_t *value, const attest_instance *instance, const char *name,
                     size_t most)
{
    const fmpq *number = attest_instance_get(instance, name);

    if (!number || !fmpz_is_one(fmpq_denref(number)) || fmpq_sgn(number) < 0 ||
        fmpz_cmp_ui(fmpq_numref(number), most) > 0)
        return false;
    *value = fmpz_get_ui(fmpq_numref(number));
    return true;
}

/* Returns the least log2(bound / error) of both norms. */
static void judge(attest_trial *trial, const attest_approximation *a)
{
    double margin[2];

    if (a->proved != ATTEST_PROVED) {
        if (a->proved == ATTEST_REFUTED)
            attest_trial_violated(trial, "approximation", "%s", a->reason);
        else
            attest_trial_open(trial, "%s", a->reason);
        return;
    }
    ARB(quotient);
    for (int norm = 0; norm < 2; norm++) {
        arb_div(quotient, norm ? a->l2_bound : a->l1_bound, norm ? a->l2 : a->l1, 64);
        arb_log_base_ui(quotient, quotient, 2, 64);
        margin[norm] = arf_get_d(arb_midref(quotient), ARF_RND_NEAR);
    }
    trial->margin = fmin(margin[0], margin[1]);
    attest_trial_label(trial, a->function->name);
    if (arb_gt(a->l1, a->l1_bound) || arb_gt(a->l2, a->l2_bound))
        attest_trial_violated(trial, "approximation", "an error exceeds its bound");
    else if (!arb_le(a->l1, a->l1_bound) || !arb_le(a->l2, a->l2_bound))
        attest_trial_open(trial, "error and bound cannot be told apart");
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    size_t function = 0, seed = 1;
    attest_status status = ATTEST_USAGE;
    ATTEST_SCOPED(attest_approximation, a);

    (void)setting;
    if (get_size(&function, instance, "function", count_functions() - 1) &&
        get_size(&a.dim, instance, "dim", 16) && get_size(&a.length, instance, "length", 16) &&
        get_size(&a.grid, instance, "grid", 64) && get_size(&seed, instance, "seed", 1000000)) {
        a.function = &attest_equivariants[function];
        a.seed = seed;
        status = attest_approximation_build(&a, error);
    }
    if (status == ATTEST_USAGE) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    if (status == ATTEST_UNABLE) {
        attest_trial_open(trial, "%s", error->text);
        return ATTEST_OK;
    }
    ATTEST_TRY(status);
    judge(trial, &a);
    return ATTEST_OK;
}

const attest_property attest_property_approximate = {
    .name = "approximate",
    .title = "the network is the function at the centres, and errors stay below their bounds",
    .statement = "approximate",
    .definition = "approximation",
    .gen = gen,
    .decide = decide,
    .trials = 100,
    .few = "each builds a network, proves its value on every cell and encloses two integrals",
    .chunk = 4,
};
