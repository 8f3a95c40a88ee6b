/* Types of the theft property-testing API, version 0.4.5.
 *
 * This is attest's own implementation of that interface: names, enum values, field order
 * and meaning agree with the published API, the text and the code are ours. Include
 * <theft.h>, which includes this file. */
#ifndef THEFT_TYPES_H
#define THEFT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* 0 leaves out the functions and built-in types that use floating point. */
#ifndef THEFT_USE_FLOATING_POINT
#define THEFT_USE_FLOATING_POINT 1
#endif

#define THEFT_DEF_TRIALS 100            /* trials of a run whose config has 0 */
#define THEFT_MAX_ARITY 7               /* arguments of a property, at most */
#define THEFT_DEF_MAX_COLUMNS 72        /* width of the line of trial results */
#define THEFT_DEF_EXIT_TIMEOUT_MSEC 100 /* between the timeout's signal and SIGKILL */
/* Bounds of `bloom_bits`. Duplicates are kept in an exact set: neither has an effect. */
#define THEFT_BLOOM_BITS_MIN 13
#define THEFT_BLOOM_BITS_MAX 33

/* A running property; opaque. */
struct theft;

typedef uint64_t theft_seed;
typedef uint64_t theft_hash;

/* State of an incremental hash: see theft_hash_init. */
struct theft_hasher {
    theft_hash accum;
};

/* How many trials of a run ended in which way. */
struct theft_run_report {
    size_t pass;
    size_t fail;
    size_t skip;
    size_t dup;
};

enum theft_trial_res {
    THEFT_TRIAL_PASS,  /* the property holds for these arguments */
    THEFT_TRIAL_FAIL,  /* it does not: a counterexample */
    THEFT_TRIAL_SKIP,  /* it does not apply to these arguments */
    THEFT_TRIAL_DUP,   /* these arguments were already tried (said by the engine only) */
    THEFT_TRIAL_ERROR, /* the run cannot go on */
};

enum theft_run_res {
    THEFT_RUN_PASS = 0,
    THEFT_RUN_FAIL = 1,
    THEFT_RUN_SKIP = 2, /* nothing failed, but nothing passed either */
    THEFT_RUN_ERROR = 3,
    THEFT_RUN_ERROR_MEMORY = -1,
    THEFT_RUN_ERROR_BAD_ARGS = -2,
};

enum theft_generate_res {
    THEFT_GENERATE_OK = 0,
    THEFT_GENERATE_SKIP = 1,
    THEFT_GENERATE_ERROR_ALLOC = -1,
    THEFT_GENERATE_ERROR_MEMORY = -2,
    THEFT_GENERATE_ERROR_BAD_ARGS = -3,
};

/* A property of N arguments. It returns PASS, FAIL, SKIP or ERROR. */
typedef enum theft_trial_res theft_propfun1(struct theft *t, void *arg1);
typedef enum theft_trial_res theft_propfun2(struct theft *t, void *arg1, void *arg2);
typedef enum theft_trial_res theft_propfun3(struct theft *t, void *arg1, void *arg2,
                                            void *arg3);
typedef enum theft_trial_res theft_propfun4(struct theft *t, void *arg1, void *arg2, void *arg3,
                                            void *arg4);
typedef enum theft_trial_res theft_propfun5(struct theft *t, void *arg1, void *arg2, void *arg3,
                                            void *arg4, void *arg5);
typedef enum theft_trial_res theft_propfun6(struct theft *t, void *arg1, void *arg2, void *arg3,
                                            void *arg4, void *arg5, void *arg6);
typedef enum theft_trial_res theft_propfun7(struct theft *t, void *arg1, void *arg2, void *arg3,
                                            void *arg4, void *arg5, void *arg6, void *arg7);

/* ---- Callbacks of a type ---------------------------------------------------------------- */

enum theft_alloc_res {
    THEFT_ALLOC_OK,
    THEFT_ALLOC_SKIP,  /* give this trial up */
    THEFT_ALLOC_ERROR, /* give the run up */
};

