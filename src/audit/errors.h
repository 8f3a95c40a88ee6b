/* errors.h -- errors of an arithmetic against certified outputs: of entries in ulp, of outputs,
 * of the weights of softmax, and by width. */
#ifndef ATTEST_AUDIT_ERRORS_H
#define ATTEST_AUDIT_ERRORS_H

#include <mpfr.h>
#include <stdint.h>

#include <attest/flint.h>

#include "audit/reference.h"
#include "theory/contextual.h"

/* The number part 2^exponent, 1/2 <= part < 1; or part is 0 or infinite. */
typedef struct attest_audit_size {
    double part;
    long exponent;
} attest_audit_size;

/* Returns x >= 0, rounded up to 53 bits. */
attest_audit_size attest_audit_size_get(const mpfr_t x);

/* Returns a number < 0, = 0 or > 0 as a is less than, equal to or more than b. Domain: finite.
 */
int attest_audit_size_compare(attest_audit_size a, attest_audit_size b);

/* Returns the mean, rounded up, of a_count numbers with mean a and b_count numbers with mean b.
 */
attest_audit_size attest_audit_size_mean(attest_audit_size a, size_t a_count,
                                         attest_audit_size b, size_t b_count);

/* Writes a decimal with this many digits, for any exponent: a JSON number if the size is
 * finite. */
enum { ATTEST_AUDIT_SIZE_TEXT = 48 };
void attest_audit_size_format(char text[ATTEST_AUDIT_SIZE_TEXT], attest_audit_size size,
                              int digits);

/* Errors of outputs, in units of the last place, against certified ones. */

/* Errors in units of the last place of a format at the true value; an output that is not finite
 * has none. */
typedef struct attest_audit_errors {
    size_t entries;    /* finite entries that were compared */
    bool unlimited;    /* an unbounded format missed an exact 0: infinitely many ulp */
    size_t unresolved; /* entries whose exact value may or may not be 0 */
    attest_audit_size max_ulp, mean_ulp;
    size_t worst;                /* the position in the sample */
    attest_audit_size bound_ulp; /* the largest a priori bound, over the same entries; infinite:
                                  * none */
} attest_audit_errors;

/* Returns whether the errors were measured at all entries and none exceeds MPFR's exponents. */
bool attest_audit_errors_known(const attest_audit_errors *errors);

/* Measures outputs in this format. all: the dataset, if the outputs are those of all its
 * positions; NULL: those of the sample. bound: for every entry of the sample, over the unit
 * roundoff 2^-unit_bits, as attest_audit_bound computes it, or NULL. The result does not depend
 * on jobs. Status: NOMEM, IO. */
attest_status
attest_audit_errors_get(attest_audit_errors *errors, const attest_audit_outputs *outputs,
                        const attest_dataset *all, const attest_audit_reference *reference,
                        const attest_format *format, const double *bound, long unit_bits,
                        size_t jobs, attest_error *error) ATTEST_WARN_UNUSED;

/* Distances between computed and exact outputs, as whole vectors. */

/* Relative errors |computed - exact| / |exact| at the positions of the sample, from above. */
typedef struct attest_audit_deviation {
    size_t positions; /* positions that have one: the output is finite, and the exact one is not
                         0 */
    double max, mean;
    size_t worst;            /* the position in the sample */
    __mpfr_struct *distance; /* by position of the sample, >= |computed - exact|; infinite where
                              * an entry is not finite */
    size_t distance_bytes;
} attest_audit_deviation;

/* Measures outputs of the whole dataset (NULL: of the sample) at the positions of the sample.
 * Status: NOMEM. */
attest_status attest_audit_deviation_get(attest_audit_deviation *deviation,
                                         const attest_audit_outputs *outputs,
                                         const attest_dataset *dataset,
                                         const attest_audit_reference *reference,
                                         attest_error *error) ATTEST_WARN_UNUSED;
/* Frees the distances; the numbers remain. */
void attest_audit_deviation_forget(attest_audit_deviation *deviation);
void attest_audit_deviation_clear(attest_audit_deviation *deviation);

/* The error of the softmax weights in an arithmetic. */

