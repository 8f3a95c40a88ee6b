/* zero_test.c -- equality of softmax outputs is decidable: Boltzmann values, and outputs. */
#include <attest/certify.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "certify/softmax_sum.h"
#include "number/scope.h"
#include "props/multisets.h"
#include "props/oracle.h"
#include "props/registry.h"
#include "props/transform.h"
#include "recheck/recheck.h"

static const attest_hypothesis hypotheses[] = {
    {"rational", "data, weights and bounds are rational"},
    {0},
};

const attest_statement attest_statement_zero_test = {
    .name = "zero_test",
    .title = "Equality of softmax outputs is decidable",
    .source = "our own, on Hermite's theorem (1873): e^{1/D} is transcendental; for rational "
              "exponents no more of Lindemann and Weierstrass is needed",
    .text = "For rational scores, boltz(A) = boltz(B) iff the multiplicity vectors are "
            "proportional; equality of two softmax attention outputs with rational data and "
            "weights is the vanishing of a sum of rational multiples of exponentials of "
            "rationals, which holds iff every coefficient, collected by exponent, is zero.",
    .hypotheses = hypotheses,
    .decided_by = "exact arithmetic: sparse polynomials in e^{1/D}",
    .note = "proofs-notes/zero_test.md",
    .machine = "given Lindemann-Weierstrass: proofs-notes/coq/zero_test.v, zero_test, "
               "boltz_equal_iff. Not the reduction of attention outputs",
};

/* The property: two multisets of rationals, proportional by construction or not, have equal
 * Boltzmann values iff they are proportional, and the exact answer of the library agrees.
 */

enum { BITS = 128, MOST_BITS = 1 << 13, RANGE = 60, MOST_TIMES = 3 };

/* Appends sequence 0 of base, repeated. */
static attest_status repeat(attest_dataset_builder *builder, const attest_dataset *base,
                            size_t times)
{
    size_t length = attest_dataset_length(base, 0);
    FMPQ(x);

    for (size_t k = 0; k < times * length; k++) {
        attest_tokens_get_entry(x, &base->tokens, attest_dataset_token(base, 0, k % length), 0);
        ATTEST_TRY(attest_dataset_builder_add_token(builder, x, NULL));
    }
    return attest_dataset_builder_end_sequence(builder, NULL);
}

static attest_status gen_proportional(attest_dataset *dataset, struct theft *t)
{
    static const attest_gen_sequences kind = {
        .count_min = 1, .count_max = 1, .length_min = 1, .length_max = 5, .repeats = true};
    size_t a = attest_gen_size(t, 1, MOST_TIMES), b = attest_gen_size(t, 1, MOST_TIMES);
    ATTEST_SCOPED(attest_dataset_builder, builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    ATTEST_SCOPED(attest_dataset, base);

    ATTEST_TRY(attest_gen_scores(&base, t, &kind, RANGE));
    ATTEST_TRY(repeat(&builder, &base, a));
    ATTEST_TRY(repeat(&builder, &base, b));
    return attest_dataset_builder_finish(dataset, &builder, NULL);
}

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    static const attest_gen_sequences kind = {
        .count_min = 2, .count_max = 2, .length_min = 1, .length_max = 6, .repeats = true};

    (void)setting;
    if (theft_random_choice(t, 3) == 0)
        return gen_proportional(&instance->dataset, t);
    return attest_gen_scores(&instance->dataset, t, &kind, RANGE);
}

/* Returns the sign of boltz(A) - boltz(B) from the definition, by balls; 0 if they do not
 * decide it. */
static int get_sign(const attest_multisets *sets, long bits)
{
    ARB(a, b);

    attest_multisets_boltz(a, sets, 0, bits);
    attest_multisets_boltz(b, sets, 1, bits);
    return arb_gt(a, b) ? 1 : arb_lt(a, b) ? -1 : 0;
}

