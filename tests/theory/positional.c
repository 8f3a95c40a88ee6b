/* Corollary 2: the step keeps eps, a shorter one does not; encoded sequences are sets. */
#include <string.h>

#include "theory/positional.h"
#include "theory/separated.h"

#include "tests/theory/labelled.h"

/* No sequence has a token twice, no token is 0, and different tokens are more than eps apart.
 */
static bool keeps(const attest_dataset *encoded, const fmpq_t eps)
{
    attest_separated extremes;
    fmpq_t square;
    bool ok;

    fmpq_init(square);
    attest_separated_init(&extremes);
    if (attest_separated_get(&extremes, encoded, NULL) != ATTEST_OK)
        abort();
    fmpq_mul(square, eps, eps);
    ok = extremes.no_duplicates && !fmpq_is_zero(extremes.r_min_square) &&
         (!extremes.has_pair || fmpq_cmp(extremes.eps_square, square) > 0);
    attest_separated_clear(&extremes);
    fmpq_clear(square);
    return ok;
}

static bool same_sequence(const attest_dataset *data, size_t i, size_t j)
{
    size_t length = attest_dataset_length(data, i);

    return length == attest_dataset_length(data, j) &&
           memcmp(data->token + data->start[i], data->token + data->start[j],
                  length * sizeof *data->token) == 0;
}

/* Equal vocabularies after encoding only where the sequences are equal. */
static bool sets_differ(const attest_dataset *data, const attest_dataset *encoded)
{
    attest_contexts contexts;
    bool ok = true;

    attest_contexts_init(&contexts);
    contexts.keep_positions = true;
    if (attest_contexts_get(&contexts, encoded, ATTEST_MASK_NONE, ATTEST_TIES_UNIFORM, NULL))
        abort();
    for (size_t i = 0; i < data->count; i++)
        for (size_t j = 0; j < i; j++)
            ok = ok && (contexts.position[data->start[i]] ==
                        contexts.position[data->start[j]]) == same_sequence(data, i, j);
    attest_contexts_clear(&contexts);
    return ok;
}

static void test_random(uint64_t *state)
{
    int kept = 0, differ = 0, trials = 40;

    for (int i = 0; i < trials; i++) {
        labelled_shape shape = {1 + tap_random(state) % 3, 5, 12, 1, true, ATTEST_MASK_NONE};
        attest_positional positional;
        attest_dataset data, encoded;

        attest_dataset_init(&data);
        attest_dataset_init(&encoded);
        attest_positional_init(&positional);
        labelled_gen(&data, &shape, state);
        if (attest_positional_get(&positional, &data, NULL) ||
            attest_positional_encode(&encoded, &data, shape.dim + 1, shape.dim - 1,
                                     positional.step, NULL))
            abort();
        kept += keeps(&encoded, positional.eps) && encoded.dim == shape.dim + 1;
        differ += sets_differ(&data, &encoded);
        attest_positional_clear(&positional);
        attest_dataset_clear(&data);
        attest_dataset_clear(&encoded);
    }
    TAP_OK(kept == trials, "eps kept, no repetition, no zero: %d of %d", kept, trials);
    TAP_OK(differ == trials, "different sequences are different sets: %d of %d", differ,
           trials);
}

/* Tokens 7, -6, 1/2 in this order: with a step of 2 r_max, r_max just above 7, the tokens 7 at
 * position 0 and -6 at position 1 come closer than eps. */
