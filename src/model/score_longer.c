/* score_longer.c -- tokens with what scores are made of at their positions. */
#include "model/score_longer.h"

#include <stdint.h>

#include "base/memory.h"
#include "base/scope.h"
#include "number/rationals.h"

/* Numbers that are not rational are kept to FIRST_BITS, doubled until scores are known to
 * 2^-ENOUGH; a ball has more bits while it is formed. */
enum { FIRST_BITS = 128, MOST_BITS = 1024, MORE_BITS = 32, ENOUGH = 40 };

static void find_kind(attest_score_longer *l)
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

/* The token, then
 * - under a softcap 1 at the entry of its position, and the scores of the keys, head after
 * head;
 * - else, if they are turned, query and key, head after head;
 *   and, if there are slopes, a 1, and slope * position for each head. */
static attest_status set_width(attest_score_longer *l, attest_error *error)
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

/* *entry = the middle of the ball, of l->kept bits; the ball says what that is off by. */
static void keep(fmpq *entry, arb_t ball, const attest_score_longer *l)
{
    arb_set_round(ball, ball, l->kept);
    arf_get_fmpq(entry, arb_midref(ball));
}

/* Keeps one query or key, and notes its length and error. */
static void keep_side(fmpq *entry, const attest_score_longer *l, int side, size_t h, size_t k)
{
    size_t s = l->weights->head[h].wq.rows;
    arb_ptr x = l->sides.side[side][h] + k * s;
    mag_t size, error, one;

    mag_init(size);
    mag_init(error);
    mag_init(one);
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
    mag_clear(size);
    mag_clear(error);
    mag_clear(one);
}

/* Replaces x by an enclosure of tanh(x), of radius at most about 1. Where the ball of x is
 * wide, the quotient of exponentials in arb_tanh is wide or divides by a ball around 0. tanh
 * increases, so that its values at the ends of x enclose all others. */
static void set_tanh(arb_t x, slong precision)
{
    arb_t low, high;

    arb_init(low);
    arb_init(high);
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
    arb_clear(low);
    arb_clear(high);
}

/* The score of key j for query k under a softcap, and the key's position. */
static void keep_score(fmpq *entry, const attest_score_longer *l, size_t h, size_t k, size_t j)
{
    const attest_head *head = &l->weights->head[h];
    size_t s = head->wq.rows;
    slong precision = l->sides.precision;
    arb_t score, cap;
    fmpq_t shift;

    arb_init(score);
    arb_init(cap);
    fmpq_init(shift);
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
    arb_clear(score);
    arb_clear(cap);
    fmpq_clear(shift);
}

/* What the token at position k of a sequence of length n gets; entry is 0. */
static void lengthen_capped(fmpq *entry, const attest_score_longer *l, size_t k, size_t n)
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

static void lengthen(fmpq *entry, const attest_score_longer *l, size_t k, size_t n)
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

static attest_status add_sequence(attest_dataset_builder *builder, attest_score_longer *l,
                                  size_t i, attest_error *error)
{
    const attest_dataset *dataset = l->dataset;
    size_t n = attest_dataset_length(dataset, i), dim = dataset->dim;

    if (l->turned || l->capped)
        ATTEST_TRY(attest_score_sides_load(&l->sides, dataset, i, error));
    for (size_t k = 0; k < n; k++) {
        for (size_t c = 0; c < dim; c++)
            attest_tokens_get_entry(l->token + c, &dataset->tokens,
                                    attest_dataset_token(dataset, i, k), c);
        for (size_t c = dim; c < l->width; c++)
            fmpq_zero(l->token + c);
        lengthen(l->token + dim, l, k, n);
        ATTEST_TRY(attest_dataset_builder_add_token(builder, l->token, error));
    }
    return attest_dataset_builder_end_sequence(builder, error);
}

