/* contextual.c -- Definition 2 by brute force. */
#include "tests/ref/contextual.h"

#include <math.h>
#include <stdlib.h>

#include "tests/ref/attention.h"

/* All outputs: total * dim entries of one of the two kinds. */
typedef struct outputs {
    const attest_dataset *dataset;
    const attest_weights *weights;
    slong precision;
    fmpq *exact;
    arb_ptr ball;
} outputs;

static void evaluate(outputs *o)
{
    const attest_dataset *dataset = o->dataset;
    slong entries = (slong)(dataset->total * dataset->dim);
    attest_error error;

    o->exact = _fmpq_vec_init(entries);
    o->ball = _arb_vec_init(entries);
    for (size_t i = 0; i < dataset->count; i++) {
        size_t at = dataset->start[i] * dataset->dim;
        attest_sequence sequence;
        attest_sequence_init(&sequence);
        if (attest_dataset_get_sequence(&sequence, dataset, i, NULL, &error) != ATTEST_OK)
            abort();
        if (o->weights->activation == ATTEST_HARDMAX)
            ref_hardmax(o->exact + at, o->weights, &sequence);
        else
            ref_softmax(o->ball + at, NULL, o->weights, &sequence, o->precision);
        attest_sequence_clear(&sequence);
    }
}

/* How many tokens the position sees. */
static size_t seen(const outputs *o, size_t i, size_t k)
{
    return o->weights->mask == ATTEST_MASK_CAUSAL ? k + 1
                                                  : attest_dataset_length(o->dataset, i);
}

/* Returns whether each of the first a tokens of sequence i is among the first b of sequence j.
 */
static bool inside(const attest_dataset *d, size_t i, size_t a, size_t j, size_t b)
{
    for (size_t m = 0; m < a; m++) {
        bool met = false;
        for (size_t l = 0; l < b; l++)
            met = met || attest_dataset_token(d, i, m) == attest_dataset_token(d, j, l);
        if (!met)
            return false;
    }
    return true;
}

static bool required(const outputs *o, size_t i, size_t k, size_t j, size_t l)
{
    size_t a = seen(o, i, k), b = seen(o, j, l);

    return attest_dataset_token(o->dataset, i, k) != attest_dataset_token(o->dataset, j, l) ||
           !inside(o->dataset, i, a, j, b) || !inside(o->dataset, j, b, i, a);
}

/* The square of a distance, or with y = SIZE_MAX of a norm; places are counted through. */
static void get_square(fmpq_t exact, arb_t ball, const outputs *o, size_t x, size_t y)
{
    size_t dim = o->dataset->dim;
    fmpq_t t;
    arb_t b;

    fmpq_init(t);
    arb_init(b);
    fmpq_zero(exact);
    arb_zero(ball);
    for (size_t c = 0; c < dim; c++) {
        fmpq_set(t, o->exact + x * dim + c);
        arb_set(b, o->ball + x * dim + c);
        if (y != SIZE_MAX) {
            fmpq_sub(t, t, o->exact + y * dim + c);
            arb_sub(b, b, o->ball + y * dim + c, o->precision);
        }
        fmpq_addmul(exact, t, t);
        arb_addmul(ball, b, b, o->precision);
    }
    if (o->weights->activation == ATTEST_HARDMAX)
        arb_set_fmpq(ball, exact, o->precision);
    fmpq_clear(t);
    arb_clear(b);
}

static ref_side compare(const outputs *o, const fmpq_t exact, const arb_t ball,
                        const fmpq *bound)
{
    ref_side side = REF_UNKNOWN;
    fmpq_t square;
    arb_t b;

    fmpq_init(square);
    arb_init(b);
    fmpq_mul(square, bound, bound);
    if (o->weights->activation == ATTEST_HARDMAX) {
        int sign = fmpq_cmp(exact, square);
        side = (ref_side)((sign > 0) - (sign < 0));
    } else {
        arb_set_fmpq(b, square, o->precision);
        arb_sub(b, ball, b, o->precision);
        if (arb_is_positive(b))
            side = REF_ABOVE;
        else if (arb_is_negative(b))
            side = REF_BELOW;
    }
    fmpq_clear(square);
    arb_clear(b);
    return side;
}

