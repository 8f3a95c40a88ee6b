/* Guided search: the state, and the changes it makes to a choice sequence. */
#ifndef THEFT_SEARCH_H
#define THEFT_SEARCH_H

#include "internal.h"

/* A step that may be worth taking again: choice `at` plus `by` (modulo 2^64). */
struct theft_search_step {
    size_t at;
    uint64_t by; /* 0: none */
};

/* How a round accepts a worse input: not at all, or less and less readily. */
enum theft_search_mode {
    THEFT_SEARCH_CLIMB,
    THEFT_SEARCH_ANNEAL,
};

struct theft_search {
    struct theft_input current, best, next; /* choices only */
    double current_value, best_value;
    bool has_current, has_best;

    enum theft_search_mode mode;
    size_t round;       /* rounds so far */
    size_t steps;       /* in this round */
    size_t stale;       /* since the last improvement in this round */
    double temperature; /* of an annealing round */
    double spread;      /* mean distance between values seen, a scale for temperatures */
    double last_value;
    size_t seen;

    struct theft_search_step made;  /* by the last proposal */
    struct theft_search_step again; /* by the last improvement, doubled */
};

/* search_moves.c: changes the choices of `in` at random; notes a step that could be repeated.
 */
void theft_search_move(struct theft_prng *g, struct theft_input *in, unsigned arity,
                       struct theft_search_step *made);
/* Adds `by` to a choice, stopping at the ends of its range. */
void theft_search_add(struct theft_choice *c, uint64_t by);

#endif
