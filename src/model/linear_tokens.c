/* linear_tokens.c -- tokens that contain queries, keys or scores. */
#include "model/linear_tokens.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "model/positions.h"
#include "number/rationals.h"
#include "number/scope.h"

static size_t half_of(const attest_linear_sides *sides)
{
    return sides->weights->form.rotary.dims / 2;
}

/* The matrix as balls, row after row. */
static arb_ptr make_matrix(const attest_matrix *matrix, slong precision)
{
    arb_ptr ball = _arb_vec_init((slong)(matrix->rows * matrix->cols));

    FMPQ(entry);
    for (size_t r = 0; r < matrix->rows; r++)
        for (size_t c = 0; c < matrix->cols; c++) {
            attest_matrix_get_entry(entry, matrix, r, c);
            arb_set_fmpq(ball + r * matrix->cols + c, entry, precision);
        }
    return ball;
}

static void sides_clear(attest_linear_sides *sides)
{
    const attest_weights *weights = sides->weights;
    slong half = (slong)half_of(sides);

    for (int i = 0; i < 2; i++) {
        for (size_t h = 0; h < weights->heads; h++) {
            slong s = (slong)weights->head[h].wq.rows;

            if (sides->matrix[i] && sides->matrix[i][h])
                _arb_vec_clear(sides->matrix[i][h], s * (slong)weights->dim);
            if (sides->side[i] && sides->side[i][h])
                _arb_vec_clear(sides->side[i][h], (slong)sides->room * s);
        }
        free(sides->matrix[i]);
        free(sides->side[i]);
    }
    if (sides->token)
        _arb_vec_clear(sides->token, (slong)weights->dim);
    if (sides->frequency)
        _arb_vec_clear(sides->frequency, half);
    if (sides->angle)
        _arb_vec_clear(sides->angle, 2 * half);
}

/* Allocates memory for sequences of up to room tokens and converts the matrices to balls.
 * Status: NOMEM. */
static attest_status sides_init(attest_linear_sides *sides, const attest_weights *weights,
                                size_t room, slong precision, attest_error *error)
{
    size_t half = weights->form.rotary.dims / 2;

    *sides = (attest_linear_sides){.weights = weights, .precision = precision, .room = room};
    for (int i = 0; i < 2; i++) {
        sides->matrix[i] = attest_memory_alloc(weights->heads, sizeof *sides->matrix[i]);
        sides->side[i] = attest_memory_alloc(weights->heads, sizeof *sides->side[i]);
        if (!sides->matrix[i] || !sides->side[i]) {
            sides_clear(sides);
            return attest_memory_fail(error);
        }
    }
    for (int i = 0; i < 2; i++)
        for (size_t h = 0; h < weights->heads; h++) {
            const attest_head *head = &weights->head[h];
            const attest_matrix *matrix = i == 0 ? &head->wq : &head->wk;

            sides->matrix[i][h] = make_matrix(matrix, precision);
            sides->side[i][h] = _arb_vec_init((slong)(room * matrix->rows));
        }
    sides->token = _arb_vec_init((slong)weights->dim);
    sides->frequency = _arb_vec_init((slong)half);
    sides->angle = _arb_vec_init(2 * (slong)half);
    for (size_t i = 0; i < half; i++)
        attest_rotary_frequency(sides->frequency + i, &weights->form.rotary, i, precision);
    return ATTEST_OK;
}

/* Encloses the true token: the rounded z (1 + t), |t| <= 2^-bits, has a relative error of at
 * most 2^(1-bits). */
static void load_token(attest_linear_sides *sides, const attest_tokens *tokens, size_t t)
{
    FMPQ(entry);
    MAG(radius);

    for (size_t c = 0; c < tokens->dim; c++) {
        attest_tokens_get_entry(entry, tokens, t, c);
        arb_set_fmpq(sides->token + c, entry, sides->precision);
        if (sides->bits > 0 && c < sides->rounded) {
            arb_get_mag(radius, sides->token + c);
            mag_mul_2exp_si(radius, radius, 1 - sides->bits);
            arb_add_error_mag(sides->token + c, radius);
        }
    }
}

