/* arithmetic.h -- the properties contextual and separated against the arithmetic of --number.
 */
#ifndef ATTEST_PROPS_ARITHMETIC_H
#define ATTEST_PROPS_ARITHMETIC_H

#include <attest/format.h>

#include "campaign/gen.h"
#include "campaign/property.h"

/* Returns the format of the setting: p=bits with unbounded exponents, binary32 or binary64.
 * Domain: setting->number is not NONE. */
attest_format attest_props_arithmetic_format(const attest_setting *setting);

/* Draws a number of the format, not 0: an integer up to most, such an integer times a power of
 * two, or rarely 1 plus a few units in the last place. */
void attest_props_arithmetic_gen_number(fmpq_t x, struct theft *t, const attest_format *format,
                                        unsigned most);

/* gen and decide of the properties contextual and separated for an arithmetic. Domain:
 * setting->number is not NONE. */
attest_status
attest_contextual_arithmetic_gen(attest_instance *instance, struct theft *t,
                                 const attest_setting *setting) ATTEST_WARN_UNUSED;
attest_status attest_contextual_arithmetic_decide(attest_trial *trial,
                                                  const attest_instance *instance,
                                                  const attest_setting *setting,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

attest_status attest_props_separated_gen(attest_instance *instance, struct theft *t,
                                         const attest_setting *setting) ATTEST_WARN_UNUSED;
attest_status attest_props_separated_decide(attest_trial *trial,
                                            const attest_instance *instance,
                                            const attest_setting *setting,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#endif
