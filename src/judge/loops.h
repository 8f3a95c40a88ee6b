/* loops.h -- the inner loops of the bounds, one table for each instruction set.
 *
 * The order of the additions is not specified, nor whether a product is added with one rounding
 * or two; callers allow for both. Columns are padded to a multiple of JUDGE_LOOPS_PAD, keys to
 * whole panels.
 * */
#ifndef ATTEST_JUDGE_LOOPS_H
#define ATTEST_JUDGE_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    JUDGE_LOOPS_PANEL = 16, /* keys of a panel; their components c are adjacent */
    JUDGE_LOOPS_PAD = 8,
    JUDGE_LOOPS_TERMS = 512, /* the most terms of a block of a matrix unit */
    JUDGE_LOOPS_LEAST_POWER = -600,
    JUDGE_LOOPS_MOST_POWER = 80
};

/* The error of a computed sum: attest_judge_sum_error of src/judge/arithmetic.h. */
struct judge_loops_sum {
    bool tensor;
    double limit;                                            /* of partial sums */
    double size_part, most_part, rest, deep_size, deep_rest; /* a tree of roundings */
    /* the blocks of a matrix unit, including the errors of groups that are added */
    double terms, blocks, raised, least, cut, kept;
    double promoted_size, promoted_most, promoted_rest; /* infinite: there are no groups */
};

/* From products to scores: src/judge/row_scores.c. */
struct judge_loops_score {
    struct judge_loops_sum sum,
        query_sum; /* of the products; of the products of a scaled query */
    double scale, scale_error, rounding;
    bool scored, queried; /* the places where the scale may be applied */
    double u, least;      /* error of its product with the score; 0: exact */
    double store_u, store_least, store_limit; /* 0, 0, infinite: not stored */
    double query_scale, query_u, query_least, query_limit;
};

/* From scores to weights: src/judge/row_weights.c. */
struct judge_loops_weight {
    double top, far;        /* a key below far has weight 0 */
    double argument, reach; /* error of an argument relative to its distance from the maximum;
                               added to the distance */
    double common;          /* error of all exponents */
    double least_argument, flushed;
};

/* Sums over the weights of a row. */
struct judge_loops_total {
    double sum, low, high, largest_low, largest_high, doubt, lost, spent;
};

/* Errors of casts of weights: src/judge/row_weights.c. The sums exceed these parts of w by
 * size_sum and cast_sum. */
struct judge_loops_cast {
    double u, half, divided, rest;
    const double *extra; /* NULL, or additional errors, key by key */
    bool widens,
        kept; /* the row sum adds cast weights; the cast of the product counts in addition */
    double size_part, cast_part;
    double size_sum, cast_sum; /* set */
};

/* Casts with a known reference, of the keys of a tile. */
struct judge_loops_known {
    double two_b, quantum, unit,
        most;        /* 2^offset; the format: least number, 2^(1 - p), largest */
    double up, down; /* factors from the scale of the row to that of the tile, and back */
    double range, error, later; /* errors of the reference, an exponential and later factors */
    bool summed;                /* the row sum adds the same casts */
    bool divided; /* weights are divided before their cast: there are no later factors */
    double doubt; /* of a divided weight whose cast is not known, relative */
    double fixed;
    double shift; /* summed: the sum of the offsets */
    bool open;    /* set: half of some key stayed */
};

/* A matrix unit with binary32 results. */
struct judge_loops_unit {
    double a_least, b_least; /* the least normal numbers of its factors */
    double cut;              /* 2^-fraction, at least 2^-34 */
    uint64_t kept;           /* mask of the bits of a double that a result keeps */
};

/* A format of at most 25 bits, for numbers that round to it to nearest. */
struct judge_loops_format {
    double unit, quantum;  /* 2^(1 - p), the least number */
    double most, overflow; /* the largest number, and the result for larger ones */
    double least;          /* results below this become 0 */
    bool no_minus_zero;
};

/* From a quotient to the returned value: src/judge/row_output.c. */
struct judge_loops_end {
    double sign;                  /* 1: the upper end, -1: the lower one */
    double ratio_low, ratio_high; /* of the row sum */
    double final, tiny,
        limit; /* errors of the division and of flushing; the limit of the working format */
    bool descaled;
    double factor, u;  /* scale factor of the values, and the error of its product */
    bool plain, above; /* nothing is cast; cast to a neighbour */
    struct judge_loops_format output;
};

/* The error of evaluating a quotient: moved of size_v + |center| high, spent of most +
 * |center|, and rest, divided by sum. */
struct judge_loops_cost {
    double high, moved, spent, most, rest, sum;
};

/* The exponentials of an interval run in binary32: src/judge/interval_run.c. */
struct judge_loops_exponential {
    double factor, reference, second; /* x = R(R(score factor - reference) second) */
    double least;                     /* arguments below this in size become 0 */
    bool two;                         /* 2^x, not e^x */
    double error;                     /* relative, at least 2^-24 */
};

struct judge_loops {
    /* s[r][j] = sum_c q[r][c] k[c][j], size[r][j] = sum_c |q[r][c] k[c][j]|, for two rows r and
     * the keys j of a panel. */
    void (*products)(double *const s[2], double *const size[2], const double *const q[2],
                     const double *panel, size_t dim);
    /* Adds sum_j w_j v_jc and sum_j size_j |v_jc| for all columns. */
    void (*columns)(double *sum, double *size_v, const double *v, size_t columns,
                    const double *w, const double *size, size_t keys);
    /* Adds sum_j size_j |v_jc|. */
    void (*magnitudes)(double *size_v, const double *v, size_t columns, const double *size,
                       size_t keys);
    /* Adds sum_j half_j |v_jc - center_c|. */
    void (*spreads)(double *spread, const double *center, const double *v, size_t columns,
                    const double *half, size_t keys);
    /* Adds sum_j a_jc d_jc and sum_j a_jc, d_jc = v_jc - r_c or, where the lower end is sought,
     * -v_jc - r_c, a_jc = high_j where d_jc > 0, else low_j. */
    void (*phis)(double *phi, double *slope, const double *r, bool up, const double *v,
                 size_t columns, const double *low, const double *high, size_t keys);

