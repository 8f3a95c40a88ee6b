/* builder.c -- a dataset from sequences given one after another. */
#include <attest/dataset.h>

#include <math.h>
#include <string.h>

#include "data/builder_room.h"
#include "number/rationals.h"
#include "data/token_index.h"

void attest_dataset_builder_init(attest_dataset_builder *builder, size_t dim,
                                 attest_table table, attest_budget *budget)
{
    memset(builder, 0, sizeof *builder);
    attest_dataset_init(&builder->dataset);
    builder->dataset.dim = builder->dataset.tokens.dim = dim;
    builder->table = table;
    builder->budget = budget;
    attest_token_index_init(&builder->index);
    fmpz_init(builder->denominator);
    if (table == ATTEST_TABLE_RATIONAL)
        builder->numerator = _fmpz_vec_init((slong)dim);
}

void attest_dataset_builder_clear(attest_dataset_builder *builder)
{
    if (builder->numerator)
        _fmpz_vec_clear(builder->numerator, (slong)builder->dataset.tokens.dim);
    fmpz_clear(builder->denominator);
    attest_builder_release(builder);
    attest_dataset_clear(&builder->dataset);
    memset(builder, 0, sizeof *builder);
}

/* The builder's own token = entry, over its least common denominator. That is in lowest terms:
 * a prime of the denominator divides some entry's own denominator as often, hence not its
 * numerator. */
static attest_status set_token(attest_dataset_builder *builder, const fmpq *entry,
                               size_t *bytes, attest_error *error)
{
    size_t dim = builder->dataset.dim;
    attest_status status = attest_rationals_bound_common(builder->denominator, bytes, entry,
                                                         dim, builder->budget, error);

    if (status != ATTEST_OK)
        return status;
    builder->charged += *bytes;
    attest_rationals_get_numerators(builder->numerator, builder->denominator, entry, dim);
    return ATTEST_OK;
}

/* The table's next token = the builder's own, which is left undefined. */
static void take_token(attest_dataset_builder *builder)
{
    attest_tokens *tokens = &builder->dataset.tokens;
    fmpz *to = tokens->numerator + tokens->count * tokens->dim;

    for (size_t c = 0; c < tokens->dim; c++) {
        fmpz_init(to + c);
        fmpz_swap(to + c, builder->numerator + c);
    }
    fmpz_init(tokens->denominator + tokens->count);
    fmpz_swap(tokens->denominator + tokens->count, builder->denominator);
    tokens->count++;
}

attest_status attest_dataset_builder_add_token(attest_dataset_builder *builder,
                                               const fmpq *entry, attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    attest_tokens *tokens = &dataset->tokens;
    size_t bytes = 0, found;
    attest_status status = attest_builder_need_tokens(builder, 1, error);

    if (status == ATTEST_OK)
        status = attest_builder_need_table(builder, 1, error);
    if (status == ATTEST_OK)
        status = set_token(builder, entry, &bytes, error);
    if (status != ATTEST_OK)
        return status;
    found = attest_token_index_find_rational(
        &builder->index, tokens, builder->numerator, builder->denominator,
        attest_token_index_hash_rational(&builder->index, builder->numerator,
                                         builder->denominator, tokens->dim),
        tokens->count);
    if (found == tokens->count) {
        if (tokens->count == ATTEST_TOKENS_MAX)
            return attest_builder_full(error);
        take_token(builder);
    } else {
        attest_builder_give_back(builder, bytes);
    }
    dataset->token[dataset->total++] = (uint32_t)found;
    return ATTEST_OK;
}

/* to = from with -0 as 0. False if an entry is not finite. */
static bool copy_finite(double *to, const double *from, size_t count)
{
    const uint64_t infinity = (uint64_t)0x7FF << 53; /* its bits without the sign */
    uint64_t beyond = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, from + i, sizeof bits);
        beyond |= bits << 1 >= infinity;
        bits = bits << 1 ? bits : 0;
        memcpy(to + i, &bits, sizeof bits);
    }
    return !beyond;
}

static size_t first_not_finite(const double *value, size_t count)
{
    size_t i = 0;

    while (i < count && isfinite(value[i]))
        i++;
    return i;
}

/* Appends count <= ATTEST_BUILDER_BATCH tokens; there is room for them. They are put at the end
 * of the table, and those that are new stay there, moved together. */
