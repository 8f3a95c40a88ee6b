/* memorize.h -- Corollary 1: one attention layer and one feed-forward layer that map every
 * token to its label.
 *
 * Attention of Theorem 2 tells the classes (vocabulary, token) apart; a projection p puts them
 * on a line; ramps, two ReLU units each, strictly inside the gaps between neighbours, add up
 * the differences of their labels, and d units cancel the skip. So the output is constant
 * around every class, and equal to its label. Proofs: proofs-notes/memorize.md, positional.md.
 */
#ifndef ATTEST_THEORY_MEMORIZE_H
#define ATTEST_THEORY_MEMORIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/progress.h>

#include "data/network.h"
#include "theory/contextual.h"
#include "theory/positional.h"
#include "theory/separated.h"
#include "theory/theorem2.h"

/* The strategies theorem and gap need about as many bits as the logarithm of their separation,
 * for every exponential. Above this many bits, or bits times exponentials, they are refused. */
#define ATTEST_MEMORIZE_MOST_BITS (1L << 20)
#define ATTEST_MEMORIZE_MOST_WORK (1L << 28)

/* Whether the outputs of a network are the labels of a dataset. */
typedef struct attest_label_finding {
    attest_verdict verdict;
    long precision_bits; /* the largest that was used */
    attest_place place;  /* refuted or undecided: the first position that is so */
    char reason[ATTEST_ERROR_SIZE];
} attest_label_finding;

/* Decides whether the network maps every token to its label, exactly. Proved: at every position
 * the enclosure of attention's output lies where no unit of the following layer changes its
 * state and that layer is constant, and the constant, an exact rational, is the label (its
 * entries beyond output_dim are 0). Refuted: at some position the output differs from the
 * label, by exact comparison of a constant or by an enclosure that does not contain the label.
 * Precision doubles from 128 bits up to max_bits; what is open then is undecided. dataset is
 * the input of the network, before its encoding. Status: USAGE (no labels), FORMAT (dimensions
 * do not fit), NOMEM, UNABLE, IO (a worker died). Cost: one evaluation of attention per
 * sequence, and a bisection per token, shared by jobs processes (0: one) where there are many.
 */
attest_status attest_memorize_check_labels(attest_label_finding *finding,
                                           const attest_network *network,
                                           const attest_dataset *dataset, long max_bits,
                                           const attest_progress *progress, size_t jobs,
                                           attest_error *error) ATTEST_WARN_UNUSED;

typedef struct attest_memorization {
    /* The parameters; set before building. */
    attest_strategy strategy;
    attest_mask mask;
    uint64_t seed;
    bool positional;  /* Corollary 2 */
    bool by_contexts; /* labels may depend on multiplicities, too: a class is a context */
    const long
        *projection; /* p, as many whole numbers as the network has entries; NULL: search */
    long max_bits;
    double max_work; /* limit on the work of separating the classes: attention/head_plan.h */
    attest_progress progress; /* reports contexts, and sequences that are proved */
    size_t jobs; /* processes that search and prove; 0: one. Nothing built depends on it */
    /* The results. */
    attest_network network;
    attest_positional encoding; /* if positional */
    size_t classes;             /* (vocabulary, token) */
    size_t contexts;            /* classes, told apart by multiplicities, too */
    size_t pieces;              /* runs of contexts of one class along p */
    size_t hidden_units;        /* 2 (pieces - 1) + d <= 2 n N + d */
    uint64_t parameters;        /* 4 (s + d) + d hidden_units: rank-1 factors and W_2 */
    uint64_t parameters_dense;  /* all entries of all matrices and biases */
    uint64_t paper_parameters;  /* 4 (s + d) + d (2 n N + d) */
    bool has_gap;               /* there are two pieces: */
    arb_t gap;                  /* a lower bound of the least gap, as an exact ball */
    fmpq_t steepest;            /* the largest |entry| of W_2 */
    long precision_bits;        /* of the balls that separate the classes */
    attest_label_finding proof; /* of the network, by attest_memorize_check_labels */
    /* Or why nothing was built: the hypothesis that fails, and the tokens. NULL: all hold. */
    const char *hypothesis;
    char explanation[256];
    size_t places;
    attest_place place[2];
} attest_memorization;

