/* contextual.c -- Definition 2: contextual mapping. */
#include <math.h>
#include <string.h>

#include <attest/certify.h>
#include <attest/number.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/arithmetic.h"
#include "props/brute.h"
#include "props/oracle.h"
#include "props/registry.h"
#include "props/rough.h"
#include "props/sample.h"

const attest_statement attest_statement_contextual = {
    .name = "contextual",
    .title = "Definition 2: contextual mapping",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Definition 2",
    .text =
        "q is an (r, delta)-contextual mapping for X^(1..N) when |q(X^(i))_k| < r for all i, "
        "k, and |q(X^(i))_k - q(X^(j))_l| > delta for every required pair: one whose "
        "vocabularies differ, or whose tokens differ. Under a causal mask the vocabulary of a "
        "position is the set of the tokens up to it.",
    .decided_by =
        "hardmax: exact arithmetic; softmax: balls, and the zero test where they overlap",
    .note = "proofs-notes/contextual.md",
    .machine = "a definition, one for hardmax and softmax: proofs-notes/coq/definition2.v; by "
               "squares and by norms equivalent: theorem1.v, contextual_normE. Not the methods "
               "that decide it",
};

/* The property: for small instances the verdict of certify, by every method, is that of
 * comparing all pairs with the outputs of the oracle, also for bounds just below, at and just
 * above the true ones. */

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 3, .count_min = 2, .count_max = 5, .zero = true, .decades = 40},
    .sequences = {.count_min = 1,
                  .count_max = 4,
                  .length_min = 1,
                  .length_max = 4,
                  .repeats = true,
                  .shared = true},
    .heads = {.heads_max = 3,
              .size_max = 2,
              .decades = 40,
              .score_limit = 40,
              .gaps = ATTEST_GEN_HUGE},
    .corners = true,
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    if (setting->number != ATTEST_ARITHMETIC_NONE)
        return attest_contextual_arithmetic_gen(instance, t, setting);
    return attest_gen_data_and_weights(instance, t, &kind);
}

/* The limits of certify on instances that the oracle decides with more bits or terms. */
enum { FEW_BITS = 1 << 10, FEW_TERMS = 1 << 14 };

/* One claim about the instance, and the facts that are known about it. */
typedef struct question {
    const attest_instance *instance;
    const attest_brute *brute;
    attest_claim claim;
    attest_finding finding;
} question;

static void question_init(question *q, const attest_instance *instance,
                          const attest_brute *brute)
{
    q->instance = instance;
    q->brute = brute;
    attest_claim_init(&q->claim);
    q->claim.dataset = &instance->dataset;
    q->claim.weights = &instance->weights;
    if (brute->tiny) { /* more bits and terms would not decide it either, and take long */
        q->claim.max_bits = FEW_BITS;
        q->claim.max_terms = FEW_TERMS;
    }
    attest_finding_init(&q->finding);
}

static void question_clear(question *q)
{
    attest_finding_clear(&q->finding);
    attest_claim_clear(&q->claim);
}

/* Certifies the claim, which `what` describes in messages. Returns false if the method does not
 * apply, or if it fails, which is a violation. */
static bool certify(question *q, attest_trial *trial, const char *what)
{
    bool any = strcmp(q->claim.method, "auto") == 0;
    attest_error error;
    attest_status status;

    attest_finding_clear(&q->finding);
    attest_finding_init(&q->finding);
    status = attest_certify(&q->finding, &q->claim, &error);
    if (status != ATTEST_OK && (status != ATTEST_USAGE || any))
        attest_trial_violated(trial, "contextual-mapping", "%s, method %s: certify fails: %s",
                              what, q->claim.method, error.text);
    return status == ATTEST_OK;
}

/* Checks that the verdict is the expected one. A method that does not apply, or leaves the
 * claim open, is skipped; auto may leave it open only if outputs are too close for balls.
 * Returns whether the trial is still held. */