static attest_status add_batch(attest_dataset_builder *builder, const double *value,
                               size_t count, size_t *bad, attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    attest_tokens *tokens = &dataset->tokens;
    attest_token_index *index = &builder->index;
    size_t dim = tokens->dim;
    double *end = tokens->real + tokens->count * dim;
    uint64_t hash[ATTEST_BUILDER_BATCH];
    attest_map map = {index->slot, index->slots};

    if (!copy_finite(end, value, count * dim)) {
        *bad = first_not_finite(value, count * dim);
        return attest_error_set(error, ATTEST_FORMAT, "not a finite number");
    }
    for (size_t k = 0; k < count; k++) {
        hash[k] = attest_token_index_hash_real(index, end + k * dim, dim);
        __builtin_prefetch(index->slot + attest_map_home(&map, hash[k]), 1);
    }
    for (size_t k = 0; k < count; k++) {
        size_t next = tokens->count;
        const double *token = end + k * dim;
        size_t found = attest_token_index_find_real(index, tokens, token, hash[k], next);
        if (found == next) {
            if (next == ATTEST_TOKENS_MAX)
                return attest_builder_full(error);
            memmove(tokens->real + next * dim, token, dim * sizeof *token);
            tokens->count = next + 1;
        }
        dataset->token[dataset->total++] = (uint32_t)found;
    }
    return ATTEST_OK;
}

/* Appends count tokens; bad gets the place of an entry that is not finite. */
static attest_status add_doubles(attest_dataset_builder *builder, const double *value,
                                 size_t count, size_t *bad, attest_error *error)
{
    size_t dim = builder->dataset.dim;
    attest_status status = attest_builder_need_tokens(builder, count, error);

    *bad = SIZE_MAX;
    for (size_t k = 0; k < count && status == ATTEST_OK; k += ATTEST_BUILDER_BATCH) {
        size_t some = count - k < ATTEST_BUILDER_BATCH ? count - k : ATTEST_BUILDER_BATCH;
        status = attest_builder_need_table(builder, some, error);
        if (status == ATTEST_OK)
            status = add_batch(builder, value + k * dim, some, bad, error);
        if (*bad != SIZE_MAX)
            *bad += k * dim;
    }
    return status;
}

attest_status attest_dataset_builder_add_doubles(attest_dataset_builder *builder,
                                                 const double *value, size_t count,
                                                 attest_error *error)
{
    size_t bad, dim = builder->dataset.dim;
    attest_status status = add_doubles(builder, value, count, &bad, error);

    if (bad != SIZE_MAX)
        status = attest_error_set(error, ATTEST_FORMAT, "[%zu][%zu]: not a finite number",
                                  bad / dim, bad % dim);
    return status;
}

attest_status attest_dataset_builder_add_sequences(attest_dataset_builder *builder,
                                                   const double *value, size_t count,
                                                   size_t length, attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    size_t bad, dim = dataset->dim;
    attest_status status = attest_builder_need_starts(builder, count, error);

    if (status != ATTEST_OK)
        return status;
    if (length == 0)
        return attest_error_set(error, ATTEST_FORMAT, "a sequence has no tokens");
    if (count > SIZE_MAX / length)
        return attest_error_set(error, ATTEST_UNABLE, "too many tokens");
    status = add_doubles(builder, value, count * length, &bad, error);
    if (bad != SIZE_MAX)
        return attest_error_set(error, ATTEST_FORMAT, "[%zu][%zu][%zu]: not a finite number",
                                bad / dim / length, bad / dim % length, bad % dim);
    for (size_t i = 0; i < count && status == ATTEST_OK; i++) {
        dataset->start[dataset->count + 1] = dataset->start[dataset->count] + length;
        dataset->count++;
    }
    if (count > 0 && length > dataset->longest)
        dataset->longest = length;
    return status;
}

attest_status attest_dataset_builder_end_sequence(attest_dataset_builder *builder,
                                                  attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    attest_status status = attest_builder_need_starts(builder, 1, error);
    size_t length;

    if (status != ATTEST_OK)
        return status;
    length = dataset->total - dataset->start[dataset->count];
    if (length == 0)
        return attest_error_set(error, ATTEST_FORMAT, "a sequence has no tokens");
    if (length > dataset->longest)
        dataset->longest = length;
    dataset->start[++dataset->count] = dataset->total;
    return ATTEST_OK;
}

attest_status attest_dataset_builder_finish(attest_dataset *dataset,
                                            attest_dataset_builder *builder,
                                            attest_error *error)
{
    attest_dataset *built = &builder->dataset;
    size_t dim = built->dim;

    if (built->count == 0)
        return attest_error_set(error, ATTEST_FORMAT, "there are no sequences");
    if (built->start[built->count] != built->total)
        return attest_error_set(error, ATTEST_FORMAT, "the last sequence has no end");
    attest_builder_trim(builder);
    attest_dataset_clear(dataset);
    *dataset = *built;
    attest_dataset_init(built);
    built->dim = built->tokens.dim = dim;
    builder->start_room = builder->token_room = builder->table_room = builder->charged = 0;
    return ATTEST_OK;
}
