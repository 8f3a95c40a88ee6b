/* One query in two contexts: the filter proves that a distance is above a bound only if it is,
 * and in most cases in which it is, also for tiny distances. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "certify/filter_batch.h"
#include "tests/ref/attention.h"
#include "tests/tap.h"

#ifndef ROUNDS
#define ROUNDS 100
#endif

enum { WIDE = 3, HEADS = 2, MOST = 6 };

/* Of the oracle, and what is enough for the largest difference of scores, 54 scale^4. */
static slong bits, most_bits;

static uint64_t state;

static long below(long n)
{
    return (long)(tap_random(&state) % (uint64_t)n);
}

typedef struct test_case {
    size_t dim, size, heads, length[2];
    double token[2][MOST * WIDE]; /* the query stands first in both */
    double weight[HEADS][4][WIDE * WIDE];
} test_case;

/* Multiples of 2^-20 below scale. */
static double entry(double scale)
{
    return floor((double)(below(1 << 21) - (1 << 20)) * scale) * 0x1p-20;
}

/* The second context has most of the tokens of the first one. */
static void fill(test_case *t, double scale)
{
    t->dim = 1 + (size_t)below(WIDE);
    t->size = 1 + (size_t)below(WIDE);
    t->heads = 1 + (size_t)below(HEADS);
    for (int s = 0; s < 2; s++) {
        t->length[s] = 1 + (size_t)below(MOST);
        for (size_t e = 0; e < MOST * t->dim; e++)
            t->token[s][e] = entry(scale);
    }
    for (size_t j = 0; j < MOST; j++)
        if (j == 0 || below(3))
            memcpy(t->token[1] + j * t->dim,
                   t->token[0] + (j ? (size_t)below(MOST) : 0) * t->dim,
                   t->dim * sizeof(double));
    for (size_t h = 0; h < t->heads; h++)
        for (int m = 0; m < 4; m++)
            for (size_t e = 0; e < WIDE * WIDE; e++)
                t->weight[h][m][e] = entry(m < 2 ? scale : 1);
}

static void set_matrix(attest_matrix *m, const double *x, size_t rows, size_t cols)
{
    attest_matrix_resize(m, rows, cols);
    fmpz_set_ui(m->denominator, 1 << 20);
    for (size_t e = 0; e < rows * cols; e++)
        fmpz_set_si(m->entry + e, (slong)ldexp(x[e], 20));
}

/* The output of the query in one context, by the oracle. */
static void get_output(arb_ptr out, const test_case *t, int s, const attest_weights *weights)
{
    arb_ptr all = _arb_vec_init((slong)(t->length[s] * t->dim));
    attest_sequence sequence;

    attest_sequence_init(&sequence);
    attest_sequence_resize(&sequence, t->length[s], t->dim);
    fmpz_set_ui(sequence.denominator, 1 << 20);
    for (size_t e = 0; e < t->length[s] * t->dim; e++)
        fmpz_set_si(sequence.entry + e, (slong)ldexp(t->token[s][e], 20));
    ref_softmax(all, NULL, weights, &sequence, bits);
    _arb_vec_set(out, all, (slong)t->dim);
    attest_sequence_clear(&sequence);
    _arb_vec_clear(all, (slong)(t->length[s] * t->dim));
}

/* The distance of both outputs, by the oracle. */
static void get_distance(arb_t distance, const test_case *t)
{
    arb_ptr x = _arb_vec_init(WIDE), y = _arb_vec_init(WIDE);
    attest_weights weights;

    attest_weights_init(&weights);
    if (attest_weights_resize(&weights, t->heads) != ATTEST_OK)
        abort();
    weights.dim = t->dim;
    for (size_t h = 0; h < t->heads; h++) {
        set_matrix(&weights.head[h].wq, t->weight[h][0], t->size, t->dim);
        set_matrix(&weights.head[h].wk, t->weight[h][1], t->size, t->dim);
        set_matrix(&weights.head[h].wv, t->weight[h][2], t->size, t->dim);
        set_matrix(&weights.head[h].wo, t->weight[h][3], t->dim, t->size);
    }
    get_output(x, t, 0, &weights);
    get_output(y, t, 1, &weights);
    arb_zero(distance);
    for (size_t c = 0; c < t->dim; c++) {
        arb_sub(x + c, x + c, y + c, bits);
        arb_addmul(distance, x + c, x + c, bits);
    }
    arb_sqrtpos(distance, distance, bits);
    attest_weights_clear(&weights);
    _arb_vec_clear(x, WIDE);
    _arb_vec_clear(y, WIDE);
}

