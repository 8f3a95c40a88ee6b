/* softmax.c -- softmax: its limit, the range of its weights, and its Jacobian. */
#include <math.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/registry.h"
#include "props/vectors.h"

/* ---- Softmax tends to hardmax as the temperature falls. */

static const attest_hypothesis hypotheses[] = {
    {"temperature", "tau > 0"},
    {0},
};

const attest_statement attest_statement_softmax_limit = {
    .name = "softmax_limit",
    .title = "Softmax tends to hardmax as the temperature falls",
    .source = "our own",
    .text = "|softmax(s/tau) - hardmax(s)|_1 <= 2 (n - m) e^{-gamma/tau} / m for m maximisers "
            "(uniform ties) of n scores and the gap gamma from the maximum to the next score; "
            "strictly unless m = n, where both sides are 0.",
    .hypotheses = hypotheses,
    .decided_by = "balls",
    .note = "proofs-notes/softmax_limit.md",
};

enum { BITS = 128, MOST_BITS = 1 << 14, RANGE = 200 };

static attest_status gen_limit(attest_instance *instance, struct theft *t,
                               const attest_setting *setting)
{
    static const attest_gen_sequences kind = {
        .count_min = 1, .count_max = 1, .length_min = 1, .length_max = 8, .repeats = true};

    (void)setting;
    /* tau is 1/4 to 8, so scores within RANGE of each other are within 4 RANGE after division.
     */
    fmpq_set_si(attest_instance_set(instance, "tau"), 1 + (slong)theft_random_choice(t, 8), 1);
    if (attest_gen_rarely(t, 2))
        fmpq_div_2exp(attest_instance_set(instance, "tau"),
                      attest_instance_set(instance, "tau"), 2);
    return attest_gen_scores(&instance->dataset, t, &kind, RANGE);
}

/* The data of the statement: score[i] = s_i/tau, the hardmax weights, n, m and gamma/tau. */
typedef struct scores {
    fmpq *score, *hard;
    size_t count, winners;
    fmpq_t gap;
} scores;

static void scores_init(scores *s, const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;

    s->count = attest_dataset_length(dataset, 0);
    s->winners = 0;
    s->score = _fmpq_vec_init((slong)s->count), s->hard = _fmpq_vec_init((slong)s->count);
    fmpq_init(s->gap);
    attest_scores_get(s->score, dataset, 0);
    for (size_t i = 0; i < s->count; i++)
        fmpq_div(s->score + i, s->score + i, attest_instance_get(instance, "tau"));
}

static void scores_clear(scores *s)
{
    _fmpq_vec_clear(s->score, (slong)s->count), _fmpq_vec_clear(s->hard, (slong)s->count);
    fmpq_clear(s->gap);
}

/* Sets m and gamma/tau by their definition. */
static void find_winners(scores *s)
{
    const fmpq *most = s->score;
    bool any = false;
    FMPQ(depth);

    for (size_t i = 1; i < s->count; i++)
        if (fmpq_cmp(s->score + i, most) > 0)
            most = s->score + i;
    for (size_t i = 0; i < s->count; i++) {
        fmpq_sub(depth, most, s->score + i);
        if (fmpq_is_zero(depth))
            s->winners++;
        else if (!any || fmpq_cmp(depth, s->gap) < 0) {
            fmpq_set(s->gap, depth);
            any = true;
        }
    }
}

/* distance = |softmax - hardmax|_1, bound = 2 (n - m) e^-gap / m. */
static attest_status get_sides(arb_t distance, arb_t bound, const scores *s, long bits,
                               attest_error *error)
{
    ARB_VEC(p, (slong)s->count);
    ARB(x);

    ATTEST_TRY(attest_probabilities_softmax(p, s->score, s->count, bits, error));
    arb_zero(distance);
    for (size_t i = 0; i < s->count; i++) {
        arb_set_fmpq(x, s->hard + i, bits);
        arb_sub(x, p + i, x, bits);
        arb_abs(x, x);
        arb_add(distance, distance, x, bits);
    }
    arb_set_fmpq(x, s->gap, bits);
    arb_neg(x, x);
    arb_exp(bound, x, bits);
    arb_mul_ui(bound, bound, 2 * (s->count - s->winners), bits);
    arb_div_ui(bound, bound, s->winners, bits);
    return ATTEST_OK;
}

