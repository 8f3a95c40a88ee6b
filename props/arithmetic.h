/* arithmetic.h -- attention in the arithmetic that a search runs against. */
#ifndef ATTEST_PROPS_ARITHMETIC_H
#define ATTEST_PROPS_ARITHMETIC_H

#include <attest/format.h>

#include "campaign/gen.h"
#include "campaign/property.h"

/* The format of the setting's numbers: p=bits without limits of the exponent, binary32 or
 * binary64. Domain: setting->number is not NONE. */
attest_format attest_props_arithmetic_format(const attest_setting *setting);

/* Whether x is a number of the format. */
bool attest_props_arithmetic_represents(const attest_format *format, const fmpq_t x);

/* Whether all entries of tokens and matrices are. A factored matrix: those of its factors. */
bool attest_props_arithmetic_represents_instance(const attest_format *format,
                                                 const attest_instance *instance);

/* out[(start_i + k) * dim + c]: the outputs of all sequences in this arithmetic, total * dim
 * numbers, initialised here. NULL: out of memory. */
mpfr_t *attest_props_arithmetic_outputs(const attest_instance *instance,
                                        const attest_setting *setting, attest_error *error);
void attest_props_arithmetic_free(mpfr_t *out, const attest_dataset *dataset);

/* x = a random number of the format, not 0: a small integer (up to most), one times a power of
 * two, or rarely a few units in the last place above 1. */
void attest_props_arithmetic_gen_number(fmpq_t x, struct theft *t, const attest_format *format,
                                        unsigned most);

/* Three to five distinct tokens of such numbers. Status: NOMEM. */
attest_status
attest_props_arithmetic_gen_tokens(attest_vocabulary *vocabulary, struct theft *t,
                                   const attest_format *format) ATTEST_WARN_UNUSED;

/* The searches of the properties contextual and separated against an arithmetic. */
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
