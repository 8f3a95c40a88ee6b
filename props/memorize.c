/* memorize.c -- Corollaries 1 and 2 and Remark 2: networks that map tokens to their labels. */
#include <string.h>

#include "attention/network.h"
#include "base/memory.h"
#include "base/scope.h"
#include "campaign/gen.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "props/registry.h"
#include "theory/contextual.h"
#include "theory/memorize.h"
#include "theory/positional.h"

/* The precision of the other evaluation, in which every operation is rounded. It is meaningful
 * if the entries of W_2 have fewer than a quarter of the bits. */
enum { BITS = 2048, LARGEST = BITS / 4, CLOSE = BITS / 4 };

static void violate(attest_trial *trial, const attest_place pair[2], const char *why)
{
    attest_trial_violated(trial, "memorization", "%s: [%zu,%zu] and [%zu,%zu]", why,
                          pair[0].sequence, pair[0].position, pair[1].sequence,
                          pair[1].position);
    trial->has_pair = true;
    trial->pair[0] = pair[0];
    trial->pair[1] = pair[1];
}

/* mean = the average of the tokens of sequence i, entry c. */
static void get_mean(fmpq_t mean, const attest_dataset *dataset, size_t i, size_t c)
{
    size_t length = attest_dataset_length(dataset, i);
    FMPQ(entry);

    fmpq_zero(mean);
    for (size_t k = 0; k < length; k++) {
        attest_tokens_get_entry(entry, &dataset->tokens, attest_dataset_token(dataset, i, k),
                                c);
        fmpq_add(mean, mean, entry);
    }
    fmpz_mul_ui(fmpq_denref(mean), fmpq_denref(mean), length);
    fmpq_canonicalise(mean);
}

static bool same_mean(const attest_dataset *dataset, size_t i, size_t j)
{
    bool same = true;
    FMPQ(one, other);

    for (size_t c = 0; c < dataset->dim && same; c++) {
        get_mean(one, dataset, i, c);
        get_mean(other, dataset, j, c);
        same = fmpq_equal(one, other);
    }
    return same;
}

/* The position of a zero token in sequence i, or its length. */
static size_t find_zero(const attest_dataset *dataset, size_t i)
{
    size_t length = attest_dataset_length(dataset, i), k;
    bool zero = false;
    FMPQ(entry);

    for (k = 0; k < length && !zero; k += !zero) {
        zero = true;
        for (size_t c = 0; c < dataset->dim && zero; c++) {
            attest_tokens_get_entry(entry, &dataset->tokens,
                                    attest_dataset_token(dataset, i, k), c);
            zero = fmpq_is_zero(entry);
        }
    }
    return k;
}

static bool same_label(const attest_dataset *dataset, attest_place one, attest_place other)
{
    size_t dim = dataset->label_dim;

    for (size_t c = 0; c < dim; c++)
        if (!fmpq_equal(
                dataset->label + (dataset->start[one.sequence] + one.position) * dim + c,
                dataset->label + (dataset->start[other.sequence] + other.position) * dim + c))
            return false;
    return true;
}

/* Without a mask all scores of a zero query are 0 for any weights: its output depends on the
 * mean of the sequence only. If two such outputs need different labels, no network exists. */
static void look_at_zeros(attest_trial *trial, const attest_dataset *dataset)
{
    for (size_t i = 0; i < dataset->count; i++)
        for (size_t j = 0; j < i; j++) {
            attest_place pair[2] = {{j, find_zero(dataset, j)}, {i, find_zero(dataset, i)}};

            if (pair[0].position < attest_dataset_length(dataset, j) &&
                pair[1].position < attest_dataset_length(dataset, i) &&
                same_mean(dataset, i, j) && !same_label(dataset, pair[0], pair[1])) {
                violate(trial, pair, "no weights tell these zero tokens apart");
                return;
            }
        }
    trial->outcome = ATTEST_DISCARDED;
}