/* Of two sides, that of the least: below before met before unknown before above. */
static ref_side least_side(ref_side a, ref_side b)
{
    static const ref_side order[] = {REF_BELOW, REF_MET, REF_UNKNOWN};

    for (size_t i = 0; i < 3; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return REF_ABOVE;
}

/* That of the largest: above before met before unknown before below. */
static ref_side largest_side(ref_side a, ref_side b)
{
    static const ref_side order[] = {REF_ABOVE, REF_MET, REF_UNKNOWN};

    for (size_t i = 0; i < 3; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return REF_BELOW;
}

static void look_at_pairs(ref_contextual *found, const outputs *o, size_t i, size_t k,
                          const fmpq *delta)
{
    size_t x = o->dataset->start[i] + k;
    fmpq_t exact;
    arb_t ball;

    fmpq_init(exact);
    arb_init(ball);
    for (size_t j = i; j < o->dataset->count; j++) {
        for (size_t l = 0; l < attest_dataset_length(o->dataset, j); l++) {
            size_t y = o->dataset->start[j] + l;
            if (y <= x || !required(o, i, k, j, l))
                continue;
            found->required++;
            get_square(exact, ball, o, x, y);
            arb_min(found->least, found->least, ball, o->precision);
            found->separation = least_side(found->separation, compare(o, exact, ball, delta));
        }
    }
    fmpq_clear(exact);
    arb_clear(ball);
}

void ref_contextual_init(ref_contextual *found)
{
    arb_init(found->least);
    arb_init(found->largest);
}

void ref_contextual_clear(ref_contextual *found)
{
    arb_clear(found->least);
    arb_clear(found->largest);
}

void ref_contextual_get(ref_contextual *found, const attest_dataset *dataset,
                        const attest_weights *weights, const fmpq *delta, const fmpq *r,
                        slong precision)
{
    outputs o = {dataset, weights, precision, NULL, NULL};
    slong entries = (slong)(dataset->total * dataset->dim);
    fmpq_t exact;
    arb_t ball;

    fmpq_init(exact);
    arb_init(ball);
    found->required = 0;
    found->separation = REF_ABOVE;
    found->norm = REF_BELOW;
    arb_set_d(found->least, INFINITY); /* inlined, arb_pos_inf makes gcc 14 warn of arb_min */
    arb_zero(found->largest);
    evaluate(&o);
    for (size_t i = 0; i < dataset->count; i++) {
        for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
            look_at_pairs(found, &o, i, k, delta);
            get_square(exact, ball, &o, dataset->start[i] + k, SIZE_MAX);
            arb_max(found->largest, found->largest, ball, precision);
            if (r)
                found->norm = largest_side(found->norm, compare(&o, exact, ball, r));
        }
    }
    _fmpq_vec_clear(o.exact, entries);
    _arb_vec_clear(o.ball, entries);
    fmpq_clear(exact);
    arb_clear(ball);
}

ref_side ref_contextual_compare(bool *is_required, const attest_dataset *dataset,
                                const attest_weights *weights, const attest_place pair[2],
                                const fmpq *bound, slong precision)
{
    outputs o = {dataset, weights, precision, NULL, NULL};
    slong entries = (slong)(dataset->total * dataset->dim);
    size_t x = dataset->start[pair[0].sequence] + pair[0].position;
    size_t y = dataset->start[pair[1].sequence] + pair[1].position;
    ref_side side;
    fmpq_t exact;
    arb_t ball;

    fmpq_init(exact);
    arb_init(ball);
    evaluate(&o);
    *is_required =
        required(&o, pair[0].sequence, pair[0].position, pair[1].sequence, pair[1].position);
    get_square(exact, ball, &o, x, x == y ? SIZE_MAX : y);
    side = compare(&o, exact, ball, bound);
    _fmpq_vec_clear(o.exact, entries);
    _arb_vec_clear(o.ball, entries);
    fmpq_clear(exact);
    arb_clear(ball);
    return side;
}
