/* projection.c -- the projection lemma. */
#include <math.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/registry.h"
#include "theory/theorem2.h"

static const attest_constant constants[] = {
    {"sqrt(8/(pi d))/M^2", "the share of every distance that is kept"},
    {0},
};

const attest_statement attest_statement_projection = {
    .name = "projection",
    .title = "The projection lemma",
    .source = "Park et al. 2021",
    .text =
        "For M points of R^d some unit vector u has sqrt(8/(pi d)) |x - x'| / M^2 <= |u.(x - "
        "x')| for all pairs.",
    .constants = constants,
    .decided_by = "exact arithmetic on squares, with an enclosure of pi",
    .note = "proofs-notes/theorem2.md",
    .machine =
        "that such a direction exists: proofs-notes/coq/theorem2_exists.v, projection. Not "
        "how often a random one is",
};

/* The property: among DRAWS directions of the generator of the library one keeps the share,
 * which is decided exactly. Each does with probability above 1 - 2/pi, so the probability that
 * none does is below 10^-39. That would not refute the lemma and is not reported as a
 * violation. */

enum { DRAWS = 200, BITS = 128, MOST_BITS = 1 << 14 };

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    static const attest_gen_tokens tokens = {
        .dim_max = 6, .count_min = 2, .count_max = 8, .zero = true, .decades = 40};
    static const attest_gen_sequences sequences = {
        .count_min = 1, .count_max = 1, .length_min = 2, .length_max = 8};

    (void)setting;
    fmpz_set_ui(fmpq_numref(attest_instance_set(instance, "seed")), theft_random_bits(t, 32));
    return attest_gen_sequences_of(&instance->dataset, t, &tokens, &sequences);
}

/* Returns whether 8 |z|^2 |v|^2 <= pi d M^4 (v.z)^2, for rationals z != 0 and v: equality is
 * impossible, pi being irrational. *ratio = the right side over the left one, approximately. */
static bool keeps(double *ratio, const fmpq_t square, const fmpq_t product, size_t dim,
                  size_t points)
{
    bool kept = false, decided = false;
    FMPQ(left, right);
    ARB(pi, x);

    fmpq_mul_2exp(left, square, 3);
    fmpq_mul(right, product, product);
    fmpq_mul_ui(right, right, points * points * points * points * dim);
    fmpq_div(right, right, left); /* kept: 1 <= pi right */
    for (slong bits = BITS; !decided && bits <= MOST_BITS; bits *= 2) {
        arb_const_pi(pi, bits);
        arb_set_fmpq(x, right, bits);
        arb_mul(x, x, pi, bits);
        *ratio = arf_get_d(arb_midref(x), ARF_RND_NEAR);
        arb_sub_ui(x, x, 1, bits);
        decided = !arb_contains_zero(x);
        kept = decided && arb_is_positive(x);
    }
    return kept;
}

/* Returns whether the direction keeps the share of the distance between tokens a and b. */
static bool keeps_pair(double *ratio, const attest_dataset *dataset,
                       const attest_rational_vector *direction, size_t a, size_t b)
{
    FMPQ(x, y, square, product, norm);

    for (size_t c = 0; c < dataset->dim; c++) {
        attest_tokens_get_entry(x, &dataset->tokens, a, c);
        attest_tokens_get_entry(y, &dataset->tokens, b, c);
        fmpq_sub(x, x, y);
        fmpq_addmul(square, x, x);
        fmpq_set_fmpz(y, direction->numerator + c);
        fmpq_addmul(product, x, y);
        fmpq_addmul(norm, y, y);
    }
    fmpq_mul(square, square, norm); /* u = v / |v| */
    return keeps(ratio, square, product, dataset->dim, dataset->tokens.count);
}

/* Returns whether it keeps the share for all pairs; *margin = the least log2 of kept over
 * promised. */
static bool keeps_all(double *margin, const attest_dataset *dataset,
                      const attest_rational_vector *direction)
{
    *margin = INFINITY;
    for (size_t a = 0; a < dataset->tokens.count; a++)
        for (size_t b = 0; b < a; b++) {
            double ratio;
            if (!keeps_pair(&ratio, dataset, direction, a, b))
                return false;
            *margin = fmin(*margin, log2(ratio) / 2);
        }
    return true;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const attest_dataset *dataset = &instance->dataset;
    const fmpq *seed = attest_instance_get(instance, "seed");
    bool found = false;

    (void)setting, (void)error;
    if (dataset->count == 0 || dataset->tokens.count < 2 || dataset->tokens.count > 1000 ||
        !seed || fmpq_sgn(seed) < 0 || fmpz_bits(fmpq_numref(seed)) > 63) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    uint64_t state = fmpz_get_ui(fmpq_numref(seed));
    ATTEST_SCOPED(attest_rational_vector, direction, dataset->dim);
    for (int draw = 0; draw < DRAWS && !found; draw++) {
        attest_direction_gen(&direction, &state);
        found = keeps_all(&trial->margin, dataset, &direction);
        if (draw == 0 && found)
            attest_trial_label(trial, "the first direction serves");
    }
    if (!found) {
        trial->margin = NAN;
        attest_trial_open(trial, "no direction among %d", DRAWS);
    }
    attest_trial_label_dataset(trial, dataset);
    return ATTEST_OK;
}

const attest_property attest_property_projection = {
    .name = "projection",
    .title = "some direction keeps the promised share of every distance",
    .statement = "projection",
    .gen = gen,
    .decide = decide,
    .targeted = true,
    .trials = 3000,
};