/* Returns whether the rounded output at position p is close to its label. */
static bool is_close(mpfr_t *out, const attest_dataset *dataset, size_t p, size_t dim)
{
    bool close = true;
    mpq_t label;

    mpq_init(label);
    for (size_t c = 0; c < dim && close; c++) {
        mpq_set_ui(label, 0, 1);
        if (c < dataset->label_dim)
            fmpq_get_mpq(label, dataset->label + p * dataset->label_dim + c);
        mpfr_sub_q(out[c], out[c], label, MPFR_RNDN);
        close = mpfr_number_p(out[c]) && mpfr_cmpabs_ui(out[c], 1) < 0 &&
                (mpfr_zero_p(out[c]) || mpfr_get_exp(out[c]) < -CLOSE);
    }
    mpq_clear(label);
    return close;
}

static attest_status compare_sequence(attest_trial *trial, attest_network_in_mpfr *state,
                                      const attest_memorization *m,
                                      const attest_dataset *dataset, size_t i,
                                      attest_error *error)
{
    size_t dim = m->network.dim, length = attest_dataset_length(dataset, i);
    MPFR_VEC(BITS, out, length * dim);
    ATTEST_SCOPED(attest_sequence, sequence);

    if (!out)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_dataset_get_sequence(&sequence, dataset, i, NULL, error));
    ATTEST_TRY(attest_network_in_mpfr_eval(out, state, &sequence, error));
    for (size_t k = 0; k < length; k++)
        if (!is_close(out + k * dim, dataset, dataset->start[i] + k, dim))
            attest_trial_violated(trial, "memorization",
                                  "proved, but %d bits give another output at [%zu,%zu]", BITS,
                                  i, k);
    return ATTEST_OK;
}

static void clear_state(attest_network_in_mpfr **state)
{
    attest_network_in_mpfr_clear(*state);
}

/* Runs the network unit by unit in long floating-point numbers, with code that the proof does
 * not use.
 */
static attest_status compare(attest_trial *trial, const attest_memorization *m,
                             const attest_dataset *dataset, attest_error *error)
{
    attest_network_in_mpfr *state ATTEST_CLEARED_BY(clear_state) = NULL;
    attest_format format;
    char name[32];

    if ((long)fmpz_bits(fmpq_numref(m->steepest)) - (long)fmpz_bits(fmpq_denref(m->steepest)) >
        LARGEST)
        return ATTEST_OK;
    attest_trial_label(trial, "evaluated twice");
    snprintf(name, sizeof name, "p=%d", BITS);
    ATTEST_TRY(attest_format_parse(&format, name, error));
    ATTEST_TRY(attest_network_in_mpfr_init(&state, &m->network, &format, MPFR_RNDN, error));
    for (size_t i = 0; i < dataset->count && trial->outcome == ATTEST_HELD; i++)
        ATTEST_TRY(compare_sequence(trial, state, m, dataset, i, error));
    return ATTEST_OK;
}

/* Checks the size that the corollary promises. */
static void check_size(attest_trial *trial, const attest_memorization *m,
                       const attest_dataset *dataset)
{
    size_t most = 2 * dataset->longest * dataset->count + m->network.dim;

    if (m->hidden_units > most)
        attest_trial_violated(trial, "memorization", "%zu hidden units, more than %zu",
                              m->hidden_units, most);
}

static attest_status judge(attest_trial *trial, const attest_memorization *m,
                           const attest_dataset *dataset, const attest_setting *setting,
                           attest_error *error)
{
    if (m->hypothesis && strcmp(m->hypothesis, "consistent") == 0 &&
        attest_setting_drops(setting, "consistent")) {
        violate(trial, m->place, "one context, two labels");
        return ATTEST_OK;
    }
    if (m->hypothesis) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    if (m->proof.verdict == ATTEST_REFUTED)
        attest_trial_violated(trial, "memorization", "%s", m->proof.reason);
    else if (m->proof.verdict == ATTEST_UNDECIDED)
        attest_trial_open(trial, "%s", m->proof.reason);
    if (trial->outcome != ATTEST_HELD)
        return ATTEST_OK;
    check_size(trial, m, dataset);
    attest_trial_label(trial, m->mask == ATTEST_MASK_CAUSAL ? "causal" : "no mask");
    return trial->outcome == ATTEST_HELD ? compare(trial, m, dataset, error) : ATTEST_OK;
}

