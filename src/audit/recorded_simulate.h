/* recorded_simulate.h -- a head of recorded queries, keys and values in a simulated arithmetic.
 *
 * doc/audit.md, Recorded activations, gives the order of operations: that of evaluate.inc from
 * the scores on, with the scale, softcap, mask and sink of the question. Formats are those that
 * doubles host (hosted.h). */
#ifndef ATTEST_AUDIT_RECORDED_SIMULATE_H
#define ATTEST_AUDIT_RECORDED_SIMULATE_H

#include "judge/problem.h"
#include "format/simulate_in_double.h"

typedef struct attest_recorded_simulation {
    const attest_simulated_arithmetic *arithmetic;
    const attest_judge_problem *question;
    attest_in_double number, sum; /* the format, and that of dot products and sums */
    bool scales;
    double scale, cap, sink; /* rounded; cap 0: none */
    bool escaped;            /* an unbounded format's number that a double cannot stand for */
    uint64_t random;
    double *query, *key, *value;           /* of the head: rounded; keys entry after entry */
    double *gathered_key, *gathered_value; /* those that a masked row sees */
    double *score, *shifted, *weight, *mixed, *part;
    size_t *seen; /* which keys the row sees */
} attest_recorded_simulation;

/* Whether the arithmetic can be simulated here. */
bool attest_recorded_simulation_fits(const attest_simulated_arithmetic *arithmetic);

/* Both must outlive the simulation. Status: NOMEM. Clear it in either case. */
attest_status attest_recorded_simulation_init(attest_recorded_simulation *simulation,
                                              const attest_simulated_arithmetic *arithmetic,
                                              const attest_judge_problem *question,
                                              attest_error *error) ATTEST_WARN_UNUSED;
void attest_recorded_simulation_clear(attest_recorded_simulation *simulation);

/* Rounds queries, keys and values of a head. */
void attest_recorded_simulation_load(attest_recorded_simulation *simulation,
                                     const attest_judge_head *head);

/* out = the output of row i, value_dim entries; weight[j] = the part of key j, [keys] that of
 * the sink, 0 for keys that it does not see. Domain: it sees a key. */
void attest_recorded_simulation_run(double *out, double *weight,
                                    attest_recorded_simulation *simulation,
                                    attest_judge_head *head, size_t i);

#endif
