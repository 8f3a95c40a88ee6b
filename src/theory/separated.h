/* separated.h -- Definition 1, tokenwise separatedness.
 *
 * A dataset is tokenwise (r_min, r_max, eps)-separated when every token has r_min < |x| < r_max
 * and any two different tokens have |x - x'| > eps. All inequalities are strict: the extremes
 * of the data are the suprema and infima of the bounds that hold, and do not hold themselves.
 */
#ifndef ATTEST_THEORY_SEPARATED_H
#define ATTEST_THEORY_SEPARATED_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/progress.h>

#include "number/rationals.h"

/* The extremes of a dataset, as exact squares, and the first tokens that attain them. */
typedef struct attest_separated {
    fmpq_t r_min_square, r_max_square; /* of the least and the largest norm */
    attest_place r_min, r_max;
    bool has_pair; /* there are two different tokens: */
    fmpq_t eps_square;
    attest_place eps[2]; /* in lexicographic order */
    bool no_duplicates;  /* no sequence has a token twice; else the first that does: */
    attest_place duplicate[2];
    attest_progress progress; /* reports pairs of tokens; init: none */
    size_t jobs; /* processes that search them; 0: one. The extremes do not depend on it */
    double
        max_work; /* attention/head_plan.h: of distances that are compared exactly; init: any */
} attest_separated;

void attest_separated_init(attest_separated *extremes);
void attest_separated_clear(attest_separated *extremes);

/* The extremes, exact. Among tokens, and pairs, that attain one the lexicographically first is
 * named. Status: NOMEM, UNABLE (more than max_work), IO (a worker died). Cost: see
 * closest_pair.h; O(V log V d) for V distinct tokens on benign data of dimension d <= 8. */
attest_status attest_separated_get(attest_separated *extremes, const attest_dataset *dataset,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* Which part of the definition fails. */
typedef enum attest_separated_part {
    ATTEST_SEPARATED_HOLDS = 0,
    ATTEST_SEPARATED_R_MIN, /* the token at r_min has |x| <= the bound */
    ATTEST_SEPARATED_R_MAX, /* the token at r_max has |x| >= the bound */
    ATTEST_SEPARATED_EPS    /* the tokens at eps have |x - x'| <= the bound */
} attest_separated_part;

/* Decides the definition for the bounds given; a bound of NULL is not checked. Exact. Domain:
 * bounds >= 0. */
attest_separated_part attest_separated_check(const attest_separated *extremes,
                                             const fmpq_t r_min, const fmpq_t r_max,
                                             const fmpq_t eps);

/* vector = token t, over its own denominator. */
void attest_token_vector_set(attest_rational_vector *vector, const attest_tokens *tokens,
                             size_t t);

/* Sets no_duplicates and duplicate. Status: NOMEM. Cost: one pass. */
attest_status attest_separated_find_duplicate(attest_separated *extremes,
                                              const attest_dataset *dataset,
                                              attest_error *error) ATTEST_WARN_UNUSED;

#endif