/* Builds the network, proves its outputs, and compares them with another evaluation. */
static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, bool positional, attest_error *error)
{
    const attest_dataset *dataset = &instance->dataset;
    const fmpq *mask = attest_instance_get(instance, "mask");
    attest_status status;

    if (dataset->count == 0 || !dataset->label ||
        (mask && !fmpq_is_zero(mask) && !fmpq_is_one(mask))) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    if (attest_setting_drops(setting, "r-min") && (!mask || fmpq_is_zero(mask))) {
        look_at_zeros(trial, dataset);
        return ATTEST_OK;
    }
    ATTEST_SCOPED(attest_memorization, m);
    m.mask = mask && fmpq_is_one(mask) ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    m.positional = positional;
    /* For inconsistent labels: every network has one output in each context. */
    m.by_contexts = attest_setting_drops(setting, "consistent");
    status = attest_memorization_build(&m, dataset, error);
    if (status == ATTEST_UNABLE) {
        attest_trial_open(trial, "%s", error->text);
        return ATTEST_OK;
    }
    ATTEST_TRY(status);
    return judge(trial, &m, dataset, setting, error);
}

enum { LABEL_LIMIT = 9 };

static attest_status gen_tokens(attest_instance *instance, struct theft *t, bool repeats)
{
    attest_gen_tokens tokens = {
        .dim_max = 4, .count_min = 2, .count_max = 8, .zero = repeats, .decades = 4};
    attest_gen_sequences sequences = {
        .count_min = 1, .count_max = 6, .length_min = 1, .length_max = 6, .repeats = repeats};

    return attest_gen_sequences_of(&instance->dataset, t, &tokens, &sequences);
}

/* (a, b, 0) and (c, d, 0) with a + b = c + d, all positive: the output at 0 depends on the mean
 * alone. */
static attest_status gen_zero(attest_instance *instance, struct theft *t)
{
    ulong a = attest_gen_size(t, 1, 6), step = attest_gen_size(t, 1, 6),
          inner = attest_gen_size(t, 1, 6);
    ulong value[2][3] = {{a, a + 2 * step + inner, 0}, {a + step, a + step + inner, 0}};
    ATTEST_SCOPED(attest_dataset_builder, builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    FMPQ(token);

    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 3; k++) {
            fmpq_set_ui(token, value[i][k], 1);
            ATTEST_TRY(attest_dataset_builder_add_token(&builder, token, NULL));
        }
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    }
    return attest_dataset_builder_finish(&instance->dataset, &builder, NULL);
}

/* Sets the contexts of the data for the network. */
static attest_status get_contexts(attest_contexts *contexts, const attest_dataset *dataset,
                                  attest_mask mask, bool positional)
{
    ATTEST_SCOPED(attest_positional, encoding);
    ATTEST_SCOPED(attest_dataset, encoded);

    contexts->keep_positions = true;
    if (positional) {
        ATTEST_TRY(attest_positional_get(&encoding, dataset, NULL));
        ATTEST_TRY(
            attest_positional_encode(&encoded, dataset, dataset->dim, 0, encoding.step, NULL));
    }
    return attest_contexts_get(contexts, positional ? &encoded : dataset, mask,
                               ATTEST_TIES_UNIFORM, NULL);
}

