/* theorem2.c -- Theorem 2, and Remark 1, its masked form: the weights that are constructed have
 * the promised bounds. */
#include <attest/certify.h>

#include "campaign/gen.h"
#include "number/scope.h"
#include "props/registry.h"
#include "props/vectors.h"
#include "theory/theorem2.h"

static void set_bound(attest_given_bound *bound, const attest_instance *instance,
                      const char *name)
{
    const fmpq *value = attest_instance_get(instance, name);

    bound->given = value != NULL;
    if (value)
        fmpq_set(bound->value, value);
}

/* 0 is theorem, 1 is gap; false: neither. */
static bool set_strategy(attest_construction *construction, const attest_instance *instance)
{
    const fmpq *value = attest_instance_get(instance, "strategy");
    bool gap = value && fmpq_is_one(value);

    construction->strategy = gap ? ATTEST_STRATEGY_GAP : ATTEST_STRATEGY_THEOREM;
    return gap || !value || fmpq_is_zero(value);
}

/* log2 of a positive ball; indeterminate if the ball may not be positive. */
static void ball_log2(arb_t log2, const arb_t value)
{
    if (arb_is_positive(value))
        arb_log_base_ui(log2, value, 2, 128);
    else
        arb_indeterminate(log2);
}

static void judge(attest_trial *trial, const attest_construction *construction,
                  const attest_finding *finding)
{
    int sign;

    if (finding->verdict == ATTEST_UNDECIDED) {
        attest_trial_open(trial, "%s", finding->reason);
        return;
    }
    trial->has_pair = finding->has_pair;
    trial->pair[0] = finding->pair[0];
    trial->pair[1] = finding->pair[1];
    if (finding->verdict == ATTEST_REFUTED) {
        attest_trial_violated(trial, "contextual-mapping", "%s",
                              finding->part == ATTEST_CLAIM_NORM ? "an output is not below r"
                                                                 : "two outputs are equal");
        return;
    }
    if (!finding->has_pair || !construction->promise)
        return; /* proved, and no more is promised */
    ARB(log2);
    ball_log2(log2, finding->min_separation);
    sign = attest_vectors_compare(trial, log2, construction->delta_log2);
    if (sign < 0)
        attest_trial_violated(trial, "contextual-mapping",
                              "the least separation is 2^%.6f of the promised delta",
                              trial->margin);
    else if (sign == 0)
        attest_trial_open(trial, "separation and promise cannot be told apart");
}

static attest_status certify(attest_trial *trial, const attest_construction *construction,
                             const attest_dataset *dataset, attest_error *error)
{
    ATTEST_SCOPED(attest_claim, claim);
    ATTEST_SCOPED(attest_finding, finding);

    claim.dataset = dataset;
    claim.weights = &construction->weights;
    claim.has_r = true;
    fmpq_set(claim.r, construction->r);
    ATTEST_TRY(attest_certify(&finding, &claim, error));
    judge(trial, construction, &finding);
    return ATTEST_OK;
}

/* Builds the weights for this mask and certifies them: |outputs| < r, separation > delta. */
static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_mask mask,
                            attest_error *error)
{
    attest_status status = ATTEST_DOMAIN;
    ATTEST_SCOPED(attest_construction, construction);

    construction.mask = mask;
    construction.without = setting->without;
    set_bound(&construction.r_min, instance, "r_min");
    set_bound(&construction.r_max, instance, "r_max");
    set_bound(&construction.eps, instance, "eps");
    if (set_strategy(&construction, instance) && instance->dataset.count > 0)
        status = attest_construction_build(&construction, &instance->dataset, error);
    if (status == ATTEST_DOMAIN || (status == ATTEST_OK && construction.hypothesis)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    if (status == ATTEST_UNABLE) {
        attest_trial_open(trial, "%s", error->text);
        return ATTEST_OK;
    }
    ATTEST_TRY(status);
    attest_trial_label(trial, attest_strategy_name(construction.strategy));
    return certify(trial, &construction, &instance->dataset, error);
}

enum { MOST_COPIES = 64, CLOSE = 24000 };

static attest_status gen_plain(attest_instance *instance, struct theft *t, size_t shortest)
{
    attest_gen_tokens tokens = {.dim_max = 4, .count_min = 2, .count_max = 8, .decades = 40};
    attest_gen_sequences sequences = {
        .count_min = 1, .count_max = 8, .length_min = shortest, .length_max = 8};

    return attest_gen_sequences_of(&instance->dataset, t, &tokens, &sequences);
}

/* The token x of dimension 1. */
static attest_status add(attest_dataset_builder *builder, const fmpq_t x)
{
    return attest_dataset_builder_add_token(builder, x, NULL);
}

/* The token t u of dimension 2. */
static attest_status add_multiple(attest_dataset_builder *builder, const fmpq u[2], ulong t)
{
    FMPQ_VEC(token, 2);

    fmpq_mul_ui(token, u, t);
    fmpq_mul_ui(token + 1, u + 1, t);
    return attest_dataset_builder_add_token(builder, token, NULL);
}

/* (a u, b u, 0) and (c u, d u, 0) with a + b = c + d: the output at 0 depends on the mean
 * alone, which is the same. */
static attest_status gen_zero(attest_dataset_builder *builder, attest_instance *instance,
                              struct theft *t)
{
    ulong a = attest_gen_size(t, 1, 6), step = attest_gen_size(t, 1, 6),
          inner = attest_gen_size(t, 1, 6);
    ulong multiple[2][3] = {{a, a + 2 * step + inner, 0}, {a + step, a + step + inner, 0}};
    fmpq *r_min;
    FMPQ_VEC(u, 2);

    attest_gen_nonzero(u, t, 6);
    attest_gen_rational(u + 1, t, 6);
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 3; k++)
            ATTEST_TRY(add_multiple(builder, u, multiple[i][k]));
        ATTEST_TRY(attest_dataset_builder_end_sequence(builder, NULL));
    }
    r_min = attest_instance_set(instance, "r_min"); /* |u_0|/2 < a |u|, a >= 1 */
    fmpq_abs(r_min, u);
    fmpq_div_2exp(r_min, r_min, 1);
    return ATTEST_OK;
}