/* The weights of a sample in binary64, and bounds on their errors. */
typedef struct attest_audit_exact_weights {
    attest_audit_request request; /* which sequences */
    size_t rows;                  /* positions times heads */
    size_t longest;
    double *weight;    /* longest for each row */
    double *variation; /* by row: >= the total variation from the exact weights */
} attest_audit_exact_weights;

/* Errors of the weights, over the rows whose weights are finite. */
typedef struct attest_audit_weights_error {
    size_t rows;
    double max, mean; /* total variation, half the sum of |computed - exact|, from above */
    size_t changed;   /* rows whose strongest key is not, for certain, a strongest exact one */
} attest_audit_weights_error;

/* Takes as many sequences of the sample as fit in about 64 MB. rows is 0 for hardmax. Status:
 * NOMEM, IO. */
attest_status attest_audit_exact_weights_get(attest_audit_exact_weights *weights,
                                             const attest_audit_request *request,
                                             const attest_audit_reference *sample,
                                             attest_error *error) ATTEST_WARN_UNUSED;
void attest_audit_exact_weights_clear(attest_audit_exact_weights *weights);

/* Counts one row of n computed weights. exact: within a total variation of `off` of the exact
 * ones. mean is the sum until all rows are counted. */
void attest_audit_weights_error_add(attest_audit_weights_error *weights_error,
                                    const double *computed, const double *exact, double off,
                                    size_t n);

/* Measures the weights of the arithmetic. Status: NOMEM, IO. Cost: one evaluation of the
 * sample. */
attest_status attest_audit_weights_error_get(attest_audit_weights_error *weights_error,
                                             const attest_audit_exact_weights *exact,
                                             const attest_simulated_arithmetic *arithmetic,
                                             attest_error *error) ATTEST_WARN_UNUSED;

/* The relative error of the outputs by width.
 *
 * Outputs of a real head hardly ever coincide, so the collapse bits are of little use; the
 * decrease of the error with the width is more informative. The errors are measured, not
 * bounded. */

enum { ATTEST_AUDIT_ERROR_WIDTHS = 24 };

typedef struct attest_audit_error_by_width {
    size_t sequences; /* of the sample, those that were evaluated */
    size_t widths;    /* 1, 2, ..., with unbounded exponents */
    bool known[ATTEST_AUDIT_ERROR_WIDTHS];
    double max[ATTEST_AUDIT_ERROR_WIDTHS], mean[ATTEST_AUDIT_ERROR_WIDTHS];
} attest_audit_error_by_width;

/* Measures widths 1 to 24 on the first sequences of the sample, as many as take about two
 * seconds of one processor by a count of operations, the same on every machine. arithmetic
 * gives the algorithm, the rounding and the accumulator. Status: NOMEM, IO. */
attest_status attest_audit_error_by_width_get(attest_audit_error_by_width *by_width,
                                              const attest_audit_request *request,
                                              const attest_audit_reference *reference,
                                              const attest_simulated_arithmetic *arithmetic,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* Which required pairs are still told apart, and how certainly. */

/* The worst that happened to a pair. */
typedef enum attest_audit_pair_kind {
    ATTEST_AUDIT_APART = 0,
    ATTEST_AUDIT_BY_ROUNDING,
    ATTEST_AUDIT_MERGED
} attest_audit_pair_kind;

/* Required pairs of the positions that were compared. required = apart + by_rounding + merged.
 */
typedef struct attest_audit_pairs {
    size_t positions;
    uint64_t required;
    uint64_t apart; /* for certain: the distance of the exact outputs exceeds the sum of both
                       errors */
    uint64_t by_rounding; /* the outputs differ, but errors of this size may make them equal */
    uint64_t merged;      /* the outputs are equal, or one is not finite */
    attest_audit_pair_kind kind; /* of the first pair that is not apart: merged if any is */
    attest_place pair[2];
} attest_audit_pairs;

/* Compares the outputs of the dataset at positions of the sample, at most 4096, evenly. Status:
 * NOMEM, IO. Cost: one distance per pair, cut short where it is large enough. */
attest_status
attest_audit_pairs_get(attest_audit_pairs *pairs, const attest_audit_outputs *outputs,
                       const attest_dataset *dataset, const attest_audit_reference *reference,
                       const attest_audit_deviation *deviation, const attest_contexts *classes,
                       size_t jobs, attest_error *error) ATTEST_WARN_UNUSED;

#endif
