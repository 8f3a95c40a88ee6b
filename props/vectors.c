/* vectors.c -- vectors of reals, and the attention weights of scores as the library computes
 * them. */
#include "props/vectors.h"

#include <math.h>

#include <attest/attention.h>

#include "number/rationals.h"
#include "number/scope.h"

attest_status attest_vectors_init(attest_vectors *vectors, const attest_dataset *dataset,
                                  attest_error *error)
{
    const attest_tokens *tokens = &dataset->tokens;
    FMPZ_VEC(value, (slong)tokens->count);
    FMPQ(x);

    vectors->dataset = dataset;
    vectors->entry = _fmpz_vec_init((slong)dataset->total);
    fmpz_init_set_ui(vectors->denominator, 1);
    if (dataset->dim != 1)
        return attest_error_set(error, ATTEST_DOMAIN, "vectors have tokens of dimension 1");
    for (size_t t = 0; t < tokens->count; t++) {
        attest_tokens_get_entry(x, tokens, t, 0);
        fmpz_lcm(vectors->denominator, vectors->denominator, fmpq_denref(x));
    }
    for (size_t t = 0; t < tokens->count; t++) {
        attest_tokens_get_entry(x, tokens, t, 0);
        fmpz_divexact(value + t, vectors->denominator, fmpq_denref(x));
        fmpz_mul(value + t, value + t, fmpq_numref(x));
    }
    for (size_t i = 0; i < dataset->count; i++) {
        fmpz *own = vectors->entry + dataset->start[i];
        size_t length = attest_dataset_length(dataset, i);

        for (size_t k = 0; k < length; k++)
            fmpz_set(own + k, value + attest_dataset_token(dataset, i, k));
        _fmpz_vec_sort(own, (slong)length);
        for (size_t k = 0; k < length / 2; k++)
            fmpz_swap(own + k, own + length - 1 - k);
    }
    return ATTEST_OK;
}

void attest_vectors_clear(attest_vectors *vectors)
{
    _fmpz_vec_clear(vectors->entry, (slong)vectors->dataset->total);
    fmpz_clear(vectors->denominator);
}

bool attest_vectors_have_duplicates(const attest_vectors *vectors)
{
    for (size_t i = 0; i < vectors->dataset->count; i++) {
        const fmpz *own = attest_vectors_get(vectors, i);

        for (size_t k = 1; k < attest_dataset_length(vectors->dataset, i); k++)
            if (fmpz_equal(own + k - 1, own + k))
                return true;
    }
    return false;
}

static bool contains(const fmpz *list, size_t length, const fmpz_t x)
{
    for (size_t k = 0; k < length; k++)
        if (fmpz_equal(list + k, x))
            return true;
    return false;
}

static bool is_subset(const attest_vectors *vectors, size_t i, size_t j)
{
    size_t other = attest_dataset_length(vectors->dataset, j);

    for (size_t k = 0; k < attest_dataset_length(vectors->dataset, i); k++)
        if (!contains(attest_vectors_get(vectors, j), other,
                      attest_vectors_get(vectors, i) + k))
            return false;
    return true;
}

bool attest_vectors_same_set(const attest_vectors *vectors, size_t i, size_t j)
{
    return is_subset(vectors, i, j) && is_subset(vectors, j, i);
}

bool attest_vectors_gap(fmpq_t gap, const attest_vectors *vectors)
{
    size_t total = vectors->dataset->total;
    bool found = false;
    FMPZ(distance);

    for (size_t p = 0; p < total; p++) {
        for (size_t q = 0; q < p; q++) {
            fmpz_sub(distance, vectors->entry + p, vectors->entry + q);
            fmpz_abs(distance, distance);
            if (fmpz_is_zero(distance) || (found && fmpz_cmp(distance, fmpq_numref(gap)) >= 0))
                continue;
            fmpz_set(fmpq_numref(gap), distance);
            found = true;
        }
    }
    if (found)
        fmpq_set_fmpz_frac(gap, fmpq_numref(gap), vectors->denominator);
    return found;
}

