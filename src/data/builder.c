/* builder.c -- makes datasets token by token: a table of distinct tokens, its index, and their
 * memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/dataset.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/scope.h"
#include "number/rationals.h"
#include <time.h>
#include <unistd.h>

/* The number of tokens of doubles that are hashed before the first of them is looked up, so
 * that the slots of a large index, which are far apart in memory, are fetched together. */
enum { BATCH = 32 };

/* The index of the table: hashes of tokens. */

typedef unsigned __int128 uint128;

/* An empty index. It draws a secret of its own when it outgrows its first slots: among so few
 * tokens collisions cost nothing, and asking the system for a secret costs more than they do.
 */
static void index_init(attest_token_index *index)
{
    memset(index, 0, sizeof *index);
    index->key[0] = 0x9E3779B97F4A7C15u;
    index->key[1] = 0xBF58476D1CE4E5B9u;
}

/* Draws the secret of the hash. Indices follow the order of first appearance, so the secret
 * changes no result, only which tokens collide. Without entropy from the system, an address and
 * the time are used. */
static void draw_key(attest_token_index *index)
{
    if (getentropy(index->key, sizeof index->key) != 0) {
        index->key[0] = (uint64_t)(uintptr_t)index * 0x9E3779B97F4A7C15u;
        index->key[1] = (uint64_t)time(NULL) * 0xBF58476D1CE4E5B9u;
    }
}

static void index_clear(attest_token_index *index)
{
    free(index->slot);
    index->slot = NULL;
    index->slots = 0;
}

/* Adds both halves of a 128-bit product: with a secret factor, no known difference of inputs
 * cancels. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
    uint128 product = (uint128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The hash of dim doubles (finite, none of them -0), and of a rational token. Equal tokens have
 * equal hashes. */
static uint64_t hash_real(const attest_token_index *index, const double *value, size_t dim)
{
    uint64_t k0 = index->key[0], k1 = index->key[1], hash = k0, word[2];
    size_t c = 0;

    for (; c + 2 <= dim; c += 2) {
        memcpy(word, value + c, sizeof word);
        hash = fold(word[0] ^ k1, word[1] ^ hash);
    }
    if (c < dim) {
        memcpy(word, value + c, sizeof word[0]);
        hash = fold(word[0] ^ k1, hash);
    }
    return fold(hash ^ k0, k1 | 1);
}

static uint64_t hash_integer(const attest_token_index *index, uint64_t hash, const fmpz_t value)
{
    uint64_t k1 = index->key[1];

    if (!COEFF_IS_MPZ(*value))
        return fold((uint64_t)*value ^ k1, hash ^ 1);
    const __mpz_struct *big = COEFF_TO_PTR(*value);
    size_t limbs = mpz_size(big);
    hash = fold((uint64_t)(mpz_sgn(big) < 0) ^ k1, hash ^ limbs);
    for (size_t i = 0; i < limbs; i++)
        hash = fold((uint64_t)mpz_getlimbn(big, (mp_size_t)i) ^ k1, hash ^ 1);
    return hash;
}

static uint64_t hash_rational(const attest_token_index *index, const fmpz *numerator,
                              const fmpz_t denominator, size_t dim)
{
    uint64_t hash = hash_integer(index, index->key[0], denominator);

    for (size_t c = 0; c < dim; c++)
        hash = hash_integer(index, hash, numerator + c);
    return fold(hash ^ index->key[0], index->key[1] | 1);
}

static uint64_t hash_token(const attest_token_index *index, const attest_tokens *tokens,
                           size_t t)
{
    if (tokens->real)
        return hash_real(index, tokens->real + t * tokens->dim, tokens->dim);
    return hash_rational(index, tokens->numerator + t * tokens->dim, tokens->denominator + t,
                         tokens->dim);
}

/* Moves all entries, those of the tokens of the table, to slots slots. Status: NOMEM. */
static attest_status index_resize(attest_token_index *index, const attest_tokens *tokens,
                                  size_t slots)
{
    attest_map map = {index->slot, index->slots}, keyed = {0};
    size_t least = attest_map_slots(0);
    bool draws = map.slots <= least && slots > least;

    if (!attest_map_resize(draws ? &keyed : &map, slots))
        return ATTEST_NOMEM;
    if (draws) {
        attest_map_clear(&map);
        map = keyed;
        draw_key(index);
        for (size_t t = 0; t < tokens->count; t++)
            attest_map_add(&map, hash_token(index, tokens, t), t);
    }
    index->slot = map.slot;
    index->slots = map.slots;
    return ATTEST_OK;
}

