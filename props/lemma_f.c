/* lemma_f.c -- Lemma F and the sharp gap: boltz tells sets with a gap apart. */
#include <math.h>

#include "number/scope.h"
#include "props/registry.h"
#include "props/vectors.h"
#include "theory/lemma_f.h"
#include "theory/sharp_gap.h"

/* A lemma: the values of boltz of two sets with a sufficient gap differ by at least a bound, in
 * a known order. */
typedef struct gap_lemma {
    const char *name; /* of the statement */
    double threshold; /* the sufficient gap, rounded down to 7 decimals */
    bool (*check)(const fmpq_t gap, size_t n); /* whether a gap is sufficient; n is ignored */
    attest_status (*bound)(arb_t value, arb_t log2, const arb_t gap, bool first_at_maximum,
                           const arb_t t, long bits, attest_error *error);
} gap_lemma;

enum { MOST_VALUES = 12, MOST_COPIES = 8, MOST_BITS = 1 << 15 };

/* Larger gaps are replaced by this one: a set with a gap has every smaller one, too. For packed
 * sets difference and bound agree up to a factor of about 1 + e^{-kg}, k up to MOST_VALUES, and
 * MOST_BITS must suffice to tell them apart. */
enum { LARGEST_GAP = 1000 };

/* Puts a value into vector side, several times where duplicates are allowed. */
static void put(attest_vector_lists *lists, size_t side, size_t value, struct theft *t,
                const attest_setting *setting)
{
    size_t copies = 1;

    if (attest_setting_drops(setting, "no-duplicates"))
        copies += (size_t)theft_random_choice(t, MOST_COPIES);
    while (copies-- > 0)
        lists->index[side][lists->length[side]++] = value;
}

/* A contains the value `first`, B does not. The other values are drawn, or packed: those before
 * `first` are in both sets and those after it in B, the worst case of the lemma. */
static void gen_sets(attest_vector_lists *lists, struct theft *t, size_t count,
                     const attest_setting *setting)
{
    size_t first = (size_t)theft_random_choice(t, count - 1);
    bool packed = theft_random_choice(t, 2) == 1;

    *lists = (attest_vector_lists){.count = 2};
    for (size_t i = 0; i < count; i++) {
        enum { BOTH, ONLY_A, ONLY_B, NEITHER, KINDS };
        size_t kind = i < first ? BOTH : i == first ? ONLY_A : ONLY_B;

        if (i != first && !packed)
            kind = (size_t)theft_random_choice(t, KINDS);
        if (i + 1 == count && lists->length[1] == 0)
            kind = ONLY_B; /* no set is empty */
        if (kind == BOTH || kind == ONLY_A)
            put(lists, 0, i, t, setting);
        if (kind == BOTH || kind == ONLY_B)
            put(lists, 1, i, t, setting);
    }
}

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting, const gap_lemma *lemma)
{
    size_t count = 2 + (size_t)theft_random_choice(t, MOST_VALUES - 1);
    attest_vector_lists lists;
    ATTEST_SCOPED(attest_vocabulary, values);
    FMPQ(gap);

    if (attest_setting_drops(setting, "gap"))
        attest_vectors_gen_narrow(gap, t, lemma->threshold);
    else
        attest_vectors_gen_gap(gap, t, lemma->threshold, lemma->check, 0);
    ATTEST_TRY(attest_vectors_gen_values(&values, t, count, gap));
    gen_sets(&lists, t, count, setting);
    return attest_vectors_build(&instance->dataset, &values, &lists);
}

/* The first difference of two sets. */
typedef struct first_difference {
    bool at_maximum; /* the maxima differ */
    int sign;        /* of boltz(A) - boltz(B), by the lemma */
    fmpq *depth;     /* t = max - c, if not at_maximum */
} first_difference;

/* Returns the largest element of list i that is not in list j, or NULL. Lists descend. */
static const fmpz *largest_alone(const attest_vectors *vectors, size_t i, size_t j)
{
    const fmpz *own = attest_vectors_get(vectors, i), *other = attest_vectors_get(vectors, j);

    for (size_t k = 0; k < attest_dataset_length(vectors->dataset, i); k++) {
        bool found = false;

        for (size_t l = 0; l < attest_dataset_length(vectors->dataset, j); l++)
            found = found || fmpz_equal(own + k, other + l);
        if (!found)
            return own + k;
    }
    return NULL;
}

