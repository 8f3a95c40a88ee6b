/* certificate.h -- certificates that are altered, for the property of that name. */
#ifndef ATTEST_PROPS_CERTIFICATE_H
#define ATTEST_PROPS_CERTIFICATE_H

#include "props/truth.h"

/* The number of alterations; number 0 changes nothing. */
enum { ATTEST_ALTERATIONS = 19 };

/* Alters a certificate, which is one of the layer: number which; choice picks places. Returns
 * what is done to it, or NULL where it does not apply. */
const char *attest_certificate_alter(attest_certificate *certificate, size_t which,
                                     size_t choice, const attest_truth *truth);

#endif
