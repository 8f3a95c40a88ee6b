/* theorem2.c -- hypotheses, bounds and weights that the strategies of Theorem 2 share. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "theory/separated.h"

#include "number/scope.h"
#include "theory/separated_parts.h"
#include "theory/theorem2_parts.h"

/* All pairs of tokens are looked at, unless that takes more products than this. */
#define MOST_PRODUCTS 2e9
enum { SMALL_DIM = 8, BOUND_BITS = 64 };

const char *attest_strategy_name(attest_strategy strategy)
{
    static const char *const names[] = {"theorem", "gap", "tuned"};

    return names[strategy];
}

void attest_construction_init(attest_construction *construction)
{
    memset(construction, 0, sizeof *construction);
    construction->seed = 1;
    construction->max_work = INFINITY;
    fmpq_init(construction->r_min.value);
    fmpq_init(construction->r_max.value);
    fmpq_init(construction->eps.value);
    attest_weights_init(&construction->weights);
    fmpq_init(construction->kappa);
    fmpq_init(construction->r);
    arb_init(construction->delta);
    arb_init(construction->delta_log2);
    arb_init(construction->delta_formula);
    arb_init(construction->delta_formula_log2);
}

void attest_construction_clear(attest_construction *construction)
{
    fmpq_clear(construction->r_min.value);
    fmpq_clear(construction->r_max.value);
    fmpq_clear(construction->eps.value);
    attest_weights_clear(&construction->weights);
    if (construction->direction)
        _fmpq_vec_clear(construction->direction, (slong)construction->dim);
    if (construction->output)
        _fmpq_vec_clear(construction->output, (slong)construction->dim);
    fmpq_clear(construction->kappa);
    fmpq_clear(construction->r);
    arb_clear(construction->delta);
    arb_clear(construction->delta_log2);
    arb_clear(construction->delta_formula);
    arb_clear(construction->delta_formula_log2);
}

/* The least and the largest norm, exactly, without looking at pairs. */
static void find_norms(attest_separated *extremes, const attest_dataset *dataset)
{
    ATTEST_SCOPED(attest_rational_vector, x, dataset->dim);
    FMPQ(square);

    for (size_t t = 0; t < dataset->tokens.count; t++) {
        attest_token_vector_set(&x, &dataset->tokens, t);
        attest_rational_vector_norm_square(square, &x);
        if (t == 0 || fmpq_cmp(square, extremes->r_min_square) < 0)
            fmpq_set(extremes->r_min_square, square);
        if (t == 0 || fmpq_cmp(square, extremes->r_max_square) > 0)
            fmpq_set(extremes->r_max_square, square);
    }
}

/* bound = a rational just below (above) the square root: the root to 128 bits, then rounded to
 * 64, then moved by 2^-60 of itself, so that the strict inequality holds. */
static void set_inside(fmpq_t bound, const fmpq_t square, bool below)
{
    ARB(root);
    ARF(end);
    FMPQ(step);

    arb_set_fmpq(root, square, 256);
    arb_sqrt(root, root, 128);
    if (below)
        arb_get_lbound_arf(end, root, 128);
    else
        arb_get_ubound_arf(end, root, 128);
    arf_get_fmpq(bound, end);
    if (fmpq_sgn(bound) > 0) {
        fmpq_div_2exp(step, bound, 60);
        if (below)
            fmpq_sub(bound, bound, step);
        else
            fmpq_add(bound, bound, step);
        if (below)
            attest_round_down(bound, BOUND_BITS);
        else
            attest_round_up(bound, BOUND_BITS);
    }
}

/* Notes that the hypothesis fails; false when the caller does without it. */
static bool note_failure(attest_construction *construction, const char *hypothesis)
{
    if (construction->without && strcmp(construction->without, hypothesis) == 0)
        return false;
    construction->hypothesis = hypothesis;
    return true;
}

static void fail(attest_construction *construction, const char *hypothesis, const char *text)
{
    if (!note_failure(construction, hypothesis))
        return;
    snprintf(construction->explanation, sizeof construction->explanation, "%s", text);
}

static void fail_at(attest_construction *construction, const char *hypothesis, const char *text,
                    attest_place place)
{
    if (!note_failure(construction, hypothesis))
        return;
    snprintf(construction->explanation, sizeof construction->explanation, "%s: token [%zu,%zu]",
             text, place.sequence, place.position);
    construction->places = 1;
    construction->place[0] = place;
}

static void fail_pair(attest_construction *construction, const char *hypothesis,
                      const char *text, const attest_place place[2])
{
    if (!note_failure(construction, hypothesis))
        return;
    snprintf(construction->explanation, sizeof construction->explanation,
             "%s: tokens [%zu,%zu] and [%zu,%zu]", text, place[0].sequence, place[0].position,
             place[1].sequence, place[1].position);
    construction->places = 2;
    construction->place[0] = place[0];
    construction->place[1] = place[1];
}

