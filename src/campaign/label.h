/* label.h -- labels: in which hard cases an instance is. */
#ifndef ATTEST_CAMPAIGN_LABEL_H
#define ATTEST_CAMPAIGN_LABEL_H

#include "campaign/property.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* Adds the labels that apply: "zero token", "repeated token", "unequal lengths", "one-token
 * sequence", "collinear", "near tokens" (at most 2^-30 of the larger one apart), "extreme
 * scale" (an entry outside 10^+-12), "long numbers" (more than 64 bits). Approximate where that
 * is enough for a label. */
void attest_trial_label_dataset(attest_trial *trial, const attest_dataset *dataset);

/* Labels of instances that test little; coverage bounds how many there may be. */
#define ATTEST_LABEL_ONE_TOKEN "one distinct token"
#define ATTEST_LABEL_DEAD "all heads dead"             /* each has W_V = 0 or W_O = 0 */
#define ATTEST_LABEL_ONE_CONTEXT "one context a token" /* no token occurs in two contexts */

/* Adds those of them that apply, and the labels of data and weights. Domain: the instance fits.
 */
void attest_trial_label_layer(attest_trial *trial, const attest_instance *instance);

/* Adds the labels that apply: "softmax" or "hardmax", "leftmost ties", "causal mask", "no
 * skip", "several heads". */
void attest_trial_label_weights(attest_trial *trial, const attest_weights *weights);

/* Returns whether the instance has data and weights of the same dimension, as properties of
 * attention need. */
bool attest_instance_fits(const attest_instance *instance);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

/* The coverage of layers of attention: each kind of trivial instance in less than one trial of
 * ten. */
extern const attest_coverage attest_coverage_layers[];

#endif
