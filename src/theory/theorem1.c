/* theorem1.c -- pairs of contexts for which every hardmax layer has equal outputs (Theorem
 * 1). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/attention.h>

#include "attention/head_plan.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/weights.h"
#include "number/scope.h"
#include "theory/theorem1.h"

enum { MOST_LENGTH = ATTEST_THEOREM1_LONGEST, RANDOM_DIRECTIONS = 64 };

/* Uniform ties: largest, smallest and mean agree (6, 1, 7/2). */
static const long uniform_a[] = {1, 3, 4, 6}, uniform_b[] = {1, 2, 5, 6};
/* Leftmost ties: the first token instead of the mean. */
static const long leftmost_a[] = {1, 2, 4}, leftmost_b[] = {1, 3, 4};
/* Causal mask: the token 3 sees (1, 3) in one and (1, 2, 3) in the other: largest, smallest,
 * mean and first agree, so that both kinds of ties are served. */
static const long causal_a[] = {1, 3, 2}, causal_b[] = {1, 2, 3};

const attest_universal_pair *attest_theorem1_universal(attest_ties ties, attest_mask mask)
{
    static const attest_universal_pair uniform = {{4, 4}, {uniform_a, uniform_b}, {3, 3}};
    static const attest_universal_pair leftmost = {{3, 3}, {leftmost_a, leftmost_b}, {2, 2}};
    static const attest_universal_pair causal = {{3, 3}, {causal_a, causal_b}, {1, 2}};

    if (mask == ATTEST_MASK_CAUSAL)
        return &causal;
    return ties == ATTEST_TIES_LEFTMOST ? &leftmost : &uniform;
}

/* Uniform on [-most, most]: values beyond the last whole multiple are drawn again. */
static long random_entry(uint64_t *state, long most)
{
    uint64_t span = 2 * (uint64_t)most + 1, limit = UINT64_MAX - UINT64_MAX % span, x;

    do
        x = attest_random_next(state);
    while (x >= limit);
    return (long)(x % span) - most;
}

static void gen_matrix(attest_matrix *matrix, size_t rows, size_t cols, uint64_t *state)
{
    attest_matrix_resize(matrix, rows, cols);
    for (size_t e = 0; e < rows * cols; e++)
        fmpz_set_si(matrix->entry + e, random_entry(state, 9));
}

attest_status attest_theorem1_gen_weights(attest_weights *weights, size_t heads, size_t dim,
                                          size_t size, uint64_t seed, attest_error *error)
{
    uint64_t state = seed;

    if (attest_weights_resize(weights, heads) != ATTEST_OK)
        return attest_memory_fail(error);
    weights->activation = ATTEST_HARDMAX;
    weights->dim = dim;
    for (size_t h = 0; h < heads; h++) {
        gen_matrix(&weights->head[h].wq, size, dim, &state);
        gen_matrix(&weights->head[h].wk, size, dim, &state);
        gen_matrix(&weights->head[h].wv, size, dim, &state);
        gen_matrix(&weights->head[h].wo, dim, size, &state);
    }
    return ATTEST_OK;
}

/* The number of heads whose score (W_K u).(W_Q u) is not 0. */
static size_t count_active(const attest_weights *weights, const fmpz *u)
{
    size_t active = 0;
    FMPZ(score);

    for (size_t h = 0; h < weights->heads; h++) {
        const attest_head *head = &weights->head[h];
        slong s = (slong)head->wk.rows;
        FMPZ_VEC(key, s);
        FMPZ_VEC(query, s);

        attest_linear_apply(key, &head->wk, u);
        attest_linear_apply(query, &head->wq, u);
        _fmpz_vec_dot(score, key, query, s);
        active += !fmpz_is_zero(score);
    }
    return active;
}

/* Candidate number i: the axes, then (1, 1, ..., 1), then whole numbers in [-3, 3]. */
static void set_direction(fmpz *u, size_t dim, size_t i, uint64_t *state)
{
    for (size_t c = 0; c < dim; c++)
        fmpz_set_si(u + c, i < dim ? c == i : i == dim ? 1 : random_entry(state, 3));
    if (_fmpz_vec_is_zero(u, (slong)dim))
        fmpz_one(u);
}

/* u = the candidate on which most heads have scores that are not constant: any direction has
 * equal outputs, but a direction with constant scores demonstrates little. */
