/* saturation.c -- below the safe threshold, a lazy kernel saturates no weight. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "campaign/gen.h"
#include "judge/simulate.h"
#include "number/scope.h"
#include "props/registry.h"

static const attest_hypothesis hypotheses[] = {
    {"safe-threshold", "2^(b + tau) (1 + eps) <= the largest number of P and half a unit"},
    {0},
};

const attest_statement attest_statement_saturation = {
    .name = "saturation",
    .title = "Below the safe threshold a lazy kernel saturates no weight",
    .source = "our own",
    .text =
        "A kernel that raises its reference when the maximum grows by more than tau (in "
        "units of log2) has weights P = 2^b e^x up to 2^(b + tau). If that is within what "
        "rounds to the largest number of P, numerator and row sum have the same weights but "
        "for the cast. Beyond it, a saturating cast takes weights from the numerator alone: "
        "the keys (0), (1) in tiles of 1 with scores 0 and tau log 2 and values 0, 1 give "
        "448 / (2^8 + 2^12) for tau = 4, b = 8 in float8_e4m3fn, where 16/17 is right.",
    .hypotheses = hypotheses,
    .decided_by = "a simulated kernel, bit for bit, beside the exact result in balls",
    .note = "proofs-notes/judge.md",
};

static const attest_droppable droppable[] = {{"safe-threshold", true}, {0}};

enum { MOST_KEYS = 6, MOST_SCORE = 6, UNITS = 1024, BITS = 128 };

/* log2 464 - 8 = 0.857980..., less the error of 20 roundings of numbers below 100. */
static const double safe_threshold = 0.8579;

static attest_status add_tokens(attest_dataset_builder *builder, struct theft *t, size_t count,
                                unsigned limit)
{
    FMPQ(token);

    for (size_t i = 0; i < count; i++) {
        fmpq_set_si(token, limit > 0 ? attest_gen_integer(t, limit) : 1, 1);
        ATTEST_TRY(attest_dataset_builder_add_token(builder, token, NULL));
    }
    return attest_dataset_builder_end_sequence(builder, NULL);
}

/* One query, 1; keys and values; scores are tau log 2 times the keys. */
static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    static const slong beyond[] = {4, 3, 2, 5, 8};
    bool dropped = attest_setting_drops(setting, "safe-threshold");
    fmpq *tau = attest_instance_set(instance, "tau");
    ATTEST_SCOPED(attest_dataset_builder, builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    size_t keys;

    if (dropped)
        fmpq_set_si(tau, beyond[theft_random_choice(t, 5)], 1);
    else
        fmpq_set_si(tau, (slong)attest_gen_size(t, 1, (size_t)(safe_threshold * UNITS)), UNITS);
    fmpq_set_ui(attest_instance_set(instance, "tile"), attest_gen_size(t, 1, 3), 1);
    keys = attest_gen_size(t, 1, MOST_KEYS);
    ATTEST_TRY(add_tokens(&builder, t, 1, 0));
    ATTEST_TRY(add_tokens(&builder, t, keys, MOST_SCORE));
    ATTEST_TRY(add_tokens(&builder, t, keys, 4));
    return attest_dataset_builder_finish(&instance->dataset, &builder, NULL);
}

/* Query, keys and values as numbers of binary32, whose range is small enough for the safe
 * threshold to be one. */
typedef struct scene {
    double q, *k, *v, tau;
    size_t keys, tile;
    char scale[64]; /* tau log 2 */
} scene;

static bool is_double(const fmpq *x, double value)
{
    FMPQ(back);

    attest_number_set_double(back, value);
    return fmpq_equal(x, back);
}

static bool get_values(double *to, const attest_dataset *dataset, size_t sequence)
{
    size_t length = attest_dataset_length(dataset, sequence);
    bool fit = true;
    FMPQ(entry);

    for (size_t i = 0; i < length; i++) {
        attest_tokens_get_entry(entry, &dataset->tokens,
                                attest_dataset_token(dataset, sequence, i), 0);
        to[i] = fmpq_get_d(entry);
        fit = fit && is_double(entry, to[i]) && (double)(float)to[i] == to[i] &&
              fabs(to[i]) <= 100;
    }
    return fit;
}

