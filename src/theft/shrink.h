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
    size_t in_a_row;     /* attempts on choices in vain since the last success, */
    size_t max_in_a_row; /* and at how many to stop */
    enum theft_step end; /* HALT: stop here, be content; ERROR, NO_MEMORY: end the run */

    /* An attempt on choices: the proposal, with argument i in [part[i], part[i + 1]), and what
     * became of it when it was made: arguments, and the choices that they used. */
    struct theft_choices proposal;
    size_t part[THEFT_MAX_ARITY + 1];
    struct theft_input candidate;
    bool fresh[THEFT_MAX_ARITY]; /* its arguments that are not those of the current input */
    bool made;
};

/* Shrinks the slot's input as far as its types know how to. */
enum theft_step theft_shrink(struct theft *t, struct theft_slot *slot);

/* shrink.c: shrinks argument i by its type's callback; true on progress. */
bool theft_shrink_tactics(struct theft_shrink *s, unsigned i);

/* shrink_choices.c: shrinks all autoshrinking arguments together; true on progress. */
bool theft_shrink_choices(struct theft_shrink *s);
/* Closes it: the property sees the result once more, so that its last call is the one that the
 * counterexample comes from, and the hooks hear that nothing is left to try. */
void theft_shrink_choices_done(struct theft_shrink *s);

/* shrink.c: the common part of an attempt. */
enum theft_step theft_shrink_hook_pre(struct theft_shrink *s, unsigned i, uint32_t tactic);
enum theft_step theft_shrink_hook_post(struct theft_shrink *s, unsigned i, uint32_t tactic,
                                       void *arg, enum theft_shrink_post_state state);
/* Calls the property on `args`, and the hook as often as it asks for repetitions. True when the
 * property still fails; s->end tells of errors. */
bool theft_shrink_still_fails(struct theft_shrink *s, unsigned i, uint32_t tactic, void **args);
/* Whether the property's answer for `in` is already known not to help. */
bool theft_shrink_known(struct theft_shrink *s, const struct theft_input *in);

/* ---- The choices of the current counterexample, for the passes -------------------------- */

static inline size_t theft_shrink_length(const struct theft_shrink *s)
{
    return s->slot->input.choices.count;
}

static inline struct theft_choice theft_shrink_get(const struct theft_shrink *s, size_t i)
{
    return s->slot->input.choices.at[i];
}

/* Starts a proposal: a copy of the current choices. False when shrinking is over. */
bool theft_shrink_propose(struct theft_shrink *s);
/* Deletes choices [at, at + count) of the proposal, which belong to one argument. */
void theft_shrink_cut(struct theft_shrink *s, size_t at, size_t count);
/* The argument that position `at` of the current choices belongs to. */
unsigned theft_shrink_arg_of(const struct theft_shrink *s, size_t at);
/* Tries the proposal. True when it is simpler and still fails: it is the current one now. */
bool theft_shrink_try(struct theft_shrink *s);
/* Sets choice `i` to `value` and tries that. */
bool theft_shrink_try_value(struct theft_shrink *s, size_t i, uint64_t value);
/* The choices that the last attempt used, or SIZE_MAX when nothing could be made of it. */
static inline size_t theft_shrink_used(const struct theft_shrink *s)
{
    return s->made ? s->candidate.choices.count : SIZE_MAX;
}
/* Shrinking is to stop. */
static inline bool theft_shrink_over(const struct theft_shrink *s)
{
    return s->end != THEFT_STEP_OK || s->in_a_row >= s->max_in_a_row;
}

/* Tries k = 1, 2, 4, ... and then bisects for the largest k <= most for which `attempt` (with
 * `data`) succeeds. It need not be monotone for the result to be a success. Returns that k. */
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
