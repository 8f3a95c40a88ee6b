/* float_equivariance.c -- floating point and the order of the tokens. */
#include <stdio.h>

#include "audit/invariance.h"
#include "base/scope.h"
#include "campaign/gen.h"
#include "campaign/label.h"
#include "props/properties.h"
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"two-tokens", "the sequence has at most two tokens"},
    {"plain-sums", "products are rounded before they are added, not fused"},
    {0},
};

/* tests/audit/float.c finds these: the least tokens, all weights 1. */
static const attest_constant constants[] = {
    {"binary32", "n = 3: (-2, -1, 0), examples/float/order-binary32.json"},
    {"bfloat16", "n = 3: (-2, -1, 0), examples/float/order-bfloat16.json"},
    {"binary16", "n = 3: (-2, -1, 0), examples/float/order-binary16.json"},
    {"float8_e4m3fn", "n = 3: (-2, -1, 1), examples/float/order-float8_e4m3fn.json"},
    {"float8_e5m2", "n = 3: (-2, -1, 0), examples/float/order-float8_e5m2.json"},
    {0},
};

const attest_statement attest_statement_float_equivariance = {
    .name = "float_equivariance",
    .title = "Floating point: attention of three tokens depends on their order",
    .source = "our own",
    .text = "Exact softmax attention without a mask commutes with permutations. Computed in a "
            "format, to nearest, products rounded and sums from the first term to the last, it "
            "still does, bit for bit, on sequences of one and two tokens, whatever the format, "
            "the weights and the number of heads, and does not on three: the least n is 3 in "
            "every format below. With fused products two tokens are enough.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "the simulated arithmetic, in all orders",
    .note = "proofs-notes/float.md",
};

typedef struct format_numbers {
    long p, emin, emax;
} format_numbers;

/* binary32, bfloat16, binary16, float8_e4m3fn (below 256), float8_e5m2. */
static const format_numbers formats[] = {
    {24, -126, 127}, {8, -126, 127}, {11, -14, 15}, {4, -6, 8}, {3, -14, 15}};

enum { FORMATS = sizeof formats / sizeof *formats };

static void set_number(attest_instance *instance, const char *name, long value)
{
    fmpq_set_si(attest_instance_set(instance, name), value, 1);
}

/* Tokens and weights are small whole numbers, so that no format overflows. */
static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    bool more = attest_setting_drops(setting, "two-tokens");
    attest_gen_layer kind = {
        .tokens = {.dim_max = 2, .count_min = 2, .count_max = 4},
        .sequences = {.count_min = 1,
                      .count_max = 1,
                      .length_min = more ? 3 : 1,
                      .length_max = more ? 4 : 2,
                      .repeats = true},
        .heads = {.heads_max = 2, .size_max = 2, .nonzero = true, .score_limit = 8},
        .activation = ATTEST_GEN_SOFTMAX,
        .simple = true,
    };
    const format_numbers *format = &formats[theft_random_choice(t, FORMATS)];

    set_number(instance, "p", format->p);
    set_number(instance, "emin", format->emin);
    set_number(instance, "emax", format->emax);
    set_number(instance, "fused", attest_setting_drops(setting, "plain-sums"));
    return attest_gen_data_and_weights(instance, t, &kind);
}

/* Gets an integer parameter; returns false if it is missing or not in [low, high]. */
static bool get_number(long *value, const attest_instance *instance, const char *name, long low,
                       long high)
{
    const fmpq *x = attest_instance_get(instance, name);

    if (!x || !fmpz_is_one(fmpq_denref(x)) || fmpq_cmp_si(x, low) < 0 ||
        fmpq_cmp_si(x, high) > 0)
        return false;
    *value = fmpz_get_si(fmpq_numref(x));
    return true;
}

static bool get_arithmetic(attest_simulated_arithmetic *arithmetic,
                           const attest_instance *instance)
{
    long p, emin, emax, fused;
    attest_format format;
    attest_error error;
    char name[64];

    if (!get_number(&p, instance, "p", 1, 256) ||
        !get_number(&emin, instance, "emin", -16384, 0) ||
        !get_number(&emax, instance, "emax", 1, 16384) ||
        !get_number(&fused, instance, "fused", 0, 1))
        return false;
    snprintf(name, sizeof name, "p=%ld:emin=%ld:emax=%ld", p, emin, emax);
    if (attest_format_parse(&format, name, &error) != ATTEST_OK)
        return false;
    attest_simulated_arithmetic_init(arithmetic, &format);
    arithmetic->fma = fused;
    return true;
}

static bool meets_hypotheses(attest_simulated_arithmetic *arithmetic,
                             const attest_instance *instance, const attest_setting *setting)
{
    const attest_dataset *d = &instance->dataset;
    const attest_weights *w = &instance->weights;

    return attest_instance_fits(instance) && w->activation == ATTEST_SOFTMAX &&
           w->mask == ATTEST_MASK_NONE && d->count == 1 &&
           d->total <= ATTEST_INVARIANCE_LONGEST && get_arithmetic(arithmetic, instance) &&
           (d->total <= 2 || attest_setting_drops(setting, "two-tokens")) &&
           (!arithmetic->fma || attest_setting_drops(setting, "plain-sums"));
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    size_t order[ATTEST_INVARIANCE_LONGEST], position = 0;
    attest_simulated_arithmetic arithmetic;
    bool broken;

    if (!meets_hypotheses(&arithmetic, instance, setting)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    ATTEST_TRY(attest_invariance_check(&broken, order, &position, &instance->dataset,
                                       &instance->weights, &arithmetic, error));
    if (broken) {
        char text[64];
        size_t used = 0;

        for (size_t k = 0; k < instance->dataset.total; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", k ? ", " : "",
                                     order[k]);
        attest_trial_violated(trial, "float_equivariance",
                              "moved to the places %s, token %zu has another output", text,
                              position);
    }
    attest_trial_label(trial, instance->dataset.total == 1 ? "one token" : "several tokens");
    attest_trial_label(trial, arithmetic.format.precision > 8 ? "wide" : "narrow");
    return ATTEST_OK;
}

static const attest_droppable droppable[] = {{"two-tokens", true}, {"plain-sums", true}, {0}};

static const attest_coverage coverage[] = {
    {"several tokens", 30, 100}, {"narrow", 30, 80}, {0}};

const attest_property attest_property_float_equivariance = {
    .name = "float_equivariance",
    .title = "in any format two tokens may change places, bit for bit",
    .statement = "float_equivariance",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .coverage = coverage,
    .trials = 2000,
};