static double log2_ratio(const arb_t high, const arb_t low)
{
    ARB(ratio);

    arb_div(ratio, high, low, BITS);
    arb_log_base_ui(ratio, ratio, 2, BITS);
    return arf_get_d(arb_midref(ratio), ARF_RND_NEAR);
}

static attest_status compare_limit(attest_trial *trial, const scores *s, attest_error *error)
{
    ARB(distance, bound);

    attest_trial_open(trial, "not decided at %d bits", MOST_BITS);
    for (long bits = BITS; trial->outcome == ATTEST_OPEN && bits <= MOST_BITS; bits *= 2) {
        ATTEST_TRY(get_sides(distance, bound, s, bits, error));
        if (s->winners == s->count) {
            if (arb_contains_zero(distance))
                trial->outcome = ATTEST_HELD;
            else
                attest_trial_violated(trial, "softmax_limit",
                                      "all scores are equal, but softmax "
                                      "is not hardmax");
        } else if (arb_lt(distance, bound)) {
            trial->outcome = ATTEST_HELD;
            trial->margin = log2_ratio(bound, distance);
        } else if (arb_ge(distance, bound)) {
            attest_trial_violated(trial, "softmax_limit", "softmax is too far from hardmax");
            trial->margin = fmin(log2_ratio(bound, distance), -0x1p-1022);
        }
    }
    return ATTEST_OK;
}

static attest_status decide_limit(attest_trial *trial, const attest_instance *instance,
                                  const attest_setting *setting, attest_error *error)
{
    const fmpq *tau = attest_instance_get(instance, "tau");

    (void)setting;
    if (instance->dataset.count != 1 || instance->dataset.dim != 1 || !tau ||
        fmpq_sgn(tau) <= 0) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    ATTEST_SCOPED(scores, s, instance);
    find_winners(&s);
    if (s.winners == s.count)
        attest_trial_label(trial, "all scores equal");
    else if (s.winners > 1)
        attest_trial_label(trial, "tie");
    attest_trial_label_dataset(trial, &instance->dataset);
    ATTEST_TRY(attest_probabilities_hardmax(s.hard, s.score, s.count, error));
    return compare_limit(trial, &s, error);
}

const attest_property attest_property_softmax_limit = {
    .name = "softmax_limit",
    .title = "the distance from softmax to hardmax is below its bound",
    .statement = "softmax_limit",
    .gen = gen_limit,
    .decide = decide_limit,
    .targeted = true,
    .trials = 5000,
};

/* ---- Softmax weights of scores within a range. */

const attest_statement attest_statement_softmax_range = {
    .name = "softmax_range",
    .title = "Softmax weights of scores within a range",
    .source = "our own",
    .text =
        "n scores within a range D = max - min give weights in [e^{-D}/n, e^{D}/n]; strictly "
        "inside unless D = 0, where all weights are 1/n.",
    .decided_by = "balls",
    .note = "proofs-notes/softmax_range.md",
};

static attest_status gen_range(attest_instance *instance, struct theft *t,
                               const attest_setting *setting)
{
    static const attest_gen_sequences kind = {
        .count_min = 1, .count_max = 1, .length_min = 1, .length_max = 8, .repeats = true};

    (void)setting;
    return attest_gen_scores(&instance->dataset, t, &kind, RANGE);
}

static void get_range(fmpq_t range, const fmpq *score, size_t count)
{
    const fmpq *low = score, *high = score;

    for (size_t i = 1; i < count; i++) {
        low = fmpq_cmp(score + i, low) < 0 ? score + i : low;
        high = fmpq_cmp(score + i, high) > 0 ? score + i : high;
    }
    fmpq_sub(range, high, low);
}

/* margin encloses the least of log2(p_i / (e^-D / n)) and log2((e^D / n) / p_i) over all i,
 * which is positive iff all weights are strictly inside. */
static void get_margin(arb_t margin, arb_srcptr p, size_t count, const fmpq_t range, long bits)
{
    ARB(d, x, n);

    arb_set_fmpq(d, range, bits);
    arb_set_ui(n, count);
    arb_log(n, n, bits);
    arb_pos_inf(margin);
    for (size_t i = 0; i < count; i++) {
        arb_log(x, p + i, bits);
        arb_add(x, x, n, bits); /* log(n p_i), which must lie between -D and D */
        arb_abs(x, x);
        arb_sub(x, d, x, bits);
        arb_min(margin, margin, x, bits);
    }
    arb_const_log2(x, bits);
    arb_div(margin, margin, x, bits);
}

