/* filter.h -- decides Definition 2 for many small instances: by doubles with error bounds and,
 * where these do not suffice, by attest_certify.
 *
 *     attest_filter_init(&filter, &shape, &error);
 *     fmpq_set_si(filter.claim.delta, 1, 1000);            // the default is 0, and no r
 *     attest_filter_check(answer, &filter, instance, count, &error);
 *     attest_filter_clear(&filter);
 *
 * Verdicts are those of exact arithmetic (proofs-notes/filter.md). */
#ifndef ATTEST_FILTER_H
#define ATTEST_FILTER_H

#include <attest/export.h>
#include <attest/certify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shape of all instances of a call: a layer with these properties, whose heads have
 * matrices WQ, WK, WV of size x dim and WO of dim x size. */
typedef struct attest_filter_shape {
    attest_activation activation;
    attest_ties ties; /* of hardmax */
    attest_mask mask;
    bool skip;
    size_t dim, heads, size; /* >= 1 */
} attest_filter_shape;

/* A dataset and weights, taken exactly as the doubles they are. Nothing is copied. */
typedef struct attest_filter_instance {
    size_t sequences;     /* >= 1 */
    const size_t *length; /* of each sequence, >= 1 */
    const double *token;  /* one sequence after another, dim entries each; finite */
    const double *weight; /* per head WQ, WK, WV, WO, each row-major; finite */
} attest_filter_instance;

typedef struct attest_filter_answer {
    attest_verdict verdict;
    attest_claim_part part; /* the part that is refuted or undecided */
    /* Refuted: a required pair that is too close, not necessarily the closest; or in
     * place[0] an output whose norm is too large. */
    attest_place place[2];
    const char *method; /* "filter": doubles decided; else a method of attest_certify */
} attest_filter_answer;

struct attest_filter_work;

/* A claim about instances of a shape, and the memory to check it. */
typedef struct attest_filter {
    attest_filter_shape shape;
    /* The caller may set has_r, r, delta and max_bits before each check, and nothing else. */
    attest_claim claim;
    struct attest_filter_work *work;
} attest_filter;

/* delta = 0, no r. Clear it even after a failure. Status: USAGE (a size is 0 or their
 * product beyond 2^20), NOMEM. */
ATTEST_API attest_status attest_filter_init(attest_filter *filter,
                                            const attest_filter_shape *shape,
                                            attest_error *error) ATTEST_WARN_UNUSED;
ATTEST_API void attest_filter_clear(attest_filter *filter);

/* answer[i] = the verdict on instance[i], i < count. Status: FORMAT (an entry is not finite;
 * the text begins with "instance i"), DOMAIN (a bound of the claim is negative), UNABLE,
 * NOMEM; do not use the answers then. Cost: for instances that doubles decide, of up to 64
 * positions, about as many operations as evaluating them and taking all distances; no memory
 * is allocated for them. The others cost a call of attest_certify each. */
ATTEST_API attest_status attest_filter_check(attest_filter_answer *answer,
                                             attest_filter *filter,
                                             const attest_filter_instance *instance,
                                             size_t count,
                                             attest_error *error) ATTEST_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
