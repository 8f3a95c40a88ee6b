/* dataset.h -- sequences of exact rational tokens.
 *
 * Tokens are interned: the dataset holds a table of the distinct tokens, and a sequence is a
 * list of indices into it. Two tokens are equal iff their indices are, so vocabularies are sets
 * of small integers. Indices are given in the order of first appearance. */
#ifndef ATTEST_DATASET_H
#define ATTEST_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/export.h>
#include <attest/error.h>
#include <attest/input.h>
#include <attest/number.h>
#include <attest/sequence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest number of distinct tokens. */
#define ATTEST_TOKENS_MAX ((size_t)UINT32_MAX - 1)

/* The distinct tokens. Token t is the vector of dim rationals
 *     numerator[t*dim + c] / denominator[t]      (rational table), or
 *     real[t*dim + c]                            (table of doubles, taken exactly).
 * Exactly one of the two representations is in use. Doubles are finite, and none is -0. */
typedef struct attest_tokens {
    size_t dim;
    size_t count;
    fmpz *numerator;   /* NULL for a table of doubles */
    fmpz *denominator; /* one per token, > 0, in lowest terms with the token's numerators */
    double *real;      /* NULL for a rational table */
} attest_tokens;

/* Owns everything that it points to; attest_dataset_clear frees it. */
typedef struct attest_dataset {
    size_t dim;      /* d */
    size_t count;    /* N sequences */
    size_t total;    /* tokens in all sequences together */
    size_t longest;  /* n */
    size_t *start;   /* count + 1 offsets into token */
    uint32_t *token; /* total indices into tokens */
    attest_tokens tokens;
    size_t label_dim;   /* 0: no labels */
    fmpq *label;        /* total * label_dim rationals, token after token, or NULL */
    char *name;         /* or NULL */
    char *comment;      /* or NULL */
    uint32_t *identity; /* by token of the table: the identity of the token for Definition 2.
                         * Tokens  that pairing.h made of one token at several positions have
                         * the same;  NULL: all tokens differ */
} attest_dataset;

/* An empty dataset; clear frees everything, and the dataset is as after init. */
ATTEST_API void attest_dataset_init(attest_dataset *dataset);
ATTEST_API void attest_dataset_clear(attest_dataset *dataset);

/* Reads a dataset; the format follows from the contents: attest/dataset (JSON), NumPy's .npy of
 * shape (N, n, d), or a safetensors file with a single tensor. Path "-" is standard input.
 * Binary numbers are taken exactly; the table is one of doubles then, unless a 64-bit integer
 * is no double. Status: FORMAT, IO, UNABLE, NOMEM, USAGE (which tensor?); the text begins with
 * the path and names the place in the file. On failure the dataset is as after init. */
ATTEST_API attest_status attest_dataset_read(attest_dataset *dataset, const char *path,
                                             attest_budget *budget,
                                             attest_error *error) ATTEST_WARN_UNUSED;

/* The same, from the tensor of this name in a safetensors file (F64, F32, F16 or BF16): shape
 * (N, n, d), or (n, d) for one sequence; or from the member of this name instead of "sequences"
 * in a JSON file. tensor may be NULL: then as above. Status: also USAGE (there is no such
 * tensor; the file is of another format). */
ATTEST_API attest_status attest_dataset_read_tensor(attest_dataset *dataset, const char *path,
                                                    const char *tensor, attest_budget *budget,
                                                    attest_error *error) ATTEST_WARN_UNUSED;