static void find_first_difference(first_difference *first, const attest_vectors *vectors,
                                  size_t i, size_t j)
{
    const fmpz *a = largest_alone(vectors, i, j), *b = largest_alone(vectors, j, i);
    const fmpz *top_a = attest_vectors_get(vectors, i), *top_b = attest_vectors_get(vectors, j);
    bool owner_a = a && (!b || fmpz_cmp(a, b) > 0);
    FMPZ(depth);

    first->at_maximum = !fmpz_equal(top_a, top_b);
    first->sign = owner_a == first->at_maximum ? 1 : -1;
    fmpz_sub(depth, top_a, owner_a ? a : b);
    fmpq_set_fmpz_frac(first->depth, depth, vectors->denominator);
}

/* The sign of boltz(A) - boltz(B) after all values were multiplied by 2^20/divisor. */
static attest_status stretched_sign(int *sign, const attest_vectors *vectors, size_t i,
                                    size_t j, ulong divisor, attest_error *error)
{
    slong total = (slong)vectors->dataset->total;
    attest_vectors stretched ATTEST_CLEARED_BY(attest_vectors_clear) = *vectors;
    ATTEST_SCOPED(attest_boltz_difference, difference);

    stretched.entry = _fmpz_vec_init(total);
    _fmpz_vec_scalar_mul_2exp(stretched.entry, vectors->entry, total, 20);
    fmpz_init(stretched.denominator);
    fmpz_mul_ui(stretched.denominator, vectors->denominator, divisor);
    ATTEST_TRY(attest_vectors_difference(&difference, &stretched, i, j, 16, error));
    *sign = difference.sign;
    return ATTEST_OK;
}

/* The sets violate the order of the lemma at their gap. Finds by bisection the largest gap at
 * which they do when stretched; from the gap of the lemma on the order holds. */
static attest_status report_stretched(attest_trial *trial, const attest_vectors *vectors,
                                      size_t i, size_t j, int wrong, const fmpq_t gap,
                                      const gap_lemma *lemma, attest_error *error)
{
    double own = fmpq_get_d(gap), scale = 1 << 20;
    ulong violates = 1 << 20, holds = (ulong)(own / (lemma->threshold + 1e-7) * scale);

    while (violates - holds > 1) {
        ulong middle = holds + (violates - holds) / 2;
        int sign;

        ATTEST_TRY(stretched_sign(&sign, vectors, i, j, middle, error));
        if (sign == wrong || sign == 0)
            violates = middle;
        else
            holds = middle;
    }
    attest_trial_violated(trial, lemma->name,
                          "the order of boltz is the wrong one at a gap of %.5f, and, the "
                          "sets stretched, up to %.5f",
                          own, own * scale / (double)violates);
    return ATTEST_OK;
}

/* Below the gap of the lemma the conclusion is only the order. */
static attest_status decide_order(attest_trial *trial, const attest_vectors *vectors, size_t i,
                                  size_t j, int expected, const fmpq_t gap,
                                  const gap_lemma *lemma, attest_error *error)
{
    ATTEST_SCOPED(attest_boltz_difference, difference);

    ATTEST_TRY(attest_vectors_difference(&difference, vectors, i, j, 16, error));
    if (difference.sign == expected)
        return ATTEST_OK;
    return report_stretched(trial, vectors, i, j, difference.sign, gap, lemma, error);
}

static attest_status decide_bound(attest_trial *trial, const attest_vectors *vectors, size_t i,
                                  size_t j, const first_difference *first, const fmpq_t gap,
                                  const gap_lemma *lemma, attest_error *error)
{
    int sign = 0;
    ATTEST_SCOPED(attest_boltz_difference, difference);
    ARB(bound, log2, g, t);

    for (long bits = 64; bits <= MOST_BITS && sign == 0; bits *= 2) {
        arb_set_fmpq(g, gap, 2 * bits);
        arb_set_fmpq(t, first->depth, 2 * bits);
        /* a smaller g is a gap, too; with the lower end, t >= g is provable if t = gap */
        arb_get_lbound_arf(arb_midref(g), g, 2 * bits);
        mag_zero(arb_radref(g));
        ATTEST_TRY(attest_vectors_difference(&difference, vectors, i, j, bits, error));
        ATTEST_TRY(lemma->bound(bound, log2, g, first->at_maximum, t, 2 * bits, error));
        sign = difference.sign != first->sign
                   ? -1
                   : attest_vectors_compare(trial, difference.log2, log2);
    }
    if (sign < 0)
        attest_trial_violated(trial, lemma->name, "%s",
                              difference.sign != first->sign
                                  ? "the order of boltz is the wrong one"
                                  : "the sets' boltz differ by less than the bound");
    else if (sign == 0)
        attest_trial_open(trial, "difference and bound agree to %d bits", MOST_BITS);
    return ATTEST_OK;
}

