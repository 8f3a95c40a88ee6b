/* boltzmann.c -- the Boltzmann operator: bounds, identities, monotonicity. */
#include <math.h>

#include "attention/attention_ball.h"

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "props/multisets.h"
#include "props/registry.h"
#include "props/vectors.h"

const attest_statement attest_statement_boltzmann = {
    .name = "boltzmann",
    .title = "The Boltzmann operator: bounds, identities, monotonicity",
    .source =
        "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), section 3; the identities (M) and "
        "(L) and the statement on monotonicity are our own",
    .text = "boltz(a) = sum a_i e^{a_i} / sum e^{a_i} = LSE(a) - H(softmax(a)), hence max(a) - "
            "log n <= boltz(a) <= max(a), strictly unless all entries agree (upper bound) or n "
            "= 1 (lower). Raising an entry a_i >= boltz(a) - 1 raises boltz; raising an entry "
            "that still is at most boltz - 1 afterwards lowers it.",
    .decided_by = "balls",
    .note = "proofs-notes/boltzmann.md",
    .machine = "all but monotonicity: proofs-notes/coq/boltzmann.v, boltz_lse_entropy, "
               "boltz_bounds, identity_L, identity_M",
};

enum { BITS = 128, MOST_BITS = 1 << 13, RANGE = 100 };

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    static const attest_gen_sequences kind = {
        .count_min = 2, .count_max = 2, .length_min = 1, .length_max = 6, .repeats = true};

    (void)setting;
    fmpq_set_si(attest_instance_set(instance, "entry"), (slong)theft_random_choice(t, 6), 1);
    attest_gen_positive(attest_instance_set(instance, "rise"), t, 8);
    return attest_gen_scores(&instance->dataset, t, &kind, RANGE);
}

static bool fail(attest_trial *trial, const char *what)
{
    attest_trial_violated(trial, "boltzmann", "%s", what);
    return false;
}

/* value = an enclosure of boltz of count scores, computed by the library, whose status it
 * returns. */
static attest_status boltz(arb_t value, const fmpq *score, size_t count, long bits)
{
    FMPZ_VEC(numerator, (slong)count);
    FMPZ(denominator);

    fmpz_one(denominator);
    for (size_t i = 0; i < count; i++)
        fmpz_lcm(denominator, denominator, fmpq_denref(score + i));
    attest_rationals_get_numerators(numerator, denominator, score, count);
    return attest_boltz_ball(value, numerator, denominator, count, bits, NULL);
}

/* Returns whether max - log n < b < max: 1 yes, 0 no, -1 undecided. *margin = log2(log n / (max
 * - b)). Domain: not all entries are equal. */
static int is_inside(double *margin, const arb_t b, const fmpq_t most, size_t n, long bits)
{
    int inside = -1;
    ARB(depth, log_n, x);

    arb_set_fmpq(x, most, bits);
    arb_sub(depth, x, b, bits);
    arb_log_ui(log_n, n, bits);
    if (arb_is_positive(depth) && arb_lt(depth, log_n))
        inside = 1;
    else if (arb_is_nonpositive(depth) || arb_ge(depth, log_n))
        inside = 0;
    arb_div(x, log_n, depth, bits);
    arb_log_base_ui(x, x, 2, bits);
    *margin = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    return inside;
}

/* Checks the bounds for one sequence, and compares the library with the definition. */
static bool check_bounds(attest_trial *trial, const attest_multisets *sets, const fmpq *score,
                         int which)
{
    size_t n = attest_multisets_size(sets, which);
    double margin = NAN;
    int inside = -1;
    ARB(b, other);
    FMPQ(most);

    attest_multisets_most(most, sets, which);
    for (long bits = BITS; inside < 0 && bits <= MOST_BITS; bits *= 2) {
        attest_multisets_boltz(other, sets, which, bits);
        if (boltz(b, score, n, bits) != ATTEST_OK) {
            attest_trial_open(trial, "boltz fails");
            break;
        }
        if (!arb_overlaps(b, other)) {
            fail(trial, "boltz differs from its definition");
            break;
        }
        if (attest_multisets_constant(sets, which))
            inside = arb_contains_fmpq(b, most);
        else
            inside = is_inside(&margin, b, most, n, bits);
    }
    if (inside == 0)
        fail(trial, "boltz is not between max - log n and max");
    else if (inside < 0 && trial->outcome == ATTEST_HELD)
        attest_trial_open(trial, "bounds: not decided at %d bits", MOST_BITS);
    if (!(trial->margin <= margin) && !isnan(margin))
        trial->margin = inside == 0 ? fmin(margin, -0x1p-1022) : margin;
    return trial->outcome == ATTEST_HELD;
}

/* Checks boltz = LSE - H with the attention weights of the library. */
static bool check_entropy(attest_trial *trial, const fmpq *score, size_t n)
{
    ARB_VEC(p, (slong)n);
    bool ok;
    ARB(b, lse, entropy, x);

    ok = attest_probabilities_softmax(p, score, n, 4 * BITS, NULL) == ATTEST_OK &&
         boltz(b, score, n, BITS) == ATTEST_OK;
    for (size_t i = 0; ok && i < n; i++) {
        arb_log(x, p + i, 4 * BITS);
        arb_submul(entropy, x, p + i, 4 * BITS);
    }
    /* LSE = a_0 - log p_0 */
    arb_log(x, p, 4 * BITS);
    arb_set_fmpq(lse, score, 4 * BITS);
    arb_sub(lse, lse, x, 4 * BITS);
    arb_sub(lse, lse, entropy, 4 * BITS);
    if (!ok)
        attest_trial_open(trial, "boltz or softmax fails");
    else if (!arb_overlaps(lse, b))
        ok = fail(trial, "boltz is not LSE - H");
    return ok;
}

