/* theorem2_gap.c -- kappa just large enough for the sharp gap. */
#include "theory/theorem2_parts.h"

#include <math.h>

#include "base/memory.h"
#include "number/scope.h"

enum { KAPPA_BITS = 64, TRIES_SMALL = 32, TRIES_LARGE = 3, MOST_DIRECTIONS = 200 };
#define LARGE_TABLE 1000000u

/* Gaps of the scores, of which the one that promises most is taken. All exceed log(2 + sqrt 3)
 * = 1.31695..., near which the promise vanishes for scores that lie as close as that: the first
 * serves most data, the others those whose scores reach no farther than a few gaps. */
static const int gaps[] = {1317, 1320, 1340, 1400, 1500}; /* over 1000 */
enum { GAPS = sizeof gaps / sizeof *gaps };

/* Whether least |v.x| times least gap is less than limit, and not 0, by doubles. Domain: the
 * order is set, injective. */
static bool is_surely_less(const attest_projection *along, double limit)
{
    double least = INFINITY, product;

    for (size_t t = 0; t < along->tokens->count; t++) {
        if (fabs(along->value[t]) <= along->error[t])
            return false;
        least = fmin(least, fabs(along->value[t]) + along->error[t]);
    }
    product = least * attest_projection_gap_above(along) * (1 + 0x1p-50);
    return product > 0x1p-900 && ldexp(product, 2 * (int)along->exponent) < limit;
}

/* The direction with the largest product of least |v.x| and least gap so far. */
typedef struct best_direction {
    bool found;
    attest_rational_vector direction;
    fmpq_t product, gap;
    double below; /* the product, rounded down */
} best_direction;

/* x, rounded down. Domain: x > 0. */
static double round_down(const fmpq_t x)
{
    ARF(end);

    arf_set_fmpz(end, fmpq_numref(x));
    arf_div_fmpz(end, end, fmpq_denref(x), 53, ARF_RND_DOWN);
    return arf_get_d(end, ARF_RND_DOWN);
}

/* Takes the direction over if it is better, which is computed exactly where doubles do not deny
 * it. usable: it is injective on the tokens and 0, and doubles serve. */
static attest_status try_direction(bool *usable, best_direction *best,
                                   const attest_rational_vector *direction,
                                   const attest_tokens *tokens, attest_error *error)
{
    attest_projection along ATTEST_CLEARED_BY(attest_projection_clear) = {0};
    FMPQ(product);

    *usable = false;
    ATTEST_TRY(attest_projection_init(&along, tokens, direction, error));
    if (attest_projection_order(&along) != ATTEST_OK)
        return attest_memory_fail(error);
    if (!along.injective || tokens->count <= 1)
        return ATTEST_OK;
    *usable = true;
    if (best->found && is_surely_less(&along, best->below))
        return ATTEST_OK;
    attest_projection_find_gap(&along);
    attest_direction_least(product, &along);
    *usable = !fmpq_is_zero(product);
    fmpq_mul(product, product, along.gap);
    if (fmpq_cmp(product, best->product) > 0) {
        fmpq_swap(best->product, product);
        fmpq_set(best->gap, along.gap);
        best->below = round_down(best->product);
        _fmpz_vec_set(best->direction.numerator, direction->numerator, (slong)direction->dim);
        fmpz_set(best->direction.denominator, direction->denominator);
        best->found = true;
    }
    return ATTEST_OK;
}

/* The direction with the smallest kappa of a few: the scores, and so the depths, are smallest.
 */
static attest_status choose_direction(best_direction *best, uint64_t seed,
                                      const attest_tokens *tokens, attest_error *error)
{
    bool large = tokens->count * tokens->dim > LARGE_TABLE, usable;
    int wanted = large ? TRIES_LARGE : TRIES_SMALL, usable_count = 0;
    uint64_t state = seed;
    ATTEST_SCOPED(attest_rational_vector, direction, tokens->dim);

    if (tokens->dim == 1)
        wanted = 1; /* there is one direction */
    for (int i = 0; i < MOST_DIRECTIONS && usable_count < wanted; i++) {
        attest_direction_gen(&direction, &state);
        ATTEST_TRY(try_direction(&usable, best, &direction, tokens, error));
        usable_count += usable;
    }
    return ATTEST_OK;
}

/* kappa for scores at least gaps[i] / 1000 apart, and what it promises. */
static void set_kappa(attest_construction *construction, const fmpq_t unit, int i)
{
    FMPQ(gap);

    fmpq_set_si(gap, gaps[i], 1000);
    fmpq_mul(construction->kappa, unit, gap);
    attest_round_up(construction->kappa, KAPPA_BITS);
    attest_theorem2_promise_gap(construction, gap);
}

/* Takes the gap that promises most, of equal ones the smallest, as where none promises
 * anything. It mostly is the smallest, so that comes last and is not computed again. */
static void choose_gap(attest_construction *construction, const fmpq_t unit)
{
    int best = 0;
    ARF(most, lower);

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
}

static void best_direction_init(best_direction *best, size_t dim)
{
    best->found = false;
    attest_rational_vector_init(&best->direction, dim);
    fmpq_init(best->product);
    fmpq_init(best->gap);
}

static void best_direction_clear(best_direction *best)
{
    attest_rational_vector_clear(&best->direction);
    fmpq_clear(best->product);
    fmpq_clear(best->gap);
}

attest_status attest_theorem2_build_gap(attest_construction *construction,
                                        const attest_dataset *dataset, attest_error *error)
{
    ATTEST_SCOPED(best_direction, best, dataset->dim);
    FMPQ(unit);

    ATTEST_TRY(choose_direction(&best, construction->seed, &dataset->tokens, error));
    if (!best.found)
        return attest_error_set(error, ATTEST_UNABLE, "no direction keeps all tokens apart");
    if (construction->eps_by_direction) {
        /* |x - x'| >= |v.(x - x')| >= gap, as |v| <= 1; below it, to be strict */
        fmpq_set(construction->eps.value, best.gap);
        fmpq_div_2exp(best.gap, best.gap, 60);
        fmpq_sub(construction->eps.value, construction->eps.value, best.gap);
        attest_round_down(construction->eps.value, KAPPA_BITS);
    }
    attest_construction_set_output(construction, &best.direction);
    fmpq_inv(unit, best.product); /* kappa for scores at least 1 apart */
    choose_gap(construction, unit);
    ATTEST_TRY(attest_construction_finish(construction, &best.direction, error));
    attest_theorem2_formula(construction, dataset->longest, dataset->tokens.count);
    return ATTEST_OK;
}
