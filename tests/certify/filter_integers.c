/* Outputs of small integers in 64 bits: fractions that are exactly those of the oracle
 * (hardmax) or lie in its narrow balls (softmax), at any power of two, up to where numbers
 * become too large; centre, radius, equality and distance go with them. */
#include <math.h>
#include <string.h>

#include "certify/filter_batch.h"
#include "tests/ref/attention.h"
#include "tests/tap.h"

enum { DIM = 3, HEADS = 3, SIZE = 2, LENGTH = 5, SEQUENCES = 2, BITS = 4000, ROUNDS = 2000 };

static uint64_t state;

static long below(long n)
{
    return (long)(tap_random(&state) % (uint64_t)n);
}

typedef struct example {
    attest_filter_shape shape;
    attest_filter_instance instance;
    size_t length[SEQUENCES], positions;
    double token[SEQUENCES * LENGTH * DIM], weight[HEADS * 4 * SIZE * DIM];
    int token_bit, weight_bit;
    bool small; /* scores are a few units */
} example;

static void fill(example *x, bool hardmax)
{
    long span = below(4) ? 3 : 3L << below(12); /* mostly ties; now and then too large */

    x->shape =
        (attest_filter_shape){.activation = hardmax ? ATTEST_HARDMAX : ATTEST_SOFTMAX,
                              .ties = below(2) ? ATTEST_TIES_LEFTMOST : ATTEST_TIES_UNIFORM,
                              .mask = below(2) ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE,
                              .skip = below(2),
                              .dim = 1 + (size_t)below(DIM),
                              .heads = 1 + (size_t)below(HEADS),
                              .size = 1 + (size_t)below(SIZE)};
    x->token_bit = (int)below(9) - 4;
    x->weight_bit = (int)below(7) - 4;
    x->small = span == 3;
    x->positions = 0;
    for (size_t s = 0; s < SEQUENCES; s++)
        x->positions += x->length[s] = 1 + (size_t)below(LENGTH);
    for (size_t e = 0; e < sizeof x->token / sizeof *x->token; e++)
        x->token[e] = 1e300; /* what stands behind the numbers is not looked at */
    for (size_t e = 0; e < sizeof x->weight / sizeof *x->weight; e++)
        x->weight[e] = 1e300;
    for (size_t e = 0; e < x->positions * x->shape.dim; e++)
        x->token[e] = ldexp((double)(below(span) - span / 2), x->token_bit);
    for (size_t e = 0; e < x->shape.heads * 4 * x->shape.size * x->shape.dim; e++)
        x->weight[e] =
            below(3) || hardmax ? ldexp((double)(below(span) - span / 2), x->weight_bit) : 0;
    x->instance = (attest_filter_instance){SEQUENCES, x->length, x->token, x->weight};
}

/* Numbers times 2^-bit are whole. */
static void set_entries(fmpz *entry, const double *x, size_t count, int bit)
{
    for (size_t e = 0; e < count; e++)
        fmpz_set_si(entry + e, (slong)ldexp(x[e], -bit));
}

/* Multiplies numerators, or the denominator, by 2^|bit|. */
static void set_unit(fmpz *entry, size_t count, fmpz_t denominator, int bit)
{
    fmpz_one(denominator);
    if (bit < 0)
        fmpz_mul_2exp(denominator, denominator, (ulong)-bit);
    for (size_t e = 0; bit > 0 && e < count; e++)
        fmpz_mul_2exp(entry + e, entry + e, (ulong)bit);
}

static void load_weights(attest_weights *weights, const example *x)
{
    const attest_filter_shape *s = &x->shape;
    size_t each = s->size * s->dim;
    const double *entry = x->weight;

    if (attest_weights_resize(weights, s->heads) != ATTEST_OK)
        abort();
    weights->activation = s->activation;
    weights->ties = s->ties;
    weights->mask = s->mask;
    weights->skip = s->skip;
    weights->dim = s->dim;
    for (size_t h = 0; h < s->heads; h++) {
        attest_matrix *m[4] = {&weights->head[h].wq, &weights->head[h].wk, &weights->head[h].wv,
                               &weights->head[h].wo};
        for (int which = 0; which < 4; which++, entry += each) {
            attest_matrix_resize(m[which], which < 3 ? s->size : s->dim,
                                 which < 3 ? s->dim : s->size);
            set_entries(m[which]->entry, entry, each, x->weight_bit);
            set_unit(m[which]->entry, each, m[which]->denominator, x->weight_bit);
        }
    }
}

/* By position: the oracle's outputs, exact or in balls. */
typedef struct truth {
    fmpq *exact;
    arb_ptr ball;
} truth;

