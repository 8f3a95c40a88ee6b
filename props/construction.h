/* construction.h -- the property of Theorem 2 and of Remark 1, its masked form: what is built
 * keeps what it promises. */
#ifndef ATTEST_PROPS_CONSTRUCTION_H
#define ATTEST_PROPS_CONSTRUCTION_H

#include <attest/weights.h>

#include "campaign/property.h"

/* Data that meet the hypotheses but for the one that is dropped, and a strategy. Where one is
 * dropped the data are of a kind on which the promise can fail:
 *   r-min          a zero token among others with equal means: its scores are all 0
 *   eps            two tokens 2^-24000 apart
 *   no-duplicates  many copies of one token, which weigh the others down
 *   length         sequences of one token (the promise stays true) */
attest_status attest_props_construction_gen(attest_instance *instance, struct theft *t,
                                            const attest_setting *setting);

/* Builds the weights for this mask and certifies them: |outputs| < r, separation > delta. */
attest_status attest_props_construction_decide(attest_trial *trial,
                                               const attest_instance *instance,
                                               const attest_setting *setting, attest_mask mask,
                                               attest_error *error);

#endif