static bool ask(question *q, attest_trial *trial, attest_verdict expected, const char *what)
{
    bool any = strcmp(q->claim.method, "auto") == 0;

    if (!certify(q, trial, what))
        return trial->outcome == ATTEST_HELD;
    if (q->finding.verdict == expected)
        return true;
    if (q->finding.verdict == ATTEST_UNDECIDED) {
        if (any && !q->brute->tiny)
            attest_trial_open(trial, "%s: %s", what, q->finding.reason);
        return !any || q->brute->tiny;
    }
    attest_trial_violated(trial, "contextual-mapping",
                          "%s, method %s: certified as %s, but it is %s", what, q->claim.method,
                          attest_verdict_name(q->finding.verdict),
                          attest_verdict_name(expected));
    return false;
}

/* Checks the other members of the finding: pairs, separation, norm, and the named pair. */
static bool check_numbers(const question *q, attest_trial *trial)
{
    const attest_brute *b = q->brute;
    const attest_finding *f = &q->finding;
    const char *wrong = NULL;
    ARB(square);

    if (fmpz_cmp_ui(f->required_pairs, b->required) != 0)
        wrong = "the number of required pairs";
    arb_mul(square, f->max_norm, f->max_norm, ATTEST_BRUTE_BITS);
    if (!arb_overlaps(square, b->norm))
        wrong = "the largest norm";
    if (f->has_pair != (b->required > 0))
        wrong = "whether there is a required pair";
    if (f->has_pair && b->required && f->verdict != ATTEST_UNDECIDED) {
        arb_mul(square, f->min_separation, f->min_separation, ATTEST_BRUTE_BITS);
        if (!arb_overlaps(square, b->separation))
            wrong = "the least separation";
    }
    if (wrong)
        attest_trial_violated(trial, "contextual-mapping", "%s is not what all pairs show",
                              wrong);
    return !wrong;
}

/* Checks delta = 0 by every method. */
static bool ask_distinct(question *q, attest_trial *trial)
{
    attest_verdict expected = q->brute->collision ? ATTEST_REFUTED : ATTEST_PROVED;

    for (size_t m = 0; attest_certify_method_name(m); m++) {
        q->claim.method = attest_certify_method_name(m);
        if (!ask(q, trial, expected, "delta = 0"))
            return false;
    }
    q->claim.method = "auto";
    return ask(q, trial, expected, "delta = 0") && check_numbers(q, trial);
}

/* Bounds may be as tight as 2^-200: the zero test is fast for one head. */
static bool is_cheap(const question *q)
{
    return q->instance->weights.activation == ATTEST_HARDMAX || q->instance->weights.heads == 1;
}

/* Checks bounds delta just below, at (if it is rational) and just above the least separation.
 * The claim is strict: at the separation it fails. */
static bool ask_delta(question *q, attest_trial *trial)
{
    const attest_brute *b = q->brute;
    bool go = true;

    if (!b->required || b->collision)
        return true;
    FMPQ(low, high);
    attest_root_bounds_ball(low, high, b->separation, is_cheap(q));
    fmpq_set(q->claim.delta, low);
    if (fmpq_sgn(low) > 0)
        go = ask(q, trial, ATTEST_PROVED, "delta just below the least separation");
    fmpq_set(q->claim.delta, high);
    go = go && ask(q, trial, ATTEST_REFUTED, "delta just above the least separation");
    if (go && q->instance->weights.activation == ATTEST_HARDMAX &&
        attest_root_bounds(low, q->claim.delta, high, b->exact_separation)) {
        attest_trial_label(trial, "delta met exactly");
        go = ask(q, trial, ATTEST_REFUTED, "delta equal to the least separation");
    }
    fmpq_zero(q->claim.delta);
    return go;
}

/* Checks bounds r on norms in the same way: at the largest norm the claim fails. */
static bool ask_r(question *q, attest_trial *trial)
{
    const attest_brute *b = q->brute;
    attest_verdict distinct = b->collision ? ATTEST_REFUTED : ATTEST_PROVED;
    bool go = true;
    FMPQ(low, high);

    attest_root_bounds_ball(low, high, b->norm, is_cheap(q));
    q->claim.has_r = true;
    if (fmpq_sgn(low) > 0) {
        fmpq_set(q->claim.r, low);
        go = ask(q, trial, ATTEST_REFUTED, "r just below the largest norm");
    }
    fmpq_set(q->claim.r, high);
    go = go && ask(q, trial, distinct, "r just above the largest norm");
    if (go && q->instance->weights.activation == ATTEST_HARDMAX &&
        attest_root_bounds(low, q->claim.r, high, b->exact_norm)) {
        attest_trial_label(trial, "r met exactly");
        go = ask(q, trial, ATTEST_REFUTED, "r equal to the largest norm");
    }
    return go;
}