static void choose_direction(fmpz *u, const attest_weights *weights)
{
    size_t dim = weights->dim, most = 0;
    uint64_t state = 1;
    FMPZ_VEC(candidate, (slong)dim);

    for (size_t i = 0; i <= dim + RANDOM_DIRECTIONS; i++) {
        size_t active;

        set_direction(candidate, dim, i, &state);
        active = count_active(weights, candidate);
        if (i == 0 || active > most) {
            most = active;
            _fmpz_vec_set(u, candidate, (slong)dim);
        }
        if (most == weights->heads)
            break;
    }
}

attest_status attest_theorem1_build_pair(attest_counterexample *counterexample, bool *merged,
                                         const attest_universal_pair *pair, attest_error *error)
{
    static const size_t indices[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const attest_weights *weights = &counterexample->weights;
    const size_t *index[2] = {indices, indices + pair->length[0]};
    size_t dim = weights->dim;
    FMPZ(one);
    FMPZ_VEC(u, (slong)dim);
    FMPZ_VEC(token, (slong)(2 * MOST_LENGTH * dim));

    if (weights->activation != ATTEST_HARDMAX)
        return attest_error_set(error, ATTEST_DOMAIN, "Theorem 1 needs hardmax weights");
    assert(pair->length[0] <= MOST_LENGTH && pair->length[1] <= MOST_LENGTH);
    fmpz_one(one);
    choose_direction(u, weights);
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0; k < pair->length[side]; k++)
            _fmpz_vec_scalar_mul_si(token + index[side][k] * dim, u, (slong)dim,
                                    pair->t[side][k]);
    *merged = false;
    ATTEST_TRY(attest_theorem1_set_pair(counterexample, token, one, dim, index, pair->length,
                                        pair->position, error));
    return attest_theorem1_check(merged, counterexample, error);
}

attest_status attest_theorem1_build(attest_counterexample *counterexample, attest_error *error)
{
    const attest_weights *weights = &counterexample->weights;
    bool merged;

    ATTEST_TRY(attest_theorem1_build_pair(
        counterexample, &merged, attest_theorem1_universal(weights->ties, weights->mask),
        error));
    assert(merged); /* it is a theorem */
    return ATTEST_OK;
}

/* All contexts that the tokens of a dataset have, each at its place. */

attest_status attest_theorem1_add_place(attest_theorem1_search *s, attest_error *error)
{
    const attest_dataset *v = s->vocabulary;
    size_t k = s->places, end = s->start[k];

    for (size_t i = 0; i < v->count; i++) {
        size_t t = k < attest_dataset_length(v, i) ? attest_dataset_token(v, i, k) : SIZE_MAX;
        bool there = t == SIZE_MAX;

        if (!there && s->own[t] == SIZE_MAX) {
            s->own[t] = s->count;
            s->id[s->count++] = t;
        }
        for (size_t e = s->start[k]; e < end && !there; e++)
            there = s->at[e] == s->own[t];
        if (there)
            continue;
        if (!attest_memory_grow(&s->at, &s->at_room, end + 1, sizeof *s->at))
            return attest_memory_fail(error);
        s->at[end++] = s->own[t];
    }
    s->start[++s->places] = end;
    return ATTEST_OK;
}

/* added of head h, times scale. */
static void set_added(attest_theorem1_search *s, size_t h, const fmpz_t scale)
{
    const attest_head *head = &s->weights->head[h];
    size_t dim = s->vocabulary->dim, size = head->wv.rows;
    uint64_t state = s->functional;
    FMPZ_VEC(functional, (slong)dim);
    FMPZ_VEC(l, (slong)size);
    FMPZ_VEC(pulled, (slong)dim);

    for (size_t c = 0; c < dim; c++)
        fmpz_set_ui(functional + c, (ulong)(attest_random_next(&state) >> 1));
    attest_linear_apply_transposed(l, &head->wo, functional);
    attest_linear_apply_transposed(pulled, &head->wv, l);
    for (size_t y = 0; y < s->count; y++) {
        fmpz *added = s->added + h * s->count + y;

        _fmpz_vec_dot(added, pulled, s->token + y * dim, (slong)dim);
        fmpz_mul(added, added, scale);
    }
}

/* The scores of all tokens in play: a layer on them as one sequence. */
static attest_status charge_tables(attest_theorem1_search *s, attest_error *error)
{
    attest_sequence all = {.length = s->count, .dim = s->vocabulary->dim, .entry = s->token};

    *all.denominator = *s->denominator; /* lent */
    return attest_work_charge(&s->work_left,
                              attest_work_estimate(s->weights, &all, s->count, 0), error);
}

