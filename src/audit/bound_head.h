/* bound_head.h -- the a priori bound of one row of one head, step by step.
 *
 * A quantity x of the exact layer is followed by three doubles:
 *   value  x up to slip,
 *   slip   >= |value - x|, from the doubles of these files,
 *   error  >= |computed x - x| / u, from the simulated arithmetic.
 * Every bound is a sum of products of positive doubles; the factor OUTWARD after each covers
 * its roundings. proofs-notes/audit.md names the steps. */
#ifndef ATTEST_AUDIT_BOUND_HEAD_H
#define ATTEST_AUDIT_BOUND_HEAD_H

#include <math.h>

#include "attention/head_plan.h"
#include "audit/bound.h"
#include "base/term.h"
#include "judge/problem.h"

/* Sums of up to 2^20 positive terms of a few roundings each are wrong by less than 2^-30. */
#define OUTWARD (1 + ATTEST_TERM(outward, 0x1p-30))
#define UNIT 0x1p-52 /* at least twice the unit roundoff of a double */

/* Rows of a matrix that are applied together. */
enum { BOUND_ROWS = 4 };

/* A matrix: |entries| rounded up, and the entries. Panels of BOUND_ROWS rows, the last one
 * filled up with zeros, column after column. */
typedef struct matrix {
    size_t rows, cols;
    double *size, *value;
} matrix;

typedef struct chain {
    size_t count;
    matrix factor[2];
} chain;

/* Vectors of quantities. */
typedef struct quantities {
    double *value, *slip, *error;
} quantities;

typedef struct bound_head {
    chain key, query, value, output;
    size_t score_width, value_width;
    quantities keys, queries, values; /* of all tokens of the table that are used */
    bool exact_scores;                /* no operation up to the scores is rounded */
} bound_head;

typedef struct bound {
    const attest_audit_request *request;
    const attest_audit_model *model;
    const attest_weights *weights;
    size_t dim, widest;
    attest_audit_layout layout;
    quantities entry;
    bound_head *head;
    size_t passages;    /* into which each sequence is cut for the workers */
    double *norm, *out; /* results; each may be NULL */
    double *variation;  /* by position and head, or NULL */
    /* Temporaries of one position: */
    quantities between, score, mean, result;
    quantities mixed;        /* by entry: see mix_values */
    double *magnitude;       /* absolute values of the vector that a matrix is applied to */
    double *weight, *spread; /* by key: weight, and weight times its relative error over u */
    double *sum, *total;     /* dim: errors of the outputs so far, and their sizes */
    size_t *winner;          /* hardmax: the tokens of keys that may win */
} bound;

/* Returns the quantities from number i on. */
quantities attest_audit_quantities_at(const quantities *q, size_t i);

/* Step 1: an entry of the data, rounded once. */
void attest_audit_bound_input(double *value, double *slip, double *error,
                              const fmpz_t numerator, const fmpz_t denominator,
                              const attest_audit_model *model);

/* Step 3: b->score at j = the score of one key, both of whose factors have errors. A factor may
 * be b->score at j itself. */
void attest_audit_bound_score(size_t j, quantities key, quantities query, size_t count,
                              const bound *b);

/* Steps 4 to 6: weights, sum, mix and division; b->mean = the mean's sizes and errors, from
 * b->score of `visible` keys, whose values stand at b->local[token[j]] - 1. *variation >= the
 * total variation between the computed weights and the exact ones. */
void attest_audit_bound_mean(double *variation, const quantities *values, const uint32_t *token,
                             size_t visible, size_t width, const bound *b);

/* Returns the relative error, over u, of a sum whose terms pass through this many roundings: G
 * of the note. */
double attest_audit_bound_growth(const attest_audit_model *model, double roundings);

/* Returns the number of roundings that a term of a sum of t products passes through. */
double attest_audit_bound_roundings(const attest_audit_model *model, size_t t);

/* Returns how many operations of a sum of t products may underflow: one per product, and one
 * more if the sum is stored in another format. */
double attest_audit_bound_losses(const attest_audit_model *model, size_t t);

/* Returns a close upper bound of (1 + u)^k - 1. Domain: 0 <= u <= 1; k a whole number. */
double attest_audit_bound_power(double u, double k);

/* Returns a close upper bound of e^x - 1. Domain: 0 <= x <= 1. */
double attest_audit_bound_expm1(double x);

/* The bound of a recorded head: steps 1 and 3 to 6 of proofs-notes/audit.md, with scale, mask
 * and sink (its part "Recorded heads"). */

typedef struct attest_audit_head_bound {
    const attest_judge_problem *problem;
    attest_audit_model model;
    double *block;    /* all numbers */
    uint32_t *number; /* the keys that a row sees, and where values stand */
    quantities query, key,
        value;              /* of the head; the value of a sink follows those of the keys */
    quantities scale, sink; /* one each */
    bound work;
} attest_audit_head_bound;

/* The problem must outlive it. Status: NOMEM. Clear it in either case. */
attest_status attest_audit_head_bound_init(attest_audit_head_bound *r,
                                           const attest_simulated_arithmetic *arithmetic,
                                           const attest_judge_problem *problem,
                                           attest_error *error) ATTEST_WARN_UNUSED;
void attest_audit_head_bound_clear(attest_audit_head_bound *r);

/* Copies the queries, keys and values of a head. */
void attest_audit_head_bound_load(attest_audit_head_bound *r, const attest_judge_head *head);

/* entry[c] >= |computed - exact output| 2^(unit_bits of the model) in row i, value_dim entries;
 * infinite where there is no bound: possible overflow, or a softcap. Domain: the row sees a
 * key. */
void attest_audit_head_bound_run(double *entry, attest_audit_head_bound *r,
                                 attest_judge_head *head, size_t i);

#endif