/* scale = tau log 2 to 40 digits; its error is far below a rounding of binary32. */
static void set_scale(scene *s, const fmpq *tau)
{
    char *text;
    ARB(x);

    arb_const_log2(x, 2 * BITS);
    arb_mul_fmpz(x, x, fmpq_numref(tau), 2 * BITS);
    arb_div_fmpz(x, x, fmpq_denref(tau), 2 * BITS);
    text = arb_get_str(x, 40, ARB_STR_NO_RADIUS);
    snprintf(s->scale, sizeof s->scale, "%s", text);
    flint_free(text);
}

/* Sets *fits = false if the instance, perhaps read from a file, is not one of this property.
 * Status: NOMEM. */
static attest_status scene_init(scene *s, bool *fits, const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;
    const fmpq *tau = attest_instance_get(instance, "tau");
    const fmpq *tile = attest_instance_get(instance, "tile");

    *s = (scene){0};
    *fits = false;
    if (!tau || !tile || dataset->count != 3 || dataset->dim != 1 ||
        attest_dataset_length(dataset, 0) != 1 ||
        attest_dataset_length(dataset, 1) != attest_dataset_length(dataset, 2) ||
        fmpq_sgn(tau) <= 0 || fmpq_cmp_si(tau, 16) > 0 || fmpq_cmp_si(tile, 1) < 0 ||
        fmpq_cmp_si(tile, 1000) > 0 || !fmpz_is_one(fmpq_denref(tile)))
        return ATTEST_OK;
    s->keys = attest_dataset_length(dataset, 1);
    s->tile = fmpz_get_ui(fmpq_numref(tile));
    s->tau = fmpq_get_d(tau);
    s->k = calloc(s->keys, sizeof *s->k);
    s->v = calloc(s->keys, sizeof *s->v);
    if (!s->k || !s->v)
        return ATTEST_NOMEM;
    set_scale(s, tau);
    *fits = is_double(tau, s->tau) && get_values(&s->q, dataset, 0) &&
            get_values(s->k, dataset, 1) && get_values(s->v, dataset, 2);
    return ATTEST_OK;
}

static void scene_clear(scene *s)
{
    free(s->k);
    free(s->v);
}

static attest_tensor tensor(const double *value, size_t tokens)
{
    return (attest_tensor){
        value, ATTEST_TENSOR_F64, {1, 1, tokens, 1}, {0, 0, sizeof *value, sizeof *value}};
}

/* The kernel: binary32, P = 2^8 e^x in float8_e4m3fn, saturating, exp correctly rounded. */
static attest_status run_kernel(double *out, attest_judge_watch *watch, const scene *s,
                                attest_error *error)
{
    attest_judge_schedule schedule = {.scores = ATTEST_JUDGE_ORDER_FORWARD,
                                      .pv = ATTEST_JUDGE_ORDER_FORWARD,
                                      .tile = s->tile,
                                      .direction = ATTEST_JUDGE_DIRECTION_FORWARD,
                                      .lanes = 1,
                                      .rescale = s->tau,
                                      .divide = ATTEST_JUDGE_PLACE_AFTER};
    attest_qkv qkv = {.q = tensor(&s->q, 1),
                      .k = tensor(s->k, s->keys),
                      .v = tensor(s->v, s->keys),
                      .scale = s->scale};
    attest_judge_variant variant;
    attest_judge_problem question ATTEST_CLEARED_BY(attest_judge_problem_clear) = {0};
    attest_judge_recipe recipe;
    attest_judge_instance x ATTEST_CLEARED_BY(attest_judge_instance_clear) = {0};
    attest_judge_head head ATTEST_CLEARED_BY(attest_judge_head_clear) = {0};

    attest_judge_variant_init(&variant);
    variant.max = ATTEST_JUDGE_MAX_LAZY;
    variant.cast = true;
    variant.offset = 8;
    ATTEST_TRY(attest_format_parse(&variant.p, "float8_e4m3fn:saturating", error));
    ATTEST_TRY(attest_judge_problem_init(&question, &qkv, error));
    attest_judge_recipe_from_schedule(&recipe, &variant, &schedule);
    ATTEST_TRY(attest_judge_instance_init(&x, &question, &variant, &recipe, error));
    x.watch = watch;
    ATTEST_TRY(attest_judge_head_init(&head, &question, error));
    ATTEST_TRY(attest_judge_head_load(&head, 0, 0, error));
    return attest_judge_instance_run(out, &x, &head, 0, error);
}

