/* lemma1.c -- Lemma 1: the Boltzmann operator keeps distances. */
#include <math.h>

#include "attention/attention_ball.h"
#include "number/scope.h"
#include "theory/lemma1.h"

#include "props/registry.h"
#include "props/vectors.h"

static const attest_hypothesis hypotheses[] = {
    {"gap", "delta > 2 log n + 3"},
    {"no-duplicates", "no vector repeats an entry"},
    {"equal-length", "every vector has exactly n entries (dropped: n bounds their lengths)"},
    {"radius", "all |entries| < r"},
    {0},
};

static const attest_constant constants[] = {
    {"(log n)^2 e^{-2r}", "the least separation"},
    {0},
};

const attest_statement attest_statement_lemma1 = {
    .name = "lemma1",
    .title = "Lemma 1: the Boltzmann operator keeps distances",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Lemma 1",
    .text =
        "If the entries of a^(1..m) lie in (-r, r), different entries differ by more than "
        "delta and no vector repeats an entry, then |boltz(a^(i))| <= r, and |boltz(a^(i)) - "
        "boltz(a^(j))| > (log n)^2 e^{-2r} whenever the sets of entries differ.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "balls",
    .note = "proofs-notes/lemma1.md",
    .machine = "whole: proofs-notes/coq/lemma1.v, lemma1; at any sizes: lemma1_sizes",
};

/* ---- The property ----------------------------------------------------------------------- */

enum { MOST_ENTRIES = 12, MOST_BITS = 4096 };

/* n distinct indices out of count, ascending. */
static void gen_subset(size_t *index, struct theft *t, size_t n, size_t count)
{
    size_t next = 0;

    for (size_t k = 0; k < n; k++) {
        next += (size_t)theft_random_choice(t, count - next - (n - k) + 1);
        index[k] = next++;
    }
}

/* n entries, most of them the largest value. */
static void gen_copies(size_t *index, struct theft *t, size_t n, size_t count)
{
    size_t copies = n - attest_gen_size(t, 0, n - 1);

    for (size_t k = 0; k < n; k++)
        index[k] = k < copies ? 0 : (size_t)theft_random_choice(t, count);
}

/* Vectors of n entries, the later ones often the first with its last entry exchanged. */
static void gen_lists(attest_vector_lists *lists, struct theft *t, size_t n, size_t count,
                      const attest_setting *setting)
{
    bool repeats = attest_setting_drops(setting, "no-duplicates");

    lists->count = attest_gen_size(t, 2, 4);
    for (size_t i = 0; i < lists->count; i++) {
        size_t *own = lists->index[i];

        lists->length[i] = n;
        if (repeats)
            gen_copies(own, t, n, count);
        else
            gen_subset(own, t, n, count);
        if (attest_setting_drops(setting, "equal-length")) {
            lists->length[i] -= (size_t)theft_random_choice(t, n); /* the least entries go */
        } else if (i > 0 && !repeats && !attest_gen_rarely(t, 2)) {
            for (size_t k = 0; k < n; k++)
                own[k] = lists->index[0][k];
            own[n - 1] += own[n - 1] + 1 < count ? 1 : 0;
        }
    }
}

/* Draws the number of values: more than n; with repeated entries a few; with an n that is never
 * reached as many as one vector has, so that the first difference is as deep as possible. */
static size_t gen_count(struct theft *t, size_t n, const attest_setting *setting)
{
    if (attest_setting_drops(setting, "equal-length"))
        return n;
    if (attest_setting_drops(setting, "no-duplicates"))
        return attest_gen_size(t, 2, 4);
    return n + attest_gen_size(t, 1, 4);
}

/* r a little above all |values|; with the radius dropped, a fraction of the largest. */
static void gen_radius(fmpq *r, struct theft *t, const attest_vocabulary *values,
                       const attest_setting *setting)
{
    FMPQ(room);

    fmpq_abs(r, values->entry);
    fmpq_abs(room, values->entry + values->count - 1);
    if (fmpq_cmp(room, r) > 0)
        fmpq_set(r, room);
    if (attest_setting_drops(setting, "radius")) {
        fmpq_set_ui(room, (ulong)theft_random_choice(t, 8), 8);
        fmpq_mul(r, r, room);
    } else {
        fmpq_set_ui(room, 1, 1);
        fmpq_div_2exp(room, room, (flint_bitcnt_t)theft_random_choice(t, 20));
        fmpq_add(r, r, room);
    }
}