/* One label for each class, or for each position. */
static attest_status gen_labels(attest_dataset *dataset, struct theft *t,
                                const attest_contexts *contexts, bool by_position)
{
    size_t dim = attest_gen_size(t, 1, dataset->dim + 1), total = dataset->total;
    size_t *first ATTEST_FREED = attest_memory_alloc(total, sizeof *first);

    dataset->label = attest_rationals_alloc(total * dim);
    if (!first || !dataset->label)
        return ATTEST_NOMEM;
    dataset->label_dim = dim;
    for (size_t p = 0; p < total; p++) {
        size_t class = contexts->context[contexts->position[p]].group;

        for (size_t c = 0; c < dim; c++) {
            fmpq *label = dataset->label + p * dim + c;
            if (first[class] && !by_position)
                fmpq_set(label, dataset->label + (first[class] - 1) * dim + c);
            else
                attest_gen_rational(label, t, LABEL_LIMIT);
        }
        if (!first[class])
            first[class] = p + 1;
    }
    return ATTEST_OK;
}

/* Draws labelled data that meet the hypotheses except the dropped one, and a mask. If one is
 * dropped, no network can have all labels of the data:
 *
 *   consistent     labels that differ within one context
 *   r-min          a zero token among others with equal means, with different labels
 *   no-duplicates  repetitions (the conclusion still holds) */
static attest_status gen_labelled(attest_instance *instance, struct theft *t,
                                  const attest_setting *setting, bool positional)
{
    bool zero = attest_setting_drops(setting, "r-min");
    bool causal = !zero && attest_gen_size(t, 0, 1);
    ATTEST_SCOPED(attest_contexts, contexts);

    fmpq_set_ui(attest_instance_set(instance, "mask"), causal, 1);
    if (zero)
        ATTEST_TRY(gen_zero(instance, t));
    else
        ATTEST_TRY(gen_tokens(instance, t,
                              positional || attest_setting_drops(setting, "no-duplicates")));
    ATTEST_TRY(get_contexts(&contexts, &instance->dataset,
                            causal ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE, positional));
    return gen_labels(&instance->dataset, t, &contexts,
                      attest_setting_drops(setting, "consistent"));
}

/* ---- Corollary 1: memorisation. */

static const attest_hypothesis memorize_hypotheses[] = {
    {"consistent", "equal vocabulary and equal token imply equal label"},
    {"no-duplicates", "no token occurs twice in a sequence (strategies theorem and gap)"},
    {"r-min", "no token is zero"},
    {0},
};

static const attest_constant memorize_constants[] = {
    {"parameters", "4(s + d) + d(2 n N + d), as the paper counts"},
    {0},
};

const attest_statement attest_statement_memorize = {
    .name = "memorize",
    .title = "Corollary 1: memorisation",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Corollary 1",
    .text =
        "Consistently labelled data (equal vocabulary and equal token imply equal label) are "
        "memorised exactly by one attention layer of rank 1 and one feed-forward layer.",
    .hypotheses = memorize_hypotheses,
    .constants = memorize_constants,
    .decided_by =
        "balls: an enclosure of the projection inside the constant part of the ramps; "
        "then exact rationals",
    .note = "proofs-notes/memorize.md",
    .machine =
        "that such a network exists, with its count of parameters: proofs-notes/coq/"
        "corollary1.v, corollary1; the ramps of the code: memorize.v, memorize_label, "
        "ramp_inside. Not the network that the program builds, which is proved each time",
};

static attest_status gen_memorize(attest_instance *instance, struct theft *t,
                                  const attest_setting *setting)
{
    return gen_labelled(instance, t, setting, false);
}

static attest_status decide_memorize(attest_trial *trial, const attest_instance *instance,
                                     const attest_setting *setting, attest_error *error)
{
    return decide(trial, instance, setting, false, error);
}

static const attest_droppable memorize_droppable[] = {
    {"consistent", true},
    {"r-min", true},
    {"no-duplicates", false},
    {0},
};

