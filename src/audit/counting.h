/* counting.h -- what counting alone says of a collapse: with M values per entry no more than
 * M^dim classes of contexts can be told apart (proofs-notes/collapse.md). */
#ifndef ATTEST_AUDIT_COUNTING_H
#define ATTEST_AUDIT_COUNTING_H

#include <attest/flint.h>
#include <attest/format.h>

/* The finite values of a format, -0 and 0 being one. false: its exponents are unbounded. */
bool attest_counting_values(fmpz_t values, const attest_format *format);

/* The least number of bits per entry, whatever their code, that can tell so many classes apart:
 * the least b with 2^(b dim) >= classes. Domain: dim >= 1. */
size_t attest_counting_bits(size_t classes, size_t dim);

/* Whether values^dim < classes: some required pair collides, whatever the layer. */
bool attest_counting_collapses(const attest_format *format, size_t classes, size_t dim);

#endif
