/* first_difference.h -- the step "first differences" of certify, and the data that its files
 * share.
 *
 * For one softmax head of rank 1 (rank_one.h) with skip, the outputs of one token in different
 * contexts differ by |w| |boltz(A) - boltz(B)| / |alpha|, A and B the scores. Under Lemma F's
 * hypotheses boltz is monotone in the order of attest_context_lists, so the least difference is
 * that of neighbours, and the lemma bounds each from below. Doubles with error bounds find the
 * few that may be least; those are evaluated at 128 bits, which suffices at any magnitude.
 * Outputs of different tokens differ along a direction orthogonal to w. Proofs:
 * proofs-notes/first_difference.md. */
#ifndef ATTEST_CERTIFY_FIRST_DIFFERENCE_H
#define ATTEST_CERTIFY_FIRST_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <attest/certify.h>
#include <attest/dataset.h>

#include "geometry/projection.h"
#include "theory/contextual.h"
#include "theory/rank_one.h"

/* The contexts of a dataset as descending lists in the order of boltz.
 *
 * Under Lemma F's hypotheses boltz is strictly monotone in this order: by the largest entry,
 * ascending; then by the others, lexicographically descending, a proper prefix being padded
 * with -infinity (the set that contains the first difference has the smaller value). So
 * neighbours in the order are neighbours in value. */
typedef struct attest_context_lists {
    const attest_dataset *dataset;
    bool causal; /* list = global position (it sees a prefix); else list = sequence */
    size_t count;
    size_t *start;    /* count + 1 offsets into key */
    uint32_t *key;    /* per list, descending */
    uint32_t *order;  /* the lists, sorted */
    uint32_t *common; /* by place in order: length of the common prefix with the one before */
    size_t repeats;   /* a list that has a key twice, or SIZE_MAX */
} attest_context_lists;

/* Sets the lists of keys rank[token]. Clear them even after a failure. Status: NOMEM, UNABLE
 * (the prefixes of a causal mask take too much memory). Cost: linear in the number of keys,
 * apart from sorting each list. */
