/* theorem2.h -- Theorem 2: rank-1 softmax weights with different outputs for different
 * contexts, as exact rationals.
 *
 * W_K = (kappa) v^T, W_Q = (1) v^T, W_V = (1) v^T, W_O = w, with skip. Three strategies:
 *   theorem  v and kappa as in the paper's proof; delta is promised by Lemma 1 (proofs-notes/
 *            theorem2.md: the constant serves unequal lengths and masks, too);
 *   gap      kappa just large enough for the sharp gap: a least score gap of 1.317, or of up
 *            to 1.5 where that promises more;
 *   tuned    v, kappa, w searched in double for the largest separation relative to eps; the
 *            separation has to be certified afterwards. Repetitions are allowed. */
#ifndef ATTEST_THEORY_THEOREM2_H
#define ATTEST_THEORY_THEOREM2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/weights.h>

#include "geometry/projection.h"
#include "number/rationals.h"
#include "theory/separated.h"

typedef enum attest_strategy {
    ATTEST_STRATEGY_THEOREM = 0,
    ATTEST_STRATEGY_GAP,
    ATTEST_STRATEGY_TUNED
} attest_strategy;

const char *attest_strategy_name(attest_strategy strategy);

/* A bound of Definition 1: given by the caller, or taken just inside the data's extremes. */
typedef struct attest_given_bound {
    bool given;
    fmpq_t value;
} attest_given_bound;

typedef struct attest_construction {
    /* The parameters; set before building. */
    attest_strategy strategy;
    attest_mask mask;
    uint64_t seed;
    size_t jobs; /* processes that try directions (tuned); 0: one. The weights do not depend on
                    it */
    double max_work;     /* attention/head_plan.h: of pairs that are tested exactly */
    const char *without; /* a hypothesis that is not checked, or NULL; see below */
    attest_given_bound r_min, r_max, eps;
    bool eps_holds; /* the caller has proved the given eps: pairs are not tested */
    /* The results. */
    attest_weights weights;
    size_t dim;
    fmpq *direction; /* v, |v| <= 1 */
    fmpq *output;    /* w = W_O u_3 */
    fmpq_t kappa;
    fmpq_t r;     /* |outputs| < r */
    bool promise; /* theorem, gap: separations exceed delta, whose lower end is safe */
    arb_t delta, delta_log2;
    bool formula; /* the closed formula for these r_min, r_max, eps, n, |V|, d */
    arb_t delta_formula, delta_formula_log2;
    bool
        eps_by_direction; /* eps is the gap along v, a lower bound: too many tokens for pairs */
    /* If nothing was built: the hypothesis that fails, as `attest show theorem2` names it,
     * and the tokens. NULL: all hold. */
    const char *hypothesis;
    char explanation[256];
    size_t places; /* the tokens that show it: 0, 1 or 2 */
    attest_place place[2];
} attest_construction;

/* Strategy theorem, no mask, seed 1, no bounds given, any work. */
void attest_construction_init(attest_construction *construction);
void attest_construction_clear(attest_construction *construction);

/* Builds the weights. A hypothesis that fails is a result (hypothesis is set), not an error.
 * The hypothesis `without` is not checked: the weights and the promise are what the theorem's
 * formulas give, and the promise may be false. Without "r-min" or "eps" those bounds must be
 * given, and positive.
 * Error: rationals are exact; kappa is at least its value and within a factor 1 + 2^-40 of it
 *   (gap: 1 + 2^-60); |w| at most its value; delta and delta_formula enclose.
 * Status: DOMAIN (such a bound is not), UNABLE (theorem: the pairs of tokens are too many to
 * test, or that is more than max_work; no direction was found), NOMEM. Cost: theorem O(|V|^2 d)
 * exact; gap O(|V| d); tuned a few million exponentials. */
attest_status attest_construction_build(attest_construction *construction,
                                        const attest_dataset *dataset,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* A direction is an attest_rational_vector v with |v| <= 1: denominator >= |numerator|. */

/* Draws entries from [-2^16, 2^16], the same on every machine; state is advanced. |v| <= 1, and
 * within 2^-14 of it. */
void attest_direction_gen(attest_rational_vector *direction, uint64_t *state);

/* Sets the denominator of a numerator that the caller has filled, not all 0. */
void attest_direction_normalise(attest_rational_vector *direction);

/* *apart = v is injective on the tokens and 0. Exact. Status: NOMEM, UNABLE. */
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