/* The contexts: every head of a sequence compares each two of its keys, and adds. */
static attest_status charge_contexts(attest_theorem1_search *s, size_t length,
                                     attest_error *error)
{
    size_t heads = s->weights->heads;
    double bits =
        fabs((double)_fmpz_vec_max_bits(s->score, (slong)(heads * s->count * s->count))) +
        fabs((double)_fmpz_vec_max_bits(s->added, (slong)(heads * s->count)));
    double sequences = 1, steps = 0;

    for (size_t n = 1; n <= length; n++) {
        sequences *= (double)(s->start[n] - s->start[n - 1]);
        steps += sequences * (double)(heads * n * n);
    }
    return attest_work_charge(&s->work_left, steps * attest_work_operation(bits), error);
}

/* Sets scores and contributions of all active tokens. */
static attest_status set_tables(attest_theorem1_search *s, attest_budget *budget,
                                attest_error *error)
{
    size_t heads = s->weights->heads, count = s->count;
    FMPZ(common, own);

    ATTEST_TRY(attest_theorem1_load(s->token, s->denominator, &s->vocabulary->tokens, s->id,
                                    count, budget, error));
    ATTEST_TRY(charge_tables(s, error));
    fmpz_one(common);
    for (size_t h = 0; h < heads; h++) {
        const attest_head *head = &s->weights->head[h];

        fmpz_mul(own, head->wv.denominator, head->wo.denominator);
        fmpz_lcm(common, common, own);
    }
    for (size_t h = 0; h < heads; h++) {
        const attest_head *head = &s->weights->head[h];

        fmpz_mul(own, head->wv.denominator, head->wo.denominator);
        fmpz_divexact(own, common, own);
        set_added(s, h, own);
        for (size_t x = 0; x < count; x++)
            attest_theorem1_rank(s->score + (h * count + x) * count, head, s->token, count,
                                 s->vocabulary->dim, x);
    }
    return ATTEST_OK;
}

/* number += the sum of head h over the winners among t[0..keys) for the query x, times
 * multiple / their number. */
static void add_head(fmpz_t number, const attest_theorem1_search *s, size_t h, const size_t *t,
                     size_t keys, size_t x, ulong multiple)
{
    const fmpz *score = s->score + (h * s->count + x) * s->count;
    size_t best = t[0];
    ulong winners = 0;
    FMPZ(sum);

    for (size_t j = 1; j < keys; j++)
        best = fmpz_cmp(score + t[j], score + best) > 0 ? t[j] : best;
    for (size_t j = 0; j < keys; j++) {
        if (!fmpz_equal(score + t[j], score + best) ||
            (s->weights->ties == ATTEST_TIES_LEFTMOST && winners > 0))
            continue;
        fmpz_add(sum, sum, s->added + h * s->count + t[j]);
        winners++;
    }
    fmpz_addmul_ui(number, sum, multiple / winners);
}

/* The contexts of the sequence at the end of the pool; under a mask only that of the last
 * position: the others are contexts of shorter sequences. */
static attest_status add_contexts(attest_theorem1_search *s, size_t length, ulong multiple,
                                  attest_error *error)
{
    bool causal = s->weights->mask == ATTEST_MASK_CAUSAL;
    size_t sequence = s->pooled - length;
    const size_t *t = s->pool + sequence;

    if (!attest_memory_grow(&s->context, &s->context_room, s->contexts + length,
                            sizeof *s->context))
        return attest_memory_fail(error);
    for (size_t k = causal ? length - 1 : 0; k < length; k++) {
        attest_theorem1_context *x = &s->context[s->contexts++];

        *x = (attest_theorem1_context){
            .sequence = sequence, .length = length, .position = k, .token = t[k]};
        fmpz_init(&x->number);
        for (size_t h = 0; h < s->weights->heads; h++)
            add_head(&x->number, s, h, t, length, t[k], multiple);
    }
    return ATTEST_OK;
}

