/* theorem2_strategies.c -- the strategies of Theorem 2. */
#include <math.h>
#include <stdlib.h>

#include "attention/head_plan.h"
#include "base/hint.h"
#include "base/memory.h"
#include "base/workers.h"
#include "number/scope.h"
#include "theory/contextual.h"
#include "theory/theorem2.h"

enum { THEOREM_DIRECTIONS = 1000, THEOREM_BITS = 56 };
#define MOST_PRODUCTS 1e8

/* All tokens over one denominator, followed by the point 0. */
typedef struct points {
    size_t count, dim;
    fmpz *entry; /* count * dim */
    fmpz_t denominator;
    fmpz *along; /* the products with the direction's numerator */
} points;

static void points_init(points *p, const attest_tokens *tokens)
{
    FMPZ(own);

    p->count = tokens->count + 1;
    p->dim = tokens->dim;
    p->entry = _fmpz_vec_init((slong)(p->count * p->dim));
    p->along = _fmpz_vec_init((slong)p->count);
    fmpz_init_set_ui(p->denominator, 1);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t t = 0; t < tokens->count; t++) {
            attest_tokens_get(p->entry + t * p->dim, own, tokens, t);
            if (pass == 0) {
                fmpz_lcm(p->denominator, p->denominator, own);
                continue;
            }
            fmpz_divexact(own, p->denominator, own);
            _fmpz_vec_scalar_mul_fmpz(p->entry + t * p->dim, p->entry + t * p->dim,
                                      (slong)p->dim, own);
        }
    }
}

static void points_clear(points *p)
{
    _fmpz_vec_clear(p->entry, (slong)(p->count * p->dim));
    _fmpz_vec_clear(p->along, (slong)p->count);
    fmpz_clear(p->denominator);
}

/* (v.(x - x'))^2 (|V|+1)^4 pi d >= 8 |x - x'|^2, decided with a rational just below pi, which
 * is the stricter inequality. scale = (|V|+1)^4 d times pi's numerator; limit = 8 denominator^2
 * times its denominator. */
static bool pair_is_wide(const points *p, size_t i, size_t j, const fmpz_t scale,
                         const fmpz_t limit, fmpz_t left, fmpz_t right, fmpz_t difference)
{
    fmpz_zero(right);
    for (size_t c = 0; c < p->dim; c++) {
        fmpz_sub(difference, p->entry + i * p->dim + c, p->entry + j * p->dim + c);
        fmpz_addmul(right, difference, difference);
    }
    fmpz_mul(right, right, limit);
    fmpz_sub(left, p->along + i, p->along + j);
    fmpz_mul(left, left, left);
    fmpz_mul(left, left, scale);
    return fmpz_cmp(left, right) >= 0;
}

static bool direction_is_wide(points *p, const attest_rational_vector *direction)
{
    bool wide = true;
    FMPZ(scale, limit, left, right, difference);

    for (size_t t = 0; t < p->count; t++)
        _fmpz_vec_dot(p->along + t, direction->numerator, p->entry + t * p->dim, (slong)p->dim);
    fmpz_set_ui(scale, p->count); /* |V| + 1 */
    fmpz_pow_ui(scale, scale, 4);
    fmpz_mul_ui(scale, scale, p->dim);
    fmpz_mul_ui(scale, scale, 3141592653589793u); /* pi > 3.141592653589793 */
    fmpz_mul(limit, direction->denominator, direction->denominator);
    fmpz_mul_ui(limit, limit, 8);
    fmpz_mul_ui(limit, limit, 1000000000000000u);
    for (size_t i = 1; i < p->count && wide; i++)
        for (size_t j = 0; j < i && wide; j++)
            wide = pair_is_wide(p, i, j, scale, limit, left, right, difference);
    return wide;
}

/* The work of one direction: a product with every token, and for every pair the squares of its
 * difference and of the difference of its products. */
static double work_of(const points *p, const attest_rational_vector *direction)
{
    double bits = (double)labs(_fmpz_vec_max_bits(p->entry, (slong)(p->count * p->dim)));
    double along = bits + (double)fmpz_bits(direction->denominator), n = (double)p->count;

    return n * (double)(p->dim) * attest_work_operation(along) +
           n * n / 2 * (double)(p->dim + 3) * attest_work_operation(2 * along);
}

/* kappa >= (|V|+1)^4 pi d (2 log n + 3) / (8 eps r_min), within 2^-50 of it. */
static void set_theorem_kappa(attest_construction *construction, size_t n, size_t tokens)
{
    ARB(kappa, x);
    ARF(above);

    arb_log_ui(kappa, n, 128);
    arb_mul_2exp_si(kappa, kappa, 1);
    arb_add_ui(kappa, kappa, 3, 128);
    arb_const_pi(x, 128);
    arb_mul(kappa, kappa, x, 128);
    arb_mul_ui(kappa, kappa, construction->dim, 128);
    arb_set_ui(x, tokens + 1);
    arb_pow_ui(x, x, 4, 128);
    arb_mul(kappa, kappa, x, 128);
    arb_set_fmpq(x, construction->eps.value, 128);
    arb_div(kappa, kappa, x, 128);
    arb_set_fmpq(x, construction->r_min.value, 128);
    arb_div(kappa, kappa, x, 128);
    arb_mul_2exp_si(kappa, kappa, -3);
    arb_get_ubound_arf(above, kappa, 128);
    arf_get_fmpq(construction->kappa, above);
    attest_round_up(construction->kappa, THEOREM_BITS);
}

