/* instance.h -- small datasets and layers of hostile magnitudes. */
#ifndef ATTEST_TESTS_FORGE_INSTANCE_H
#define ATTEST_TESTS_FORGE_INSTANCE_H

#include <stdint.h>

#include <attest/dataset.h>
#include <attest/weights.h>

typedef struct forge_instance {
    attest_dataset dataset;
    attest_weights weights;
} forge_instance;

/* Up to 3 sequences of up to 3 tokens (4 under hardmax) from a pool of 3, so that tokens repeat
 * within and between them; d <= 2, up to 2 heads (3 under hardmax), of which the second may
 * cancel the first. Entries go from 1e-300 to 1e300, and tokens may differ by as little as
 * 1e-300 of their size; a third of the heads bring scores back to ordinary sizes,
 * and a third to 1e40 ... 1e240. */
void forge_instance_init(forge_instance *instance, uint64_t *state);
void forge_instance_clear(forge_instance *instance);

/* 0 <= result < n. */
long forge_below(uint64_t *state, long n);

/* x = m 10^e. */
void forge_decimal(fmpq_t x, long m, long e);

#endif