static void get_truth(truth *t, const example *x)
{
    size_t dim = x->shape.dim, at = 0;
    attest_sequence sequence;
    attest_weights weights;

    attest_sequence_init(&sequence);
    attest_weights_init(&weights);
    load_weights(&weights, x);
    for (size_t s = 0; s < SEQUENCES; at += x->length[s++]) {
        attest_sequence_resize(&sequence, x->length[s], dim);
        set_entries(sequence.entry, x->token + at * dim, x->length[s] * dim, x->token_bit);
        set_unit(sequence.entry, x->length[s] * dim, sequence.denominator, x->token_bit);
        if (x->shape.activation == ATTEST_HARDMAX)
            ref_hardmax(t->exact + at * dim, &weights, &sequence);
        else
            ref_softmax(t->ball + at * dim, NULL, &weights, &sequence, BITS);
    }
    attest_sequence_clear(&sequence);
    attest_weights_clear(&weights);
}

/* Whether entry c at a position is what the oracle says. */
static bool is_true(const attest_filter_integers *n, const truth *t, size_t p, size_t c)
{
    size_t e = p * n->shape->dim + c;
    fmpq_t value;
    bool ok;

    fmpq_init(value);
    fmpq_set_si(value, n->numerator[e], (ulong)n->denominator[p]);
    if (n->exponent < 0)
        fmpq_div_2exp(value, value, (ulong)-n->exponent);
    else
        fmpq_mul_2exp(value, value, (ulong)n->exponent);
    if (n->shape->activation == ATTEST_HARDMAX)
        ok = fmpq_equal(value, t->exact + e);
    else
        ok = arb_contains_fmpq(t->ball + e, value) &&
             mag_cmp_2exp_si(arb_radref(t->ball + e), -200) < 0;
    fmpq_clear(value);
    return ok;
}

/* Centre and radius around the fraction, checked in rationals. */
static bool is_around(const attest_filter_integers *n, size_t p, const double *centre,
                      double radius)
{
    size_t dim = n->shape->dim;
    double off = 0;

    for (size_t c = 0; c < dim; c++) {
        long double exact =
            ldexpl((long double)n->numerator[p * dim + c] / (long double)n->denominator[p],
                   n->exponent);
        off += fabs((double)(exact - centre[c]));
    }
    return off <= radius && radius < INFINITY;
}

/* Returns whether the decision about two softmax outputs agrees with the balls of the oracle;
 * told counts decisions (different, equal). With large scores the balls of different outputs
 * overlap. */
static bool is_told(size_t told[2], attest_filter_integers *n, const truth *t, const example *x,
                    size_t p, size_t q)
{
    size_t dim = x->shape.dim;
    int apart = attest_filter_integers_compare_softmax(n, p, q);
    bool overlap = true;

    for (size_t c = 0; c < dim; c++)
        overlap = overlap && arb_overlaps(t->ball + p * dim + c, t->ball + q * dim + c);
    told[0] += apart > 0;
    told[1] += apart < 0;
    return apart == 0 || (apart < 0 && overlap) || (apart > 0 && (!overlap || !x->small));
}

/* A head, and what it makes of tokens, told without fractions. */
static void test_sums(void)
{
    static attest_filter_integers n;
    slong most = SEQUENCES * LENGTH * DIM;
    truth t = {_fmpq_vec_init(most), _arb_vec_init(most)};
    size_t failed = 0, told[2] = {0, 0}, pairs = 0;
    example x;

    for (size_t i = 0; i < ROUNDS / 5; i++) {
        fill(&x, false);
        x.shape.heads = 1;
        get_truth(&t, &x);
        attest_filter_integers_begin(&n, &x.shape, &x.instance, x.positions);
        for (size_t p = 0; p < x.positions; p++)
            for (size_t q = 0; q < p; q++, pairs++)
                failed += !is_told(told, &n, &t, &x, p, q);
    }
    TAP_OK(failed == 0, "softmax: %zu pairs, different or equal as the oracle's (%zu fail)",
           pairs, failed);
    TAP_OK(told[0] > pairs / 10 && told[1] > pairs / 10 && 10 * (told[0] + told[1]) > 8 * pairs,
           "%zu are told to be different, %zu equal", told[0], told[1]);
    x.shape.heads = 2;
    attest_filter_integers_begin(&n, &x.shape, &x.instance, x.positions);
    TAP_OK(attest_filter_integers_compare_softmax(&n, 0, 0) == 0,
           "nothing is said of two heads");
    _fmpq_vec_clear(t.exact, most);
    _arb_vec_clear(t.ball, most);
}

/* Tokens (1, 2) and (-1, -2), W_Q = 1, W_K W_V of both signs: outputs that are opposite, and
 * equal only without skip and values. One more token of the highest score, or one less of the
 * lowest, is told. */
