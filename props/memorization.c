/* memorization.c -- the network of Corollaries 1 and 2 maps tokens to their labels. */
#include "props/memorization.h"

#include <string.h>

#include "attention/network.h"
#include "base/memory.h"
#include "campaign/gen.h"
#include "number/rationals.h"
#include "number/scope.h"
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

static attest_status compare_sequence(attest_trial *trial, attest_network_mpfrs *state,
                                      const attest_memorization *m,
                                      const attest_dataset *dataset, size_t i,
                                      attest_error *error)
{
    size_t dim = m->network.dim, length = attest_dataset_length(dataset, i);
    mpfr_t *out = flint_malloc(length * dim * sizeof *out);
    attest_status status;
    ATTEST_SCOPED(attest_sequence, sequence);

    for (size_t e = 0; e < length * dim; e++)
        mpfr_init2(out[e], BITS);
    status = attest_dataset_get_sequence(&sequence, dataset, i, NULL, error);
    if (status == ATTEST_OK)
        status = attest_network_mpfr(out, state, &sequence, error);
    for (size_t k = 0; k < length && status == ATTEST_OK; k++)
        if (!is_close(out + k * dim, dataset, dataset->start[i] + k, dim))
            attest_trial_violated(trial, "memorization",
                                  "proved, but %d bits give another output at [%zu,%zu]", BITS,
                                  i, k);
    for (size_t e = 0; e < length * dim; e++)
        mpfr_clear(out[e]);
    flint_free(out);
    return status;
}

static void clear_state(attest_network_mpfrs **state)
{
    attest_network_mpfrs_clear(*state);
}

/* Runs the network unit by unit in long floating-point numbers, by other code than the proof.
 */
static attest_status compare(attest_trial *trial, const attest_memorization *m,
                             const attest_dataset *dataset, attest_error *error)
{
    attest_network_mpfrs *state ATTEST_CLEARED_BY(clear_state) = NULL;
    attest_format format;
    char name[32];

    if ((long)fmpz_bits(fmpq_numref(m->steepest)) - (long)fmpz_bits(fmpq_denref(m->steepest)) >
        LARGEST)
        return ATTEST_OK;
    attest_trial_label(trial, "evaluated twice");
    snprintf(name, sizeof name, "p=%d", BITS);
    ATTEST_TRY(attest_format_parse(&format, name, error));
    ATTEST_TRY(attest_network_mpfrs_init(&state, &m->network, &format, MPFR_RNDN, error));
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

attest_status attest_props_memorization_decide(attest_trial *trial,
                                               const attest_instance *instance,
                                               const attest_setting *setting, bool positional,
                                               attest_error *error)
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

attest_status attest_props_memorization_gen(attest_instance *instance, struct theft *t,
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
