/* rule.h -- the numbers of a variant and a problem that are the same for every row. */
#ifndef ATTEST_JUDGE_RULE_H
#define ATTEST_JUDGE_RULE_H

#include "format/block_error.h"
#include "judge/arithmetic.h"
#include "judge/model.h"
#include "judge/problem.h"

typedef struct attest_judge_rule {
    const attest_judge_variant *variant;
    attest_judge_arithmetic output;
    attest_judge_arithmetic score, store, query, p, sum, pv; /* no limit above that of work */
    attest_judge_arithmetic work; /* of everything between the scores and the output: binary32,
                                   * or the accumulator of the scores if that is wider */
    double scale, scale_error;    /* |scale - the scale| <= scale_error */
    bool additive;                /* the mask has values that are added */
    bool constants_leave;         /* scale or softcap are no normal numbers of work */
    bool power_of_two;            /* the scale is one: multiplying by it does not round */
    bool descaled;                /* the scale has the factors of a head in it, which cost two
                                   * roundings; the output is multiplied by value_factor */
    double value_factor;
    attest_judge_arithmetic scale_store, softcap_store, mask_store; /* where they are stored */
    double cap, cap_error;                                          /* of the softcap */
    double log_exp;          /* |log(1 + d)| for |d| <= the relative error of exp */
    double final;            /* relative error of a division */
    double least_reciprocal; /* of a row sum: it is a normal number, roundings included */
    double shifted;   /* what a rounded reference moves an exponent, as parts of |t| + offset */
    double flushed;   /* weights below it, as parts of the largest one, may be 0 */
    double tiny;      /* what is lost of a result, or of a weight, that may be 0 */
    double reach;     /* 2 threshold log 2 */
    bool folded;      /* the scale may be folded into the argument of exp2 */
    bool queried;     /* the query may be scaled */
    bool scored;      /* the score may be multiplied */
    bool rescaled;    /* the maximum may grow while weights are added */
    bool known_tiles; /* which tiles may raise it is decided row by row */
    bool known_reference; /* what is subtracted from a score is known but for its error */
    bool after, before;   /* where the division may be */
    bool quantised;       /* weights are, with these errors */
    attest_block_error scheme;
} attest_judge_rule;

/* What two variants have in common for every row of a problem. */
typedef enum attest_judge_shared {
    ATTEST_JUDGE_SHARE_NOTHING = 0,
    ATTEST_JUDGE_SHARE_SCORES, /* (1), (2) */
    ATTEST_JUDGE_SHARE_WEIGHTS /* (1) to (4), and the sums over the values */
} attest_judge_shared;

void attest_judge_rule_init(attest_judge_rule *rule, const attest_judge_variant *variant,
                            const attest_judge_problem *problem);

/* Sets what depends on the head: its factors. */
void attest_judge_rule_set_head(attest_judge_rule *rule, const attest_judge_head *head);

/* So many unit roundoffs of a constant that was folded: units, and two more for factors. */
static inline double attest_judge_rule_units(const attest_judge_rule *rule, double units)
{
    return (units + ATTEST_TERM(factor_units, rule->descaled ? 2 : 0)) * rule->work.u;
}

/* At least nothing: a member that is not known to matter later alone counts as a difference. */
attest_judge_shared attest_judge_rule_compare(const attest_judge_rule *a,
                                              const attest_judge_rule *b);

/* ---- which variants of a model have the values of a problem ---- */

/* Reads every head once, so that workers meet no bad value, and leaves out the variants whose
 * input formats do not hold the values. left_out: one for each variant, all false at first.
 * Status: FORMAT (also where none is left), NOMEM. */
attest_status attest_judge_inputs_check(bool *left_out, const attest_judge_problem *problem,
                                        const attest_judge_model *model,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* The rules of the variants that are left; returns how many. */
size_t attest_judge_inputs_set_rules(attest_judge_rule *rule, const bool *left_out,
                                     const attest_judge_problem *problem,
                                     const attest_judge_model *model);

#endif