static void test_symmetry(void)
{
    static attest_filter_integers n;
    double token[] = {1, 2, -1, -2, 2, 1, 1, 2, 2}, weight[4] = {1, 1, 1, 1};
    size_t length[] = {2, 2, 2, 3};
    attest_filter_shape shape = {
        .activation = ATTEST_SOFTMAX, .dim = 1, .heads = 1, .size = 1, .skip = true};
    attest_filter_instance instance = {4, length, token, weight};

    attest_filter_integers_begin(&n, &shape, &instance, 9);
    TAP_OK(attest_filter_integers_compare_softmax(&n, 0, 5) == -1 &&
               attest_filter_integers_compare_softmax(&n, 1, 4) == -1,
           "the order of tokens does not matter");
    TAP_OK(attest_filter_integers_compare_softmax(&n, 0, 2) == 1 &&
               attest_filter_integers_compare_softmax(&n, 0, 6) == 1,
           "opposite outputs differ, and so do those of one more token");
    weight[3] = -1;
    weight[2] = 1;
    shape.skip = false;
    token[4] = 0, token[5] = 0; /* queries of score 0 see means */
    attest_filter_integers_begin(&n, &shape, &instance, 9);
    TAP_OK(attest_filter_integers_compare_softmax(&n, 4, 5) == -1 &&
               attest_filter_integers_compare_softmax(&n, 4, 0) == 1,
           "means are told from other averages");
}

/* One example; count[0] positions, of which count[1] are fractions. */
static bool try_example(bool hardmax, size_t count[2], truth *t)
{
    static attest_filter_integers n;
    example x;
    double centre[DIM], radius, square;
    bool ok = true, equal;

    fill(&x, hardmax);
    get_truth(t, &x);
    attest_filter_integers_begin(&n, &x.shape, &x.instance, x.positions);
    for (size_t p = 0; p < x.positions; p++) {
        count[0]++;
        if (!attest_filter_integers_get(centre, &radius, &n, p))
            continue;
        count[1]++;
        for (size_t c = 0; c < x.shape.dim; c++)
            ok = ok && is_true(&n, t, p, c);
        ok = ok && is_around(&n, p, centre, radius);
        for (size_t q = 0; q < p; q++) {
            long double sum = 0;
            if (!attest_filter_integers_compare(&equal, &square, &n, p, q))
                continue;
            for (size_t c = 0; c < x.shape.dim; c++) {
                long double d = (long double)n.numerator[p * x.shape.dim + c] /
                                    (long double)n.denominator[p] -
                                (long double)n.numerator[q * x.shape.dim + c] /
                                    (long double)n.denominator[q];
                sum += d * d;
            }
            sum = ldexpl(sum, 2 * n.exponent);
            ok = ok && equal == (square == 0) &&
                 fabsl(sum - square) <= 0x1p-40L * square + 0x1p-100L;
        }
    }
    return ok;
}

static void test(bool hardmax)
{
    size_t failed = 0, count[2] = {0, 0}, rounds = hardmax ? ROUNDS : ROUNDS / 10;
    slong most = SEQUENCES * LENGTH * DIM;
    truth t = {_fmpq_vec_init(most), _arb_vec_init(most)};

    for (size_t i = 0; i < rounds; i++)
        failed += !try_example(hardmax, count, &t);
    TAP_OK(failed == 0, "%s: %zu examples, the oracle's outputs (%zu fail)",
           hardmax ? "hardmax" : "softmax", rounds, failed);
    TAP_OK(count[1] * 10 > count[0] * (hardmax ? 8 : 3) && count[1] < count[0],
           "%zu of %zu outputs are fractions of small numbers", count[1], count[0]);
    _fmpq_vec_clear(t.exact, most);
    _arb_vec_clear(t.ball, most);
}

/* What is not finite, or beyond the range of the integers. */
static void test_extremes(void)
{
    static const double token[][2] = {
        {1, NAN}, {INFINITY, 1}, {0x1p-1074, 1}, {1e300, 1e-300}, {0x1p40, 1}};
    static attest_filter_integers n;
    attest_filter_shape shape = {
        .activation = ATTEST_HARDMAX, .dim = 1, .heads = 1, .size = 1, .skip = true};
    double weight[4] = {1, 1, 1, 1}, centre, radius;
    size_t length[1] = {2};
    bool refused = true;

    for (size_t i = 0; i < sizeof token / sizeof *token; i++) {
        attest_filter_instance instance = {1, length, token[i], weight};
        attest_filter_integers_begin(&n, &shape, &instance, 2);
        refused = refused && !attest_filter_integers_get(&centre, &radius, &n, 0);
    }
    TAP_OK(refused, "NaN, infinity, subnormal, far apart, too large: not looked at");
}

TEST(filter_integers)
{
    state = tap_seed(0x1273637);
    test(true);
    test(false);
    test_sums();
    test_symmetry();
    test_extremes();
    flint_cleanup();
    return 0;
}
