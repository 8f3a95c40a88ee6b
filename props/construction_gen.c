/* construction_gen.c -- data for Theorem 2, and data that lack one of its hypotheses. */
#include "campaign/gen.h"
#include "number/scope.h"
#include "props/construction.h"

enum { MOST_COPIES = 64, CLOSE = 24000 };

static attest_status gen_plain(attest_instance *instance, struct theft *t, size_t shortest)
{
    attest_gen_tokens tokens = {.dim_max = 4, .count_min = 2, .count_max = 8, .decades = 40};
    attest_gen_sequences sequences = {
        .count_min = 1, .count_max = 8, .length_min = shortest, .length_max = 8};

    return attest_gen_sequences_of(&instance->dataset, t, &tokens, &sequences);
}

/* The token x of dimension 1. */
static attest_status add(attest_dataset_builder *builder, const fmpq_t x)
{
    return attest_dataset_builder_add_token(builder, x, NULL);
}

/* The token t u of dimension 2. */
static attest_status add_multiple(attest_dataset_builder *builder, const fmpq u[2], ulong t)
{
    FMPQ_VEC(token, 2);

    fmpq_mul_ui(token, u, t);
    fmpq_mul_ui(token + 1, u + 1, t);
    return attest_dataset_builder_add_token(builder, token, NULL);
}

/* (a u, b u, 0) and (c u, d u, 0) with a + b = c + d: the mean, all that 0 sees, is the same.
 */
static attest_status gen_zero(attest_dataset_builder *builder, attest_instance *instance,
                              struct theft *t)
{
    ulong a = attest_gen_size(t, 1, 6), step = attest_gen_size(t, 1, 6),
          inner = attest_gen_size(t, 1, 6);
    ulong multiple[2][3] = {{a, a + 2 * step + inner, 0}, {a + step, a + step + inner, 0}};
    fmpq *r_min;
    FMPQ_VEC(u, 2);

    attest_gen_nonzero(u, t, 6);
    attest_gen_rational(u + 1, t, 6);
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 3; k++)
            ATTEST_TRY(add_multiple(builder, u, multiple[i][k]));
        ATTEST_TRY(attest_dataset_builder_end_sequence(builder, NULL));
    }
    r_min = attest_instance_set(instance, "r_min"); /* |u_0|/2 < a |u|, a >= 1 */
    fmpq_abs(r_min, u);
    fmpq_div_2exp(r_min, r_min, 1);
    return ATTEST_OK;
}

/* (y, x) and (y, x + 2^-CLOSE), and eps = 1/2. */
static attest_status gen_close(attest_dataset_builder *builder, attest_instance *instance,
                               struct theft *t)
{
    FMPQ(x, y, step);

    fmpq_set_ui(x, 1, 1);
    fmpq_set_ui(y, 2, 1);
    fmpq_set_ui(step, 1, 1);
    fmpq_div_2exp(step, step, CLOSE + attest_gen_size(t, 0, 1000));
    for (size_t i = 0; i < 2; i++) {
        ATTEST_TRY(add(builder, y));
        ATTEST_TRY(add(builder, x));
        ATTEST_TRY(attest_dataset_builder_end_sequence(builder, NULL));
        fmpq_add(x, x, step);
    }
    fmpq_set_ui(attest_instance_set(instance, "eps"), 1, 2);
    return ATTEST_OK;
}

/* (-x, x, ..., x) and (x, ..., x), n tokens each. */
static attest_status gen_copies(attest_dataset_builder *builder, struct theft *t)
{
    size_t n = attest_gen_size(t, 2, MOST_COPIES);
    FMPQ(x, other);

    attest_gen_positive(x, t, 6);
    fmpq_neg(other, x);
    for (size_t i = 0; i < 2; i++) {
        ATTEST_TRY(add(builder, i == 0 ? other : x));
        for (size_t k = 1; k < n; k++)
            ATTEST_TRY(add(builder, x));
        ATTEST_TRY(attest_dataset_builder_end_sequence(builder, NULL));
    }
    return ATTEST_OK;
}

attest_status attest_props_construction_gen(attest_instance *instance, struct theft *t,
                                            const attest_setting *setting)
{
    bool zero = attest_setting_drops(setting, "r-min");

    if (!setting->without) {
        fmpq_set_ui(attest_instance_set(instance, "strategy"), attest_gen_size(t, 0, 1), 1);
        return gen_plain(instance, t, 2);
    }
    if (attest_setting_drops(setting, "length"))
        return gen_plain(instance, t, 1);
    ATTEST_SCOPED(attest_dataset_builder, builder, zero ? 2 : 1, ATTEST_TABLE_RATIONAL, NULL);
    if (zero)
        ATTEST_TRY(gen_zero(&builder, instance, t));
    else if (attest_setting_drops(setting, "eps"))
        ATTEST_TRY(gen_close(&builder, instance, t));
    else
        ATTEST_TRY(gen_copies(&builder, t));
    return attest_dataset_builder_finish(&instance->dataset, &builder, NULL);
}