/* Returns whether the ball meets the interval between two doubles. */
static bool is_between(const arb_t ball, const double *bound)
{
    bool meets;
    ARB(x);

    arb_set_d(x, bound[0]);
    meets = !arb_lt(ball, x);
    arb_set_d(x, bound[1]);
    meets = meets && !arb_gt(ball, x);
    return meets && !arf_is_nan(arb_midref(ball));
}

/* Checks the other members of the finding against rough bounds. */
static bool check_rough(const question *q, attest_trial *trial, const attest_rough *rough)
{
    const attest_finding *f = &q->finding;
    const char *wrong = NULL;

    if (f->verdict == ATTEST_UNDECIDED)
        return true;
    if (fmpz_cmp_ui(f->required_pairs, rough->required) != 0)
        wrong = "the number of required pairs";
    if (!is_between(f->max_norm, rough->norm))
        wrong = "the largest norm";
    if (f->has_pair != (rough->required > 0))
        wrong = "whether there is a required pair";
    if (rough->required && !is_between(f->min_separation, rough->separation))
        wrong = "the least separation";
    if (wrong)
        attest_trial_violated(trial, "contextual-mapping", "%s is not what all pairs show",
                              wrong);
    return !wrong;
}

/* Chooses a method that decides every instance that doubles decide: auto in half of the cases.
 */
static const char *choose_method(const attest_weights *weights, size_t choice)
{
    const char *last = weights->activation == ATTEST_HARDMAX ? "exact" : "ball";

    return choice % 4 == 0 ? "filter" : choice % 4 == 1 ? last : "auto";
}

/* Checks one claim that doubles decide, by one method; the choice is one of 16. */
static void ask_decided(attest_trial *trial, const attest_instance *instance,
                        const attest_rough *rough, size_t choice)
{
    static const attest_brute none; /* nothing was compared exactly */
    attest_verdict expected = rough->collision ? ATTEST_REFUTED : ATTEST_PROVED;
    const char *what =
        rough->collision ? "delta = 0" : "delta below the least separation, r above the norms";
    ATTEST_SCOPED(question, q, instance, &none);

    q.claim.method = choose_method(&instance->weights, choice);
    if (rough->required)
        attest_number_set_double(q.claim.delta, rough->separation[0]);
    q.claim.has_r = rough->norm[1] < INFINITY;
    if (q.claim.has_r)
        attest_number_set_double(q.claim.r, rough->norm[1]);
    if (choice / 4 == 0 && rough->required && !rough->collision) {
        what = "delta above the least separation";
        expected = ATTEST_REFUTED;
        attest_number_set_double(q.claim.delta, rough->separation[1]);
    } else if (choice / 4 == 1 && rough->norm[0] > 0 && !rough->collision) {
        what = "r below the largest norm";
        expected = ATTEST_REFUTED;
        attest_number_set_double(q.claim.r, rough->norm[0]);
    }
    if (ask(&q, trial, expected, what))
        (void)check_rough(&q, trial, rough);
}

/* Checks delta = 0 if doubles do not decide it: the finding must be consistent with itself and
 * with the doubles. Returns false if certify leaves the claim undecided. */
static bool ask_undecided(attest_trial *trial, const attest_instance *instance,
                          const attest_rough *rough)
{
    static const attest_brute close = {.tiny = true}; /* as may be the case */
    const attest_finding *f;
    bool decided = true;
    ATTEST_SCOPED(question, q, instance, &close);

    f = &q.finding;
    if (certify(&q, trial, "delta = 0")) {
        decided = f->verdict != ATTEST_UNDECIDED;
        if (decided && f->has_pair &&
            (f->verdict == ATTEST_REFUTED) != arb_is_zero(f->min_separation))
            attest_trial_violated(trial, "contextual-mapping",
                                  "delta = 0 is %s, but not by the least separation",
                                  attest_verdict_name(f->verdict));
        else
            (void)check_rough(&q, trial, rough);
    }
    return decided;
}