static attest_status compare_range(attest_trial *trial, const fmpq *score, size_t count,
                                   attest_error *error)
{
    ARB_VEC(p, (slong)count);
    ARB(margin);
    FMPQ(range);

    get_range(range, score, count);
    attest_trial_open(trial, "not decided at %d bits", MOST_BITS);
    for (long bits = BITS; trial->outcome == ATTEST_OPEN && bits <= MOST_BITS; bits *= 2) {
        ATTEST_TRY(attest_probabilities_softmax(p, score, count, bits, error));
        get_margin(margin, p, count, range, bits);
        if (fmpq_is_zero(range) ? arb_contains_zero(margin) : arb_is_positive(margin))
            trial->outcome = ATTEST_HELD;
        else if (fmpq_is_zero(range) || arb_is_nonpositive(margin))
            attest_trial_violated(trial, "softmax_range",
                                  "a weight is outside [e^-D/n, e^D/n]");
        if (trial->outcome != ATTEST_OPEN && !fmpq_is_zero(range))
            trial->margin = arf_get_d(arb_midref(margin), ARF_RND_NEAR);
    }
    return ATTEST_OK;
}

static attest_status decide_range(attest_trial *trial, const attest_instance *instance,
                                  const attest_setting *setting, attest_error *error)
{
    (void)setting;
    if (instance->dataset.count != 1 || instance->dataset.dim != 1) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    size_t count = attest_dataset_length(&instance->dataset, 0);
    FMPQ_VEC(score, (slong)count);
    attest_scores_get(score, &instance->dataset, 0);
    attest_trial_label_dataset(trial, &instance->dataset);
    return compare_range(trial, score, count, error);
}

const attest_property attest_property_softmax_range = {
    .name = "softmax_range",
    .title = "scores within a range D give weights in [e^-D/n, e^D/n]",
    .statement = "softmax_range",
    .gen = gen_range,
    .decide = decide_range,
    .targeted = true,
    .trials = 5000,
};

/* ---- The eigenvalues of the Jacobian of softmax are at most one half. */

const attest_statement attest_statement_softmax_jacobian = {
    .name = "softmax_jacobian",
    .title = "The eigenvalues of the Jacobian of softmax are at most one half",
    .source = "our own",
    .text = "The largest eigenvalue of diag(p) - p p^T is at most 1/2 for every probability "
            "vector p; it is 1/2 iff p has two entries 1/2.",
    .decided_by = "exact arithmetic for rational p",
    .note = "proofs-notes/softmax_jacobian.md",
};

enum { MOST_ENTRIES = 7 };

