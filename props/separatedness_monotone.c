/* separatedness_monotone.c -- heads that are gradients never bring tokens of a sequence closer.
 *
 * W_O W_V = c (W_K^T W_Q)^T with c >= 0: <F(x) - F(y), x - y> >= |x - y|^2 for tokens x, y of
 * one sequence without a mask (proofs-notes/separatedness.md, "Gradient heads"). */
#include <math.h>

#include "campaign/label.h"
#include "campaign/gen.h"
#include "number/scope.h"
#include "props/evaluation.h"
#include "props/oracle.h"
#include "props/properties.h"
#include "props/transform.h"

enum { BITS = 128, MOST_BITS = 1 << 13 };

static const attest_gen_layer kind = {
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

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    attest_weights *weights = &instance->weights;
    FMPQ(c);

    (void)setting;
    attest_gen_positive(c, t, 4);
    ATTEST_TRY(attest_gen_data_and_weights(instance, t, &kind));
    weights->skip = true;
    weights->mask = ATTEST_MASK_NONE;
    for (size_t h = 0; h < weights->heads; h++)
        make_gradient(weights->head + h, c);
    return ATTEST_OK;
}

/* Whether W_O W_V is a multiple c >= 0 of W_Q^T W_K. Exact. */
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

/* Whether every head gives the queries at a and b the same weights, or adds nothing along x -
 * y: all scores differ by one constant. Then <F(x) - F(y), x - y> = |x - y|^2 for softmax. */
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
static bool compare(attest_trial *trial, const attest_oracle *oracle,
                    const attest_evaluation *out, attest_place a, attest_place b, long bits)
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

static bool compare_all(attest_trial *trial, const attest_oracle *oracle,
                        const attest_evaluation *out, long bits)
{
    const attest_dataset *d = oracle->dataset;

    for (size_t i = 0; i < d->count; i++)
        for (size_t k = 0; k < attest_dataset_length(d, i); k++)
            for (size_t l = 0; l < k; l++)
                if (trial->outcome == ATTEST_HELD &&
                    attest_dataset_token(d, i, k) != attest_dataset_token(d, i, l) &&
                    !compare(trial, oracle, out, (attest_place){i, l}, (attest_place){i, k},
                             bits))
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

static attest_status decide(attest_trial *trial, const attest_instance *instance,
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
        decided = compare_all(trial, &oracle, &out, bits);
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
    .gen = gen,
    .decide = decide,
    .coverage = attest_coverage_layers,
    .trials = 3000,
};
