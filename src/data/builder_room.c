/* builder_room.c -- the memory of a dataset builder: growth by half, charged to the budget. */
#include "data/builder_room.h"

#include <stdlib.h>

#include "base/memory.h"
#include "data/token_index.h"

void attest_builder_give_back(attest_dataset_builder *builder, size_t bytes)
{
    attest_budget_give_back(builder->budget, bytes);
    builder->charged -= bytes;
}

static attest_status out_of_memory(attest_error *error)
{
    return attest_memory_fail(error);
}

static attest_status charge(attest_dataset_builder *builder, size_t bytes, attest_error *error)
{
    attest_status status = attest_budget_charge(builder->budget, bytes, error);

    if (status == ATTEST_OK)
        builder->charged += bytes;
    return status;
}

/* The room to take when need entries no longer fit: half again as much as there is. */
static size_t larger(size_t room, size_t need)
{
    size_t grown = room + room / 2;

    return grown > need ? grown : need;
}

/* Resizes *block from old to wanted entries of width bytes. */
static attest_status grow(attest_dataset_builder *builder, void **block, size_t old,
                          size_t wanted, size_t width, attest_error *error)
{
    attest_status status;
    void *grown;

    if (wanted > SIZE_MAX / 2 / width)
        return out_of_memory(error);
    status = charge(builder, (wanted - old) * width, error);
    if (status != ATTEST_OK)
        return status;
    grown = attest_memory_resize(*block, wanted, width);
    if (!grown)
        return out_of_memory(error);
    *block = grown;
    return ATTEST_OK;
}

attest_status attest_builder_need_starts(attest_dataset_builder *builder, size_t more,
                                         attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    bool first = !dataset->start;
    attest_status status;
    void *block = dataset->start;

    if (more < builder->start_room && dataset->count < builder->start_room - more)
        return ATTEST_OK;
    if (more > SIZE_MAX / 4)
        return out_of_memory(error);
    size_t room = larger(builder->start_room, dataset->count + 1 + more);
    status = grow(builder, &block, builder->start_room, room, sizeof *dataset->start, error);
    if (status != ATTEST_OK)
        return status;
    dataset->start = block;
    builder->start_room = room;
    if (first)
        dataset->start[0] = 0;
    return ATTEST_OK;
}

attest_status attest_builder_need_tokens(attest_dataset_builder *builder, size_t more,
                                         attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    attest_status status;
    void *block = dataset->token;

    if (more <= builder->token_room - dataset->total)
        return ATTEST_OK;
    if (more > SIZE_MAX / 4)
        return out_of_memory(error);
    size_t room = larger(builder->token_room, dataset->total + more);
    status = grow(builder, &block, builder->token_room, room, sizeof *dataset->token, error);
    if (status != ATTEST_OK)
        return status;
    dataset->token = block;
    builder->token_room = room;
    return ATTEST_OK;
}

/* Room in the table itself; domain: dim is small enough for one token to have a size. */
static attest_status grow_table(attest_dataset_builder *builder, size_t room,
                                attest_error *error)
{
    attest_tokens *tokens = &builder->dataset.tokens;
    size_t old = builder->table_room, dim = tokens->dim;
    bool real = builder->table == ATTEST_TABLE_REAL;
    void *block = real ? (void *)tokens->real : (void *)tokens->numerator;
    attest_status status =
        grow(builder, &block, old, room, dim * (real ? sizeof(double) : sizeof(fmpz)), error);

    if (status != ATTEST_OK)
        return status;
    if (real) {
        tokens->real = block;
    } else {
        tokens->numerator = block;
        block = tokens->denominator;
        status = grow(builder, &block, old, room, sizeof(fmpz), error);
        if (status != ATTEST_OK)
            return status;
        tokens->denominator = block;
    }
    builder->table_room = room;
    return ATTEST_OK;
}

attest_status attest_builder_full(attest_error *error)
{
    return attest_error_set(error, ATTEST_UNABLE, "more than %zu distinct tokens",
                            ATTEST_TOKENS_MAX);
}

attest_status attest_builder_need_table(attest_dataset_builder *builder, size_t more,
                                        attest_error *error)
{
    attest_tokens *tokens = &builder->dataset.tokens;
    size_t need = tokens->count + more, old = builder->index.slots, slots;
    attest_status status = ATTEST_OK;

    /* One batch of indices more than can be used, because a batch is put in place before it is
     * known to be new. */
    if (need > ATTEST_TOKENS_MAX + ATTEST_BUILDER_BATCH)
        return attest_builder_full(error);
    if (tokens->dim > SIZE_MAX / 2 / sizeof(double))
        return out_of_memory(error);
    if (need > builder->table_room)
        status = grow_table(builder, larger(builder->table_room, need), error);
    if (status != ATTEST_OK || (slots = attest_map_slots(need)) <= old)
        return status;
    status = charge(builder, slots * sizeof *builder->index.slot, error);
    if (status != ATTEST_OK)
        return status;
    if (attest_token_index_resize(&builder->index, tokens, slots) != ATTEST_OK)
        return out_of_memory(error);
    attest_builder_give_back(builder, old * sizeof *builder->index.slot);
    return ATTEST_OK;
}

/* The inverse of grow; a block that cannot be moved stays as large as it is. */
static void *shrink(attest_dataset_builder *builder, void *block, size_t old, size_t wanted,
                    size_t width)
{
    void *small = attest_memory_resize(block, wanted, width);

    attest_builder_give_back(builder, (old - wanted) * width);
    return small ? small : block;
}

attest_status attest_dataset_builder_reserve(attest_dataset_builder *builder, size_t sequences,
                                             size_t tokens, attest_error *error)
{
    attest_status status = attest_builder_need_starts(builder, sequences, error);

    return status == ATTEST_OK ? attest_builder_need_tokens(builder, tokens, error) : status;
}

void attest_builder_release(attest_dataset_builder *builder)
{
    attest_token_index_clear(&builder->index);
    attest_builder_give_back(builder, builder->charged);
}

void attest_builder_trim(attest_dataset_builder *builder)
{
    attest_dataset *dataset = &builder->dataset;
    attest_tokens *tokens = &dataset->tokens;
    size_t room = builder->table_room;

    attest_builder_give_back(builder, builder->index.slots * sizeof *builder->index.slot);
    attest_token_index_clear(&builder->index);
    dataset->start = shrink(builder, dataset->start, builder->start_room, dataset->count + 1,
                            sizeof *dataset->start);
    dataset->token = shrink(builder, dataset->token, builder->token_room, dataset->total,
                            sizeof *dataset->token);
    if (builder->table == ATTEST_TABLE_REAL) {
        tokens->real =
            shrink(builder, tokens->real, room, tokens->count, tokens->dim * sizeof(double));
        return;
    }
    tokens->numerator =
        shrink(builder, tokens->numerator, room, tokens->count, tokens->dim * sizeof(fmpz));
    tokens->denominator =
        shrink(builder, tokens->denominator, room, tokens->count, sizeof(fmpz));
}
