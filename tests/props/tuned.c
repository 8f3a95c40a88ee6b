/* The hypotheses of `tuned`: those that doubles prove hold exactly, also in limit cases; the
 * generator meets them; many instances decided together have the verdicts of each alone. */
#include <string.h>

#include "props/registry.h"
#include "props/tuned.h"
#include "tests/props/quiet.h"
#include "tests/tap.h"

static const attest_setting plain;

/* The head of integers W_Q = (q) v^T, W_K = (k) v^T, W_V = (1) v^T, W_O = w / 2^shift. */
typedef struct example {
    size_t dim, tokens;
    double token[8];
    long v[2], q, k, w[2];
    unsigned shift;
} example;

static void set_factors(attest_matrix *m, long u, const long *v, size_t dim)
{
    attest_matrix_resize_factored(m, 1, dim);
    fmpz_set_si(m->u, u);
    for (size_t c = 0; c < dim; c++)
        fmpz_set_si(m->v + c, v[c]);
}

/* One sequence of all tokens. */
static bool set_instance(attest_instance *instance, const example *e)
{
    attest_dataset_builder builder;
    attest_head *head;
    bool ok;

    attest_instance_init(instance);
    attest_dataset_builder_init(&builder, e->dim, ATTEST_TABLE_REAL, NULL);
    ok = attest_dataset_builder_add_doubles(&builder, e->token, e->tokens, NULL) == ATTEST_OK &&
         attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK &&
         attest_dataset_builder_finish(&instance->dataset, &builder, NULL) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    if (!ok || attest_weights_resize(&instance->weights, 1) != ATTEST_OK)
        return false;
    head = instance->weights.head;
    instance->weights.dim = e->dim;
    set_factors(&head->wq, e->q, e->v, e->dim);
    set_factors(&head->wk, e->k, e->v, e->dim);
    set_factors(&head->wv, 1, e->v, e->dim);
    attest_matrix_resize(&head->wo, e->dim, 1);
    for (size_t c = 0; c < e->dim; c++)
        fmpz_set_si(head->wo.entry + c, e->w[c]);
    fmpz_mul_2exp(head->wo.denominator, head->wo.denominator, e->shift);
    return true;
}

/* Returns whether the hypotheses hold surely and exactly; the last is dropped, or NULL. */
static void expect(const example *e, const char *without, bool surely, bool exactly,
                   const char *what)
{
    attest_setting setting = {.without = without};
    attest_instance instance;
    bool set = set_instance(&instance, e);

    TAP_OK(set && attest_tuned_exactly(&instance, &setting) == exactly, "%s: %s exactly", what,
           exactly ? "holds" : "fails");
    if (!without)
        TAP_OK(set && attest_tuned_surely(&instance) == surely, "%s: %s", what,
               surely ? "doubles are sure" : "doubles are not sure");
    attest_instance_clear(&instance);
}

static void test_edges(void)
{
    /* |w| (max v.x - min v.x) < min |x - x'| on the line is |w| (3 - 1) < 1. */
    example line = {1, 3, {1, 2, 3}, {1}, 1, 1, {1}, 1}, e = line;
    example plane = {2, 2, {1, 1, 2, 3}, {1, 1}, 1, 1, {1, 0}, 0};

    expect(&e, NULL, false, false, "|w| spread = least distance");
    expect(&e, "apart", false, true, "the same without it");
    e.w[0] = (1L << 40) - 1, e.shift = 41; /* a double, but a hair below 1/2 */
    expect(&e, NULL, false, true, "|w| spread a hair below it");
    e = line, e.shift = 2;
    expect(&e, NULL, true, true, "|w| spread half of it");
    e.token[1] = 0;
    expect(&e, NULL, false, false, "a zero token");
    expect(&e, "nonzero", false, true, "the same without it");
    e = line, e.shift = 2, e.k = 0;
    expect(&e, NULL, false, false, "kappa = 0");
    expect(&e, "kappa", false, true, "the same without it");
    e = line, e.w[0] = 0;
    expect(&e, NULL, false, false, "w = 0");
    expect(&e, "w", false, true, "the same without it");
    expect(&plane, NULL, true, true, "w parallel to no difference");
    e = plane, e.w[0] = 1, e.w[1] = 2;
    expect(&e, NULL, false, false, "w parallel to a difference");
    e = plane, e.token[2] = 0, e.token[3] = 2;
    expect(&e, NULL, false, false, "v.x = v.x'");
    expect(&e, "injective", false, true, "the same without it");
    e = plane, e.token[2] = 1, e.token[3] = -1;
    expect(&e, NULL, false, false, "v.x = 0");
    e = plane, e.token[2] = 0x1p60, e.token[3] = 2 - 0x1p60;
    expect(&e, NULL, false, false, "v.x = v.x', not so in doubles");
    e = plane, e.token[0] = 0x1p53, e.token[1] = 1, e.token[2] = 0x1p53 + 2, e.token[3] = 0;
    expect(&e, NULL, false, true, "v.x - v.x' = 1 of 2^53");
}

