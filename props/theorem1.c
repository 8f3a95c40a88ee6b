/* theorem1.c -- Theorem 1: one layer of hardmax attention cannot tell contexts apart. */
#include <attest/attention.h>

#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "props/doubles.h"
#include "props/multiples.h"
#include "props/oracle.h"
#include "props/registry.h"

static const attest_hypothesis hypotheses[] = {
    {"no-mask",
     "every query sees every key: under a causal mask the order decides what it sees"},
    {"uniform-ties",
     "keys that attain the maximum share the weight: otherwise the order decides who wins"},
    {"collinear", "the tokens lie on one line through the origin"},
    {0},
};

const attest_statement attest_statement_theorem1 = {
    .name = "theorem1",
    .title = "Theorem 1: one layer of hardmax attention cannot tell contexts apart",
    .source =
        "Kajitsuka and Sato, ICLR 2024 (arXiv 2307.14023), Theorem 1; the universal pair is "
        "our own",
    .text =
        "Let one sequence consist of u, 3u, 4u, 6u and another of u, 2u, 5u, 6u, each in any "
        "order, u any non-zero vector. Every one-layer hardmax attention with skip has equal "
        "outputs at the token u, and at the token 6u, although the vocabularies differ. So "
        "none is an (r, delta)-contextual mapping, whatever its weights, sizes, number of "
        "heads, r and delta >= 0. Where ties go to the leftmost key, u(1, 2, 4) and "
        "u(1, 3, 4), in this order, are merged at 4u; under a causal mask u(1, 3, 2) and "
        "u(1, 2, 3) at 3u.",
    .hypotheses = hypotheses,
    .decided_by = "exact arithmetic: hardmax attention of rational data is rational",
    .note = "proofs-notes/theorem1.md",
    .machine = "in the order written, without axioms: proofs-notes/coq/theorem1.v, theorem1 "
               "and its variants (both tie rules, causal mask, different lengths, norms). Any "
               "other order: on paper",
};

/* The property: for random weights and a random direction, outputs are equal at the tokens that
 * two sequences of different vocabularies share. The pair is the one that src/theory gives for
 * the ties and the mask of the weights, so that a fault there is found. The pair for uniform
 * ties and no mask works in any order and at every shared token, the others only in the given
 * order and at their position. Without a hypothesis the first pair is drawn, which then fails.
 */

enum { LONGEST = ATTEST_MULTIPLES_LENGTH, MOST_DIM = 4, MOST_HEADS = 4, MOST_SIZE = 3 };

static void gen_matrix(attest_matrix *matrix, size_t rows, size_t cols, struct theft *t)
{
    FMPZ(scale);

    attest_matrix_resize(matrix, rows, cols);
    attest_multiples_gen_scale(scale, matrix->denominator, t);
    for (size_t e = 0; e < rows * cols; e++) {
        fmpz_set_si(matrix->entry + e, attest_multiples_gen_small(t, 10));
        fmpz_mul(matrix->entry + e, matrix->entry + e, scale);
    }
}

static const attest_universal_pair *pair_of(const attest_weights *weights,
                                            const attest_setting *setting)
{
    if (setting->without)
        return attest_theorem1_universal(ATTEST_TIES_UNIFORM, ATTEST_MASK_NONE);
    return attest_theorem1_universal(weights->ties, weights->mask);
}

static attest_multiples_shape shape_of(const attest_weights *weights,
                                       const attest_setting *setting)
{
    bool plain = weights->ties == ATTEST_TIES_UNIFORM && weights->mask == ATTEST_MASK_NONE;

    return (attest_multiples_shape){.any_order = setting->without || plain,
                                    .bent = attest_setting_drops(setting, "collinear")};
}

/* Half of all layers have uniform ties and no mask. */
static void gen_kind(attest_weights *weights, struct theft *t, const attest_setting *setting)
{
    uint64_t kind = setting->without ? 0 : theft_random_choice(t, 8);

    weights->activation = ATTEST_HARDMAX;
    weights->mask = kind >= 6 || attest_setting_drops(setting, "no-mask") ? ATTEST_MASK_CAUSAL
                                                                          : ATTEST_MASK_NONE;
    weights->ties =
        kind == 4 || kind == 5 || kind == 7 || attest_setting_drops(setting, "uniform-ties")
            ? ATTEST_TIES_LEFTMOST
            : ATTEST_TIES_UNIFORM;
}

