/* The extensions of the theft API by attest's engine.
 *
 * Built against a genuine libtheft (ATTEST_THEFT_BUILTIN undefined or 0), or with
 * ATTEST_THEFT_NO_EXTENSIONS defined, everything below still compiles: the float generators
 * work in full (they use public draws only), theft_target and theft_label do nothing, and
 * theft_run_extended calls theft_run and sets `available` to false in the report. */
#ifndef THEFT_EXTENSIONS_H
#define THEFT_EXTENSIONS_H

#include <math.h>
#include <string.h>

#include <theft.h>

#include "theft_floats.h"

#if defined ATTEST_THEFT_BUILTIN && ATTEST_THEFT_BUILTIN && !defined ATTEST_THEFT_NO_EXTENSIONS
#define THEFT_HAVE_EXTENSIONS 1
#else
#define THEFT_HAVE_EXTENSIONS 0
#endif

#if defined __GNUC__
#pragma GCC visibility push(default) /* the library exports all that follows */
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Seeds ------------------------------------------------------------------------------ */

/* The seed of trial `trial` of a run with `run_seed`: run_seed itself for trial 0, and another
 * value for every further one. A run over part of the trials takes these as always_seeds, with
 * any engine. */
static inline theft_seed theft_trial_seed(theft_seed run_seed, uint64_t trial)
{
    if (trial == 0)
        return run_seed;
    uint64_t x = (run_seed ^ UINT64_C(0x6a09e667f3bcc909)) * UINT64_C(0xd1342543de82ef95);
    x = (x ^ (x >> 32)) + trial * UINT64_C(0x9e3779b97f4a7c15); /* injective in trial */
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* ---- Labels and required coverage ------------------------------------------------------- */

#define THEFT_MAX_LABELS 256     /* distinct labels in a run; further ones are dropped */
#define THEFT_MAX_LABEL_BYTES 48 /* of a name, with its zero; longer ones are cut */

struct theft_label_count {
    char name[THEFT_MAX_LABEL_BYTES];
    size_t count; /* trials that carried it */
};

/* A requirement: the probability that a trial carries `label` is at least `fraction`. Only
 * trials whose property passed or failed count. */
struct theft_coverage {
    const char *label;
    double fraction;
};

enum theft_coverage_verdict {
    THEFT_COVERAGE_SHOWN,     /* lower >= fraction, with the requested confidence */
    THEFT_COVERAGE_REFUTED,   /* upper < fraction */
    THEFT_COVERAGE_UNDECIDED, /* neither: more trials are needed */
};

struct theft_coverage_result {
    size_t count, trials;
    double lower, upper; /* Clopper-Pearson bounds, rounded outwards */
    enum theft_coverage_verdict verdict;
};

/* Bounds of the probability of an event seen `count` times in `trials` independent trials: each
 * bound fails with probability at most alpha. Both are rounded to the safe side.
 * Domain: count <= trials <= 2^40, 0 < alpha < 1/2; otherwise 0 (lower) or 1 (upper).
 * Cost: O(sqrt(trials)) at most. */
#if THEFT_HAVE_EXTENSIONS
double theft_coverage_bound_lower(size_t count, size_t trials, double alpha);
double theft_coverage_bound_upper(size_t count, size_t trials, double alpha);
#endif

/* ---- Running ---------------------------------------------------------------------------- */

/* All zero: the run is that of theft_run. */
struct theft_extension_config {
    size_t batch; /* with fork.enable: trials per child process, up to 16384; 0, 1: one */
    size_t target_trials;    /* so many of the trials, the last ones, follow theft_target */
    size_t duplicate_memory; /* limit of the set of tried inputs, bytes; 0: 1 GiB */
    const struct theft_coverage *coverage;
    size_t coverage_count;
    double confidence; /* that all coverage verdicts are right together; 0: 0.99 */
};

struct theft_extension_report {
    bool available; /* false: this is a fallback, and the rest is zero */
    struct theft_run_report trials;
    size_t property_calls;  /* in all: trials, shrinking, repetitions, confirmations */
    size_t unconfirmed;     /* failures in a batch that did not fail alone */
    bool duplicates_missed; /* the set of tried inputs was full: `dup` is a lower bound */
    bool has_target;
    double best_target; /* the largest value that a passing or failing trial reported, */
    size_t best_trial;  /* and the first trial that reported it */
    size_t label_count;
    size_t labels_dropped; /* trials with a label that found no room */
    struct theft_label_count labels[THEFT_MAX_LABELS];
};

#if THEFT_HAVE_EXTENSIONS

/* theft_run with extensions. `ext`, `report` and `coverage` (coverage_count results) may be
 * NULL. A run that would be PASS is FAIL unless every required coverage is shown. */
enum theft_run_res theft_run_extended(const struct theft_run_config *cfg,
                                      const struct theft_extension_config *ext,
                                      struct theft_extension_report *report,
                                      struct theft_coverage_result *coverage);

/* In a property: this trial is worth `value`; more is better, NaN is ignored, the largest of
 * several calls counts. */
void theft_target(struct theft *t, double value);

/* In a trial_post hook: the value that the trial reported; false when it reported none. */
bool theft_target_get(struct theft *t, double *value);

/* In a property: this trial is one of the kind `name`. Twice in a trial counts once. */
void theft_label(struct theft *t, const char *name);

/* Prints labels, coverage, the best target and what could not be confirmed. */
void theft_print_extension_report(FILE *f, const struct theft_extension_config *ext,
                                  const struct theft_extension_report *report,
                                  const struct theft_coverage_result *coverage);

#else

static inline enum theft_run_res theft_run_extended(const struct theft_run_config *cfg,
                                                    const struct theft_extension_config *ext,
                                                    struct theft_extension_report *report,
                                                    struct theft_coverage_result *coverage)
{
    if (report)
        memset(report, 0, sizeof *report);
    for (size_t i = 0; coverage && ext && i < ext->coverage_count; i++)
        coverage[i] = (struct theft_coverage_result){0, 0, 0, 1, THEFT_COVERAGE_UNDECIDED};
    return theft_run(cfg);
}

static inline void theft_target(struct theft *t, double value)
{
    (void)t;
    (void)value;
}

static inline bool theft_target_get(struct theft *t, double *value)
{
    (void)t;
    (void)value;
    return false;
}

static inline void theft_label(struct theft *t, const char *name)
{
    (void)t;
    (void)name;
}

static inline double theft_coverage_bound_lower(size_t count, size_t trials, double alpha)
{
    (void)count;
    (void)trials;
    (void)alpha;
    return 0;
}

static inline double theft_coverage_bound_upper(size_t count, size_t trials, double alpha)
{
    (void)count;
    (void)trials;
    (void)alpha;
    return 1;
}

static inline void theft_print_extension_report(FILE *f,
                                                const struct theft_extension_config *ext,
                                                const struct theft_extension_report *report,
                                                const struct theft_coverage_result *coverage)
{
    (void)ext;
    (void)report;
    (void)coverage;
    fputs("labels, coverage and targets need the built-in property engine\n", f);
}

#endif

#ifdef __cplusplus
}
#endif
#if defined __GNUC__
#pragma GCC visibility pop
#endif

#endif