/* The same, from an open input. */
ATTEST_API attest_status attest_dataset_read_input(attest_dataset *dataset,
                                                   const attest_input *input,
                                                   const char *tensor, attest_budget *budget,
                                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Writes an attest/dataset file (JSON), whole or not at all. Status: IO, NOMEM. */
ATTEST_API attest_status attest_dataset_write(const attest_dataset *dataset, const char *path,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* The length of sequence i. */
static inline size_t attest_dataset_length(const attest_dataset *dataset, size_t i)
{
    return dataset->start[i + 1] - dataset->start[i];
}

/* The index in tokens of token k of sequence i. */
static inline uint32_t attest_dataset_token(const attest_dataset *dataset, size_t i, size_t k)
{
    return dataset->token[dataset->start[i] + k];
}

/* The identity of token k of sequence i for Definition 2. */
static inline uint32_t attest_dataset_identity(const attest_dataset *dataset, size_t i,
                                               size_t k)
{
    uint32_t t = attest_dataset_token(dataset, i, k);

    return dataset->identity ? dataset->identity[t] : t;
}

/* The number of different identities. Domain: they are 0, 1, 2, ... without gaps, as pairing.h
 * makes them. */
static inline size_t attest_dataset_vocabulary(const attest_dataset *dataset)
{
    size_t count = dataset->identity ? 0 : dataset->tokens.count;

    for (size_t t = 0; dataset->identity && t < dataset->tokens.count; t++)
        if (dataset->identity[t] >= count)
            count = (size_t)dataset->identity[t] + 1;
    return count;
}

/* Token t over its own denominator, in lowest terms: numerator gets dim entries. Exact. */
ATTEST_API void attest_tokens_get(fmpz *numerator, fmpz_t denominator,
                                  const attest_tokens *tokens, size_t t);

/* value = entry c of token t. Exact. */
ATTEST_API void attest_tokens_get_entry(fmpq_t value, const attest_tokens *tokens, size_t t,
                                        size_t c);

/* value[0..dim) = the entries of token t. Exact. */
ATTEST_API void attest_tokens_get_entries(fmpq *value, const attest_tokens *tokens, size_t t);

/* sequence = sequence i, over the least common denominator of its tokens. Exact.
 * Status: UNABLE (the numerators over the common denominator are beyond the budget, which is
 * not charged; NULL is unlimited). */
ATTEST_API attest_status attest_dataset_get_sequence(attest_sequence *sequence,
                                                     const attest_dataset *dataset, size_t i,
                                                     const attest_budget *budget,
                                                     attest_error *error) ATTEST_WARN_UNUSED;

/* The kind of table that a builder fills. */
typedef enum attest_table { ATTEST_TABLE_RATIONAL = 0, ATTEST_TABLE_REAL } attest_table;

/* Finds a token in a table: open addressing, linear probing. A slot contains the upper half of
 * the hash of a token and, in its lower half, 1 + its index; 0 is a free slot. */
typedef struct attest_token_index {
    uint64_t *slot;
    size_t slots;    /* a power of two, or 0 */
    uint64_t key[2]; /* the hash function's secret: no input can be made to collide */
} attest_token_index;

/* Builds a dataset from sequences given one after another, interning their tokens:
 *
 *     attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_REAL, budget);
 *     for every sequence:
 *         attest_dataset_builder_add_doubles(&builder, values, length, error);
 *         attest_dataset_builder_end_sequence(&builder, error);
 *     attest_dataset_builder_finish(dataset, &builder, error);
 *     attest_dataset_builder_clear(&builder);
 *
 * Errors have no path in front: the reader of a file adds it. After a failure the builder can
 * only be cleared. Besides 4 bytes per token and the table of distinct tokens it takes at most
 * 32 bytes per distinct token while it works. The budget is charged for all of it. */
typedef struct attest_dataset_builder {
    attest_dataset dataset; /* what has been built so far */
    attest_table table;
    size_t start_room, token_room, table_room;
    attest_token_index index;
    fmpz *numerator;    /* one token, for a rational table */
    fmpz_t denominator; /* of that token */
    attest_budget *budget;
    size_t charged; /* bytes of the budget */
} attest_dataset_builder;

/* Domain: dim >= 1. budget may be NULL, else it must outlive the builder. */
ATTEST_API void attest_dataset_builder_init(attest_dataset_builder *builder, size_t dim,
                                            attest_table table, attest_budget *budget);

/* Frees the memory, and returns to the budget what no finished dataset takes. */
ATTEST_API void attest_dataset_builder_clear(attest_dataset_builder *builder);

/* Makes room for further sequences and tokens; optional, saves memory and time. Status:
 * UNABLE, NOMEM. */
ATTEST_API attest_status attest_dataset_builder_reserve(attest_dataset_builder *builder,
                                                        size_t sequences, size_t tokens,
                                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Appends the token (entry[0], ..., entry[dim-1]), rationals in lowest terms, to the sequence
 * under construction. For a rational table. Status: UNABLE, NOMEM. Cost: one common denominator
 * of dim numbers. */
ATTEST_API attest_status attest_dataset_builder_add_token(
    attest_dataset_builder *builder, const fmpq *entry, attest_error *error) ATTEST_WARN_UNUSED;

/* Appends count tokens of dim doubles each, taken exactly, to the sequence under construction.
 * For a table of doubles. Status: FORMAT (an entry is not finite; the text begins with its
 * place
 * "[k][c]" in value), UNABLE, NOMEM. */
ATTEST_API attest_status
attest_dataset_builder_add_doubles(attest_dataset_builder *builder, const double *value,
                                   size_t count, attest_error *error) ATTEST_WARN_UNUSED;

/* Ends the sequence under construction. Status: FORMAT (it has no token), UNABLE, NOMEM. */
ATTEST_API attest_status attest_dataset_builder_end_sequence(
    attest_dataset_builder *builder, attest_error *error) ATTEST_WARN_UNUSED;

/* Appends count whole sequences of length tokens each: value[(i*length + k)*dim + c]. The same
 * as add_doubles and end_sequence count times, but faster for short sequences; a place in an
 * error's text is "[i][k][c]". Status: FORMAT, UNABLE, NOMEM. */
ATTEST_API attest_status attest_dataset_builder_add_sequences(
    attest_dataset_builder *builder, const double *value, size_t count, size_t length,
    attest_error *error) ATTEST_WARN_UNUSED;

/* Moves what was built to dataset, whose earlier contents are lost; the builder is empty then.
 * The bytes that the dataset takes stay charged. Status: FORMAT (no sequence, or the last one
 * was not ended), NOMEM. */
ATTEST_API attest_status attest_dataset_builder_finish(attest_dataset *dataset,
                                                       attest_dataset_builder *builder,
                                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Appends the coordinate 1 to every token. Indices and sequences stay. Status: UNABLE, NOMEM:
 * the dataset is unchanged then. */
ATTEST_API attest_status attest_dataset_set_homogeneous(attest_dataset *dataset,
                                                        attest_budget *budget,
                                                        attest_error *error) ATTEST_WARN_UNUSED;

/* A position of the dataset: token `position` of a sequence, both counted from 0. */
typedef struct attest_place {
    size_t sequence, position;
} attest_place;

/* The place of a position that is counted through all sequences. Domain: position <
 * dataset->total. */
ATTEST_API attest_place attest_place_get(const attest_dataset *dataset, size_t position);

#ifdef __cplusplus
}
#endif

#endif