static void gen_head(attest_head *head, size_t dim, struct theft *t)
{
    size_t s = 1 + theft_random_choice(t, MOST_SIZE);
    bool tied = theft_random_choice(t, 4) == 0; /* all its scores are equal */

    gen_matrix(&head->wo, dim, s, t);
    gen_matrix(&head->wv, s, dim, t);
    attest_matrix_resize(&head->wk, s, dim);
    attest_matrix_resize(&head->wq, s, dim);
    if (!tied) {
        gen_matrix(&head->wk, s, dim, t);
        gen_matrix(&head->wq, s, dim, t);
    }
}

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    attest_weights *weights = &instance->weights;
    size_t heads = 1 + theft_random_choice(t, MOST_HEADS);

    gen_kind(weights, t, setting);
    weights->dim = 1 + theft_random_choice(t, MOST_DIM);
    if (attest_setting_drops(setting, "collinear") && weights->dim == 1)
        weights->dim = 2; /* in one dimension everything is collinear */
    if (attest_weights_resize(weights, heads) != ATTEST_OK)
        return ATTEST_NOMEM;
    for (size_t h = 0; h < heads; h++)
        gen_head(&weights->head[h], weights->dim, t);
    return attest_multiples_gen(&instance->dataset, t, weights->dim, pair_of(weights, setting),
                                shape_of(weights, setting));
}

static bool meets_hypotheses(const attest_instance *instance, const attest_setting *setting)
{
    const attest_weights *weights = &instance->weights;
    const attest_dataset *dataset = &instance->dataset;

    if (weights->heads == 0 || weights->activation != ATTEST_HARDMAX || !weights->skip ||
        dataset->dim != weights->dim)
        return false;
    if (setting->without) /* the hypotheses that are not dropped must hold */
        if ((weights->mask != ATTEST_MASK_NONE && !attest_setting_drops(setting, "no-mask")) ||
            (weights->ties != ATTEST_TIES_UNIFORM &&
             !attest_setting_drops(setting, "uniform-ties")))
            return false;
    return attest_multiples_is_pair(dataset, pair_of(weights, setting),
                                    shape_of(weights, setting));
}

/* output[k*dim + c], k < its length, of sequence i. */
static attest_status evaluate(fmpq *output, const attest_instance *instance, size_t i,
                              attest_error *error)
{
    ATTEST_SCOPED(attest_sequence, sequence);

    ATTEST_TRY(attest_dataset_get_sequence(&sequence, &instance->dataset, i, NULL, error));
    return attest_attention_exact(output, &instance->weights, &sequence, error);
}

/* Returns whether the positions see the same tokens. */
static bool same_sight(const attest_instance *instance, const size_t position[2])
{
    const attest_dataset *dataset = &instance->dataset;
    bool masked = instance->weights.mask == ATTEST_MASK_CAUSAL;
    size_t seen[2];

    for (size_t side = 0; side < 2; side++)
        seen[side] = masked ? position[side] + 1 : attest_dataset_length(dataset, side);
    for (size_t side = 0; side < 2; side++) {
        for (size_t k = 0; k < seen[side]; k++) {
            bool shared = false;

            for (size_t l = 0; l < seen[1 - side]; l++)
                shared = shared || attest_dataset_token(dataset, side, k) ==
                                       attest_dataset_token(dataset, 1 - side, l);
            if (!shared)
                return false;
        }
    }
    return true;
}

static void compare(attest_trial *trial, const attest_instance *instance, fmpq *const output[2],
                    const size_t position[2])
{
    const attest_dataset *dataset = &instance->dataset;
    size_t dim = dataset->dim;
    bool same_token = attest_dataset_token(dataset, 0, position[0]) ==
                      attest_dataset_token(dataset, 1, position[1]);
    bool equal = true;

    for (size_t c = 0; c < dim; c++)
        equal = equal && fmpq_equal(output[0] + position[0] * dim + c,
                                    output[1] + position[1] * dim + c);
    if (trial->outcome == ATTEST_VIOLATED ||
        (same_token && equal && !same_sight(instance, position)))
        return;
    trial->has_pair = true;
    for (size_t side = 0; side < 2; side++)
        trial->pair[side] = (attest_place){side, position[side]};
    attest_trial_violated(trial, "merged-pair",
                          !same_token ? "[0,%zu] and [1,%zu] are different tokens"
                          : equal     ? "[0,%zu] and [1,%zu] see the same tokens"
                                      : "the outputs at [0,%zu] and [1,%zu] differ",
                          position[0], position[1]);
}

