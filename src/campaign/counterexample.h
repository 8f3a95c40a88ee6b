/* counterexample.h -- settings and instances in files. */
#ifndef ATTEST_CAMPAIGN_COUNTEREXAMPLE_H
#define ATTEST_CAMPAIGN_COUNTEREXAMPLE_H

#include "campaign/property.h"
#include "data/counterexample.h"
#include "io/json_write.h"

/* Returns "mpfr", "binary32" or "double"; NULL for ATTEST_ARITHMETIC_NONE. */
const char *attest_arithmetic_name(attest_arithmetic_kind kind);

/* kind = the arithmetic of this name. Status: USAGE. */
attest_status attest_arithmetic_parse(attest_arithmetic_kind *kind, const char *name,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Returns "RNDN", ..., as attest_rounding_parse reads it. */
const char *attest_setting_rounding_name(mpfr_rnd_t round);

/* Writes the members without, number, bits and round of an object, those that are set. */
void attest_setting_write(attest_json *json, const attest_setting *setting);

/* setting = that among the parameters of a counterexample, whose memory it points to. Status:
 * FORMAT. */
attest_status attest_setting_get(attest_setting *setting, const attest_counterexample *file,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Returns whether a parameter of this name is part of the setting, not of the instance. */
bool attest_setting_owns(const char *parameter);

/* Where an instance comes from, and how it was decided. */
typedef struct attest_origin {
    const attest_property *property;
    const attest_setting *setting;
    const attest_trial *trial;
    uint64_t seed; /* of the trial */
    size_t shrink_steps;
} attest_origin;

/* Returns the text of an attest/counterexample file, with the setting among its parameters. The
 * caller frees it; NULL: out of memory. */
char *attest_instance_format(const attest_instance *instance, const attest_origin *origin);

#endif
