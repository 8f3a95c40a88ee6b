/* setting.h -- what a campaign asks of a property, in files. */
#ifndef ATTEST_CAMPAIGN_SETTING_H
#define ATTEST_CAMPAIGN_SETTING_H

#include "campaign/property.h"
#include "data/counterexample.h"
#include "io/json_write.h"

/* "mpfr", "binary32", "double"; NULL for ATTEST_ARITHMETIC_NONE. */
const char *attest_arithmetic_name(attest_arithmetic_kind kind);

/* kind = the arithmetic of this name. Status: USAGE. */
attest_status attest_arithmetic_parse(attest_arithmetic_kind *kind, const char *name,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* "RNDN", ...: as attest_rounding_parse reads it. */
const char *attest_setting_rounding_name(mpfr_rnd_t round);

/* Writes what is set as members of an object: without, number, bits, round. */
void attest_setting_write(attest_json *json, const attest_setting *setting);

/* The same as parameters of a counterexample. Status: NOMEM. */
attest_status attest_setting_add(attest_counterexample *file,
                                 const attest_setting *setting) ATTEST_WARN_UNUSED;

/* setting = that among the parameters of a counterexample, to whose memory it points. Status:
 * FORMAT. */
attest_status attest_setting_get(attest_setting *setting, const attest_counterexample *file,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Whether a parameter of this name belongs to the setting and is no number of the instance. */
bool attest_setting_owns(const char *parameter);

#endif