void attest_vectors_radius(fmpq_t radius, const attest_vectors *vectors)
{
    FMPZ(largest);

    for (size_t p = 0; p < vectors->dataset->total; p++)
        if (fmpz_cmpabs(vectors->entry + p, largest) > 0)
            fmpz_abs(largest, vectors->entry + p);
    fmpq_set_fmpz_frac(radius, largest, vectors->denominator);
}

attest_status attest_vectors_difference(attest_boltz_difference *difference,
                                        const attest_vectors *vectors, size_t i, size_t j,
                                        long accuracy, attest_error *error)
{
    attest_multiset a = {attest_dataset_length(vectors->dataset, i),
                         attest_vectors_get(vectors, i), NULL};
    attest_multiset b = {attest_dataset_length(vectors->dataset, j),
                         attest_vectors_get(vectors, j), NULL};

    return attest_boltz_difference_bound(difference, &a, &b, vectors->denominator, accuracy, 0,
                                         error);
}

int attest_vectors_compare(attest_trial *trial, const arb_t actual, const arb_t promised)
{
    int sign = arb_gt(actual, promised) ? 1 : arb_lt(actual, promised) ? -1 : 0;
    double value;

    if (sign == 0)
        return 0;
    ARB(margin);
    arb_sub(margin, actual, promised, ARF_PREC_EXACT);
    value = arf_get_d(arb_midref(margin), ARF_RND_NEAR);
    if (isnan(trial->margin) || value < trial->margin)
        trial->margin = value;
    return sign;
}

enum { GRID = 1024, FINE_GRID = 1 << 20 };

/* Adds 1/grid to the gap until check accepts it. */
static void raise_gap(fmpq_t gap, slong grid, bool (*check)(const fmpq_t gap, size_t n),
                      size_t n)
{
    FMPQ(step);

    fmpq_set_si(step, 1, (ulong)grid);
    while (!check(gap, n))
        fmpq_add(gap, gap, step);
}

attest_status attest_vectors_set_tight(attest_vocabulary *values, size_t count,
                                       double threshold,
                                       bool (*check)(const fmpq_t gap, size_t n), size_t n)
{
    values->entry = attest_rationals_alloc(count);
    if (!values->entry)
        return ATTEST_NOMEM;
    values->count = count;
    values->dim = 1;
    FMPQ(gap);
    fmpq_set_si(gap, (slong)floor(threshold * FINE_GRID), FINE_GRID);
    raise_gap(gap, FINE_GRID, check, n);
    for (size_t i = 0; i < count; i++) {
        fmpq_set_si(values->entry + i, (slong)count - 1 - 2 * (slong)i, 2);
        fmpq_mul(values->entry + i, values->entry + i, gap);
    }
    return ATTEST_OK;
}

void attest_vectors_gen_gap(fmpq_t gap, struct theft *t, double threshold,
                            bool (*check)(const fmpq_t gap, size_t n), size_t n)
{
    enum { WHOLE, PACKED, WIDE, KINDS };
    slong least = (slong)ceil(threshold);

    switch (theft_random_choice(t, KINDS)) {
    case WHOLE:
        fmpq_set_si(gap, least + (slong)theft_random_choice(t, 4), 1);
        break;
    case PACKED:
        fmpq_set_si(gap, (slong)floor(threshold * GRID), GRID);
        break;
    default:
        fmpq_set_si(gap, least + (slong)theft_random_choice(t, 1000), 1);
    }
    raise_gap(gap, GRID, check, n);
}

void attest_vectors_gen_narrow(fmpq_t gap, struct theft *t, double threshold)
{
    uint64_t tenths = (uint64_t)(threshold * 10); /* not equal: 10 threshold is no integer */
    uint64_t one = theft_random_choice(t, tenths), other = theft_random_choice(t, tenths);

    fmpq_set_ui(gap, 1 + (ulong)(one < other ? one : other), 10);
}

attest_status attest_vectors_gen_values(attest_vocabulary *values, struct theft *t,
                                        size_t count, const fmpq_t gap)
{
    FMPQ(centre);

    ATTEST_TRY(attest_gen_reals(values, t, count, count, gap));
    if (!attest_gen_rarely(t, 2))
        return ATTEST_OK;
    fmpq_add(centre, values->entry, values->entry + count - 1);
    fmpq_div_2exp(centre, centre, 1);
    for (size_t i = 0; i < count; i++)
        fmpq_sub(values->entry + i, values->entry + i, centre);
    return ATTEST_OK;
}

