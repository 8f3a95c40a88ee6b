/* check.h -- verifying a certificate by another route than the one that produced it. */
#ifndef ATTEST_CHECK_H
#define ATTEST_CHECK_H

#include <stdbool.h>

#include <attest/certificate.h>
#include <attest/error.h>
#include <attest/export.h>
#include <attest/number.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Verifies the certificate, sharing nothing with attest_certify: outputs are evaluated at every
 * position from the definition, classes come from sorting, near pairs from a grid of cells or,
 * where it applies, from Lemma F, and every comparison is exact, in balls, or by the leading
 * exponents of sums of exponentials, in balls of up to max_bits. Input paths are
 * looked up as they stand and, where there is no such file, beside folder (NULL: not). *holds
 * is false when a hash, an enclosure, the pair or the verdict is wrong, and error says which.
 * Domain: max_bits >= 2; r, delta >= 0; finite figures, but for max_norm where the verdict is
 * undecided. budget bounds what the inputs take; NULL is unlimited.
 * Status: OK with *holds; DOMAIN; UNABLE when a comparison stayed open, or nothing is wrong and
 * the certificate is undecided itself; FORMAT, IO, NOMEM for the inputs. Cost: one evaluation
 * per position, one more for each that is near a bound; at worst a distance in doubles for all
 * pairs. */
ATTEST_API attest_status attest_check_certificate(bool *holds,
                                                  const attest_certificate *certificate,
                                                  const char *folder, long max_bits,
                                                  attest_budget *budget,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
