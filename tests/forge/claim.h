/* claim.h -- a certificate to alter, and whether its claim is true. */
#ifndef ATTEST_TESTS_FORGE_CLAIM_H
#define ATTEST_TESTS_FORGE_CLAIM_H

#include <stdbool.h>

#include <attest/certificate.h>

#include "tests/ref/truth.h"

typedef enum forge_remark {
    FORGE_REMARK_RIGHT = 0,
    FORGE_REMARK_NONE, /* left out, which is allowed */
    FORGE_REMARK_LOG2, /* wrong */
    FORGE_REMARK_TEXT, /* wrong */
    FORGE_REMARKS
} forge_remark;

/* mid, rad, and what is written beside them for people. */
typedef struct forge_ball {
    arf_t mid, rad;
    forge_remark remark;
} forge_ball;

typedef struct forge_claim {
    attest_verdict verdict;
    const char *method;
    long precision_bits;
    bool has_r, has_pair, has_largest;
    fmpq_t r, delta;
    attest_place pair[2], largest;
    forge_ball separation, norm;
    long required_pairs; /* -1: not said */
    char sha256[2][65];  /* of dataset.json and weights.json */
    bool wrong_hash;
} forge_claim;

void forge_claim_init(forge_claim *claim);
void forge_claim_clear(forge_claim *claim);
void forge_claim_copy(forge_claim *copy, const forge_claim *claim);

/* claim = the certificate. False when it has a part that is not finite or beyond 2^+-20000,
 * where exact ends get large. */
bool forge_claim_set(forge_claim *claim, const attest_certificate *certificate);

/* Writes it to path; the inputs are dataset.json and weights.json. Returns false if this fails.
 */
bool forge_claim_write(const forge_claim *claim, const char *path);

typedef enum forge_judgement {
    FORGE_TRUE,   /* says nothing false: must not fail */
    FORGE_FALSE,  /* says more than is true: must not hold */
    FORGE_OPEN,   /* says nothing false, verdict undecided: must be undecided */
    FORGE_EITHER, /* true, but nothing that it names shows it; or wrong in an unknown key */
    FORGE_JUDGEMENTS
} forge_judgement;

/* Compares what is claimed with the truth. */
forge_judgement forge_claim_judge(const forge_claim *claim, const attest_dataset *dataset,
                                  const ref_truth *truth);

#endif