attest_status attest_vectors_build(attest_dataset *dataset, const attest_vocabulary *values,
                                   const attest_vector_lists *lists)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    attest_error error;

    for (size_t i = 0; i < lists->count; i++) {
        for (size_t k = 0; k < lists->length[i]; k++)
            ATTEST_TRY(attest_dataset_builder_add_token(
                &builder, values->entry + lists->index[i][k], &error));
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, &error));
    }
    return attest_dataset_builder_finish(dataset, &builder, &error);
}

/* ---- Attention weights. */

/* Entries of a token: its score, a 1, and its unit vector. */
enum { SCORE, ONE, UNIT };

void attest_scores_get(fmpq *score, const attest_dataset *dataset, size_t i)
{
    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++)
        attest_tokens_get_entry(score + k, &dataset->tokens,
                                attest_dataset_token(dataset, i, k), 0);
}

static void set_sequence(attest_sequence *sequence, const fmpq *score, size_t count)
{
    size_t dim = UNIT + count;

    attest_sequence_resize(sequence, count, dim);
    fmpz_one(sequence->denominator);
    for (size_t i = 0; i < count; i++)
        fmpz_lcm(sequence->denominator, sequence->denominator, fmpq_denref(score + i));
    for (size_t i = 0; i < count; i++) {
        fmpz *token = sequence->entry + i * dim;
        fmpz_divexact(token + SCORE, sequence->denominator, fmpq_denref(score + i));
        fmpz_mul(token + SCORE, token + SCORE, fmpq_numref(score + i));
        fmpz_set(token + ONE, sequence->denominator);
        fmpz_set(token + UNIT + i, sequence->denominator);
    }
}

static attest_status set_weights(attest_weights *weights, size_t count)
{
    size_t dim = UNIT + count;
    attest_head *head;

    ATTEST_TRY(attest_weights_resize(weights, 1));
    head = weights->head;
    weights->dim = dim;
    weights->skip = false;
    attest_matrix_resize(&head->wk, count, dim);
    attest_matrix_resize(&head->wq, count, dim);
    attest_matrix_resize(&head->wv, count, dim);
    attest_matrix_resize(&head->wo, dim, count);
    fmpz_one(head->wk.entry + SCORE);
    fmpz_one(head->wq.entry + ONE);
    for (size_t i = 0; i < count; i++) {
        fmpz_one(head->wv.entry + i * dim + UNIT + i);
        fmpz_one(head->wo.entry + (UNIT + i) * count + i);
    }
    return ATTEST_OK;
}

/* Evaluates the layer and copies the weights from the output of the first token. Exactly one of
 * soft and hard is not NULL. */
static attest_status evaluate(arb_ptr soft, fmpq *hard, const fmpq *score, size_t count,
                              long bits, attest_error *error)
{
    size_t dim = UNIT + count, entries = count * dim;
    ARB_VEC(balls, (slong)entries);
    FMPQ_VEC(exact, (slong)entries);
    ATTEST_SCOPED(attest_sequence, sequence);
    ATTEST_SCOPED(attest_weights, weights);

    set_sequence(&sequence, score, count);
    ATTEST_TRY(set_weights(&weights, count));
    weights.activation = hard ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
    ATTEST_TRY(hard ? attest_attention_exact(exact, &weights, &sequence, error)
                    : attest_attention_ball(balls, &weights, &sequence, bits, error));
    for (size_t i = 0; i < count; i++)
        if (hard)
            fmpq_set(hard + i, exact + UNIT + i);
        else
            arb_set(soft + i, balls + UNIT + i);
    return ATTEST_OK;
}

attest_status attest_probabilities_softmax(arb_ptr p, const fmpq *score, size_t count,
                                           long bits, attest_error *error)
{
    return evaluate(p, NULL, score, count, bits, error);
}

attest_status attest_probabilities_hardmax(fmpq *p, const fmpq *score, size_t count,
                                           attest_error *error)
{
    return evaluate(NULL, p, score, count, 0, error);
}
