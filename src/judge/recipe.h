/* recipe.h -- a kernel of a model with every choice made.
 *
 * proofs-notes/judge-kernels.md defines the kernels that a variant of a model allows; the
 * letters refer to it. A recipe is drawn for a variant or made from a schedule. Formats, blocks
 * and sizes of errors stay in the variant. */
#ifndef ATTEST_JUDGE_RECIPE_H
#define ATTEST_JUDGE_RECIPE_H

#include <stdint.h>

#include <attest/error.h>

#include "judge/model.h"

/* The order of additions, (b) and (c). */
typedef enum attest_recipe_order {
    ATTEST_RECIPE_FORWARD = 0,
    ATTEST_RECIPE_BACKWARD,
    ATTEST_RECIPE_PAIRWISE,
    ATTEST_RECIPE_TREE,     /* a random tree */
    ATTEST_RECIPE_SHUFFLED, /* a random tree over a random permutation */
    ATTEST_RECIPE_GROWING,  /* one after another, the smallest first */
    ATTEST_RECIPE_BLOCKS,   /* blocks of a matrix unit, ascending */
    ATTEST_RECIPE_BLOCKS_BACKWARD,
    ATTEST_RECIPE_BLOCKS_SHUFFLED
} attest_recipe_order;

typedef enum attest_recipe_products {
    ATTEST_RECIPE_ROUNDED = 0,
    ATTEST_RECIPE_FUSED, /* fused with the addition, or exact if the model requires it */
    ATTEST_RECIPE_MIXED
} attest_recipe_products;

typedef struct attest_recipe_dot {
    attest_recipe_order order;
    attest_recipe_products products;
} attest_recipe_dot;

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
    bool sink_in_max;
    attest_recipe_dot pv;
    size_t splits;
    bool split_divides_last; /* (o): the second way */
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

/* Whether an error depends on the exact result. */
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

#endif
