/* The state of the engine, and the functions that its files share. */
#ifndef THEFT_INTERNAL_H
#define THEFT_INTERNAL_H

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"
#include "theft_extensions.h"

#define THEFT_DEFAULT_SEED UINT64_C(0xa600d64b175eed)
#define THEFT_DEFAULT_POOL_BITS 4096
#define THEFT_DEFAULT_MAX_FAILED_SHRINKS 10000
#define THEFT_DEFAULT_MAX_FAILED_PER_CHOICE 50
#define THEFT_MAX_BATCH 16384

/* The result of one call of the property, with its labels and its target. It is in memory
 * shared with child processes, so it is plain data, and the parent checks everything in it. */
struct theft_outcome {
    uint64_t labels[THEFT_MAX_LABELS / 64]; /* one bit per label */
    double target;
    bool labels_dropped; /* the table was full */
    bool has_target;
    bool done; /* the property has returned */
    bool late; /* its child was stopped at the timeout */
    uint8_t result;
};

struct theft_shared {
    size_t label_count;
    char labels[THEFT_MAX_LABELS][THEFT_MAX_LABEL_BYTES];
    struct theft_outcome
        *noting; /* of the current call: theft_label and theft_target write there */
    struct theft_outcome outcome; /* of a single call */
    volatile size_t running;      /* of a batch: the slot whose property is running */
    struct theft_outcome batch[]; /* one for every slot */
};

/* 128-bit fingerprints of inputs. Absorbing a word is a bijection of the state for every word
 * and injective in the word, so inputs that are a single 64-bit hash or draw never collide; for
 * longer ones two different inputs agree with a probability of about 2^-128. */
struct theft_fingerprint {
    uint64_t a, b;
};

struct theft_fingerprint theft_fingerprint_init(void);
void theft_fingerprint_add(struct theft_fingerprint *f, uint64_t word);
/* Adds the values of choices: their ranges follow from them. */
void theft_fingerprint_add_choices(struct theft_fingerprint *f, const struct theft_choice *at,
                                   size_t count);

/* The set of inputs that were tried: exact, growing.
 *
 * It takes 16 bytes per slot (open addressing) and starts with 1024 slots. When 3/4 are taken
 * it grows, fourfold as long as many more inputs are expected, else twofold. At the end of a
 * run it has 21 to 43 bytes per input; before, up to 86, and a quarter to a half more while it
 * grows. At its limit, or without memory, it stops growing, and new inputs are not remembered:
 * repetitions may be missed, but reported duplicates are duplicates. */
#define THEFT_DUPLICATES_DEFAULT_LIMIT ((size_t)1 << 30)

/* All zero is an empty set, with the default limit. `limit` and `expected` may be set then. */
struct theft_duplicates {
    struct theft_fingerprint *slots;
    size_t capacity; /* of slots, a power of two */
    size_t count;
    size_t limit;    /* bytes; 0: the default */
    size_t expected; /* the approximate number of inputs; decides how it grows */
    bool full;       /* it cannot grow */
};

/* Returns whether `f` is in the set. */
bool theft_duplicates_has(const struct theft_duplicates *d, struct theft_fingerprint f);

/* Adds `f` to the set, if there is room; returns whether it was in the set. */
bool theft_duplicates_add(struct theft_duplicates *d, struct theft_fingerprint f);

void theft_duplicates_clear(struct theft_duplicates *d);

/* How a step of the run ended. */
enum theft_step {
    THEFT_STEP_OK,
    THEFT_STEP_HALT, /* a hook ended the run */
    THEFT_STEP_ERROR,
    THEFT_STEP_NO_MEMORY,
};

/* The arguments of a trial, and the choices from which those that autoshrink were made:
 * argument i has choices [start[i], start[i + 1]). */
struct theft_input {
    void *args[THEFT_MAX_ARITY];
    struct theft_choices choices;
    size_t start[THEFT_MAX_ARITY + 1];
};

enum theft_slot_state {
    THEFT_SLOT_READY,
    THEFT_SLOT_SKIPPED,   /* by an alloc callback */
    THEFT_SLOT_EMPTY,     /* its arguments have been freed */
    THEFT_SLOT_DUPLICATE, /* tried before */
};

