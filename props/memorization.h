/* memorization.h -- the property of Corollaries 1 and 2: the constructed network maps tokens to
 * their labels. */
#ifndef ATTEST_PROPS_MEMORIZATION_H
#define ATTEST_PROPS_MEMORIZATION_H

#include "campaign/property.h"

/* Draws labelled data that meet the hypotheses except the dropped one, and a mask. If one is
 * dropped, no network can have all labels of the data:
 *
 *   consistent     labels that differ within one context
 *   r-min          a zero token among others with equal means, with different labels
 *   no-duplicates  repetitions (the conclusion still holds) */
attest_status attest_props_memorization_gen(attest_instance *instance, struct theft *t,
                                            const attest_setting *setting, bool positional);

/* Builds the network, proves its outputs, and compares them with another evaluation. */
attest_status attest_props_memorization_decide(attest_trial *trial,
                                               const attest_instance *instance,
                                               const attest_setting *setting, bool positional,
                                               attest_error *error);

#endif
