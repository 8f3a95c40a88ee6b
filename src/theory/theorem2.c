/* theorem2.c -- Theorem 2: hypotheses, directions and weights that the strategies share, and
 * the separation that the weights guarantee. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hint.h"
#include "base/memory.h"
#include "base/random.h"
#include "number/scope.h"
#include "theory/lemma1.h"
#include "theory/separated.h"
#include "theory/sharp_gap.h"
#include "theory/theorem2.h"

/* All pairs of tokens are tested, unless that takes more products than this. */
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

/* Bounds must be positive for the formulas, whether their hypotheses are required or not. */
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

/* Returns whether bound^2 < square (below) or bound^2 > square (not below). */
static bool is_inside(const attest_given_bound *bound, const fmpq_t square, bool below)
{
    int order;
    FMPQ(own);

    fmpq_mul(own, bound->value, bound->value);
    order = fmpq_cmp(own, square);
    return below ? order < 0 : order > 0;
}

/* Bounds given by the user must hold strictly; names the first that does not. */
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
                                "too many tokens to test all pairs; " ATTEST_HINT_GAP_ALONE);
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

/* Rational directions and roundings. */

enum { ENTRY_BITS = 15 };

/* denominator = the least whole number that is at least the norm. */
void attest_direction_normalise(attest_rational_vector *direction)
{
    FMPZ(square, rest);

    _fmpz_vec_dot(square, direction->numerator, direction->numerator, (slong)direction->dim);
    fmpz_sqrtrem(direction->denominator, rest, square);
    if (!fmpz_is_zero(rest))
        fmpz_add_ui(direction->denominator, direction->denominator, 1);
}

/* A sum of four uniform entries: nearly normal, so that no direction is preferred by much. */
void attest_direction_gen(attest_rational_vector *direction, uint64_t *state)
{
    do {
        for (size_t c = 0; c < direction->dim; c++) {
            slong entry = 0;

            for (int i = 0; i < 4; i++)
                entry += (slong)(attest_random_next(state) >> (64 - ENTRY_BITS)) -
                         (1L << (ENTRY_BITS - 1));
            fmpz_set_si(direction->numerator + c, direction->dim == 1 ? 1 : entry);
        }
    } while (_fmpz_vec_is_zero(direction->numerator, (slong)direction->dim));
    attest_direction_normalise(direction);
}

void attest_direction_least(fmpq_t least, const attest_projection *along)
{
    double bound = INFINITY;
    bool first = true;
    FMPQ(value);

    for (size_t t = 0; t < along->tokens->count; t++)
        bound = fmin(bound, fabs(along->value[t]) + along->error[t]);
    for (size_t t = 0; t < along->tokens->count; t++) {
        if (fabs(along->value[t]) - along->error[t] > bound)
            continue;
        attest_projection_get(value, along, t);
        fmpq_abs(value, value);
        if (first || fmpq_cmp(value, least) < 0)
            fmpq_set(least, value);
        first = false;
    }
}

attest_status attest_direction_check(bool *apart, const attest_rational_vector *direction,
                                     const attest_tokens *tokens, attest_error *error)
{
    attest_projection along ATTEST_CLEARED_BY(attest_projection_clear) = {0};
    FMPQ(least);

    *apart = false;
    ATTEST_TRY(attest_projection_init(&along, tokens, direction, error));
    if (attest_projection_sort(&along) != ATTEST_OK)
        return attest_memory_fail(error);
    if (along.injective) {
        attest_direction_least(least, &along);
        *apart = !fmpq_is_zero(least);
    }
    return ATTEST_OK;
}

