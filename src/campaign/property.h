/* property.h -- a property: a statement that must hold for every instance of a generator.
 *
 * A new property is a file props/NAME.c that defines an attest_property, and a line in the
 * table of props/registry.h. Everything else is generic: trials, workers, shrinking, files,
 * replay, labels, margins. The generator draws from theft only; the verdict on an instance
 * depends on the instance and the setting only. */
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
#include <attest/weights.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default) /* the program exports what properties call: load.list */
#endif

/* An instance contains values, never the state of a generator: the same values that a
 * counterexample file stores, so that every property is replayed from a file by the same code.
 */
enum { ATTEST_INSTANCE_PARAMETERS = 16 };

/* A named rational, e.g. delta. */
typedef struct attest_instance_parameter {
    const char *name; /* a string literal of the property */
    fmpq_t value;
} attest_instance_parameter;

typedef struct attest_instance {
    attest_dataset dataset; /* count is 0 where the property takes no data */
    attest_weights weights; /* heads is 0 where it takes no weights */
    size_t parameters;
    attest_instance_parameter parameter[ATTEST_INSTANCE_PARAMETERS];
} attest_instance;

void attest_instance_init(attest_instance *instance);
void attest_instance_clear(attest_instance *instance);

/* Return the parameter of this name. If there is none, set adds it (name must outlive the
 * instance; there are at most ATTEST_INSTANCE_PARAMETERS), and get returns NULL. */
fmpq *attest_instance_set(attest_instance *instance, const char *name);
const fmpq *attest_instance_get(const attest_instance *instance, const char *name);

/* The arithmetic that a search runs against (--number); see attest_property.arithmetic. */
typedef enum attest_arithmetic_kind {
    ATTEST_ARITHMETIC_NONE = 0, /* the property itself, decided exactly */
    ATTEST_ARITHMETIC_MPFR,     /* bits and round */
    ATTEST_ARITHMETIC_BINARY32,
    ATTEST_ARITHMETIC_DOUBLE /* the fast path */
} attest_arithmetic_kind;

/* How a campaign runs a property. */
typedef struct attest_setting {
    const char *without; /* the hypothesis that is dropped, or NULL */
    attest_arithmetic_kind number;
    long bits;
    mpfr_rnd_t round;
    /* Weights to use instead of generated ones, or NULL (theorem1-search). Not written to
     * files, whose instances contain their weights. */
    const attest_weights *weights;
} attest_setting;

/* Returns whether the setting drops the hypothesis of this name. */
bool attest_setting_drops(const attest_setting *setting, const char *hypothesis);

typedef enum attest_trial_outcome {
    ATTEST_HELD = 0,
    ATTEST_VIOLATED,
    ATTEST_DISCARDED, /* the instance does not meet the hypotheses: no verdict */
    ATTEST_OPEN       /* undecided within the limits: never a pass */
} attest_trial_outcome;

enum { ATTEST_TRIAL_LABELS = 20 };

/* The outcome for one instance. The campaign initialises it. */
typedef struct attest_trial {
    attest_trial_outcome outcome;
    /* How far the instance is from violating: log2(actual / promised) for bounds, NAN where
     * there is no such measure. Negative iff violated; the campaign reports the least. */
    double margin;
    const char *definition; /* violated: what, e.g. "contextual-mapping" (a literal) */
    bool has_pair;          /* violated at two positions: */
    attest_place pair[2];
    size_t labels;
    const char *label[ATTEST_TRIAL_LABELS]; /* literals */
    char reason[ATTEST_ERROR_SIZE];         /* violated or open: one line */
} attest_trial;

/* Sets the trial to held, without margin and labels. */
void attest_trial_init(attest_trial *trial);

/* Adds a label, unless there are ATTEST_TRIAL_LABELS already. */
void attest_trial_label(attest_trial *trial, const char *label);

