/* theorem2_gap.c -- kappa just large enough for the sharp gap. */
#include "theory/theorem2_parts.h"

#include "base/memory.h"

enum { KAPPA_BITS = 64, TRIES_SMALL = 32, TRIES_LARGE = 3, MOST_DIRECTIONS = 200 };
#define LARGE_TABLE 1000000u

/* Gaps of the scores, of which the one that promises most is taken. All exceed log(2 + sqrt 3)
 * = 1.31695..., near which the promise vanishes for scores that lie as close as that: the first
 * serves most data, the others those whose scores reach no farther than a few gaps. */
static const int gaps[] = {1317, 1320, 1340, 1400, 1500}; /* over 1000 */
enum { GAPS = sizeof gaps / sizeof *gaps };

/* unit = 1 / (least |v.x| times least gap): kappa for scores at least 1 apart. False where the
 * direction is not injective on the tokens and 0, or doubles do not serve. */
static attest_status try_direction(bool *usable, fmpq_t unit, fmpq_t gap,
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
        fmpq_inv(unit, least);
    }
    attest_projection_clear(&along);
    fmpq_clear(least);
    return status;
}

/* The direction with the smallest kappa of a few: the scores, and so the depths, are smallest.
 */
static attest_status choose_direction(bool *found, attest_direction *best, fmpq_t best_unit,
                                      fmpq_t best_gap, uint64_t seed,
                                      const attest_tokens *tokens, attest_error *error)
{
    bool large = tokens->count * tokens->dim > LARGE_TABLE;
    int wanted = large ? TRIES_LARGE : TRIES_SMALL, usable_count = 0;
    uint64_t state = seed;
    attest_status status = ATTEST_OK;
    attest_direction direction;
    fmpq_t unit, gap;

    *found = false;
    fmpq_init(unit);
    fmpq_init(gap);
    attest_direction_init(&direction, tokens->dim);
    for (int i = 0; i < MOST_DIRECTIONS && usable_count < wanted && status == ATTEST_OK; i++) {
        bool usable;

        attest_direction_gen(&direction, &state);
        status = try_direction(&usable, unit, gap, &direction, tokens, error);
        if (status != ATTEST_OK || !usable)
            continue;
        usable_count++;
        if (!*found || fmpq_cmp(unit, best_unit) < 0) {
            fmpq_set(best_unit, unit);
            fmpq_set(best_gap, gap);
            _fmpz_vec_set(best->numerator, direction.numerator, (slong)tokens->dim);
            fmpz_set(best->divisor, direction.divisor);
        }
        *found = true;
        if (tokens->dim == 1)
            break; /* there is one direction */
    }
    attest_direction_clear(&direction);
    fmpq_clear(unit);
    fmpq_clear(gap);
    return status;
}

/* kappa for scores at least gaps[i] / 1000 apart, and what it promises. */
static void set_kappa(attest_construction *construction, const fmpq_t unit, int i)
{
    fmpq_t gap;

    fmpq_init(gap);
    fmpq_set_si(gap, gaps[i], 1000);
    fmpq_mul(construction->kappa, unit, gap);
    attest_round_up(construction->kappa, KAPPA_BITS);
    attest_theorem2_promise_gap(construction, gap);
    fmpq_clear(gap);
}

/* Takes the gap that promises most, of equal ones the smallest, as where none promises
 * anything. It mostly is the smallest, so that comes last and is not computed again. */
static void choose_gap(attest_construction *construction, const fmpq_t unit)
{
    arf_t most, lower;
    int best = 0;

    arf_init(most);
    arf_init(lower);
    arf_neg_inf(most);
    for (int i = GAPS; i-- > 0;) {
        set_kappa(construction, unit, i);
        arb_get_lbound_arf(lower, construction->delta_log2, 64);
        if (construction->promise && arf_cmp(lower, most) >= 0) {
            arf_set(most, lower);
            best = i;
        }
    }
    if (best > 0)
        set_kappa(construction, unit, best);
    arf_clear(most);
    arf_clear(lower);
}

attest_status attest_theorem2_build_gap(attest_construction *construction,
                                        const attest_dataset *dataset, attest_error *error)
{
    attest_direction best;
    attest_status status;
    bool found;
    fmpq_t unit, gap;

    fmpq_init(unit);
    fmpq_init(gap);
    attest_direction_init(&best, dataset->dim);
    status =
        choose_direction(&found, &best, unit, gap, construction->seed, &dataset->tokens, error);
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
        choose_gap(construction, unit);
        status = attest_construction_finish(construction, &best, error);
        attest_theorem2_formula(construction, dataset->longest, dataset->tokens.count);
    }
    attest_direction_clear(&best);
    fmpq_clear(unit);
    fmpq_clear(gap);
    return status;
}
