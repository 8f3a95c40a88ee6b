/* multiples.c -- generates and recognises pairs of sequences of multiples of one vector. */
#include "props/multiples.h"

#include "number/scope.h"

enum { LONGEST = ATTEST_MULTIPLES_LENGTH, DECADES = 40 };

long attest_multiples_gen_small(struct theft *t, uint64_t limit)
{
    long x = (long)theft_random_choice(t, 2 * limit - 1);

    return x % 2 ? (x + 1) / 2 : -x / 2;
}

void attest_multiples_gen_scale(fmpz_t numerator, fmpz_t denominator, struct theft *t)
{
    uint64_t kind = theft_random_choice(t, 8);

    fmpz_one(numerator);
    fmpz_one(denominator);
    if (kind >= 6) {
        fmpz *scaled = kind == 6 ? numerator : denominator;

        fmpz_set_ui(scaled, 10);
        fmpz_pow_ui(scaled, scaled, DECADES);
    }
}

/* u = a random vector that is not zero. */
static void gen_direction(fmpq *u, size_t dim, struct theft *t)
{
    bool zero = true;
    FMPQ(scale);

    attest_multiples_gen_scale(fmpq_numref(scale), fmpq_denref(scale), t);
    for (size_t c = 0; c < dim; c++) {
        long p = attest_multiples_gen_small(t, 10);

        fmpq_set_si(u + c, p, 1 + theft_random_choice(t, 9));
        zero = zero && p == 0;
    }
    if (zero)
        fmpq_one(u);
    for (size_t c = 0; c < dim; c++)
        fmpq_mul(u + c, u + c, scale);
}

/* order = a permutation of 0 ... length - 1; zero draws give the identity. */
static void gen_order(size_t order[LONGEST], size_t length, struct theft *t)
{
    for (size_t k = 0; k + 1 < length; k++) {
        size_t other = k + theft_random_choice(t, length - k), swap = order[k];

        order[k] = order[other];
        order[other] = swap;
    }
}

/* token = multiple u; bent: plus the square of the multiple in the last entry, so that the
 * tokens do not lie on one line, unless u is along the last axis. */
static void set_token(fmpq *token, const fmpq *u, size_t dim, long multiple, bool bent)
{
    FMPQ(factor);

    fmpq_set_si(factor, multiple, 1);
    for (size_t c = 0; c < dim; c++)
        fmpq_mul(token + c, u + c, factor);
    if (bent)
        fmpq_add_si(token + dim - 1, token + dim - 1, multiple * multiple);
}

attest_status attest_multiples_gen(attest_dataset *dataset, struct theft *t, size_t dim,
                                   const attest_universal_pair *pair,
                                   attest_multiples_shape shape)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    FMPQ_VEC(u, (slong)dim);
    FMPQ_VEC(token, (slong)dim);

    gen_direction(u, dim, t);
    for (size_t i = 0; i < 2; i++) {
        size_t order[LONGEST] = {0, 1, 2, 3};

        if (shape.any_order)
            gen_order(order, pair->length[i], t);
        for (size_t k = 0; k < pair->length[i]; k++) {
            set_token(token, u, dim, pair->t[i][order[k]], shape.bent);
            ATTEST_TRY(attest_dataset_builder_add_token(&builder, token, NULL));
        }
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    }
    return attest_dataset_builder_finish(dataset, &builder, NULL);
}

/* Returns whether token a is factor times token b. */
static bool is_multiple(const attest_tokens *tokens, uint32_t a, uint32_t b, long factor)
{
    bool equal = true;
    FMPQ(x, y);

    for (size_t c = 0; c < tokens->dim && equal; c++) {
        attest_tokens_get_entry(x, tokens, a, c);
        attest_tokens_get_entry(y, tokens, b, c);
        fmpz_mul_si(fmpq_numref(y), fmpq_numref(y), factor);
        fmpq_canonicalise(y);
        equal = fmpq_equal(x, y);
    }
    return equal;
}

/* Returns whether the token at position k of sequence i is the m-th multiple of the pair times
 * token u. */