/* root = 1/sqrt(mean square + eps) of the entries that the gains of these heads are for. */
static attest_status get_root(arb_t root, const attest_linear_sides *sides, int side,
                              size_t first, size_t end, size_t k, attest_error *error)
{
    const attest_weights *weights = sides->weights;
    slong precision = sides->precision;
    size_t count = 0;

    arb_zero(root);
    for (size_t h = first; h < end; h++) {
        size_t s = weights->head[h].wq.rows, some = weights->head[h].gain[side].rows;
        arb_ptr x = sides->side[side][h] + k * s;

        arb_dot(root, root, 0, x, 1, x, 1, (slong)some, precision);
        count += some;
    }
    ARB(eps);
    arb_set_fmpq(eps, weights->form.eps, precision);
    arb_div_ui(root, root, count, precision);
    arb_add(root, root, eps, precision);
    arb_rsqrt(root, root, precision);
    return arb_is_finite(root)
               ? ATTEST_OK
               : attest_error_set(error, ATTEST_UNABLE,
                                  "the norm of a %s of head %zu may divide by 0",
                                  side == 0 ? "query" : "key", first);
}

/* The norm of head h at position k, or of all heads. */
static attest_status apply_norm(attest_linear_sides *sides, int side, size_t h, size_t k,
                                attest_error *error)
{
    const attest_weights *weights = sides->weights;
    bool all = weights->form.over_heads;

    ARB(root, factor);
    FMPQ(gain);
    ATTEST_TRY(
        get_root(root, sides, side, all ? 0 : h, all ? weights->heads : h + 1, k, error));
    for (size_t g = all ? 0 : h; g < (all ? weights->heads : h + 1); g++) {
        const attest_head *head = &weights->head[g];

        for (size_t r = 0; r < head->gain[side].rows; r++) {
            arb_ptr x = sides->side[side][g] + k * head->wq.rows + r;

            attest_matrix_get_entry(gain, &head->gain[side], r, 0);
            arb_set_fmpq(factor, gain, sides->precision);
            arb_mul(factor, factor, root, sides->precision);
            arb_mul(x, x, factor, sides->precision);
        }
    }
    return ATTEST_OK;
}

static attest_status apply_norms(attest_linear_sides *sides, size_t k, attest_error *error)
{
    const attest_weights *weights = sides->weights;

    for (int side = 0; side < 2; side++)
        for (size_t h = 0; h < weights->heads; h++) {
            if (weights->head[h].gain[side].rows == 0)
                continue;
            ATTEST_TRY(apply_norm(sides, side, h, k, error));
            if (weights->form.over_heads)
                break; /* it was the norm of all heads */
        }
    return ATTEST_OK;
}

/* (a, b) = (a cos - b sin, b cos + a sin) */
static void turn(arb_t a, arb_t b, const arb_t cosine, const arb_t sine, slong precision)
{
    ARB(x);

    arb_mul(x, a, cosine, precision);
    arb_submul(x, b, sine, precision);
    arb_mul(b, b, cosine, precision);
    arb_addmul(b, a, sine, precision);
    arb_swap(a, x);
}

/* All queries and keys at position k. */
static void rotate(attest_linear_sides *sides, size_t k)
{
    const attest_weights *weights = sides->weights;
    size_t half = half_of(sides);
    arb_ptr cosine = sides->angle, sine = sides->angle + half;

    ARB(angle);
    for (size_t i = 0; i < half; i++) {
        arb_mul_ui(angle, sides->frequency + i, k, sides->precision);
        arb_sin_cos(sine + i, cosine + i, angle, sides->precision);
    }
    for (size_t h = 0; h < weights->heads; h++)
        for (size_t i = 0; i < half; i++)
            for (int side = 0; side < 2; side++) {
                arb_ptr x = sides->side[side][h] + k * weights->head[h].wq.rows;

                turn(x + i, x + i + half, cosine + i, sine + i, sides->precision);
            }
}

/* Encloses queries and keys of sequence i: side[0] and side[1]. Status: UNABLE (the divisor of
 * a norm may be 0). */