static attest_status decide_pair(attest_trial *trial, const attest_vectors *vectors, size_t i,
                                 size_t j, const fmpq_t gap, const gap_lemma *lemma,
                                 attest_error *error)
{
    FMPQ(depth);
    first_difference first = {.depth = depth};

    find_first_difference(&first, vectors, i, j);
    attest_trial_label(trial, first.at_maximum ? "maxima differ" : "maxima agree");
    if (lemma->check(gap, 0))
        ATTEST_TRY(decide_bound(trial, vectors, i, j, &first, gap, lemma, error));
    else
        ATTEST_TRY(decide_order(trial, vectors, i, j, first.sign, gap, lemma, error));
    if (trial->outcome == ATTEST_VIOLATED) {
        trial->has_pair = true;
        trial->pair[0] = (attest_place){i, 0};
        trial->pair[1] = (attest_place){j, 0};
    }
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, const gap_lemma *lemma,
                            attest_error *error)
{
    size_t count = instance->dataset.count;
    attest_vectors vectors ATTEST_CLEARED_BY(attest_vectors_clear);
    bool meets;
    FMPQ(gap);

    if (attest_vectors_init(&vectors, &instance->dataset, error) != ATTEST_OK) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    meets = !attest_vectors_have_duplicates(&vectors) ||
            attest_setting_drops(setting, "no-duplicates");
    if (attest_vectors_gap(gap, &vectors))
        meets = meets && (lemma->check(gap, 0) || attest_setting_drops(setting, "gap"));
    if (!meets) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    if (fmpq_cmp_si(gap, LARGEST_GAP) > 0)
        fmpq_set_si(gap, LARGEST_GAP, 1);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && trial->outcome == ATTEST_HELD; j++)
            if (!attest_vectors_same_set(&vectors, i, j))
                ATTEST_TRY(decide_pair(trial, &vectors, i, j, gap, lemma, error));
    return ATTEST_OK;
}

/* ---- Lemma F: separation by the first difference. */

static const attest_hypothesis lemma_f_hypotheses[] = {
    {"gap", "all distinct values of the union are at least g >= g* apart"},
    {"no-duplicates", "A and B are sets: no value counts twice"},
    {0},
};

static const attest_constant lemma_f_constants[] = {
    {"g*", "1.445574911151548..., the solution of g = 1 + g e^{-g}/(1 - e^{-g}); the sharp "
           "form begins at log(2 + sqrt 3): attest show sharp_gap"},
    {0},
};

const attest_statement attest_statement_lemma_f = {
    .name = "lemma_f",
    .title = "Lemma F: separation by the first difference",
    .source = "our own",
    .text =
        "Let A and B be different finite nonempty sets of reals whose distinct values are at "
        "least g >= g* apart; q = e^{-g}, mu = g q/(1-q). If the maxima differ, |boltz(A) - "
        "boltz(B)| >= g - mu. If they agree, c is the largest element of the symmetric "
        "difference and t = max - c, then |boltz(A) - boltz(B)| >= e^{-t} [(t - mu)(1 - 2q) - "
        "g q/(1-q)] > 0. The set with the larger maximum has the larger boltz; at equal maxima "
        "the set that owns c has the smaller one.",
    .hypotheses = lemma_f_hypotheses,
    .constants = lemma_f_constants,
    .decided_by = "balls",
    .note = "proofs-notes/lemma_f.md",
    .machine = "whole: proofs-notes/coq/lemma_f.v, lemma_f; over a family: family.v, "
               "family_bound; g*: gstar.v, gstar_digits.v",
};

static bool check_lemma_f(const fmpq_t gap, size_t n)
{
    (void)n;
    return attest_lemma_f_check_gap(gap);
}

static const gap_lemma lemma_f = {.name = "lemma_f",
                                  .threshold = 1.4455749,
                                  .check = check_lemma_f,
                                  .bound = attest_lemma_f_bound};