/* A token that is looked for among those of the table: doubles, or a rational one. */
typedef struct sought {
    const attest_tokens *tokens;
    const double *value;
    const fmpz *numerator, *denominator;
} sought;

/* Finite and never -0: equal numbers have equal bits. */
static inline bool is_same_real(void *key, size_t token)
{
    const sought *w = key;
    size_t dim = w->tokens->dim;

    return memcmp(w->tokens->real + token * dim, w->value, dim * sizeof *w->value) == 0;
}

/* The index of the token in the table. A token that is not there is entered as token next,
 * which the caller must then put into the table. Domain: a free slot is left. */
static size_t find_real(attest_token_index *index, const attest_tokens *tokens,
                        const double *value, uint64_t hash, size_t next)
{
    attest_map map = {index->slot, index->slots};
    sought key = {.tokens = tokens, .value = value};

    return attest_map_get_or_add(&map, hash, is_same_real, &key, next);
}

static inline bool is_same_rational(void *key, size_t token)
{
    const sought *w = key;
    size_t dim = w->tokens->dim;

    return fmpz_equal(w->tokens->denominator + token, w->denominator) &&
           _fmpz_vec_equal(w->tokens->numerator + token * dim, w->numerator, (slong)dim);
}

static size_t find_rational(attest_token_index *index, const attest_tokens *tokens,
                            const fmpz *numerator, const fmpz_t denominator, uint64_t hash,
                            size_t next)
{
    attest_map map = {index->slot, index->slots};
    sought key = {.tokens = tokens, .numerator = numerator, .denominator = denominator};

    return attest_map_get_or_add(&map, hash, is_same_rational, &key, next);
}

/* The builder. */

/* Returns bytes to the budget. */
static void give_back(attest_dataset_builder *builder, size_t bytes)
{
    attest_budget_give_back(builder->budget, bytes);
    builder->charged -= bytes;
}

static attest_status charge(attest_dataset_builder *builder, size_t bytes, attest_error *error)
{
    ATTEST_TRY(attest_budget_charge(builder->budget, bytes, error));
    builder->charged += bytes;
    return ATTEST_OK;
}

/* Returns the new capacity if need entries do not fit: 3/2 of the old one, at least need. */
static size_t larger(size_t room, size_t need)
{
    size_t grown = room + room / 2;

    return grown > need ? grown : need;
}

/* Resizes *block from old to wanted entries of width bytes. */
static attest_status grow(attest_dataset_builder *builder, void **block, size_t old,
                          size_t wanted, size_t width, attest_error *error)
{
    void *grown;

    if (wanted > SIZE_MAX / 2 / width)
        return attest_memory_fail(error);
    ATTEST_TRY(charge(builder, (wanted - old) * width, error));
    grown = attest_memory_resize(*block, wanted, width);
    if (!grown)
        return attest_memory_fail(error);
    *block = grown;
    return ATTEST_OK;
}

static attest_status reserve_starts(attest_dataset_builder *builder, size_t more,
                                    attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    bool first = !dataset->start;
    void *block = dataset->start;

    if (more < builder->start_room && dataset->count < builder->start_room - more)
        return ATTEST_OK;
    if (more > SIZE_MAX / 4)
        return attest_memory_fail(error);
    size_t room = larger(builder->start_room, dataset->count + 1 + more);
    ATTEST_TRY(grow(builder, &block, builder->start_room, room, sizeof *dataset->start, error));
    dataset->start = block;
    builder->start_room = room;
    if (first)
        dataset->start[0] = 0;
    return ATTEST_OK;
}

static attest_status reserve_tokens(attest_dataset_builder *builder, size_t more,
                                    attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    void *block = dataset->token;

    if (more <= builder->token_room - dataset->total)
        return ATTEST_OK;
    if (more > SIZE_MAX / 4)
        return attest_memory_fail(error);
    size_t room = larger(builder->token_room, dataset->total + more);
    ATTEST_TRY(grow(builder, &block, builder->token_room, room, sizeof *dataset->token, error));
    dataset->token = block;
    builder->token_room = room;
    return ATTEST_OK;
}