/* The first position of a token with this square norm. */
static attest_place find_norm(const attest_dataset *dataset, const fmpq_t square)
{
    attest_place place = {0, 0};
    ATTEST_SCOPED(attest_rational_vector, x, dataset->dim);
    FMPQ(own);

    for (size_t i = 0, p = 0; i < dataset->count; i++) {
        for (size_t k = 0; k < attest_dataset_length(dataset, i); k++, p++) {
            attest_token_vector_set(&x, &dataset->tokens, dataset->token[p]);
            attest_rational_vector_norm_square(own, &x);
            if (fmpq_equal(own, square)) {
                place = (attest_place){i, k};
                i = dataset->count - 1;
                break;
            }
        }
    }
    return place;
}

/* Hypotheses that need no pairs of tokens. */
static attest_status check_simple(attest_construction *construction, attest_separated *extremes,
                                  const attest_dataset *dataset, attest_error *error)
{
    ATTEST_TRY(attest_separated_find_duplicate(extremes, dataset, error));
    find_norms(extremes, dataset);
    if (fmpq_is_zero(extremes->r_min_square))
        fail_at(construction, "r-min", "r_min > 0 fails, there is a zero token",
                find_norm(dataset, extremes->r_min_square));
    if (!construction->hypothesis && dataset->tokens.count < 2)
        fail(construction, "eps", "all tokens are equal: there is nothing to tell apart");
    if (construction->hypothesis || construction->strategy == ATTEST_STRATEGY_TUNED)
        return ATTEST_OK;
    if (!extremes->no_duplicates)
        fail_pair(construction, "no-duplicates", "a sequence has a token twice",
                  extremes->duplicate);
    if (!construction->hypothesis && dataset->longest < 2)
        fail(construction, "length", "no sequence has two tokens");
    return ATTEST_OK;
}

/* A bound that is 0 serves no formula, whether its hypothesis is required or not. */
static attest_status check_positive(const attest_construction *construction,
                                    attest_error *error)
{
    const char *without = construction->without ? construction->without : "";
    bool r_min = construction->r_min.given && !fmpq_is_zero(construction->r_min.value);
    bool eps = construction->eps.given && !fmpq_is_zero(construction->eps.value);

    if ((strcmp(without, "r-min") == 0 && !r_min) || (strcmp(without, "eps") == 0 && !eps))
        return attest_error_set(error, ATTEST_DOMAIN, "without %s a positive bound is needed",
                                without);
    return ATTEST_OK;
}

/* Whether bound^2 < square (below) or bound^2 > square (not below). */
static bool is_inside(const attest_given_bound *bound, const fmpq_t square, bool below)
{
    int order;
    FMPQ(own);

    fmpq_mul(own, bound->value, bound->value);
    order = fmpq_cmp(own, square);
    return below ? order < 0 : order > 0;
}

/* Bounds given by the user must hold, strictly; the first that does not is named. */
static void check_given(attest_construction *construction, const attest_separated *extremes,
                        const attest_dataset *dataset, bool pairs)
{
    const attest_given_bound *r_min = &construction->r_min, *r_max = &construction->r_max,
                             *eps = &construction->eps;

    if (r_min->given && fmpq_is_zero(r_min->value))
        fail(construction, "r-min", "r_min > 0 is needed, but 0 is given");
    else if (r_min->given && !is_inside(r_min, extremes->r_min_square, true))
        fail_at(construction, "r-min", "the given r_min is not below all norms",
                find_norm(dataset, extremes->r_min_square));
    if (construction->hypothesis)
        return;
    if (r_max->given && !is_inside(r_max, extremes->r_max_square, false))
        fail_at(construction, "r-max", "the given r_max is not above all norms",
                find_norm(dataset, extremes->r_max_square));
    if (construction->hypothesis)
        return;
    if (eps->given && fmpq_is_zero(eps->value))
        fail(construction, "eps", "eps > 0 is needed, but 0 is given");
    else if (eps->given && pairs && !is_inside(eps, extremes->eps_square, true))
        fail_pair(construction, "eps", "the given eps is not below all distances",
                  extremes->eps);
}

