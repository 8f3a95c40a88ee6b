/* theorem1.c -- Theorem 1: one layer of hardmax attention cannot tell contexts apart. */

#include <attest/attention.h>

#include "props/properties.h"
#include "props/statement.h"

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
        "heads, r and delta >= 0. In the order written, leftmost ties merge them at both "
        "tokens as well, and a causal mask at 6u.",
    .hypotheses = hypotheses,
    .decided_by = "exact arithmetic: hardmax attention of rational data is rational",
    .note = "proofs-notes/theorem1.md",
    .machine = "in the order written, without axioms: proofs-notes/coq/theorem1.v, theorem1 "
               "and its variants (both tie rules, causal mask, different lengths, norms). Any "
               "other order: on paper",
};

/* The property: random weights, a random direction, tokens in any order; at every token that
 * both sequences share the vocabularies differ and the outputs are equal. */

enum { LENGTH = 4, MOST_DIM = 4, MOST_HEADS = 4, MOST_SIZE = 3, DECADES = 40 };

static const long multiple[2][LENGTH] = {{1, 3, 4, 6}, {1, 2, 5, 6}};

/* 0, 1, -1, 2, -2, ... below the limit in absolute value. */
static long gen_small(struct theft *t, uint64_t limit)
{
    long x = (long)theft_random_choice(t, 2 * limit - 1);

    return x % 2 ? (x + 1) / 2 : -x / 2;
}

/* 1, 10^40 or 10^-40. */
static void gen_scale(fmpz_t numerator, fmpz_t denominator, struct theft *t)
{
    uint64_t kind = theft_random_choice(t, 8);

    fmpz_one(numerator);
    fmpz_one(denominator);
    if (kind >= 6) {
        fmpz *scaled = kind == 6 ? numerator : denominator;

        fmpz_set_ui(scaled, 10);
        fmpz_pow_ui(scaled, scaled, DECADES);
    }
}

static void gen_matrix(attest_matrix *matrix, size_t rows, size_t cols, struct theft *t)
{
    fmpz_t scale;

    fmpz_init(scale);
    attest_matrix_resize(matrix, rows, cols);
    gen_scale(scale, matrix->denominator, t);
    for (size_t e = 0; e < rows * cols; e++) {
        fmpz_set_si(matrix->entry + e, gen_small(t, 10));
        fmpz_mul(matrix->entry + e, matrix->entry + e, scale);
    }
    fmpz_clear(scale);
}

static attest_status gen_weights(attest_weights *weights, struct theft *t,
                                 const attest_setting *setting)
{
    size_t heads = 1 + theft_random_choice(t, MOST_HEADS);

    weights->activation = ATTEST_HARDMAX;
    weights->mask =
        attest_setting_drops(setting, "no-mask") ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    weights->ties = attest_setting_drops(setting, "uniform-ties") ? ATTEST_TIES_LEFTMOST
                                                                  : ATTEST_TIES_UNIFORM;
    weights->dim = 1 + theft_random_choice(t, MOST_DIM);
    if (attest_setting_drops(setting, "collinear") && weights->dim == 1)
        weights->dim = 2; /* in one dimension everything is collinear */
    if (attest_weights_resize(weights, heads) != ATTEST_OK)
        return ATTEST_NOMEM;
    for (size_t h = 0; h < heads; h++) {
        attest_head *head = &weights->head[h];
        size_t s = 1 + theft_random_choice(t, MOST_SIZE);
        bool tied = theft_random_choice(t, 4) == 0; /* all its scores are equal */

        gen_matrix(&head->wo, weights->dim, s, t);
        gen_matrix(&head->wv, s, weights->dim, t);
        attest_matrix_resize(&head->wk, s, weights->dim);
        attest_matrix_resize(&head->wq, s, weights->dim);
        if (!tied) {
            gen_matrix(&head->wk, s, weights->dim, t);
            gen_matrix(&head->wq, s, weights->dim, t);
        }
    }
    return ATTEST_OK;
}

/* u, not zero. */
static void gen_direction(fmpq *u, size_t dim, struct theft *t)
{
    fmpq_t scale;
    bool zero = true;

    fmpq_init(scale);
    gen_scale(fmpq_numref(scale), fmpq_denref(scale), t);
    for (size_t c = 0; c < dim; c++) {
        long p = gen_small(t, 10);

        fmpq_set_si(u + c, p, 1 + theft_random_choice(t, 9));
        zero = zero && p == 0;
    }
    if (zero)
        fmpq_one(u);
    for (size_t c = 0; c < dim; c++)
        fmpq_mul(u + c, u + c, scale);
    fmpq_clear(scale);
}