static attest_status gen_lemma_f(attest_instance *instance, struct theft *t,
                                 const attest_setting *setting)
{
    return gen(instance, t, setting, &lemma_f);
}

static attest_status decide_lemma_f(attest_trial *trial, const attest_instance *instance,
                                    const attest_setting *setting, attest_error *error)
{
    return decide(trial, instance, setting, &lemma_f, error);
}

static const attest_droppable droppable[] = {
    {"gap", true},
    {"no-duplicates", true},
    {0},
};

const attest_property attest_property_lemma_f = {
    .name = "lemma_f",
    .title = "boltz of sets with a gap differ by Lemma F's bound, in its order",
    .statement = "lemma_f",
    .gen = gen_lemma_f,
    .decide = decide_lemma_f,
    .droppable = droppable,
    .targeted = true,
    .trials = 2000,
};

/* ---- The sharp gap: boltz separates sets from log(2 + sqrt 3) on. */

static const attest_hypothesis sharp_gap_hypotheses[] = {
    {"gap", "all distinct values of the union are at least g >= log(2 + sqrt 3) apart"},
    {"no-duplicates", "A and B are sets: no value counts twice"},
    {0},
};

/* tests/theory/sharp_gap.c reads these digits. */
static const attest_constant sharp_gap_constants[] = {
    {"any size", "1.31695789692481670862..., log(2 + sqrt 3)"},
    {"n = 2", "0.88137358701954302523..., log(1 + sqrt 2)"},
    {"n = 3", "1.21349631541562464235..."},
    {"n = 4", "1.28751586032840996029..."},
    {"n = 5", "1.30811364615620838644..."},
    {"n = 8", "1.31671419822974870763..."},
    {"n = 16", "1.31695788481263264818..."},
    {0},
};

const attest_statement attest_statement_sharp_gap = {
    .name = "sharp_gap",
    .title = "The sharp gap: boltz separates sets from log(2 + sqrt 3) on, and not below",
    .source = "our own",
    .text =
        "Let A and B be different finite nonempty sets of reals whose distinct values are at "
        "least g >= log(2 + sqrt 3) apart; q = e^{-g}, mu = g q/(1-q), nu = mu/(1-q). If the "
        "maxima differ, |boltz(A) - boltz(B)| >= g - nu > 0. If they agree, c is the largest "
        "element of the symmetric difference and t = max - c, then |boltz(A) - boltz(B)| >= "
        "e^{-t} [(t - m)(1 - 2q) - mu] > 0, m = g q/(1+q) where t < 2g, else nu; at g = "
        "log(2 + sqrt 3) the difference is still positive. The order is that of Lemma F. For "
        "sets of at most n elements any gap above g_n suffices: {0, -g} and {0, -2g, ..., -ng} "
        "have equal boltz at g = g_n, and g_n rises to log(2 + sqrt 3): no smaller gap "
        "suffices for all n.",
    .hypotheses = sharp_gap_hypotheses,
    .constants = sharp_gap_constants,
    .decided_by = "balls",
    .note = "proofs-notes/sharp_gap.md",
    .machine = "for any sizes: proofs-notes/coq/sharp_gap.v, sharp_gap; no smaller gap: "
               "sharp_collision.v; over a family: family.v, sharp_family_bound. Not the "
               "thresholds for sets of at most n elements, nor the gap log(2 + sqrt 3) itself",
};

static bool check_sharp_gap(const fmpq_t gap, size_t n)
{
    (void)n;
    return attest_sharp_gap_check(gap);
}

static const gap_lemma sharp_gap = {.name = "sharp_gap",
                                    .threshold = 1.3169578,
                                    .check = check_sharp_gap,
                                    .bound = attest_sharp_gap_bound};

static attest_status gen_sharp_gap(attest_instance *instance, struct theft *t,
                                   const attest_setting *setting)
{
    return gen(instance, t, setting, &sharp_gap);
}

static attest_status decide_sharp_gap(attest_trial *trial, const attest_instance *instance,
                                      const attest_setting *setting, attest_error *error)
{
    return decide(trial, instance, setting, &sharp_gap, error);
}

const attest_property attest_property_sharp_gap = {
    .name = "sharp_gap",
    .title = "boltz of sets with the sharp gap differ by its bound, in Lemma F's order",
    .statement = "sharp_gap",
    .gen = gen_sharp_gap,
    .decide = decide_sharp_gap,
    .droppable = droppable,
    .targeted = true,
    .trials = 2000,
};
