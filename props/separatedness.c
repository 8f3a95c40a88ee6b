/* separatedness.c -- layers that keep different tokens apart, and layers that do not. */
#include <math.h>

#include <attest/attention.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/scope.h"
#include "props/evaluation.h"
#include "props/oracle.h"
#include "props/registry.h"
#include "props/transform.h"

/* ---- Layers whose values are close together. */

static const attest_hypothesis hypotheses[] = {
    {"small-values", "the heads' values together spread less than the least token distance"},
    {0},
};

static const attest_constant constants[] = {
    {"spread", "sum over heads of the largest distance of two values W_O W_V z, z any token"},
    {0},
};

const attest_statement attest_statement_separatedness = {
    .name = "separatedness",
    .title = "Layers that keep different tokens apart",
    .source = "our own",
    .text =
        "One layer with skip, softmax or hardmax, any ties and mask. Outputs at different "
        "tokens x, y, of the same or of different sequences, are at least |x - y| - spread "
        "apart. If moreover W_O W_V = c (W_K^T W_Q)^T with c >= 0 in every head and there is "
        "no "
        "mask, outputs at tokens x, y of one sequence are at least |x - y| apart, whatever the "
        "spread. Without such a hypothesis both activations can lose separatedness.",
    .hypotheses = hypotheses,
    .constants = constants,
    .decided_by = "exact arithmetic for hardmax, balls for softmax",
    .note = "proofs-notes/separatedness.md",
};

enum { BITS = 128, MOST_BITS = 1 << 13 };

static const attest_gen_layer kind = {
    .tokens = {.dim_max = 3, .count_min = 2, .count_max = 5, .zero = true, .decades = 20},
    .sequences = {.count_min = 1,
                  .count_max = 3,
                  .length_min = 1,
                  .length_max = 4,
                  .repeats = true,
                  .shared = true},
    .heads = {.heads_max = 3,
              .size_max = 2,
              .decades = 20,
              .score_limit = 40,
              .gaps = ATTEST_GEN_HUGE},
};

/* square = the largest |v - w|^2 of two values of head h. */
static void get_spread(fmpq_t square, const attest_oracle *oracle, size_t h)
{
    slong dim = (slong)oracle->dataset->dim, count = (slong)oracle->dataset->tokens.count;
    FMPQ(sum, x);

    fmpq_zero(square);
    for (slong i = 0; i < count; i++)
        for (slong j = 0; j < i; j++) {
            fmpq_zero(sum);
            for (slong c = 0; c < dim; c++) {
                fmpq_sub(x, fmpq_mat_entry(oracle->values[h], c, i),
                         fmpq_mat_entry(oracle->values[h], c, j));
                fmpq_addmul(sum, x, x);
            }
            if (fmpq_cmp(sum, square) > 0)
                fmpq_set(square, sum);
        }
}

/* spread = a rational above the sum of the heads' spreads, by a little. */
static void bound_spread(fmpq_t spread, const attest_oracle *oracle)
{
    FMPQ(square, low, root, high);

    fmpq_zero(spread);
    for (size_t h = 0; h < oracle->weights->heads; h++) {
        get_spread(square, oracle, h);
        if (fmpq_is_zero(square))
            continue;
        (void)attest_root_bounds(low, root, high, square);
        fmpq_add(spread, spread, high);
    }
}

/* Halves all W_O until spread^2 < eps^2, the square of the least distance of tokens. */
static attest_status make_small(attest_instance *instance)
{
    ulong halvings = 0;
    ATTEST_SCOPED(attest_separated, extremes);
    FMPQ(spread, factor);

    ATTEST_TRY(attest_separated_get(&extremes, &instance->dataset, NULL));
    if (!extremes.has_pair)
        return ATTEST_OK;
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, &instance->dataset, &instance->weights));
    bound_spread(spread, &oracle);
    fmpq_mul(spread, spread, spread);
    for (; fmpq_cmp(spread, extremes.eps_square) >= 0; halvings++)
        fmpq_div_2exp(spread, spread, 2);
    fmpq_one(factor);
    fmpq_div_2exp(factor, factor, halvings);
    for (size_t h = 0; h < instance->weights.heads && halvings; h++)
        attest_transform_multiply(&instance->weights.head[h].wo, factor);
    return ATTEST_OK;
}

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    if (attest_setting_drops(setting, "small-values"))
        return attest_property_separatedness_search.gen(instance, t, setting);
    ATTEST_TRY(attest_gen_data_and_weights(instance, t, &kind));
    instance->weights.skip = true;
    return make_small(instance);
}

