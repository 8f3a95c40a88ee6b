/* eval.c -- outputs at positions, from the definition. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"
#include "recheck/recheck.h"

size_t attest_recheck_sequence(const attest_recheck *check, size_t position)
{
    size_t low = 0, high = check->dataset->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (check->dataset->start[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t attest_recheck_seen(const attest_recheck *check, size_t position)
{
    size_t i = attest_recheck_sequence(check, position);

    return check->weights->mask == ATTEST_MASK_CAUSAL
               ? position - check->dataset->start[i] + 1
               : attest_dataset_length(check->dataset, i);
}

attest_status attest_recheck_init(attest_recheck *check, const attest_dataset *dataset,
                                  const attest_weights *weights, attest_error *error)
{
    *check = (attest_recheck){.dataset = dataset,
                              .weights = weights,
                              .dim = dataset->dim,
                              .positions = dataset->total,
                              .heads = weights->heads,
                              .max_terms = ATTEST_CERTIFY_MAX_TERMS,
                              .work_left = INFINITY};
    check->group = attest_memory_alloc(check->positions, sizeof *check->group);
    check->value = attest_memory_alloc(check->positions, sizeof *check->value);
    check->bits = attest_memory_alloc(check->positions, sizeof *check->bits);
    if (check->group && check->value && check->bits && attest_recheck_init_heads(check) &&
        attest_recheck_find_groups(check))
        return ATTEST_OK;
    attest_recheck_clear(check);
    return attest_memory_fail(error);
}

void attest_recheck_clear(attest_recheck *check)
{
    for (size_t p = 0; check->value && p < check->positions; p++)
        if (check->value[p])
            _arb_vec_clear(check->value[p], (slong)check->dim);
    attest_recheck_clear_heads(check);
    free(check->group);
    free(check->value);
    free(check->bits);
    attest_recheck_clear_sketch(check);
}

/* out = what the skip adds of the token at the position. */
static void start_with_token(fmpq *out, const attest_recheck *check, size_t position)
{
    for (size_t c = 0; c < check->dim; c++) {
        size_t from = attest_weights_skip_entry(check->weights, c);

        fmpq_zero(out + c);
        if (from != SIZE_MAX)
            attest_tokens_get_entry(out + c, &check->dataset->tokens,
                                    check->dataset->token[position], from);
    }
}

/* Adds to out the mean of the values of head h over the winners among the keys in sight. */
static void add_winners(fmpq *out, const attest_recheck *check,
                        const attest_recheck_loaded *loaded, size_t h, size_t k, size_t seen)
{
    size_t winners = 0;
    FMPZ_VEC(sum, (slong)check->dim);
    FMPZ(score, best, denominator);
    FMPQ(mean);

    for (size_t j = 0; j < seen; j++) {
        attest_recheck_score(score, check, loaded, h, j, k);
        int order = winners ? fmpz_cmp(score, best) : 1;
        if (order < 0 || (order == 0 && check->weights->ties == ATTEST_TIES_LEFTMOST))
            continue;
        if (order > 0) {
            _fmpz_vec_zero(sum, (slong)check->dim);
            winners = 0;
        }
        fmpz_set(best, score);
        winners++;
        _fmpz_vec_add(sum, sum, fmpz_mat_entry(loaded->value[h], (slong)j, 0),
                      (slong)check->dim);
    }
    attest_recheck_value_denominator(denominator, check, loaded, h);
    fmpz_mul_ui(denominator, denominator, winners);
    for (size_t c = 0; c < check->dim; c++) {
        fmpq_set_fmpz_frac(mean, sum + c, denominator);
        fmpq_add(out + c, out + c, mean);
    }
}

void attest_recheck_exact(fmpq *out, attest_recheck *check, size_t position)
{
    size_t at, seen = attest_recheck_seen(check, position);
    const attest_recheck_loaded *loaded = attest_recheck_load(check, position, &at);

    start_with_token(out, check, position);
    for (size_t h = 0; h < check->heads; h++)
        add_winners(out, check, loaded, h, at, seen);
}

/* e = exp(numerator / denominator). The relative error of e^x is the absolute one of x: more
 * bits for a large x. */
static void exponential(arb_t e, const fmpz_t numerator, const fmpz_t denominator, long bits)
{
    slong more = (slong)fmpz_bits(numerator) - (slong)fmpz_bits(denominator) + 2;

    arb_set_fmpz(e, numerator);
    arb_div_fmpz(e, e, denominator, bits + (more > 0 ? more : 0));
    arb_exp(e, e, bits);
}

/* score[j] = the score of key j for query k less the largest one, over the score denominator.
 */
static void scores_below_largest(fmpz *score, const attest_recheck *check,
                                 const attest_recheck_loaded *loaded, size_t h, size_t k,
                                 size_t seen)
{
    FMPZ(largest);

    for (size_t j = 0; j < seen; j++) {
        attest_recheck_score(score + j, check, loaded, h, j, k);
        if (j == 0 || fmpz_cmp(score + j, largest) > 0)
            fmpz_set(largest, score + j);
    }
    for (size_t j = 0; j < seen; j++)
        fmpz_sub(score + j, score + j, largest);
}

/* Adds sum_j e^{s_j} v_j / sum_j e^{s_j}. Scores are taken relative to the largest, exactly:
 * every exponential is at most 1 and one of them is 1, so that nothing overflows and the
 * quotient of balls is finite. */
static void add_softmax(arb_ptr out, const attest_recheck *check,
                        const attest_recheck_loaded *loaded, size_t h, size_t k, size_t seen,
                        long bits)
{
    ARB_VEC(sum, (slong)check->dim);
    FMPZ_VEC(score, (slong)seen);
    FMPZ(denominator);
    ARB(e, total);

    attest_recheck_score_denominator(denominator, check, loaded, h);
    scores_below_largest(score, check, loaded, h, k, seen);
    for (size_t j = 0; j < seen; j++) {
        exponential(e, score + j, denominator, bits);
        arb_add(total, total, e, bits);
        for (size_t c = 0; c < check->dim; c++)
            arb_addmul_fmpz(sum + c, e, fmpz_mat_entry(loaded->value[h], (slong)j, (slong)c),
                            bits);
    }
    attest_recheck_value_denominator(denominator, check, loaded, h);
    arb_mul_fmpz(total, total, denominator, bits);
    for (size_t c = 0; c < check->dim; c++) {
        arb_div(sum + c, sum + c, total, bits);
        arb_add(out + c, out + c, sum + c, bits);
    }
}

void attest_recheck_enclose(arb_ptr out, attest_recheck *check, size_t position, long bits)
{
    size_t at, seen = attest_recheck_seen(check, position);
    FMPQ_VEC(exact, (slong)check->dim);

    if (check->weights->activation == ATTEST_HARDMAX)
        attest_recheck_exact(exact, check, position);
    else
        start_with_token(exact, check, position);
    for (size_t c = 0; c < check->dim; c++)
        arb_set_fmpq(out + c, exact + c, bits);
    if (check->weights->activation == ATTEST_SOFTMAX) {
        const attest_recheck_loaded *loaded = attest_recheck_load(check, position, &at);
        for (size_t h = 0; h < check->heads; h++)
            add_softmax(out, check, loaded, h, at, seen, bits + 30);
    }
}

arb_srcptr attest_recheck_ball(attest_recheck *check, size_t position, long bits)
{
    if (!check->value[position])
        check->value[position] = _arb_vec_init((slong)check->dim);
    if (check->bits[position] < bits)
        attest_recheck_enclose(check->value[position], check, position, bits);
    if (check->bits[position] < bits)
        check->bits[position] = bits;
    return check->value[position];
}
