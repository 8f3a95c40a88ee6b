/* plan_read.h -- a plan from the text that attest_plan_format made of it. */
#ifndef ATTEST_CAMPAIGN_PLAN_READ_H
#define ATTEST_CAMPAIGN_PLAN_READ_H

#include "campaign/plan.h"

/* A plan and the memory that it points to. */
typedef struct attest_saved_plan {
    attest_plan plan;
    const attest_property **list;
    char *without;
} attest_saved_plan;

/* The property of this name, or NULL. */
typedef const attest_property *attest_property_finder(const char *name);

/* saved (uninitialised) = the plan in text[0..size), with one job and no limits of time and
 * memory; one that is limited by time has time 1. Status: FORMAT (also when this program would
 * write the plan differently: another version, another engine, other properties), UNABLE (the
 * budget, NULL: unlimited), NOMEM; then nothing is left to clear. */
attest_status attest_saved_plan_parse(attest_saved_plan *saved, const char *text, size_t size,
                                      attest_property_finder *find, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;
void attest_saved_plan_clear(attest_saved_plan *saved);

#endif