/* The two largest entries of v, exchanged, one with its sign changed. */
void attest_direction_output(fmpq *output, const attest_rational_vector *direction,
                             const fmpq_t size)
{
    size_t dim = direction->dim, i = 0, j = 1;

    if (dim == 1) {
        fmpq_set(output, size);
        return;
    }
    if (fmpz_cmpabs(direction->numerator + j, direction->numerator + i) > 0) {
        i = 1;
        j = 0;
    }
    for (size_t c = 2; c < dim; c++) {
        if (fmpz_cmpabs(direction->numerator + c, direction->numerator + i) > 0) {
            j = i;
            i = c;
        } else if (fmpz_cmpabs(direction->numerator + c, direction->numerator + j) > 0) {
            j = c;
        }
    }
    ATTEST_SCOPED(attest_rational_vector, turned, dim);
    fmpz_neg(turned.numerator + i, direction->numerator + j);
    fmpz_set(turned.numerator + j, direction->numerator + i);
    /* longer numerators, so that rounding the norm up loses 2^-45 only */
    _fmpz_vec_scalar_mul_2exp(turned.numerator, turned.numerator, (slong)dim, 45);
    attest_direction_normalise(&turned);
    for (size_t c = 0; c < dim; c++) {
        fmpq_set_fmpz_frac(output + c, turned.numerator + c, turned.denominator);
        fmpq_mul(output + c, output + c, size);
    }
}

/* Rounds x up or down to a mantissa of this many bits. */
static void round_to(fmpq_t x, long bits, bool up)
{
    slong shift = bits - ((slong)fmpz_bits(fmpq_numref(x)) - (slong)fmpz_bits(fmpq_denref(x)));
    FMPZ(mantissa, divisor);

    fmpz_set(mantissa, fmpq_numref(x));
    fmpz_set(divisor, fmpq_denref(x));
    if (shift >= 0)
        fmpz_mul_2exp(mantissa, mantissa, (ulong)shift);
    else
        fmpz_mul_2exp(divisor, divisor, (ulong)-shift);
    if (up)
        fmpz_cdiv_q(mantissa, mantissa, divisor);
    else
        fmpz_fdiv_q(mantissa, mantissa, divisor);
    fmpz_one(divisor);
    if (shift >= 0)
        fmpz_mul_2exp(divisor, divisor, (ulong)shift);
    else
        fmpz_mul_2exp(mantissa, mantissa, (ulong)-shift);
    fmpq_set_fmpz_frac(x, mantissa, divisor);
}

void attest_round_up(fmpq_t x, long bits)
{
    round_to(x, bits, true);
}

void attest_round_down(fmpq_t x, long bits)
{
    round_to(x, bits, false);
}

/* The separation that the stored weights guarantee, and the paper's closed formula. */

enum { BITS = 192 };

/* norm = |w|. */
static void output_norm(arb_t norm, const attest_construction *construction)
{
    ARB(entry);

    arb_zero(norm);
    for (size_t c = 0; c < construction->dim; c++) {
        arb_set_fmpq(entry, construction->output + c, BITS);
        arb_addmul(norm, entry, entry, BITS);
    }
    arb_sqrt(norm, norm, BITS);
}

/* value, log2 = |w| / (kappa r_max) times bound, whose log2 is given as well. */
static void scale_bound(attest_construction *construction, const arb_t bound, const arb_t log2)
{
    ARB(factor, divisor);

    output_norm(factor, construction);
    arb_set_fmpq(divisor, construction->kappa, BITS);
    arb_div(factor, factor, divisor, BITS);
    arb_set_fmpq(divisor, construction->r_max.value, BITS);
    arb_div(factor, factor, divisor, BITS);
    arb_mul(construction->delta, bound, factor, BITS);
    arb_log_base_ui(factor, factor, 2, BITS);
    arb_add(construction->delta_log2, log2, factor, BITS);
}

/* bound, log2 = the smaller of them and the bound of the sharp gap at depth t; false if there
 * is no such bound. */
static bool lessen(arb_t bound, arb_t log2, const arb_t gap, const arb_t t)
{
    bool known;
    ARB(other, other_log2);

    known = attest_sharp_gap_bound(other, other_log2, gap, false, t, BITS, NULL) == ATTEST_OK;
    if (known && !arb_lt(bound, other)) {
        arb_set(bound, other);
        arb_set(log2, other_log2);
    }
    return known;
}

/* The sharp gap for depths t in [gap, most): on both sides of 2 gap, where it jumps, e^{-t}
 * [...] first rises, then falls, so its least value is at an end of these; differing maxima
 * give more (proofs-notes/theorem2.md). */
