/* Shrinking a counterexample. */
#ifndef THEFT_SHRINK_H
#define THEFT_SHRINK_H

#include "internal.h"

/* The state of shrinking one counterexample. */
struct theft_shrink {
    struct theft *t;
    struct theft_slot *slot;       /* its input is the simplest counterexample so far */
    struct theft_duplicates tried; /* candidates of this counterexample */
    size_t count, successes, failures;
    size_t by_tactics;   /* successes of shrink callbacks */
    size_t in_a_row;     /* attempts on choices since the last success, */
    size_t max_in_a_row; /* and the number that ends shrinking */
    enum theft_step end; /* HALT: stop shrinking; ERROR, NO_MEMORY: end the run */

    /* An attempt on choices: the proposal, with argument i in [part[i], part[i + 1]), and the
     * candidate that was made of it: the arguments, and the choices that they used. */
    struct theft_choices proposal;
    size_t part[THEFT_MAX_ARITY + 1];
    struct theft_input candidate;
    bool fresh[THEFT_MAX_ARITY]; /* arguments of the candidate that are new */
    bool made;
};

/* Shrinks the input of the slot by all means that its types offer. */
enum theft_step theft_shrink(struct theft *t, struct theft_slot *slot);

/* ---- The choices of the current counterexample, for the passes -------------------------- */

static inline size_t theft_shrink_length(const struct theft_shrink *s)
{
    return s->slot->input.choices.count;
}

static inline struct theft_choice theft_shrink_get(const struct theft_shrink *s, size_t i)
{
    return s->slot->input.choices.at[i];
}

/* Starts a proposal, a copy of the current choices; returns false when shrinking is over. */
bool theft_shrink_propose(struct theft_shrink *s);
/* Deletes choices [at, at + count) of the proposal, which belong to one argument. */
void theft_shrink_cut(struct theft_shrink *s, size_t at, size_t count);
/* Returns the argument of position `at` of the current choices. */
unsigned theft_shrink_arg_of(const struct theft_shrink *s, size_t at);
/* Tries the proposal. If it is simpler and still fails, it becomes the current one, and the
 * result is true. */
bool theft_shrink_try(struct theft_shrink *s);
/* Sets choice `i` to `value` and tries that. */
bool theft_shrink_try_value(struct theft_shrink *s, size_t i, uint64_t value);
/* Returns how many choices the last attempt used; SIZE_MAX if no input could be made of it. */
static inline size_t theft_shrink_used(const struct theft_shrink *s)
{
    return s->made ? s->candidate.choices.count : SIZE_MAX;
}
/* Returns whether shrinking must stop. */
static inline bool theft_shrink_over(const struct theft_shrink *s)
{
    return s->end != THEFT_STEP_OK || s->in_a_row >= s->max_in_a_row;
}

/* Tries k = 1, 2, 4, ... and then bisects for the largest k <= most for which `attempt` (with
 * `data`) succeeds, and returns it. The result is a success even if attempts are not monotone.
 */
typedef bool theft_shrink_attempt(struct theft_shrink *s, uint64_t k, void *data);
uint64_t theft_shrink_extend(struct theft_shrink *s, uint64_t most,
                             theft_shrink_attempt *attempt, void *data);

/* shrink_passes.c: each tries one kind of simplification everywhere. */
void theft_pass_truncate(struct theft_shrink *s);
void theft_pass_delete(struct theft_shrink *s);
void theft_pass_lower_delete(struct theft_shrink *s);
void theft_pass_shift(struct theft_shrink *s);
void theft_pass_zero(struct theft_shrink *s);
void theft_pass_values(struct theft_shrink *s);
void theft_pass_equal(struct theft_shrink *s);
void theft_pass_together(struct theft_shrink *s);
void theft_pass_move(struct theft_shrink *s);
void theft_pass_raise(struct theft_shrink *s);
void theft_pass_reorder(struct theft_shrink *s);

#endif
