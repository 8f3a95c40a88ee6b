/* gap_lemma.h -- the common part of the properties of Lemma F and of the sharp gap: the values
 * of boltz of two sets with a sufficient gap differ by at least a bound, in a known order. */
#ifndef ATTEST_PROPS_GAP_LEMMA_H
#define ATTEST_PROPS_GAP_LEMMA_H

#include "campaign/property.h"

typedef struct attest_gap_lemma {
    const char *name; /* of the statement */
    double threshold; /* the sufficient gap, rounded down to 7 digits */
    bool (*check)(const fmpq_t gap, size_t n); /* whether a gap is sufficient; n is ignored */
    attest_status (*bound)(arb_t value, arb_t log2, const arb_t gap, bool first_at_maximum,
                           const arb_t t, long bits, attest_error *error);
} attest_gap_lemma;

/* gen and decide of a property, for this lemma; hypotheses "gap" and "no-duplicates". */
attest_status attest_gap_lemma_gen(attest_instance *instance, struct theft *t,
                                   const attest_setting *setting,
                                   const attest_gap_lemma *lemma) ATTEST_WARN_UNUSED;
attest_status attest_gap_lemma_decide(attest_trial *trial, const attest_instance *instance,
                                      const attest_setting *setting,
                                      const attest_gap_lemma *lemma,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