static bool is_token(const attest_dataset *dataset, size_t i, size_t k, uint32_t u,
                     const attest_universal_pair *pair, size_t m)
{
    return is_multiple(&dataset->tokens, attest_dataset_token(dataset, i, k), u, pair->t[i][m]);
}

/* Returns whether the tokens of sequence i are the multiples of token u in the pair, in this
 * order or, with any_order, in any. */
static bool consists_of(const attest_dataset *dataset, size_t i, uint32_t u,
                        const attest_universal_pair *pair, bool any_order)
{
    for (size_t m = 0; m < pair->length[i]; m++) {
        bool found = is_token(dataset, i, m, u, pair, m);

        for (size_t k = 0; k < pair->length[i] && any_order && !found; k++)
            found = is_token(dataset, i, k, u, pair, m);
        if (!found)
            return false;
    }
    return true;
}

/* Returns whether the sequences consist of the multiples of one vector u, not zero. Sequence 0
 * of every pair has the multiple 1, so it suffices to try its tokens as u. */
static bool is_straight(const attest_dataset *dataset, const attest_universal_pair *pair,
                        bool any_order)
{
    for (size_t k = 0; k < pair->length[0]; k++) {
        uint32_t u = attest_dataset_token(dataset, 0, k);

        if (consists_of(dataset, 0, u, pair, any_order) &&
            consists_of(dataset, 1, u, pair, any_order) &&
            !is_multiple(&dataset->tokens, u, u, 2)) /* u = 2 u: u is zero */
            return true;
    }
    return false;
}

/* Returns whether a_c b_e = a_e b_c for the entries c and e of tokens a and b. */
static bool minor_vanishes(const attest_tokens *tokens, size_t a, size_t b, size_t c, size_t e)
{
    FMPQ(x, y, z);

    attest_tokens_get_entry(x, tokens, a, c);
    attest_tokens_get_entry(y, tokens, b, e);
    fmpq_mul(z, x, y);
    attest_tokens_get_entry(x, tokens, a, e);
    attest_tokens_get_entry(y, tokens, b, c);
    fmpq_mul(x, x, y);
    return fmpq_equal(x, z);
}

/* Returns whether all tokens lie on one line through the origin. */
static bool is_collinear(const attest_tokens *tokens)
{
    for (size_t a = 0; a < tokens->count; a++)
        for (size_t b = 0; b < a; b++)
            for (size_t c = 0; c < tokens->dim; c++)
                for (size_t e = 0; e < c; e++)
                    if (!minor_vanishes(tokens, a, b, c, e))
                        return false;
    return true;
}

/* Returns the number of different multiples in the pair. */
static size_t count_multiples(const attest_universal_pair *pair)
{
    size_t count = pair->length[0];

    for (size_t l = 0; l < pair->length[1]; l++) {
        bool shared = false;

        for (size_t k = 0; k < pair->length[0]; k++)
            shared = shared || pair->t[0][k] == pair->t[1][l];
        count += !shared;
    }
    return count;
}

/* Returns whether the dataset has as many different tokens as the pair has multiples, no token
 * twice in a sequence, and not all tokens on one line through the origin. */
static bool is_bent(const attest_dataset *dataset, const attest_universal_pair *pair)
{
    bool different =
        dataset->tokens.count == count_multiples(pair) && !is_collinear(&dataset->tokens);

    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < pair->length[i]; k++)
            for (size_t l = 0; l < k; l++)
                different = different && attest_dataset_token(dataset, i, k) !=
                                             attest_dataset_token(dataset, i, l);
    return different;
}

bool attest_multiples_is_pair(const attest_dataset *dataset, const attest_universal_pair *pair,
                              attest_multiples_shape shape)
{
    if (dataset->count != 2 || attest_dataset_length(dataset, 0) != pair->length[0] ||
        attest_dataset_length(dataset, 1) != pair->length[1])
        return false;
    return shape.bent ? is_bent(dataset, pair) : is_straight(dataset, pair, shape.any_order);
}
