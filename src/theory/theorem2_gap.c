/* theorem2_gap.c -- kappa just large enough for Lemma F. */
#include "theory/theorem2_parts.h"

#include "base/memory.h"

enum { KAPPA_BITS = 64, TRIES_SMALL = 32, TRIES_LARGE = 3, MOST_DIRECTIONS = 200 };
#define LARGE_TABLE 1000000u

/* kappa for a direction: 1.4456 / (least |v.x| times least gap), rounded up. False where the
 * direction is not injective on the tokens and 0, or doubles do not serve. */
static attest_status try_direction(bool *usable, fmpq_t kappa, fmpq_t gap,
                                   const attest_direction *direction,
                                   const attest_tokens *tokens, attest_error *error)
{
    attest_rational_vector v = {direction->dim, direction->numerator, {*direction->divisor}};
    attest_projection along;
    attest_status status = attest_projection_init(&along, tokens, &v, error);
    fmpq_t least;

    *usable = false;
    fmpq_init(least);
    if (status == ATTEST_OK && attest_projection_sort(&along) != ATTEST_OK)
        status = attest_memory_fail(error);
    if (status == ATTEST_OK && along.injective && along.has_gap) {
        attest_direction_least(least, &along);
        fmpq_set(gap, along.gap);
        *usable = !fmpq_is_zero(least);
    }
    if (*usable) {
        fmpq_mul(least, least, gap);
        fmpq_set_si(kappa, 14456, 10000);
        fmpq_div(kappa, kappa, least);
        attest_round_up(kappa, KAPPA_BITS);
    }
    attest_projection_clear(&along);
    fmpq_clear(least);
    return status;
}

/* The direction with the smallest kappa of a few: the scores, and so the depths, are smallest.
 */
static attest_status choose_direction(bool *found, attest_direction *best,
                                      attest_construction *construction, fmpq_t best_gap,
                                      const attest_tokens *tokens, attest_error *error)
{
    bool large = tokens->count * tokens->dim > LARGE_TABLE;
    int wanted = large ? TRIES_LARGE : TRIES_SMALL, usable_count = 0;
    uint64_t state = construction->seed;
    attest_status status = ATTEST_OK;
    attest_direction direction;
    fmpq_t kappa, gap;

    *found = false;
    fmpq_init(kappa);
    fmpq_init(gap);
    attest_direction_init(&direction, tokens->dim);
    for (int i = 0; i < MOST_DIRECTIONS && usable_count < wanted && status == ATTEST_OK; i++) {
        bool usable;

        attest_direction_gen(&direction, &state);
        status = try_direction(&usable, kappa, gap, &direction, tokens, error);
        if (status != ATTEST_OK || !usable)
            continue;
        usable_count++;
        if (!*found || fmpq_cmp(kappa, construction->kappa) < 0) {
            fmpq_set(construction->kappa, kappa);
            fmpq_set(best_gap, gap);
            _fmpz_vec_set(best->numerator, direction.numerator, (slong)tokens->dim);
            fmpz_set(best->divisor, direction.divisor);
        }
        *found = true;
        if (tokens->dim == 1)
            break; /* there is one direction */
    }
    attest_direction_clear(&direction);
    fmpq_clear(kappa);
    fmpq_clear(gap);
    return status;
}

attest_status attest_theorem2_build_gap(attest_construction *construction,
                                        const attest_dataset *dataset, attest_error *error)
{
    attest_direction best;
    attest_status status;
    bool found;
    fmpq_t gap;

    fmpq_init(gap);
    attest_direction_init(&best, dataset->dim);
    status = choose_direction(&found, &best, construction, gap, &dataset->tokens, error);
    if (status == ATTEST_OK && !found)
        status = attest_error_set(error, ATTEST_UNABLE, "no direction keeps all tokens apart");
    if (status == ATTEST_OK) {
        if (construction->eps_by_direction) {
            /* |x - x'| >= |v.(x - x')| >= gap, as |v| <= 1; below it, to be strict */
            fmpq_set(construction->eps.value, gap);
            fmpq_div_2exp(gap, gap, 60);
            fmpq_sub(construction->eps.value, construction->eps.value, gap);
            attest_round_down(construction->eps.value, KAPPA_BITS);
        }
        attest_construction_set_output(construction, &best);
        status = attest_construction_finish(construction, &best, error);
        attest_theorem2_promise(construction, dataset->longest, false);
        attest_theorem2_formula(construction, dataset->longest, dataset->tokens.count);
    }
    attest_direction_clear(&best);
    fmpq_clear(gap);
    return status;
}
