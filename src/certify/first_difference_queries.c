/* first_difference_queries.c -- the hypotheses, and what the sharp gap says for each
 * token. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <attest/kernel.h>

#include "theory/sharp_gap.h"

#include "base/memory.h"
#include "base/term.h"
#include "certify/first_difference.h"
#include "number/double.h"
#include "number/scope.h"

/* log(2 + sqrt 3) = 1.316957896924816..., and a double safely above it. */
static const double threshold_above = 1.3169578969249;

/* Constants are moved by this relative amount in the safe direction, more than the roundings of
 * all that is computed from them: products, the kernels' exp, attest_double_log, a few ulps
 * each (proofs-notes/first_difference.md, "Candidates"). */
static const double slack = 1e-12;

/* The sign of the projection of x, where doubles cannot tell. */
static int exact_sign(const attest_first_scan *scan, size_t t)
{
    FMPQ(value);

    attest_projection_get(value, scan->head.parallel ? &scan->y : &scan->a, t);
    return fmpq_sgn(value);
}

/* Whether |a.x| gap >= log(2 + sqrt 3), decided exactly. */
static bool exact_gap(const attest_first_scan *scan, size_t t)
{
    FMPQ(gap, least);

    fmpq_set(least, scan->y.gap);
    attest_projection_get(gap, scan->head.parallel ? &scan->y : &scan->a, t);
    if (scan->head.parallel)
        fmpq_mul(gap, gap, scan->head.ratio);
    fmpq_abs(gap, gap);
    fmpq_mul(gap, gap, least);
    return attest_sharp_gap_check(gap);
}

/* |entry c of token t|, within a relative error of 2^-51. */
static double magnitude(const attest_tokens *tokens, size_t t, size_t c)
{
    FMPQ(entry);
    ARB(x);

    if (tokens->real)
        return fabs(tokens->real[t * tokens->dim + c]);
    attest_tokens_get_entry(entry, tokens, t, c);
    arb_set_fmpq(x, entry, 60);
    return fabs(arf_get_d(arb_midref(x), ARF_RND_UP));
}

/* An upper bound of |x| but for what underflows in the end, 2^-1075. Roundings by u = 2^-53:
 * the root halves the d of a square and its sum, and makes one; the product two, the entries of
 * rational tokens less than one. Scaled so that the largest entry is at most 1, and not far
 * below: nothing overflows, and hardly anything underflows. */
static double norm_above(const attest_tokens *tokens, size_t t)
{
    double sum = 0, most = 0, factor;
    int exponent;

    for (size_t c = 0; c < tokens->dim; c++) {
        double size = magnitude(tokens, t, c);
        most = size > most ? size : most;
    }
    frexp(most, &exponent);
    exponent = exponent < -1000 ? -1000 : exponent; /* 2^-exponent must not overflow */
    factor = ldexp(1, -exponent);
    for (size_t c = 0; c < tokens->dim; c++) {
        double scaled = magnitude(tokens, t, c) * factor;
        sum += scaled * scaled;
    }
    return ldexp(sqrt(sum) *
                     (1 + ATTEST_TERM(query_norm, ((double)tokens->dim / 2 + 6) * 0x1p-53)),
                 exponent);
}

/* The bound's constants at a gap that is at most the token's: smaller gaps bound less. */
static void set_constants(attest_first_query *query, double gap)
{
    double q, below = -gap;

    attest_kernel_exp(&q, &below, 1);
    query->mu = gap * q / (1 - q) * (1 + ATTEST_TERM(query_mu, slack)) +
                ATTEST_TERM(query_mu_underflow, 0x1p-1000); /* where q underflows */
    query->nu = query->mu / (1 - q);                        /* mu's slack is enough for both */
    query->shallow = gap * q / (1 + q) * (1 + ATTEST_TERM(query_shallow, slack)) +
                     ATTEST_TERM(query_shallow_underflow, 0x1p-1000);
    query->twice = 2 * gap;
    query->slope = 1 - 2 * q - ATTEST_TERM(query_slope, slack);
    query->at_maximum = attest_double_log(gap - query->nu);
    query->at_maximum -= ATTEST_TERM(query_maximum, slack * (1 + fabs(query->at_maximum)));
}

