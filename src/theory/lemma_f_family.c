/* lemma_f_family.c -- Lemma F over a family: the least bound is that of two neighbours.
 *
 * The gap is that of the whole family: two lists that are neighbours of others only may hold
 * values closer to each other than any neighbours do, and the lemma's bound grows with the gap.
 * The bound is not monotone in t near t = gap: the least bound is taken, not the largest t. */
#include <stdint.h>

#include "theory/family.h"

void attest_family_bound_init(attest_family_bound *bound)
{
    bound->holds = false;
    bound->repeats = SIZE_MAX;
    bound->close[0] = bound->close[1] = SIZE_MAX;
    bound->pair[0] = bound->pair[1] = SIZE_MAX;
    fmpq_init(bound->gap);
    arb_init(bound->value);
    arb_init(bound->log2);
}

void attest_family_bound_clear(attest_family_bound *bound)
{
    fmpq_clear(bound->gap);
    arb_clear(bound->value);
    arb_clear(bound->log2);
}

/* The bound for neighbours i < j of the order, whose lists share the first p entries: j owns c,
 * the larger of the two entries at p. */
static attest_status bound_pair(arb_t value, arb_t log2, const attest_sorted_family *sorted,
                                const arb_t gap, size_t j, size_t p, long bits,
                                attest_error *error)
{
    const fmpz **list = sorted->entry + sorted->family->start[j];
    attest_status status;
    fmpz_t depth;
    arb_t t;

    fmpz_init(depth);
    arb_init(t);
    fmpz_sub(depth, list[0], list[p]);
    arb_fmpz_div_fmpz(t, depth, sorted->family->denominator, bits + (slong)fmpz_bits(depth));
    status = attest_lemma_f_bound(value, log2, gap, p == 0, t, bits, error);
    fmpz_clear(depth);
    arb_clear(t);
    return status;
}

/* The least over neighbours. Lower ends are compared: the least lower end bounds every pair. */
static attest_status bound_neighbours(attest_family_bound *bound,
                                      const attest_sorted_family *sorted, const arb_t gap,
                                      long bits, attest_error *error)
{
    attest_status status = ATTEST_OK;
    arb_t value, log2;
    arf_t lower, least;

    arb_init(value);
    arb_init(log2);
    arf_init(lower);
    arf_init(least);
    for (size_t s = 1; s < sorted->family->count && status == ATTEST_OK; s++) {
        size_t i = sorted->order[s - 1], j = sorted->order[s];
        size_t p = attest_sorted_family_common(sorted, i, j);

        if (p == attest_family_length(sorted->family, j))
            continue; /* equal sets; j is never a proper prefix of i */
        status = bound_pair(value, log2, sorted, gap, j, p, bits, error);
        if (status != ATTEST_OK)
            break;
        arb_get_lbound_arf(lower, log2, bits);
        if (bound->pair[0] == SIZE_MAX || arf_cmp(lower, least) < 0) {
            arf_set(least, lower);
            arb_set(bound->value, value);
            arb_set(bound->log2, log2);
            bound->pair[0] = i;
            bound->pair[1] = j;
        }
    }
    arb_clear(value);
    arb_clear(log2);
    arf_clear(lower);
    arf_clear(least);
    return status;
}

/* The gap as a fraction, and whether the lemma may be used. */
static bool check_hypotheses(attest_family_bound *bound, const attest_sorted_family *sorted)
{
    fmpq_t gap;
    bool wide = true;

    bound->repeats = sorted->repeats;
    if (sorted->has_gap) {
        fmpq_init(gap);
        fmpq_set_fmpz_frac(gap, sorted->gap, sorted->family->denominator);
        wide = attest_lemma_f_check_gap(gap);
        fmpq_set(bound->gap, gap);
        fmpq_clear(gap);
    }
    if (!wide) {
        bound->close[0] = sorted->close[0];
        bound->close[1] = sorted->close[1];
    }
    return wide && bound->repeats == SIZE_MAX;
}

static attest_status bound_sorted(attest_family_bound *bound,
                                  const attest_sorted_family *sorted, long bits,
                                  attest_error *error)
{
    attest_status status;
    arb_t gap;

    bound->holds = check_hypotheses(bound, sorted);
    if (!bound->holds || !sorted->has_gap)
        return ATTEST_OK;
    arb_init(gap);
    arb_fmpz_div_fmpz(gap, sorted->gap, sorted->family->denominator, bits);
    status = bound_neighbours(bound, sorted, gap, bits, error);
    arb_clear(gap);
    return status;
}

attest_status attest_lemma_f_bound_family(attest_family_bound *bound,
                                          const attest_family *family, long bits,
                                          attest_error *error)
{
    attest_sorted_family sorted;
    attest_status status = attest_sorted_family_init(&sorted, family, error);

    bound->holds = false;
    bound->repeats = bound->close[0] = bound->close[1] = SIZE_MAX;
    bound->pair[0] = bound->pair[1] = SIZE_MAX;
    fmpq_zero(bound->gap);
    if (status == ATTEST_OK)
        status = bound_sorted(bound, &sorted, bits, error);
    attest_sorted_family_clear(&sorted);
    return status;
}
