/* witness.h -- the violation that is stored with a property which looks for one. */
#ifndef ATTEST_CAMPAIGN_WITNESS_H
#define ATTEST_CAMPAIGN_WITNESS_H

#include "campaign/property.h"

/* *confirmed = whether the property has a witness that violates it still: its values are
 * decided as those of any counterexample file. Status: NOMEM. */
attest_status attest_witness_check(bool *confirmed, const attest_property *property,
                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