const attest_property attest_property_memorize = {
    .name = "memorize",
    .title = "the memorizing network maps every token to its label, within the promised size",
    .statement = "memorize",
    .definition = "memorization",
    .gen = gen_memorize,
    .decide = decide_memorize,
    .droppable = memorize_droppable,
    .trials = 500,
    .few = "each builds a network, proves its output at every token and runs it in 2048 bits",
    .chunk = 8,
};

/* ---- Corollary 2: with positional encodings. */

static const attest_hypothesis positional_hypotheses[] = {
    {"consistent", "equal sequences have equal labels"},
    {0},
};

static const attest_constant positional_constants[] = {
    {"step", "2 r_max + eps"},
    {0},
};

const attest_statement attest_statement_positional = {
    .name = "positional",
    .title = "Corollary 2: memorisation with positional encodings",
    .source = "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Corollary 2",
    .text =
        "An encoding that makes every sequence free of repetitions and different sequences "
        "different sets reduces sequence-to-sequence memorisation to Corollary 1. A step of 2 "
        "r_max + eps along one axis keeps eps.",
    .hypotheses = positional_hypotheses,
    .constants = positional_constants,
    .decided_by = "as Corollary 1",
    .note = "proofs-notes/positional.md",
    .machine = "that the step keeps eps: proofs-notes/coq/memorize.v, positional_distance, "
               "positional_nonzero",
};

static attest_status gen_positional(attest_instance *instance, struct theft *t,
                                    const attest_setting *setting)
{
    return gen_labelled(instance, t, setting, true);
}

static attest_status decide_positional(attest_trial *trial, const attest_instance *instance,
                                       const attest_setting *setting, attest_error *error)
{
    return decide(trial, instance, setting, true, error);
}

static const attest_droppable positional_droppable[] = {
    {"consistent", true},
    {0},
};

const attest_property attest_property_positional = {
    .name = "positional",
    .title = "with positional encodings, the memorizing network maps every token to its label",
    .statement = "positional",
    .definition = "memorization",
    .gen = gen_positional,
    .decide = decide_positional,
    .droppable = positional_droppable,
    .trials = 500,
    .few = "each builds a network, proves its output at every token and runs it in 2048 bits",
    .chunk = 8,
};

/* ---- Remark 2: the number of parameters. */

static const attest_hypothesis parameters_hypotheses[] = {
    {"consistent", "equal vocabulary and equal token imply equal label (Corollary 1)"},
    {"as-counted",
     "rank-1 matrices count s + d each, and of the feed-forward layer W_2 counts alone, as the "
     "paper has it; all entries of all matrices and biases are more"},
    {0},
};

static const attest_constant parameters_constants[] = {
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
    .hypotheses = parameters_hypotheses,
    .constants = parameters_constants,
    .decided_by = "counting the numbers of the network that was built",
    .note = "proofs-notes/memorize.md",
    .machine = "that a network with at most the paper's number exists: "
               "proofs-notes/coq/corollary1.v, corollary1. Not the exact count",
};

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

static void judge_parameters(attest_trial *trial, const attest_memorization *m,
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

static attest_status decide_parameters(attest_trial *trial, const attest_instance *instance,
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
        judge_parameters(trial, &m, dataset, setting);
    return ATTEST_OK;
}

static const attest_droppable parameters_droppable[] = {{"as-counted", true}, {0}};

static const attest_coverage coverage[] = {
    {"all positions differ", 20, 90},
    {"unequal lengths", 20, 90},
    {0},
};

const attest_property attest_property_parameters = {
    .name = "parameters",
    .title = "what memorisation builds has the promised number of parameters",
    .statement = "parameters",
    .gen = gen_memorize,
    .decide = decide_parameters,
    .droppable = parameters_droppable,
    .coverage = coverage,
    .trials = 500,
    .few = "each builds a network and proves its output at every token",
    .chunk = 16,
};
