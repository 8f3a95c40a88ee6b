/* theorem1.c -- the universal pairs of Theorem 1 (proofs-notes/theorem1.md). */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/linear.h"
#include "number/scope.h"
#include "theory/theorem1_check.h"

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

/* u = the candidate on which most heads have scores that are not constant: any direction
 * merges, but on one where heads do nothing that shows little. */
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
        return attest_error_set(error, ATTEST_DOMAIN, "Theorem 1 is about hardmax weights");
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
