/* kernel_instance.h -- a kernel of a model with every choice made (a recipe), and one that
 * runs: a recipe with its constants, formats and arrays for one problem.
 *
 * proofs-notes/judge-kernels.md defines the kernels that a variant of a model allows; the
 * letters refer to it. */
#ifndef ATTEST_JUDGE_KERNEL_INSTANCE_H
#define ATTEST_JUDGE_KERNEL_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>

#include "format/block_error.h"
#include "judge/accumulator.h"
#include "judge/arithmetic.h"
#include "judge/exp_range.h"
#include "judge/problem.h"

/* ---- recipes: drawn for a variant, or made from a schedule. Formats, blocks and sizes of
 * errors stay in the variant ---- */

/* The result that an inexact function returns, of those that are allowed. push: the one that
 * moves column target of the output in the direction of push_up. */
typedef enum attest_recipe_error {
    ATTEST_RECIPE_NEAREST = 0,
    ATTEST_RECIPE_ABOVE,
    ATTEST_RECIPE_BELOW,
    ATTEST_RECIPE_RANDOM,
    ATTEST_RECIPE_PUSH
} attest_recipe_error;

/* The argument of exp, (h). */
typedef enum attest_recipe_argument {
    ATTEST_RECIPE_SEPARATE = 0,   /* exp(t - m) */
    ATTEST_RECIPE_SEPARATE_TWO,   /* exp2((t - m) log2 e) */
    ATTEST_RECIPE_FOLDED,         /* exp2(fma(s, k, -fl(m k))) */
    ATTEST_RECIPE_FOLDED_TWO_STEP /* exp2(fl(s k) - m) */
} attest_recipe_argument;

typedef enum attest_recipe_join {
    ATTEST_RECIPE_JOIN_IN_ORDER = 0,
    ATTEST_RECIPE_JOIN_PAIRWISE
} attest_recipe_join;

/* The largest number of lanes that can be simulated. */
enum { ATTEST_RECIPE_LANES = 256 };

/* How parts are joined, (o). */
typedef enum attest_recipe_split {
    ATTEST_RECIPE_SPLIT_WEIGHTS = 0, /* quotients, their weights divided */
    ATTEST_RECIPE_SPLIT_LAST,        /* quotients, their sum divided */
    ATTEST_RECIPE_SPLIT_LOGS,        /* quotients, their weights normalised by a logarithm */
    ATTEST_RECIPE_SPLIT_RUNNING,     /* quotients, one after another, their sum divided */
    ATTEST_RECIPE_SPLIT_SUMS         /* references, row sums and outputs that are not divided */
} attest_recipe_split;

typedef struct attest_judge_recipe {
    attest_recipe_dot score;
    bool scaled_query; /* (e) */
    int scale_steps;   /* scale' or k: units from the nearest number, as far as allowed */
    attest_recipe_argument argument;
    bool offset_inside; /* folded: the offset is part of the argument */
    bool scale_first;   /* folded, two steps: scale and log2 e one after the other */
    attest_recipe_error softcap_error;
    attest_judge_max max; /* not any */
    size_t tile;          /* 0: all keys */
    size_t cuts;          /* not 0: a tile ends after each key with probability 1/cuts */
    bool backward;        /* tiles from last to first */
    double threshold;
    attest_recipe_error exp_error;
    bool flush; /* subnormal results of binary32 are 0, (a) */
    bool sum_cast;
    attest_recipe_order sum; /* of a tile, if lanes is 1 */
    size_t lanes;
    attest_recipe_join join;
    bool sink_in_max; /* (l): from the start */
    bool sink_last;   /* (l): after the last tile */
    attest_recipe_dot pv;
    size_t splits;
    attest_recipe_split split;
    attest_recipe_error log_error;
    bool before;     /* place */
    bool reciprocal; /* a reciprocal and a product instead of a division */
    attest_recipe_error final_error;
    attest_recipe_error output; /* nearest, or either neighbour */
    size_t target;
    bool push_up;
    uint64_t seed;                    /* of random choices; combined with the row */
    attest_judge_emulation emulation; /* keys whose exponentials a polynomial computes */
} attest_judge_recipe;

/* Returns whether an error depends on the exact result. */
bool attest_judge_recipe_pushes(const attest_judge_recipe *recipe);

/* The kernel of a schedule, with correctly rounded exp. */
void attest_judge_recipe_from_schedule(attest_judge_recipe *recipe,
                                       const attest_judge_variant *variant,
                                       const attest_judge_schedule *schedule);