static void test_short_step(void)
{
    static const long entry[][2] = {{7, 1}, {-6, 1}, {1, 2}};
    attest_positional positional;
    attest_dataset data, encoded;
    attest_dataset_builder builder;
    fmpq_t token, step;

    fmpq_init(token);
    fmpq_init(step);
    attest_dataset_init(&data);
    attest_dataset_init(&encoded);
    attest_positional_init(&positional);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (int i = 0; i < 3; i++) {
        fmpq_set_si(token, entry[i][0], (ulong)entry[i][1]);
        if (attest_dataset_builder_add_token(&builder, token, NULL))
            abort();
    }
    if (attest_dataset_builder_end_sequence(&builder, NULL) ||
        attest_dataset_builder_finish(&data, &builder, NULL) ||
        attest_positional_get(&positional, &data, NULL))
        abort();
    TAP_OK(fmpq_cmp_si(positional.r_max, 7) > 0 && fmpq_get_d(positional.r_max) < 7.1,
           "r_max is just above 7");
    TAP_OK(fmpq_get_d(positional.eps) < 6.5 && fmpq_get_d(positional.eps) > 6.4,
           "eps is just below 13/2");
    for (int keep = 0; keep < 2; keep++) {
        fmpq_add(step, positional.r_max, positional.r_max);
        if (keep)
            fmpq_set(step, positional.step);
        if (attest_positional_encode(&encoded, &data, 1, 0, step, NULL))
            abort();
        TAP_OK(keeps(&encoded, positional.eps) == keep, "a step of 2 r_max%s %s eps",
               keep ? " + eps" : "", keep ? "keeps" : "loses");
        attest_dataset_clear(&encoded);
    }
    attest_dataset_builder_clear(&builder);
    attest_positional_clear(&positional);
    attest_dataset_clear(&data);
    fmpq_clear(token);
    fmpq_clear(step);
}

/* Only the token 0, once to four times: r_max is 1, there is no pair, and the step is 3. */
static void test_zeros(void)
{
    attest_positional positional;
    attest_dataset data, encoded;
    attest_dataset_builder builder;
    fmpq_t zero;

    fmpq_init(zero);
    attest_dataset_init(&data);
    attest_dataset_init(&encoded);
    attest_positional_init(&positional);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (int length = 1; length <= 4; length++) {
        for (int k = 0; k < length; k++)
            if (attest_dataset_builder_add_token(&builder, zero, NULL))
                abort();
        if (attest_dataset_builder_end_sequence(&builder, NULL))
            abort();
    }
    if (attest_dataset_builder_finish(&data, &builder, NULL) ||
        attest_positional_get(&positional, &data, NULL) ||
        attest_positional_encode(&encoded, &data, 1, 0, positional.step, NULL))
        abort();
    TAP_OK(fmpq_is_one(positional.r_max) && fmpq_is_one(positional.eps) &&
               fmpq_cmp_si(positional.step, 3) == 0 && !positional.eps_by_denominator,
           "only the token 0: a step of 2 r_max + eps = 3");
    TAP_OK(keeps(&encoded, positional.eps) && sets_differ(&data, &encoded),
           "sequences of zeros are different sets");
    attest_dataset_builder_clear(&builder);
    attest_positional_clear(&positional);
    attest_dataset_clear(&data);
    attest_dataset_clear(&encoded);
    fmpq_clear(zero);
}

/* Many tokens of many entries: eps from the denominator, which is safe. */
static void test_denominator(void)
{
    enum { DIM = 9, COUNT = 16000 };
    attest_positional positional;
    attest_dataset_builder builder;
    attest_dataset data;
    double token[DIM];

    attest_dataset_init(&data);
    attest_positional_init(&positional);
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_REAL, NULL);
    for (int i = 0; i < COUNT; i++) {
        for (int c = 0; c < DIM; c++)
            token[c] = ((i >> c) % 128 - 60) / 8.0 + (i == 0 && c == 0 ? 1.0 / 16 : 0);
        if (attest_dataset_builder_add_doubles(&builder, token, 1, NULL))
            abort();
    }
    if (attest_dataset_builder_end_sequence(&builder, NULL) ||
        attest_dataset_builder_finish(&data, &builder, NULL) ||
        attest_positional_get(&positional, &data, NULL))
        abort();
    TAP_OK(positional.eps_by_denominator && fmpq_cmp_ui(positional.eps, 0) > 0 &&
               fmpq_get_d(positional.eps) == 1.0 / 32,
           "%zu tokens of %d entries: eps is 1/32, for the common denominator 16",
           data.tokens.count, DIM);
    attest_dataset_builder_clear(&builder);
    attest_positional_clear(&positional);
    attest_dataset_clear(&data);
}

TEST(positional)
{
    uint64_t state = tap_seed(0x905);

    test_random(&state);
    test_short_step();
    test_zeros();
    test_denominator();
    flint_cleanup();
    return 0;
}