/* order = a permutation; zero draws give the identity. */
static void gen_order(size_t order[LENGTH], struct theft *t)
{
    for (size_t k = 0; k < LENGTH; k++)
        order[k] = k;
    for (size_t k = 0; k + 1 < LENGTH; k++) {
        size_t other = k + theft_random_choice(t, LENGTH - k), swap = order[k];

        order[k] = order[other];
        order[other] = swap;
    }
}

/* token = multiple u, or, without the hypothesis collinear, beside it. */
static void set_token(fmpq *token, const fmpq *u, size_t dim, long t, bool bent)
{
    fmpq_t factor;

    fmpq_init(factor);
    fmpq_set_si(factor, t, 1);
    for (size_t c = 0; c < dim; c++)
        fmpq_mul(token + c, u + c, factor);
    if (bent) /* the square of the multiple, along an axis */
        fmpq_add_si(token + dim - 1, token + dim - 1, t * t);
    fmpq_clear(factor);
}

static attest_status gen_dataset(attest_dataset *dataset, size_t dim, struct theft *t,
                                 bool bent)
{
    fmpq *u = _fmpq_vec_init((slong)dim), *token = _fmpq_vec_init((slong)dim);
    attest_dataset_builder builder;
    attest_status status = ATTEST_OK;
    size_t order[LENGTH];

    gen_direction(u, dim, t);
    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < 2 && status == ATTEST_OK; i++) {
        gen_order(order, t);
        for (size_t k = 0; k < LENGTH && status == ATTEST_OK; k++) {
            set_token(token, u, dim, multiple[i][order[k]], bent);
            status = attest_dataset_builder_add_token(&builder, token, NULL);
        }
        if (status == ATTEST_OK)
            status = attest_dataset_builder_end_sequence(&builder, NULL);
    }
    if (status == ATTEST_OK)
        status = attest_dataset_builder_finish(dataset, &builder, NULL);
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(u, (slong)dim);
    _fmpq_vec_clear(token, (slong)dim);
    return status;
}

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    attest_status status = gen_weights(&instance->weights, t, setting);

    if (status == ATTEST_OK)
        status = gen_dataset(&instance->dataset, instance->weights.dim, t,
                             attest_setting_drops(setting, "collinear"));
    return status;
}

/* Whether token a is the multiple of token b. */
static bool is_multiple(const attest_tokens *tokens, uint32_t a, uint32_t b, long factor)
{
    fmpq_t x, y;
    bool equal = true;

    fmpq_init(x);
    fmpq_init(y);
    for (size_t c = 0; c < tokens->dim && equal; c++) {
        attest_tokens_get_entry(x, tokens, a, c);
        attest_tokens_get_entry(y, tokens, b, c);
        fmpz_mul_si(fmpq_numref(y), fmpq_numref(y), factor);
        fmpq_canonicalise(y);
        equal = fmpq_equal(x, y);
    }
    fmpq_clear(x);
    fmpq_clear(y);
    return equal;
}

/* Whether the sequence consists of the multiples of u. */
static bool consists_of(const attest_dataset *dataset, size_t i, uint32_t u)
{
    for (size_t m = 0; m < LENGTH; m++) {
        bool found = false;

        for (size_t k = 0; k < LENGTH && !found; k++)
            found = is_multiple(&dataset->tokens, attest_dataset_token(dataset, i, k), u,
                                multiple[i][m]);
        if (!found)
            return false;
    }
    return true;
}

static bool is_pair(const attest_dataset *dataset)
{
    for (size_t k = 0; k < LENGTH; k++) {
        uint32_t u = attest_dataset_token(dataset, 0, k);

        if (consists_of(dataset, 0, u) && consists_of(dataset, 1, u) &&
            !is_multiple(&dataset->tokens, u, u, 2))
            return true;
    }
    return false;
}

/* Whether a_c b_e = a_e b_c for the entries c and e of tokens a and b. */
static bool minor_vanishes(const attest_tokens *tokens, size_t a, size_t b, size_t c, size_t e)
{
    fmpq_t x, y, z;
    bool equal;

    fmpq_init(x);
    fmpq_init(y);
    fmpq_init(z);
    attest_tokens_get_entry(x, tokens, a, c);
    attest_tokens_get_entry(y, tokens, b, e);
    fmpq_mul(z, x, y);
    attest_tokens_get_entry(x, tokens, a, e);
    attest_tokens_get_entry(y, tokens, b, c);
    fmpq_mul(x, x, y);
    equal = fmpq_equal(x, z);
    fmpq_clear(x);
    fmpq_clear(y);
    fmpq_clear(z);
    return equal;
}

