/* gen_scores.c -- generators of scores within a range. */
#include "campaign/gen.h"
#include "number/scope.h"

/* Divides all values by the least power of two that brings them within the range. */
static void limit_range(attest_vocabulary *values, unsigned range)
{
    const fmpq *low = values->entry, *high = values->entry;
    ulong power = 0;
    FMPQ(width);

    for (size_t i = 1; i < values->count; i++) {
        if (fmpq_cmp(values->entry + i, low) < 0)
            low = values->entry + i;
        if (fmpq_cmp(values->entry + i, high) > 0)
            high = values->entry + i;
    }
    fmpq_sub(width, high, low);
    for (; fmpq_cmp_ui(width, range) > 0; fmpq_div_2exp(width, width, 1))
        power++;
    for (size_t i = 0; i < values->count; i++)
        fmpq_div_2exp(values->entry + i, values->entry + i, power);
}

attest_status attest_gen_scores(attest_dataset *dataset, struct theft *t,
                                const attest_gen_sequences *kind, unsigned range)
{
    static const attest_gen_tokens tokens = {
        .dim_max = 1, .count_min = 1, .count_max = 6, .zero = true, .decades = 20};
    ATTEST_SCOPED(attest_vocabulary, values);

    ATTEST_TRY(attest_gen_vocabulary(&values, t, &tokens));
    limit_range(&values, range);
    return attest_gen_dataset(dataset, t, &values, kind);
}