/* All pairs of positions with different tokens. */
typedef struct examination {
    const attest_oracle *oracle;
    const attest_evaluation *out;
    const fmpq *spread; /* promised: |x - y| - spread; NULL: more than 0 */
    long bits;
    attest_trial *trial;
} examination;

/* distance = |F_a - F_b|, promised = |x - y| - spread, or 0. */
static void measure(arb_t distance, arb_t promised, const examination *x, attest_place a,
                    attest_place b)
{
    const attest_dataset *d = x->oracle->dataset;
    size_t at_a = attest_evaluation_at(x->out, a), at_b = attest_evaluation_at(x->out, b);
    bool hardmax = x->oracle->weights->activation == ATTEST_HARDMAX;
    ARB(z);
    FMPQ(q);

    arb_zero(distance), arb_zero(promised);
    for (size_t c = 0; c < d->dim; c++) {
        fmpq_sub(q, x->out->exact + at_a + c, x->out->exact + at_b + c);
        if (hardmax)
            arb_set_fmpq(z, q, x->bits);
        else
            arb_sub(z, x->out->ball + at_a + c, x->out->ball + at_b + c, x->bits);
        arb_addmul(distance, z, z, x->bits);
        attest_evaluation_difference(q, d, a, b, c);
        arb_set_fmpq(z, q, x->bits);
        arb_addmul(promised, z, z, x->bits);
    }
    arb_sqrtpos(distance, distance, x->bits);
    arb_sqrtpos(promised, promised, x->bits);
    if (x->spread) {
        arb_set_fmpq(z, x->spread, x->bits);
        arb_sub(promised, promised, z, x->bits);
    } else
        arb_zero(promised);
}

/* Checks one pair; returns false if this precision does not decide it. */
static bool compare(examination *x, attest_place a, attest_place b)
{
    attest_trial *trial = x->trial;
    bool decided, equal = false;
    ARB(distance, promised);

    measure(distance, promised, x, a, b);
    decided = arb_gt(distance, promised) || arb_le(distance, promised);
    if (!decided && !x->spread)
        decided = equal = attest_oracle_equal(x->oracle, a, b) == 1;
    if (decided && (equal || arb_le(distance, promised))) {
        attest_trial_violated(trial, "separatedness",
                              x->spread ? "outputs at different tokens are too close"
                                        : "outputs at different tokens are equal");
        trial->has_pair = true;
        trial->pair[0] = a, trial->pair[1] = b;
    } else if (decided && x->spread && arb_is_positive(promised)) {
        double margin;
        arb_div(distance, distance, promised, BITS);
        arb_log_base_ui(distance, distance, 2, BITS);
        margin = fmax(arf_get_d(arb_midref(distance), ARF_RND_NEAR), 0);
        if (!(trial->margin <= margin))
            trial->margin = margin;
    }
    return decided;
}

static bool compare_all(examination *x)
{
    const attest_dataset *d = x->oracle->dataset;
    attest_place a = {0, 0};

    do
        for (attest_place b = a; attest_oracle_next(&b, d);)
            if (x->trial->outcome == ATTEST_HELD &&
                attest_dataset_token(d, a.sequence, a.position) !=
                    attest_dataset_token(d, b.sequence, b.position) &&
                !compare(x, a, b))
                return false;
    while (attest_oracle_next(&a, d));
    return true;
}

/* Doubles the precision until all pairs are decided. */
static attest_status examine(attest_trial *trial, const attest_oracle *oracle,
                             const fmpq *spread, attest_error *error)
{
    for (long bits = BITS; bits <= MOST_BITS; bits *= 2) {
        attest_evaluation out ATTEST_CLEARED_BY(attest_evaluation_clear);
        ATTEST_TRY(attest_evaluation_init(&out, oracle->dataset, oracle->weights, bits, error));
        if (compare_all(&(examination){oracle, &out, spread, bits, trial}))
            return ATTEST_OK;
    }
    attest_trial_open(trial, "not decided at %d bits", MOST_BITS);
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    bool small = !attest_setting_drops(setting, "small-values");
    ATTEST_SCOPED(attest_separated, extremes);
    FMPQ(spread, square);

    if (!attest_instance_fits(instance) || !instance->weights.skip) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    ATTEST_TRY(attest_separated_get(&extremes, &instance->dataset, NULL));
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, &instance->dataset, &instance->weights));
    bound_spread(spread, &oracle);
    fmpq_mul(square, spread, spread);
    if (small && extremes.has_pair && fmpq_cmp(square, extremes.eps_square) >= 0) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    /* Without a spread outputs differ as much as tokens; the promise is a little below that. */
    if (fmpq_is_zero(spread) && extremes.has_pair) {
        fmpq_div_2exp(spread, extremes.eps_square, 100);
        if (fmpq_cmp_ui(extremes.eps_square, 1) > 0)
            fmpq_div(spread, spread, extremes.eps_square);
    }
    ATTEST_TRY(examine(trial, &oracle, small ? spread : NULL, error));
    attest_trial_label_layer(trial, instance);
    return ATTEST_OK;
}