static attest_status sides_load(attest_linear_sides *sides, const attest_dataset *dataset,
                                size_t i, attest_error *error)
{
    const attest_weights *weights = sides->weights;
    size_t dim = weights->dim;

    for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
        load_token(sides, &dataset->tokens, attest_dataset_token(dataset, i, k));
        for (int side = 0; side < 2; side++)
            for (size_t h = 0; h < weights->heads; h++) {
                size_t s = weights->head[h].wq.rows;

                for (size_t r = 0; r < s; r++)
                    arb_dot(sides->side[side][h] + k * s + r, NULL, 0,
                            sides->matrix[side][h] + r * dim, 1, sides->token, 1, (slong)dim,
                            sides->precision);
            }
        ATTEST_TRY(apply_norms(sides, k, error));
        rotate(sides, k);
    }
    return ATTEST_OK;
}

/* Irrational numbers are rounded to FIRST_BITS, doubled until the error of scores is at most
 * 2^-ENOUGH; balls have MORE_BITS more while they are computed. */
enum { FIRST_BITS = 128, MOST_BITS = 1024, MORE_BITS = 32, ENOUGH = 40 };

static void find_kind(attest_linear_tokens *l)
{
    const attest_weights *weights = l->weights;

    l->capped = !fmpq_is_zero(weights->form.softcap);
    l->turned = weights->form.rotary.dims > 0;
    for (size_t h = 0; h < weights->heads; h++) {
        const attest_head *head = &weights->head[h];

        l->turned = l->turned || head->gain[0].rows > 0 || head->gain[1].rows > 0;
        l->shifted = l->shifted || !fmpq_is_zero(head->slope);
    }
}

/* The layout of a new token: the token, then
 * - under a softcap, 1 at the entry of its position, and the scores of the keys, head after
 * head;
 * - else the query and key of each head, if they are normed or rotated, and with ALiBi a 1 and
 * slope * position for each head.
 */
static attest_status set_width(attest_linear_tokens *l, attest_error *error)
{
    const attest_weights *weights = l->weights;
    size_t most = l->dataset->longest, heads = weights->heads, more = 0;
    bool fits = true;

    if (l->capped) {
        fits = most <= (SIZE_MAX / 64 - weights->dim) / (heads + 1);
        more = most * (heads + 1);
    } else {
        for (size_t h = 0; l->turned && h < heads; h++)
            more += 2 * weights->head[h].wq.rows;
        more += l->shifted ? heads + 1 : 0;
    }
    l->width = weights->dim + more;
    return fits ? ATTEST_OK
                : attest_error_set(error, ATTEST_UNABLE,
                                   "too many scores: %zu heads on %zu tokens", heads, most);
}

/* *entry = the midpoint of the ball, rounded to l->kept bits; the radius becomes its error. */
static void keep(fmpq *entry, arb_t ball, const attest_linear_tokens *l)
{
    arb_set_round(ball, ball, l->kept);
    arf_get_fmpq(entry, arb_midref(ball));
}

/* Adds one query or key to the token, and updates the largest norm and error. */
static void keep_side(fmpq *entry, const attest_linear_tokens *l, int side, size_t h, size_t k)
{
    size_t s = l->weights->head[h].wq.rows;
    arb_ptr x = l->sides.side[side][h] + k * s;

    MAG(size, error, one);
    for (size_t r = 0; r < s; r++) {
        keep(entry + r, x + r, l);
        arb_get_mag(one, x + r);
        mag_addmul(size, one, one);
        mag_addmul(error, arb_radref(x + r), arb_radref(x + r));
    }
    mag_sqrt(size, size);
    mag_sqrt(error, error);
    mag_max(l->size[side] + h, l->size[side] + h, size);
    mag_max(l->error[side] + h, l->error[side] + h, error);
}

/* Replaces x by an enclosure of tanh(x), of radius at most about 1. Where the ball of x is
 * wide, the quotient of exponentials in arb_tanh is wide or divides by a ball around 0. tanh
 * increases, so that its values at the ends of x enclose all others. */
static void set_tanh(arb_t x, slong precision)
{
    ARB(low, high);

    arb_tanh(low, x, precision);
    if (mag_cmp_2exp_si(arb_radref(low), -1) < 0) {
        arb_swap(x, low);
    } else {
        mag_zero(arb_radref(low));
        arb_get_lbound_arf(arb_midref(low), x, precision);
        arb_get_ubound_arf(arb_midref(high), x, precision);
        arb_tanh(low, low, precision);
        arb_tanh(high, high, precision);
        arb_union(x, low, high, precision);
    }
}

