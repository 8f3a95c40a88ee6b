/* sequence.h -- one sequence of tokens as integers over a common denominator. */
#ifndef ATTEST_SEQUENCE_H
#define ATTEST_SEQUENCE_H

#include <stddef.h>

#include <attest/export.h>
#include <attest/flint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Token k is the vector (entry[k*dim + c] / denominator), c < dim; length tokens. */
typedef struct attest_sequence {
    size_t length;      /* n */
    size_t dim;         /* d */
    fmpz *entry;        /* length * dim numerators, token after token */
    fmpz_t denominator; /* > 0 */
} attest_sequence;

/* An empty sequence; clear frees everything. */
ATTEST_API void attest_sequence_init(attest_sequence *sequence);
ATTEST_API void attest_sequence_clear(attest_sequence *sequence);

/* Makes room for length tokens of dim entries, all 0/1. Earlier contents are lost.
 * Memory: FLINT's, see attest.h. */
ATTEST_API void attest_sequence_resize(attest_sequence *sequence, size_t length, size_t dim);

#ifdef __cplusplus
}
#endif

#endif