static const attest_droppable droppable[] = {{"small-values", true}, {0}};

const attest_property attest_property_separatedness = {
    .name = "separatedness",
    .title = "outputs at different tokens keep their distance except for the values' spread",
    .statement = "separatedness",
    .gen = gen,
    .decide = decide,
    .coverage = attest_coverage_layers,
    .droppable = droppable,
    .targeted = true,
    .trials = 3000,
};

/* ---- Heads that are gradients never bring tokens of a sequence closer.
 *
 * W_O W_V = c (W_K^T W_Q)^T with c >= 0: <F(x) - F(y), x - y> >= |x - y|^2 for tokens x, y of
 * one sequence without a mask (proofs-notes/separatedness.md, "Gradient heads"). */

static const attest_gen_layer gradient_kind = {
    .tokens = {.dim_max = 3, .count_min = 2, .count_max = 5, .zero = true, .decades = 20},
    .sequences = {.count_min = 1,
                  .count_max = 2,
                  .length_min = 2,
                  .length_max = 5,
                  .repeats = true,
                  .shared = true},
    .heads = {.heads_max = 3,
              .size_max = 3,
              .decades = 20,
              .score_limit = 40,
              .gaps = ATTEST_GEN_FAR},
};

/* W_V = W_K and W_O = c W_Q^T. */
static void make_gradient(attest_head *head, const fmpq_t c)
{
    size_t rows = head->wq.cols, cols = head->wq.rows;
    FMPQ_VEC(entry, (slong)(rows * cols));

    attest_matrix_set(&head->wv, &head->wk);
    for (size_t i = 0; i < rows * cols; i++) {
        attest_matrix_get_entry(entry + i, &head->wq, i % cols, i / cols);
        fmpq_mul(entry + i, entry + i, c);
    }
    attest_gen_set_matrix(&head->wo, entry, rows, cols);
}

static attest_status gen_gradient(attest_instance *instance, struct theft *t,
                                  const attest_setting *setting)
{
    attest_weights *weights = &instance->weights;
    FMPQ(c);

    (void)setting;
    attest_gen_positive(c, t, 4);
    ATTEST_TRY(attest_gen_data_and_weights(instance, t, &gradient_kind));
    weights->skip = true;
    weights->mask = ATTEST_MASK_NONE;
    for (size_t h = 0; h < weights->heads; h++)
        make_gradient(weights->head + h, c);
    return ATTEST_OK;
}

/* Returns whether W_O W_V is a multiple c >= 0 of W_Q^T W_K. Exact. */
static bool is_gradient(const attest_head *head)
{
    size_t dim = head->wo.rows, size = head->wk.rows;
    bool ok = true;
    FMPQ(x, y, a, b, factor);

    bool known = false;
    for (size_t i = 0; i < dim * dim; i++) {
        fmpq_zero(a), fmpq_zero(b);
        for (size_t s = 0; s < size; s++) {
            attest_matrix_get_entry(x, &head->wo, i / dim, s);
            attest_matrix_get_entry(y, &head->wv, s, i % dim);
            fmpq_addmul(b, x, y);
            attest_matrix_get_entry(x, &head->wq, s, i / dim);
            attest_matrix_get_entry(y, &head->wk, s, i % dim);
            fmpq_addmul(a, x, y);
        }
        if (fmpq_is_zero(a)) {
            ok = ok && fmpq_is_zero(b);
            continue;
        }
        fmpq_div(b, b, a);
        ok = ok && (!known || fmpq_equal(b, factor)) && fmpq_sgn(b) >= 0;
        fmpq_set(factor, b);
        known = true;
    }
    return ok;
}