/* All sequences of this length, the last place fastest. */
static attest_status add_sequences(attest_theorem1_search *s, size_t length, ulong multiple,
                                   attest_error *error)
{
    size_t *digit ATTEST_FREED = attest_memory_alloc(length, sizeof *digit), k = 0;

    if (!digit)
        return attest_memory_fail(error);
    memset(digit, 0, length * sizeof *digit);
    while (k < length) {
        if (!attest_memory_grow(&s->pool, &s->pool_room, s->pooled + length, sizeof *s->pool))
            return attest_memory_fail(error);
        for (size_t j = 0; j < length; j++)
            s->pool[s->pooled++] = s->at[s->start[j] + digit[j]];
        ATTEST_TRY(add_contexts(s, length, multiple, error));
        for (k = 0; k < length; k++) {
            size_t place = length - 1 - k;

            if (++digit[place] < s->start[place + 1] - s->start[place])
                break;
            digit[place] = 0;
        }
    }
    return ATTEST_OK;
}

/* The least number that all up to length divide. */
static ulong multiple_of_all(size_t length)
{
    ulong multiple = 1;

    for (size_t n = 2; n <= length; n++)
        multiple *= n / n_gcd(multiple, n);
    return multiple;
}

void attest_theorem1_clear_contexts(attest_theorem1_search *s)
{
    for (size_t i = 0; i < s->contexts; i++)
        fmpz_clear(&s->context[i].number);
    s->contexts = s->pooled = 0;
}

attest_status attest_theorem1_set_contexts(attest_theorem1_search *s, size_t length,
                                           attest_budget *budget, attest_error *error)
{
    ulong multiple = multiple_of_all(length);

    ATTEST_TRY(set_tables(s, budget, error));
    ATTEST_TRY(charge_contexts(s, length, error));
    attest_theorem1_clear_contexts(s);
    for (size_t n = 1; n <= length; n++)
        ATTEST_TRY(add_sequences(s, n, multiple, error));
    return ATTEST_OK;
}

/* Tokens over one denominator, and how a query ranks them. */

attest_status attest_theorem1_check_vocabulary(const attest_weights *weights,
                                               const attest_dataset *vocabulary,
                                               attest_error *error)
{
    if (weights->activation != ATTEST_HARDMAX)
        return attest_error_set(error, ATTEST_DOMAIN, "Theorem 1 needs hardmax weights");
    if (weights->dim != vocabulary->dim)
        return attest_error_set(error, ATTEST_DOMAIN,
                                "tokens have %zu entries, but the weights take %zu",
                                vocabulary->dim, weights->dim);
    return ATTEST_OK;
}

static size_t number_of(const size_t *id, size_t y)
{
    return id ? id[y] : y;
}

/* denominator = that of all of them; token is overwritten. */
static attest_status set_denominator(fmpz_t denominator, fmpz *token,
                                     const attest_tokens *tokens, const size_t *id,
                                     size_t count, attest_budget *budget, attest_error *error)
{
    FMPZ(own);

    fmpz_one(denominator);
    for (size_t y = 0; y < count; y++) {
        attest_tokens_get(token + y * tokens->dim, own, tokens, number_of(id, y));
        fmpz_lcm(denominator, denominator, own);
        ATTEST_TRY(attest_budget_charge(budget, fmpz_bits(denominator) / 8, error));
    }
    return ATTEST_OK;
}

attest_status attest_theorem1_load(fmpz *token, fmpz_t denominator, const attest_tokens *tokens,
                                   const size_t *id, size_t count, attest_budget *budget,
                                   attest_error *error)
{
    size_t dim = tokens->dim;
    FMPZ(own);

    ATTEST_TRY(set_denominator(denominator, token, tokens, id, count, budget, error));
    ATTEST_TRY(attest_budget_charge(budget, count * dim * (fmpz_bits(denominator) / 8), error));
    for (size_t y = 0; y < count; y++) {
        attest_tokens_get(token + y * dim, own, tokens, number_of(id, y));
        fmpz_divexact(own, denominator, own);
        _fmpz_vec_scalar_mul_fmpz(token + y * dim, token + y * dim, (slong)dim, own);
    }
    return ATTEST_OK;
}

void attest_theorem1_rank(fmpz *score, const attest_head *head, const fmpz *token, size_t count,
                          size_t dim, size_t x)
{
    size_t size = head->wk.rows;
    FMPZ_VEC(query, (slong)size);
    FMPZ_VEC(l, (slong)dim);

    attest_linear_apply(query, &head->wq, token + x * dim);
    attest_linear_apply_transposed(l, &head->wk, query);
    for (size_t y = 0; y < count; y++)
        _fmpz_vec_dot(score + y, l, token + y * dim, (slong)dim);
}

