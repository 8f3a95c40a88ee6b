/* label.h -- which hard corners an instance is in, told from its values alone. */
#ifndef ATTEST_CAMPAIGN_LABEL_H
#define ATTEST_CAMPAIGN_LABEL_H

#include "campaign/property.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* "zero token", "repeated token", "unequal lengths", "one-token sequence", "collinear", "near
 * tokens" (at most 2^-30 of the larger one apart), "extreme scale" (an entry outside 10^+-12),
 * "long numbers" (more than 64 bits). Approximate where that is enough for a label. */
void attest_trial_label_dataset(attest_trial *trial, const attest_dataset *dataset);

/* Labels of instances that put little to the test; coverage says how many there may be. */
#define ATTEST_LABEL_ONE_TOKEN "one distinct token"
#define ATTEST_LABEL_DEAD "all heads dead"             /* each has W_V = 0 or W_O = 0 */
#define ATTEST_LABEL_ONE_CONTEXT "one context a token" /* no token stands in two contexts */

/* Those of them that apply, and what the two functions below say. Domain: the instance fits. */
void attest_trial_label_layer(attest_trial *trial, const attest_instance *instance);

/* "softmax" or "hardmax", "leftmost ties", "causal mask", "no skip", "several heads". */
void attest_trial_label_weights(attest_trial *trial, const attest_weights *weights);

/* Whether data and weights are there and belong together: what a property of attention can be
 * asked about. */
bool attest_instance_fits(const attest_instance *instance);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