/* Grows the table itself to room tokens. Domain: the size of one token does not overflow. */
static attest_status grow_table(attest_dataset_builder *builder, size_t room,
                                attest_error *error)
{
    attest_tokens *tokens = &builder->dataset.tokens;
    size_t old = builder->table_room, dim = tokens->dim;
    bool real = builder->table == ATTEST_TABLE_REAL;
    void *block = real ? (void *)tokens->real : (void *)tokens->numerator;

    ATTEST_TRY(
        grow(builder, &block, old, room, dim * (real ? sizeof(double) : sizeof(fmpz)), error));
    if (real) {
        tokens->real = block;
    } else {
        tokens->numerator = block;
        block = tokens->denominator;
        ATTEST_TRY(grow(builder, &block, old, room, sizeof(fmpz), error));
        tokens->denominator = block;
    }
    builder->table_room = room;
    return ATTEST_OK;
}

/* The error of a table that has ATTEST_TOKENS_MAX tokens already. Status: UNABLE. */
static attest_status fail_full(attest_error *error)
{
    return attest_error_set(error, ATTEST_UNABLE, "more than %zu distinct tokens",
                            ATTEST_TOKENS_MAX);
}

/* Make room for more sequences, tokens in sequences, and distinct tokens (in the table and in
 * its index). Status: UNABLE, NOMEM. */
static attest_status reserve_table(attest_dataset_builder *builder, size_t more,
                                   attest_error *error)
{
    attest_tokens *tokens = &builder->dataset.tokens;
    size_t need = tokens->count + more, old = builder->index.slots, slots;

    /* Makes room for one batch of indices more than can be used, because a batch is inserted
     * before it is known to be new. */
    if (need > ATTEST_TOKENS_MAX + BATCH)
        return fail_full(error);
    if (tokens->dim > SIZE_MAX / 2 / sizeof(double))
        return attest_memory_fail(error);
    if (need > builder->table_room)
        ATTEST_TRY(grow_table(builder, larger(builder->table_room, need), error));
    slots = attest_map_slots(need);
    if (slots <= old)
        return ATTEST_OK;
    ATTEST_TRY(charge(builder, slots * sizeof *builder->index.slot, error));
    if (index_resize(&builder->index, tokens, slots) != ATTEST_OK)
        return attest_memory_fail(error);
    give_back(builder, old * sizeof *builder->index.slot);
    return ATTEST_OK;
}

/* The inverse of grow; a block that cannot be moved keeps its size. */
static void *shrink(attest_dataset_builder *builder, void *block, size_t old, size_t wanted,
                    size_t width)
{
    void *small = attest_memory_resize(block, wanted, width);

    give_back(builder, (old - wanted) * width);
    return small ? small : block;
}

attest_status attest_dataset_builder_reserve(attest_dataset_builder *builder, size_t sequences,
                                             size_t tokens, attest_error *error)
{
    ATTEST_TRY(reserve_starts(builder, sequences, error));
    return reserve_tokens(builder, tokens, error);
}

/* Frees the index and returns everything that is charged. */
static void release(attest_dataset_builder *builder)
{
    index_clear(&builder->index);
    give_back(builder, builder->charged);
}

/* Frees the index and shrinks the dataset's arrays; only the memory of the dataset stays
 * charged. */
