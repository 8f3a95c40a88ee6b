/* arithmetic.h -- rounding errors of formats and of sums in them; the constants of a bound,
 * which are the same for every row of a problem; doubles rounded outward.
 *
 * The bounds are sums of products of numbers >= 0, so that a few roundings of binary64 change
 * them by a few units in the last place. ATTEST_JUDGE_UP covers up to 2^12 roundings; code that
 * adds more states it (proofs-notes/judge.md, "Evaluation"). */
#ifndef ATTEST_JUDGE_ARITHMETIC_H
#define ATTEST_JUDGE_ARITHMETIC_H

#include <stdbool.h>

#include <attest/format.h>

#include "base/term.h"
#include "format/block_error.h"
#include "format/simulate_in_double.h"
#include "judge/loops.h"
#include "judge/model.h"
#include "judge/problem.h"

#define ATTEST_JUDGE_UP (1 + ATTEST_TERM(evaluation_up, 0x1p-40))
#define ATTEST_JUDGE_DOWN (1 - ATTEST_TERM(evaluation_down, 0x1p-40))

/* An operation to nearest errs by at most u |result| + least. */
typedef struct attest_judge_arithmetic {
    double u;     /* 2^-p */
    double least; /* the least normal number where an implementation may flush smaller results,
                     as with the exponents of binary32; else the least number */
    double quantum; /* the least number; 0: exponents are unbounded */
    double limit;   /* an exact result below it in magnitude does not overflow */
    attest_in_double in_double;
} attest_judge_arithmetic;

/* Domain: attest_in_double_fits. */
void attest_judge_arithmetic_init(attest_judge_arithmetic *unit, const attest_format *format);

/* Returns whether the limit, half a unit above the largest number, still rounds to the largest
 * number: its significand is even. */
bool attest_judge_arithmetic_includes_limit(const attest_format *format);

/* The parameters of the format for the loops of loops.h; flush: results below the least normal
 * number become 0. Domain: not plain. */
struct judge_loops_format attest_judge_arithmetic_get_format(const attest_in_double *h,
                                                             bool flush);

/* At least (1 + u)^n - 1. */
double attest_judge_grow(double u, double n);

/* At least e^x and at most e^x, x finite. */
double attest_judge_exp_up(double x);
double attest_judge_exp_down(double x);

/* ---- (1): errors of computed sums of products. size: at least the sum of the absolute values
 * of the terms; most: at least the absolute value of every partial sum, in any order.
 * judge_loops.sum_errors evaluates them ---- */

/* A tree of roundings: the smaller of size_part size + most_part most + rest and, where a depth
 * is known, deep_size size + deep_rest. A matrix unit: Lemma 2 with terms, blocks, raised,
 * least, cut, kept, where groups are added with what their additions lose; then the smaller of
 * that and promoted_size size + promoted_most most + promoted_rest. */
typedef struct judge_loops_sum attest_judge_sum_error;

/* For sums of terms products in blocks of a matrix unit. raised: the value that a product with
 * a subnormal factor has when a matrix unit aligns it; 0: no such product. rescales: the
 * most products with a rounded factor that a term passes. */
void attest_judge_sum_error_init(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                 const attest_judge_arithmetic *unit, double terms,
                                 double blocks, double raised, double rescales);

/* The same if dot->promote_tiles groups tiles whose products are summed from 0. tile: keys of a
 * tile; 0: any number. Call it after init. */
void attest_judge_sum_error_group(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                  const attest_judge_arithmetic *unit, size_t tile);

/* ---- the constants of a bound for one variant and one problem ---- */

typedef struct attest_judge_rule {
    const attest_judge_variant *variant;
    attest_judge_arithmetic output;
    attest_judge_arithmetic score, store, query, p, sum,
        pv;                       /* their limits are at most that of work */
    attest_judge_arithmetic work; /* of all steps between the scores and the output: binary32,
                                     or the accumulator of the scores if that is wider */
    double scale, scale_error;    /* |scale - exact scale| <= scale_error */
    bool additive;                /* the mask has values that are added */
    bool mask_first;              /* they are added before the softcap */
    bool constants_leave;         /* scale or softcap are not normal numbers of work */
    bool power_of_two;            /* the scale is a power of two: products with it are exact */
    bool descaled; /* the scale includes the factors of a head, with two more roundings; the
                      output is multiplied by value_factor */
    double value_factor;
    attest_judge_arithmetic scale_store, softcap_store,
        mask_store;          /* for steps that are stored */
    double cap, cap_error;   /* of the softcap */
    double log_exp;          /* |log(1 + d)| for |d| <= the relative error of exp */
    double final;            /* relative error of a division */
    double least_reciprocal; /* lower bound on the reciprocal of a row sum that is a normal
                                number after all roundings */
    double shifted; /* error of an exponent by a rounded reference, relative to |t| + offset */
    double flushed; /* weights below this part of the largest one may be 0 */
    double tiny;    /* error of a result, or of a weight, that may be flushed */
    double reach;   /* 2 threshold log 2 */
    bool folded;    /* the scale may be folded into the argument of exp2 */
    bool queried;   /* the query may be scaled */
    bool scored;    /* the score may be multiplied */
    bool rescaled;  /* the reference may grow while weights are added */
    bool joined_sums;     /* there may be parts, and their sums are joined */
    size_t quotients;     /* the most parts that are divided by their own row sum; 1: none */
    bool joined_logs;     /* their weights may be exponentials minus the logarithm of the sum */
    bool joined_anyhow;   /* there may be parts, joined in any way */
    bool known_tiles;     /* tiles that may raise it are found row by row */
    bool known_reference; /* the reference is known up to its error */
    bool known_quotients; /* weights are divided before their cast, by a sum that is known up to
                             its error */
    bool after, before;   /* places of the division */
    bool quantised;       /* weights are quantised, with these errors */
    attest_block_error scheme;
} attest_judge_rule;

/* Results that two variants share for every row of a problem. */
typedef enum attest_judge_shared {
    ATTEST_JUDGE_SHARE_NOTHING = 0,
    ATTEST_JUDGE_SHARE_SCORES, /* (1), (2) */
    ATTEST_JUDGE_SHARE_WEIGHTS /* (1) to (4), and the sums over the values */
} attest_judge_shared;

void attest_judge_rule_init(attest_judge_rule *rule, const attest_judge_variant *variant,
                            const attest_judge_problem *problem);

/* Sets the factors of the head. */
void attest_judge_rule_set_head(attest_judge_rule *rule, const attest_judge_head *head);

/* units unit roundoffs of a folded constant, and two more for factors. */
double attest_judge_rule_units(const attest_judge_rule *rule, double units);

/* What two variants share, or less: a difference in any member counts unless it is known to
 * matter only in later steps. */
attest_judge_shared attest_judge_rule_compare(const attest_judge_rule *a,
                                              const attest_judge_rule *b);

/* *rule = the constants of the variants whose input formats contain all values of q, k and v,
 * *rules of them; the caller frees them. Reads every head once, so that a bad value is reported
 * before workers start. Status: FORMAT (also if no variant remains), NOMEM; then *rule is NULL.
 */
attest_status attest_judge_rules_alloc(attest_judge_rule **rule, size_t *rules,
                                       const attest_judge_problem *problem,
                                       const attest_judge_model *model,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