/* Every two positions with the same token. */
static void compare_all(attest_trial *trial, const attest_instance *instance,
                        fmpq *const output[2])
{
    const attest_dataset *dataset = &instance->dataset;
    size_t position[2];

    for (position[0] = 0; position[0] < attest_dataset_length(dataset, 0); position[0]++)
        for (position[1] = 0; position[1] < attest_dataset_length(dataset, 1); position[1]++)
            if (attest_dataset_token(dataset, 0, position[0]) ==
                attest_dataset_token(dataset, 1, position[1]))
                compare(trial, instance, output, position);
}

static bool is_zero(const attest_matrix *matrix)
{
    if (matrix->factored)
        return _fmpz_vec_is_zero(matrix->u, (slong)matrix->rows) ||
               _fmpz_vec_is_zero(matrix->v, (slong)matrix->cols);
    return _fmpz_vec_is_zero(matrix->entry, (slong)(matrix->rows * matrix->cols));
}

static void add_labels(attest_trial *trial, const attest_weights *weights)
{
    size_t tied = 0;

    for (size_t h = 0; h < weights->heads; h++)
        tied += is_zero(&weights->head[h].wk) || is_zero(&weights->head[h].wq);
    if (tied)
        attest_trial_label(trial, tied == weights->heads ? "all heads tied" : "a head tied");
    attest_trial_label(trial, weights->heads == 1 ? "one head" : "several heads");
    if (weights->mask == ATTEST_MASK_CAUSAL)
        attest_trial_label(trial, "causal mask");
    if (weights->ties == ATTEST_TIES_LEFTMOST)
        attest_trial_label(trial, "leftmost ties");
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    slong entries = (slong)(LONGEST * instance->dataset.dim);

    if (!meets_hypotheses(instance, setting)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    FMPQ_VEC(first, entries);
    FMPQ_VEC(second, entries);
    fmpq *output[2] = {first, second};
    for (size_t i = 0; i < 2; i++)
        ATTEST_TRY(evaluate(output[i], instance, i, error));
    if (shape_of(&instance->weights, setting).any_order)
        compare_all(trial, instance, output);
    else
        compare(trial, instance, output, pair_of(&instance->weights, setting)->position);
    add_labels(trial, &instance->weights);
    return ATTEST_OK;
}

/* Every universal pair is drawn. */
static const attest_coverage coverage[] = {
    {"causal mask", 20, 30},
    {"leftmost ties", 30, 45},
    {0},
};

static const attest_droppable droppable[] = {
    {"no-mask", true},
    {"uniform-ties", true},
    {"collinear", true},
    {0},
};

const attest_property attest_property_theorem1 = {
    .name = "theorem1",
    .title = "the universal pair is merged by all weights",
    .statement = "theorem1",
    .definition = "merged-pair",
    .gen = gen,
    .decide = decide,
    .droppable = droppable,
    .coverage = coverage,
    .trials = 2000,
    .chunk = 256,
};

/* ---- Hardmax attention is defeated by random data.
 *
 * Nothing of the universal pair is built in: tokens, weights and sizes are drawn, and the
 * search must come across sequences that the layer confuses, and shrink them. */

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 3, .count_min = 3, .count_max = 8},
    .sequences = {.count_min = 2,
                  .count_max = 3,
                  .length_min = 2,
                  .length_max = 6,
                  .equal_lengths = true},
    .heads = {.heads_max = 4, .size_max = 3, .nonzero = true, .plain = true},
    .activation = ATTEST_GEN_HARDMAX,
    .simple = true,
};

/* For given weights, whose dimension may be large: tokens that need few draws, so that they can
 * be shrunk. Small multiples of a short vector, or, a quarter of them, short fractions. */
static void gen_tokens(attest_vocabulary *v, struct theft *t)
{
    bool line = !attest_gen_rarely(t, 4), zero = true;
    fmpq *u = v->entry;
    slong multiple = 0;

    for (size_t e = 0; e < (line ? v->dim : v->count * v->dim); e++) {
        slong p = attest_gen_integer(t, 6);

        fmpq_set_si(v->entry + e, p, 1 + attest_gen_size(t, 0, 2));
        zero = zero && p == 0;
    }
    if (line && zero)
        fmpq_one(u);
    for (size_t i = v->count; i-- > 0;) { /* the first token, u, last */
        fmpq *token = v->entry + i * v->dim;

        if (line) {
            multiple += 1 + (slong)attest_gen_size(t, 0, 2);
            FMPQ(factor);
            fmpq_set_si(factor, multiple, 1);
            for (size_t c = 0; c < v->dim; c++)
                fmpq_mul(token + c, u + c, factor);
        } else { /* different first entries, none of them zero */
            fmpq_set_si(token, (slong)i + 1, 1);
        }
    }
}

