/* theorem2_parts.h -- what the strategies of Theorem 2 share. */
#ifndef ATTEST_THEORY_THEOREM2_PARTS_H
#define ATTEST_THEORY_THEOREM2_PARTS_H

#include "theory/theorem2.h"

#include "geometry/projection.h"
#include "number/rational_vector.h"

/* A direction is an attest_rational_vector v with |v| <= 1: denominator >= |numerator|. */

/* Draws entries from [-2^16, 2^16], the same on every machine; state is advanced. |v| <= 1, and
 * within 2^-14 of it. */
void attest_direction_gen(attest_rational_vector *direction, uint64_t *state);

/* Sets the denominator of a numerator that the caller has filled, not all 0. */
void attest_direction_normalise(attest_rational_vector *direction);

/* *apart = whether v is injective on the tokens and 0. Exact. Status: NOMEM, UNABLE. */
attest_status attest_direction_check(bool *apart, const attest_rational_vector *direction,
                                     const attest_tokens *tokens,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* least = the least |v.x| over the tokens. Exact. */
void attest_direction_least(fmpq_t least, const attest_projection *along);

/* w orthogonal to v with |w| <= size (for dim = 1: w = size). */
void attest_direction_output(fmpq *output, const attest_rational_vector *direction,
                             const fmpq_t size);

/* Sets output: orthogonal to v, of norm at most eps / (4 r_max). */
void attest_construction_set_output(attest_construction *construction,
                                    const attest_rational_vector *direction);

/* Fills weights, direction, kappa, output and r of the construction. */
attest_status attest_construction_finish(attest_construction *construction,
                                         const attest_rational_vector *direction,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* x rounded up (down) to bits significant binary digits. Domain: x > 0. */
void attest_round_up(fmpq_t x, long bits);
void attest_round_down(fmpq_t x, long bits);

/* The strategies. */
attest_status attest_theorem2_build_theorem(attest_construction *construction,
                                            const attest_dataset *dataset,
                                            attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_theorem2_build_gap(attest_construction *construction,
                                        const attest_dataset *dataset,
                                        attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_theorem2_build_tuned(attest_construction *construction,
                                          const attest_dataset *dataset,
                                          attest_error *error) ATTEST_WARN_UNUSED;

/* Sets the promise from what is stored: by Lemma 1 for vectors of length n, or by the sharp gap
 * for scores at least gap apart. */
void attest_theorem2_promise(attest_construction *construction, size_t n);
void attest_theorem2_promise_gap(attest_construction *construction, const fmpq_t gap);

/* Sets the closed formula. */
void attest_theorem2_formula(attest_construction *construction, size_t n, size_t tokens);

#endif
