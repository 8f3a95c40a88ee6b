/* filter.h -- the generator of the property filter. */
#ifndef ATTEST_PROPS_FILTER_H
#define ATTEST_PROPS_FILTER_H

#include "campaign/property.h"

/* A layer of doubles. Status: NOMEM. */
attest_status attest_filter_gen(attest_instance *instance, struct theft *t,
                                const attest_setting *setting) ATTEST_WARN_UNUSED;

#endif
