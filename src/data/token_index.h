/* token_index.h -- hashing tokens and finding equal ones. */
#ifndef ATTEST_DATA_TOKEN_INDEX_H
#define ATTEST_DATA_TOKEN_INDEX_H

#include <string.h>

#include <attest/dataset.h>

#include "base/map.h"

/* An empty index. It draws a secret of its own when it outgrows its first slots: among so few
 * tokens collisions cost nothing, and asking the system for a secret costs more than they do.
 */
void attest_token_index_init(attest_token_index *index);
void attest_token_index_clear(attest_token_index *index);

/* Moves all entries, those of the tokens of the table, to slots slots. Status: NOMEM. */
attest_status attest_token_index_resize(attest_token_index *index, const attest_tokens *tokens,
                                        size_t slots) ATTEST_WARN_UNUSED;

/* The hash of dim doubles (finite, none of them -0), and of a rational token. Equal tokens have
 * equal hashes. */
uint64_t attest_token_index_hash_real(const attest_token_index *index, const double *value,
                                      size_t dim);
uint64_t attest_token_index_hash_rational(const attest_token_index *index,
                                          const fmpz *numerator, const fmpz_t denominator,
                                          size_t dim);

/* The index of the token in the table. A token that is not there is entered as token next,
 * which the caller must then put into the table. Domain: a free slot is left. */
size_t attest_token_index_find_real(attest_token_index *index, const attest_tokens *tokens,
                                    const double *value, uint64_t hash, size_t next);
size_t attest_token_index_find_rational(attest_token_index *index, const attest_tokens *tokens,
                                        const fmpz *numerator, const fmpz_t denominator,
                                        uint64_t hash, size_t next);

#endif