/* Set the outcome to ATTEST_VIOLATED (or ATTEST_OPEN), the definition and the reason. */
void attest_trial_violated(attest_trial *trial, const char *definition, const char *format, ...)
    ATTEST_PRINTF(3, 4);
void attest_trial_open(attest_trial *trial, const char *format, ...) ATTEST_PRINTF(2, 3);

/* The shared object that a property was loaded from; see load.h. */
typedef struct attest_object attest_object;

/* A hypothesis that a campaign can drop. */
typedef struct attest_droppable {
    const char *name; /* as in the statement; NULL ends the array */
    bool carries;     /* a violation exists without it, and the default budget finds it */
} attest_droppable;

/* Bounds of the share of a label among the trials, in percent: generators must reach the hard
 * cases, and draw few trivial instances. */
typedef struct attest_coverage {
    const char *label; /* NULL ends an array */
    unsigned least, most;
} attest_coverage;

typedef struct attest_property {
    const char *name;      /* "theorem1-search" */
    const char *title;     /* one line */
    const char *statement; /* the name of the statement that it tests */
    /* The definition that violating trials and files name; NULL: the statement. */
    const char *definition;
    /* Fills an initialised instance, drawing from t only. The instance meets the hypotheses,
     * except setting->without, by construction. Draws of zero give the simplest instance, and
     * smaller draws simpler ones: that is how instances are shrunk. Status: NOMEM;
     * ATTEST_DOMAIN discards the draw. */
    attest_status (*gen)(attest_instance *instance, struct theft *t,
                         const attest_setting *setting);
    /* Decides the instance exactly. An instance may come from a file: if it does not meet the
     * hypotheses, the outcome is ATTEST_DISCARDED. error is not NULL. Status: NOMEM; the error
     * may stay empty. */
    attest_status (*decide)(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error);
    /* Optional: decides count instances together, if that is cheaper than one by one. It
     * decides the trials' own instances; decide is for shrunk ones and files. trial[i]
     * (initialised) depends on instance[i] and the setting only. It may check less than decide,
     * but every violation that it finds must be one for decide, too. *memory is NULL at first
     * and kept from call to call; forget frees it. error is not NULL. Status: NOMEM. */
    attest_status (*decide_many)(attest_trial *trial, const attest_instance *instance,
                                 size_t count, void **memory, const attest_setting *setting,
                                 attest_error *error);
    void (*forget)(void *memory);
    /* Optional: returns an approximate margin for targeted search, fast. NULL: the search uses
     * the margin of decide, if there is one. */
    double (*propose)(const attest_instance *instance, const attest_setting *setting);
    const attest_droppable *droppable; /* NULL: none */
    /* Bounds of labels; a campaign that misses one is undecided. NULL: none. */
    const attest_coverage *coverage;
    bool arithmetic;       /* it accepts setting->number */
    bool expect_violation; /* it searches for a violation and must find one */
    const char *witness; /* a violation as the text of a counterexample file, for runs that end
                            before one is found; or NULL */
    bool targeted;       /* some chunks are a guided search for the least margin */
    size_t trials;       /* the default budget */
    const char *few;     /* the reason for fewer than 1000 trials, or NULL */
    /* Trials that are run, recorded and, after a kill, repeated together; should take about a
     * tenth of a second. 0: 64. Another value gives other results for the same seed. */
    size_t chunk;
    const attest_object *object; /* set by the loader; NULL: built in */
} attest_property;

/* The table that a shared object for 'attest campaign --load' exports. ATTEST_LOAD(&one,
 * &other); at file scope defines it. The sizes show whether it was compiled with the headers of
 * this version. */
typedef struct attest_load_table {
    size_t abi, property_size, instance_size, trial_size;
    const attest_property *const *property; /* ended by NULL */
} attest_load_table;

enum { ATTEST_LOAD_ABI = 1, ATTEST_LOAD_TRIALS = 1000 /* the default of loaded properties */ };

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
