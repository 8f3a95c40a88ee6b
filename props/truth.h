/* truth.h -- whether a certificate is true, decided from the outputs of the oracle alone.
 *
 * Shares no code with src/certify, which makes certificates, and src/recheck, which checks
 * them. For small data only. */
#ifndef ATTEST_PROPS_TRUTH_H
#define ATTEST_PROPS_TRUTH_H

#include <attest/certificate.h>

#include "props/brute.h"

typedef enum attest_truth_answer {
    ATTEST_TRUTH_FALSE = 0,
    ATTEST_TRUTH_TRUE,
    ATTEST_TRUTH_UNKNOWN /* balls do not decide it, or the certificate does not show it */
} attest_truth_answer;

/* A layer, data, and the comparison of all pairs. */
typedef struct attest_truth {
    attest_oracle oracle;
    attest_brute brute;
    fmpq *exact;  /* hardmax: total * dim outputs; else NULL */
    arb_ptr ball; /* softmax: the same */
} attest_truth;

/* dataset and weights must outlive it. Clear it in any case. Status: NOMEM. */
attest_status attest_truth_init(attest_truth *truth, const attest_dataset *dataset,
                                const attest_weights *weights) ATTEST_WARN_UNUSED;
void attest_truth_clear(attest_truth *truth);

/* square encloses |F_a - F_b|^2, or |F_a|^2 for b = a. */
void attest_truth_square(arb_t square, const attest_truth *truth, attest_place a,
                         attest_place b);

/* Returns whether the certificate is true in the sense of attest/certificate.h, apart from its
 * inputs. A refutation must be shown by its pair or by its largest output. */
attest_truth_answer attest_truth_check(const attest_truth *truth,
                                       const attest_certificate *certificate);

#endif