/* (y, x) and (y, x + 2^-CLOSE), and eps = 1/2. */
static attest_status gen_close(attest_dataset_builder *builder, attest_instance *instance,
                               struct theft *t)
{
    FMPQ(x, y, step);

    fmpq_set_ui(x, 1, 1);
    fmpq_set_ui(y, 2, 1);
    fmpq_set_ui(step, 1, 1);
    fmpq_div_2exp(step, step, CLOSE + attest_gen_size(t, 0, 1000));
    for (size_t i = 0; i < 2; i++) {
        ATTEST_TRY(add(builder, y));
        ATTEST_TRY(add(builder, x));
        ATTEST_TRY(attest_dataset_builder_end_sequence(builder, NULL));
        fmpq_add(x, x, step);
    }
    fmpq_set_ui(attest_instance_set(instance, "eps"), 1, 2);
    return ATTEST_OK;
}

/* (-x, x, ..., x) and (x, ..., x), n tokens each. */
static attest_status gen_copies(attest_dataset_builder *builder, struct theft *t)
{
    size_t n = attest_gen_size(t, 2, MOST_COPIES);
    FMPQ(x, other);

    attest_gen_positive(x, t, 6);
    fmpq_neg(other, x);
    for (size_t i = 0; i < 2; i++) {
        ATTEST_TRY(add(builder, i == 0 ? other : x));
        for (size_t k = 1; k < n; k++)
            ATTEST_TRY(add(builder, x));
        ATTEST_TRY(attest_dataset_builder_end_sequence(builder, NULL));
    }
    return ATTEST_OK;
}

/* Draws data that meet the hypotheses except the dropped one, and a strategy. If one is
 * dropped, the data are such that the bounds can fail:
 *
 *   r-min          a zero token among others with equal means: its scores are all 0
 *   eps            two tokens 2^-24000 apart
 *   no-duplicates  many copies of one token, which outweigh the others
 *   length         sequences of one token (the bounds still hold) */
static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    bool zero = attest_setting_drops(setting, "r-min");

    if (!setting->without) {
        fmpq_set_ui(attest_instance_set(instance, "strategy"), attest_gen_size(t, 0, 1), 1);
        return gen_plain(instance, t, 2);
    }
    if (attest_setting_drops(setting, "length"))
        return gen_plain(instance, t, 1);
    ATTEST_SCOPED(attest_dataset_builder, builder, zero ? 2 : 1, ATTEST_TABLE_RATIONAL, NULL);
    if (zero)
        ATTEST_TRY(gen_zero(&builder, instance, t));
    else if (attest_setting_drops(setting, "eps"))
        ATTEST_TRY(gen_close(&builder, instance, t));
    else
        ATTEST_TRY(gen_copies(&builder, t));
    return attest_dataset_builder_finish(&instance->dataset, &builder, NULL);
}

/* ---- Theorem 2: one softmax head of rank 1 can tell contexts apart. */

static const attest_hypothesis theorem2_hypotheses[] = {
    {"r-min", "r_min > 0: no token is zero"},
    {"eps", "different tokens are more than eps > 0 apart"},
    {"no-duplicates", "no token occurs twice in a sequence"},
    {"length", "the longest sequence has n >= 2 tokens; lengths may differ"},
    {0},
};