/* Returns whether every head gives the queries at a and b the same weights, or adds nothing
 * along x - y: all scores differ by one constant. Then <F(x) - F(y), x - y> = |x - y|^2 for
 * softmax. */
static bool is_equal(const attest_oracle *oracle, attest_place a, attest_place b)
{
    size_t seen = attest_oracle_seen(oracle, a);
    bool same = true;
    FMPQ(first, x);

    for (size_t h = 0; h < oracle->weights->heads; h++)
        for (size_t j = 0; j < seen; j++) {
            fmpq_sub(x, attest_oracle_score(oracle, h, a, j),
                     attest_oracle_score(oracle, h, b, j));
            if (j == 0)
                fmpq_set(first, x);
            same = same && fmpq_equal(first, x);
        }
    return same;
}

/* excess = <F(x) - F(y) - (x - y), x - y>, which must not be negative; exact for hardmax. */
static void get_excess(arb_t excess, fmpq_t exact, const attest_evaluation *out, attest_place a,
                       attest_place b, long bits)
{
    size_t at_a = attest_evaluation_at(out, a), at_b = attest_evaluation_at(out, b);
    FMPQ(z, w);
    ARB(x, y);

    arb_zero(excess);
    fmpq_zero(exact);
    for (size_t c = 0; c < out->dataset->dim; c++) {
        attest_evaluation_difference(z, out->dataset, a, b, c);
        fmpq_sub(w, out->exact + at_a + c, out->exact + at_b + c);
        fmpq_sub(w, w, z);
        fmpq_addmul(exact, w, z);
        arb_sub(x, out->ball + at_a + c, out->ball + at_b + c, bits);
        arb_set_fmpq(y, z, bits);
        arb_sub(x, x, y, bits);
        arb_addmul(excess, x, y, bits);
    }
}

/* Checks one pair; returns false if this precision does not decide it. */
static bool compare_gradient(attest_trial *trial, const attest_oracle *oracle,
                             const attest_evaluation *out, attest_place a, attest_place b,
                             long bits)
{
    bool hardmax = oracle->weights->activation == ATTEST_HARDMAX, decided = true, bad;
    ARB(excess);
    FMPQ(exact);

    get_excess(excess, exact, out, a, b, bits);
    if (hardmax)
        bad = fmpq_sgn(exact) < 0;
    else if (is_equal(oracle, a, b))
        bad = !arb_contains_zero(excess);
    else {
        decided = !arb_contains_zero(excess);
        bad = decided && arb_is_negative(excess);
    }
    if (bad) {
        attest_trial_violated(trial, "separatedness", "two tokens of one sequence come closer");
        trial->has_pair = true;
        trial->pair[0] = a, trial->pair[1] = b;
    }
    return decided;
}

static bool compare_sequences(attest_trial *trial, const attest_oracle *oracle,
                              const attest_evaluation *out, long bits)
{
    const attest_dataset *d = oracle->dataset;

    for (size_t i = 0; i < d->count; i++)
        for (size_t k = 0; k < attest_dataset_length(d, i); k++)
            for (size_t l = 0; l < k; l++)
                if (trial->outcome == ATTEST_HELD &&
                    attest_dataset_token(d, i, k) != attest_dataset_token(d, i, l) &&
                    !compare_gradient(trial, oracle, out, (attest_place){i, l},
                                      (attest_place){i, k}, bits))
                    return false;
    return true;
}

static bool meets_hypotheses(const attest_instance *instance)
{
    const attest_weights *weights = &instance->weights;
    bool ok =
        attest_instance_fits(instance) && weights->skip && weights->mask == ATTEST_MASK_NONE;

    for (size_t h = 0; ok && h < weights->heads; h++)
        ok = is_gradient(weights->head + h);
    return ok;
}

static attest_status decide_gradient(attest_trial *trial, const attest_instance *instance,
                                     const attest_setting *setting, attest_error *error)
{
    bool decided = false;

    (void)setting;
    if (!meets_hypotheses(instance)) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);
    ATTEST_TRY(attest_oracle_init(&oracle, &instance->dataset, &instance->weights));
    for (long bits = BITS; !decided && bits <= MOST_BITS; bits *= 2) {
        attest_evaluation out ATTEST_CLEARED_BY(attest_evaluation_clear);
        ATTEST_TRY(
            attest_evaluation_init(&out, &instance->dataset, &instance->weights, bits, error));
        decided = compare_sequences(trial, &oracle, &out, bits);
    }
    if (!decided)
        attest_trial_open(trial, "not decided at %d bits", MOST_BITS);
    attest_trial_label_layer(trial, instance);
    return ATTEST_OK;
}