/* A trial, from its arguments to its result. */
struct theft_slot {
    size_t id;
    theft_seed seed;
    enum theft_slot_state state;
    struct theft_input input;
    struct theft_fingerprint fingerprint;
    struct theft_outcome outcome; /* of the property's call */
    bool unconfirmed;             /* it failed in a batch, but not alone, */
    size_t together_from;         /* only after the trials from this one on (or SIZE_MAX) */
    size_t step_at;               /* guided search: the step that made its input */
    uint64_t step_by;
};

struct theft_search;

struct theft {
    struct theft_run_config cfg; /* with defaults filled in */
    struct theft_extension_config ext;
    uint8_t arity;
    bool deduplicate; /* every argument can be hashed */
    FILE *out;
    struct theft_print_trial_result_env print_env;

    struct theft_source source;
    struct theft_slot *slots; /* one batch; a single slot without batches */
    size_t slot_count;
    const struct theft_slot *current; /* the one whose hooks are called */
    const struct theft_input *shown;  /* has the choices of the arguments that hooks get */

    struct theft_duplicates tried;  /* inputs of trials */
    struct theft_duplicates failed; /* those of them that failed */
    struct theft_shared *shared;    /* labels and outcomes, shared with child processes */
    size_t shared_bytes;
    struct theft_search *search; /* guided search; NULL without */

    struct theft_run_report report;
    size_t label_counts[THEFT_MAX_LABELS];
    size_t labels_dropped;
    size_t property_calls;
    size_t unconfirmed;
    bool has_target;
    double best_target;
    size_t best_trial;
};

/* input.c */
/* Makes the arguments from the stream of `seed`. */
enum theft_alloc_res theft_input_generate(struct theft *t, struct theft_input *in,
                                          theft_seed seed);
/* Makes them from the choices of `from`; arguments without choices are made from the stream of
 * `seed`. */
enum theft_alloc_res theft_input_replay(struct theft *t, struct theft_input *in,
                                        const struct theft_input *from, theft_seed seed);
/* Makes argument `i` from the given choices, and appends those that were used to `record`. */
enum theft_alloc_res theft_input_replay_arg(struct theft *t, unsigned i,
                                            const struct theft_choice *from, size_t count,
                                            struct theft_choices *record, void **arg);
struct theft_fingerprint theft_input_fingerprint(const struct theft *t,
                                                 const struct theft_input *in);
void theft_input_free_args(struct theft *t, struct theft_input *in);
void theft_arg_free(struct theft *t, unsigned i, void *arg);

/* run.c: starts an outcome, to which labels and targets are written from now on. */
void theft_outcome_start(struct theft_shared *s, struct theft_outcome *o);

/* run.c: calls the property, in a child process if fork.enable is set. */
struct theft_outcome theft_call(struct theft *t, theft_seed seed, void **args);
/* Calls it in this process and writes the outcome. */
void theft_call_here(struct theft *t, theft_seed seed, void **args, struct theft_outcome *o);

/* child.c: calls the property in a new child process. */
struct theft_outcome theft_call_forked(struct theft *t, theft_seed seed, void **args);

/* child.c: sets the outcome of every ready slot among the first `count`. */
void theft_batch_call(struct theft *t, size_t count);

/* hooks.c: each calls a hook; the default of the API if it is not set. */
enum theft_step theft_hook_run_pre(struct theft *t);
enum theft_step theft_hook_run_post(struct theft *t);
enum theft_step theft_hook_gen_args_pre(struct theft *t, const struct theft_slot *slot);
enum theft_step theft_hook_trial_pre(struct theft *t, struct theft_slot *slot);
enum theft_step theft_hook_fork_post(struct theft *t, void **args);
enum theft_step theft_hook_counterexample(struct theft *t, struct theft_slot *slot);
enum theft_hook_trial_post_res theft_hook_trial_post(struct theft *t, struct theft_slot *slot,
                                                     enum theft_trial_res result, bool repeat);

/* hooks.c: prints an argument and its choices. */
void theft_print_arg(FILE *f, const struct theft_type_info *info, const void *arg,
                     const struct theft_choice *at, size_t count);

/* coverage.c: sets the verdicts; returns whether all requirements are shown to hold. */
bool theft_coverage_check(const struct theft *t, struct theft_coverage_result *results);

/* search.c */
struct theft_search *theft_search_new(void);
void theft_search_free(struct theft_search *s);
/* Makes the next input by changing the choices of a good one; returns false if there is none
 * yet, so that a random input is needed. */
bool theft_search_propose(struct theft *t, struct theft_slot *slot, enum theft_alloc_res *res);
void theft_search_observe(struct theft *t, const struct theft_slot *slot);

#endif
