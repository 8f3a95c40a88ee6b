/* memorization.h -- the property of Corollaries 1 and 2: what is built maps tokens to labels.
 */
#ifndef ATTEST_PROPS_MEMORIZATION_H
#define ATTEST_PROPS_MEMORIZATION_H

#include "campaign/property.h"

/* Labelled data that meet the hypotheses but for the one that is dropped, and a mask. Where one
 * is dropped the data are of a kind on which no network can be right: consistent     labels
 * that know more than the context r-min          a zero token among others with equal means,
 * with different labels no-duplicates  repetitions (the conclusion stays true) */
attest_status attest_props_memorization_gen(attest_instance *instance, struct theft *t,
                                            const attest_setting *setting, bool positional);

/* Builds the network, proves its outputs, and compares them with those of another evaluation.
 */
attest_status attest_props_memorization_decide(attest_trial *trial,
                                               const attest_instance *instance,
                                               const attest_setting *setting, bool positional,
                                               attest_error *error);

#endif
