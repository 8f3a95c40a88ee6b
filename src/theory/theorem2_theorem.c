/* theorem2_theorem.c -- the paper's construction, in exact rationals. */
#include <stdlib.h>

#include "attention/work.h"
#include "base/memory.h"
#include "number/scope.h"
#include "theory/theorem2_parts.h"

enum { MOST_DIRECTIONS = 1000, KAPPA_BITS = 56 };
#define MOST_PRODUCTS 1e8

/* All tokens over one denominator, and 0 behind them. */
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

/* (v.(x - x'))^2 (|V|+1)^4 pi d >= 8 |x - x'|^2, decided with a rational just below pi: what
 * holds with it holds. scale = (|V|+1)^4 d times pi's numerator; limit = 8 denominator^2 times
 * its denominator. */
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
static void set_kappa(attest_construction *construction, size_t n, size_t tokens)
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
    attest_round_up(construction->kappa, KAPPA_BITS);
}

attest_status attest_theorem2_build_theorem(attest_construction *construction,
                                            const attest_dataset *dataset, attest_error *error)
{
    size_t tokens = dataset->tokens.count;
    uint64_t state = construction->seed;
    double left = construction->max_work;
    bool wide = false;

    if ((double)tokens * (double)tokens * (double)dataset->dim > MOST_PRODUCTS)
        return attest_error_set(error, ATTEST_UNABLE,
                                "too many tokens to test a direction on all pairs; use "
                                "the strategy gap");
    ATTEST_SCOPED(attest_rational_vector, direction, dataset->dim);
    ATTEST_SCOPED(points, p, &dataset->tokens);
    for (int i = 0; i < MOST_DIRECTIONS && !wide; i++) {
        attest_direction_gen(&direction, &state);
        ATTEST_TRY(attest_work_charge(&left, work_of(&p, &direction), error));
        wide = direction_is_wide(&p, &direction);
    }
    if (!wide)
        return attest_error_set(error, ATTEST_UNABLE, "no direction keeps all tokens apart");
    set_kappa(construction, dataset->longest, tokens);
    attest_construction_set_output(construction, &direction);
    ATTEST_TRY(attest_construction_finish(construction, &direction, error));
    attest_theorem2_promise(construction, dataset->longest);
    attest_theorem2_formula(construction, dataset->longest, tokens);
    return ATTEST_OK;
}