static void bound_by_gap(arb_t bound, arb_t log2, const arb_t gap, const arb_t most)
{
    ARB(twice);

    arb_mul_2exp_si(twice, gap, 1);
    arb_pos_inf(bound);
    if (!lessen(bound, log2, gap, most) || !lessen(bound, log2, gap, gap) ||
        !lessen(bound, log2, gap, twice)) {
        arb_zero(bound); /* one value only: nothing is promised */
        arb_indeterminate(log2);
    }
}

/* most = kappa r_max^2: |scores| = kappa |v.x| |v.x_j| is less. */
static void set_most(arb_t most, const attest_construction *construction)
{
    ARB(kappa);

    arb_set_fmpq(most, construction->r_max.value, BITS);
    arb_mul(most, most, most, BITS);
    arb_set_fmpq(kappa, construction->kappa, BITS);
    arb_mul(most, most, kappa, BITS);
}

void attest_theorem2_promise(attest_construction *construction, size_t n)
{
    ARB(r, bound, log2);

    set_most(r, construction);
    attest_lemma1_bound(bound, log2, n, r, BITS);
    scale_bound(construction, bound, log2);
    construction->promise = arb_is_positive(construction->delta);
}

void attest_theorem2_promise_gap(attest_construction *construction, const fmpq_t gap)
{
    ARB(g, most, bound, log2);

    arb_set_fmpq(g, gap, BITS);
    set_most(most, construction);
    arb_mul_2exp_si(most, most, 1);
    bound_by_gap(bound, log2, g, most);
    scale_bound(construction, bound, log2);
    construction->promise = arb_is_positive(construction->delta);
}

/* factor = (|V|+1)^4 (2 log n + 3) pi d. */
static void common_factor(arb_t factor, size_t n, size_t tokens, size_t dim)
{
    ARB(x);

    arb_log_ui(factor, n, BITS);
    arb_mul_2exp_si(factor, factor, 1);
    arb_add_ui(factor, factor, 3, BITS);
    arb_const_pi(x, BITS);
    arb_mul(factor, factor, x, BITS);
    arb_mul_ui(factor, factor, dim, BITS);
    arb_set_ui(x, tokens + 1);
    arb_pow_ui(x, x, 4, BITS);
    arb_mul(factor, factor, x, BITS);
}

/* delta = 2 (log n)^2 eps^2 r_min / (r_max^2 factor) exp(-factor r_max^2 / (4 eps r_min)). */
void attest_theorem2_formula(attest_construction *construction, size_t n, size_t tokens)
{
    ARB(factor, ratio, eps, r_min, square, ln2);

    if (n < 2)
        return;
    common_factor(factor, n, tokens, construction->dim);
    arb_set_fmpq(eps, construction->eps.value, BITS);
    arb_set_fmpq(r_min, construction->r_min.value, BITS);
    arb_set_fmpq(square, construction->r_max.value, BITS);
    arb_mul(square, square, square, BITS);
    arb_log_ui(ratio, n, BITS);
    arb_mul(ratio, ratio, eps, BITS);
    arb_mul(ratio, ratio, ratio, BITS);
    arb_mul(ratio, ratio, r_min, BITS);
    arb_mul_2exp_si(ratio, ratio, 1);
    arb_div(ratio, ratio, square, BITS);
    arb_div(ratio, ratio, factor, BITS);
    arb_mul(factor, factor, square, BITS);
    arb_div(factor, factor, eps, BITS);
    arb_div(factor, factor, r_min, BITS);
    arb_mul_2exp_si(factor, factor, -2);
    arb_neg(construction->delta_formula, factor);
    arb_exp(construction->delta_formula, construction->delta_formula, BITS);
    arb_mul(construction->delta_formula, construction->delta_formula, ratio, BITS);
    arb_const_log2(ln2, BITS);
    arb_log(ratio, ratio, BITS);
    arb_sub(ratio, ratio, factor, BITS);
    arb_div(construction->delta_formula_log2, ratio, ln2, BITS);
    construction->formula = true;
}
