/* model.h -- what is known of an attention kernel: its formats, orders and errors.
 *
 * A model stands for every kernel that keeps to it. A member that lists several values means
 * any of them: such a model is held as one variant per combination, and a kernel of the model
 * is a kernel of one of its variants. */
#ifndef ATTEST_JUDGE_MODEL_H
#define ATTEST_JUDGE_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/format.h>
#include <attest/judge.h>

#include <attest/block.h>
#include "format/exp2_polynomial.h"

/* The order of the additions of a sum of products, or the matrix unit that does them. For the
 * product with V, forward and backward are the orders of the keys. */
typedef enum attest_judge_order {
    ATTEST_JUDGE_ORDER_ANY = 0,
    ATTEST_JUDGE_ORDER_FORWARD,  /* score: "sequential" */
    ATTEST_JUDGE_ORDER_BACKWARD, /* score: "reversed" */
    ATTEST_JUDGE_ORDER_TENSOR,   /* blocks in any order */
    ATTEST_JUDGE_ORDER_TENSOR_FORWARD,
    ATTEST_JUDGE_ORDER_TENSOR_BACKWARD,
    ATTEST_JUDGE_ORDER_PAIRWISE /* of scores alone */
} attest_judge_order;

typedef enum attest_judge_scale {
    ATTEST_JUDGE_SCALE_ANY = 0,
    ATTEST_JUDGE_SCALE_SCORE,  /* the score is multiplied */
    ATTEST_JUDGE_SCALE_FOLDED, /* together with log2 e, in the argument of exp2 */
    ATTEST_JUDGE_SCALE_QUERY   /* the query is multiplied, and rounded to a format */
} attest_judge_scale;

typedef enum attest_judge_max {
    ATTEST_JUDGE_MAX_ANY = 0,
    ATTEST_JUDGE_MAX_TWO_PASS,
    ATTEST_JUDGE_MAX_ONLINE,
    ATTEST_JUDGE_MAX_LAZY
} attest_judge_max;

typedef enum attest_judge_direction {
    ATTEST_JUDGE_DIRECTION_ANY = 0,
    ATTEST_JUDGE_DIRECTION_FORWARD,
    ATTEST_JUDGE_DIRECTION_BACKWARD
} attest_judge_direction;

typedef enum attest_judge_sum_of {
    ATTEST_JUDGE_SUM_UNCAST = 0, /* the row sum adds P before its cast */
    ATTEST_JUDGE_SUM_CAST,
    ATTEST_JUDGE_SUM_ANY
} attest_judge_sum_of;

typedef enum attest_judge_place {
    ATTEST_JUDGE_PLACE_ANY = 0,
    ATTEST_JUDGE_PLACE_AFTER, /* the sum of products is divided */
    ATTEST_JUDGE_PLACE_BEFORE /* every weight is */
} attest_judge_place;

typedef enum attest_judge_constant {
    ATTEST_JUDGE_CONSTANT_FOLDED = 0, /* k = fl32(fl32(scale) log2 e), fma(s, k, -fl32(m k)) */
    ATTEST_JUDGE_CONSTANT_SEPARATE    /* t = fl32(s fl32(scale)), exp(fl32(t - m)) */
} attest_judge_constant;

/* How a sum of products is formed: the scores, and the product with V. */
typedef struct attest_judge_dot {
    attest_format accumulate;
    bool exact_products; /* false: rounded to the format of the accumulator, or fused */
    attest_judge_order order;
    size_t block;    /* products in a block of a matrix unit */
    size_t fraction; /* the bits after the leading one that it keeps when it aligns */
    size_t depth;    /* a term passes at most so many additions; 0: not known */
    size_t promote;  /* a matrix unit adds so many products from 0 before the accumulator takes
                      * their sum by an addition to nearest; 0: it has them all */
    size_t promote_tiles; /* PV: the same, so many tiles at a time; 0: not so */
} attest_judge_dot;

