/* attest_filter_difference on random cases: it returns true only if the distance of the outputs
 * of one query in two contexts is above the bound, and it does so for most distances above the
 * bound, also for tiny ones. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "certify/filter_batch.h"
#include "tests/ref/attention.h"
#include "tests/tap.h"

#ifndef ROUNDS
#define ROUNDS 100
#endif

/* The largest dimension of tokens and head size, number of heads, length of a context. */
enum { WIDE = 3, HEADS = 2, MOST = 6 };

/* The precision of the oracle, and a precision that suffices for the largest difference of
 * scores, 54 scale^4. */
static slong bits, most_bits;

static uint64_t state;

static long below(long n)
{
    return (long)(tap_random(&state) % (uint64_t)n);
}

typedef struct test_case {
    size_t dim, size, heads, length[2];
    double token[2][MOST * WIDE]; /* of both contexts; the first token of each is the query */
    double weight[HEADS][4][WIDE * WIDE];
} test_case;

/* Returns a random multiple of 2^-20 with absolute value up to scale. */
static double entry(double scale)
{
    return floor((double)(below(1 << 21) - (1 << 20)) * scale) * 0x1p-20;
}

/* Draws a case in which about two thirds of the tokens of the second context are tokens of the
 * first. */
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

/* out = the output of the query in context s, by the oracle. */
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

/* distance = the distance of the outputs in both contexts, by the oracle. */
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

/* Returns whether attest_filter_difference proves that the distance is above the bound. */
static bool is_above(test_case *t, double bound)
{
    attest_filter_context context[2] = {{t->token[0], t->length[0]},
                                        {t->token[1], t->length[1]}};
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
    return attest_filter_difference(&layer, t->token[0], &context[0], &context[1], bound);
}

/* Numbers of cases. */
typedef struct tally {
    size_t wrong;     /* answers that the oracle contradicts */
    size_t different; /* the outputs differ */
    size_t tiny;      /* they differ by less than 2^-900 */
    size_t proved;    /* they are proved to differ */
    size_t tight; /* they are proved to be more than 0.57 of their distance apart (or tiny) */
} tally;

/* Tries three bounds: 0; a little less than the distance over sqrt(3), as the check compares
 * the largest entry of the difference with the bound; and a little more than the distance. */
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
        sum->proved++;
        sum->wrong += !arb_is_positive(distance);
        sum->tight += d < 0x1p-900 || is_above(&t, d * 0.57);
    }
    sum->wrong += is_above(&t, d > 0 ? d * (1 + 0x1p-50) : DBL_TRUE_MIN);
    arb_clear(distance);
}

/* Two contexts with one token each besides the query. These tokens differ by 2^-292 (2.625,
 * 2.625, 5.25). W_V multiplies by 2^-292, and W_O = 2^-490 (1, 1, -1) makes the outputs equal:
 * the products are 1.3125, 1.3125 and 2.625 times the least positive double, and their
 * roundings do not add up to 0. */
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

    TAP_OK(
        !is_above(&t, 0),
        "equal outputs, which underflow makes different in doubles, are not proved different");
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
        TAP_OK(sum.wrong == 0,
               "scale %.0f: every distance that is proved above a bound is above it", scale[s]);
        TAP_OK(sum.proved > sum.different * 9 / 10 && sum.tight > sum.proved * 9 / 10,
               "scale %.0f: %zu of %zu differences are proved, %zu of them with a tight bound; "
               "%zu are below 2^-900",
               scale[s], sum.proved, sum.different, sum.tight, sum.tiny);
    }
    flint_cleanup();
    return 0;
}
