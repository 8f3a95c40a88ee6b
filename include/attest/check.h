/* check.h -- verifies a certificate by another route than the one that produced it. */
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

/* The options of a verification. */
typedef struct attest_check_options {
    const char *directory;    /* searched for inputs that have moved; NULL: none */
    long max_bits;            /* >= 2: the largest precision */
    size_t max_terms;         /* >= 1: the terms when exponential sums are multiplied out */
    double max_work;          /* >= 0: as in attest_claim */
    attest_budget *budget;    /* the memory for the inputs; NULL: no limit */
    attest_progress progress; /* of positions and contexts */
    size_t jobs; /* processes that evaluate and compare if there is much work; 0: one. The
                    verdict and its reason do not depend on it */
} attest_check_options;

/* No directory, ATTEST_CERTIFY_MAX_BITS, ATTEST_CERTIFY_MAX_TERMS, ATTEST_CERTIFY_MAX_WORK, no
 * budget, no progress, one process. */
ATTEST_API void attest_check_options_init(attest_check_options *options);

/* Verifies the certificate by code that attest_certify does not use: outputs are evaluated
 * at every position from the definition, classes come from sorting, near pairs from a grid
 * of cells or, if it applies, from Lemma F, and every comparison is exact, in balls, or by
 * the leading exponents of sums of exponentials. Inputs are opened under their paths or, if
 * there is no such file, in the directory. *holds = false if a hash, an enclosure, the pair or
 * the verdict is wrong; the error's text names it. Domain: r, delta >= 0; finite enclosures,
 * except max_norm if the verdict is undecided. Status: OK with *holds; DOMAIN; UNABLE if a
 * comparison stays open (the error's text names the limit that was met), or if nothing is
 * wrong and the certificate itself is undecided; FORMAT, IO, NOMEM for the inputs. Cost: one
 * evaluation per position, and one more for each that is near a bound; at worst a distance
 * in doubles for all pairs. */
ATTEST_API attest_status attest_check_run(bool *holds, const attest_certificate *certificate,
                                          const attest_check_options *options,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* The same with these options; the others have their defaults. */
ATTEST_API attest_status attest_check_certificate(bool *holds,
                                                  const attest_certificate *certificate,
                                                  const char *directory, long max_bits,
                                                  attest_budget *budget,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
