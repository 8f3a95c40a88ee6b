/* input.h -- the files that a certificate names. */
#ifndef ATTEST_RECHECK_INPUT_H
#define ATTEST_RECHECK_INPUT_H

#include <attest/certificate.h>
#include <attest/dataset.h>
#include <attest/weights.h>

/* Opens dataset and weights, as they are named or in the folder (which may be NULL), holds them
 * against their sizes and hashes, parses these very bytes, and makes them fit (pairing.h).
 * *holds = false, with an error's text, if they are not what was certified. Status: FORMAT
 * (also for what is no regular file, and for dimensions that do not fit), IO, UNABLE, NOMEM,
 * USAGE. */
attest_status attest_check_read(attest_dataset *dataset, attest_weights *weights, bool *holds,
                                const attest_certificate *certificate, const char *folder,
                                attest_budget *budget, attest_error *error) ATTEST_WARN_UNUSED;

#endif
