/* judgement.h -- an output compared with its bounds: how many elements are wrong, where, and
 * how far off. */
#ifndef ATTEST_JUDGE_JUDGEMENT_H
#define ATTEST_JUDGE_JUDGEMENT_H

#include <attest/judgement.h>

#include "io/json_write.h"
#include "format/simulate_in_double.h"
#include "judge/explain.h"
#include "judge/head_bound.h"
#include "judge/model.h"
#include "judge/pattern.h"
#include "judge/rows.h"

/* Bins of |output - exact| / bound: one below 2^ATTEST_JUDGE_LEAST_EXPONENT, then one for each
 * power of two; the last one has no upper end. */
enum { ATTEST_JUDGE_BINS = 26, ATTEST_JUDGE_LEAST_EXPONENT = -16 };

typedef struct attest_judge_counts {
    size_t within, wrong, undecided;
    size_t uncast;    /* wrong elements that are not numbers of the output format */
    double max_ratio; /* 0 if there is no bound; infinite for an output that is not finite */
} attest_judge_counts;

/* Consecutive rows of a head, each with a wrong element. */
typedef struct attest_judge_wrong_rows {
    size_t batch, head;
    size_t first, last;               /* rows */
    size_t first_column, last_column; /* all wrong elements are between these */
    size_t wrong;                     /* elements */
} attest_judge_wrong_rows;

/* How one element compares with its bounds. */
typedef struct attest_judge_element_result {
    size_t place; /* index in the arrays */
    size_t at[4]; /* batch, head, row, column */
    attest_judge_verdict verdict;
    bool uncast; /* it is not a number of the output format */
    double exact, error, lo, hi, bound, output, ratio;
    double ulps; /* |output - exact| in units in the last place of the output format, at the
                    largest of |exact|, |lo| and |hi|; infinite if the output is not finite */
} attest_judge_element_result;

/* How elements are judged. */
typedef struct attest_judge_element_rule {
    attest_in_double *format; /* the output formats of the variants */
    size_t formats;
    int least_exponent; /* of the format with the most bits: units are at least 2^this ... */
    int precision;      /* ... and x has the unit 2^(exponent - precision) */
    bool printed;
    unsigned decimals;
} attest_judge_element_rule;

attest_status attest_judge_element_rule_init(attest_judge_element_rule *rule,
                                             const attest_judge_model *model,
                                             const attest_judge_options *options,
                                             attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_element_rule_clear(attest_judge_element_rule *rule);

/* The verdict on an element between these bounds: also wrong if it is no number of an output
 * format. */
attest_judge_verdict attest_judge_element_rule_check(const attest_judge_element_rule *rule,
                                                     double output, double lo, double hi);

typedef struct attest_judge_summary {
    attest_judge_rows rows; /* that were judged */
    attest_judge_counts all;
    attest_judge_counts *head; /* batch * heads */
    attest_judge_wrong_rows *range;
    size_t ranges, room;
    bool has_worst; /* false: no element has a bound. Wrong elements count as worse than others;
                       among them ulps decide, then the ratio; among others the ratio */
    attest_judge_element_result worst;
    bool *is_wrong; /* rows.count * rows.columns: whether each element is wrong */
    size_t bin[ATTEST_JUDGE_BINS];
} attest_judge_summary;

/* Judges the elements of these rows: an element is within if it lies between its bounds and is
 * a number of the output format of (a variant of) the model. bounds has all five arrays.
 * Status: NOMEM; then there is nothing to clear. */
attest_status attest_judge_summary_init(attest_judge_summary *summary, const double *output,
                                        const attest_judge_bounds *bounds,
                                        const attest_judge_rows *rows,
                                        const attest_judge_model *model,
                                        const attest_judge_options *options,
                                        attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_summary_clear(attest_judge_summary *summary);

/* Returns wrong if an element is wrong, else undecided if an element is undecided, else within.
 */
attest_judge_verdict attest_judge_counts_verdict(const attest_judge_counts *counts);

/* Returns "within", "wrong" or "undecided". */
const char *attest_judge_verdict_name(attest_judge_verdict verdict);

/* ---- the judgement of the output of one layer ---- */

struct attest_judgement {
    size_t number; /* of the layer */
    attest_judge_summary summary;
    attest_judge_terms terms; /* of the worst element */
    bool same_in_tfloat32;    /* within, but inputs rounded to tfloat32 would be, too */
    bool printed;             /* the output is known to so many decimals */
    unsigned decimals;
    const char *unbounded;                /* why some elements are undecided, or NULL */
    bool by_schedule;                     /* the summary belongs to one schedule, ... */
    size_t schedule;                      /* ... the one with the fewest wrong elements */
    attest_judge_pattern pattern;         /* of the wrong elements, if there are any */
    attest_judge_explanation explanation; /* what would explain them */
};

/* Judges an output. The output and all five arrays of bounds and other have one entry for each
 * element of the output of the problem, or of the rows that the options select; other is work
 * space. The caller zeroes the judgement, sets its number, and clears it also after a failure.
 * Status as attest_judgement_make. */
attest_status attest_judgement_set(attest_judgement *judgement, const double *output,
                                   const attest_judge_bounds *bounds,
                                   attest_judge_bounds *other, const attest_qkv *qkv,
                                   const attest_judge_model *model,
                                   const attest_judge_options *options,
                                   attest_error *error) ATTEST_WARN_UNUSED;
void attest_judgement_clear(attest_judgement *judgement);

/* Return the sum of the counts of all layers, and the layer with the worst element, or NULL if
 * no element has a bound. */
attest_judge_counts attest_judgement_total(const attest_judgement *layer, size_t count);
const attest_judgement *attest_judgement_worst(const attest_judgement *layer, size_t count);

/* Returns whether the alternative makes every wrong layer within. */
bool attest_judgement_explains(const attest_judgement *layer, size_t count,
                               const attest_judge_found *found);

/* Returns the first layer with wrong elements, or NULL. */
const attest_judgement *attest_judgement_first_wrong(const attest_judgement *layer,
                                                     size_t count);

/* Writes the members of a JSON object that judges all layers together. */
void attest_judgement_write(attest_json *json, const attest_judgement *layer, size_t count);

/* Writes the members "layer", "batch", "head", "row" and "column" of an element. */
void attest_judgement_write_place(attest_json *json, size_t layer, const size_t at[4]);

/* Writes a ball with this centre and radius. */
void attest_judgement_write_ball(attest_json *json, const char *key, double value,
                                 double error);

#endif
