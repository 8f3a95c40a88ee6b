/* float.c -- floating point: the order of the tokens, and one more token. */
#include <math.h>
#include <stdio.h>

#include "audit/evaluate.h"
#include "audit/invariance.h"
#include "base/scope.h"
#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/registry.h"

/* ---- The order of the tokens. */

static const attest_hypothesis equivariance_hypotheses[] = {
    {"two-tokens", "the sequence has at most two tokens"},
    {"plain-sums", "products are rounded before they are added, not fused"},
    {0},
};

/* tests/audit/float.c finds these: the least tokens, all weights 1. */
static const attest_constant equivariance_constants[] = {
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
    .hypotheses = equivariance_hypotheses,
    .constants = equivariance_constants,
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
static attest_status gen_equivariance(attest_instance *instance, struct theft *t,
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

static attest_status decide_equivariance(attest_trial *trial, const attest_instance *instance,
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

static const attest_droppable equivariance_droppable[] = {
    {"two-tokens", true}, {"plain-sums", true}, {0}};

static const attest_coverage equivariance_coverage[] = {
    {"several tokens", 30, 100}, {"narrow", 30, 80}, {0}};

const attest_property attest_property_float_equivariance = {
    .name = "float_equivariance",
    .title = "in any format two tokens may change places, bit for bit",
    .statement = "float_equivariance",
    .gen = gen_equivariance,
    .decide = decide_equivariance,
    .droppable = equivariance_droppable,
    .coverage = equivariance_coverage,
    .trials = 2000,
};

/* ---- One more token. */

static const attest_hypothesis length_hypotheses[] = {
    {"short", "n (n + 1) < 2^{2p - 1}, p the bits of the significand"},
    {0},
};

/* tests/audit/float.c finds these. */
static const attest_constant length_constants[] = {
    {"binary32",
     "n = 11864338, the hypothesis holds up to 11863282; (4) and (4, -1) are merged"},
    {"bfloat16", "n = 190, up to 180; (2) and (2, -1) are merged"},
    {"binary16", "n = 1464, up to 1447; (3) and (3, 0) are merged"},
    {"float8_e4m3fn", "n = 14, up to 10; (2) and (2, 0) are merged"},
    {"float8_e5m2", "n = 6, up to 5; (1) and (1, -1) are merged"},
    {0},
};

const attest_statement attest_statement_float_length = {
    .name = "float_length",
    .title = "Floating point: the length at which one more token no longer changes an average",
    .source = "our own",
    .text =
        "Let a head average n values (all scores equal), one of them 1 and the others 0: the "
        "result is exactly 1/n, and 1/(n + 1) with one more token of value 0. Computed with p "
        "bits, to nearest, the two results differ if n (n + 1) < 2^{2p - 1}. The least n for "
        "which they are equal is listed below; they are equal for every n >= 2^p, because the "
        "sum of the weights no longer changes. If the scores differ, this n is smaller: if the "
        "new token's weight is less than half a unit of the sum, n = 1 is enough in every "
        "format, and contexts (x) and (x, y) are merged that exact arithmetic tells apart "
        "(examples/float/merge-*.json).",
    .hypotheses = length_hypotheses,
    .constants = length_constants,
    .decided_by = "the simulated arithmetic; beyond 256 tokens 1/n rounded, as its sums are "
                  "exact up to 2^p",
    .note = "proofs-notes/float.md",
};

/* An instance is p and n alone. */

enum { SIMULATED = 256, MOST_BITS = 24 };

static attest_status gen_length(attest_instance *instance, struct theft *t,
                                const attest_setting *setting)
{
    unsigned long p = 2 + theft_random_choice(t, MOST_BITS - 1), n;
    unsigned long most = (unsigned long)sqrt(ldexp(1, 2 * (int)p - 1)) + 1;

    while (most * (most + 1) >= 1ul << (2 * p - 1)) /* the largest that is short */
        most--;
    n = attest_setting_drops(setting, "short") ? most + 1 + theft_random_choice(t, most + 64)
        : theft_random_choice(t, 2)            ? most - theft_random_choice(t, most > 8 ? 8 : 1)
                                               : 1 + theft_random_choice(t, most);
    fmpq_set_ui(attest_instance_set(instance, "p"), p, 1);
    fmpq_set_ui(attest_instance_set(instance, "n"), n, 1);
    return ATTEST_OK;
}

/* The output at the token 1 of (1, 0, ..., 0), by the simulated head. */
static attest_status average(arf_t out, long p, size_t n, attest_error *error)
{
    attest_simulated_arithmetic arithmetic;
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_request request;
    ATTEST_SCOPED(attest_dataset_builder, builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    attest_format format;
    char name[32];
    ATTEST_SCOPED(attest_dataset, dataset);
    ATTEST_SCOPED(attest_weights, weights);
    FMPQ(token);

    fmpq_one(token);
    for (size_t k = 0; k < n; k++, fmpq_zero(token))
        ATTEST_TRY(attest_dataset_builder_add_token(&builder, token, error));
    ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, error));
    ATTEST_TRY(attest_dataset_builder_finish(&dataset, &builder, error));
    ATTEST_TRY(attest_weights_resize(&weights, 1));
    attest_matrix_resize(&weights.head[0].wq, 1, 1); /* 0: all scores are */
    attest_matrix_resize(&weights.head[0].wk, 1, 1);
    attest_matrix_resize(&weights.head[0].wv, 1, 1);
    attest_matrix_resize(&weights.head[0].wo, 1, 1);
    fmpz_one(weights.head[0].wv.entry);
    fmpz_one(weights.head[0].wo.entry);
    weights.dim = 1;
    weights.skip = false;
    snprintf(name, sizeof name, "p=%ld", p);
    ATTEST_TRY(attest_format_parse(&format, name, error));
    attest_simulated_arithmetic_init(&arithmetic, &format);
    attest_audit_request_init(&request, &dataset, &weights);
    ATTEST_TRY(attest_audit_evaluate(&outputs, &request, &arithmetic, error));
    attest_audit_outputs_get(out, &outputs, 0, 0);
    return ATTEST_OK;
}

/* Returns whether n and n + 1 tokens have the same output, by the head itself. */
static attest_status compare(bool *same, long p, size_t n, attest_error *error)
{
    ARF(one, other);

    ATTEST_TRY(average(one, p, n, error));
    ATTEST_TRY(average(other, p, n + 1, error));
    *same = arf_equal(one, other);
    return ATTEST_OK;
}

static attest_status decide_length(attest_trial *trial, const attest_instance *instance,
                                   const attest_setting *setting, attest_error *error)
{
    const fmpq *bits = attest_instance_get(instance, "p"),
               *length = attest_instance_get(instance, "n");
    bool simulated, same, by_head;
    ulong p, n;

    trial->outcome = ATTEST_DISCARDED;
    if (!bits || !length || !fmpz_is_one(fmpq_denref(bits)) ||
        !fmpz_is_one(fmpq_denref(length)) || fmpq_cmp_si(bits, 2) < 0 ||
        fmpq_cmp_si(bits, MOST_BITS) > 0 || fmpq_cmp_si(length, 1) < 0 ||
        fmpq_cmp_si(length, 1 << 28) > 0)
        return ATTEST_OK;
    p = fmpz_get_ui(fmpq_numref(bits));
    n = fmpz_get_ui(fmpq_numref(length));
    if (n * (n + 1) >= 1ul << (2 * p - 1) && !attest_setting_drops(setting, "short"))
        return ATTEST_OK;
    trial->outcome = ATTEST_HELD;
    same = by_head = attest_invariance_same_average((long)p, n);
    simulated = n < SIMULATED;
    if (simulated)
        ATTEST_TRY(compare(&by_head, (long)p, n, error));
    if (by_head != same)
        attest_trial_violated(trial, "float_length", "the head and 1/n disagree");
    else if (same)
        attest_trial_violated(trial, "float_length",
                              "with %lu bits, token %lu does not change an average", p, n + 1);
    attest_trial_label(trial, simulated ? "simulated" : "by the quotient");
    return ATTEST_OK;
}

static const attest_droppable length_droppable[] = {{"short", true}, {0}};

static const attest_coverage length_coverage[] = {{"simulated", 20, 100}, {0}};

const attest_property attest_property_float_length = {
    .name = "float_length",
    .title = "one more token changes an average in p bits, if there are few tokens",
    .statement = "float_length",
    .gen = gen_length,
    .decide = decide_length,
    .droppable = length_droppable,
    .coverage = length_coverage,
    .trials = 1000,
};