/* Strategy tuned, no mask, seed 1, max_bits ATTEST_MEMORIZE_MOST_BITS, any work. */
void attest_memorization_init(attest_memorization *memorization);
void attest_memorization_clear(attest_memorization *memorization);

/* Builds the network and decides whether it memorises the labels. A hypothesis that fails is a
 * result. Label vectors shorter than tokens are filled up with zeros, longer ones make the
 * network's dimension theirs. Error: the network is exact; proof is a verdict. Status: USAGE
 * (no labels), UNABLE (theorem, gap: beyond the limits above; no projection was found that
 * tells the classes apart within max_bits; more than max_work, by estimates made before),
 * NOMEM. Cost: O(sum of squares of lengths) exponentials at 128 bits, twice, and sorting. */
attest_status attest_memorization_build(attest_memorization *memorization,
                                        const attest_dataset *dataset,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* The precision at which balls start. */
enum { ATTEST_MEMORIZE_BITS = 128 };

/* The outputs of attention for all contexts, and their projections on p. */
typedef struct attest_memorize_points {
    const attest_dataset *dataset; /* encoded */
    const attest_weights *weights;
    const attest_contexts *contexts;
    bool by_contexts;
    size_t dim, count; /* count = contexts->count */
    arb_ptr z;         /* count * dim: what attention gives */
    fmpz *projection;  /* p, dim whole numbers */
    arb_ptr along;     /* count: p.z */
    uint32_t *order;   /* contexts in ascending order of p.z */
    size_t *border;    /* pieces - 1 places in the order at which a new piece begins */
    size_t pieces;
    long bits;                /* the largest precision used */
    attest_progress progress; /* reports contexts; init: none */
    size_t jobs;              /* processes that try projections; init: 0, one */
    double work_left;         /* attention/head_plan.h; init: any */
} attest_memorize_points;

/* Status: NOMEM. Always to be cleared. */
attest_status attest_memorize_points_init(attest_memorize_points *points,
                                          const attest_dataset *dataset,
                                          const attest_weights *weights,
                                          const attest_contexts *contexts, bool by_contexts,
                                          attest_error *error) ATTEST_WARN_UNUSED;
void attest_memorize_points_clear(attest_memorize_points *points);

/* The class of a context: contexts of one class have one label. */
static inline uint32_t attest_memorize_class(const attest_memorize_points *points,
                                             size_t context)
{
    return points->by_contexts ? (uint32_t)context : points->contexts->context[context].group;
}

/* Encloses z for all contexts. Status: UNABLE (work), NOMEM. */
attest_status attest_memorize_points_evaluate(attest_memorize_points *points, long bits,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the projection: of a few random ones with p.w != 0 the one whose least gap between
 * classes, in doubles, is largest in proportion to |p|. Nothing here is rigorous. w has dim
 * entries. Status: NOMEM. */
attest_status attest_memorize_points_choose(attest_memorize_points *points, const fmpq *w,
                                            uint64_t seed,
                                            attest_error *error) ATTEST_WARN_UNUSED;

/* Sorts the contexts along the projection and proves that points of different classes lie in
 * different pieces with gaps between them, raising the precision of those that overlap. *apart:
 * whether that succeeded within max_bits; else pair are two contexts that overlap. Status:
 * UNABLE (work), NOMEM. */
attest_status attest_memorize_points_separate(attest_memorize_points *points, bool *apart,
                                              size_t pair[2], long max_bits,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* The ends of the gap below piece j >= 1, exactly: all earlier points are <= low, all later
 * ones
 * >= high, and low < high once the points are separate. */
void attest_memorize_points_gap(arf_t low, arf_t high, const attest_memorize_points *points,
                                size_t j);

#endif
