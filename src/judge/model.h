/* model.h -- models of attention kernels: formats, orders and errors.
 *
 * A model describes all kernels that satisfy it. A member that lists several values allows any
 * of them: such a model has one variant for each combination, and a kernel of the model is a
 * kernel of one of its variants. */
#ifndef ATTEST_JUDGE_MODEL_H
#define ATTEST_JUDGE_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/format.h>
#include <attest/judge.h>

#include <attest/block.h>
#include "judge/exp_range.h"

/* The order of the additions of a sum of products, or the matrix unit that forms it. For the
 * product with V, forward and backward are the orders of the keys. */
typedef enum attest_judge_order {
    ATTEST_JUDGE_ORDER_ANY = 0,
    ATTEST_JUDGE_ORDER_FORWARD,  /* score: "sequential" */
    ATTEST_JUDGE_ORDER_BACKWARD, /* score: "reversed" */
    ATTEST_JUDGE_ORDER_TENSOR,   /* blocks in any order */
    ATTEST_JUDGE_ORDER_TENSOR_FORWARD,
    ATTEST_JUDGE_ORDER_TENSOR_BACKWARD,
    ATTEST_JUDGE_ORDER_PAIRWISE /* only for scores */
} attest_judge_order;

typedef enum attest_judge_scale {
    ATTEST_JUDGE_SCALE_ANY = 0,
    ATTEST_JUDGE_SCALE_SCORE,  /* the score is multiplied */
    ATTEST_JUDGE_SCALE_FOLDED, /* with log2 e, in the argument of exp2 */
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
    ATTEST_JUDGE_PLACE_BEFORE /* every weight is divided */
} attest_judge_place;

typedef enum attest_judge_join {
    ATTEST_JUDGE_JOIN_QUOTIENTS = 0, /* every part is divided; the exponentials of the
                                        logarithms of the row sums, over their sum, weigh the
                                        quotients */
    ATTEST_JUDGE_JOIN_LOGS,          /* the same, with the logarithm of that sum subtracted
                                        before the exponentials of the weights */
    ATTEST_JUDGE_JOIN_SUMS,          /* maxima, row sums and products with V are joined, and
                                        divided once */
    ATTEST_JUDGE_JOIN_ANY
} attest_judge_join;

typedef enum attest_judge_constant {
    ATTEST_JUDGE_CONSTANT_FOLDED = 0, /* k = fl32(fl32(scale) log2 e), fma(s, k, -fl32(m k)) */
    ATTEST_JUDGE_CONSTANT_SEPARATE    /* t = fl32(s fl32(scale)), exp(fl32(t - m)) */
} attest_judge_constant;

/* The base of the log-sum-exp that a kernel returns. */
typedef enum attest_judge_lse_base {
    ATTEST_JUDGE_LSE_NATURAL = 0,
    ATTEST_JUDGE_LSE_BINARY /* log2 of the sum of e^t */
} attest_judge_lse_base;

/* The log-sum-exp of a row without keys. */
typedef enum attest_judge_lse_empty {
    ATTEST_JUDGE_LSE_EMPTY_ANY = 0, /* any value */
    ATTEST_JUDGE_LSE_EMPTY_NEGATIVE,
    ATTEST_JUDGE_LSE_EMPTY_POSITIVE, /* infinite */
    ATTEST_JUDGE_LSE_EMPTY_ZERO,
    ATTEST_JUDGE_LSE_EMPTY_NAN
} attest_judge_lse_empty;

/* The log-sum-exp: judge-kernels.md (q). */
typedef struct attest_judge_lse_model {
    attest_judge_lse_base base;
    double log_absolute, log_relative; /* errors of log */
    double reference;     /* error of the reference in units of t, in unit roundoffs */
    attest_format format; /* of the result */
    bool without_sink;    /* the sink is not in the sum */
    attest_judge_lse_empty empty;
} attest_judge_lse_model;

/* The arithmetic of a sum of products: the scores, or the product with V. */
typedef struct attest_judge_dot {
    attest_format accumulate;
    bool exact_products; /* false: rounded to the format of the accumulator, or fused */
    attest_judge_order order;
    size_t block;         /* products in a block of a matrix unit */
    size_t fraction;      /* bits after the leading one that remain when products are aligned */
    size_t depth;         /* the most additions that a term passes; 0: not known */
    size_t promote;       /* products that a matrix unit sums from 0 before the accumulator adds
                             their sum, rounded to nearest; 0: no such groups */
    size_t promote_tiles; /* PV: the same in tiles; 0: no such groups */
} attest_judge_dot;