/* Decides whether hardmax merges two positions whose vocabularies differ. */

static attest_status add_sequence(attest_dataset_builder *builder, const fmpz *numerator,
                                  const fmpz_t denominator, size_t dim, const size_t *index,
                                  size_t length, attest_error *error)
{
    FMPQ_VEC(token, (slong)dim);

    for (size_t k = 0; k < length; k++) {
        for (size_t c = 0; c < dim; c++)
            fmpq_set_fmpz_frac(token + c, numerator + index[k] * dim + c, denominator);
        ATTEST_TRY(attest_dataset_builder_add_token(builder, token, error));
    }
    return attest_dataset_builder_end_sequence(builder, error);
}

attest_status attest_theorem1_set_pair(attest_counterexample *counterexample,
                                       const fmpz *numerator, const fmpz_t denominator,
                                       size_t dim, const size_t *const index[2],
                                       const size_t length[2], const size_t position[2],
                                       attest_error *error)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_RATIONAL, NULL);

    counterexample->has_pair = false;
    for (size_t side = 0; side < 2; side++) {
        if (length[side] > 0)
            ATTEST_TRY(add_sequence(&builder, numerator, denominator, dim, index[side],
                                    length[side], error));
        counterexample->pair[side][0] = length[side] > 0 ? side : 0;
        counterexample->pair[side][1] = position[side];
    }
    ATTEST_TRY(attest_dataset_builder_finish(&counterexample->dataset, &builder, error));
    counterexample->has_pair = true;
    if (attest_counterexample_set_texts(counterexample, "theorem1", "contextual-mapping",
                                        "construction") != ATTEST_OK)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

/* How many keys the position sees. */
static size_t seen(const attest_counterexample *counterexample, size_t side)
{
    if (counterexample->weights.mask == ATTEST_MASK_CAUSAL)
        return counterexample->pair[side][1] + 1;
    return attest_dataset_length(&counterexample->dataset, counterexample->pair[side][0]);
}

/* Returns whether side sees a token that the other side does not. */
static bool sees_more(const attest_counterexample *counterexample, size_t side)
{
    const attest_dataset *dataset = &counterexample->dataset;
    size_t mine = counterexample->pair[side][0], other = counterexample->pair[1 - side][0];

    for (size_t k = 0; k < seen(counterexample, side); k++) {
        bool shared = false;

        for (size_t l = 0; l < seen(counterexample, 1 - side); l++)
            shared = shared || attest_dataset_token(dataset, mine, k) ==
                                   attest_dataset_token(dataset, other, l);
        if (!shared)
            return true;
    }
    return false;
}

static attest_status compute_output(attest_counterexample *counterexample, size_t side,
                                    attest_error *error)
{
    const attest_dataset *dataset = &counterexample->dataset;
    ATTEST_SCOPED(attest_sequence, sequence);

    ATTEST_TRY(attest_dataset_get_sequence(&sequence, dataset, counterexample->pair[side][0],
                                           NULL, error));
    FMPQ_VEC(all, (slong)(sequence.length * sequence.dim));
    ATTEST_TRY(attest_attention_exact(all, &counterexample->weights, &sequence, error));
    for (size_t c = 0; c < dataset->dim; c++)
        fmpq_set(counterexample->output[side] + c,
                 all + counterexample->pair[side][1] * dataset->dim + c);
    return ATTEST_OK;
}

attest_status attest_theorem1_check(bool *merged, attest_counterexample *counterexample,
                                    attest_error *error)
{
    const attest_dataset *dataset = &counterexample->dataset;

    *merged = false;
    attest_counterexample_resize_outputs(counterexample, dataset->dim);
    for (size_t side = 0; side < 2; side++)
        ATTEST_TRY(compute_output(counterexample, side, error));
    *merged =
        attest_dataset_token(dataset, counterexample->pair[0][0], counterexample->pair[0][1]) ==
            attest_dataset_token(dataset, counterexample->pair[1][0],
                                 counterexample->pair[1][1]) &&
        (sees_more(counterexample, 0) || sees_more(counterexample, 1));
    for (size_t c = 0; c < dataset->dim && *merged; c++)
        *merged = fmpq_equal(counterexample->output[0] + c, counterexample->output[1] + c);
    return ATTEST_OK;
}