/* Returns whether the distance is proved to be above the bound. */
static bool is_above(test_case *t, double bound)
{
    attest_filter_sight sight[2] = {{t->token[0], t->length[0]}, {t->token[1], t->length[1]}};
    attest_double_head head[HEADS];
    attest_double_layer layer = {.activation = ATTEST_SOFTMAX,
                                 .skip = true,
                                 .dim = t->dim,
                                 .heads = t->heads,
                                 .head = head};

    for (size_t h = 0; h < t->heads; h++) {
        attest_double_layer_set_matrix(&head[h].q, t->weight[h][0], t->size, t->dim);
        attest_double_layer_set_matrix(&head[h].k, t->weight[h][1], t->size, t->dim);
        attest_double_layer_set_matrix(&head[h].v, t->weight[h][2], t->size, t->dim);
        attest_double_layer_set_matrix(&head[h].o, t->weight[h][3], t->dim, t->size);
    }
    return attest_filter_difference(&layer, t->token[0], &sight[0], &sight[1], bound);
}

/* What happened. */
typedef struct tally {
    size_t wrong, apart, near, tiny, different;
} tally;

/* The bounds 0, a little less than the distance (over sqrt(3), as the largest entry counts),
 * and a little more. */
static void try_case(tally *sum, double scale)
{
    test_case t;
    arb_t distance;
    double d;

    fill(&t, scale);
    arb_init(distance);
    bits = 256;
    do {
        bits *= 2;
        get_distance(distance, &t);
    } while (arb_rel_accuracy_bits(distance) < 100 && bits < most_bits);
    d = arf_get_d(arb_midref(distance), ARF_RND_DOWN);
    sum->different += arb_is_positive(distance);
    sum->tiny += arb_is_positive(distance) && d < 0x1p-900;
    if (is_above(&t, 0)) {
        sum->apart++;
        sum->wrong += !arb_is_positive(distance);
        sum->near += d < 0x1p-900 || is_above(&t, d * 0.57);
    }
    sum->wrong += is_above(&t, d > 0 ? d * (1 + 0x1p-50) : DBL_TRUE_MIN);
    arb_clear(distance);
}

/* Contexts of one token whose other tokens differ by 2^-292 (2.625, 2.625, 5.25): values of W_V
 * = 2^-292, and W_O = 2^-490 (1, 1, -1) makes them equal; the products are 1.3125, 1.3125 and
 * 2.625 times the least double, whose roundings do not add up to 0. */
static void test_underflow(void)
{
    const double s = 0x1p-292, w = 0x1p-490;
    test_case t = {
        .dim = 3,
        .size = 3,
        .heads = 1,
        .length = {2, 2},
        .token = {{s, s, s, 3.625 * s, 4.625 * s, 8.25 * s}, {s, s, s, s, 2 * s, 3 * s}},
        .weight = {{{0}, {0}, {s, 0, 0, 0, s, 0, 0, 0, s}, {w, w, -w}}}};

    TAP_OK(!is_above(&t, 0), "equal outputs, where underflow makes a difference");
}

TEST(filter_difference)
{
    static const double scale[] = {1, 2, 3, 5};

    test_underflow();
    state = tap_seed(0xd1ff);
    for (size_t s = 0; s < sizeof scale / sizeof *scale; s++) {
        tally sum = {0};
        most_bits = 200 + (slong)(80 * pow(scale[s], 4));
        for (int i = 0; i < ROUNDS; i++)
            try_case(&sum, scale[s]);
        TAP_OK(sum.wrong == 0, "scale %.0f: nothing that is not so", scale[s]);
        TAP_OK(sum.apart > sum.different * 9 / 10 && sum.near > sum.apart * 9 / 10,
               "%zu of %zu distances are seen, %zu nearly in full; %zu are below 2^-900",
               sum.apart, sum.different, sum.near, sum.tiny);
    }
    flint_cleanup();
    return 0;
}
