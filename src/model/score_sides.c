/* score_sides.c -- the queries and keys that scores are products of, as balls. */
#include "model/score_sides.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "data/rotary.h"

static size_t half_of(const attest_score_sides *sides)
{
    return sides->weights->form.rotary.dims / 2;
}

static const attest_matrix *matrix_of(const attest_head *head, int side)
{
    return side == 0 ? &head->wq : &head->wk;
}

/* The matrix as balls, row after row. */
static arb_ptr make_matrix(const attest_matrix *matrix, slong precision)
{
    arb_ptr ball = _arb_vec_init((slong)(matrix->rows * matrix->cols));
    fmpq_t entry;

    fmpq_init(entry);
    for (size_t r = 0; r < matrix->rows; r++)
        for (size_t c = 0; c < matrix->cols; c++) {
            attest_matrix_get_entry(entry, matrix, r, c);
            arb_set_fmpq(ball + r * matrix->cols + c, entry, precision);
        }
    fmpq_clear(entry);
    return ball;
}

attest_status attest_score_sides_init(attest_score_sides *sides, const attest_weights *weights,
                                      size_t room, slong precision, attest_error *error)
{
    size_t half = weights->form.rotary.dims / 2;

    *sides = (attest_score_sides){.weights = weights, .precision = precision, .room = room};
    for (int i = 0; i < 2; i++) {
        sides->matrix[i] = attest_memory_alloc(weights->heads, sizeof *sides->matrix[i]);
        sides->side[i] = attest_memory_alloc(weights->heads, sizeof *sides->side[i]);
        if (!sides->matrix[i] || !sides->side[i]) {
            attest_score_sides_clear(sides);
            return attest_memory_fail(error);
        }
    }
    for (int i = 0; i < 2; i++)
        for (size_t h = 0; h < weights->heads; h++) {
            const attest_matrix *matrix = matrix_of(&weights->head[h], i);

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

void attest_score_sides_clear(attest_score_sides *sides)
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

/* The token as it is meant: z (1 + t) with |t| <= 2^-bits stands for z, which is within
 * 2^(1-bits) of it, relatively. */
static void load_token(attest_score_sides *sides, const attest_tokens *tokens, size_t t)
{
    fmpq_t entry;
    mag_t radius;

    fmpq_init(entry);
    mag_init(radius);
    for (size_t c = 0; c < tokens->dim; c++) {
        attest_tokens_get_entry(entry, tokens, t, c);
        arb_set_fmpq(sides->token + c, entry, sides->precision);
        if (sides->bits > 0 && c < sides->rounded) {
            arb_get_mag(radius, sides->token + c);
            mag_mul_2exp_si(radius, radius, 1 - sides->bits);
            arb_add_error_mag(sides->token + c, radius);
        }
    }
    fmpq_clear(entry);
    mag_clear(radius);
}

/* root = 1/sqrt(mean square + eps) of the entries that the gains of these heads are for. */
static attest_status get_root(arb_t root, const attest_score_sides *sides, int side,
                              size_t first, size_t end, size_t k, attest_error *error)
{
    const attest_weights *weights = sides->weights;
    slong precision = sides->precision;
    size_t count = 0;
    arb_t eps;

    arb_zero(root);
    for (size_t h = first; h < end; h++) {
        size_t s = weights->head[h].wq.rows, some = weights->head[h].gain[side].rows;
        arb_ptr x = sides->side[side][h] + k * s;

        arb_dot(root, root, 0, x, 1, x, 1, (slong)some, precision);
        count += some;
    }
    arb_init(eps);
    arb_set_fmpq(eps, weights->form.eps, precision);
    arb_div_ui(root, root, count, precision);
    arb_add(root, root, eps, precision);
    arb_clear(eps);
    arb_rsqrt(root, root, precision);
    return arb_is_finite(root)
               ? ATTEST_OK
               : attest_error_set(error, ATTEST_UNABLE,
                                  "the norm of a %s of head %zu divides by what may be 0",
                                  side == 0 ? "query" : "key", first);
}

/* The norm of head h at position k, or of all heads. */
static attest_status apply_norm(attest_score_sides *sides, int side, size_t h, size_t k,
                                attest_error *error)
{
    const attest_weights *weights = sides->weights;
    bool all = weights->form.over_heads;
    attest_status status;
    arb_t root, factor;
    fmpq_t gain;

    arb_init(root);
    arb_init(factor);
    fmpq_init(gain);
    status = get_root(root, sides, side, all ? 0 : h, all ? weights->heads : h + 1, k, error);
    for (size_t g = all ? 0 : h; g < (all ? weights->heads : h + 1); g++) {
        const attest_head *head = &weights->head[g];

        for (size_t r = 0; status == ATTEST_OK && r < head->gain[side].rows; r++) {
            arb_ptr x = sides->side[side][g] + k * head->wq.rows + r;

            attest_matrix_get_entry(gain, &head->gain[side], r, 0);
            arb_set_fmpq(factor, gain, sides->precision);
            arb_mul(factor, factor, root, sides->precision);
            arb_mul(x, x, factor, sides->precision);
        }
    }
    arb_clear(root);
    arb_clear(factor);
    fmpq_clear(gain);
    return status;
}

static attest_status apply_norms(attest_score_sides *sides, size_t k, attest_error *error)
{
    const attest_weights *weights = sides->weights;

    for (int side = 0; side < 2; side++)
        for (size_t h = 0; h < weights->heads; h++) {
            if (weights->head[h].gain[side].rows == 0)
                continue;
            ATTEST_TRY(apply_norm(sides, side, h, k, error));
            if (weights->form.over_heads)
                break; /* it was that of all */
        }
    return ATTEST_OK;
}

/* (a, b) = (a cos - b sin, b cos + a sin) */
static void turn(arb_t a, arb_t b, const arb_t cosine, const arb_t sine, slong precision)
{
    arb_t x;

    arb_init(x);
    arb_mul(x, a, cosine, precision);
    arb_submul(x, b, sine, precision);
    arb_mul(b, b, cosine, precision);
    arb_addmul(b, a, sine, precision);
    arb_swap(a, x);
    arb_clear(x);
}

/* All queries and keys at position k. */
static void rotate(attest_score_sides *sides, size_t k)
{
    const attest_weights *weights = sides->weights;
    size_t half = half_of(sides);
    arb_ptr cosine = sides->angle, sine = sides->angle + half;
    arb_t angle;

    arb_init(angle);
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
    arb_clear(angle);
}

attest_status attest_score_sides_load(attest_score_sides *sides, const attest_dataset *dataset,
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
