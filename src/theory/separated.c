/* separated.c -- Definition 1: exact norms and distances, bounds, repetitions. */
#include "theory/separated_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

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
