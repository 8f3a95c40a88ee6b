/* certify.h -- deciding Definition 2: is attention with these weights a contextual mapping? */
#ifndef ATTEST_CERTIFY_H
#define ATTEST_CERTIFY_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/export.h>
#include <attest/progress.h>
#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/weights.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The precision at which balls start, and where doubling ends unless the caller says more. */
#define ATTEST_CERTIFY_BITS 128
#define ATTEST_CERTIFY_MAX_BITS (1L << 20)

/* How many terms an exponential sum may have that is multiplied out, unless the caller says
 * more. */
#define ATTEST_CERTIFY_MAX_TERMS ((size_t)1 << 22)

/* How many operations on bits exact and ball evaluation may take, unless the caller says more:
 * an operation on numbers of b bits counts b log2 b. Minutes. */
#define ATTEST_CERTIFY_MAX_WORK 1e13

/* What is claimed: |F(X)_k - F(X')_l| > delta for all required pairs and, if has_r,
 * |F(X)_k| < r for all positions. */
typedef struct attest_claim {
    const attest_dataset *dataset;
    const attest_weights *weights; /* of the same dimension as the dataset */
    bool has_r;
    fmpq_t r, delta;    /* >= 0 */
    const char *method; /* "auto", or a name from attest_certify_method_name */
    long max_bits;
    size_t max_terms;         /* >= 1 */
    double max_work;          /* >= 0; INFINITY: no limit */
    attest_progress progress; /* told about contexts that were evaluated, and blocks of pairs */
    /* Processes, of which all but one are forked, that share the evaluation in doubles and the
     * search for the closest pair where there is much of either; 0: one. What is found does not
     * depend on it. They share the data; each adds up to 16 MB of candidates. */
    size_t jobs;
} attest_claim;

/* No data, no r, delta = 0, method "auto", max_bits ATTEST_CERTIFY_MAX_BITS, max_terms
 * ATTEST_CERTIFY_MAX_TERMS, max_work ATTEST_CERTIFY_MAX_WORK, nobody is told about progress,
 * one process. The dataset and the weights stay the caller's. */
ATTEST_API void attest_claim_init(attest_claim *claim);
ATTEST_API void attest_claim_clear(attest_claim *claim);

/* Which part of a claim fails, or could not be decided. */
typedef enum attest_claim_part {
    ATTEST_CLAIM_NOTHING = 0,
    ATTEST_CLAIM_SEPARATION, /* the pair */
    ATTEST_CLAIM_NORM        /* the output at largest */
} attest_claim_part;

/* Why Lemma F proves what it does, where the method is first-difference: the two contexts of
 * one token that are neighbours in the order of the lemma and of which it promises least, in
 * that order, how many of their largest scores agree, the least distance of scores that this
 * token gives to any two tokens, and the lemma's bound on the separation of the two
 * (proofs-notes/first_difference.md). */
typedef struct attest_certificate_witness {
    bool present;
    attest_place neighbours[2];
    int order;     /* 1: larger values of the direction score more; -1: smaller ones */
    size_t common; /* scores that agree before the first difference */
    fmpq_t gap;
    arb_t bound; /* contains it */
} attest_certificate_witness;

/* None present; clear gives everything back. Findings and certificates do it for theirs. */
ATTEST_API void attest_certificate_witness_init(attest_certificate_witness *witness);
ATTEST_API void attest_certificate_witness_clear(attest_certificate_witness *witness);

/* What was found. The least separation over all required pairs lies in min_separation, and so
 * does that of pair; the largest norm of an output lies in max_norm, and so does that of the
 * output at largest. What an undecided claim leaves unknown is indeterminate (NaN), and its
 * place says nothing. Of several pairs whose order exact arithmetic (hardmax) or 2^-60 of
 * relative accuracy (softmax) does not tell apart, the lexicographically first is named. */
typedef struct attest_finding {
    attest_verdict verdict;
    attest_claim_part part; /* refuted or undecided: what is */
    const char *method;     /* a name from the table */
    long precision_bits;    /* the largest precision of a ball that was used; 0: none */
    bool has_pair;          /* there is a required pair */
    attest_place pair[2];   /* in lexicographic order */
    arb_t min_separation;
    attest_place largest;
    arb_t max_norm;
    fmpz_t required_pairs;
    /* How many required pairs doubles with error bounds, balls and exact arithmetic compared
     * with delta, and how many none of them; proofs-notes/filter.md says how they are counted.
     */
    fmpz_t by_filter, by_ball, by_exact, undecided_pairs;
    char reason[ATTEST_ERROR_SIZE]; /* undecided: why */
    attest_certificate_witness witness;
} attest_finding;

/* Undecided, all numbers 0; a finding may serve several calls. */
ATTEST_API void attest_finding_init(attest_finding *finding);
ATTEST_API void attest_finding_clear(attest_finding *finding);

/* Decides the claim. A verdict other than undecided is proved: by exact rational arithmetic for
 * hardmax; for softmax by balls, whose precision doubles up to max_bits, by the zero test where
 * a separation or a bound seems to be met exactly, and from leading exponents where the terms
 * are too far apart for balls. What stays undecided has met max_bits or max_terms, and the
 * reason names which. The method filter leaves to them only what doubles with error bounds
 * cannot exclude. Status: USAGE (unknown method, or one that does not apply to the weights),
 * DOMAIN (dimensions), UNABLE (also where outputs would take more than max_work, by an
 * estimate that is made before each evaluation), NOMEM, IO (a worker died). Cost: one
 * evaluation per sequence, the closest pair of outputs, and an evaluation at higher precision
 * of those few sequences that have a part in a candidate. */
ATTEST_API attest_status attest_certify(attest_finding *finding, const attest_claim *claim,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* The names of the methods, in the order in which "auto" tries them; NULL behind the last. */
ATTEST_API const char *attest_certify_method_name(size_t i);

#ifdef __cplusplus
}
#endif

#endif
