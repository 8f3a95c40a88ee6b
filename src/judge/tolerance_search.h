/* tolerance_search.h -- a correct kernel whose output a tolerance refuses.
 *
 * Kernels of a model are drawn and run on one row, bit for bit: one that leaves the tolerance
 * is a proof that a correct kernel can. */
#ifndef ATTEST_JUDGE_TOLERANCE_SEARCH_H
#define ATTEST_JUDGE_TOLERANCE_SEARCH_H

#include <stdint.h>

#include <attest/judge.h>

#include "judge/allclose.h"

typedef struct attest_judge_tolerance_search {
    bool found;
    size_t variant; /* of the model */
    uint64_t seed;  /* of attest_judge_recipe_draw */
    size_t column;
    double output;
} attest_judge_tolerance_search;

/* Tries kernels, as many as some seconds allow, on the row of the element at this place of the
 * output, pushed away from the exact value there. exact and error are those of all elements.
 * Kernels that cannot be simulated are passed over. Status: FORMAT, NOMEM. */
attest_status attest_judge_tolerance_search_find(attest_judge_tolerance_search *escape,
                                                 const attest_qkv *qkv,
                                                 const attest_judge_model *model,
                                                 const attest_judge_allclose *tolerance,
                                                 const double *exact, const double *exact_error,
                                                 size_t place,
                                                 attest_error *error) ATTEST_WARN_UNUSED;

#endif