static attest_status gen_data(attest_instance *instance, struct theft *t,
                              const attest_weights *weights)
{
    attest_vocabulary vocabulary ATTEST_CLEARED_BY(attest_vocabulary_clear) = {
        .count = attest_gen_size(t, 3, 6), .dim = weights->dim};

    vocabulary.entry = attest_rationals_alloc(vocabulary.count * vocabulary.dim);
    if (!vocabulary.entry)
        return ATTEST_NOMEM;
    gen_tokens(&vocabulary, t);
    ATTEST_TRY(attest_gen_dataset(&instance->dataset, t, &vocabulary, &kind.sequences));
    return attest_weights_set(&instance->weights, weights);
}

static attest_status gen_search(attest_instance *instance, struct theft *t,
                                const attest_setting *setting)
{
    if (setting->weights)
        return gen_data(instance, t, setting->weights);
    return attest_gen_data_and_weights(instance, t, &kind);
}

static bool same_outputs(const attest_oracle *oracle, attest_place a, attest_place b)
{
    size_t dim = oracle->dataset->dim;
    FMPQ_VEC(x, (slong)dim);
    FMPQ_VEC(y, (slong)dim);
    bool same = true;

    attest_oracle_hardmax(x, oracle, a);
    attest_oracle_hardmax(y, oracle, b);
    for (size_t c = 0; c < dim; c++)
        same = same && fmpq_equal(x + c, y + c);
    return same;
}

/* The first two places of one token with different vocabularies and equal outputs. Different
 * tokens may collide by chance under any activation; this is what hardmax cannot avoid. */
static bool find_pair(attest_place pair[2], const attest_oracle *oracle)
{
    const attest_dataset *d = oracle->dataset;
    attest_place a = {0, 0};

    do
        for (attest_place b = a; attest_oracle_next(&b, d);)
            if (attest_dataset_token(d, a.sequence, a.position) ==
                    attest_dataset_token(d, b.sequence, b.position) &&
                attest_oracle_required(oracle, a, b) && same_outputs(oracle, a, b)) {
                pair[0] = a, pair[1] = b;
                return true;
            }
    while (attest_oracle_next(&a, d));
    return false;
}

/* Certifies the instance: the certifier must refute it, as the oracle does. */
static attest_status confirm(attest_trial *trial, const attest_instance *instance,
                             attest_error *error)
{
    attest_filter_answer answer;

    ATTEST_TRY(attest_verdicts_get_one(&answer, instance, error));
    if (answer.verdict == ATTEST_REFUTED) {
        trial->has_pair = true;
        attest_trial_violated(trial, "contextual-mapping",
                              "equal outputs at one token in different contexts");
    } else
        attest_trial_open(trial, "%s does not see equal outputs", answer.method);
    return ATTEST_OK;
}

static attest_status decide_search(attest_trial *trial, const attest_instance *instance,
                                   const attest_setting *setting, attest_error *error)
{
    (void)setting;
    if (!attest_instance_fits(instance) || instance->weights.activation != ATTEST_HARDMAX) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, &instance->dataset, &instance->weights));
    if (find_pair(trial->pair, &oracle))
        ATTEST_TRY(confirm(trial, instance, error));
    attest_trial_label_layer(trial, instance);
    return ATTEST_OK;
}

/* The token 1 beside 2, and alone: the head prefers the least token. */
static const char witness[] =
    "{\"format\": \"attest/counterexample\", \"version\": 1, \"property\": \"theorem1-search\","
    " \"dataset\": {\"format\": \"attest/dataset\", \"version\": 1,"
    " \"sequences\": [[[1], [2]], [[1]]]},"
    " \"weights\": {\"format\": \"attest/weights\", \"version\": 1, \"activation\": "
    "\"hardmax\","
    " \"heads\": [{\"WQ\": [[-1]], \"WK\": [[1]], \"WV\": [[1]], \"WO\": [[1]]}]},"
    " \"parameters\": {}, \"violates\": {\"definition\": \"contextual-mapping\","
    " \"pair\": [[0, 0], [1, 0]]}, \"found_by\": \"campaign\", \"shrink_steps\": 0}";

const attest_property attest_property_theorem1_search = {
    .name = "theorem1-search",
    .title = "random hardmax layers have equal outputs for different contexts",
    .statement = "theorem1",
    .definition = "contextual-mapping",
    .gen = gen_search,
    .decide = decide_search,
    .expect_violation = true,
    .witness = witness,
    .trials = 64,
};