const attest_property attest_property_separatedness_monotone = {
    .name = "separatedness-monotone",
    .title = "heads that are gradients never bring tokens of a sequence closer",
    .statement = "separatedness",
    .gen = gen_gradient,
    .decide = decide_gradient,
    .coverage = attest_coverage_layers,
    .trials = 3000,
};

/* ---- Layers that lose separatedness, found by search.
 *
 * The data are tokenwise separated (different tokens differ); the search is for a layer with
 * skip that maps two different tokens to the same output. */

static const attest_gen_layer search_kind = {
    .tokens = {.dim_max = 2, .count_min = 2, .count_max = 4},
    .sequences = {.count_min = 1, .count_max = 2, .length_min = 1, .length_max = 4},
    .heads = {.heads_max = 2, .size_max = 2, .nonzero = true, .plain = true, .score_limit = 40},
    .simple = true,
};

static attest_status gen_search(attest_instance *instance, struct theft *t,
                                const attest_setting *setting)
{
    (void)setting;
    return attest_gen_data_and_weights(instance, t, &search_kind);
}

/* Decides the property separatedness without its hypothesis. */
static attest_status decide_search(attest_trial *trial, const attest_instance *instance,
                                   const attest_setting *setting, attest_error *error)
{
    attest_setting without = *setting;

    without.without = "small-values";
    return attest_property_separatedness.decide(trial, instance, &without, error);
}

/* out = all outputs in double; returns false if that fails. */
static bool evaluate_in_double(double *out, const attest_instance *instance)
{
    const attest_dataset *d = &instance->dataset;
    ATTEST_SCOPED(attest_sequence, sequence);

    for (size_t i = 0; i < d->count; i++)
        if (attest_dataset_get_sequence(&sequence, d, i, NULL, NULL) != ATTEST_OK ||
            attest_attention_double(out + d->start[i] * d->dim, &instance->weights, &sequence,
                                    NULL) != ATTEST_OK)
            return false;
    return true;
}

/* Returns log2 of the least distance of outputs at different tokens, which the search
 * minimises. */
static double propose(const attest_instance *instance, const attest_setting *setting)
{
    const attest_dataset *d = &instance->dataset;
    double *out ATTEST_FREED = attest_memory_alloc(d->total * d->dim, sizeof *out);
    double least = INFINITY;
    attest_place a = {0, 0};

    (void)setting;
    if (!out || !evaluate_in_double(out, instance))
        return NAN;
    do
        for (attest_place b = a; attest_oracle_next(&b, d);) {
            const double *x = out + (d->start[a.sequence] + a.position) * d->dim;
            const double *y = out + (d->start[b.sequence] + b.position) * d->dim;
            double square = 0;
            for (size_t c = 0; c < d->dim; c++)
                square += (x[c] - y[c]) * (x[c] - y[c]);
            if (attest_dataset_token(d, a.sequence, a.position) !=
                attest_dataset_token(d, b.sequence, b.position))
                least = fmin(least, square);
        }
    while (attest_oracle_next(&a, d));
    return fmax(log2(least) / 2, -1074);
}

/* The head cancels the skip connection. */
static const char witness[] =
    "{\"format\": \"attest/counterexample\", \"version\": 1, \"property\": "
    "\"separatedness-search\","
    " \"dataset\": {\"format\": \"attest/dataset\", \"version\": 1,"
    " \"sequences\": [[[0]], [[1]]]},"
    " \"weights\": {\"format\": \"attest/weights\", \"version\": 1, \"activation\": "
    "\"softmax\","
    " \"heads\": [{\"WQ\": [[1]], \"WK\": [[1]], \"WV\": [[1]], \"WO\": [[-1]]}]},"
    " \"parameters\": {}, \"violates\": {\"definition\": \"separatedness\","
    " \"pair\": [[0, 0], [1, 0]]}, \"found_by\": \"campaign\", \"shrink_steps\": 0}";

const attest_property attest_property_separatedness_search = {
    .name = "separatedness-search",
    .title = "some layers map different tokens to the same output",
    .statement = "separatedness",
    .gen = gen_search,
    .decide = decide_search,
    .propose = propose,
    .targeted = true,
    .expect_violation = true,
    .witness = witness,
    .trials = 8192,
};
