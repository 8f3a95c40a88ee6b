/* sample.h -- which instances are asked every question: a share that is drawn from their
 * numbers, so that it does not matter when, where and beside what an instance is decided. */
#ifndef ATTEST_PROPS_SAMPLE_H
#define ATTEST_PROPS_SAMPLE_H

#include <stdint.h>

#include "campaign/property.h"

/* One of so many instances, and the label that tells how many they were. */
enum { ATTEST_SAMPLE_SHARE = 32 };
#define ATTEST_SAMPLE_LABEL "asked everything"

/* A number from the tokens, their places, the weights and the parameters: about as likely to
 * be one as another. */
uint64_t attest_sample_number(const attest_instance *instance);

/* Whether that is one of the share. */
static inline bool attest_sample_takes(uint64_t number)
{
    return number % ATTEST_SAMPLE_SHARE == 0;
}

/* Which of count things the others are asked. */
static inline size_t attest_sample_choose(uint64_t number, size_t count)
{
    return number / ATTEST_SAMPLE_SHARE % count;
}

#endif