/* Makes an instance from random draws (theft_random_bits and its kin) and nothing else, so
 * that the same draws make the same instance. With autoshrink, draws of zero must make the
 * simplest instance, and smaller draws simpler ones. */
typedef enum theft_alloc_res theft_alloc_cb(struct theft *t, void *env, void **output);

typedef void theft_free_cb(void *instance, void *env);

/* Equal instances must have equal hashes; unequal ones with equal hashes count as duplicates.
 */
typedef theft_hash theft_hash_cb(const void *instance, void *env);

typedef void theft_print_cb(FILE *f, const void *instance, void *env);

enum theft_shrink_res {
    THEFT_SHRINK_OK,
    THEFT_SHRINK_DEAD_END,        /* nothing by this tactic: try the next */
    THEFT_SHRINK_NO_MORE_TACTICS, /* this argument is as simple as it gets */
    THEFT_SHRINK_ERROR,           /* give the run up */
};

/* Makes a simpler copy of `instance` by method number `tactic`. Tactics are tried from 0
 * upwards, and from 0 again after each success: put the big steps first. */
typedef enum theft_shrink_res theft_shrink_cb(struct theft *t, const void *instance,
                                              uint32_t tactic, void *env, void **output);

/* What a counterexample of an autoshrinking type prints. */
enum theft_autoshrink_print_mode {
    THEFT_AUTOSHRINK_PRINT_DEFAULT = 0x00,  /* `print` if there is one, else the requests */
    THEFT_AUTOSHRINK_PRINT_USER = 0x01,     /* the type's `print` */
    THEFT_AUTOSHRINK_PRINT_BIT_POOL = 0x02, /* the drawn bits, as bytes */
    THEFT_AUTOSHRINK_PRINT_REQUESTS = 0x04, /* every draw: its width and its value */
    THEFT_AUTOSHRINK_PRINT_ALL = 0x07,
};

struct theft_autoshrink_config {
    bool enable;
    size_t pool_size; /* bits of draws to make room for at first; 0: 4096. It grows. */
    enum theft_autoshrink_print_mode print_mode;
    /* Attempts in vain, in a row, that end shrinking; 0: 10000, and 50 for every draw. */
    size_t max_failed_shrinks;
};

/* How to make, free, hash, print and shrink the instances of a type. Only `alloc` is needed.
 * `shrink` and autoshrink exclude each other. */
struct theft_type_info {
    theft_alloc_cb *alloc;
    theft_free_cb *free;
    theft_hash_cb *hash;
    theft_print_cb *print;
    theft_shrink_cb *shrink;
    struct theft_autoshrink_config autoshrink_config;
    void *env; /* handed to the callbacks */
};

/* ---- Hooks ------------------------------------------------------------------------------ */
/* Any hook that returns its ERROR ends the run with THEFT_RUN_ERROR. HALT ends it early with
 * the result so far. */

enum theft_hook_run_pre_res {
    THEFT_HOOK_RUN_PRE_ERROR,
    THEFT_HOOK_RUN_PRE_CONTINUE,
};
struct theft_hook_run_pre_info {
    const char *prop_name;
    size_t total_trials;
    theft_seed run_seed;
};
/* Before the first trial. */
typedef enum theft_hook_run_pre_res
theft_hook_run_pre_cb(const struct theft_hook_run_pre_info *info, void *env);

enum theft_hook_run_post_res {
    THEFT_HOOK_RUN_POST_ERROR,
    THEFT_HOOK_RUN_POST_CONTINUE,
};
struct theft_hook_run_post_info {
    const char *prop_name;
    size_t total_trials;
    theft_seed run_seed;
    struct theft_run_report report;
};
/* After the last trial, unless the run ended in an error. */
typedef enum theft_hook_run_post_res
theft_hook_run_post_cb(const struct theft_hook_run_post_info *info, void *env);