/* Compares the difference of two values computed by the library, directly, by (M) and by (L).
 */
static bool check_identities(attest_trial *trial, const attest_multisets *sets)
{
    bool ok = true;
    ARB(direct, other, b);
    ATTEST_SCOPED(attest_boltz_difference, difference);

    attest_multisets_boltz(direct, sets, 0, 4 * BITS);
    attest_multisets_boltz(b, sets, 1, 4 * BITS);
    arb_sub(direct, direct, b, 4 * BITS);
    attest_multisets_by_m(other, sets, 4 * BITS);
    if (!arb_overlaps(direct, other))
        ok = fail(trial, "identity (M)");
    attest_multisets_by_l(other, sets, 4 * BITS);
    if (ok && !arb_overlaps(direct, other))
        ok = fail(trial, "identity (L)");
    if (ok && attest_multisets_difference(&difference, sets, MOST_BITS, NULL) != ATTEST_OK) {
        attest_trial_open(trial, "difference: not decided at %d bits", MOST_BITS);
        ok = false;
    }
    if (ok && (!arb_overlaps(direct, difference.value) ||
               (!arb_contains_zero(direct) && arf_sgn(arb_midref(direct)) != difference.sign)))
        ok = fail(trial, "the difference of two values");
    return ok;
}

/* Returns how boltz must change when the entry a is raised to risen: 1 it grows, -1 it falls, 0
 * no claim. b and c enclose boltz before and after. *decided: balls of this precision decide
 * it. */
static int expected(bool *decided, const fmpq_t a, const fmpq_t risen, const arb_t b,
                    const arb_t c, long bits)
{
    int sign = 0;
    ARB(x);

    arb_set_fmpq(x, a, bits);
    arb_sub(x, x, b, bits);
    arb_add_ui(x, x, 1, bits); /* a - boltz + 1, never 0 for rational entries */
    *decided = !arb_contains_zero(x);
    if (arb_is_positive(x))
        sign = 1;
    else {
        arb_set_fmpq(x, risen, bits);
        arb_sub(x, x, c, bits);
        arb_add_ui(x, x, 1, bits);
        *decided = *decided && !arb_contains_zero(x);
        sign = arb_is_negative(x) ? -1 : 0;
    }
    return sign;
}

static bool check_monotone(attest_trial *trial, fmpq *score, size_t n,
                           const attest_instance *instance)
{
    const fmpq *entry = attest_instance_get(instance, "entry");
    size_t i = fmpz_fdiv_ui(fmpq_numref(entry), n);
    bool decided = false;
    ARB(b, c);
    FMPQ(old);

    fmpq_set(old, score + i);
    for (long bits = BITS; !decided && bits <= MOST_BITS; bits *= 2) {
        bool ok = boltz(b, score, n, bits) == ATTEST_OK;
        fmpq_add(score + i, old, attest_instance_get(instance, "rise"));
        ok = ok && boltz(c, score, n, bits) == ATTEST_OK;
        int sign = expected(&decided, old, score + i, b, c, bits);
        fmpq_set(score + i, old);
        arb_sub(c, c, b, bits);
        decided = decided && (sign == 0 || !arb_contains_zero(c));
        if (!ok) {
            decided = false;
            break;
        }
        if (decided && sign != 0 && arf_sgn(arb_midref(c)) != sign) {
            fail(trial, sign > 0 ? "raising an entry above boltz - 1 does not raise boltz"
                                 : "raising an entry below boltz - 1 does not lower boltz");
            break;
        }
        if (decided)
            attest_trial_label(trial, sign > 0 ? "rises" : sign < 0 ? "falls" : "neither");
    }
    if (!decided && trial->outcome == ATTEST_HELD)
        attest_trial_open(trial, "monotonicity: not decided at %d bits", MOST_BITS);
    return trial->outcome == ATTEST_HELD;
}

static bool has_form(const attest_instance *instance)
{
    const fmpq *entry = attest_instance_get(instance, "entry");
    const fmpq *rise = attest_instance_get(instance, "rise");

    return instance->dataset.count == 2 && instance->dataset.dim == 1 && entry && rise &&
           fmpq_sgn(entry) >= 0 && fmpz_is_one(fmpq_denref(entry)) && fmpq_sgn(rise) > 0;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const attest_dataset *dataset = &instance->dataset;

    (void)setting, (void)error;
    if (!has_form(instance)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_multisets sets ATTEST_CLEARED_BY(attest_multisets_clear);
    ATTEST_TRY(attest_multisets_init(&sets, dataset, 0, 1));
    for (int w = 0; w < 2 && trial->outcome == ATTEST_HELD; w++) {
        size_t n = attest_dataset_length(dataset, (size_t)w);
        FMPQ_VEC(score, (slong)n);
        attest_scores_get(score, dataset, (size_t)w);
        if (check_bounds(trial, &sets, score, w) && check_entropy(trial, score, n))
            (void)check_monotone(trial, score, n, instance);
    }
    if (trial->outcome == ATTEST_HELD)
        (void)check_identities(trial, &sets);
    attest_trial_label_dataset(trial, dataset);
    return ATTEST_OK;
}

const attest_property attest_property_boltzmann = {
    .name = "boltzmann",
    .title = "bounds, entropy, identities (M) and (L), monotonicity",
    .statement = "boltzmann",
    .gen = gen,
    .decide = decide,
    .targeted = true,
    .trials = 5000,
};