static attest_status build(attest_dataset *made, attest_score_longer *l, attest_budget *budget,
                           attest_error *error)
{
    attest_dataset_builder builder;
    attest_status status;

    attest_dataset_builder_init(&builder, l->width, ATTEST_TABLE_RATIONAL, budget);
    status =
        attest_dataset_builder_reserve(&builder, l->dataset->count, l->dataset->total, error);
    for (size_t i = 0; i < l->dataset->count && status == ATTEST_OK; i++)
        status = add_sequence(&builder, l, i, error);
    if (status == ATTEST_OK)
        status = attest_dataset_builder_finish(made, &builder, error);
    attest_dataset_builder_clear(&builder);
    return status;
}

/* Scores are off by at most |q| e_k + |k| e_q, where lengths are those of the rounded ones,
 * plus e_q e_k. */
static void bound_scores(attest_score_longer *l)
{
    for (size_t h = 0; l->turned && !l->capped && h < l->weights->heads; h++) {
        mag_mul(l->score + h, l->size[0] + h, l->error[1] + h);
        mag_addmul(l->score + h, l->size[1] + h, l->error[0] + h);
        mag_addmul(l->score + h, l->error[0] + h, l->error[1] + h);
    }
}

static bool is_enough(const attest_score_longer *l)
{
    bool enough = true;
    mag_t limit;

    mag_init(limit);
    mag_set_ui_2exp_si(limit, 1, -ENOUGH);
    for (size_t h = 0; h < l->weights->heads; h++)
        enough = enough && mag_cmp(l->score + h, limit) <= 0;
    mag_clear(limit);
    return enough;
}

static void room_clear(attest_score_longer *l)
{
    slong heads = (slong)l->weights->heads;

    attest_score_sides_clear(&l->sides);
    for (int i = 0; i < 2; i++) {
        _mag_vec_clear(l->size[i], heads);
        _mag_vec_clear(l->error[i], heads);
    }
    attest_rationals_free(l->token, l->width);
}

static attest_status room_init(attest_score_longer *l, size_t rounded, long bits,
                               attest_error *error)
{
    size_t heads = l->weights->heads;

    ATTEST_TRY(attest_score_sides_init(&l->sides, l->weights,
                                       l->turned || l->capped ? l->dataset->longest : 0,
                                       l->kept + MORE_BITS, error));
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

/* What the balls of matrices, queries and keys take. */
static size_t room_bytes(const attest_score_longer *l)
{
    size_t each = sizeof(arb_struct) + ((size_t)l->kept / FLINT_BITS + 2) * sizeof(mp_limb_t);
    double bytes = 0;

    for (size_t h = 0; (l->turned || l->capped) && h < l->weights->heads; h++)
        bytes += 2.0 * (double)l->weights->head[h].wq.rows *
                 ((double)l->dataset->dim + (double)l->dataset->longest) * (double)each;
    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX;
}

/* made = the longer tokens, with numbers of so many bits; l->score = what scores are off by. */
static attest_status attempt(attest_dataset *made, attest_score_longer *l, size_t rounded,
                             long bits, attest_budget *budget, attest_error *error)
{
    size_t bytes = room_bytes(l);
    attest_status status;

    ATTEST_TRY(attest_budget_charge(budget, bytes, error));
    status = room_init(l, rounded, bits, error);
    if (status == ATTEST_OK) {
        status = build(made, l, budget, error);
        bound_scores(l);
        room_clear(l);
    }
    attest_budget_give_back(budget, bytes);
    return status;
}

attest_status attest_score_longer_make(attest_dataset *made, attest_score_longer *l,
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
    return attest_error_set(error, ATTEST_UNABLE,
                            "queries and keys are too large to tell what %d bits of them leave "
                            "open of scores",
                            MOST_BITS);
}

attest_status attest_score_longer_init(attest_score_longer *l, attest_error *error)
{
    find_kind(l);
    ATTEST_TRY(set_width(l, error));
    l->score = _mag_vec_init((slong)l->weights->heads);
    return ATTEST_OK;
}

void attest_score_longer_clear(attest_score_longer *l)
{
    if (l->score)
        _mag_vec_clear(l->score, (slong)l->weights->heads);
}