/* Generates p up to a factor: entries >= 0, not all 0. */
static attest_status gen_jacobian(attest_instance *instance, struct theft *t,
                                  const attest_setting *setting)
{
    size_t count = attest_gen_size(t, 1, MOST_ENTRIES);
    ATTEST_SCOPED(attest_dataset_builder, builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    FMPQ(x, scale);

    (void)setting;
    for (size_t i = 0; i < count; i++) {
        if (i == 0)
            attest_gen_positive(x, t, 8);
        else
            attest_gen_rational(x, t, 8);
        attest_gen_scale(scale, t, 40);
        fmpq_abs(x, x);
        fmpq_mul(x, x, scale);
        ATTEST_TRY(attest_dataset_builder_add_token(&builder, x, NULL));
    }
    ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    return attest_dataset_builder_finish(&instance->dataset, &builder, NULL);
}

/* p = the entries divided by their sum; returns false if one is negative or all are 0. */
static bool get_probabilities(fmpq *p, const attest_dataset *dataset, size_t count)
{
    bool ok = true;
    FMPQ(sum);

    attest_scores_get(p, dataset, 0);
    for (size_t i = 0; i < count; i++) {
        ok = ok && fmpq_sgn(p + i) >= 0;
        fmpq_add(sum, sum, p + i);
    }
    ok = ok && !fmpq_is_zero(sum);
    for (size_t i = 0; ok && i < count; i++)
        fmpq_div(p + i, p + i, sum);
    return ok;
}

/* Returns whether the symmetric matrix is positive semidefinite: eliminates with positive
 * pivots until no positive diagonal entry remains; the remaining rows must be zero. Destroys m.
 */
static bool is_semidefinite(fmpq_mat_t m)
{
    slong n = fmpq_mat_nrows(m);
    bool done[MOST_ENTRIES] = {false};
    FMPQ(factor);

    for (;;) {
        slong pivot = 0;
        while (pivot < n && (done[pivot] || fmpq_sgn(fmpq_mat_entry(m, pivot, pivot)) <= 0))
            pivot++;
        if (pivot == n)
            break;
        done[pivot] = true;
        for (slong i = 0; i < n; i++) {
            if (done[i])
                continue;
            fmpq_div(factor, fmpq_mat_entry(m, i, pivot), fmpq_mat_entry(m, pivot, pivot));
            for (slong j = 0; j < n; j++)
                fmpq_submul(fmpq_mat_entry(m, i, j), factor, fmpq_mat_entry(m, pivot, j));
        }
    }
    bool rest = true;
    for (slong i = 0; i < n; i++)
        for (slong j = 0; j < n; j++)
            rest = rest && (done[i] || done[j] || fmpq_is_zero(fmpq_mat_entry(m, i, j)));
    return rest;
}

/* Returns whether I/2 - diag(p) + p p^T is positive semidefinite. */
static bool holds(const fmpq *p, size_t count)
{
    fmpq_mat_t m;
    bool ok;

    fmpq_mat_init(m, (slong)count, (slong)count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++)
            fmpq_mul(fmpq_mat_entry(m, (slong)i, (slong)j), p + i, p + j);
        fmpq *diagonal = fmpq_mat_entry(m, (slong)i, (slong)i);
        FMPQ(half);
        fmpq_set_si(half, 1, 2);
        fmpq_add(diagonal, diagonal, half);
        fmpq_sub(diagonal, diagonal, p + i);
    }
    ok = is_semidefinite(m);
    fmpq_mat_clear(m);
    return ok;
}

/* Returns an approximation of the largest eigenvalue, by power iteration from a vector whose
 * entries have both signs. */
static double eigenvalue(const fmpq *p, size_t count)
{
    double x[MOST_ENTRIES], q[MOST_ENTRIES], norm = 0;

    for (size_t i = 0; i < count; i++) {
        q[i] = fmpq_get_d(p + i);
        x[i] = i % 2 ? -1.0 - (double)i / 8 : 1;
    }
    for (int step = 0; step < 100; step++) {
        double mean = 0;
        norm = 0;
        for (size_t i = 0; i < count; i++)
            mean += q[i] * x[i];
        for (size_t i = 0; i < count; i++) {
            x[i] = q[i] * (x[i] - mean);
            norm += x[i] * x[i];
        }
        norm = sqrt(norm);
        if (norm == 0)
            return 0;
        for (size_t i = 0; i < count; i++)
            x[i] /= norm;
    }
    return norm;
}

static attest_status decide_jacobian(attest_trial *trial, const attest_instance *instance,
                                     const attest_setting *setting, attest_error *error)
{
    const attest_dataset *dataset = &instance->dataset;

    (void)setting, (void)error;
    trial->outcome = ATTEST_DISCARDED;
    if (dataset->count != 1 || dataset->dim != 1 ||
        attest_dataset_length(dataset, 0) > MOST_ENTRIES)
        return ATTEST_OK;
    size_t count = attest_dataset_length(dataset, 0);
    FMPQ_VEC(p, (slong)count);
    if (get_probabilities(p, dataset, count)) {
        double largest = eigenvalue(p, count);
        trial->outcome = ATTEST_HELD;
        attest_trial_label_dataset(trial, dataset);
        if (!holds(p, count)) {
            attest_trial_violated(trial, "softmax_jacobian", "an eigenvalue exceeds 1/2");
            trial->margin = fmin(log2(0.5 / largest), -0x1p-1022);
        } else if (largest > 0)
            trial->margin = fmax(log2(0.5 / largest), 0);
    }
    return ATTEST_OK;
}

const attest_property attest_property_softmax_jacobian = {
    .name = "softmax_jacobian",
    .title = "no eigenvalue of diag(p) - p p^T exceeds 1/2",
    .statement = "softmax_jacobian",
    .gen = gen_jacobian,
    .decide = decide_jacobian,
    .targeted = true,
    .trials = 5000,
};