attest_status attest_theorem2_build_theorem(attest_construction *construction,
                                            const attest_dataset *dataset, attest_error *error)
{
    size_t tokens = dataset->tokens.count;
    uint64_t state = construction->seed;
    double left = construction->max_work;
    bool wide = false;

    if ((double)tokens * (double)tokens * (double)dataset->dim > MOST_PRODUCTS)
        return attest_error_set(
            error, ATTEST_UNABLE,
            "too many tokens to test a direction on all pairs; " ATTEST_HINT_GAP);
    ATTEST_SCOPED(attest_rational_vector, direction, dataset->dim);
    ATTEST_SCOPED(points, p, &dataset->tokens);
    for (int i = 0; i < THEOREM_DIRECTIONS && !wide; i++) {
        attest_direction_gen(&direction, &state);
        ATTEST_TRY(attest_work_charge(&left, work_of(&p, &direction), error));
        wide = direction_is_wide(&p, &direction);
    }
    if (!wide)
        return attest_error_set(error, ATTEST_UNABLE, "no direction separates all tokens");
    set_theorem_kappa(construction, dataset->longest, tokens);
    attest_construction_set_output(construction, &direction);
    ATTEST_TRY(attest_construction_finish(construction, &direction, error));
    attest_theorem2_promise(construction, dataset->longest);
    attest_theorem2_formula(construction, dataset->longest, tokens);
    return ATTEST_OK;
}

/* Kappa just large enough for the sharp gap. */

enum { GAP_BITS = 64, TRIES_SMALL = 32, TRIES_LARGE = 3, GAP_DIRECTIONS = 200 };
#define LARGE_TABLE 1000000u

/* Gaps of the scores, of which the one that promises most is taken. All exceed log(2 + sqrt 3)
 * = 1.31695..., near which the promise vanishes for scores that lie as close as that: the first
 * serves most data, the others those whose scores reach no farther than a few gaps. */
static const int gaps[] = {1317, 1320, 1340, 1400, 1500}; /* over 1000 */
enum { GAPS = sizeof gaps / sizeof *gaps };

/* Returns whether least |v.x| times least gap is less than limit, and not 0, by doubles.
 * Domain: the order is set, injective. */
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

/* Replaces the best direction if this one is better, which is computed exactly unless
 * doubles exclude it. *usable = it is injective on the tokens and 0, and within the range of
 * doubles. */
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
    for (int i = 0; i < GAP_DIRECTIONS && usable_count < wanted; i++) {
        attest_direction_gen(&direction, &state);
        ATTEST_TRY(try_direction(&usable, best, &direction, tokens, error));
        usable_count += usable;
    }
    return ATTEST_OK;
}

/* Sets kappa for scores at least gaps[i] / 1000 apart, and the promise. */
static void set_gap_kappa(attest_construction *construction, const fmpq_t unit, int i)
{
    FMPQ(gap);

    fmpq_set_si(gap, gaps[i], 1000);
    fmpq_mul(construction->kappa, unit, gap);
    attest_round_up(construction->kappa, GAP_BITS);
    attest_theorem2_promise_gap(construction, gap);
}

/* Takes the gap with the largest promise, of equal ones (or if there is no promise) the
 * smallest. Mostly that is the smallest gap, so that comes last and is not computed again. */
static void choose_gap(attest_construction *construction, const fmpq_t unit)
{
    int best = 0;
    ARF(most, lower);

    arf_neg_inf(most);
    for (int i = GAPS; i-- > 0;) {
        set_gap_kappa(construction, unit, i);
        arb_get_lbound_arf(lower, construction->delta_log2, 64);
        if (construction->promise && arf_cmp(lower, most) >= 0) {
            arf_set(most, lower);
            best = i;
        }
    }
    if (best > 0)
        set_gap_kappa(construction, unit, best);
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
        return attest_error_set(error, ATTEST_UNABLE, "no direction separates all tokens");
    if (construction->eps_by_direction) {
        /* |x - x'| >= |v.(x - x')| >= gap, as |v| <= 1; below it, to be strict */
        fmpq_set(construction->eps.value, best.gap);
        fmpq_div_2exp(best.gap, best.gap, 60);
        fmpq_sub(construction->eps.value, construction->eps.value, best.gap);
        attest_round_down(construction->eps.value, GAP_BITS);
    }
    attest_construction_set_output(construction, &best.direction);
    fmpq_inv(unit, best.product); /* kappa for scores at least 1 apart */
    choose_gap(construction, unit);
    ATTEST_TRY(attest_construction_finish(construction, &best.direction, error));
    attest_theorem2_formula(construction, dataset->longest, dataset->tokens.count);
    return ATTEST_OK;
}