static attest_status gen_any(attest_instance *instance, struct theft *t,
                             const attest_setting *setting)
{
    size_t most = attest_setting_drops(setting, "no-duplicates") ? MOST_ENTRIES
                  : attest_setting_drops(setting, "gap")         ? 3
                                                                 : 8;
    size_t n = attest_gen_size(t, 2, most);
    size_t count = gen_count(t, n, setting);
    attest_vector_lists lists;
    size_t declared = n;
    ATTEST_SCOPED(attest_vocabulary, values);
    FMPQ(gap);

    if (attest_setting_drops(setting, "equal-length")) {
        declared += attest_gen_size(t, 0, 1000);
        fmpq_set_ui(attest_instance_set(instance, "n"), declared, 1);
    }
    if (attest_setting_drops(setting, "gap"))
        attest_vectors_gen_narrow(gap, t, 2 * log((double)declared) + 3);
    else
        attest_vectors_gen_gap(gap, t, 2 * log((double)declared) + 3, attest_lemma1_check_gap,
                               declared);
    ATTEST_TRY(attest_vectors_gen_values(&values, t, count, gap));
    gen_lists(&lists, t, n, count, setting);
    gen_radius(attest_instance_set(instance, "r"), t, &values, setting);
    return attest_vectors_build(&instance->dataset, &values, &lists);
}

/* The tightest case: two vectors that differ in their least entry, entries as close as the gap
 * allows, and r just above them. */
static attest_status gen_tight(attest_instance *instance, struct theft *t)
{
    size_t n = attest_gen_size(t, 2, 4);
    fmpq *r = attest_instance_set(instance, "r");
    attest_vector_lists lists = {.count = 2, .length = {n, n}};
    ATTEST_SCOPED(attest_vocabulary, values);

    for (size_t k = 0; k < n; k++)
        lists.index[0][k] = lists.index[1][k] = k;
    lists.index[1][n - 1] = n;
    ATTEST_TRY(attest_vectors_set_tight(&values, n + 1, 2 * log((double)n) + 3,
                                        attest_lemma1_check_gap, n));
    fmpq_one(r);
    fmpq_div_2exp(r, r, 20 + (flint_bitcnt_t)theft_random_choice(t, 200));
    fmpq_add(r, r, values.entry);
    return attest_vectors_build(&instance->dataset, &values, &lists);
}

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    return !setting->without && attest_gen_rarely(t, 16) ? gen_tight(instance, t)
                                                         : gen_any(instance, t, setting);
}

/* Sets n to the declared one, or to the largest length. Returns false if the hypotheses do not
 * hold. */
static bool meets_hypotheses(size_t *n, const attest_vectors *vectors, const fmpq *r,
                             const attest_instance *instance, const attest_setting *setting)
{
    const attest_dataset *dataset = &instance->dataset;
    const fmpq *declared = attest_instance_get(instance, "n");
    bool equal = true, meets;

    *n = dataset->longest;
    if (declared && (!fmpz_is_one(fmpq_denref(declared)) ||
                     !fmpz_abs_fits_ui(fmpq_numref(declared)) || fmpq_sgn(declared) <= 0))
        return false;
    if (declared)
        *n = fmpz_get_ui(fmpq_numref(declared));
    for (size_t i = 0; i < dataset->count; i++)
        equal = equal && attest_dataset_length(dataset, i) == *n;
    if (*n < dataset->longest || (!equal && !attest_setting_drops(setting, "equal-length")))
        return false;
    if (attest_vectors_have_duplicates(vectors) &&
        !attest_setting_drops(setting, "no-duplicates"))
        return false;
    FMPQ(x);
    attest_vectors_radius(x, vectors);
    meets = fmpq_cmp(x, r) < 0 || attest_setting_drops(setting, "radius");
    if (meets && attest_vectors_gap(x, vectors))
        meets = attest_lemma1_check_gap(x, *n) || attest_setting_drops(setting, "gap");
    return meets;
}

