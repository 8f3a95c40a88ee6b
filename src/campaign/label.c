/* label.c -- labels: in which hard cases an instance is. */
#include "campaign/label.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "number/scope.h"

/* The tokens of a dataset, rounded, and their largest entries. */
typedef struct table {
    size_t count, dim;
    double *entry; /* count * dim */
    double *norm;  /* count */
} table;

static void table_init(table *x, const attest_tokens *tokens)
{
    FMPQ(value);

    *x = (table){.count = tokens->count, .dim = tokens->dim};
    x->entry = flint_malloc(x->count * (x->dim + 1) * sizeof *x->entry);
    x->norm = x->entry + x->count * x->dim;
    for (size_t t = 0; t < x->count; t++) {
        x->norm[t] = 0;
        for (size_t c = 0; c < x->dim; c++) {
            double *entry = x->entry + t * x->dim + c;
            if (tokens->real) {
                *entry = tokens->real[t * x->dim + c];
            } else {
                attest_tokens_get_entry(value, tokens, t, c);
                *entry = fmpq_get_d(value);
            }
            x->norm[t] = fmax(x->norm[t], fabs(*entry));
        }
    }
}

static void table_clear(table *x)
{
    flint_free(x->entry);
}

static bool repeats(const attest_dataset *dataset, size_t i)
{
    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++)
        for (size_t l = 0; l < k; l++)
            if (attest_dataset_token(dataset, i, k) == attest_dataset_token(dataset, i, l))
                return true;
    return false;
}

static bool near(const table *x, size_t s, size_t t)
{
    double most = 0;

    for (size_t c = 0; c < x->dim; c++)
        most = fmax(most, fabs(x->entry[s * x->dim + c] - x->entry[t * x->dim + c]));
    return most <= 0x1p-30 * fmax(x->norm[s], x->norm[t]);
}

/* Returns whether all tokens are multiples of the first nonzero one, up to rounding. */
static bool collinear(const table *x)
{
    size_t u = 0, axis = 0;
    const double *first;

    while (u < x->count && x->norm[u] == 0)
        u++;
    if (x->dim < 2 || x->count - u < 3)
        return false;
    first = x->entry + u * x->dim;
    for (size_t c = 1; c < x->dim; c++)
        if (fabs(first[c]) > fabs(first[axis]))
            axis = c;
    for (size_t t = u + 1; t < x->count; t++) {
        const double *other = x->entry + t * x->dim;
        double factor = other[axis] / first[axis];
        for (size_t c = 0; c < x->dim; c++)
            if (fabs(other[c] - factor * first[c]) > 1e-12 * x->norm[t])
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

static void label_tokens(attest_trial *trial, const table *x)
{
    bool zero = false, close = false, extreme = false;

    for (size_t t = 0; t < x->count; t++) {
        double norm = x->norm[t];
        zero = zero || norm == 0;
        extreme = extreme || norm > 1e12 || (norm > 0 && norm < 1e-12);
        for (size_t s = 0; s < t && !close; s++)
            close = near(x, s, t);
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
    table x ATTEST_CLEARED_BY(table_clear);

    for (size_t i = 0; i < dataset->count; i++) {
        repeated = repeated || repeats(dataset, i);
        unequal = unequal || attest_dataset_length(dataset, i) != dataset->longest;
        single = single || attest_dataset_length(dataset, i) == 1;
    }
    table_init(&x, &dataset->tokens);
    label_tokens(trial, &x);
    if (repeated)
        attest_trial_label(trial, "repeated token");
    if (collinear(&x))
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

static bool is_zero(const attest_matrix *matrix)
{
    if (matrix->factored)
        return _fmpz_vec_is_zero(matrix->u, (slong)matrix->rows) ||
               _fmpz_vec_is_zero(matrix->v, (slong)matrix->cols);
    return _fmpz_vec_is_zero(matrix->entry, (slong)(matrix->rows * matrix->cols));
}

static bool is_dead(const attest_weights *weights)
{
    for (size_t h = 0; h < weights->heads; h++)
        if (!is_zero(&weights->head[h].wv) && !is_zero(&weights->head[h].wo))
            return false;
    return true;
}

/* Returns whether no token occurs in two contexts; a context is the set of visible tokens.
 * Domain: at most 64 tokens. */
static bool has_one_context(const attest_dataset *dataset, bool causal)
{
    uint64_t set[64] = {0};

    for (size_t i = 0; i < dataset->count; i++) {
        size_t length = attest_dataset_length(dataset, i);
        uint64_t all = 0, seen = 0;
        for (size_t k = 0; k < length; k++)
            all |= UINT64_C(1) << attest_dataset_token(dataset, i, k);
        for (size_t k = 0; k < length; k++) {
            size_t token = attest_dataset_token(dataset, i, k);
            seen = causal ? seen | UINT64_C(1) << token : all;
            if (set[token] && set[token] != seen)
                return false;
            set[token] = seen;
        }
    }
    return true;
}

void attest_trial_label_layer(attest_trial *trial, const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;
    bool causal = instance->weights.mask == ATTEST_MASK_CAUSAL;

    if (dataset->tokens.count == 1)
        attest_trial_label(trial, ATTEST_LABEL_ONE_TOKEN);
    if (is_dead(&instance->weights))
        attest_trial_label(trial, ATTEST_LABEL_DEAD);
    if (dataset->tokens.count <= 64 && has_one_context(dataset, causal))
        attest_trial_label(trial, ATTEST_LABEL_ONE_CONTEXT);
    attest_trial_label_weights(trial, &instance->weights);
    attest_trial_label_dataset(trial, dataset);
}

bool attest_instance_fits(const attest_instance *instance)
{
    return instance->dataset.count > 0 && instance->weights.heads > 0 &&
           instance->weights.dim == instance->dataset.dim &&
           attest_weights_check_shapes(&instance->weights, NULL) == ATTEST_OK;
}

const attest_coverage attest_coverage_layers[] = {
    {ATTEST_LABEL_ONE_TOKEN, 0, 10},
    {ATTEST_LABEL_DEAD, 0, 10},
    {ATTEST_LABEL_ONE_CONTEXT, 0, 10},
    {0},
};
