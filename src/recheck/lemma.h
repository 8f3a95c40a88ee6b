/* lemma.h -- claims about one softmax head of rank 1, verified by Lemma F.
 *
 * W_K = u v^T, W_V = m v^T, skip: the output at a token x in a context with values v.y is x
 * + w b, w = W_O m, b the mean of the values under the softmax of the scores alpha (v.y),
 * alpha = u^T W_Q x. Under the lemma's hypotheses b grows along an order of the contexts
 * that depends on x only through the sign of alpha, so that of the contexts of one token
 * neighbours are closest, and the lemma bounds each from below
 * (proofs-notes/first_difference.md). Everything here is integer arithmetic, except bounds
 * that exclude pairs. */
#ifndef ATTEST_RECHECK_LEMMA_H
#define ATTEST_RECHECK_LEMMA_H

#include "recheck/recheck.h"

/* Tokens are numbered as in the dataset, lists as sequences or, under a mask, as positions. */
typedef struct attest_recheck_lemma {
    const attest_recheck *check;
    fmpq *v, *a, *w;       /* dim; alpha = a.x */
    fmpz *value, *slope;   /* by token: v.x and a.x, */
    fmpz_t values, slopes; /* over these denominators */
    fmpz_t gap;            /* the least distance of values, over their denominator */
    uint32_t *rank;        /* by token: how many have a larger value */
    uint32_t *sorted;      /* the token of each rank */
    size_t lists;
    size_t *start;       /* lists + 1 */
    uint32_t *key;       /* ranks, ascending within a list */
    double *slope_above; /* by token: an upper bound of |alpha| */
    double *slope_log;   /* and of log |alpha| */
    double
        bracket_log; /* a lower bound of the logarithm of the bracket at a first difference */
    arb_t norm;      /* |w| */
    double norm_log; /* a lower bound of log |w| */
    slong shift;     /* |w| is about 2^shift; in doubles, so that none is lost to underflow: */
    double *square;  /* by token: |x|^2, */
    double *dot;     /* x.w / 2^shift, */
    double *near;    /* and v.x 2^shift */
    double norm_square; /* |w|^2 / 4^shift */
    bool starved;       /* memory was exhausted */
} attest_recheck_lemma;

/* Returns false, with nothing to clear, if the hypotheses do not hold, or if memory is
 * exhausted (then starved is set). */
bool attest_recheck_lemma_init(attest_recheck_lemma *lemma, const attest_recheck *check);
void attest_recheck_lemma_clear(attest_recheck_lemma *lemma);

/* Two contexts of one token that are neighbours. */
typedef struct attest_recheck_event {
    uint32_t token, before, after; /* lists */
    size_t common;                 /* how many of their largest scores are equal */
    int sign;                      /* of alpha */
} attest_recheck_event;

/* Calls visit for every event, until it returns false. False if memory is exhausted. */
bool attest_recheck_lemma_visit(const attest_recheck_lemma *lemma,
                                bool (*visit)(void *state, const attest_recheck_event *event),
                                void *state);

/* A lower bound, in doubles, of the logarithm of the separation of the event. */
double attest_recheck_lemma_log(const attest_recheck_lemma *lemma,
                                const attest_recheck_event *event);

/* Encloses the lemma's bound of the separation of the event. */
void attest_recheck_lemma_bound(arb_t bound, const attest_recheck_lemma *lemma,
                                const attest_recheck_event *event, long bits);

/* The least distance of two scores for this token as the query, over the whole vocabulary. */
void attest_recheck_lemma_gap(fmpq_t gap, const attest_recheck_lemma *lemma, size_t token);

/* bound = a lower bound of the distance of outputs of different tokens in any contexts; 0 if
 * none is known. False if memory is exhausted. */
bool attest_recheck_lemma_tokens(arf_t bound, const attest_recheck_lemma *lemma);

/* As attest_recheck_visit_near, but only for pairs that the lemma does not prove to be
 * farther apart than reach; of the contexts of one token only neighbours are visited.
 * *covers is false, and nothing is visited, if different tokens may be that near. */
attest_status attest_recheck_lemma_visit_near(bool *covers, const attest_recheck_lemma *lemma,
                                              const arf_t reach,
                                              bool (*visit)(void *state, size_t a, size_t b),
                                              void *state,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* Checks the witness, for every verdict; *what = NULL, or what is wrong with it. Status:
 * NOMEM. */
attest_status attest_recheck_lemma_witness(const char **what, const attest_recheck_lemma *lemma,
                                           const attest_certificate_witness *witness,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* An upper bound of the norm of the output at a position; infinite if doubles do not
 * suffice. */
double attest_recheck_lemma_norm(const attest_recheck_lemma *lemma, size_t position);

/* The position of the token in the list. */
size_t attest_recheck_lemma_place(const attest_recheck_lemma *lemma, uint32_t token,
                                  uint32_t list);

#endif