/* |boltz| <= r for vector i. */
static attest_status decide_radius(attest_trial *trial, const attest_vectors *vectors, size_t i,
                                   const fmpq *r, attest_error *error)
{
    int sign = 0;
    ARB(value, bound);

    for (long bits = 128; bits <= MOST_BITS && sign == 0; bits *= 2) {
        ATTEST_TRY(attest_boltz_ball(value, attest_vectors_get(vectors, i),
                                     vectors->denominator,
                                     attest_dataset_length(vectors->dataset, i), bits, error));
        arb_abs(value, value);
        arb_set_fmpq(bound, r, bits);
        sign = arb_le(value, bound) ? 1 : arb_gt(value, bound) ? -1 : 0;
    }
    if (sign < 0)
        attest_trial_violated(trial, "lemma1", "|boltz| of vector %zu is larger than r", i);
    else if (sign == 0)
        attest_trial_open(trial, "|boltz| of vector %zu and r agree to %d bits", i, MOST_BITS);
    return ATTEST_OK;
}

/* |boltz(a) - boltz(b)| > (log n)^2 e^{-2r} for vectors i and j, whose sets differ. */
static attest_status decide_pair(attest_trial *trial, const attest_vectors *vectors, size_t i,
                                 size_t j, size_t n, const fmpq *r, attest_error *error)
{
    int sign = 0;
    ATTEST_SCOPED(attest_boltz_difference, difference);
    ARB(bound, log2, radius);

    for (long bits = 64; bits <= MOST_BITS && sign == 0; bits *= 2) {
        ATTEST_TRY(attest_vectors_difference(&difference, vectors, i, j, bits, error));
        arb_set_fmpq(radius, r, 2 * bits);
        attest_lemma1_bound(bound, log2, n, radius, 2 * bits);
        sign = difference.sign == 0 ? -1 : attest_vectors_compare(trial, difference.log2, log2);
    }
    if (sign < 0) {
        attest_trial_violated(trial, "lemma1",
                              "boltz of vectors %zu and %zu differ by less than (log %zu)^2 "
                              "e^{-2r}: by %.6f of it",
                              i, j, n, difference.sign == 0 ? 0 : exp2(trial->margin));
        trial->has_pair = true;
        trial->pair[0] = (attest_place){i, 0};
        trial->pair[1] = (attest_place){j, 0};
    } else if (sign == 0) {
        attest_trial_open(trial, "vectors %zu and %zu: difference and bound agree to %d bits",
                          i, j, MOST_BITS);
    }
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const fmpq *r = attest_instance_get(instance, "r");
    size_t count = instance->dataset.count, n;
    attest_vectors vectors ATTEST_CLEARED_BY(attest_vectors_clear);

    if (attest_vectors_init(&vectors, &instance->dataset, error) != ATTEST_OK || !r ||
        !meets_hypotheses(&n, &vectors, r, instance, setting)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    for (size_t i = 0; i < count && trial->outcome == ATTEST_HELD; i++) {
        ATTEST_TRY(decide_radius(trial, &vectors, i, r, error));
        for (size_t j = i + 1; j < count && trial->outcome == ATTEST_HELD; j++)
            if (n >= 2 && !attest_vectors_same_set(&vectors, i, j))
                ATTEST_TRY(decide_pair(trial, &vectors, i, j, n, r, error));
    }
    return ATTEST_OK;
}

static const attest_droppable droppable[] = {
    {"gap", true}, {"no-duplicates", true}, {"equal-length", true}, {"radius", true}, {0},
};

const attest_property attest_property_lemma1 = {
    .name = "lemma1",
    .title = "boltz of different vectors differ by more than (log n)^2 e^{-2r}",
    .statement = "lemma1",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .targeted = true,
    .trials = 2000,
};
