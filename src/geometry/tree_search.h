/* tree_search.h -- a search over pairs of nodes of a tree, in several processes. */
#ifndef ATTEST_GEOMETRY_TREE_SEARCH_H
#define ATTEST_GEOMETRY_TREE_SEARCH_H

#include <stdatomic.h>
#include <sys/types.h>

#include "geometry/tree_near.h"

/* What the processes of a search tell each other. A bound that comes late only lets a pair be
 * looked at that could have been left out: what is found does not depend on it. */
typedef struct attest_tree_told {
    _Atomic uint64_t bound; /* the bits of a double that is not negative: they have its order */
    atomic_bool overflow;   /* there were too many pairs to keep */
    atomic_size_t pairs;    /* in the list that they share */
    _Atomic uint64_t done;  /* pairs of places that are behind them */
} attest_tree_told;

/* Two nodes to be met, or one with itself. */
typedef struct attest_tree_meeting {
    uint32_t a, b;
} attest_tree_meeting;

/* For the least upper bound and the pairs that it cannot exclude, or, with active, for the
 * points of such pairs. */
typedef struct attest_tree_search {
    const attest_tree *tree;
    size_t jobs;
    double bound;
    bool fixed;              /* the bound is known: it will not fall */
    attest_candidate *pair;  /* not active: the candidates so far, */
    size_t pairs, room;      /* and how many fit; more than half of room is an overflow */
    attest_candidate *given; /* several processes: those of all, room of them */
    attest_tree_near near;   /* where leaves meet by a matrix product */
    unsigned refused;        /* pairs of leaves in a row that projections did not settle */
    bool *active;            /* by point; shared */
    bool *node_active;       /* all points of the node are active */
    attest_tree_told *told;  /* shared */
    attest_tree_meeting *meeting;
    size_t meetings;
    pid_t parent;          /* the process that reports */
    uint64_t done, hinted; /* by this process, and when it said so last */
} attest_tree_search;

/* Tells all processes the bound to begin with. */
void attest_tree_search_begin(attest_tree_search *find);

/* Visits all pairs of places, one from each of two nodes, that may be what is searched. */
void attest_tree_search_meet(attest_tree_search *find, uint32_t a, uint32_t b);

/* Drops pairs that a smaller bound has excluded since. */
void attest_tree_search_sift(attest_tree_search *find);

/* The bound that all processes together know by now. */
double attest_tree_search_bound(const attest_tree_search *find);

#endif
