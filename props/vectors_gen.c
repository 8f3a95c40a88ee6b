/* vectors_gen.c -- vectors whose values keep a gap by construction. */
#include <math.h>

#include "number/rationals.h"
#include "number/scope.h"
#include "props/vectors.h"

enum { GRID = 1024, FINE_GRID = 1 << 20 };

/* Raises the gap by steps until it will do. */
static void raise_gap(fmpq_t gap, slong grid, bool (*check)(const fmpq_t gap, size_t n),
                      size_t n)
{
    FMPQ(step);

    fmpq_set_si(step, 1, (ulong)grid);
    while (!check(gap, n))
        fmpq_add(gap, gap, step);
}

attest_status attest_vectors_set_tight(attest_vocabulary *values, size_t count,
                                       double threshold,
                                       bool (*check)(const fmpq_t gap, size_t n), size_t n)
{
    values->entry = attest_rationals_alloc(count);
    if (!values->entry)
        return ATTEST_NOMEM;
    values->count = count;
    values->dim = 1;
    FMPQ(gap);
    fmpq_set_si(gap, (slong)floor(threshold * FINE_GRID), FINE_GRID);
    raise_gap(gap, FINE_GRID, check, n);
    for (size_t i = 0; i < count; i++) {
        fmpq_set_si(values->entry + i, (slong)count - 1 - 2 * (slong)i, 2);
        fmpq_mul(values->entry + i, values->entry + i, gap);
    }
    return ATTEST_OK;
}

void attest_vectors_gen_gap(fmpq_t gap, struct theft *t, double threshold,
                            bool (*check)(const fmpq_t gap, size_t n), size_t n)
{
    enum { WHOLE, PACKED, WIDE, KINDS };
    slong least = (slong)ceil(threshold);

    switch (theft_random_choice(t, KINDS)) {
    case WHOLE:
        fmpq_set_si(gap, least + (slong)theft_random_choice(t, 4), 1);
        break;
    case PACKED:
        fmpq_set_si(gap, (slong)floor(threshold * GRID), GRID);
        break;
    default:
        fmpq_set_si(gap, least + (slong)theft_random_choice(t, 1000), 1);
    }
    raise_gap(gap, GRID, check, n);
}

void attest_vectors_gen_narrow(fmpq_t gap, struct theft *t, double threshold)
{
    uint64_t tenths = (uint64_t)(threshold * 10); /* tenths/10 < threshold, irrational */
    uint64_t one = theft_random_choice(t, tenths), other = theft_random_choice(t, tenths);

    fmpq_set_ui(gap, 1 + (ulong)(one < other ? one : other), 10);
}

attest_status attest_vectors_gen_values(attest_vocabulary *values, struct theft *t,
                                        size_t count, const fmpq_t gap)
{
    FMPQ(centre);

    ATTEST_TRY(attest_gen_reals(values, t, count, count, gap));
    if (!attest_gen_rarely(t, 2))
        return ATTEST_OK;
    fmpq_add(centre, values->entry, values->entry + count - 1);
    fmpq_div_2exp(centre, centre, 1);
    for (size_t i = 0; i < count; i++)
        fmpq_sub(values->entry + i, values->entry + i, centre);
    return ATTEST_OK;
}

attest_status attest_vectors_build(attest_dataset *dataset, const attest_vocabulary *values,
                                   const attest_vector_lists *lists)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    attest_error error;

    for (size_t i = 0; i < lists->count; i++) {
        for (size_t k = 0; k < lists->length[i]; k++)
            ATTEST_TRY(attest_dataset_builder_add_token(
                &builder, values->entry + lists->index[i][k], &error));
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, &error));
    }
    return attest_dataset_builder_finish(dataset, &builder, &error);
}
