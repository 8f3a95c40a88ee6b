/* check.h -- verifying a certificate by another route than the one that produced it. */
#ifndef ATTEST_CHECK_H
#define ATTEST_CHECK_H

#include <stdbool.h>

#include <attest/certificate.h>
#include <attest/error.h>
#include <attest/export.h>
#include <attest/number.h>
#include <attest/progress.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a certificate is verified. */
typedef struct attest_check_options {
    const char *folder;       /* inputs that are not where they were are looked for beside it;
                                 NULL: nowhere else */
    long max_bits;            /* >= 2: where doubling the precision ends */
    size_t max_terms;         /* >= 1: of an exponential sum that is multiplied out */
    double max_work;          /* >= 0: as in attest_claim */
    attest_budget *budget;    /* bounds what the inputs take; NULL: unlimited */
    attest_progress progress; /* told about positions and contexts */
    size_t jobs; /* processes that evaluate and compare where there is much of it; 0: one. The
                    verdict and its reason do not depend on it */
} attest_check_options;

/* No folder, ATTEST_CERTIFY_MAX_BITS, ATTEST_CERTIFY_MAX_TERMS, ATTEST_CERTIFY_MAX_WORK, no
 * budget, nobody is told, one process. */
ATTEST_API void attest_check_options_init(attest_check_options *options);

/* Verifies the certificate, sharing nothing with attest_certify: outputs are evaluated at every
 * position from the definition, classes come from sorting, near pairs from a grid of cells or,
 * where it applies, from Lemma F, and every comparison is exact, in balls, or by the leading
 * exponents of sums of exponentials. Input paths are looked up as they stand and, where there
 * is no such file, beside the folder. *holds is false when a hash, an enclosure, the pair or
 * the verdict is wrong, and error says which. Domain: r, delta >= 0; finite figures, but for
 * max_norm where the verdict is undecided. Status: OK with *holds; DOMAIN; UNABLE when a
 * comparison stayed open, with the cap that was met in error, or nothing is wrong and the
 * certificate is undecided itself; FORMAT, IO, NOMEM for the inputs. Cost: one evaluation
 * per position, one more for each that is near a bound; at worst a distance in doubles for all
 * pairs. */
ATTEST_API attest_status attest_check_run(bool *holds, const attest_certificate *certificate,
                                          const attest_check_options *options,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* The same with the options that are usual, but for these. */
ATTEST_API attest_status attest_check_certificate(bool *holds,
                                                  const attest_certificate *certificate,
                                                  const char *folder, long max_bits,
                                                  attest_budget *budget,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