/* Draws a kernel that the variant allows; the same for the same seed. Status: USAGE, if the
 * variant contradicts itself. */
attest_status attest_judge_recipe_draw(attest_judge_recipe *recipe,
                                       const attest_judge_variant *variant, uint64_t seed,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* ---- events: numbers that leave the range of a format ---- */

typedef enum attest_judge_event {
    ATTEST_JUDGE_SCORE_OVERFLOWS = 0, /* beyond its accumulator or its store */
    ATTEST_JUDGE_WEIGHT_OVERFLOWS,    /* P overflows, or is saturated */
    ATTEST_JUDGE_WEIGHT_ABOVE,        /* P exceeds its largest number, but rounds to it */
    ATTEST_JUDGE_SUM_LEAVES,          /* the row sum overflows */
    ATTEST_JUDGE_PRODUCT_LEAVES,      /* the product with V overflows */
    ATTEST_JUDGE_OUTPUT_LEAVES,
    ATTEST_JUDGE_EXP_UNDERFLOWS,  /* an exponential is below 2^-126, and may be flushed */
    ATTEST_JUDGE_WEIGHT_VANISHES, /* P is rounded to 0 */
    ATTEST_JUDGE_EVENTS
} attest_judge_event;

/* The number of each event, and the place and value of the first. A simulated kernel counts
 * events that occur, an interval run those that may. */
typedef struct attest_judge_watch {
    size_t row; /* the current row */
    size_t count[ATTEST_JUDGE_EVENTS], first_row[ATTEST_JUDGE_EVENTS],
        first_key[ATTEST_JUDGE_EVENTS];
    double value[ATTEST_JUDGE_EVENTS];
} attest_judge_watch;

/* Counts an event; nothing if watch is NULL. key: of a key or a column. */
static inline void attest_judge_watch_add(attest_judge_watch *watch, attest_judge_event event,
                                          size_t key, double value)
{
    if (!watch)
        return;
    if (watch->count[event]++ == 0) {
        watch->first_row[event] = watch->row;
        watch->first_key[event] = key;
        watch->value[event] = value;
    }
}

/* ---- instances ---- */

/* Keys whose scores are computed together. */
enum { ATTEST_JUDGE_KEYS_AT_ONCE = 16 };

/* The keys first .. last-1 of a tile that the row may see; the tile begins at start. */
typedef struct attest_judge_tile {
    size_t start, first, last;
} attest_judge_tile;

typedef struct attest_judge_instance {
    const attest_judge_problem *problem;
    const attest_judge_variant *variant;
    attest_judge_recipe recipe;
    attest_judge_accumulator score, sum, pv,
        work; /* work: the working format, also for splits */
    attest_in_double store, scale_store, softcap_store, mask_store, query, p, output;
    double scale, cap, scale_over_cap; /* with the scale factors of the head */
    double score_factor,
        value_factor; /* scale factors of the head: of the scores, and of the output */
    double kappa;     /* folded: the factor of a score in the argument of exp2 */
    double lambda;    /* log2 e */
    double ln2;
    double unit;                               /* a score times this is the exponent of e */
    bool two;                                  /* exp2, not exp */
    bool additive;                             /* the mask has values */
    double exp_error, tanh_error, final_error; /* at least the unit roundoff */
    double power;                              /* 2^offset where P is multiplied by it */
    double shift;                              /* the offset where it is part of the argument */
    double *scaled;                            /* the query */
    double *score_lo, *score_hi;               /* for the keys of a row; -inf: not seen */
    double *weight;                            /* P */
    double *exponential;
    double *o, *part;   /* part: results of splits (run_row.inc) */
    size_t group_tiles; /* tiles that are summed in group, which is then added to o; 0: no
                           groups */
    double *group;
    double *panels; /* the keys in panels, component by component; of this head: */
    const attest_judge_head *head;
    size_t loads; /* head->loads when they were filled */
    attest_judge_tile *tile;
    attest_block_row scheme; /* for quantised weights */
    attest_block_error scheme_error;
    double p_limit;            /* P up to this rounds to a finite number */
    attest_judge_watch *watch; /* NULL: events are not counted */
    double middle;             /* approximate exact result in column target */
    uint64_t random;
} attest_judge_instance;

/* The problem, the variant and the recipe must outlive it. Status: USAGE (arithmetic that
 * cannot be simulated), NOMEM. After a failure there is nothing to clear. */
attest_status attest_judge_instance_init(attest_judge_instance *instance,
                                         const attest_judge_problem *problem,
                                         const attest_judge_variant *variant,
                                         const attest_judge_recipe *recipe,
                                         attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_instance_clear(attest_judge_instance *instance);

/* Sets the constants for the scale factors of the head. */
void attest_judge_instance_set_head(attest_judge_instance *x, const attest_judge_head *head);

/* Checks that all numbers of the head belong to the input formats of the variant. Status:
 * FORMAT. */
attest_status attest_judge_instance_check(const attest_judge_instance *instance,
                                          const attest_judge_head *head,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* score_lo, score_hi = the scores of the keys of row i, in the units of (h), from row->first
 * on. They are equal unless open is set and tanh is used: then they enclose the scores for all
 * results of tanh within the allowed error. */
void attest_judge_instance_score(attest_judge_instance *x, const attest_judge_head *head,
                                 const attest_judge_row *row, size_t i, bool open);

/* choose: the value that a simulated function returns, of those that are allowed. push: a
 * larger value moves the output in the direction of the recipe. pushes: whether a larger weight
 * of this element of V does so. */
double attest_judge_instance_choose(attest_judge_instance *x, const attest_judge_exponential *y,
                                    attest_recipe_error error, bool push);
bool attest_judge_instance_pushes(const attest_judge_instance *x, double value);

/* Lists the tiles of the row with a key that is seen, in the order of visit; returns their
 * number. */
size_t attest_judge_instance_tile(attest_judge_instance *x, const attest_judge_row *row);

/* The tiles of split s of a row, in the order of visit: the splits have equally many tiles, the
 * last ones fewer or none. */
typedef struct attest_judge_split {
    const attest_judge_tile *tile;
    size_t tiles;
} attest_judge_split;

attest_judge_split attest_judge_instance_split(const attest_judge_instance *x, size_t tiles,
                                               size_t s);

/* The number that is subtracted from a score in the argument of exp, for the reference m. */
double attest_judge_instance_reference(const attest_judge_instance *x, double m);

/* The argument of exp of a score; the argument of the rescale factor from m to more. */
double attest_judge_instance_argument(const attest_judge_instance *x, double score,
                                      double reference);
double attest_judge_instance_rescale(const attest_judge_instance *x, double m, double more);

/* The sink in the units of scores, and the argument of its exponential. */
double attest_judge_instance_sink(const attest_judge_instance *x, double logit);
double attest_judge_instance_sink_argument(const attest_judge_instance *x, double logit,
                                           double reference);

/* The logarithms of a sum that the model allows; outer: lo and hi enclose all of them, else all
 * numbers between them are allowed. */
attest_judge_exponential attest_judge_instance_log(const attest_judge_instance *x, double sum,
                                                   bool outer);

/* Returns whether the reference stays m when the maximum is more, (i). */
bool attest_judge_instance_keeps(const attest_judge_instance *x, double m, double more);

/* Counts the overflows and underflows of an exponential of at least y_low and of P from p_low
 * to p_high. */
void attest_judge_instance_watch(const attest_judge_instance *x, size_t key, double y_low,
                                 double p_low, double p_high);

/* Returns whether weights are quantised in groups of keys. */
static inline bool attest_judge_instance_quantises(const attest_judge_instance *x)
{
    return x->variant->p_scheme.name[0] != '\0';
}

/* Quantises and casts the weights of a tile, from its first key on. */
void attest_judge_instance_quantise(attest_judge_instance *x, double *weight,
                                    const attest_judge_tile *tile);

/* Replaces lo and hi by bounds on the quantised weights for all weights between them. room: two
 * arrays of as many numbers. Returns false if the scheme may be undefined for them. */
bool attest_judge_instance_quantise_ends(attest_judge_instance *x, double *lo, double *hi,
                                         const attest_judge_tile *tile, double *const room[2]);

/* Casts P to the format in which it is multiplied with V, (j). Domain: it is not quantised. */
static inline double attest_judge_instance_cast(const attest_judge_instance *x, double y)
{
    return x->variant->cast ? attest_in_double_convert(y, &x->p) : y;
}

/* Returns whether the exponential of key j of a tile is computed by the polynomial. */
static inline bool attest_judge_instance_emulates(const attest_judge_instance *x,
                                                  const attest_judge_tile *tile, size_t j)
{
    return x->recipe.emulation.polynomial.count > 0 &&
           attest_judge_emulation_has(&x->recipe.emulation, j - tile->start, x->recipe.tile);
}

/* Returns whether results in this format may be flushed, (a): it is binary32. */
bool attest_judge_is_single(const attest_format *format);

/* a / b, correctly rounded to the working format. */
double attest_judge_instance_divide(double a, double b, const attest_judge_accumulator *work);

#endif
