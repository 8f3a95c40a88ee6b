/* cases.h -- random layers and sequences for tests. */
#ifndef ATTEST_TESTS_REF_CASES_H
#define ATTEST_TESTS_REF_CASES_H

#include <stdint.h>

#include <attest/attention.h>

typedef struct ref_shape {
    size_t heads, dim, size, length;
    unsigned bits;        /* numerators have up to this many bits */
    unsigned denominator; /* denominators are 1 .. this */
    bool factored;        /* about half of the matrices are u v^T */
} ref_shape;

typedef struct ref_case {
    attest_weights weights;
    attest_sequence sequence;
} ref_case;

/* A random case; tokens repeat and matrices vanish now and then. The caller sets activation,
 * ties, mask and skip. */
void ref_case_init(ref_case *test, const ref_shape *shape, uint64_t *state);
void ref_case_clear(ref_case *test);

/* x = a random integer of at most bits bits, of either sign; small ones are frequent. */
void ref_random_integer(fmpz_t x, unsigned bits, uint64_t *state);

#endif
