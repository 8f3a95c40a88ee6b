/* filter_gen.c -- layers whose numbers are doubles: of any size, with ties and near ties, and
 * with scores so far apart that doubles cannot tell contexts. */
#include <attest/number.h>

#include "base/scope.h"
#include "number/rationals.h"
#include "props/arithmetic.h"
#include "props/filter.h"

enum {
    HEADS = 3,
    SIZE = 2,
    WHOLE = 4 /* one in so many */,
    ENTRY_LIMIT = 3,
    SCORE_LIMIT = 60,
    TINY_SCORES = 700,
    SCALE = 300
};

/* Entries that are not 0, but for one of four behind the first. */
static attest_status gen_matrix(attest_matrix *matrix, struct theft *t, size_t rows,
                                size_t cols, const attest_format *format, bool whole)
{
    fmpq *entry = attest_rationals_alloc(rows * cols);

    if (!entry)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < rows * cols; i++)
        if (whole)
            fmpq_set_si(entry + i, attest_gen_integer(t, ENTRY_LIMIT), 1);
        else if (i == 0 || !attest_gen_rarely(t, 4))
            attest_props_arithmetic_gen_number(entry + i, t, format, ENTRY_LIMIT);
    attest_gen_set_matrix(matrix, entry, rows, cols);
    attest_rationals_free(entry, rows * cols);
    return ATTEST_OK;
}

/* Powers of two keep the entries doubles: none is beyond 2^+-900. */
static void gen_scales(attest_head *head, struct theft *t, const attest_vocabulary *tokens,
                       bool softmax)
{
    enum { FAR = 12, TINY = 15, SIZES };
    unsigned size = (unsigned)theft_random_choice(t, SIZES);
    long scale = attest_gen_rarely(t, 8) ? attest_gen_integer(t, SCALE) : 0;

    if (size >= FAR && size < TINY)
        attest_gen_set_scores(head, tokens, ATTEST_GEN_FAR - (long)theft_random_choice(t, 6));
    else if (size == TINY)
        attest_gen_set_scores(head, tokens, -(long)theft_random_choice(t, TINY_SCORES + 1));
    else if (softmax)
        attest_gen_limit_scores(head, tokens, SCORE_LIMIT);
    for (size_t i = 0; scale > 0 && i < head->wo.rows * head->wo.cols; i++)
        fmpz_mul_2exp(head->wo.entry + i, head->wo.entry + i, (flint_bitcnt_t)scale);
    if (scale < 0)
        fmpz_mul_2exp(head->wo.denominator, head->wo.denominator, (flint_bitcnt_t)-scale);
}

static attest_status gen_weights(attest_weights *weights, struct theft *t,
                                 const attest_vocabulary *tokens, bool whole)
{
    static const attest_setting doubles = {.number = ATTEST_ARITHMETIC_DOUBLE};
    attest_format format = attest_props_arithmetic_format(&doubles);
    size_t heads = whole ? 1 + (size_t)attest_gen_rarely(t, 4) : attest_gen_size(t, 1, HEADS);

    ATTEST_TRY(attest_weights_resize(weights, heads));
    weights->dim = tokens->dim;
    if (whole && attest_gen_rarely(t, 2)) /* different tokens may then have equal outputs */
        weights->skip = false;
    for (size_t h = 0; h < weights->heads; h++) {
        attest_head *head = weights->head + h;
        size_t size = attest_gen_size(t, 1, SIZE);
        attest_matrix *matrix[] = {&head->wk, &head->wq, &head->wv};
        for (size_t m = 0; m < 3; m++)
            ATTEST_TRY(gen_matrix(matrix[m], t, size, tokens->dim, &format, whole));
        ATTEST_TRY(gen_matrix(&head->wo, t, tokens->dim, size, &format, whole));
        if (!whole)
            gen_scales(head, t, tokens, weights->activation == ATTEST_SOFTMAX);
    }
    return ATTEST_OK;
}

/* Small integers: scores tie and outputs are equal, which doubles tell exactly, too. */
static void make_whole(attest_vocabulary *tokens, struct theft *t)
{
    for (size_t e = 0; e < tokens->count * tokens->dim; e++)
        tokens->real[e] = (double)attest_gen_integer(t, ENTRY_LIMIT);
}

/* The tokens as rationals, which scores are computed from. */
static attest_status add_rationals(attest_vocabulary *tokens)
{
    tokens->entry = attest_rationals_alloc(tokens->count * tokens->dim);
    if (!tokens->entry)
        return ATTEST_NOMEM;
    for (size_t e = 0; e < tokens->count * tokens->dim; e++)
        attest_number_set_double(tokens->entry + e, tokens->real[e]);
    return ATTEST_OK;
}

attest_status attest_props_filter_gen(attest_instance *instance, struct theft *t,
                                      const attest_setting *setting)
{
    static const attest_gen_tokens kind = {
        .dim_max = 4, .count_min = 3, .count_max = 7, .zero = true, .decades = 30};
    static const attest_gen_sequences sequences = {.count_min = 2,
                                                   .count_max = 5,
                                                   .length_min = 1,
                                                   .length_max = 5,
                                                   .repeats = true,
                                                   .shared = true};
    ATTEST_SCOPED(attest_vocabulary, tokens);
    bool whole;

    (void)setting;
    attest_gen_activation(&instance->weights, t);
    attest_gen_ties_and_mask(&instance->weights, t);
    ATTEST_TRY(attest_gen_doubles(&tokens, t, &kind));
    whole = attest_gen_rarely(t, WHOLE);
    if (whole)
        make_whole(&tokens, t);
    ATTEST_TRY(add_rationals(&tokens));
    ATTEST_TRY(gen_weights(&instance->weights, t, &tokens, whole));
    return attest_gen_dataset(&instance->dataset, t, &tokens, &sequences);
}