/* o = the sum of 2^(tau q k_j) v_j over the sum of 2^(tau q k_j); returns the largest |v_j|. */
static double get_exact(arb_t o, const scene *s, const fmpq *tau)
{
    double most = 0;
    ARB(sum, weight, x, two);

    arb_zero(o);
    arb_set_ui(two, 2);
    for (size_t j = 0; j < s->keys; j++) {
        arb_set_d(x, s->q * s->k[j]); /* exact: 24 bits each */
        arb_mul_fmpz(x, x, fmpq_numref(tau), BITS);
        arb_div_fmpz(x, x, fmpq_denref(tau), BITS);
        arb_pow(weight, two, x, BITS);
        arb_add(sum, sum, weight, BITS);
        arb_set_d(x, s->v[j]);
        arb_addmul(o, weight, x, BITS);
        most = fmax(most, fabs(s->v[j]));
    }
    arb_div(o, o, sum, BITS);
    return most;
}

/* Compares the output with the exact one. A cast to 4 bits changes the weights of the numerator
 * by 1/16 of themselves, and those that underflow by less than 2^-17 of the largest; the
 * weights of the sum are not cast. So without saturation the quotient is off by little more
 * than 1/16 of the largest value. */
static void compare(attest_trial *trial, const scene *s, double out,
                    const attest_judge_watch *watch, const fmpq *tau, bool dropped)
{
    size_t saturated = watch->count[ATTEST_JUDGE_WEIGHT_OVERFLOWS];
    double off, allowed;
    ARB(o, error);

    allowed = get_exact(o, s, tau) / 8 +
              0x1p-10; /* values are at most 100: 50 roundings of binary32 */
    arb_set_d(error, out);
    arb_sub(error, error, o, BITS);
    off = fabs(arf_get_d(arb_midref(error), ARF_RND_NEAR));
    if (off > 0)
        trial->margin = log2(allowed / off);
    if (saturated > 0 && (!dropped || off > allowed)) {
        trial->margin = fmin(trial->margin, -0x1p-10);
        attest_trial_violated(trial, "saturation",
                              "%zu weights saturate, the first at key %zu: the kernel returns "
                              "%.7g, the exact result is %.7g",
                              saturated, watch->first_key[ATTEST_JUDGE_WEIGHT_OVERFLOWS], out,
                              arf_get_d(arb_midref(o), ARF_RND_NEAR));
    } else if (!dropped && off > allowed) {
        attest_trial_violated(trial, "saturation",
                              "no weight saturates, yet the kernel returns %.7g for %.7g", out,
                              arf_get_d(arb_midref(o), ARF_RND_NEAR));
    } else if (saturated == 0 && trial->margin < 0) {
        trial->margin = 0;
    }
    if (saturated > 0 && trial->outcome == ATTEST_HELD)
        trial->margin = fmax(trial->margin, 0);
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    bool dropped = attest_setting_drops(setting, "safe-threshold");
    attest_judge_watch watch = {0};
    double out = 0;
    bool fits;
    scene s ATTEST_CLEARED_BY(scene_clear);

    ATTEST_TRY(scene_init(&s, &fits, instance));
    if (!fits || (!dropped && !(s.tau <= safe_threshold))) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    ATTEST_TRY(run_kernel(&out, &watch, &s, error));
    compare(trial, &s, out, &watch, attest_instance_get(instance, "tau"), dropped);
    return ATTEST_OK;
}

const attest_property attest_property_saturation = {
    .name = "saturation",
    .title = "below the safe threshold no weight saturates, and without it numerator and sum "
             "part",
    .statement = "saturation",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .trials = 1000,
};