    /* Key by key, with the rules above. Arrays have space for whole vectors of keys beyond the
     * count, which are set like keys that are not seen: t = -inf, weights 0. */
    /* t, delta, ev of the scores from s, size and the sizes of the keys, before softcap and
     * mask. Returns 1 where some ev is not below 2^1000, 2 where some delta is not, 3: both. */
    int (*scores)(double *t, double *delta, double *ev, const double *s, const double *size,
                  const double *key_size, const struct judge_loops_score *rule, size_t count);
    /* The errors of sums from at least the sums of the absolute values of their terms and at
     * least every partial sum; infinite where one may overflow. */
    void (*sum_errors)(double *e, const double *size, const double *most,
                       const struct judge_loops_sum *rule, size_t count);
    /* The largest t + delta, the largest t - delta, the least one of a key that is seen. */
    void (*extremes)(double result[3], const double *t, const double *delta, size_t count);
    /* The largest |t| + delta and the largest ev of the keys with t + delta not below far. */
    void (*sizes)(double result[2], const double *t, const double *delta, const double *ev,
                  double far, size_t count);
    /* g, on entry the errors of rescales, and the arguments w. Returns the largest g. */
    double (*exponents)(double *g, double *w, const double *t, const double *delta,
                        const struct judge_loops_weight *rule, size_t count);
    /* low and high around w; unless narrow from e^(argument -+ g), their values on entry. */
    void (*weights)(double *low, double *high, double *w, const double *g, const double *t,
                    double flushed, bool narrow, size_t count);
    /* Adds the keys to totals that begin with the sink. */
    void (*totals)(struct judge_loops_total *total, const double *w, const double *low,
                   const double *high, const double *t, double top, double least_argument,
                   size_t count);
    /* A bound on the sum of the differences from other exponentials of the same scores:
     * exponents differ by fixed and twice the errors of their arguments. */
    double (*apart)(const double *low, const double *high, const double *t, const double *delta,
                    const struct judge_loops_weight *rule, double fixed, size_t count);
    /* cast, half, weight_size, the sums of the rule; low and high where they are widened. */
    void (*casts)(double *cast, double *half, double *weight_size, double *low, double *high,
                  const double *w, struct judge_loops_cast *rule, size_t count);
    /* offset and spread of the keys of a tile: an error in the product with V is at most half_j
     * |r| + spread_j |v_jc| and offset_j v_jc, where half_j is added to known->fixed and then
     * set to 0; or, where that is larger, half_j |v_jc - r| + spread_j |v_jc|, and half_j
     * stays. summed: half_j |v_jc - r| and offset_j (v_jc - r). divided: the error of the
     * quotient times the sum of w is at most spread_j |v_jc| and offset_j v_jc, and half_j is
     * set to 0. */
    void (*known_casts)(double *offset, double *spread, double *half, const double *w,
                        const double *t, const double *delta, const double *cast,
                        struct judge_loops_known *known, const struct judge_loops_weight *rule,
                        size_t count);
    /* [lo_c, hi_c] += a block: the results of the unit for an addend between lo_c and hi_c and
     * the products of b_jc with numbers from low_j to high_j, low_j = high_j or >= 0, for all
     * columns. Where the largest exponent depends on them, or a result is beyond binary32,
     * open[c] is 1, and lo_c, hi_c stay. */
    void (*unit_ends)(double *lo, double *hi, unsigned char *open,
                      const struct judge_loops_unit *unit, const double *low,
                      const double *high, const double *b, size_t stride, size_t terms,
                      size_t columns);

    /* Column by column. */
    /* Bounds on the returned values for quotients up to x, or from x on; infinite: no bound. */
    void (*ends)(double *end, const double *x, const struct judge_loops_end *rule,
                 size_t columns);
    void (*costs)(double *error, const double *center, const double *size_v,
                  const struct judge_loops_cost *cost, size_t columns);

    /* Interval runs. x: the arguments of the exponentials, at least JUDGE_LOOPS_LEAST_POWER; y:
     * the exponential is e^y 2^rint(x), or e^y. Scores are numbers of binary32, -inf: the key
     * is not seen. Domain: the reference is finite. Returns the largest x, at least 0. */
    double (*arguments)(double *x, double *y, const double *score,
                        const struct judge_loops_exponential *rule, size_t count);
    /* The least and the largest result that is allowed, from x and e^y; 0 where a key is not
     * seen. Domain: x <= JUDGE_LOOPS_MOST_POWER. lo, hi may be x, y. */
    void (*exponentials)(double *lo, double *hi, const double *x, const double *y,
                         const double *score, const struct judge_loops_exponential *rule,
                         size_t count);
    /* Rounds numbers >= 0; a NaN stays. */
    void (*roundings)(double *x, const struct judge_loops_format *format, size_t count);
    /* Adds groups of count terms >= 0, rounded, to count lanes, each sum rounded; for both
     * ends. A NaN stays. */
    void (*lanes)(double *const lane[2], const double *const term[2],
                  const struct judge_loops_format format[2], size_t lanes, size_t groups);
};

extern const struct judge_loops attest_judge_loops_scalar;
extern const struct judge_loops attest_judge_loops_avx2;
extern const struct judge_loops attest_judge_loops_avx512;

/* The loops for the instruction set in use. */
const struct judge_loops *attest_judge_loops(void);

#endif