static void compare(attest_trial *trial, const attest_multisets *sets, int library)
{
    bool proportional = attest_multisets_proportional(sets);
    int sign = 0;

    for (long bits = BITS; sign == 0 && bits <= (proportional ? BITS : MOST_BITS); bits *= 2)
        sign = get_sign(sets, bits);
    attest_trial_label(trial, proportional ? "proportional" : "not proportional");
    if (proportional && sign != 0)
        attest_trial_violated(trial, "zero_test", "proportional, but the values differ");
    else if (library != (proportional ? 0 : sign) && (proportional || sign != 0))
        attest_trial_violated(trial, "zero_test",
                              "the sign of the difference is %d, not the library's %d", sign,
                              library);
    else if (!proportional && sign == 0)
        attest_trial_open(trial, "the values agree to %d bits", MOST_BITS);
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    attest_status status;

    (void)setting;
    if (instance->dataset.count != 2 || instance->dataset.dim != 1) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_multisets sets ATTEST_CLEARED_BY(attest_multisets_clear);
    ATTEST_TRY(attest_multisets_init(&sets, &instance->dataset, 0, 1));
    ATTEST_SCOPED(attest_boltz_difference, difference);
    status = attest_multisets_difference(&difference, &sets, MOST_BITS, error);
    if (status == ATTEST_UNABLE) {
        attest_trial_open(trial, "difference: not decided at %d bits", MOST_BITS);
    } else {
        ATTEST_TRY(status);
        compare(trial, &sets, difference.sign);
    }
    attest_trial_label_dataset(trial, &instance->dataset);
    return ATTEST_OK;
}

const attest_property attest_property_zero_test = {
    .name = "zero_test",
    .title = "Boltzmann values are equal iff multiplicities are proportional",
    .statement = "zero_test",
    .gen = gen,
    .decide = decide,
    .trials = 5000,
};

/* ---- Outputs of attention: equal, almost equal, different.
 *
 * The test of certify (polynomials in e^{1/D}) and that of the checker (sorted sums) must agree
 * with the oracle, which multiplies everything out, and with distances that are known because
 * only the tokens differ. */

enum { MOST_PLACES = 12, MOST_PAIRS = 6, FAR_BITS = 200, MAX_BITS = 1 << 16 };

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 3, .count_min = 2, .count_max = 5, .zero = true, .decades = 40},
    .sequences = {.count_min = 2,
                  .count_max = 2,
                  .length_min = 1,
                  .length_max = 4,
                  .repeats = true,
                  .shared = true},
    .heads = {.heads_max = 2,
              .size_max = 2,
              .decades = 20,
              .score_limit = 40,
              .gaps = ATTEST_GEN_HUGE},
    .activation = ATTEST_GEN_SOFTMAX,
};

/* Appends count tokens of a sequence of base, cyclically. */
static attest_status add_repeated(attest_dataset_builder *builder, const attest_dataset *base,
                                  size_t sequence, size_t count)
{
    size_t length = attest_dataset_length(base, sequence), dim = base->dim;
    FMPQ_VEC(token, (slong)dim);

    for (size_t k = 0; k < count; k++) {
        attest_tokens_get_entries(token, &base->tokens,
                                  attest_dataset_token(base, sequence, k % length));
        ATTEST_TRY(attest_dataset_builder_add_token(builder, token, NULL));
    }
    return attest_dataset_builder_end_sequence(builder, NULL);
}

/* Inserts a third sequence between the two. equal: the first sequence two or three times over,
 * whose outputs are those of the first; else the first sequence and its first token again, with
 * the same set of tokens and the same scores, but other outputs. */
static attest_status add_twin(attest_dataset *dataset, struct theft *t, bool equal)
{
    size_t length = attest_dataset_length(dataset, 0);
    size_t other = attest_dataset_length(dataset, 1);
    ATTEST_SCOPED(attest_dataset_builder, builder, dataset->dim, ATTEST_TABLE_RATIONAL, NULL);
    ATTEST_SCOPED(attest_dataset, twin);

    ATTEST_TRY(add_repeated(&builder, dataset, 0, length));
    ATTEST_TRY(add_repeated(&builder, dataset, 0,
                            equal ? length * attest_gen_size(t, 2, 3) : length + 1));
    ATTEST_TRY(add_repeated(&builder, dataset, 1, other));
    ATTEST_TRY(attest_dataset_builder_finish(&twin, &builder, NULL));
    attest_dataset before = *dataset;
    *dataset = twin;
    twin = before;
    return ATTEST_OK;
}

/* W_O keeps its last row alone, and that is divided by a power of two. */
static void keep_last_row(attest_matrix *wo, flint_bitcnt_t shift)
{
    for (size_t i = 0; i < (wo->rows - 1) * wo->cols; i++)
        fmpz_zero(wo->entry + i);
    fmpz_mul_2exp(wo->denominator, wo->denominator, shift);
}