/* One combination of the alternatives. Errors are rounded up to doubles. */
typedef struct attest_judge_variant {
    attest_format q, k, v;
    attest_judge_dot score, pv;
    bool stored; /* scores are rounded to store */
    attest_format store;
    bool scale_stored, softcap_stored, mask_stored; /* the same for scaled scores, each step of
                                                       the softcap, sums with a mask */
    attest_format scale_store, softcap_store, mask_store;
    attest_judge_scale scale;
    attest_format scaled_query; /* scale query or any: the format of the scaled query */
    double softcap_relative, softcap_absolute; /* errors of tanh */
    attest_judge_max max;
    size_t tile; /* keys of a tile; 0: any */
    attest_judge_direction direction;
    double threshold;    /* lazy: the reference may be this far below the maximum, log2 units */
    double exp_relative; /* error of exp; exp(0) = 1 */
    bool cast;           /* P is rounded to p */
    attest_format p;
    long offset; /* P = 2^offset e^x */
    attest_block_format
        p_scheme; /* cast: scheme that quantises the weights of a tile first, in groups of a
                     row; without a name: none. The same in all variants of a model */
    attest_judge_sum_of sum_of;
    attest_format sum_accumulate;
    size_t lanes;     /* lanes of the row sum; 1: any order */
    size_t splits;    /* the most parts of the keys that are joined at the end */
    double split_log; /* absolute error of log when parts are joined */
    attest_judge_join join;
    double final_relative;
    attest_judge_place place;
    attest_format output;
    bool output_any; /* rounded up or down, rather than to nearest */
    attest_judge_lse_model lse;
    bool unscaled; /* a fault: weights are relative to the maximum of the tiles so far, and not
                      rescaled. Tiles and their direction are known; no file has this member */
} attest_judge_variant;

typedef enum attest_judge_quotient {
    ATTEST_JUDGE_QUOTIENT_DIVISION = 0,
    ATTEST_JUDGE_QUOTIENT_RECIPROCAL /* 1 / sum, rounded, and a product */
} attest_judge_quotient;

/* The keys whose exponentials are computed by a polynomial; the hardware computes the others.
 * Key i of a tile is in fragment i / fragment, and there the k-th. */
typedef struct attest_judge_emulation {
    attest_exp2_polynomial polynomial; /* no coefficients: no emulation */
    size_t fragment;                   /* 0: the whole tile */
    size_t frequency,
        emulated; /* the last emulated of every frequency, pair by pair: those with (k - k mod
                     2) mod frequency >= frequency - emulated; frequency 0: all */
    size_t first,
        spared; /* not in the first `first` and the last `spared` fragments of a tile */
} attest_judge_emulation;

/* Returns whether the exponential of key i in a tile of this many keys is computed by the
 * polynomial. */
bool attest_judge_emulation_has(const attest_judge_emulation *emulation, size_t i, size_t tile);

/* A complete recipe: it determines everything but exp. */
typedef struct attest_judge_schedule {
    attest_judge_order scores,
        pv; /* not any; tensor: with the block and fraction of the model */
    size_t tile;
    attest_judge_direction direction; /* forward or backward */
    size_t lanes;   /* key j of a tile adds to lane j mod lanes; joined in order at the end */
    double rescale; /* the reference is raised when the maximum grows by more, log2 units; 0:
                       always */
    attest_judge_constant constant;
    attest_judge_place divide; /* after or before */
    attest_judge_quotient quotient;
    attest_judge_emulation emulation;
    size_t splits; /* parts of the tiles of a row, joined at the end; 0: 1 */
    bool flush;    /* results of binary32 below the least normal number are 0 */
} attest_judge_schedule;

/* How a kernel quantises q, k and v before it multiplies them (weights: p_scheme of the
 * variants). A scheme without a name: not at all. The output is compared with the exact result
 * of the original inputs, or of the quantised ones. folded: the elements are multiplied, and
 * their scales are factors of the scale of the scores (q, k) and of the output (v); else the
 * values of the elements are multiplied. */
typedef struct attest_judge_quantise {
    attest_block_format scheme[3];
    bool of_quantised;
    bool folded;
} attest_judge_quantise;

struct attest_judge_model {
    char *name;
    char *comment; /* one line of description, or NULL */
    attest_judge_variant *variant;
    size_t variants; /* at least 1 */
    attest_judge_quantise quantise;
    attest_judge_schedule *schedule;
    size_t schedules; /* 0: the bound of the variants */
};

/* The empty model: no variant and no kernel. */
void attest_judge_model_init(attest_judge_model *model);
void attest_judge_model_clear(attest_judge_model *model);

/* Sets the scheme that quantises the weights in all variants; a scheme without a name: none. */
void attest_judge_model_set_p_scheme(attest_judge_model *model,
                                     const attest_block_format *scheme);

/* Returns whether the kernels of the model quantise an input. */
bool attest_judge_model_quantises(const attest_judge_model *model);

/* Sets the defaults: the model fp32-any. */
void attest_judge_variant_init(attest_judge_variant *variant);

bool attest_judge_order_is_tensor(attest_judge_order order);

/* Refuses a model that contradicts itself: no kernel satisfies it, or its schedules are not
 * kernels of it. Members without effect are accepted. Status: FORMAT; the text begins with the
 * member, as in a file. */
attest_status attest_judge_model_check(const attest_judge_model *model,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the base of the log-sum-exp, or its value in rows without keys, in all variants. Status:
 * USAGE, if the word is not one of those of a model. */
attest_status attest_judge_model_set_lse_base(attest_judge_model *model, const char *word,
                                              attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_judge_model_set_lse_empty(attest_judge_model *model, const char *word,
                                               attest_error *error) ATTEST_WARN_UNUSED;

/* The keys of a tile of the model; 0: unknown. */
size_t attest_judge_model_get_tile(const attest_judge_model *model);

#endif
