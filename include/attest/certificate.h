/* certificate.h -- certificates: a verdict about files, in a form that others can verify.
 *
 * A certificate states of a dataset and weights, both identified by their hashes:
 *   - the least separation over all required pairs of Definition 2 lies in min_separation, and
 *     so does the separation of pair, which is a required pair (no pair: none is required);
 *   - the largest norm of an output lies in max_norm, as does that of the output at largest;
 *   - the verdict: "proved" (all separations > delta, and all norms < r if r is given),
 *     "refuted" (not so), or "undecided" (nothing beyond the enclosures).
 *   - the witness, if there is one: the order of Lemma F that it describes.
 * method and precision_bits record how it was found and claim nothing. doc/certificate.md
 * describes the file and how to verify it. */
#ifndef ATTEST_CERTIFICATE_H
#define ATTEST_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/export.h>
#include <attest/certify.h>
#include <attest/error.h>
#include <attest/flint.h>
#include <attest/input.h>
#include <attest/number.h>
#include <attest/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An input file: its role ("dataset", "weights"), path, SHA-256 in hex and size, and how it
 * was read: a dataset may be one tensor of a file, and have a coordinate 1 appended. */
typedef struct attest_certificate_input {
    char *role, *path;
    char sha256[65];
    bool has_size;
    size_t size;  /* of the file in bytes, if has_size */
    char *tensor; /* or NULL */
    bool homogeneous;
} attest_certificate_input;

typedef struct attest_certificate {
    attest_verdict verdict;
    char *method;
    long precision_bits;
    bool has_r;
    fmpq_t r, delta;
    bool has_pair;
    attest_place pair[2];
    arb_t min_separation; /* if has_pair */
    arb_t max_norm;       /* undecided: possibly indeterminate */
    attest_place largest; /* an output whose norm lies in max_norm */
    attest_certificate_witness witness;
    const char *display_error; /* why a decimal that the file displays contradicts the exact
                                  value, or NULL */
    size_t inputs;
    attest_certificate_input input[2];
} attest_certificate;

/* No claim and no inputs; clear frees everything. */
ATTEST_API void attest_certificate_init(attest_certificate *certificate);
ATTEST_API void attest_certificate_clear(attest_certificate *certificate);

/* certificate = the finding about the claim, copied, without inputs. Status: NOMEM. */
ATTEST_API attest_status attest_certificate_set(attest_certificate *certificate,
                                                const attest_claim *claim,
                                                const attest_finding *finding,
                                                attest_error *error) ATTEST_WARN_UNUSED;

/* Appends an open input, of at most two; the bytes that were parsed are hashed. Status: NOMEM.
 */
ATTEST_API attest_status
attest_certificate_add_open_input(attest_certificate *certificate, const char *role,
                                  attest_input *input, attest_error *error) ATTEST_WARN_UNUSED;

/* The same for the dataset: read as attest_dataset_read_input does and, if homogeneous,
 * attest_dataset_set_homogeneous after it. */
ATTEST_API attest_status attest_certificate_add_open_dataset(
    attest_certificate *certificate, attest_input *input, const char *tensor, bool homogeneous,
    attest_error *error) ATTEST_WARN_UNUSED;

/* The same for the file at path, which is read again: the caller ensures that it has not
 * changed since it was parsed. Status: also IO. */
ATTEST_API attest_status attest_certificate_add_dataset(attest_certificate *certificate,
                                                        const char *path, const char *tensor,
                                                        bool homogeneous,
                                                        attest_error *error) ATTEST_WARN_UNUSED;
ATTEST_API attest_status attest_certificate_add_input(attest_certificate *certificate,
                                                      const char *role, const char *path,
                                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Writes an attest/certificate file, whole or not at all. Status: IO, NOMEM. */
ATTEST_API attest_status attest_certificate_write(const attest_certificate *certificate,
                                                  const char *path,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Reads an attest/certificate file; path "-" is standard input. Status: FORMAT, IO, UNABLE,
 * NOMEM; on failure the certificate is as after init. */
ATTEST_API attest_status attest_certificate_read(attest_certificate *certificate,
                                                 const char *path, attest_budget *budget,
                                                 attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
