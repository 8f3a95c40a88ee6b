/* separated.c -- Definition 1: exact norms and distances, bounds, repetitions. */
#include <math.h>
#include <stdlib.h>

#include "attention/head_plan.h"
#include "base/hint.h"
#include "base/memory.h"
#include "geometry/closest_pair.h"
#include "number/scope.h"
#include "theory/separated.h"

void attest_separated_init(attest_separated *extremes)
{
    *extremes = (attest_separated){.no_duplicates = true, .max_work = INFINITY};
    fmpq_init(extremes->r_min_square);
    fmpq_init(extremes->r_max_square);
    fmpq_init(extremes->eps_square);
}

void attest_separated_clear(attest_separated *extremes)
{
    fmpq_clear(extremes->r_min_square);
    fmpq_clear(extremes->r_max_square);
    fmpq_clear(extremes->eps_square);
}

static bool exceeds(const fmpq_t square, const fmpq_t bound)
{
    FMPQ(wanted);

    fmpq_mul(wanted, bound, bound);
    return fmpq_cmp(square, wanted) > 0;
}

static bool falls_short(const fmpq_t square, const fmpq_t bound)
{
    FMPQ(wanted);

    fmpq_mul(wanted, bound, bound);
    return fmpq_cmp(square, wanted) < 0;
}

attest_separated_part attest_separated_check(const attest_separated *extremes,
                                             const fmpq_t r_min, const fmpq_t r_max,
                                             const fmpq_t eps)
{
    if (r_min && !exceeds(extremes->r_min_square, r_min))
        return ATTEST_SEPARATED_R_MIN;
    if (r_max && !falls_short(extremes->r_max_square, r_max))
        return ATTEST_SEPARATED_R_MAX;
    if (eps && extremes->has_pair && !exceeds(extremes->eps_square, eps))
        return ATTEST_SEPARATED_EPS;
    return ATTEST_SEPARATED_HOLDS;
}

void attest_token_vector_set(attest_rational_vector *vector, const attest_tokens *tokens,
                             size_t t)
{
    attest_tokens_get(vector->numerator, vector->denominator, tokens, t);
}

attest_status attest_separated_find_duplicate(attest_separated *extremes,
                                              const attest_dataset *dataset,
                                              attest_error *error)
{
    /* seen[t] = 1 + the last sequence that token t was met in, at its place there. */
    size_t *seen ATTEST_FREED = attest_memory_alloc(dataset->tokens.count, sizeof *seen);
    size_t *place ATTEST_FREED = attest_memory_alloc(dataset->tokens.count, sizeof *place);

    if (!seen || !place)
        return attest_memory_fail(error);
    extremes->no_duplicates = true;
    for (size_t i = 0; i < dataset->count && extremes->no_duplicates; i++) {
        for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
            uint32_t t = attest_dataset_token(dataset, i, k);
            if (seen[t] == i + 1) {
                extremes->no_duplicates = false;
                extremes->duplicate[0] = (attest_place){i, place[t]};
                extremes->duplicate[1] = (attest_place){i, k};
                break;
            }
            seen[t] = i + 1;
            place[t] = k;
        }
    }
    return ATTEST_OK;
}

/* The extremes of Definition 1: doubles propose, exact arithmetic
 * decides. */

/* All distinct tokens, each of its own colour. */
static attest_status make_cloud(attest_cloud *cloud, const attest_tokens *tokens,
                                attest_error *error)
{
    ATTEST_SCOPED(attest_rational_vector, x, tokens->dim);
    ARB_VEC(ball, (slong)tokens->dim);

    ATTEST_TRY(attest_cloud_init(cloud, tokens->count, tokens->dim, error));
    for (size_t t = 0; t < tokens->count; t++) {
        cloud->colour[t] = (uint32_t)t;
        if (tokens->real) {
            attest_cloud_set_doubles(cloud, t, tokens->real + t * tokens->dim);
            continue;
        }
        attest_token_vector_set(&x, tokens, t);
        for (size_t c = 0; c < tokens->dim; c++) {
            arb_set_round_fmpz(ball + c, x.numerator + c, 64);
            arb_div_fmpz(ball + c, ball + c, x.denominator, 64);
        }
        attest_cloud_set_balls(cloud, t, ball);
    }
    attest_cloud_finish(cloud);
    return ATTEST_OK;
}