/* r_min, r_max, eps: the user's, or just inside the extremes. */
static attest_status set_bounds(attest_construction *construction, attest_separated *extremes,
                                const attest_dataset *dataset, attest_error *error)
{
    double tokens = (double)dataset->tokens.count;
    bool known = construction->eps_holds;
    bool pairs = !known && (dataset->dim <= SMALL_DIM ||
                            tokens * tokens * (double)dataset->dim <= MOST_PRODUCTS);

    if (pairs) {
        ATTEST_TRY(attest_separated_get(extremes, dataset, error));
    } else if (!known &&
               (construction->eps.given || construction->strategy == ATTEST_STRATEGY_THEOREM)) {
        return attest_error_set(error, ATTEST_UNABLE,
                                "too many tokens to look at all pairs; use the strategy "
                                "gap, without eps");
    }
    check_given(construction, extremes, dataset, pairs);
    if (!construction->r_min.given)
        set_inside(construction->r_min.value, extremes->r_min_square, true);
    if (!construction->r_max.given)
        set_inside(construction->r_max.value, extremes->r_max_square, false);
    if (!construction->eps.given && pairs)
        set_inside(construction->eps.value, extremes->eps_square, true);
    construction->eps_by_direction = !pairs && !known;
    return ATTEST_OK;
}

attest_status attest_construction_build(attest_construction *construction,
                                        const attest_dataset *dataset, attest_error *error)
{
    static attest_status (*const build[])(attest_construction *, const attest_dataset *,
                                          attest_error *) = {
        [ATTEST_STRATEGY_THEOREM] = attest_theorem2_build_theorem,
        [ATTEST_STRATEGY_GAP] = attest_theorem2_build_gap,
        [ATTEST_STRATEGY_TUNED] = attest_theorem2_build_tuned,
    };
    ATTEST_SCOPED(attest_separated, extremes);

    construction->dim = dataset->dim;
    construction->direction = _fmpq_vec_init((slong)dataset->dim);
    construction->output = _fmpq_vec_init((slong)dataset->dim);
    ATTEST_TRY(check_positive(construction, error));
    ATTEST_TRY(check_simple(construction, &extremes, dataset, error));
    if (!construction->hypothesis)
        ATTEST_TRY(set_bounds(construction, &extremes, dataset, error));
    if (!construction->hypothesis)
        ATTEST_TRY(build[construction->strategy](construction, dataset, error));
    return ATTEST_OK;
}

void attest_construction_set_output(attest_construction *construction,
                                    const attest_rational_vector *direction)
{
    FMPQ(size);

    fmpq_div(size, construction->eps.value, construction->r_max.value);
    fmpq_div_2exp(size, size, 2);
    attest_round_down(size, BOUND_BITS);
    attest_direction_output(construction->output, direction, size);
}

/* row = u v^T with u = (scale), 1 x d. */
static void set_row(attest_matrix *matrix, const attest_rational_vector *v, const fmpq_t scale)
{
    attest_matrix_resize_factored(matrix, 1, v->dim);
    fmpz_set(matrix->u, fmpq_numref(scale));
    fmpz_set(matrix->u_denominator, fmpq_denref(scale));
    _fmpz_vec_set(matrix->v, v->numerator, (slong)v->dim);
    fmpz_set(matrix->v_denominator, v->denominator);
    fmpz_mul(matrix->denominator, matrix->u_denominator, matrix->v_denominator);
}

/* W_O = w, d x 1. */
static void set_column(attest_matrix *matrix, const fmpq *w, size_t dim)
{
    attest_matrix_resize(matrix, dim, 1);
    for (size_t c = 0; c < dim; c++)
        fmpz_lcm(matrix->denominator, matrix->denominator, fmpq_denref(w + c));
    for (size_t c = 0; c < dim; c++) {
        fmpz_divexact(matrix->entry + c, matrix->denominator, fmpq_denref(w + c));
        fmpz_mul(matrix->entry + c, matrix->entry + c, fmpq_numref(w + c));
    }
}

attest_status attest_construction_finish(attest_construction *construction,
                                         const attest_rational_vector *direction,
                                         attest_error *error)
{
    attest_weights *weights = &construction->weights;
    FMPQ(one, quarter);

    if (attest_weights_resize(weights, 1) != ATTEST_OK)
        return attest_memory_fail(error);
    fmpq_set_si(one, 1, 1);
    weights->activation = ATTEST_SOFTMAX;
    weights->mask = construction->mask;
    weights->skip = true;
    weights->dim = construction->dim;
    set_row(&weights->head[0].wk, direction, construction->kappa);
    set_row(&weights->head[0].wq, direction, one);
    set_row(&weights->head[0].wv, direction, one);
    set_column(&weights->head[0].wo, construction->output, construction->dim);
    for (size_t c = 0; c < construction->dim; c++)
        fmpq_set_fmpz_frac(construction->direction + c, direction->numerator + c,
                           direction->denominator);
    /* |x + w m| < r_max + |w| r_max, and |w| r_max <= eps/4 */
    fmpq_div_2exp(quarter, construction->eps.value, 2);
    fmpq_add(construction->r, construction->r_max.value, quarter);
    return ATTEST_OK;
}
