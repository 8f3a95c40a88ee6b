/* sample.h -- the instances for which a property makes all of its checks: a sample that is
 * chosen by a hash of the instance, so that it does not depend on when or together with what it
 * is decided. */
#ifndef ATTEST_PROPS_SAMPLE_H
#define ATTEST_PROPS_SAMPLE_H

#include <stdint.h>

#include "campaign/property.h"

/* One of so many instances is in the sample; the label counts them. */
enum { ATTEST_SAMPLE_SHARE = 32 };
#define ATTEST_SAMPLE_LABEL "asked everything"

/* Returns a hash of tokens, positions, weights and parameters, uniform for random instances. */
uint64_t attest_sample_number(const attest_instance *instance);

/* Returns whether the instance is in the sample. */
static inline bool attest_sample_takes(uint64_t number)
{
    return number % ATTEST_SAMPLE_SHARE == 0;
}

/* Chooses the one of count checks that is made for an instance outside the sample. */
static inline size_t attest_sample_choose(uint64_t number, size_t count)
{
    return number / ATTEST_SAMPLE_SHARE % count;
}

#endif