enum theft_hook_gen_args_pre_res {
    THEFT_HOOK_GEN_ARGS_PRE_ERROR,
    THEFT_HOOK_GEN_ARGS_PRE_CONTINUE,
    THEFT_HOOK_GEN_ARGS_PRE_HALT,
};
struct theft_hook_gen_args_pre_info {
    const char *prop_name;
    size_t total_trials;
    size_t trial_id;
    size_t failures; /* of the trials before this one */
    theft_seed run_seed;
    theft_seed trial_seed;
    uint8_t arity;
};
/* Before the arguments of a trial are made. */
typedef enum theft_hook_gen_args_pre_res
theft_hook_gen_args_pre_cb(const struct theft_hook_gen_args_pre_info *info, void *env);

enum theft_hook_trial_pre_res {
    THEFT_HOOK_TRIAL_PRE_ERROR,
    THEFT_HOOK_TRIAL_PRE_CONTINUE,
    THEFT_HOOK_TRIAL_PRE_HALT,
};
struct theft_hook_trial_pre_info {
    const char *prop_name;
    size_t total_trials;
    size_t trial_id;
    size_t failures;
    theft_seed run_seed;
    theft_seed trial_seed;
    uint8_t arity;
    void **args;
};
/* Before the property is called on new arguments. */
typedef enum theft_hook_trial_pre_res
theft_hook_trial_pre_cb(const struct theft_hook_trial_pre_info *info, void *env);

enum theft_hook_fork_post_res {
    THEFT_HOOK_FORK_POST_ERROR,
    THEFT_HOOK_FORK_POST_CONTINUE,
};
struct theft_hook_fork_post_info {
    struct theft *t;
    const char *prop_name;
    size_t total_trials;
    size_t failures;
    theft_seed run_seed;
    uint8_t arity;
    void **args;
};
/* In the child, before the property: the place for setrlimit and the like. */
typedef enum theft_hook_fork_post_res
theft_hook_fork_post_cb(const struct theft_hook_fork_post_info *info, void *env);

enum theft_hook_trial_post_res {
    THEFT_HOOK_TRIAL_POST_ERROR,
    THEFT_HOOK_TRIAL_POST_CONTINUE,
    THEFT_HOOK_TRIAL_POST_REPEAT,      /* after a FAIL: run the same arguments again */
    THEFT_HOOK_TRIAL_POST_REPEAT_ONCE, /* the same, one time only */
};
struct theft_hook_trial_post_info {
    struct theft *t;
    const char *prop_name;
    size_t total_trials;
    size_t trial_id;
    size_t failures; /* including this trial's */
    theft_seed run_seed;
    theft_seed trial_seed;
    uint8_t arity;
    void **args;
    enum theft_trial_res result;
    bool repeat; /* this is the result of a repetition */
};
/* After a trial; after a failing one, with its shrunk arguments. */
typedef enum theft_hook_trial_post_res
theft_hook_trial_post_cb(const struct theft_hook_trial_post_info *info, void *env);

enum theft_hook_counterexample_res {
    THEFT_HOOK_COUNTEREXAMPLE_CONTINUE,
    THEFT_HOOK_COUNTEREXAMPLE_ERROR,
};
struct theft_hook_counterexample_info {
    struct theft *t;
    const char *prop_name;
    size_t total_trials;
    size_t trial_id;
    theft_seed trial_seed;
    uint8_t arity;
    struct theft_type_info **type_info;
    void **args;
};
/* When a counterexample has been shrunk. */
typedef enum theft_hook_counterexample_res
theft_hook_counterexample_cb(const struct theft_hook_counterexample_info *info, void *env);

enum theft_hook_shrink_pre_res {
    THEFT_HOOK_SHRINK_PRE_ERROR,
    THEFT_HOOK_SHRINK_PRE_CONTINUE,
    THEFT_HOOK_SHRINK_PRE_HALT, /* be content with what there is */
};
struct theft_hook_shrink_pre_info {
    const char *prop_name;
    size_t total_trials;
    size_t trial_id;
    size_t failures;
    theft_seed run_seed;
    theft_seed trial_seed;
    uint8_t arity;
    size_t shrink_count; /* attempts so far, and how they ended */
    size_t successful_shrinks;
    size_t failed_shrinks;
    uint8_t arg_index;
    void *arg;
    uint32_t tactic;
};
/* Before each attempt to shrink an argument. */
typedef enum theft_hook_shrink_pre_res
theft_hook_shrink_pre_cb(const struct theft_hook_shrink_pre_info *info, void *env);