/* Forms that the statement does not speak of. */
static void test_forms(void)
{
    example e = {1, 3, {1, 2, 3}, {1}, 1, 1, {1}, 2};
    attest_instance instance;
    attest_matrix *wk;

    TAP_OK(set_instance(&instance, &e) && attest_tuned_surely(&instance), "an example");
    instance.weights.activation = ATTEST_HARDMAX;
    TAP_OK(!attest_tuned_surely(&instance) && !attest_tuned_exactly(&instance, &plain),
           "hardmax");
    instance.weights.activation = ATTEST_SOFTMAX;
    instance.weights.skip = false;
    TAP_OK(!attest_tuned_surely(&instance) && !attest_tuned_exactly(&instance, &plain),
           "no skip");
    instance.weights.skip = true;
    wk = &instance.weights.head->wk;
    fmpz_set_si(wk->v, 2);
    TAP_OK(!attest_tuned_surely(&instance) && !attest_tuned_exactly(&instance, &plain),
           "another direction");
    attest_matrix_resize(wk, 1, 1);
    fmpz_one(wk->entry);
    TAP_OK(!attest_tuned_surely(&instance) && !attest_tuned_exactly(&instance, &plain),
           "a matrix that is not given as u v^T");
    attest_instance_clear(&instance);
}

typedef struct tally {
    size_t sure, exact, wrong;
    attest_setting setting;
    void *memory;
} tally;

static void check_hypotheses(const attest_instance *instance, void *env)
{
    tally *t = env;
    bool sure = attest_tuned_surely(instance), exact = attest_tuned_exactly(instance, &plain);

    t->sure += sure;
    t->exact += exact;
    t->wrong += sure && !exact;
}

static void check_decisions(const attest_instance *instance, void *env)
{
    tally *t = env;
    attest_trial many[2], alone;
    attest_instance both[2] = {*instance, *instance}; /* borrowed */

    attest_trial_init(&many[0]), attest_trial_init(&many[1]), attest_trial_init(&alone);
    if (attest_property_tuned.decide(&alone, instance, &t->setting, NULL) != ATTEST_OK ||
        attest_property_tuned.decide_many(many, both, 2, &t->memory, &t->setting, NULL) !=
            ATTEST_OK)
        t->wrong++;
    for (int i = 0; i < 2; i++)
        t->wrong += many[i].outcome != alone.outcome || many[i].labels != alone.labels ||
                    memcmp(many[i].label, alone.label, sizeof alone.label) != 0 ||
                    strcmp(many[i].reason, alone.reason) != 0 ||
                    memcmp(many[i].pair, alone.pair, sizeof alone.pair) != 0;
    t->exact += alone.outcome == (t->setting.without ? ATTEST_VIOLATED : ATTEST_HELD);
}

static void test_random(uint64_t seed)
{
    static const char *const names[] = {"nonzero", "kappa", "injective", "w", "apart"};
    tally t = {0};
    bool ran = quiet_run(&attest_property_tuned, &plain, check_hypotheses, &t, seed, 4000);

    TAP_OK(ran && t.wrong == 0 && t.exact == 4000, "the generator meets the hypotheses");
    TAP_OK(t.sure > 3950, "doubles are sure of %zu of 4000", t.sure);
    t = (tally){0};
    ran = quiet_run(&attest_property_tuned, &plain, check_decisions, &t, seed, 1000);
    TAP_OK(ran && t.wrong == 0 && t.exact == 1000, "many are decided as each alone");
    attest_property_tuned.forget(t.memory);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        t = (tally){.setting = {.without = names[i]}};
        ran = quiet_run(&attest_property_tuned, &t.setting, check_decisions, &t, seed, 30);
        TAP_OK(ran && t.wrong == 0 && t.exact > 0,
               "without %s %zu of 30 fail, together as alone", names[i], t.exact);
        attest_property_tuned.forget(t.memory);
    }
}

TEST(tuned)
{
    uint64_t seed = tap_seed(0x7aed);

    test_edges();
    test_forms();
    test_random(seed);
    flint_cleanup();
    return 0;
}
