/* theorem1_check.c -- does hardmax merge two positions whose vocabularies differ? */
#include <stdlib.h>

#include <attest/attention.h>

#include "base/memory.h"
#include "theory/theorem1_check.h"
#include "number/scope.h"

static attest_status add_sequence(attest_dataset_builder *builder, const fmpz *numerator,
                                  const fmpz_t denominator, size_t dim, const size_t *index,
                                  size_t length, attest_error *error)
{
    FMPQ_VEC(token, (slong)dim);

    for (size_t k = 0; k < length; k++) {
        for (size_t c = 0; c < dim; c++)
            fmpq_set_fmpz_frac(token + c, numerator + index[k] * dim + c, denominator);
        ATTEST_TRY(attest_dataset_builder_add_token(builder, token, error));
    }
    return attest_dataset_builder_end_sequence(builder, error);
}

attest_status attest_theorem1_set_pair(attest_counterexample *counterexample,
                                       const fmpz *numerator, const fmpz_t denominator,
                                       size_t dim, const size_t *const index[2],
                                       const size_t length[2], const size_t position[2],
                                       attest_error *error)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_RATIONAL, NULL);

    counterexample->has_pair = false;
    for (size_t side = 0; side < 2; side++) {
        if (length[side] > 0)
            ATTEST_TRY(add_sequence(&builder, numerator, denominator, dim, index[side],
                                    length[side], error));
        counterexample->pair[side][0] = length[side] > 0 ? side : 0;
        counterexample->pair[side][1] = position[side];
    }
    ATTEST_TRY(attest_dataset_builder_finish(&counterexample->dataset, &builder, error));
    counterexample->has_pair = true;
    if (attest_counterexample_set_texts(counterexample, "theorem1", "contextual-mapping",
                                        "construction") != ATTEST_OK)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

/* How many keys the position sees. */
static size_t seen(const attest_counterexample *counterexample, size_t side)
{
    if (counterexample->weights.mask == ATTEST_MASK_CAUSAL)
        return counterexample->pair[side][1] + 1;
    return attest_dataset_length(&counterexample->dataset, counterexample->pair[side][0]);
}

/* Whether side sees a token that the other side does not. */
static bool sees_more(const attest_counterexample *counterexample, size_t side)
{
    const attest_dataset *dataset = &counterexample->dataset;
    size_t mine = counterexample->pair[side][0], other = counterexample->pair[1 - side][0];

    for (size_t k = 0; k < seen(counterexample, side); k++) {
        bool shared = false;

        for (size_t l = 0; l < seen(counterexample, 1 - side); l++)
            shared = shared || attest_dataset_token(dataset, mine, k) ==
                                   attest_dataset_token(dataset, other, l);
        if (!shared)
            return true;
    }
    return false;
}

static attest_status compute_output(attest_counterexample *counterexample, size_t side,
                                    attest_error *error)
{
    const attest_dataset *dataset = &counterexample->dataset;
    ATTEST_SCOPED(attest_sequence, sequence);

    ATTEST_TRY(attest_dataset_get_sequence(&sequence, dataset, counterexample->pair[side][0],
                                           NULL, error));
    FMPQ_VEC(all, (slong)(sequence.length * sequence.dim));
    ATTEST_TRY(attest_attention_exact(all, &counterexample->weights, &sequence, error));
    for (size_t c = 0; c < dataset->dim; c++)
        fmpq_set(counterexample->output[side] + c,
                 all + counterexample->pair[side][1] * dataset->dim + c);
    return ATTEST_OK;
}

attest_status attest_theorem1_check(bool *merged, attest_counterexample *counterexample,
                                    attest_error *error)
{
    const attest_dataset *dataset = &counterexample->dataset;

    *merged = false;
    attest_counterexample_resize_outputs(counterexample, dataset->dim);
    for (size_t side = 0; side < 2; side++)
        ATTEST_TRY(compute_output(counterexample, side, error));
    *merged =
        attest_dataset_token(dataset, counterexample->pair[0][0], counterexample->pair[0][1]) ==
            attest_dataset_token(dataset, counterexample->pair[1][0],
                                 counterexample->pair[1][1]) &&
        (sees_more(counterexample, 0) || sees_more(counterexample, 1));
    for (size_t c = 0; c < dataset->dim && *merged; c++)
        *merged = fmpq_equal(counterexample->output[0] + c, counterexample->output[1] + c);
    return ATTEST_OK;
}
