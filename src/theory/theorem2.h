/* theorem2.h -- Theorem 2: rank-1 softmax weights that tell contexts apart, exact rationals.
 *
 * W_K = (kappa) v^T, W_Q = (1) v^T, W_V = (1) v^T, W_O = w, with skip. Three strategies:
 *   theorem  v and kappa as in the paper's proof; delta is promised by Lemma 1 (proofs-notes/
 *            theorem2.md: the constant serves unequal lengths and masks, too);
 *   gap      kappa just large enough for the sharp gap: a least score gap of 1.317, or of up
 *            to 1.5 where that promises more;
 *   tuned    v, kappa, w searched in double for the largest separation relative to eps; what it
 *            keeps apart has to be certified afterwards. Repetitions are allowed. */
#ifndef ATTEST_THEORY_THEOREM2_H
#define ATTEST_THEORY_THEOREM2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include "theory/separated.h"
#include <attest/weights.h>

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
    /* What is asked for; set before building. */
    attest_strategy strategy;
    attest_mask mask;
    uint64_t seed;
    size_t jobs; /* processes that try directions (tuned); 0: one. The weights do not depend on
                    it */
    double max_work;     /* attention/work.h: of pairs that are tested exactly */
    const char *without; /* a hypothesis that is not insisted on, or NULL; see below */
    attest_given_bound r_min, r_max, eps;
    bool eps_holds; /* the caller knows that the given eps does: pairs are not looked at */
    /* What was built. */
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
    /* Or why nothing was built: the hypothesis that fails, as `attest show theorem2` names it,
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

#endif
