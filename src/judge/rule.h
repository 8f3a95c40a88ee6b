/* rule.h -- the constants of a bound: numbers of a variant and a problem that are the same for
 * every row. */
#ifndef ATTEST_JUDGE_RULE_H
#define ATTEST_JUDGE_RULE_H

#include "format/block_error.h"
#include "judge/arithmetic.h"
#include "judge/model.h"
#include "judge/problem.h"

typedef struct attest_judge_rule {
    const attest_judge_variant *variant;
    attest_judge_arithmetic output;
    attest_judge_arithmetic score, store, query, p, sum,
        pv;                       /* their limits are at most that of work */
    attest_judge_arithmetic work; /* of all steps between the scores and the output: binary32,
                                     or the accumulator of the scores if that is wider */
    double scale, scale_error;    /* |scale - exact scale| <= scale_error */
    bool additive;                /* the mask has values that are added */
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
    bool known_tiles;     /* tiles that may raise it are found row by row */
    bool known_reference; /* the reference is known up to its error */
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
static inline double attest_judge_rule_units(const attest_judge_rule *rule, double units)
{
    return (units + ATTEST_TERM(factor_units, rule->descaled ? 2 : 0)) * rule->work.u;
}

/* A lower bound on the shared results: members count as differences unless they are known to
 * matter only later. */
attest_judge_shared attest_judge_rule_compare(const attest_judge_rule *a,
                                              const attest_judge_rule *b);

/* ---- variants that accept the inputs ---- */

/* Reads every head once, so that workers meet no bad value, and leaves out the variants whose
 * input formats do not contain the values. left_out: one for each variant, all false at first.
 * Status: FORMAT (also if no variant remains), NOMEM. */
attest_status attest_judge_inputs_check(bool *left_out, const attest_judge_problem *problem,
                                        const attest_judge_model *model,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the rules of the remaining variants; returns their number. */
size_t attest_judge_inputs_set_rules(attest_judge_rule *rule, const bool *left_out,
                                     const attest_judge_problem *problem,
                                     const attest_judge_model *model);

#endif
