/* instance_text.h -- an instance as the text of a counterexample file, and back. */
#ifndef ATTEST_CAMPAIGN_INSTANCE_TEXT_H
#define ATTEST_CAMPAIGN_INSTANCE_TEXT_H

#include "campaign/property.h"

/* Where an instance comes from, and what was found out about it. */
typedef struct attest_origin {
    const attest_property *property;
    const attest_setting *setting;
    const attest_trial *trial;
    uint64_t seed; /* of the trial */
    size_t shrink_steps;
} attest_origin;

/* The text of an attest/counterexample file, which holds the setting among its parameters
 * (without, number, bits, round). The caller frees it; NULL: out of memory. */
char *attest_instance_format(const attest_instance *instance, const attest_origin *origin);

#endif
