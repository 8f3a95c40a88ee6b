/* The theft property-testing API, version 0.4.5, as implemented by attest. doc/theft.md
 * explains its use and where this implementation differs from the original. */
#ifndef THEFT_H
#define THEFT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THEFT_VERSION_MAJOR 0
#define THEFT_VERSION_MINOR 4
#define THEFT_VERSION_PATCH 5

#include "theft_types.h"

#if defined __GNUC__
#pragma GCC visibility push(default) /* all that follows is what the library exports */
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Runs the trials that `cfg` describes.
 * Domain: at least one type; the propN of that number set; every type has `alloc` and not both
 *         `shrink` and autoshrink; otherwise THEFT_RUN_ERROR_BAD_ARGS.
 * Status: FAIL when a trial failed, else PASS when one passed, else SKIP; ERROR when a callback
 *         or hook returned an error; ERROR_MEMORY.
 * The same configuration gives the same run: the seed of trial k depends on the run's seed and
 * on k alone, and that of trial 0 is the run's seed. */
enum theft_run_res theft_run(const struct theft_run_config *cfg);

/* Makes the instance that `seed` stands for (the first argument of a trial with that seed),
 * prints the seed and the instance to `f`, and frees it. */
enum theft_generate_res theft_generate(FILE *f, theft_seed seed,
                                       const struct theft_type_info *info, void *hook_env);

/* ---- Random draws ----------------------------------------------------------------------- */

/* 64 bits. Old: ask for the bits that are needed with theft_random_bits. */
uint64_t theft_random(struct theft *t);

/* The next `bits` <= 64 bits of the stream, the first of them least significant. More than 64
 * aborts the program. Draws of any widths cut the same stream into slices. */
uint64_t theft_random_bits(struct theft *t, uint8_t bits);

/* The same for any number of bits: fills ceil(bits / 64) words of `buf`, unused bits zero. */
void theft_random_bits_bulk(struct theft *t, uint32_t bits, uint64_t *buf);

#if THEFT_USE_FLOATING_POINT
/* A multiple of 2^-53 in [0, 1). */
double theft_random_double(struct theft *t);

/* An integer in [0, ceil), within 2^-16 of uniform in relative terms (exactly uniform where
 * `ceil` is a power of two); 0 where ceil <= 1. */
uint64_t theft_random_choice(struct theft *t, uint64_t ceil);
#endif

/* ---- Hashing: 64-bit FNV-1a ---------------------------------------------------------------
 */

theft_hash theft_hash_onepass(const uint8_t *data, size_t bytes);
void theft_hash_init(struct theft_hasher *h);
void theft_hash_sink(struct theft_hasher *h, const uint8_t *data, size_t bytes);
/* The hash of what was sunk; leaves the hasher as theft_hash_init does. */
theft_hash theft_hash_done(struct theft_hasher *h);

/* ---- Reports and ready-made hooks ---------------------------------------------------------
 */

/* State of the line of trial results. Zero it; set max_column for another width. */
#define THEFT_PRINT_TRIAL_RESULT_ENV_TAG 0xe7a6
struct theft_print_trial_result_env {
    uint16_t tag; /* set once the rest has been initialised */
    const uint8_t max_column;
    uint8_t column;
    size_t scale_pass; /* results that one character stands for */
    size_t scale_skip;
    size_t scale_dup;
    size_t consec_pass; /* results since the scale last changed */
    size_t consec_skip;
    size_t consec_dup;
};

/* One of `.FsdE` per trial, and fewer as they add up: after 100 dots a dot stands for 100
 * passes, after 10 letters an s or d for 10 skips or duplicates, and so on. */
void theft_print_trial_result(struct theft_print_trial_result_env *print_env,
                              const struct theft_hook_trial_post_info *info);

/* The default counterexample hook: name, trial, seed, and every argument that can be printed.
 */
enum theft_hook_counterexample_res
theft_print_counterexample(const struct theft_hook_counterexample_info *info, void *env);

void theft_print_run_pre_info(FILE *f, const struct theft_hook_run_pre_info *info);
void theft_print_run_post_info(FILE *f, const struct theft_hook_run_post_info *info);

/* The default hooks run_pre, run_post (both print to stdout) and trial_post. The last prints
 * with `env` as its theft_print_trial_result_env; the engine hands it one of its own. */
enum theft_hook_run_pre_res
theft_hook_run_pre_print_info(const struct theft_hook_run_pre_info *info, void *env);
enum theft_hook_run_post_res
theft_hook_run_post_print_info(const struct theft_hook_run_post_info *info, void *env);
enum theft_hook_trial_post_res
theft_hook_trial_post_print_result(const struct theft_hook_trial_post_info *info, void *env);

/* A trial_pre hook that ends the run after the first failure. */
enum theft_hook_trial_pre_res
theft_hook_first_fail_halt(const struct theft_hook_trial_pre_info *info, void *env);

/* The run's hooks.env. */
void *theft_hook_get_env(struct theft *t);

/* ---- Odds and ends ------------------------------------------------------------------------
 */

/* Sends results and counterexamples to `out`; the reports before and after a run stay on
 * stdout. */
void theft_set_output_stream(struct theft *t, FILE *out);

/* A seed made of the time of day. */
theft_seed theft_seed_of_time(void);

/* free(instance). */
void theft_generic_free_cb(void *instance, void *env);

/* "PASS" for THEFT_TRIAL_PASS, "ERROR_BAD_ARGS" for THEFT_RUN_ERROR_BAD_ARGS, and so on. */
const char *theft_trial_res_str(enum theft_trial_res res);
const char *theft_run_res_str(enum theft_run_res res);

/* ---- Built-in types -----------------------------------------------------------------------
 */
/* All of them shrink by autoshrink, print and free themselves. Where `env` is set it points to
 * a limit of the same type: unsigned 0 <= x < limit, signed -limit <= x < limit with limit > 0,
 * floating -limit <= x <= limit. For arrays it points to a size_t, the number of bytes with the
 * closing zero, at most. One draw in eight is a special value: limits, neighbours of powers of
 * two, and for floating types also NaN and infinities, where the limit admits them. */
enum theft_builtin_type_info {
    THEFT_BUILTIN_bool,
    THEFT_BUILTIN_uint,
    THEFT_BUILTIN_uint8_t,
    THEFT_BUILTIN_uint16_t,
    THEFT_BUILTIN_uint32_t,
    THEFT_BUILTIN_uint64_t,
    THEFT_BUILTIN_size_t,
    THEFT_BUILTIN_int,
    THEFT_BUILTIN_int8_t,
    THEFT_BUILTIN_int16_t,
    THEFT_BUILTIN_int32_t,
    THEFT_BUILTIN_int64_t,
#if THEFT_USE_FLOATING_POINT
    THEFT_BUILTIN_float,
    THEFT_BUILTIN_double,
#endif
    THEFT_BUILTIN_char_ARRAY = 14, /* whether or not the floating types are left out */
    THEFT_BUILTIN_uint8_t_ARRAY,
};

/* The callbacks of a built-in type, to use or to copy and change. */
const struct theft_type_info *theft_get_builtin_type_info(enum theft_builtin_type_info type);
void theft_copy_builtin_type_info(enum theft_builtin_type_info type,
                                  struct theft_type_info *info);

#ifdef __cplusplus
}
#endif
#if defined __GNUC__
#pragma GCC visibility pop
#endif

#endif