attest_status attest_context_lists_init(attest_context_lists *lists,
                                        const attest_dataset *dataset, bool causal,
                                        const uint32_t *rank,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_context_lists_clear(attest_context_lists *lists);

/* Replaces every key by most - key, lists stay descending. */
void attest_context_lists_reverse(attest_context_lists *lists, uint32_t most);

/* Sets order and common. Status: NOMEM. */
attest_status attest_context_lists_sort(attest_context_lists *lists) ATTEST_WARN_UNUSED;

static inline size_t attest_context_length(const attest_context_lists *lists, size_t list)
{
    return lists->start[list + 1] - lists->start[list];
}

/* The sequence that a list belongs to. */
size_t attest_context_sequence(const attest_context_lists *lists, size_t list);

/* Returns NULL, or the reason why the method does not apply to these weights. */
const char *attest_first_difference_objection(const attest_weights *weights);

/* Decides the claim by Lemma F if its hypotheses hold and the enclosures suffice; otherwise
 * the finding is undecided and has the reason. Sets all of the finding except the method.
 * Domain: no objection; required_pairs and has_pair are set. Status: NOMEM. */
attest_status attest_first_difference_decide(attest_finding *finding, const attest_claim *claim,
                                             const attest_contexts *contexts,
                                             attest_error *error) ATTEST_WARN_UNUSED;

/* How many candidates are kept, and the precision of their enclosures. */
enum {
    ATTEST_FIRST_DIFFERENCE_EVENTS = 512,
    ATTEST_FIRST_DIFFERENCE_NORMS = 64,
    ATTEST_FIRST_DIFFERENCE_BITS = 128
};

/* A token as a query. */
typedef struct attest_first_difference_query {
    double alpha, alpha_error; /* |a.x| in units of K, see below */
    double mu, nu, shallow;    /* upper bounds of mu, nu, g q/(1+q) at a gap up to its own */
    double twice;              /* twice that gap */
    double slope;              /* a lower bound of 1 - 2q */
    double offset;             /* a lower bound of -log |a.x| */
    double at_maximum;         /* a lower bound of log(g - nu) */
    double norm;               /* an upper bound of |x| */
    double reach;              /* an upper bound of nu / |a.x|, in units of v.x */
    int8_t sign;               /* of a.x */
    uint32_t last;  /* the last place in the order where the token occurred, or NONE */
    uint32_t first; /* the first list that is equal to the list at that place */
} attest_first_difference_query;

#define ATTEST_FIRST_DIFFERENCE_NONE UINT32_MAX

/* Two contexts of one token that are neighbours, and a lower bound of the logarithm of the
 * difference of their outputs divided by |w|. */
typedef struct attest_first_difference_event {
    double bound;
    uint32_t token, before, after; /* lists */
} attest_first_difference_event;

/* A position and an upper bound of the norm of its output. */
typedef struct attest_first_difference_norm {
    double bound;
    uint32_t token, list;
} attest_first_difference_norm;

typedef struct attest_first_difference_scan {
    const attest_claim *claim;
    attest_rank_one head;
    attest_projection y; /* v.x, sorted */
    attest_projection a; /* a.x, unless it is parallel to v */
    double scale;        /* K: a.x times v.x in doubles becomes a score; within 2^-52 of it */
    double unit;         /* 2^exponent of y, exactly */
    arb_t norm_w;        /* |w| */
    double norm_w_above;
    attest_first_difference_query *query; /* per token */
    attest_context_lists lists;
    attest_first_difference_event
        event[ATTEST_FIRST_DIFFERENCE_EVENTS]; /* a heap, the largest bound on top */
    size_t events;
    double dropped_event; /* the least bound of an event that was not kept */
    attest_first_difference_norm
        norm[ATTEST_FIRST_DIFFERENCE_NORMS]; /* a heap, the least bound on top */
    size_t norms;
    double dropped_norm; /* the largest bound of a position that was not kept */
} attest_first_difference_scan;

/* Sets signs, gaps and constants of all queries, or writes to reason which hypothesis fails.
 * Status: NOMEM. */
attest_status attest_first_difference_set_queries(attest_first_difference_scan *scan,
                                                  char *reason, size_t size,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Visits all neighbours of all tokens; fills both heaps. Status: NOMEM. */
attest_status
attest_first_difference_scan_lists(attest_first_difference_scan *scan) ATTEST_WARN_UNUSED;

/* Encloses the average of v.y over the list under the softmax of token's scores. Status: NOMEM.
 */
attest_status attest_first_difference_mean(arb_t mean, const attest_first_difference_scan *scan,
                                           uint32_t token, uint32_t list,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* Encloses the difference of the outputs of the event's token. Status: UNABLE, NOMEM. */
attest_status attest_first_difference_separation(arb_t separation,
                                                 const attest_first_difference_scan *scan,
                                                 const attest_first_difference_event *event,
                                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the witness of an event: its contexts, where they differ, and the lemma's bound.
 * Status: NOMEM. */
attest_status attest_first_difference_witness(attest_certificate_witness *witness,
                                              const attest_first_difference_scan *scan,
                                              const attest_first_difference_event *event,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* Returns the first position of the token in the sequence of the list. */
attest_place attest_first_difference_place(const attest_first_difference_scan *scan,
                                           uint32_t token, uint32_t list);

/* bound = a lower bound of the distance of outputs of different tokens in any contexts,
 * rounded down; 0 if none is known. The least distance of tokens is computed only if the
 * direction orthogonal to w gives less than enough. Status: UNABLE, NOMEM. */
attest_status attest_first_difference_bound_tokens(arf_t bound,
                                                   const attest_first_difference_scan *scan,
                                                   const arf_t enough,
                                                   attest_error *error) ATTEST_WARN_UNUSED;

#endif
