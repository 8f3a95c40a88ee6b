/* label.c -- which hard corners an instance is in. */
#include "campaign/label.h"

#include <math.h>

static double entry(const attest_dataset *dataset, size_t token, size_t c)
{
    fmpq_t x;
    double value;

    fmpq_init(x);
    attest_tokens_get_entry(x, &dataset->tokens, token, c);
    value = fmpq_get_d(x);
    fmpq_clear(x);
    return value;
}

static double norm(const attest_dataset *dataset, size_t token)
{
    double most = 0;

    for (size_t c = 0; c < dataset->dim; c++)
        most = fmax(most, fabs(entry(dataset, token, c)));
    return most;
}

static bool repeats(const attest_dataset *dataset, size_t i)
{
    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++)
        for (size_t l = 0; l < k; l++)
            if (attest_dataset_token(dataset, i, k) == attest_dataset_token(dataset, i, l))
                return true;
    return false;
}

static bool near(const attest_dataset *dataset, size_t s, size_t t)
{
    double most = 0;

    for (size_t c = 0; c < dataset->dim; c++)
        most = fmax(most, fabs(entry(dataset, s, c) - entry(dataset, t, c)));
    return most <= ldexp(fmax(norm(dataset, s), norm(dataset, t)), -30);
}

/* All tokens are multiples of the first one that is not zero, up to rounding. */
static bool collinear(const attest_dataset *dataset)
{
    size_t u = 0, count = dataset->tokens.count, axis = 0;

    while (u < count && norm(dataset, u) == 0)
        u++;
    if (dataset->dim < 2 || count - u < 3)
        return false;
    for (size_t c = 1; c < dataset->dim; c++)
        if (fabs(entry(dataset, u, c)) > fabs(entry(dataset, u, axis)))
            axis = c;
    for (size_t t = u + 1; t < count; t++) {
        double factor = entry(dataset, t, axis) / entry(dataset, u, axis);
        for (size_t c = 0; c < dataset->dim; c++)
            if (fabs(entry(dataset, t, c) - factor * entry(dataset, u, c)) >
                1e-12 * norm(dataset, t))
                return false;
    }
    return true;
}

static bool has_long_numbers(const attest_dataset *dataset)
{
    const attest_tokens *tokens = &dataset->tokens;

    if (!tokens->numerator)
        return false;
    for (size_t t = 0; t < tokens->count; t++) {
        if (fmpz_bits(tokens->denominator + t) > 64)
            return true;
        for (size_t c = 0; c < tokens->dim; c++)
            if (fmpz_bits(tokens->numerator + t * tokens->dim + c) > 64)
                return true;
    }
    return false;
}

static void label_tokens(attest_trial *trial, const attest_dataset *dataset)
{
    bool zero = false, close = false, extreme = false;

    for (size_t t = 0; t < dataset->tokens.count; t++) {
        double x = norm(dataset, t);
        zero = zero || x == 0;
        extreme = extreme || x > 1e12 || (x > 0 && x < 1e-12);
        for (size_t s = 0; s < t && !close; s++)
            close = near(dataset, s, t);
    }
    if (zero)
        attest_trial_label(trial, "zero token");
    if (close)
        attest_trial_label(trial, "near tokens");
    if (extreme)
        attest_trial_label(trial, "extreme scale");
}

void attest_trial_label_dataset(attest_trial *trial, const attest_dataset *dataset)
{
    bool repeated = false, unequal = false, single = false;

    for (size_t i = 0; i < dataset->count; i++) {
        repeated = repeated || repeats(dataset, i);
        unequal = unequal || attest_dataset_length(dataset, i) != dataset->longest;
        single = single || attest_dataset_length(dataset, i) == 1;
    }
    label_tokens(trial, dataset);
    if (repeated)
        attest_trial_label(trial, "repeated token");
    if (collinear(dataset))
        attest_trial_label(trial, "collinear");
    if (unequal)
        attest_trial_label(trial, "unequal lengths");
    if (single)
        attest_trial_label(trial, "one-token sequence");
    if (has_long_numbers(dataset))
        attest_trial_label(trial, "long numbers");
}

void attest_trial_label_weights(attest_trial *trial, const attest_weights *weights)
{
    bool hardmax = weights->activation == ATTEST_HARDMAX;

    attest_trial_label(trial, hardmax ? "hardmax" : "softmax");
    if (hardmax && weights->ties == ATTEST_TIES_LEFTMOST)
        attest_trial_label(trial, "leftmost ties");
    if (weights->mask == ATTEST_MASK_CAUSAL)
        attest_trial_label(trial, "causal mask");
    if (!weights->skip)
        attest_trial_label(trial, "no skip");
    if (weights->heads > 1)
        attest_trial_label(trial, "several heads");
}

bool attest_instance_fits(const attest_instance *instance)
{
    return instance->dataset.count > 0 && instance->weights.heads > 0 &&
           instance->weights.dim == instance->dataset.dim &&
           attest_weights_check_shapes(&instance->weights, NULL) == ATTEST_OK;
}
