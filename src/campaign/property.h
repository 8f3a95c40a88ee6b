/* property.h -- a property: something that must hold for every instance of a generator.
 *
 * Adding one is a file props/NAME.c that defines an attest_property, and one line in the table
 * of props/properties.h. Everything else is generic: trials, workers, shrinking, files, replay,
 * labels, margins. The generator draws from theft and from nothing else; the verdict on an
 * instance depends on the instance and the setting and on nothing else. */
#ifndef ATTEST_CAMPAIGN_PROPERTY_H
#define ATTEST_CAMPAIGN_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <mpfr.h>
#include <theft.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/export.h>

#include "campaign/instance.h"

#if defined(__GNUC__)
#pragma GCC visibility push(default) /* the program exports what properties call: load.list */
#endif

/* The arithmetic that a search runs against (--number); see attest_property.arithmetic. */
typedef enum attest_arithmetic_kind {
    ATTEST_ARITHMETIC_NONE = 0, /* the property itself, decided exactly */
    ATTEST_ARITHMETIC_MPFR,     /* bits and round */
    ATTEST_ARITHMETIC_BINARY32,
    ATTEST_ARITHMETIC_DOUBLE /* the fast path */
} attest_arithmetic_kind;

/* What a campaign asks of a property. */
typedef struct attest_setting {
    const char *without; /* the hypothesis that is dropped, or NULL */
    attest_arithmetic_kind number;
    long bits;
    mpfr_rnd_t round;
    /* Given weights instead of drawn ones, or NULL; theorem1-search takes them. Never part of a
     * file: instances hold their weights. */
    const attest_weights *weights;
} attest_setting;

/* Whether the setting drops the hypothesis of this name. */
static inline bool attest_setting_drops(const attest_setting *setting, const char *hypothesis)
{
    return setting->without && strcmp(setting->without, hypothesis) == 0;
}

typedef enum attest_trial_outcome {
    ATTEST_HELD = 0,
    ATTEST_VIOLATED,
    ATTEST_DISCARDED, /* the instance does not meet the hypotheses: says nothing */
    ATTEST_OPEN       /* undecided within the caps: never a pass */
} attest_trial_outcome;

enum { ATTEST_TRIAL_LABELS = 20 };

/* What is found out about one instance. The campaign initialises it. */
typedef struct attest_trial {
    attest_trial_outcome outcome;
    /* How far the instance is from violating: log2(actual / promised) for bounds, NAN where
     * there is no such measure. Negative iff violated; the campaign reports the least. */
    double margin;
    const char *definition; /* violated: what, e.g. "contextual-mapping" (a literal) */
    bool has_pair;          /* violated at two positions: */
    attest_place pair[2];
    size_t labels;
    const char *label[ATTEST_TRIAL_LABELS]; /* kinds of instance this is one of (literals) */
    char reason[ATTEST_ERROR_SIZE];         /* violated or open: one line for people */
} attest_trial;

/* Held, with no margin and no labels. */
void attest_trial_init(attest_trial *trial);

/* Adds a label; further ones than ATTEST_TRIAL_LABELS are dropped. */
void attest_trial_label(attest_trial *trial, const char *label);

/* Sets outcome ATTEST_VIOLATED (or ATTEST_OPEN), definition and reason. */
void attest_trial_violated(attest_trial *trial, const char *definition, const char *format, ...)
    ATTEST_PRINTF(3, 4);
void attest_trial_open(attest_trial *trial, const char *format, ...) ATTEST_PRINTF(2, 3);

/* The shared object that a property was loaded from; see load.h. */
typedef struct attest_object attest_object;

/* A hypothesis that a campaign can drop. */
typedef struct attest_droppable {
    const char *name; /* as in the statement's list; a NULL name ends the array */
    bool carries;     /* a violation exists without it, and the default budget finds it */
} attest_droppable;

/* The share of the trials, in percent, that a label should have: what a generator must reach,
 * and how much of what is trivial it may draw. */
typedef struct attest_coverage {
    const char *label; /* NULL ends an array */
    unsigned least, most;
} attest_coverage;

typedef struct attest_property {
    const char *name;      /* "theorem1-search" */
    const char *title;     /* one line */
    const char *statement; /* the name of the statement that it tests */
    /* What its violations violate, as trials and files call it; NULL: what the statement is
     * called. */
    const char *definition;
    /* Fills an initialised instance, drawing from t only: it meets the hypotheses by
     * construction (all but setting->without). Draws of zero make the simplest instance, and
     * smaller draws simpler ones, for that is how instances are shrunk. Status: NOMEM;
     * ATTEST_DOMAIN discards the draw. */
    attest_status (*gen)(attest_instance *instance, struct theft *t,
                         const attest_setting *setting);
    /* Decides the instance exactly. Hypotheses are checked again (an instance may come from a
     * file): those not met give ATTEST_DISCARDED. Status: NOMEM, with or without a text. */
    attest_status (*decide)(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error);
    /* Optional: decides count instances together where that is cheaper than one by one; then
     * it decides the trials' own instances, and decide what they are shrunk to and files.
     * trial[i] (initialised) depends on instance[i] and the setting alone, whatever stands
     * beside it. Of instances it may ask less than decide, but what it finds violated decide
     * finds violated, too. *memory is NULL at first and kept from call to call; forget gives it
     * back. Status: NOMEM. */
    attest_status (*decide_many)(attest_trial *trial, const attest_instance *instance,
                                 size_t count, void **memory, const attest_setting *setting,
                                 attest_error *error);
    void (*forget)(void *memory);
    /* Optional: the margin in double, fast and without guarantee, for targeted search. NULL:
     * the search uses decide's margin, if it gives one. */
    double (*propose)(const attest_instance *instance, const attest_setting *setting);
    const attest_droppable *droppable; /* NULL: none */
    /* Shares that the default generator misses make a campaign undecided; NULL: none. */
    const attest_coverage *coverage;
    bool arithmetic;       /* it can search against an arithmetic (setting->number) */
    bool expect_violation; /* the search is for a violation, and must find one */
    const char *witness;   /* such a violation as the text of a counterexample file, for runs
                              that end before one is found; or NULL */
    bool targeted;         /* it has a margin worth minimising: some chunks are guided search */
    size_t trials;         /* the default budget */
    const char *few;       /* why it may run fewer than 1000; NULL: it need not */
    /* Trials that are run, recorded and, after a kill, repeated together: aim at a tenth of a
     * second. 0: 64. Another value gives other results for the same seed. */
    size_t chunk;
    const attest_object *object; /* NULL: it is built in; for the loader to set */
} attest_property;

/* What a shared object exports for 'attest campaign --load': ATTEST_LOAD(&one, &other); once,
 * at file scope, makes it. The sizes tell whether it was compiled with the headers of this
 * version.
 */
typedef struct attest_load_table {
    size_t abi, property_size, instance_size, trial_size;
    const attest_property *const *property; /* ended by NULL */
} attest_load_table;

enum { ATTEST_LOAD_ABI = 1, ATTEST_LOAD_TRIALS = 1000 /* where a property says none */ };

#define ATTEST_LOAD(...)                                                                       \
    static const attest_property *const attest_loaded_list[] = {__VA_ARGS__, NULL};            \
    extern ATTEST_API const attest_load_table attest_loaded;                                   \
    const attest_load_table attest_loaded = {ATTEST_LOAD_ABI, sizeof(attest_property),         \
                                             sizeof(attest_instance), sizeof(attest_trial),    \
                                             attest_loaded_list}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