static const attest_constant theorem2_constants[] = {
    {"r", "r_max + eps/4"},
    {"delta'",
     "what is promised of stored weights, which are rational: |w| (log n)^2 exp(-2 kappa "
     "r_max^2) / (kappa r_max), w = W_O u_3 with |w| <= eps/(4 r_max), kappa at least "
     "(|V|+1)^4 "
     "pi d (2 log n + 3)/(8 eps r_min) and at most 1 + 2^-40 times that; enclosed from below"},
    {"delta",
     "the paper's, to which delta' is equal at the exact values of kappa and |w|: 2 (log n)^2 "
     "eps^2 r_min / (r_max^2 (|V|+1)^4 (2 log n + 3) pi d) exp(-(|V|+1)^4 (2 "
     "log n + 3) pi d r_max^2 / (4 eps r_min))"},
    {"score gap",
     "more than log(2 + sqrt 3) = 1.31695... is enough (attest show sharp_gap), where the "
     "paper's kappa needs 2 log n + 3; the strategy gap takes 1.317, or up to 1.5 where "
     "that "
     "promises more"},
    {0},
};

const attest_statement attest_statement_theorem2 = {
    .name = "theorem2",
    .title = "Theorem 2: one softmax head of rank 1 can tell contexts apart",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Theorem 2",
    .text =
        "For tokenwise (r_min, r_max, eps)-separated sequences there are W_O and rank-1 W_V, "
        "W_K, W_Q for which single-head softmax attention with skip is an (r, "
        "delta)-contextual mapping; and rational ones for which it is an (r, "
        "delta')-contextual mapping.",
    .hypotheses = theorem2_hypotheses,
    .constants = theorem2_constants,
    .decided_by = "first differences (the sharp gap), balls",
    .note = "proofs-notes/theorem2.md",
    .machine = "whole: proofs-notes/coq/theorem2_exists.v, theorem2; for given weights: "
               "theorem2.v, theorem2_promise; strategy gap: gap.v, gap_contextual; the "
               "constants of the code: constants.v. Not the choice of the weights by the "
               "program, which tests them exactly",
};

static attest_status decide_theorem2(attest_trial *trial, const attest_instance *instance,
                                     const attest_setting *setting, attest_error *error)
{
    return decide(trial, instance, setting, ATTEST_MASK_NONE, error);
}

static const attest_droppable droppable[] = {
    {"r-min", true}, {"eps", true}, {"no-duplicates", true}, {"length", false}, {0},
};

const attest_property attest_property_theorem2 = {
    .name = "theorem2",
    .title =
        "what the construction promises holds: separations exceed delta, outputs are below r",
    .statement = "theorem2",
    .definition = "contextual-mapping",
    .gen = gen,
    .decide = decide_theorem2,
    .droppable = droppable,
    .targeted = true,
    .trials = 1000,
};

/* ---- Remark 1: the same with a causal mask. */

static const attest_constant masked_constants[] = {
    {"r", "r_max + eps/4"},
    {"delta'",
     "|w| (log n)^2 exp(-2 kappa r_max^2) / (kappa r_max), w = W_O u_3 and kappa the stored "
     "ones, n the length of the longest sequence: as in theorem2"},
    {0},
};

static const attest_hypothesis masked_hypotheses[] = {
    {"r-min", "r_min > 0: no token is zero"},
    {"eps", "different tokens are more than eps > 0 apart"},
    {"no-duplicates", "no token occurs twice in a sequence"},
    {"length", "the longest sequence has n >= 2 tokens"},
    {0},
};

const attest_statement attest_statement_masked = {
    .name = "masked",
    .title = "Remark 1: the same with a causal mask",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Remark 1",
    .text =
        "The construction of Theorem 2, with the same weights, is an (r, delta')-contextual "
        "mapping under a causal mask, too: vocabularies are then those of prefixes, of any "
        "lengths, and Lemma F takes the place of Lemma 1. The first token sees only itself.",
    .hypotheses = masked_hypotheses,
    .constants = masked_constants,
    .decided_by = "first differences (Lemma F), balls",
    .note = "proofs-notes/theorem2.md",
    .machine = "whole: proofs-notes/coq/theorem2_exists.v, theorem2 (mask included); for given "
               "weights: theorem2.v, theorem2_promise; gap.v, gap_contextual",
};

static attest_status decide_masked(attest_trial *trial, const attest_instance *instance,
                                   const attest_setting *setting, attest_error *error)
{
    return decide(trial, instance, setting, ATTEST_MASK_CAUSAL, error);
}

const attest_property attest_property_masked = {
    .name = "masked",
    .title = "what the construction promises under a causal mask holds",
    .statement = "masked",
    .definition = "contextual-mapping",
    .gen = gen,
    .decide = decide_masked,
    .droppable = droppable,
    .targeted = true,
    .trials = 1000,
};