/* One combination of the alternatives. Errors are rounded up to doubles. */
typedef struct attest_judge_variant {
    attest_format q, k, v;
    attest_judge_dot score, pv;
    bool stored; /* scores are rounded to store */
    attest_format store;
    bool scale_stored, softcap_stored, mask_stored; /* the same of scaled scores, of each step
                                                     * of the softcap, of sums with a mask */
    attest_format scale_store, softcap_store, mask_store;
    attest_judge_scale scale;
    attest_format scaled_query; /* scale query, any: the format of the scaled query */
    double softcap_relative, softcap_absolute; /* errors of tanh */
    attest_judge_max max;
    size_t tile; /* keys of a tile; 0: any */
    attest_judge_direction direction;
    double threshold; /* lazy: the reference may lie this far below the maximum, log2 units */
    double exp_relative; /* error of exp; exp(0) = 1 */
    bool cast;           /* P is rounded to p */
    attest_format p;
    long offset;                  /* P = 2^offset e^x */
    attest_block_format p_scheme; /* cast: the keys of a tile are quantised by it before, in
                                   * groups of a row; without a name: they are not. The same in
                                   * all variants of a model */
    attest_judge_sum_of sum_of;
    attest_format sum_accumulate;
    size_t lanes;     /* the row sum is added in so many lanes; 1: any order */
    size_t splits;    /* at most so many parts of the keys are joined at the end */
    double split_log; /* absolute error of log when parts are joined */
    double final_relative;
    attest_judge_place place;
    attest_format output;
    bool output_any; /* rounded up or down; false: to nearest */
} attest_judge_variant;

typedef enum attest_judge_quotient {
    ATTEST_JUDGE_QUOTIENT_DIVISION = 0,
    ATTEST_JUDGE_QUOTIENT_RECIPROCAL /* 1 / sum, rounded, and a product */
} attest_judge_quotient;

/* The keys whose exponentials a kernel computes by a polynomial, while it leaves the others to
 * the hardware. Key number i of a tile is in fragment i / fragment, and there the k-th. */
typedef struct attest_judge_emulation {
    attest_exp2_polynomial polynomial; /* of no coefficients: none */
    size_t fragment;                   /* 0: the whole tile */
    size_t frequency, emulated; /* the last emulated of every frequency, pair by pair: those
                                 * with (k - k mod 2) mod frequency >= frequency - emulated;
                                 * frequency 0: all */
    size_t first, spared;       /* not in the first and the last so many fragments of a tile */
} attest_judge_emulation;

/* Whether key number i of a tile of so many keys is one of them. */
bool attest_judge_emulation_has(const attest_judge_emulation *emulation, size_t i, size_t tile);

/* A complete recipe: with it, only exp is open. */
typedef struct attest_judge_schedule {
    attest_judge_order scores, pv; /* never any; tensor: by the model's block and fraction */
    size_t tile;
    attest_judge_direction direction; /* forward or backward */
    size_t lanes;   /* key j of a tile adds to lane j mod lanes; joined in order at the end */
    double rescale; /* the maximum is raised when it grows by more, log2 units; 0: always */
    attest_judge_constant constant;
    attest_judge_place divide; /* after or before */
    attest_judge_quotient quotient;
    attest_judge_emulation emulation;
    size_t splits; /* the tiles of a row are cut into so many parts, joined at the end; 0: 1 */
    bool flush;    /* results of binary32 below the least normal number are 0 */
} attest_judge_schedule;

/* How a kernel quantises q, k and v before it multiplies them (weights: p_scheme of the
 * variants). A scheme without a name: it does not. What its output is compared with is the
 * exact result of the inputs as they are given, or of the quantised ones. folded: the elements
 * are multiplied as they are, and the scales of q and k are factors of the score's scale, that
 * of v of the output; else the values of the elements are. */
typedef struct attest_judge_quantise {
    attest_block_format scheme[3];
    bool of_quantised;
    bool folded;
} attest_judge_quantise;

struct attest_judge_model {
    char *name;
    char *comment; /* what it describes, in a line; NULL: nothing is said */
    attest_judge_variant *variant;
    size_t variants; /* at least 1 */
    attest_judge_quantise quantise;
    attest_judge_schedule *schedule;
    size_t schedules; /* 0: the bound of the variants */
};

/* The model with no variant, which stands for no kernel. */
void attest_judge_model_init(attest_judge_model *model);
void attest_judge_model_clear(attest_judge_model *model);

/* Makes the kernels of the model quantise their weights, or with a scheme without a name no
 * more. */
void attest_judge_model_set_p_scheme(attest_judge_model *model,
                                     const attest_block_format *scheme);

/* Whether the kernels of the model quantise an input. */
bool attest_judge_model_quantises(const attest_judge_model *model);

/* What files do not say: the model fp32-any. */
void attest_judge_variant_init(attest_judge_variant *variant);

bool attest_judge_order_is_tensor(attest_judge_order order);

/* Refuses a model that contradicts itself: no kernel keeps to it, or its schedules are no
 * kernels of it. What is merely odd passes. Status: FORMAT; the text begins with the member, as
 * in a file. */
attest_status attest_judge_model_check(const attest_judge_model *model,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* The keys of the model's tile; 0: it is not known. */
size_t attest_judge_model_get_tile(const attest_judge_model *model);

#endif
