/* input.h -- the files that a certificate names. */
#ifndef ATTEST_RECHECK_INPUT_H
#define ATTEST_RECHECK_INPUT_H

#include <attest/certificate.h>
#include <attest/dataset.h>
#include <attest/weights.h>

/* Opens the dataset, as it is named or in the folder (which may be NULL), holds it against its
 * size and hash, and parses these very bytes. *holds = false, with an error's text, if it is
 * not what was certified. Status: FORMAT (also for what is no regular file), IO, UNABLE,
 * NOMEM, USAGE. */
attest_status attest_check_read_dataset(attest_dataset *dataset, bool *holds,
                                        const attest_certificate *certificate,
                                        const char *folder, attest_budget *budget,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* The same for the weights. */
attest_status attest_check_read_weights(attest_weights *weights, bool *holds,
                                        const attest_certificate *certificate,
                                        const char *folder, attest_budget *budget,
                                        attest_error *error) ATTEST_WARN_UNUSED;

#endif
