/* evaluate.h -- attention outputs of a whole dataset in a simulated arithmetic. */
#ifndef ATTEST_AUDIT_EVALUATE_H
#define ATTEST_AUDIT_EVALUATE_H

#include <attest/dataset.h>
#include <attest/judge.h>
#include <attest/weights.h>

#include "format/simulate_in_mpfr.h"
#include "theory/separated.h"

/* The outputs at count positions of dim entries: position p has entries p*dim ... */
typedef struct attest_audit_outputs {
    size_t count, dim;
    double *real;        /* exact, if doubles contain the format; else NULL */
    __mpfr_struct *wide; /* other formats; else NULL */
    size_t bytes;        /* size of the block that contains them */
} attest_audit_outputs;

/* The outputs to evaluate, and how. */
typedef struct attest_audit_request {
    const attest_dataset *dataset;
    const attest_weights *weights;
    const size_t *sequence; /* the sequences to evaluate, in order; NULL: all */
    size_t sequences;       /* number of sequences; with sequence NULL: dataset->count */
    unsigned rounded;       /* bit s: stage s rounds to the format; the others to a reference,
                             * binary64 or 2p + 64 bits */
    bool always_mpfr;       /* use MPFR even where doubles suffice */
    double *weights_out; /* NULL, or shared: gets the weights of softmax, key by key; those of
                          * position p and head h begin at (p heads + h) longest */
    size_t jobs;
    double max_work; /* limit on the work of a reference (attention/head_plan.h) */
} attest_audit_request;

/* The tokens that the sequences of a request use, and where the outputs of each sequence begin.
 */
typedef struct attest_audit_layout {
    size_t tokens, longest; /* the length of the longest sequence */
    uint32_t *token;        /* their indices in the table */
    uint32_t *local;        /* by index in the table: 1 + the place in token; 0: not used */
    size_t *start;          /* of each sequence, in positions; sequences + 1 */
} attest_audit_layout;

/* Returns false if memory runs out. Clear it in either case. */
bool attest_audit_layout_init(attest_audit_layout *layout, const attest_audit_request *request);
void attest_audit_layout_clear(attest_audit_layout *layout);

/* Returns the index in the dataset of sequence i of the request. */
size_t attest_audit_request_sequence(const attest_audit_request *request, size_t i);

/* Positions begin to end - 1 of a sequence. */
typedef struct attest_audit_passage {
    size_t begin, end;
} attest_audit_passage;

/* Returns the number of passages into which each sequence is cut, so that a few long sequences
 * still give at least `items` items of work. The outputs do not depend on it. */
size_t attest_audit_passages(size_t sequences, size_t items);

attest_audit_passage attest_audit_passage_get(size_t length, size_t i, size_t passages);

#define ATTEST_AUDIT_ALL_STAGES ((1u << ATTEST_STAGES) - 1)

/* Sets defaults: all sequences, all stages, one job, unlimited work. */
void attest_audit_request_init(attest_audit_request *request, const attest_dataset *dataset,
                               const attest_weights *weights);

/* outputs = the outputs at all positions of the sequences, in order; entries may be infinite or
 * NaN. They do not depend on jobs, nor on whether doubles or MPFR simulate the format. Status:
 * NOMEM, IO (a worker died). Cost: one projection per distinct token and head, and n scores per
 * position. */
attest_status attest_audit_evaluate(attest_audit_outputs *outputs,
                                    const attest_audit_request *request,
                                    const attest_simulated_arithmetic *arithmetic,
                                    attest_error *error) ATTEST_WARN_UNUSED;
void attest_audit_outputs_clear(attest_audit_outputs *outputs);

/* The same for formats whose numbers are doubles. *escaped = whether a number of an unbounded
 * format was outside the range of doubles. */
attest_status attest_audit_evaluate_in_double(attest_audit_outputs *outputs, bool *escaped,
                                              const attest_audit_request *request,
                                              const attest_simulated_arithmetic *arithmetic,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* outputs = those of the layer whose attention is the first schedule of the model: q, k and v
 * are the exact projections rounded once to the model's input formats, scores are not scaled,
 * and the sum of the heads' projections, and of the token where it is added, is rounded once to
 * the output format. Each sequence is a tensor of its own where a scheme has one scale for a
 * tensor. Status: USAGE (hardmax, or a model without a schedule), FORMAT (a projection beyond
 * the input format), NOMEM, IO. */
attest_status attest_audit_evaluate_kernel(attest_audit_outputs *outputs,
                                           const attest_audit_request *request,
                                           const attest_judge_model *model,
                                           attest_error *error) ATTEST_WARN_UNUSED;

/* Returns whether all entries at position p are finite. */
bool attest_audit_outputs_finite(const attest_audit_outputs *outputs, size_t p);

/* Compares the outputs at two positions entry by entry as numbers (-0 equals 0); 0: they
 * collide. Domain: both finite. */
int attest_audit_outputs_compare(const attest_audit_outputs *outputs, size_t p, size_t q);

/* Returns the number of entries whose absolute value is the largest number of the format: the
 * result of an overflow if the format saturates or rounding is toward zero. 0 for unbounded
 * exponents. */
size_t attest_audit_outputs_saturated(const attest_audit_outputs *outputs,
                                      const attest_format *format);

/* x = entry c at position p, exactly. Domain: finite. */
void attest_audit_outputs_get(arf_t x, const attest_audit_outputs *outputs, size_t p, size_t c);

#endif
