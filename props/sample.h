/* sample.h -- the sample of instances for which a property makes all of its checks. A hash of
 * the instance decides, so that neither the time nor the batch of a trial matters. */
#ifndef ATTEST_PROPS_SAMPLE_H
#define ATTEST_PROPS_SAMPLE_H

#include <stdint.h>

#include "campaign/property.h"

/* One of ATTEST_SAMPLE_SHARE instances is in the sample; the label counts them. */
enum { ATTEST_SAMPLE_SHARE = 32 };
#define ATTEST_SAMPLE_LABEL "all checks"

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
