/* tuned.c -- a rank-1 softmax head needs no gap to tell contexts apart. */
#include "props/tuned.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/label.h"
#include "props/properties.h"
#include "props/statement.h"
#include "props/verdicts.h"

static const attest_hypothesis hypotheses[] = {
    {"nonzero", "no token is zero"},
    {"kappa", "kappa = u_1 . u_2 is not 0"},
    {"injective", "v tells all tokens and 0 apart"},
    {"w", "w = W_O u_3 is not 0"},
    {"apart", "|w| (max v.x - min v.x) < min |x - x'|, or w is parallel to no x - x'"},
    {0},
};

const attest_statement attest_statement_tuned = {
    .name = "tuned",
    .title = "A softmax head of rank 1 needs no gap to tell contexts apart",
    .source = "our own",
    .text =
        "Let data and weights be rational, one softmax head with skip, W_Q = u_1 v^T, W_K = "
        "u_2 v^T, W_V = u_3 v^T. Under the hypotheses the head is a contextual mapping with "
        "delta = 0: with repetitions, different lengths, and with a causal mask as well.",
    .hypotheses = hypotheses,
    .decided_by = "doubles with error bounds, and balls and the zero test where they do not "
                  "suffice",
    .note = "proofs-notes/tuned.md",
    .machine = "given Lindemann-Weierstrass: proofs-notes/coq/tuned.v, tuned_contextual",
};

/* What is kept from call to call. */
typedef struct memory {
    size_t room;
    bool *asked;
    attest_filter_answer *answer;
    attest_doubles doubles;
    attest_verdicts verdicts;
} memory;

static void forget(void *kept)
{
    memory *m = kept;

    if (!m)
        return;
    attest_verdicts_clear(&m->verdicts);
    attest_doubles_clear(&m->doubles);
    free(m->asked);
    free(m->answer);
    free(m);
}

static attest_status remember(void **kept, size_t count)
{
    memory *m = *kept;

    if (!m) {
        m = *kept = attest_memory_alloc(1, sizeof *m);
        if (!m)
            return ATTEST_NOMEM;
        attest_doubles_init(&m->doubles);
        attest_verdicts_init(&m->verdicts);
    }
    if (count <= m->room)
        return ATTEST_OK;
    free(m->asked);
    free(m->answer);
    m->asked = attest_memory_alloc(count, sizeof *m->asked);
    m->answer = attest_memory_alloc(count, sizeof *m->answer);
    m->room = m->asked && m->answer ? count : 0;
    return m->room ? ATTEST_OK : ATTEST_NOMEM;
}

static void judge(attest_trial *trial, const attest_filter_answer *answer,
                  const attest_instance *instance)
{
    if (instance->weights.mask == ATTEST_MASK_CAUSAL)
        attest_trial_label(trial, "causal mask");
    if (strcmp(answer->method, "filter") == 0)
        attest_trial_label(trial, "decided by doubles");
    attest_trial_label_dataset(trial, &instance->dataset);
    if (answer->verdict == ATTEST_UNDECIDED)
        attest_trial_open(trial, "not decided by %s", answer->method);
    if (answer->verdict != ATTEST_REFUTED)
        return;
    attest_trial_violated(trial, "contextual-mapping", "two outputs are equal");
    trial->has_pair = true;
    trial->pair[0] = answer->place[0], trial->pair[1] = answer->place[1];
}

static attest_status decide_many(attest_trial *trial, const attest_instance *instance,
                                 size_t count, void **kept, const attest_setting *setting,
                                 attest_error *error)
{
    attest_status status = remember(kept, count);
    memory *m = *kept;

    if (status == ATTEST_OK)
        status = attest_doubles_set(&m->doubles, instance, count);
    if (status != ATTEST_OK)
        return attest_error_set(error, status, "out of memory");
    for (size_t i = 0; i < count; i++)
        m->asked[i] =
            m->doubles.fits[i] && ((!setting->without && attest_tuned_surely(&instance[i])) ||
                                   attest_tuned_exactly(&instance[i], setting));
    ATTEST_TRY(attest_verdicts_get(m->answer, &m->verdicts, &m->doubles, m->asked, error));
    for (size_t i = 0; i < count; i++)
        if (m->asked[i])
            judge(&trial[i], &m->answer[i], &instance[i]);
        else
            trial[i].outcome = ATTEST_DISCARDED;
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    void *kept = NULL;
    attest_status status = decide_many(trial, instance, 1, &kept, setting, error);

    forget(kept);
    return status;
}

static const attest_droppable droppable[] = {
    {"nonzero", true}, {"kappa", true}, {"injective", true}, {"w", true}, {"apart", true}, {0},
};

const attest_property attest_property_tuned = {
    .name = "tuned",
    .title = "rank-1 heads without any gap are contextual mappings, on datasets of doubles",
    .statement = "tuned",
    .definition = "contextual-mapping",
    .gen = attest_tuned_gen,
    .decide = decide,
    .decide_many = decide_many,
    .forget = forget,
    .droppable = droppable,
    .trials = 1 << 16,
    .chunk = 1 << 13,
};
