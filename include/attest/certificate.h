/* certificate.h -- what was decided about which files, in a form that others can verify.
 *
 * A certificate says of a dataset and of weights, both named by their hashes:
 *   - the least separation over all required pairs of Definition 2 lies in min_separation, and
 *     so does the separation of pair, which is a required pair (no pair: none is required);
 *   - the largest norm of an output lies in max_norm, as does that of the output at largest;
 *   - the verdict: "proved" (all separations > delta, and all norms < r if r is given),
 *     "refuted" (not so), or "undecided" (nothing beyond the enclosures).
 * method and precision_bits tell how it was found and claim nothing. */
#ifndef ATTEST_CERTIFICATE_H
#define ATTEST_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/certify.h>
#include <attest/error.h>
#include <attest/flint.h>
#include <attest/input.h>
#include <attest/number.h>
#include <attest/status.h>

/* An input file: its role ("dataset", "weights"), where it was, its SHA-256 in hex, its size,
 * and how it was read: a dataset may be one tensor of many, and get the coordinate 1. */
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
    const char *untrue;   /* what a file shows besides and is not so; NULL: nothing */
    size_t inputs;
    attest_certificate_input input[2];
} attest_certificate;

void attest_certificate_init(attest_certificate *certificate);
void attest_certificate_clear(attest_certificate *certificate);

/* certificate = what was found of the claim, without inputs. Status: NOMEM. */
attest_status attest_certificate_set(attest_certificate *certificate, const attest_claim *claim,
                                     const attest_finding *finding,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Appends an input that is open, at most two: its bytes are what is hashed, and what was
 * parsed. Status: NOMEM. */
attest_status attest_certificate_add_open_input(attest_certificate *certificate,
                                                const char *role, attest_input *input,
                                                attest_error *error) ATTEST_WARN_UNUSED;

/* The same for the dataset: read as attest_dataset_read_input does and, if homogeneous,
 * attest_dataset_set_homogeneous after it. */
attest_status attest_certificate_add_open_dataset(attest_certificate *certificate,
                                                  attest_input *input, const char *tensor,
                                                  bool homogeneous,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

/* The same for the files at path, which are read for it: the caller sees to it that they are
 * still what was parsed. Status: also IO. */
attest_status attest_certificate_add_dataset(attest_certificate *certificate, const char *path,
                                             const char *tensor, bool homogeneous,
                                             attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_certificate_add_input(attest_certificate *certificate, const char *role,
                                           const char *path,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* Writes an attest/certificate file, whole or not at all. Status: IO, NOMEM. */
attest_status attest_certificate_write(const attest_certificate *certificate, const char *path,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Reads one; path "-" is standard input. Status: FORMAT, IO, UNABLE, NOMEM; on failure the
 * certificate is as after init. */
attest_status attest_certificate_read(attest_certificate *certificate, const char *path,
                                      attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Verifies the certificate by another route than certify: outputs are evaluated at every
 * position from the definition, classes come from sorting, near pairs from a grid of cells, and
 * every comparison is exact or in balls whose precision doubles up to max_bits. Input paths are
 * looked up as they stand and, where there is no such file, beside folder (NULL: not). *holds
 * is false when a hash, an enclosure, the pair or the verdict is wrong, and error says which.
 * Domain: r, delta >= 0; finite figures, but for max_norm where the verdict is undecided.
 * Status: OK with *holds; DOMAIN; UNABLE when a comparison stayed open, or nothing is wrong and
 * the certificate is undecided itself; FORMAT, IO, NOMEM for the inputs. Cost: one evaluation
 * per position, one more for each that is near a bound; at worst a distance in doubles for all
 * pairs. */
attest_status attest_certificate_check(bool *holds, const attest_certificate *certificate,
                                       const char *folder, long max_bits, attest_budget *budget,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
