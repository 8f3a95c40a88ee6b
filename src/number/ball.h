/* ball.h -- the number system "ball": exact integer scores, and balls from exp on; where exact
 * scores would be longer than the weights need, balls from the scores on.
 *
 * There are two types. Scores (and the values that are averaged) are integers over denominators
 * that the caller stores; weights and averages are balls at the working precision. Every
 * function returns an enclosure. */
#ifndef ATTEST_NUMBER_BALL_H
#define ATTEST_NUMBER_BALL_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/flint.h>

#include "number/ball_exp.h"
#include "number/rationals.h"

typedef fmpz attest_ball_score;
typedef arb_struct attest_ball_value;

typedef struct attest_ball_context {
    slong precision; /* the working precision in bits */
    fmpz_t score_denominator;
    fmpz_t unit;      /* 1 */
    fmpz *difference; /* room for one query's score differences */
    size_t room;
    attest_ball_scores rounded; /* of the head at work */
} attest_ball_context;

static inline void attest_ball_context_init(attest_ball_context *context, slong precision,
                                            size_t room)
{
    context->precision = precision;
    fmpz_init_set_ui(context->score_denominator, 1);
    context->difference = _fmpz_vec_init((slong)room);
    context->room = room;
    attest_ball_scores_init(&context->rounded);
}

static inline void attest_ball_context_clear(attest_ball_context *context)
{
    fmpz_clear(context->score_denominator);
    _fmpz_vec_clear(context->difference, (slong)context->room);
    attest_ball_scores_clear(&context->rounded);
}

/* FLINT does not return if memory is exhausted: never NULL. */
static inline fmpz *attest_ball_score_vector_init(size_t count,
                                                  const attest_ball_context *context)
{
    (void)context;
    return _fmpz_vec_init((slong)count);
}

static inline void attest_ball_score_vector_clear(fmpz *vector, size_t count)
{
    if (vector)
        _fmpz_vec_clear(vector, (slong)count);
}

static inline arb_ptr attest_ball_vector_init(size_t count, const attest_ball_context *context)
{
    (void)context;
    return _arb_vec_init((slong)count);
}

static inline void attest_ball_vector_clear(arb_ptr vector, size_t count)
{
    if (vector)
        _arb_vec_clear(vector, (slong)count);
}

/* The numerator: its denominator is accounted for once, by the caller. */
static inline void attest_ball_set_fraction(fmpz *x, const fmpz_t numerator,
                                            const fmpz_t denominator,
                                            const attest_ball_context *context)
{
    (void)denominator;
    (void)context;
    fmpz_set(x, numerator);
}

static inline void attest_ball_set(fmpz *z, const fmpz *x, const attest_ball_context *context)
{
    (void)context;
    fmpz_set(z, x);
}

static inline void attest_ball_set_score_denominator(const fmpz_t denominator,
                                                     attest_ball_context *context)
{
    fmpz_set(context->score_denominator, denominator);
}

static inline void attest_ball_maximum(fmpz *z, const fmpz *x,
                                       const attest_ball_context *context)
{
    (void)context;
    if (fmpz_cmp(x, z) > 0)
        fmpz_set(z, x);
}

static inline bool attest_ball_equal(const fmpz *x, const fmpz *y)
{
    return fmpz_equal(x, y) != 0;
}

static inline void attest_ball_one(arb_ptr z, const attest_ball_context *context)
{
    (void)context;
    arb_one(z);
}

static inline void attest_ball_zero(arb_ptr z, const attest_ball_context *context)
{
    (void)context;
    arb_zero(z);
}

/* Rounded to the working precision: later sums lose that much anyway. */
static inline void attest_ball_load(arb_ptr z, const fmpz *x,
                                    const attest_ball_context *context)
{
    arb_set_round_fmpz(z, x, context->precision);
}

/* z = the sum of x_j y_j, y_j at y[j * step]. */
static inline void attest_ball_sum_products(arb_ptr z, arb_srcptr x, arb_srcptr y, size_t step,
                                            size_t count, const attest_ball_context *context)
{
    arb_dot(z, NULL, 0, x, 1, y, (slong)step, (slong)count, context->precision);
}

static inline void attest_ball_add(arb_ptr z, arb_srcptr x, arb_srcptr y,
                                   const attest_ball_context *context)
{
    arb_add(z, x, y, context->precision);
}

static inline void attest_ball_scale(arb_ptr z, arb_srcptr x, const fmpz *y,
                                     const attest_ball_context *context)
{
    arb_mul_fmpz(z, x, y, context->precision);
}

static inline void attest_ball_addscale(arb_ptr z, arb_srcptr x, const fmpz *y,
                                        const attest_ball_context *context)
{
    arb_addmul_fmpz(z, x, y, context->precision);
}

static inline void attest_ball_div(arb_ptr z, arb_srcptr x, arb_srcptr y,
                                   const attest_ball_context *context)
{
    arb_div(z, x, y, context->precision);
}

/* weight[j] encloses exp((score[j] - maximum) / score_denominator). */
static inline void attest_ball_exp_scores(arb_ptr weight, const fmpz *score, size_t count,
                                          const fmpz *maximum, attest_ball_context *context)
{
    for (size_t j = 0; j < count; j++)
        fmpz_sub(context->difference + j, score + j, maximum);
    attest_ball_exp_fractions(weight, context->difference, context->score_denominator, count,
                              context->precision);
}

/* Decides whether the scores of a head with these keys are rounded; first is the query of the
 * first token. */
static inline void attest_ball_round_scores(const fmpz *key, size_t count, size_t width,
                                            const fmpz *first, attest_ball_context *context)
{
    attest_ball_scores_set(&context->rounded, key, count, width, first,
                           context->score_denominator, context->precision);
}

/* The weights of a query and their total, from rounded scores; returns false if exact scores
 * are needed. */
static inline bool attest_ball_exp_rounded(arb_ptr weight, arb_ptr total, const fmpz *query,
                                           size_t count, attest_ball_context *context)
{
    return attest_ball_scores_exp(weight, total, &context->rounded, query,
                                  context->score_denominator, count, context->precision);
}

#endif