/* Makes all checks, or only that of delta = 0. */
static void ask_oracle(attest_trial *trial, const attest_instance *instance,
                       const attest_brute *brute, bool everything)
{
    ATTEST_SCOPED(question, q, instance, brute);

    if (brute->collision)
        attest_trial_label(trial, "collision");
    if (brute->tiny)
        attest_trial_label(trial, "too close for balls");
    if (everything && ask_distinct(&q, trial) && ask_delta(&q, trial))
        (void)ask_r(&q, trial);
    if (!everything &&
        ask(&q, trial, brute->collision ? ATTEST_REFUTED : ATTEST_PROVED, "delta = 0"))
        (void)check_numbers(&q, trial);
    if (trial->outcome == ATTEST_VIOLATED && brute->required) {
        trial->has_pair = true;
        trial->pair[0] = brute->pair[0], trial->pair[1] = brute->pair[1];
    }
}

static attest_status look_at_all_pairs(attest_trial *trial, const attest_instance *instance,
                                       bool everything)
{
    ATTEST_SCOPED(attest_brute, brute);

    ATTEST_TRY(attest_brute_get(&brute, &instance->dataset, &instance->weights));
    if (brute.open)
        attest_trial_open(trial, "all pairs: not decided at %d bits", ATTEST_BRUTE_MAX_BITS);
    else
        ask_oracle(trial, instance, &brute, everything);
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    if (setting->number != ATTEST_ARITHMETIC_NONE)
        return attest_contextual_arithmetic_decide(trial, instance, setting, error);
    if (!attest_instance_fits(instance)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    ATTEST_TRY(look_at_all_pairs(trial, instance, true));
    attest_trial_label_layer(trial, instance);
    return ATTEST_OK;
}

/* Of the instances that doubles do not decide, the oracle decides one in ORACLE_SHARE, and all
 * that few bits do not decide. */
enum { ORACLE_SHARE = 4 };

static attest_status ask_open(attest_trial *trial, const attest_instance *instance,
                              const attest_rough *rough, size_t choice)
{
    if (choice % ORACLE_SHARE != 0 && ask_undecided(trial, instance, rough))
        return ATTEST_OK;
    attest_trial_label(trial, "looked at by the oracle");
    return look_at_all_pairs(trial, instance, false);
}

/* Makes all checks for a sample of the instances, and one for each of the others. */
static attest_status decide_most(attest_trial *trial, const attest_instance *instance,
                                 const attest_setting *setting, attest_error *error)
{
    attest_rough rough;
    uint64_t number;
    size_t choice;

    if (setting->number != ATTEST_ARITHMETIC_NONE || !attest_instance_fits(instance))
        return decide(trial, instance, setting, error);
    number = attest_sample_number(instance);
    if (attest_sample_takes(number)) {
        attest_trial_label(trial, ATTEST_SAMPLE_LABEL);
        return decide(trial, instance, setting, error);
    }
    choice = attest_sample_choose(number, 16);
    if (attest_rough_get(&rough, instance))
        ask_decided(trial, instance, &rough, choice);
    else
        ATTEST_TRY(ask_open(trial, instance, &rough, choice));
    attest_trial_label_layer(trial, instance);
    return ATTEST_OK;
}

static attest_status decide_many(attest_trial *trial, const attest_instance *instance,
                                 size_t count, void **memory, const attest_setting *setting,
                                 attest_error *error)
{
    (void)memory;
    for (size_t i = 0; i < count; i++)
        ATTEST_TRY(decide_most(&trial[i], &instance[i], setting, error));
    return ATTEST_OK;
}

const attest_property attest_property_contextual = {
    .name = "contextual",
    .title = "certify decides Definition 2 as a comparison of all pairs does",
    .statement = "contextual",
    .definition = "contextual-mapping",
    .gen = gen,
    .decide = decide,
    .decide_many = decide_many,
    .coverage = attest_coverage_layers,
    .arithmetic = true,
    .trials = 24000,
};