/* Whether all tokens lie on one line through the origin. */
static bool is_collinear(const attest_tokens *tokens)
{
    for (size_t a = 0; a < tokens->count; a++)
        for (size_t b = 0; b < a; b++)
            for (size_t c = 0; c < tokens->dim; c++)
                for (size_t e = 0; e < c; e++)
                    if (!minor_vanishes(tokens, a, b, c, e))
                        return false;
    return true;
}

/* What is left of the pair without the line: each sequence has four different tokens, two of
 * which are the other's. */
static bool is_bent_pair(const attest_dataset *dataset)
{
    bool different = dataset->tokens.count == LENGTH + 2 && !is_collinear(&dataset->tokens);

    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < LENGTH; k++)
            for (size_t l = 0; l < k; l++)
                different = different && attest_dataset_token(dataset, i, k) !=
                                             attest_dataset_token(dataset, i, l);
    return different;
}

static bool meets_hypotheses(const attest_instance *instance, const attest_setting *setting)
{
    const attest_weights *weights = &instance->weights;
    const attest_dataset *dataset = &instance->dataset;

    return weights->heads > 0 && weights->activation == ATTEST_HARDMAX && dataset->count == 2 &&
           weights->skip && dataset->dim == weights->dim &&
           attest_dataset_length(dataset, 0) == LENGTH &&
           attest_dataset_length(dataset, 1) == LENGTH &&
           (attest_setting_drops(setting, "no-mask") || weights->mask == ATTEST_MASK_NONE) &&
           (attest_setting_drops(setting, "uniform-ties") ||
            weights->ties == ATTEST_TIES_UNIFORM) &&
           (attest_setting_drops(setting, "collinear") ? is_bent_pair(dataset)
                                                       : is_pair(dataset));
}

/* output[k*dim + c], k < LENGTH, of sequence i. */
static attest_status evaluate(fmpq *output, const attest_instance *instance, size_t i,
                              attest_error *error)
{
    attest_sequence sequence;
    attest_status status;

    attest_sequence_init(&sequence);
    status = attest_dataset_get_sequence(&sequence, &instance->dataset, i, NULL, error);
    if (status == ATTEST_OK)
        status = attest_attention_exact(output, &instance->weights, &sequence, error);
    attest_sequence_clear(&sequence);
    return status;
}

/* Whether the positions see the same tokens. */
static bool same_sight(const attest_instance *instance, const size_t position[2])
{
    const attest_dataset *dataset = &instance->dataset;
    bool masked = instance->weights.mask == ATTEST_MASK_CAUSAL;

    for (size_t side = 0; side < 2; side++) {
        size_t seen = masked ? position[side] + 1 : LENGTH,
               other = masked ? position[1 - side] + 1 : LENGTH;

        for (size_t k = 0; k < seen; k++) {
            bool shared = false;

            for (size_t l = 0; l < other; l++)
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
    size_t dim = instance->dataset.dim;
    bool equal = true;

    for (size_t c = 0; c < dim; c++)
        equal = equal && fmpq_equal(output[0] + position[0] * dim + c,
                                    output[1] + position[1] * dim + c);
    if (trial->outcome == ATTEST_VIOLATED || (equal && !same_sight(instance, position)))
        return;
    trial->has_pair = true;
    for (size_t side = 0; side < 2; side++)
        trial->pair[side] = (attest_place){side, position[side]};
    attest_trial_violated(trial, "merged-pair",
                          equal ? "[0,%zu] and [1,%zu] see the same tokens"
                                : "the outputs at [0,%zu] and [1,%zu] differ",
                          position[0], position[1]);
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
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    const attest_dataset *dataset = &instance->dataset;
    attest_status status = ATTEST_OK;
    size_t position[2];
    slong entries;
    fmpq *output[2];

    if (!meets_hypotheses(instance, setting)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    entries = (slong)(LENGTH * dataset->dim);
    for (size_t i = 0; i < 2; i++)
        output[i] = _fmpq_vec_init(entries);
    for (size_t i = 0; i < 2 && status == ATTEST_OK; i++)
        status = evaluate(output[i], instance, i, error);
    for (position[0] = 0; position[0] < LENGTH && status == ATTEST_OK; position[0]++)
        for (position[1] = 0; position[1] < LENGTH; position[1]++)
            if (attest_dataset_token(dataset, 0, position[0]) ==
                attest_dataset_token(dataset, 1, position[1]))
                compare(trial, instance, output, position);
    for (size_t i = 0; i < 2; i++)
        _fmpq_vec_clear(output[i], entries);
    add_labels(trial, &instance->weights);
    return status;
}

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
    .trials = 2000,
    .chunk = 256,
};
