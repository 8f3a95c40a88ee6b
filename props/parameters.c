/* parameters.c -- Remark 2: the number of parameters of a memorising network. */
#include "base/scope.h"
#include "theory/memorize.h"

#include "props/memorization.h"
#include "props/properties.h"
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"consistent", "equal vocabulary and equal token imply equal label (Corollary 1)"},
    {"as-counted",
     "rank-1 matrices count s + d each, and of the feed-forward layer W_2 counts alone, as the "
     "paper has it; all entries of all matrices and biases are more"},
    {0},
};

static const attest_constant constants[] = {
    {"the paper's", "4(s + d) + d(2 n N + d), n the longest length, N sequences"},
    {"what is built", "4(s + d) + d(2(m - 1) + d), s = 1"},
    {0},
};

const attest_statement attest_statement_parameters = {
    .name = "parameters",
    .title = "Remark 2: parameter efficiency of memorisation",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Remark 2; the exact count is "
              "our own",
    .text =
        "The network of Corollary 1 has exactly 4(s + d) + d(2(m - 1) + d) parameters, m <= T "
        "the runs of contexts of one class along its projection, T <= n N the positions. So it "
        "has at least 2d(n N - T + 1) fewer than the paper's 4(s + d) + d(2 n N + d): linear "
        "in the positions, 2d for each, quadratic in d, and independent of the vocabulary, of "
        "its separation and of the size of the labels' entries.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "counting the numbers of the network that was built",
    .note = "proofs-notes/memorize.md",
    .machine = "that a network with at most the paper's number exists: "
               "proofs-notes/coq/corollary1.v, corollary1. Not the exact count",
};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    return attest_props_memorization_gen(instance, t, setting, false);
}

/* Counts the parameters in the network itself, not those that the library reports. */
typedef struct count {
    uint64_t factors, second, dense, units;
} count;

static void count_matrix(count *c, const attest_matrix *matrix)
{
    c->factors += matrix->rows + matrix->cols;
    c->dense += matrix->rows * matrix->cols;
}

static count count_network(const attest_network *network)
{
    const attest_feed_forward *after = &network->after;
    count c = {.dense = after->dim}; /* b_2 */

    for (size_t h = 0; h < network->attention.heads; h++) {
        const attest_head *head = &network->attention.head[h];

        count_matrix(&c, &head->wq);
        count_matrix(&c, &head->wk);
        count_matrix(&c, &head->wv);
        count_matrix(&c, &head->wo);
    }
    for (size_t g = 0; g < after->groups; g++) {
        const attest_units *group = &after->group[g];

        c.units += group->count;
        c.second += group->count * group->dim;
        c.dense += 2 * group->count * group->dim + group->count;
    }
    return c;
}

static void judge(attest_trial *trial, const attest_memorization *m,
                  const attest_dataset *dataset, const attest_setting *setting)
{
    uint64_t d = m->network.dim, most = dataset->longest * dataset->count;
    uint64_t paper = 4 * (1 + d) + d * (2 * most + d),
             saved = 2 * d * (most - dataset->total + 1);
    count c = count_network(&m->network);
    uint64_t built =
        attest_setting_drops(setting, "as-counted") ? c.dense : c.factors + c.second;

    if (m->parameters != c.factors + c.second || m->parameters_dense != c.dense ||
        m->paper_parameters != paper || m->hidden_units != c.units)
        attest_trial_violated(trial, "parameters", "the library counts otherwise");
    else if (!attest_setting_drops(setting, "as-counted") &&
             built != 4 * (1 + d) + d * (2 * (m->pieces - 1) + d))
        attest_trial_violated(trial, "parameters", "%llu parameters for %zu pieces",
                              (unsigned long long)built, m->pieces);
    else if (built + saved > paper)
        attest_trial_violated(trial, "parameters", "%llu parameters, more than %llu",
                              (unsigned long long)built, (unsigned long long)(paper - saved));
    attest_trial_label(trial, built + saved == paper ? "all positions differ" : "fewer pieces");
    attest_trial_label(trial, dataset->total == most ? "equal lengths" : "unequal lengths");
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const attest_dataset *dataset = &instance->dataset;
    const fmpq *mask = attest_instance_get(instance, "mask");
    attest_status status;

    if (dataset->count == 0 || !dataset->label || (mask && fmpq_cmp_si(mask, 1) > 0)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    ATTEST_SCOPED(attest_memorization, m);
    m.mask = mask && fmpq_is_one(mask) ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    status = attest_memorization_build(&m, dataset, error);
    if (status == ATTEST_UNABLE) {
        attest_trial_open(trial, "%s", error->text);
        return ATTEST_OK;
    }
    ATTEST_TRY(status);
    if (m.hypothesis)
        trial->outcome = ATTEST_DISCARDED;
    else
        judge(trial, &m, dataset, setting);
    return ATTEST_OK;
}

static const attest_droppable droppable[] = {{"as-counted", true}, {0}};

static const attest_coverage coverage[] = {
    {"all positions differ", 20, 90},
    {"unequal lengths", 20, 90},
    {0},
};

const attest_property attest_property_parameters = {
    .name = "parameters",
    .title = "what memorisation builds has the promised number of parameters",
    .statement = "parameters",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .coverage = coverage,
    .trials = 500,
    .few = "each builds a network and proves its output at every token",
    .chunk = 16,
};