static attest_status gen_outputs(attest_instance *instance, struct theft *t,
                                 const attest_setting *setting)
{
    enum { AS_DRAWN, EQUAL = 4, DOUBLED, LAST, NEARLY, RELATIONS };
    unsigned relation = (unsigned)theft_random_choice(t, RELATIONS);

    (void)setting;
    ATTEST_TRY(attest_gen_data_and_weights(instance, t, &kind));
    if (relation == LAST || relation == NEARLY)
        for (size_t h = 0; h < instance->weights.heads; h++)
            keep_last_row(&instance->weights.head[h].wo, relation == NEARLY ? FAR_BITS : 0);
    if (relation != EQUAL && relation != DOUBLED)
        return ATTEST_OK;
    instance->weights.mask = ATTEST_MASK_NONE;
    return add_twin(&instance->dataset, t, relation == EQUAL);
}

typedef struct examination {
    attest_trial *trial;
    const attest_instance *instance;
    const attest_oracle *oracle, *bare; /* bare: without skip */
    attest_recheck *check;
    attest_error *error;
} examination;

static attest_context get_context(const examination *x, attest_place place)
{
    const attest_dataset *d = &x->instance->dataset;

    return (attest_context){
        .first = d->start[place.sequence] + place.position,
        .sequence = (uint32_t)place.sequence,
        .seen = (uint32_t)attest_oracle_seen(x->oracle, place),
        .query = attest_dataset_token(d, place.sequence, place.position),
    };
}

static void fail(examination *x, const attest_place pair[2], const char *who, bool equal,
                 const char *what)
{
    attest_trial_violated(x->trial, "zero_test", "%s returns that %s %s, but %s", who, what,
                          equal ? "is met" : "is not met", equal ? "it is not" : "it is");
    x->trial->has_pair = true;
    x->trial->pair[0] = pair[0], x->trial->pair[1] = pair[1];
}

/* Checks both tests: whether the outputs at the pair are at the distance `root`. */
static attest_status ask(examination *x, const attest_place pair[2], const fmpq_t root,
                         const fmpq_t target, bool rational, bool expected, const char *what)
{
    const attest_dataset *d = &x->instance->dataset;
    ATTEST_SCOPED(attest_softmax_sum, sum, d->dim);
    attest_zero_answer answer;

    for (int side = 0; side < 2; side++) {
        attest_context context = get_context(x, pair[side]);
        ATTEST_TRY(attest_softmax_sum_add(&sum, side ? -1 : 1, &x->instance->weights, d,
                                          &context, x->error));
    }
    attest_softmax_sum_finish(&sum);
    ATTEST_TRY(attest_zero_test(&answer, &sum, target, ATTEST_CERTIFY_MAX_TERMS, x->error));
    if (answer != ATTEST_ZERO_UNABLE && (answer == ATTEST_ZERO_EQUAL) != expected)
        fail(x, pair, "certify", !expected, what);
    if (rational) {
        int order =
            attest_recheck_order(x->check, d->start[pair[0].sequence] + pair[0].position,
                                 d->start[pair[1].sequence] + pair[1].position, root, MAX_BITS);
        if (order != 2 && (order == 0) != expected)
            fail(x, pair, "the checker", !expected, what);
    }
    return ATTEST_OK;
}

/* square = |x - y|^2 of the tokens at the pair. */
static void get_token_distance(fmpq_t square, const examination *x, const attest_place pair[2])
{
    FMPQ(a, b);

    fmpq_zero(square);
    for (size_t c = 0; c < x->instance->dataset.dim; c++) {
        attest_oracle_skip(a, x->oracle, pair[0], c);
        attest_oracle_skip(b, x->oracle, pair[1], c);
        fmpq_sub(a, a, b);
        fmpq_addmul(square, a, a);
    }
}

/* If attention adds the same vector to both tokens, the distance of the outputs is that of the
 * tokens, and not slightly more. */
static attest_status ask_distance(examination *x, const attest_place pair[2])
{
    bool rational;
    FMPQ(square, root, more);

    get_token_distance(square, x, pair);
    rational = fmpz_is_square(fmpq_numref(square)) && fmpz_is_square(fmpq_denref(square));
    if (rational) {
        fmpz_sqrt(fmpq_numref(root), fmpq_numref(square));
        fmpz_sqrt(fmpq_denref(root), fmpq_denref(square));
    }
    attest_trial_label(x->trial, "distance met exactly");
    ATTEST_TRY(ask(x, pair, root, square, rational, true, "the distance of the tokens"));
    if (x->trial->outcome != ATTEST_HELD)
        return ATTEST_OK;
    fmpq_one(more);
    fmpq_div_2exp(more, more, FAR_BITS);
    fmpq_add(square, square, more);
    return ask(x, pair, root, square, false, false, "a distance that is 2^-200 larger");
}