/* The score of key j for query k under a softcap, and the key's position. */
static void keep_score(fmpq *entry, const attest_linear_tokens *l, size_t h, size_t k, size_t j)
{
    const attest_head *head = &l->weights->head[h];
    size_t s = head->wq.rows;
    slong precision = l->sides.precision;

    ARB(score, cap);
    FMPQ(shift);
    arb_dot(score, NULL, 0, l->sides.side[0][h] + k * s, 1, l->sides.side[1][h] + j * s, 1,
            (slong)s, precision);
    arb_set_fmpq(cap, l->weights->form.softcap, precision);
    arb_div(score, score, cap, precision);
    set_tanh(score, precision);
    arb_mul(score, score, cap, precision);
    fmpq_mul_ui(shift, head->slope, j);
    arb_set_fmpq(cap, shift, precision);
    arb_add(score, score, cap, precision);
    keep(entry, score, l);
    mag_max(l->score + h, l->score + h, arb_radref(score));
}

/* The additional entries, initially 0, of the token at position k of a sequence of length n. */
static void lengthen_capped(fmpq *entry, const attest_linear_tokens *l, size_t k, size_t n)
{
    size_t most = l->dataset->longest;
    size_t seen = l->weights->mask == ATTEST_MASK_CAUSAL ? k + 1 : n;

    fmpq_one(entry + k);
    for (size_t h = 0; h < l->weights->heads; h++) {
        entry += most;
        for (size_t j = 0; j < seen; j++)
            keep_score(entry + j, l, h, k, j);
    }
}

static void lengthen(fmpq *entry, const attest_linear_tokens *l, size_t k, size_t n)
{
    const attest_weights *weights = l->weights;

    if (l->capped) {
        lengthen_capped(entry, l, k, n);
        return;
    }
    for (size_t h = 0; l->turned && h < weights->heads; h++)
        for (int side = 0; side < 2; side++) {
            keep_side(entry, l, side, h, k);
            entry += weights->head[h].wq.rows;
        }
    if (!l->shifted)
        return;
    fmpq_one(entry);
    for (size_t h = 0; h < weights->heads; h++)
        fmpq_mul_ui(entry + 1 + h, weights->head[h].slope, k);
}

static attest_status add_sequence(attest_dataset_builder *builder, attest_linear_tokens *l,
                                  size_t i, attest_error *error)
{
    const attest_dataset *dataset = l->dataset;
    size_t n = attest_dataset_length(dataset, i), dim = dataset->dim;

    if (l->turned || l->capped)
        ATTEST_TRY(sides_load(&l->sides, dataset, i, error));
    for (size_t k = 0; k < n; k++) {
        attest_tokens_get_entries(l->token, &dataset->tokens,
                                  attest_dataset_token(dataset, i, k));
        for (size_t c = dim; c < l->width; c++)
            fmpq_zero(l->token + c);
        lengthen(l->token + dim, l, k, n);
        ATTEST_TRY(attest_dataset_builder_add_token(builder, l->token, error));
    }
    return attest_dataset_builder_end_sequence(builder, error);
}

static attest_status build(attest_dataset *made, attest_linear_tokens *l, attest_budget *budget,
                           attest_error *error)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, l->width, ATTEST_TABLE_RATIONAL, budget);

    ATTEST_TRY(
        attest_dataset_builder_reserve(&builder, l->dataset->count, l->dataset->total, error));
    for (size_t i = 0; i < l->dataset->count; i++)
        ATTEST_TRY(add_sequence(&builder, l, i, error));
    return attest_dataset_builder_finish(made, &builder, error);
}

/* The error of a score is at most |q| e_k + |k| e_q + e_q e_k, with norms of the rounded
 * vectors. */
static void bound_scores(attest_linear_tokens *l)
{
    for (size_t h = 0; l->turned && !l->capped && h < l->weights->heads; h++) {
        mag_mul(l->score + h, l->size[0] + h, l->error[1] + h);
        mag_addmul(l->score + h, l->size[1] + h, l->error[0] + h);
        mag_addmul(l->score + h, l->error[0] + h, l->error[1] + h);
    }
}

