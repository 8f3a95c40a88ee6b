/* positional.c -- Corollary 2: an encoding of positions that keeps tokens apart. */
#include "theory/positional.h"

#include "base/memory.h"
#include "theory/separated.h"

#include "number/rationals.h"
#include "number/scope.h"
#include "theory/theorem2.h"

/* The significant bits of bounds: short numbers make short tokens. */
enum { BOUND_BITS = 8, ROOT_BITS = 64, SMALL_DIM = 8 };
#define MOST_PRODUCTS 2e9

void attest_positional_init(attest_positional *positional)
{
    positional->axis = 0;
    positional->eps_by_denominator = false;
    fmpq_init(positional->r_max);
    fmpq_init(positional->eps);
    fmpq_init(positional->step);
}

void attest_positional_clear(attest_positional *positional)
{
    fmpq_clear(positional->r_max);
    fmpq_clear(positional->eps);
    fmpq_clear(positional->step);
}

/* Returns whether bound^2 < square (above: > square), strictly. */
static bool is_strict(const fmpq_t bound, const fmpq_t square, bool above)
{
    int order;
    FMPQ(own);

    fmpq_mul(own, bound, bound);
    order = fmpq_cmp(own, square);
    return above ? order > 0 : order < 0;
}

/* bound = a short rational just below or above the square root, strictly; checked exactly.
 * Domain: square > 0. */
static void set_bound(fmpq_t bound, const fmpq_t square, bool above)
{
    ARB(root);
    FMPQ(step);

    arb_set_fmpq(root, square, ROOT_BITS);
    arb_sqrt(root, root, ROOT_BITS);
    arf_get_fmpq(bound, arb_midref(root));
    if (above)
        attest_round_up(bound, BOUND_BITS);
    else
        attest_round_down(bound, BOUND_BITS);
    while (!is_strict(bound, square, above)) {
        fmpq_div_2exp(step, bound, BOUND_BITS);
        if (above)
            fmpq_add(bound, bound, step);
        else
            fmpq_sub(bound, bound, step);
    }
}

/* Different tokens differ in an entry by at least 1 / the common denominator of all tokens. */
static void set_eps_by_denominator(fmpq_t eps, const attest_tokens *tokens)
{
    ATTEST_SCOPED(attest_rational_vector, x, tokens->dim);

    fmpq_set_si(eps, 1, 1);
    for (size_t t = 0; t < tokens->count; t++) {
        attest_token_vector_set(&x, tokens, t);
        fmpz_lcm(fmpq_denref(eps), fmpq_denref(eps), x.denominator);
    }
    fmpq_div_2exp(eps, eps, 1);
}

/* The largest |x|^2. */
static void get_largest(fmpq_t largest, const attest_tokens *tokens)
{
    ATTEST_SCOPED(attest_rational_vector, x, tokens->dim);
    FMPQ(square);

    fmpq_zero(largest);
    for (size_t t = 0; t < tokens->count; t++) {
        attest_token_vector_set(&x, tokens, t);
        attest_rational_vector_norm_square(square, &x);
        if (fmpq_cmp(square, largest) > 0)
            fmpq_set(largest, square);
    }
}

attest_status attest_positional_get(attest_positional *positional,
                                    const attest_dataset *dataset, attest_error *error)
{
    double count = (double)dataset->tokens.count;
    bool pairs =
        dataset->dim <= SMALL_DIM || count * count * (double)dataset->dim <= MOST_PRODUCTS;
    ATTEST_SCOPED(attest_separated, extremes);
    FMPQ(eps);

    get_largest(extremes.r_max_square, &dataset->tokens);
    if (pairs)
        ATTEST_TRY(attest_separated_get(&extremes, dataset, error));
    if (fmpq_is_zero(extremes.r_max_square))
        fmpq_set_si(positional->r_max, 1, 1);
    else
        set_bound(positional->r_max, extremes.r_max_square, true);
    if (!pairs)
        set_eps_by_denominator(eps, &dataset->tokens);
    else if (extremes.has_pair)
        set_bound(eps, extremes.eps_square, false);
    else
        fmpq_set(eps, positional->r_max); /* there is no pair */
    positional->eps_by_denominator = !pairs;
    fmpq_add(positional->step, positional->r_max, positional->r_max);
    fmpq_add(positional->step, positional->step, eps);
    fmpq_swap(positional->eps, eps);
    return ATTEST_OK;
}

/* Appends sequence i to the builder; token has room for dim entries. */
static attest_status encode_sequence(attest_dataset_builder *builder, fmpq *token,
                                     const attest_dataset *dataset, size_t i, size_t axis,
                                     const fmpq *step, attest_error *error)
{
    FMPQ(move);

    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
        attest_tokens_get_entries(token, &dataset->tokens, attest_dataset_token(dataset, i, k));
        for (size_t c = dataset->dim; c < builder->dataset.dim; c++)
            fmpq_zero(token + c);
        if (step) {
            fmpq_add(move, move, step);
            fmpq_add(token + axis, token + axis, move);
        }
        ATTEST_TRY(attest_dataset_builder_add_token(builder, token, error));
    }
    return attest_dataset_builder_end_sequence(builder, error);
}

attest_status attest_positional_encode(attest_dataset *encoded, const attest_dataset *dataset,
                                       size_t dim, size_t axis, const fmpq *step,
                                       attest_error *error)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    ATTEST_RATIONALS(token, dim);

    if (!token)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_dataset_builder_reserve(&builder, dataset->count, dataset->total, error));
    for (size_t i = 0; i < dataset->count; i++)
        ATTEST_TRY(encode_sequence(&builder, token, dataset, i, axis, step, error));
    return attest_dataset_builder_finish(encoded, &builder, error);
}