/* The first token of least (sign -1) or largest (sign 1) norm, and its square. */
static size_t extreme_norm(fmpq_t best, int sign, const attest_cloud *cloud,
                           const attest_tokens *tokens)
{
    double known = sign < 0 ? INFINITY : 0, lower, upper;
    size_t place = SIZE_MAX;
    ATTEST_SCOPED(attest_rational_vector, x, tokens->dim);
    FMPQ(square);

    for (size_t t = 0; t < cloud->count; t++) {
        attest_cloud_norm(&lower, &upper, cloud, t);
        known = sign < 0 ? fmin(known, upper) : fmax(known, lower);
    }
    for (size_t t = 0; t < cloud->count; t++) {
        attest_cloud_norm(&lower, &upper, cloud, t);
        if (sign < 0 ? lower > known : upper < known)
            continue;
        attest_token_vector_set(&x, tokens, t);
        attest_rational_vector_norm_square(square, &x);
        if (place == SIZE_MAX || sign * fmpq_cmp(square, best) > 0) {
            fmpq_set(best, square);
            place = t;
        }
    }
    return place;
}

/* Operations on bits for the exact distance of two tokens. */
static double distance_work(const attest_rational_vector *x, const attest_rational_vector *y)
{
    slong a = _fmpz_vec_max_bits(x->numerator, (slong)x->dim);
    slong b = _fmpz_vec_max_bits(y->numerator, (slong)y->dim);

    return (double)x->dim * attest_work_operation((double)(labs(a) + labs(b)) +
                                                  (double)fmpz_bits(x->denominator) +
                                                  (double)fmpz_bits(y->denominator));
}

/* The first of the closest pairs of tokens; pair[0] = SIZE_MAX when there is none. */
static attest_status closest_tokens(fmpq_t best, size_t pair[2], const attest_cloud *cloud,
                                    const attest_tokens *tokens, double work,
                                    attest_error *error)
{
    attest_candidates candidates ATTEST_CLEARED_BY(attest_candidates_clear) = {0};
    size_t first, second, loaded = SIZE_MAX;
    bool found;
    ATTEST_SCOPED(attest_rational_vector, x, tokens->dim);
    ATTEST_SCOPED(attest_rational_vector, y, tokens->dim);
    FMPQ(square);

    pair[0] = SIZE_MAX;
    ATTEST_TRY(attest_candidates_init(&candidates, cloud, error));
    for (;;) {
        ATTEST_TRY(attest_candidates_next(&found, &first, &second, &candidates, error));
        if (!found)
            return ATTEST_OK;
        if (first != loaded)
            attest_token_vector_set(&x, tokens, first);
        loaded = first;
        attest_token_vector_set(&y, tokens, second);
        work -= distance_work(&x, &y);
        if (work < 0)
            return attest_error_set(
                error, ATTEST_UNABLE,
                "doubles leave distances of tokens open that take " ATTEST_HINT_WORK);
        attest_rational_vector_distance_square(square, &x, &y);
        /* In lexicographic order: only a smaller distance replaces an earlier pair. */
        if (pair[0] == SIZE_MAX || fmpq_cmp(square, best) < 0) {
            fmpq_set(best, square);
            pair[0] = first;
            pair[1] = second;
        }
    }
}

/* The first position of token t. */
static attest_place find_place(const attest_dataset *dataset, size_t t)
{
    attest_place place = {0, 0};

    for (size_t at = 0; dataset->token[at] != t; at++) {
        place.position++;
        while (at + 1 == dataset->start[place.sequence + 1]) {
            place.sequence++;
            place.position = 0;
        }
    }
    return place;
}

attest_status attest_separated_get(attest_separated *extremes, const attest_dataset *dataset,
                                   attest_error *error)
{
    const attest_tokens *tokens = &dataset->tokens;
    attest_cloud cloud ATTEST_CLEARED_BY(attest_cloud_clear) = {0};
    size_t pair[2];

    ATTEST_TRY(attest_separated_find_duplicate(extremes, dataset, error));
    ATTEST_TRY(make_cloud(&cloud, tokens, error));
    cloud.progress = extremes->progress;
    cloud.jobs = extremes->jobs;
    extremes->r_min =
        find_place(dataset, extreme_norm(extremes->r_min_square, -1, &cloud, tokens));
    extremes->r_max =
        find_place(dataset, extreme_norm(extremes->r_max_square, 1, &cloud, tokens));
    ATTEST_TRY(
        closest_tokens(extremes->eps_square, pair, &cloud, tokens, extremes->max_work, error));
    extremes->has_pair = pair[0] != SIZE_MAX;
    for (int side = 0; side < 2 && extremes->has_pair; side++)
        extremes->eps[side] = find_place(dataset, pair[side]);
    return ATTEST_OK;
}