/* Returns whether balls of few bits tell the outputs apart. */
static bool is_apart(const examination *x, const attest_place pair[2])
{
    slong dim = (slong)x->instance->dataset.dim;
    ARB_VEC(a, dim);
    ARB_VEC(b, dim);
    bool apart = false;

    attest_oracle_softmax(a, x->oracle, pair[0], BITS);
    attest_oracle_softmax(b, x->oracle, pair[1], BITS);
    for (slong c = 0; c < dim; c++)
        apart = apart || !arb_overlaps(a + c, b + c);
    return apart;
}

static attest_status examine_pair(examination *x, const attest_place pair[2])
{
    int equal = attest_oracle_equal(x->oracle, pair[0], pair[1]);
    FMPQ(zero);

    if (equal < 0) {
        attest_trial_label(x->trial, "too many terms");
        return ATTEST_OK;
    }
    attest_trial_label(x->trial, equal               ? "equal"
                                 : is_apart(x, pair) ? "different"
                                                     : "almost equal");
    ATTEST_TRY(ask(x, pair, zero, zero, true, equal == 1, "equality"));
    if (x->trial->outcome == ATTEST_HELD && x->instance->weights.skip && equal == 0 &&
        attest_oracle_equal(x->bare, pair[0], pair[1]) == 1)
        return ask_distance(x, pair);
    return ATTEST_OK;
}

/* Pairs of one token, and of neighbours. */
static attest_status examine(examination *x)
{
    const attest_dataset *d = &x->instance->dataset;
    attest_place a = {0, 0};
    size_t pairs = 0;

    do
        for (attest_place b = a; attest_oracle_next(&b, d) && pairs < MOST_PAIRS;) {
            attest_place pair[2] = {a, b};
            if (attest_dataset_token(d, a.sequence, a.position) !=
                    attest_dataset_token(d, b.sequence, b.position) &&
                (b.position != a.position + 1 || b.sequence != a.sequence))
                continue;
            pairs++;
            if (x->trial->outcome == ATTEST_HELD)
                ATTEST_TRY(examine_pair(x, pair));
        }
    while (attest_oracle_next(&a, d) && pairs < MOST_PAIRS);
    return ATTEST_OK;
}

static attest_status decide_outputs(attest_trial *trial, const attest_instance *instance,
                                    const attest_setting *setting, attest_error *error)
{
    attest_weights weights = instance->weights; /* the instance keeps the matrices */
    attest_recheck check;
    attest_status status;

    (void)setting;
    if (!attest_instance_fits(instance) || instance->weights.activation != ATTEST_SOFTMAX ||
        instance->dataset.count > 3 || instance->dataset.total > 4 * MOST_PLACES) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, &instance->dataset, &instance->weights));
    weights.skip = false;
    attest_oracle bare ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&bare, &instance->dataset, &weights));
    ATTEST_TRY(attest_recheck_init(&check, &instance->dataset, &instance->weights, error));
    attest_trial_label_layer(trial, instance);
    status = examine(&(examination){.trial = trial,
                                    .instance = instance,
                                    .oracle = &oracle,
                                    .bare = &bare,
                                    .check = &check,
                                    .error = error});
    attest_recheck_clear(&check);
    return status;
}

static const attest_coverage coverage[] = {
    {ATTEST_LABEL_ONE_TOKEN, 0, 10},   {ATTEST_LABEL_DEAD, 0, 10},
    {ATTEST_LABEL_ONE_CONTEXT, 0, 10}, {"equal", 20, 100},
    {"almost equal", 10, 100},         {"different", 20, 100},
    {"distance met exactly", 5, 100},  {0},
};

const attest_property attest_property_zero_test_outputs = {
    .name = "zero_test-outputs",
    .title = "both zero tests tell equal, almost equal and different outputs apart",
    .statement = "zero_test",
    .gen = gen_outputs,
    .decide = decide_outputs,
    .coverage = coverage,
    .trials = 1500,
};