static void trim(attest_dataset_builder *builder)
{
    attest_dataset *dataset = &builder->dataset;
    attest_tokens *tokens = &dataset->tokens;
    size_t room = builder->table_room;

    give_back(builder, builder->index.slots * sizeof *builder->index.slot);
    index_clear(&builder->index);
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

/* A dataset from sequences given one after another. */

void attest_dataset_builder_init(attest_dataset_builder *builder, size_t dim,
                                 attest_table table, attest_budget *budget)
{
    memset(builder, 0, sizeof *builder);
    attest_dataset_init(&builder->dataset);
    builder->dataset.dim = builder->dataset.tokens.dim = dim;
    builder->table = table;
    builder->budget = budget;
    index_init(&builder->index);
    fmpz_init(builder->denominator);
    if (table == ATTEST_TABLE_RATIONAL)
        builder->numerator = _fmpz_vec_init((slong)dim);
}

void attest_dataset_builder_clear(attest_dataset_builder *builder)
{
    if (builder->numerator)
        _fmpz_vec_clear(builder->numerator, (slong)builder->dataset.tokens.dim);
    fmpz_clear(builder->denominator);
    release(builder);
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

    ATTEST_TRY(attest_rationals_bound_common(builder->denominator, bytes, entry, dim,
                                             builder->budget, error));
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

    ATTEST_TRY(reserve_tokens(builder, 1, error));
    ATTEST_TRY(reserve_table(builder, 1, error));
    ATTEST_TRY(set_token(builder, entry, &bytes, error));
    found = find_rational(
        &builder->index, tokens, builder->numerator, builder->denominator,
        hash_rational(&builder->index, builder->numerator, builder->denominator, tokens->dim),
        tokens->count);
    if (found == tokens->count) {
        if (tokens->count == ATTEST_TOKENS_MAX)
            return fail_full(error);
        take_token(builder);
    } else {
        give_back(builder, bytes);
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

/* Appends count <= BATCH tokens; there is room for them. They are copied to the end of the
 * table; the new ones stay there, moved together. */
static attest_status add_batch(attest_dataset_builder *builder, const double *value,
                               size_t count, size_t *bad, attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    attest_tokens *tokens = &dataset->tokens;
    attest_token_index *index = &builder->index;
    size_t dim = tokens->dim;
    double *end = tokens->real + tokens->count * dim;
    uint64_t hash[BATCH];
    attest_map map = {index->slot, index->slots};

    if (!copy_finite(end, value, count * dim)) {
        *bad = first_not_finite(value, count * dim);
        return attest_error_set(error, ATTEST_FORMAT, "not a finite number");
    }
    for (size_t k = 0; k < count; k++) {
        hash[k] = hash_real(index, end + k * dim, dim);
        __builtin_prefetch(index->slot + attest_map_first_slot(&map, hash[k]), 1);
    }
    for (size_t k = 0; k < count; k++) {
        size_t next = tokens->count;
        const double *token = end + k * dim;
        size_t found = find_real(index, tokens, token, hash[k], next);
        if (found == next) {
            if (next == ATTEST_TOKENS_MAX)
                return fail_full(error);
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

    *bad = SIZE_MAX;
    ATTEST_TRY(reserve_tokens(builder, count, error));
    for (size_t k = 0; k < count; k += BATCH) {
        size_t some = count - k < BATCH ? count - k : BATCH;
        ATTEST_TRY(reserve_table(builder, some, error));
        ATTEST_TRY_OR(add_batch(builder, value + k * dim, some, bad, error),
                      *bad += *bad < SIZE_MAX ? k * dim : 0);
    }
    return ATTEST_OK;
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
    attest_status status;

    ATTEST_TRY(reserve_starts(builder, count, error));
    if (length == 0)
        return attest_error_set(error, ATTEST_FORMAT, "a sequence has no tokens");
    if (count > SIZE_MAX / length)
        return attest_error_set(error, ATTEST_UNABLE, "too many tokens");
    status = add_doubles(builder, value, count * length, &bad, error);
    if (bad != SIZE_MAX)
        return attest_error_set(error, ATTEST_FORMAT, "[%zu][%zu][%zu]: not a finite number",
                                bad / dim / length, bad / dim % length, bad % dim);
    ATTEST_TRY(status);
    for (size_t i = 0; i < count; i++) {
        dataset->start[dataset->count + 1] = dataset->start[dataset->count] + length;
        dataset->count++;
    }
    if (count > 0 && length > dataset->longest)
        dataset->longest = length;
    return ATTEST_OK;
}

attest_status attest_dataset_builder_end_sequence(attest_dataset_builder *builder,
                                                  attest_error *error)
{
    attest_dataset *dataset = &builder->dataset;
    size_t length;

    ATTEST_TRY(reserve_starts(builder, 1, error));
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
        return attest_error_set(
            error, ATTEST_FORMAT,
            "the last sequence was not ended (attest_dataset_builder_end_sequence)");
    trim(builder);
    attest_dataset_clear(dataset);
    *dataset = *built;
    attest_dataset_init(built);
    built->dim = built->tokens.dim = dim;
    builder->start_room = builder->token_room = builder->table_room = builder->charged = 0;
    return ATTEST_OK;
}
