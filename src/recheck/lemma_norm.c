/* lemma_norm.c -- upper bounds of norms of outputs, in doubles, where Lemma F applies
 * (proofs-notes/first_difference.md). */
#include <math.h>
#include <stdlib.h>

#include "base/term.h"
#include "number/scope.h"
#include "recheck/lemma.h"

/* Where tokens and what is added to them are below LARGE, all that underflows in the square of
 * a norm is less than LOST^2. */
#define LARGE 0x1p100
#define LOST 0x1p-400
/* Slopes above it are right up to 2^-50 of their size. */
#define NORMAL 0x1p-1000

/* x 2^shift rounded to a double: right up to 2^-53 of its size or 2^-1074, or not finite. */
static double rounded(const fmpq_t x, slong shift)
{
    ARF(t);

    arf_set_fmpq(t, x, 53, ARF_RND_NEAR);
    arf_mul_2exp_si(t, t, shift);
    return arf_get_d(t, ARF_RND_NEAR);
}

bool attest_recheck_lemma_set_norms(attest_recheck_lemma *lemma)
{
    const attest_tokens *tokens = &lemma->check->dataset->tokens;
    size_t dim = tokens->dim, count = tokens->count;
    double *w ATTEST_FREED = attest_recheck_lemma_alloc(lemma, dim, sizeof *w);
    FMPQ(x);

    lemma->square = attest_recheck_lemma_alloc(lemma, count, sizeof *lemma->square);
    lemma->dot = attest_recheck_lemma_alloc(lemma, count, sizeof *lemma->dot);
    lemma->near = attest_recheck_lemma_alloc(lemma, count, sizeof *lemma->near);
    if (!w || !lemma->square || !lemma->dot || !lemma->near)
        return false;
    lemma->shift = arf_abs_bound_lt_2exp_si(arb_midref(lemma->norm));
    for (size_t c = 0; c < dim; c++) {
        w[c] = rounded(lemma->w + c, -lemma->shift);
        lemma->norm_square += w[c] * w[c];
    }
    for (size_t t = 0; t < count; t++) {
        for (size_t c = 0; c < dim; c++) {
            double own;
            if (!tokens->real)
                attest_tokens_get_entry(x, tokens, t, c);
            own = tokens->real ? tokens->real[t * dim + c] : rounded(x, 0);
            lemma->square[t] += own * own;
            lemma->dot[t] += own * w[c];
        }
        fmpq_set_fmpz_frac(x, lemma->value + t, lemma->values);
        lemma->near[t] = rounded(x, lemma->shift);
    }
    return true;
}

double attest_recheck_lemma_norm(const attest_recheck_lemma *lemma, size_t position)
{
    bool causal = lemma->check->weights->mask == ATTEST_MASK_CAUSAL;
    size_t list = causal ? position : attest_recheck_sequence(lemma->check, position);
    uint32_t token = lemma->check->dataset->token[position];
    bool first = fmpz_sgn(lemma->slope + token) > 0; /* the largest value scores most */
    uint32_t top =
        lemma->sorted[lemma->key[first ? lemma->start[list] : lemma->start[list + 1] - 1]];
    double sign = fmpz_sgn(lemma->slope + token) > 0 ? -1 : 1, most = 0;
    /* nu <= log(2 + sqrt 3)/2 < 0.65848; what the upper bound of |alpha| exceeds it by is far
     * less than the rest. */
    double reach = 0.6585 / lemma->slope_above[token];
    double moved = scalbln(reach, lemma->shift), far = fabs(lemma->near[top]) + moved;
    double end[2] = {lemma->near[top], lemma->near[top] + sign * moved};
    /* |x|^2, 2 |x| |w| far and |w|^2 far^2, of which the second is at most the sum of the
     * others, are off by at most (d + 14) u, u = 2^-53, with what the root of their sum is. */
    double slack =
        ATTEST_TERM(lemma_norm_roundings, ((double)lemma->check->dim + 20) * 0x1p-52);

    if (!(far < LARGE && lemma->square[token] < LARGE * LARGE &&
          lemma->slope_above[token] > NORMAL && lemma->slope_above[token] < INFINITY))
        return INFINITY;
    for (int i = 0; i < 2; i++) /* a convex parabola is largest at an end */
        most = fmax(most, lemma->square[token] + 2 * end[i] * lemma->dot[token] +
                              end[i] * end[i] * lemma->norm_square);
    return sqrt(most + slack * (lemma->square[token] + far * far * lemma->norm_square)) +
           ATTEST_TERM(lemma_norm_lost, LOST);
}
