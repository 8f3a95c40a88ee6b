/* dataset.h -- sequences of exact rational tokens.
 *
 * Tokens are interned: the dataset holds a table of the distinct tokens, and a sequence is a
 * list of indices into it. Two tokens are equal iff their indices are, so vocabularies are sets
 * of small integers. */
#ifndef ATTEST_DATASET_H
#define ATTEST_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>
#include <attest/number.h>
#include <attest/sequence.h>

/* The distinct tokens. Token t is the vector of dim rationals
 *     numerator[t*dim + c] / denominator[t]      (rational table), or
 *     real[t*dim + c]                            (table of doubles, taken exactly).
 * Exactly one of the two representations is in use. */
typedef struct attest_tokens {
    size_t dim;
    size_t count;
    fmpz *numerator;   /* NULL for a table of doubles */
    fmpz *denominator; /* one per token, > 0, in lowest terms with the token's numerators */
    double *real;      /* NULL for a rational table */
} attest_tokens;

typedef struct attest_dataset {
    size_t dim;      /* d */
    size_t count;    /* N sequences */
    size_t total;    /* tokens in all sequences together */
    size_t longest;  /* n */
    size_t *start;   /* count + 1 offsets into token */
    uint32_t *token; /* total indices into tokens */
    attest_tokens tokens;
    size_t label_dim; /* 0: no labels */
    fmpq *label;      /* total * label_dim rationals, or NULL */
    char *name;       /* or NULL */
    char *comment;    /* or NULL */
} attest_dataset;

void attest_dataset_init(attest_dataset *dataset);
void attest_dataset_clear(attest_dataset *dataset);

/* Reads a dataset; the format follows from the contents. Path "-" is standard input.
 * Status: FORMAT, IO, UNABLE, NOMEM; the text begins with the path and says where in the file.
 * On failure the dataset is as after init. */
attest_status attest_dataset_read(attest_dataset *dataset, const char *path,
                                  attest_budget *budget,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Writes an attest/dataset file (JSON), whole or not at all. Status: IO, NOMEM. */
attest_status attest_dataset_write(const attest_dataset *dataset, const char *path,
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

/* Token t over its own denominator: numerator gets dim entries. Exact. */
void attest_tokens_get(fmpz *numerator, fmpz_t denominator, const attest_tokens *tokens,
                       size_t t);

/* value = entry c of token t. Exact. */
void attest_tokens_get_entry(fmpq_t value, const attest_tokens *tokens, size_t t, size_t c);

/* sequence = sequence i, over the least common denominator of its tokens. Exact.
 * Status: UNABLE (the common denominator would be too large for the budget; budget may be
 * NULL). */
attest_status attest_dataset_get_sequence(attest_sequence *sequence,
                                          const attest_dataset *dataset, size_t i,
                                          attest_budget *budget,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* Builds a dataset from sequences given one after another, interning their tokens. */
typedef struct attest_dataset_builder attest_dataset_builder;

#endif
