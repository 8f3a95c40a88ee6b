/* construction.h -- the property of Theorem 2 and of Remark 1, its masked form: constructed
 * weights have the promised bounds. */
#ifndef ATTEST_PROPS_CONSTRUCTION_H
#define ATTEST_PROPS_CONSTRUCTION_H

#include <attest/weights.h>

#include "campaign/property.h"

/* Draws data that meet the hypotheses except the dropped one, and a strategy. If one is
 * dropped, the data are such that the bounds can fail: r-min          a zero token among others
 * with equal means: its scores are all 0 eps            two tokens 2^-24000 apart no-duplicates
 * many copies of one token, which outweigh the others length         sequences of one token
 * (the bounds still hold) */
attest_status attest_props_construction_gen(attest_instance *instance, struct theft *t,
                                            const attest_setting *setting);

/* Builds the weights for this mask and certifies them: |outputs| < r, separation > delta. */
attest_status attest_props_construction_decide(attest_trial *trial,
                                               const attest_instance *instance,
                                               const attest_setting *setting, attest_mask mask,
                                               attest_error *error);

#endif
