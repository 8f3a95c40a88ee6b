/* evaluate.h -- attention outputs of a whole dataset in a simulated arithmetic. */
#ifndef ATTEST_AUDIT_EVALUATE_H
#define ATTEST_AUDIT_EVALUATE_H

#include <attest/dataset.h>
#include "theory/separated.h"
#include <attest/weights.h>

#include "format/simulated.h"

/* The outputs at count positions of dim entries: position p has entries p*dim ... */
typedef struct attest_audit_outputs {
    size_t count, dim;
    double *real;        /* hosted formats: exact in a double; else NULL */
    __mpfr_struct *wide; /* other formats; else NULL */
    size_t bytes;        /* of the block that holds them */
} attest_audit_outputs;

/* What is evaluated. */
typedef struct attest_audit_request {
    const attest_dataset *dataset;
    const attest_weights *weights;
    const size_t *sequence; /* these ones, in order; NULL: all */
    size_t sequences;       /* how many; with sequence NULL: dataset->count */
    unsigned rounded;       /* bit s: stage s rounds to the format; the others to a reference,
                             * binary64 or 2p + 64 bits */
    bool never_hosted;      /* by MPFR even where doubles would do */
    double *weights_out; /* NULL, or shared: gets the weights of softmax, key by key; those of
                          * position p and head h begin at (p heads + h) longest */
    size_t jobs;
    double max_work; /* what the balls of a reference may take: attention/work.h */
} attest_audit_request;

/* Positions of a sequence from begin to before end. */
typedef struct attest_audit_passage {
    size_t begin, end;
} attest_audit_passage;

/* Into how many passages each of the sequences is cut, so that a few long ones give at least so
 * many items of work. What is computed at a position does not depend on it. */
static inline size_t attest_audit_passages(size_t sequences, size_t items)
{
    return sequences > 0 && sequences < items ? (items + sequences - 1) / sequences : 1;
}

static inline attest_audit_passage attest_audit_passage_get(size_t length, size_t i,
                                                            size_t passages)
{
    return (attest_audit_passage){length * i / passages, length * (i + 1) / passages};
}

#define ATTEST_AUDIT_ALL_STAGES ((1u << ATTEST_STAGES) - 1)

/* All sequences, all stages, one job, any work. */
void attest_audit_request_init(attest_audit_request *request, const attest_dataset *dataset,
                               const attest_weights *weights);

/* outputs = those at all positions of the sequences, one after another. Deterministic: the same
 * for any number of jobs, and for hosted formats the same numbers as MPFR gives. Outputs may be
 * infinite or NaN. Status: NOMEM, IO (a worker died). Cost: one projection per distinct token
 * and head, and n scores per position. */
attest_status attest_audit_evaluate(attest_audit_outputs *outputs,
                                    const attest_audit_request *request,
                                    const attest_simulated_arithmetic *arithmetic,
                                    attest_error *error) ATTEST_WARN_UNUSED;
void attest_audit_outputs_clear(attest_audit_outputs *outputs);

/* Whether all entries at position p are finite. */
bool attest_audit_outputs_finite(const attest_audit_outputs *outputs, size_t p);

/* The order of two positions' outputs, entry by entry as numbers (so -0 equals 0); 0: they
 * collide. Domain: both finite. */
int attest_audit_outputs_compare(const attest_audit_outputs *outputs, size_t p, size_t q);

/* Entries of the size of the largest number of the format: what overflows becomes that where a
 * format saturates, or is cut toward zero. 0 for unbounded exponents. */
size_t attest_audit_outputs_saturated(const attest_audit_outputs *outputs,
                                      const attest_format *format);

/* x = entry c at position p, exactly. Domain: finite. */
void attest_audit_outputs_get(arf_t x, const attest_audit_outputs *outputs, size_t p, size_t c);

/* The way for all formats; evaluate_in_double.h has the one for those that doubles hold. */
attest_status attest_audit_evaluate_in_mpfr(attest_audit_outputs *outputs,
                                            const attest_audit_request *request,
                                            const attest_simulated_arithmetic *arithmetic,
                                            attest_error *error) ATTEST_WARN_UNUSED;

#endif
