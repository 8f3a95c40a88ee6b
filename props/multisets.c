/* multisets.c -- Boltzmann values of multisets, from the definition and from the identities. */
#include "props/multisets.h"

#include <stdlib.h>

#include "base/memory.h"
#include "number/rationals.h"
#include "number/scope.h"

attest_status attest_multisets_init(attest_multisets *sets, const attest_dataset *dataset,
                                    size_t a, size_t b)
{
    size_t count = dataset->tokens.count, sequence[2] = {a, b};

    *sets = (attest_multisets){.count = 0};
    sets->value = attest_rationals_alloc(count);
    sets->times[0] = attest_memory_alloc(count, sizeof *sets->times[0]);
    sets->times[1] = attest_memory_alloc(count, sizeof *sets->times[1]);
    if (!sets->value || !sets->times[0] || !sets->times[1]) {
        attest_rationals_free(sets->value, sets->value ? count : 0);
        sets->value = NULL;
        return ATTEST_NOMEM;
    }
    sets->count = count;
    for (size_t i = 0; i < count; i++)
        attest_tokens_get_entry(sets->value + i, &dataset->tokens, i, 0);
    for (int w = 0; w < 2; w++)
        for (size_t k = 0; k < attest_dataset_length(dataset, sequence[w]); k++)
            sets->times[w][attest_dataset_token(dataset, sequence[w], k)]++;
    return ATTEST_OK;
}

void attest_multisets_clear(attest_multisets *sets)
{
    if (sets->value)
        attest_rationals_free(sets->value, sets->count);
    free(sets->times[0]), free(sets->times[1]);
}

size_t attest_multisets_size(const attest_multisets *sets, int which)
{
    size_t size = 0;

    for (size_t i = 0; i < sets->count; i++)
        size += sets->times[which][i];
    return size;
}

bool attest_multisets_constant(const attest_multisets *sets, int which)
{
    size_t distinct = 0;

    for (size_t i = 0; i < sets->count; i++)
        distinct += sets->times[which][i] > 0;
    return distinct == 1;
}

void attest_multisets_most(fmpq_t most, const attest_multisets *sets, int which)
{
    bool any = false;

    for (size_t i = 0; i < sets->count; i++)
        if (sets->times[which][i] && (!any || fmpq_cmp(sets->value + i, most) > 0)) {
            fmpq_set(most, sets->value + i);
            any = true;
        }
}

bool attest_multisets_proportional(const attest_multisets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        for (size_t j = 0; j < i; j++)
            if (sets->times[0][i] * sets->times[1][j] != sets->times[0][j] * sets->times[1][i])
                return false;
    return true;
}

/* x = e^{a + b - 2c}, c NULL: 0. */
static void exp_sum(arb_t x, const fmpq_t a, const fmpq_t b, const fmpq_t c, long bits)
{
    FMPQ(sum);

    fmpq_add(sum, a, b);
    fmpq_sub(sum, sum, c);
    fmpq_sub(sum, sum, c);
    arb_set_fmpq(x, sum, bits);
    arb_exp(x, x, bits);
}

/* Returns the largest value of both sets; exponents are relative to it, so that none overflows.
 */
static const fmpq *top(const attest_multisets *sets)
{
    const fmpq *most = sets->value;

    for (size_t i = 1; i < sets->count; i++)
        if (fmpq_cmp(sets->value + i, most) > 0)
            most = sets->value + i;
    return most;
}

/* total = sum m_i e^{x_i - top}, first = sum m_i x_i e^{x_i - top}. */
static void get_sums(arb_t total, arb_t first, const attest_multisets *sets, int which,
                     const fmpq *most, long bits)
{
    ARB(e, x);

    arb_zero(total), arb_zero(first);
    for (size_t i = 0; i < sets->count; i++) {
        exp_sum(e, sets->value + i, most, most, bits);
        arb_mul_ui(e, e, sets->times[which][i], bits);
        arb_add(total, total, e, bits);
        arb_set_fmpq(x, sets->value + i, bits);
        arb_addmul(first, e, x, bits);
    }
}

void attest_multisets_boltz(arb_t value, const attest_multisets *sets, int which, long bits)
{
    ARB(total);
    FMPQ(most);

    attest_multisets_most(most, sets, which);
    get_sums(total, value, sets, which, most, bits);
    arb_div(value, value, total, bits);
}

void attest_multisets_by_m(arb_t value, const attest_multisets *sets, long bits)
{
    const fmpq *most = top(sets), *x = sets->value;
    const size_t *a = sets->times[0], *b = sets->times[1];
    ARB(of_a, of_b, e, rest);
    FMPQ(coefficient);

    get_sums(of_a, rest, sets, 0, most, bits);
    get_sums(of_b, rest, sets, 1, most, bits);
    arb_zero(value);
    for (size_t i = 0; i < sets->count; i++)
        for (size_t j = i + 1; j < sets->count; j++) {
            FMPQ(gap);
            fmpq_set_si(coefficient, (slong)(a[i] * b[j]) - (slong)(a[j] * b[i]), 1);
            fmpq_sub(gap, x + i, x + j);
            fmpq_mul(coefficient, coefficient, gap);
            exp_sum(e, x + i, x + j, most, bits);
            arb_set_fmpq(rest, coefficient, bits);
            arb_addmul(value, rest, e, bits);
        }
    arb_div(value, value, of_a, bits);
    arb_div(value, value, of_b, bits);
}

void attest_multisets_by_l(arb_t value, const attest_multisets *sets, long bits)
{
    const fmpq *most = top(sets);
    ARB(beta, e, x, total);

    attest_multisets_boltz(beta, sets, 1, bits);
    get_sums(total, x, sets, 0, most, bits);
    arb_zero(value);
    for (size_t i = 0; i < sets->count;
         i++) { /* multiset differences: max(A_i - B_i, 0), ... */
        exp_sum(e, sets->value + i, most, most, bits);
        arb_mul_si(e, e, (slong)sets->times[0][i] - (slong)sets->times[1][i], bits);
        arb_set_fmpq(x, sets->value + i, bits);
        arb_sub(x, x, beta, bits);
        arb_addmul(value, x, e, bits);
    }
    arb_div(value, value, total, bits);
}

attest_status attest_multisets_difference(attest_boltz_difference *difference,
                                          const attest_multisets *sets, long max_bits,
                                          attest_error *error)
{
    size_t count = sets->count, used[2] = {0, 0};
    size_t *times_a ATTEST_FREED = attest_memory_alloc(count, sizeof *times_a);
    size_t *times_b ATTEST_FREED = attest_memory_alloc(count, sizeof *times_b);
    size_t *times[2] = {times_a, times_b};
    FMPZ_VEC(numerator_a, (slong)count);
    FMPZ_VEC(numerator_b, (slong)count);
    fmpz *numerator[2] = {numerator_a, numerator_b};
    FMPZ(denominator);

    if (!times_a || !times_b)
        return ATTEST_NOMEM;
    fmpz_one(denominator);
    for (size_t i = 0; i < count; i++)
        fmpz_lcm(denominator, denominator, fmpq_denref(sets->value + i));
    for (int w = 0; w < 2; w++)
        for (size_t i = 0; i < count; i++)
            if (sets->times[w][i]) {
                attest_rationals_get_numerators(numerator[w] + used[w], denominator,
                                                sets->value + i, 1);
                times[w][used[w]++] = sets->times[w][i];
            }
    attest_multiset a = {used[0], numerator_a, times_a};
    attest_multiset b = {used[1], numerator_b, times_b};
    return attest_boltz_difference_bound(difference, &a, &b, denominator, 40, max_bits, error);
}