static void set_query(attest_first_scan *scan, size_t t, double gap)
{
    const attest_projection *a = scan->head.parallel ? &scan->y : &scan->a;
    attest_first_query *query = &scan->query[t];
    double most, score;

    query->alpha = fabs(a->value[t]);
    query->alpha_error = a->error[t];
    query->last = ATTEST_FIRST_NONE;
    query->sign = (int8_t)((a->value[t] > 0) - (a->value[t] < 0));
    if (query->alpha <= query->alpha_error)
        query->sign = (int8_t)exact_sign(scan, t);
    if (scan->head.parallel && fmpq_sgn(scan->head.ratio) < 0)
        query->sign = (int8_t)-query->sign; /* a = ratio v */
    /* scores are K alpha times a difference of values; a.x = K alpha / unit */
    score = scan->scale * (query->alpha - query->alpha_error);
    most = scan->scale * (query->alpha + query->alpha_error);
    query->offset = -attest_double_log(most / scan->unit);
    query->offset -= ATTEST_TERM(query_offset, slack * (1 + fabs(query->offset)));
    query->norm = norm_above(scan->y.tokens, t);
    if (score * gap >= threshold_above)
        set_constants(query, score * gap);
    else
        query->mu = query->nu = NAN; /* to be looked at exactly */
    query->reach = query->nu / score * scan->unit;
}

/* A token whose gap is within rounding of the threshold: the hypothesis is decided exactly, and
 * the constants are those of a number a little below. */
static bool set_close_query(attest_first_scan *scan, size_t t)
{
    attest_first_query *query = &scan->query[t];
    double score = scan->scale * (query->alpha - query->alpha_error);

    if (!exact_gap(scan, t))
        return false;
    set_constants(query, 1.31695789692481);
    query->reach = query->nu / score * scan->unit;
    return score > 0;
}

static void explain_token(char *reason, size_t size, const attest_first_scan *scan, size_t t,
                          const char *what)
{
    const attest_dataset *dataset = scan->claim->dataset;
    size_t place = 0, sequence = 0;

    while (dataset->token[place] != t) /* every token of the index occurs */
        place++;
    while (dataset->start[sequence + 1] <= place)
        sequence++;
    snprintf(reason, size, "%s at [%zu,%zu]", what, sequence, place - dataset->start[sequence]);
}

/* A lower bound of the least distance of values, and of what it becomes times a score. */
static double get_gap(const attest_projection *y)
{
    ARB(least);

    arb_set_fmpq(least, y->gap, 64);
    arb_mul_2exp_si(least, least, -y->exponent);
    return arf_get_d(arb_midref(least), ARF_RND_DOWN) * (1 - ATTEST_TERM(query_gap, slack));
}

attest_status attest_first_set_queries(attest_first_scan *scan, char *reason, size_t size,
                                       attest_error *error)
{
    size_t count = scan->y.tokens->count;
    double gap;

    scan->query = attest_memory_alloc(count, sizeof *scan->query);
    if (!scan->query)
        return attest_memory_fail(error);
    gap = get_gap(&scan->y);
    for (size_t t = 0; t < count; t++) {
        set_query(scan, t, gap);
        if (scan->query[t].sign == 0) {
            explain_token(reason, size, scan, t,
                          "Lemma F does not apply: all keys score 0 for the token");
            return ATTEST_OK;
        }
        if (isnan(scan->query[t].mu) && !set_close_query(scan, t)) {
            explain_token(reason, size, scan, t,
                          "Lemma F does not apply: scores come closer than 1.3170 for the "
                          "token");
            return ATTEST_OK;
        }
    }
    return ATTEST_OK;
}
