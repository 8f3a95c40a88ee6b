/* certify.h -- decides Definition 2: whether attention with these weights is a contextual
 * mapping. */
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

/* The first precision of balls, and the default of the largest. */
#define ATTEST_CERTIFY_BITS 128
#define ATTEST_CERTIFY_MAX_BITS (1L << 20)

/* The default of the number of terms of an exponential sum that is multiplied out. */
#define ATTEST_CERTIFY_MAX_TERMS ((size_t)1 << 22)

/* The default of the work of exact and ball evaluation, in operations on bits: an operation
 * on numbers of b bits counts b log2 b. It takes minutes. */
#define ATTEST_CERTIFY_MAX_WORK 1e13

/* The claim: |F(X)_k - F(X')_l| > delta for all required pairs and, if has_r, |F(X)_k| < r
 * for all positions. */
typedef struct attest_claim {
    const attest_dataset *dataset;
    const attest_weights *weights; /* of the same dimension as the dataset */
    bool has_r;
    fmpq_t r, delta;          /* >= 0 */
    const char *method;       /* "auto", or a name from attest_certify_method_name */
    long max_bits;            /* >= ATTEST_CERTIFY_BITS */
    size_t max_terms;         /* >= 1 */
    double max_work;          /* >= 0; INFINITY: no limit */
    attest_progress progress; /* of the evaluation of contexts, and of the search for pairs */
    /* Processes, all but one of them forked, that share the evaluation in doubles and the
     * search for the closest pair if there is much work; 0: one. The finding does not depend
     * on it. They share the data; each adds up to 16 MB of candidates. */
    size_t jobs;
} attest_claim;

/* No data, no r, delta = 0, method "auto", max_bits ATTEST_CERTIFY_MAX_BITS, max_terms
 * ATTEST_CERTIFY_MAX_TERMS, max_work ATTEST_CERTIFY_MAX_WORK, no progress, one process. The
 * caller keeps the dataset and the weights. */
ATTEST_API void attest_claim_init(attest_claim *claim);
ATTEST_API void attest_claim_clear(attest_claim *claim);

/* The part of a claim that fails, or is undecided. */
typedef enum attest_claim_part {
    ATTEST_CLAIM_NOTHING = 0,
    ATTEST_CLAIM_SEPARATION, /* the pair */
    ATTEST_CLAIM_NORM        /* the output at largest */
} attest_claim_part;

/* The witness of the method first-difference: the two contexts of one token that are
 * neighbours in the order of Lemma F and have the smallest bound, in that order; how many of
 * their largest scores are equal; the least distance of two scores for this token as the query;
 * and the lemma's bound of the separation of the two (proofs-notes/first_difference.md). */
typedef struct attest_certificate_witness {
    bool present;
    attest_place neighbours[2];
    int order;     /* 1: larger values of the direction have larger scores; -1: smaller ones */
    size_t common; /* scores that agree before the first difference */
    fmpq_t gap;
    arb_t bound; /* contains it */
} attest_certificate_witness;

/* init: no witness. Findings and certificates init and clear their own. */
ATTEST_API void attest_certificate_witness_init(attest_certificate_witness *witness);
ATTEST_API void attest_certificate_witness_clear(attest_certificate_witness *witness);

/* The result. The least separation over all required pairs lies in min_separation, and so
 * does that of pair; the largest norm of an output lies in max_norm, and so does that of the
 * output at largest. Numbers that an undecided claim leaves unknown are indeterminate (NaN),
 * and their places are meaningless. Of several pairs with equal separations, exactly
 * (hardmax) or up to 2^-60 of relative accuracy (softmax), the lexicographically first is
 * named. */
typedef struct attest_finding {
    attest_verdict verdict;
    attest_claim_part part; /* the part that is refuted or undecided */
    const char *method;     /* a name from attest_certify_method_name */
    long precision_bits;    /* the largest precision of a ball that was used; 0: none */
    bool has_pair;          /* there is a required pair */
    attest_place pair[2];   /* in lexicographic order */
    arb_t min_separation;
    attest_place largest;
    arb_t max_norm;
    fmpz_t required_pairs;
    /* The number of required pairs that doubles with error bounds, balls and exact
     * arithmetic compared with delta, and of the others; proofs-notes/filter.md defines the
     * counts. */
    fmpz_t by_filter, by_ball, by_exact, undecided_pairs;
    char reason[ATTEST_ERROR_SIZE]; /* the reason, if undecided */
    attest_certificate_witness witness;
} attest_finding;

/* Undecided, min_separation and max_norm indeterminate, all counts 0. A finding can be
 * used for several calls; then by_filter, by_ball, precision_bits and the witness may be those
 * of an earlier one. */
ATTEST_API void attest_finding_init(attest_finding *finding);
ATTEST_API void attest_finding_clear(attest_finding *finding);

/* Decides the claim. A verdict other than undecided is proved: for hardmax by exact rational
 * arithmetic; for softmax by balls, whose precision doubles up to max_bits, by the zero test
 * if a separation or a bound may be met exactly, and from leading exponents if the terms are
 * too far apart for balls. A claim stays undecided if it meets a limit, which the reason
 * names. With the method filter these decide only the pairs that doubles with error bounds
 * cannot exclude. Status: USAGE (unknown method, or one that does not apply to the weights;
 * max_bits or max_terms is too small), DOMAIN (dimensions; a negative bound; weights whose
 * norm, positions, softcap or residual must first be paired with the data, pairing.h), FORMAT
 * (shapes of the weights do not fit together), UNABLE (also if an evaluation would exceed
 * max_work, by an estimate that is made before it), NOMEM, IO (a worker died). Cost: one
 * evaluation per sequence, the closest pair of outputs, and an evaluation at higher precision
 * of the few sequences that belong to a candidate. */
ATTEST_API attest_status attest_certify(attest_finding *finding, const attest_claim *claim,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* The names of the methods, in the order in which "auto" tries them; NULL after the last. */
ATTEST_API const char *attest_certify_method_name(size_t i);

#ifdef __cplusplus
}
#endif

#endif
