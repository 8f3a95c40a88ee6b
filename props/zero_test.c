/* zero_test.c -- equality of softmax outputs is decidable. */
#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/multisets.h"
#include "props/properties.h"
#include "props/statement.h"

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
