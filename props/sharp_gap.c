/* sharp_gap.c -- the sharp gap: from log(2 + sqrt 3) on boltz tells sets apart. */
#include "theory/sharp_gap.h"

#include "props/gap_lemma.h"
#include "props/properties.h"
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"gap", "all distinct values of the union are at least g >= log(2 + sqrt 3) apart"},
    {"no-duplicates", "A and B are sets: no value counts twice"},
    {0},
};

/* tests/theory/sharp_gap.c reads these digits. */
static const attest_constant constants[] = {
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
    .title = "The sharp gap: boltz tells sets apart from log(2 + sqrt 3) on, and not below",
    .source = "our own",
    .text =
        "Let A and B be different finite nonempty sets of reals whose distinct values are at "
        "least g >= log(2 + sqrt 3) apart; q = e^{-g}, mu = g q/(1-q), nu = mu/(1-q). If the "
        "maxima differ, |boltz(A) - boltz(B)| >= g - nu > 0. If they agree, c is the largest "
        "element of the symmetric difference and t = max - c, then |boltz(A) - boltz(B)| >= "
        "e^{-t} [(t - m)(1 - 2q) - mu] > 0, m = g q/(1+q) where t < 2g, else nu; at g = "
        "log(2 + sqrt 3) the difference is positive still. The order is that of Lemma F. For "
        "sets of at most n elements any gap above g_n does: {0, -g} and {0, -2g, ..., -ng} "
        "have equal boltz at g = g_n, and g_n rises to log(2 + sqrt 3): no smaller gap does.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "balls",
    .note = "proofs-notes/sharp_gap.md",
    .machine = "for any sizes: proofs-notes/coq/sharp_gap.v, sharp_gap; no smaller gap: "
               "sharp_collision.v; over a family: family.v, sharp_family_bound. Not the "
               "thresholds for sets of at most n elements, nor the gap log(2 + sqrt 3) itself",
};

static bool check_gap(const fmpq_t gap, size_t n)
{
    (void)n;
    return attest_sharp_gap_check(gap);
}

static const attest_gap_lemma lemma = {.name = "sharp_gap",
                                       .threshold = 1.3169578,
                                       .check = check_gap,
                                       .bound = attest_sharp_gap_bound};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    return attest_gap_lemma_gen(instance, t, setting, &lemma);
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    return attest_gap_lemma_decide(trial, instance, setting, &lemma, error);
}

static const attest_droppable droppable[] = {
    {"gap", true},
    {"no-duplicates", true},
    {0},
};

const attest_property attest_property_sharp_gap = {
    .name = "sharp_gap",
    .title = "boltz of sets with the sharp gap differ by its bound, in Lemma F's order",
    .statement = "sharp_gap",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .targeted = true,
    .trials = 2000,
};