enum theft_hook_shrink_post_res {
    THEFT_HOOK_SHRINK_POST_ERROR,
    THEFT_HOOK_SHRINK_POST_CONTINUE,
};
enum theft_shrink_post_state {
    THEFT_SHRINK_POST_SHRINK_FAILED,  /* no candidate came of it */
    THEFT_SHRINK_POST_SHRUNK,         /* `arg` is the candidate */
    THEFT_SHRINK_POST_DONE_SHRINKING, /* nothing is left to try; `arg` is final */
};
struct theft_hook_shrink_post_info {
    const char *prop_name;
    size_t total_trials;
    size_t trial_id;
    theft_seed run_seed;
    theft_seed trial_seed;
    uint8_t arity;
    size_t shrink_count;
    size_t successful_shrinks;
    size_t failed_shrinks;
    uint8_t arg_index;
    void *arg;
    uint32_t tactic;
    enum theft_shrink_post_state state;
};
/* After each attempt, before the property sees the candidate. */
typedef enum theft_hook_shrink_post_res
theft_hook_shrink_post_cb(const struct theft_hook_shrink_post_info *info, void *env);

enum theft_hook_shrink_trial_post_res {
    THEFT_HOOK_SHRINK_TRIAL_POST_ERROR,
    THEFT_HOOK_SHRINK_TRIAL_POST_CONTINUE,
    THEFT_HOOK_SHRINK_TRIAL_POST_REPEAT,
    THEFT_HOOK_SHRINK_TRIAL_POST_REPEAT_ONCE,
};
struct theft_hook_shrink_trial_post_info {
    const char *prop_name;
    size_t total_trials;
    size_t trial_id;
    size_t failures;
    theft_seed run_seed;
    theft_seed trial_seed;
    uint8_t arity;
    size_t shrink_count;
    size_t successful_shrinks;
    size_t failed_shrinks;
    uint8_t arg_index;
    void **args;
    uint32_t tactic;
    enum theft_trial_res result;
};
/* After the property was called on a candidate. */
typedef enum theft_hook_shrink_trial_post_res
theft_hook_shrink_trial_post_cb(const struct theft_hook_shrink_trial_post_info *info,
                                void *env);

/* ---- A run ------------------------------------------------------------------------------ */

struct theft_run_config {
    /* The property: the one whose number is the number of types given below. */
    theft_propfun1 *prop1;
    theft_propfun2 *prop2;
    theft_propfun3 *prop3;
    theft_propfun4 *prop4;
    theft_propfun5 *prop5;
    theft_propfun6 *prop6;
    theft_propfun7 *prop7;
    const struct theft_type_info *type_info[THEFT_MAX_ARITY]; /* ends at the first NULL */

    /* Everything from here on may be left zero. */
    const char *name;
    size_t always_seed_count; /* seeds of the first trials, */
    theft_seed *always_seeds; /* before any others */
    size_t trials;            /* 0: THEFT_DEF_TRIALS */
    theft_seed seed;          /* 0: a fixed seed, not the time */
    uint8_t bloom_bits;       /* no effect */

    struct {
        bool enable;         /* call the property in a child process */
        size_t timeout;      /* milliseconds; 0: none */
        int signal;          /* sent at the timeout; 0: SIGTERM */
        size_t exit_timeout; /* milliseconds from there to SIGKILL; 0: 100 */
    } fork;

    struct {
        theft_hook_run_pre_cb *run_pre;
        theft_hook_run_post_cb *run_post;
        theft_hook_gen_args_pre_cb *gen_args_pre;
        theft_hook_trial_pre_cb *trial_pre;
        theft_hook_fork_post_cb *fork_post;
        theft_hook_trial_post_cb *trial_post;
        theft_hook_counterexample_cb *counterexample;
        theft_hook_shrink_pre_cb *shrink_pre;
        theft_hook_shrink_post_cb *shrink_post;
        theft_hook_shrink_trial_post_cb *shrink_trial_post;
        void *env; /* handed to the hooks; theft_hook_get_env */
    } hooks;
};

#endif
