/* coverage.h -- whether the instances of a campaign were of the kinds that they should be. */
#ifndef ATTEST_CAMPAIGN_COVERAGE_H
#define ATTEST_CAMPAIGN_COVERAGE_H

#include "campaign/property.h"
#include "campaign/chunk_result.h"

/* Fewer trials say nothing about shares. */
enum { ATTEST_COVERAGE_TRIALS = 400 };

/* What is asked of layers of attention: each kind of trivial instance in less than one trial of
 * ten. */
extern const attest_coverage attest_coverage_layers[];

/* Whether the shares of the labels are what the property's coverage asks for, or cannot be told
 * from it: a share misses its bound where it is beyond it by more than three standard
 * deviations, which happens by chance once in some thousand campaigns whose true share is the
 * bound itself. Where it does miss, reason says which and by how much. */
bool attest_coverage_check(char *reason, size_t size, const attest_property *property,
                           const attest_chunk_result *result);

#endif