static bool is_enough(const attest_linear_tokens *l)
{
    bool enough = true;

    MAG(limit);
    mag_set_ui_2exp_si(limit, 1, -ENOUGH);
    for (size_t h = 0; h < l->weights->heads; h++)
        enough = enough && mag_cmp(l->score + h, limit) <= 0;
    return enough;
}

static void room_clear(attest_linear_tokens *l)
{
    slong heads = (slong)l->weights->heads;

    sides_clear(&l->sides);
    for (int i = 0; i < 2; i++) {
        _mag_vec_clear(l->size[i], heads);
        _mag_vec_clear(l->error[i], heads);
    }
    attest_rationals_free(l->token, l->width);
}

static attest_status room_init(attest_linear_tokens *l, size_t rounded, long bits,
                               attest_error *error)
{
    size_t heads = l->weights->heads;

    ATTEST_TRY(sides_init(&l->sides, l->weights,
                          l->turned || l->capped ? l->dataset->longest : 0, l->kept + MORE_BITS,
                          error));
    l->sides.rounded = rounded;
    l->sides.bits = bits;
    _mag_vec_clear(l->score, (slong)heads);
    l->score = _mag_vec_init((slong)heads);
    for (int i = 0; i < 2; i++) {
        l->size[i] = _mag_vec_init((slong)heads);
        l->error[i] = _mag_vec_init((slong)heads);
    }
    l->token = attest_rationals_alloc(l->width);
    if (l->token)
        return ATTEST_OK;
    room_clear(l);
    return attest_memory_fail(error);
}

/* The memory of the balls of matrices, queries and keys. */
static size_t room_bytes(const attest_linear_tokens *l)
{
    size_t each = sizeof(arb_struct) + ((size_t)l->kept / FLINT_BITS + 2) * sizeof(mp_limb_t);
    double bytes = 0;

    for (size_t h = 0; (l->turned || l->capped) && h < l->weights->heads; h++)
        bytes += 2.0 * (double)l->weights->head[h].wq.rows *
                 ((double)l->dataset->dim + (double)l->dataset->longest) * (double)each;
    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX;
}

/* made = the longer tokens, with numbers of l->kept bits; l->score = the error bound of scores.
 */
static attest_status attempt(attest_dataset *made, attest_linear_tokens *l, size_t rounded,
                             long bits, attest_budget *budget, attest_error *error)
{
    size_t bytes = room_bytes(l);
    attest_status status;

    ATTEST_TRY(attest_budget_charge(budget, bytes, error));
    ATTEST_TRY_OR(room_init(l, rounded, bits, error), attest_budget_give_back(budget, bytes));
    status = build(made, l, budget, error);
    bound_scores(l);
    room_clear(l);
    attest_budget_give_back(budget, bytes);
    return status;
}

attest_status attest_linear_tokens_make(attest_dataset *made, attest_linear_tokens *l,
                                        size_t rounded, long bits, attest_budget *budget,
                                        attest_error *error)
{
    size_t left = attest_budget_left(budget);

    for (l->kept = FIRST_BITS; l->kept <= MOST_BITS; l->kept *= 2) {
        ATTEST_TRY(attempt(made, l, rounded, bits, budget, error));
        if (is_enough(l))
            return ATTEST_OK;
        attest_dataset_clear(made);
        attest_budget_give_back(budget, left - attest_budget_left(budget));
    }
    return attest_error_set(
        error, ATTEST_UNABLE,
        "queries and keys are too large for a bound on the error of scores with %d bits",
        MOST_BITS);
}

attest_status attest_linear_tokens_init(attest_linear_tokens *l, attest_error *error)
{
    find_kind(l);
    ATTEST_TRY(set_width(l, error));
    l->score = _mag_vec_init((slong)l->weights->heads);
    return ATTEST_OK;
}

void attest_linear_tokens_clear(attest_linear_tokens *l)
{
    if (l->score)
        _mag_vec_clear(l->score, (slong)l->weights->heads);
}
