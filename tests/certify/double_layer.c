/* Outputs in doubles lie within their radii of the truth: on instances where doubles round,
 * tie, overflow and underflow, and with inputs that are off by 2^-20, so that each of the terms
 * that count this is seen. */
#include <math.h>
#include <string.h>

#include "theory/contextual.h"
#include <attest/kernel.h>
#include <attest/number.h>

#include "certify/double_enclosure.h"
#include "tests/ref/attention.h"
#include "tests/ref/instances.h"
#include "tests/tap.h"

#ifndef ROUNDS
#define ROUNDS 20
#endif

enum { BITS = 1600, MOST = 6, WIDE = 3 };

static uint64_t state;

static long below(long n)
{
    return (long)(tap_random(&state) % (uint64_t)n);
}

/* out = F(sequence) by the oracle, softmax or hardmax, as balls. */
static void get_oracle(arb_ptr out, const attest_weights *weights,
                       const attest_sequence *sequence)
{
    slong entries = (slong)(sequence->length * sequence->dim);
    fmpq *exact;

    if (weights->activation == ATTEST_SOFTMAX) {
        ref_softmax(out, NULL, weights, sequence, BITS);
        return;
    }
    exact = _fmpq_vec_init(entries);
    ref_hardmax(exact, weights, sequence);
    for (slong e = 0; e < entries; e++)
        arb_set_fmpq(out + e, exact + e, BITS);
    _fmpq_vec_clear(exact, entries);
}

/* Returns whether centre is within radius of value; *share is how much of the radius it takes.
 */
static bool is_within(double *share, const double *centre, double radius, arb_srcptr value,
                      size_t dim)
{
    arb_t sum, t;
    bool ok;

    arb_init(sum);
    arb_init(t);
    for (size_t c = 0; c < dim; c++) {
        arb_set_d(t, centre[c]);
        arb_sub(t, t, value + c, BITS);
        arb_addmul(sum, t, t, BITS);
    }
    arb_sqrtpos(sum, sum, BITS);
    arb_set_d(t, radius);
    ok = arb_le(sum, t);
    arb_div(sum, sum, t, 53);
    *share = arf_get_d(arb_midref(sum), ARF_RND_NEAR);
    arb_clear(sum);
    arb_clear(t);
    return ok;
}

/* All outputs of the instance at contexts; counts those that have a bound. */
static bool try_instance(ref_kind kind, attest_activation activation, size_t count[2])
{
    attest_double_points points;
    attest_contexts contexts;
    ref_instance instance;
    attest_error error;
    bool ok;

    ref_instance_init(&instance, kind, activation, &state);
    attest_contexts_init(&contexts);
    ok = attest_contexts_get(&contexts, &instance.dataset, instance.weights.mask,
                             instance.weights.ties, &error) == ATTEST_OK &&
         attest_double_points_init(&points, &instance.weights, &instance.dataset, &contexts,
                                   &(attest_progress){0}, 1, &error) == ATTEST_OK;
    for (size_t p = 0; ok && p < contexts.count; p++) {
        size_t dim = instance.dataset.dim;
        attest_place place = attest_context_place(&contexts.context[p], &instance.dataset);
        attest_sequence sequence;
        arb_ptr value;
        double share;
        count[0]++;
        if (!(points.radius[p] < INFINITY))
            continue;
        count[1]++;
        attest_sequence_init(&sequence);
        ok = attest_dataset_get_sequence(&sequence, &instance.dataset, place.sequence, NULL,
                                         &error) == ATTEST_OK;
        value = _arb_vec_init((slong)(sequence.length * dim));
        get_oracle(value, &instance.weights, &sequence);
        ok = ok && is_within(&share, points.centre + p * dim, points.radius[p],
                             value + place.position * dim, dim);
        _arb_vec_clear(value, (slong)(sequence.length * dim));
        attest_sequence_clear(&sequence);
    }
    if (ok)
        attest_double_points_clear(&points);
    attest_contexts_clear(&contexts);
    ref_instance_clear(&instance);
    return ok;
}

static void test_instances(void)
{
    for (int a = 0; a < 2; a++) {
        for (int kind = 0; kind < REF_KINDS; kind++) {
            size_t failed = 0, count[2] = {0};
            for (int i = 0; i < ROUNDS; i++) {
                uint64_t before = state;
                if (try_instance((ref_kind)kind, a ? ATTEST_HARDMAX : ATTEST_SOFTMAX, count))
                    continue;
                failed++;
                printf("# instance %d fails: ATTEST_SEED=0x%llx\n", i,
                       (unsigned long long)before);
            }
            TAP_OK(failed == 0, "%s, kind %d: %zu of %zu outputs have a bound, and it holds",
                   a ? "hardmax" : "softmax", kind, count[1], count[0]);
        }
    }
}

/* A layer and a sequence in doubles, and a copy that is off by up to ERROR of each number. */
#define ERROR 0x1p-20

typedef struct rough {
    size_t dim, size, heads, length;
    double token[2][MOST * WIDE];
    double weight[2][2][4][WIDE * WIDE]; /* head, matrix */
    attest_weights weights;
    attest_sequence sequence;
} rough;

/* A number of random size around 1, and one within ERROR of it, mostly at the end. */
static void set_pair(double *exact, double *off)
{
    double x = (double)(1 + below(1 << 20)) * (below(2) ? 0x1p-19 : -0x1p-19);

    *exact = x;
    *off = x * (1 + (below(2) ? 1 : -1) * ERROR * (below(3) ? 0x1.ffffp-1 : 0.5));
}

static void set_matrix(attest_matrix *m, const double *entry, size_t rows, size_t cols)
{
    fmpq_t x;

    fmpq_init(x);
    attest_matrix_resize(m, rows, cols);
    fmpz_set_ui(m->denominator, 1u << 30);
    for (size_t e = 0; e < rows * cols; e++) {
        attest_number_set_double(x, ldexp(entry[e], 30));
        fmpz_set(m->entry + e, fmpq_numref(x)); /* entries are multiples of 2^-19 */
    }
    fmpq_clear(x);
}

static void rough_init(rough *r, attest_activation activation)
{
    r->dim = 1 + (size_t)below(WIDE);
    r->size = 1 + (size_t)below(WIDE);
    r->heads = 1 + (size_t)below(2);
    r->length = 1 + (size_t)below(MOST);
    for (size_t e = 0; e < r->length * r->dim; e++) {
        set_pair(&r->token[0][e], &r->token[1][e]);
        /* Near ties: the token before, moved by about the error. */
        if (e >= r->dim && below(2)) {
            r->token[0][e] = r->token[0][e - r->dim] + (double)below(9) * 0x1p-19;
            r->token[1][e] = r->token[0][e] * (1 + (below(2) ? ERROR : -ERROR) * 0x1.ffffp-1);
        }
    }
    attest_weights_init(&r->weights);
    if (attest_weights_resize(&r->weights, r->heads) != ATTEST_OK)
        abort();
    r->weights.activation = activation;
    r->weights.dim = r->dim;
    r->weights.skip = below(2);
    r->weights.mask = below(3) ? ATTEST_MASK_NONE : ATTEST_MASK_CAUSAL;
    for (size_t h = 0; h < r->heads; h++) {
        attest_head *head = &r->weights.head[h];
        attest_matrix *const matrix[] = {&head->wq, &head->wk, &head->wv, &head->wo};
        for (int m = 0; m < 4; m++) {
            size_t rows = m == 3 ? r->dim : r->size, cols = m == 3 ? r->size : r->dim;
            for (size_t e = 0; e < rows * cols; e++)
                set_pair(&r->weight[0][h][m][e], &r->weight[1][h][m][e]);
            set_matrix(matrix[m], r->weight[0][h][m], rows, cols);
        }
    }
    attest_sequence_init(&r->sequence);
    attest_sequence_resize(&r->sequence, r->length, r->dim);
    fmpz_set_ui(r->sequence.denominator, 1u << 30);
    for (size_t e = 0; e < r->length * r->dim; e++)
        fmpz_set_si(r->sequence.entry + e, (slong)ldexp(r->token[0][e], 30));
}

static void rough_clear(rough *r)
{
    attest_weights_clear(&r->weights);
    attest_sequence_clear(&r->sequence);
}

/* off: 1: the tokens have errors; 2: the weights. */
static bool try_rough(attest_activation activation, int off, double *most, size_t count[2])
{
    double centre[MOST * WIDE], radius[MOST], share;
    attest_double_scratch scratch = {0};
    attest_double_head head[2];
    attest_error error;
    arb_ptr value;
    rough r;
    bool ok;

    rough_init(&r, activation);
    attest_double_layer layer = {activation, r.weights.mask, r.weights.skip,      r.dim,
                                 r.heads,    head,           off & 2 ? ERROR : 0, 0,
                                 r.dim};
    attest_double_task task = {&layer, r.token[off & 1], NULL, off & 1 ? ERROR : 0,
                               centre, radius,           NULL};
    for (size_t h = 0; h < r.heads; h++) {
        double(*w)[WIDE * WIDE] = r.weight[off >> 1][h];
        attest_double_layer_set_matrix(&head[h].q, w[0], r.size, r.dim);
        attest_double_layer_set_matrix(&head[h].k, w[1], r.size, r.dim);
        attest_double_layer_set_matrix(&head[h].v, w[2], r.size, r.dim);
        attest_double_layer_set_matrix(&head[h].o, w[3], r.dim, r.size);
    }
    ok = attest_double_layer_attend(&task, 1, r.length, &scratch, &error) == ATTEST_OK;
    value = _arb_vec_init((slong)(r.length * r.dim));
    get_oracle(value, &r.weights, &r.sequence);
    for (size_t k = 0; k < r.length && ok; k++) {
        count[0]++;
        if (!(radius[k] < INFINITY))
            continue;
        count[1]++;
        ok = is_within(&share, centre + k * r.dim, radius[k], value + k * r.dim, r.dim);
        *most = fmax(*most, share);
    }
    _arb_vec_clear(value, (slong)(r.length * r.dim));
    attest_double_layer_clear_scratch(&scratch);
    rough_clear(&r);
    return ok;
}

static void test_rough(void)
{
    static const char *const what[] = {"", "tokens", "weights", "tokens and weights"};

    for (int a = 0; a < 2; a++) {
        for (int off = 1; off < 4; off++) {
            size_t failed = 0, count[2] = {0};
            double most = 0;
            for (int i = 0; i < 20 * ROUNDS; i++)
                failed += !try_rough(a ? ATTEST_HARDMAX : ATTEST_SOFTMAX, off, &most, count);
            TAP_OK(failed == 0,
                   "%s, %s off by 2^-20: bounds hold, at most %.2f of them is used",
                   a ? "hardmax" : "softmax", what[off], most);
            /* A bound that is never nearly used would not show a term that is missing. */
            TAP_OK(most > 0.6 && count[1] > count[0] / 4, "%zu of %zu outputs have a bound",
                   count[1], count[0]);
        }
    }
}

/* With identities for weights the kernel sees the tokens themselves, and nothing but its own
 * bound is known of its result. */
static void test_kernel_error(void)
{
    double one = 1, token[8], centre[8], radius[8], out[8], own[8];
    attest_double_head head;
    attest_double_layer layer = {ATTEST_SOFTMAX, ATTEST_MASK_NONE, false, 1, 1, &head, 0, 0, 1};
    attest_double_task task = {&layer, token, NULL, 0, centre, radius, NULL};
    attest_double_scratch scratch = {0};
    attest_error error;
    bool counted = true;

    attest_double_layer_set_matrix(&head.q, &one, 1, 1);
    attest_double_layer_set_matrix(&head.k, &one, 1, 1);
    attest_double_layer_set_matrix(&head.v, &one, 1, 1);
    attest_double_layer_set_matrix(&head.o, &one, 1, 1);
    for (int i = 0; i < ROUNDS && counted; i++) {
        for (int j = 0; j < 8; j++)
            token[j] = (double)below(1 << 20) * 0x1p-20;
        counted = attest_double_layer_attend(&task, 1, 8, &scratch, &error) == ATTEST_OK;
        attest_kernel_softmax_attention(out, token, token, token, 1, 8, 1, own);
        for (int k = 0; k < 8; k++)
            counted = counted && radius[k] > own[k] && centre[k] == out[k];
    }
    TAP_OK(counted, "the kernel's own error is counted");
    attest_double_layer_clear_scratch(&scratch);
}

/* Hardmax over more keys than one row of lanes. Token j is 40 - (j + 1) / 2, so that tokens 2i
 * - 1 and 2i are equal, and the score of query k and key j is -t_k t_j: below 0, and larger for
 * later keys. So the winner is the first of the last two tokens that are visible, and neither
 * keys after them nor the zeros after the last key take part. */
static void test_lanes(void)
{
    enum { LONGEST = 2 * ATTEST_DOUBLE_LANES + 3 };
    double one = 1, minus = -1, token[LONGEST], centre[LONGEST], radius[LONGEST];
    uint32_t winner[LONGEST];
    attest_double_head head;
    attest_double_layer layer = {ATTEST_HARDMAX, ATTEST_MASK_NONE, false, 1, 1, &head, 0, 0, 1};
    attest_double_task task = {&layer, token, NULL, 0, centre, radius, winner};
    attest_double_scratch scratch = {0};
    attest_error error;
    size_t right = 0, outputs = 0;

    attest_double_layer_set_matrix(&head.q, &minus, 1, 1);
    attest_double_layer_set_matrix(&head.k, &one, 1, 1);
    attest_double_layer_set_matrix(&head.v, &one, 1, 1);
    attest_double_layer_set_matrix(&head.o, &one, 1, 1);
    for (size_t j = 0; j < LONGEST; j++)
        token[j] = 40 - (double)((j + 1) / 2);
    for (size_t length = 1; length <= LONGEST; length++) {
        for (int causal = 0; causal < 2; causal++) {
            layer.mask = causal ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
            if (attest_double_layer_attend(&task, 1, length, &scratch, &error) != ATTEST_OK)
                abort();
            for (size_t k = 0; k < length; k++, outputs++) {
                size_t last = causal ? k : length - 1;
                size_t first = last > 0 && last % 2 == 0 ? last - 1 : last;

                right += winner[k] == first && centre[k] == token[first] && radius[k] < 1e-9;
            }
        }
    }
    TAP_OK(right == outputs, "%zu of %zu winners among 1 to %d keys", right, outputs, LONGEST);
    attest_double_layer_clear_scratch(&scratch);
}

/* A case with values that are not finite, or with an overflow, has no bound. */
static void test_overflow(void)
{
    enum { CASES = 7 };
    static const double bad[CASES][4] = {
        {NAN, 1, 1, 1},    {1, INFINITY, 1, 1}, {1, 1, -INFINITY, 1}, {1e200, 1, 1, 1},
        {1, -1e160, 1, 1}, {1, 1, 1e308, 1},    {1, 1, 1, 1}};
    double one = 1, large = 0x1.8p511, centre[4], radius[4];
    attest_double_head head, two[2];
    attest_double_layer layer = {ATTEST_SOFTMAX, ATTEST_MASK_NONE, true, 1, 1, &head, 0, 0, 1};
    attest_double_scratch scratch = {0};
    attest_error error;

    attest_double_layer_set_matrix(&head.q, &one, 1, 1);
    attest_double_layer_set_matrix(&head.k, &one, 1, 1);
    attest_double_layer_set_matrix(&head.v, &one, 1, 1);
    attest_double_layer_set_matrix(&head.o, &one, 1, 1);
    for (size_t i = 0; i < CASES; i++) {
        if (i ==
            CASES - 1) { /* what two heads add, each of them 2.25 2^1022 with a small error */
            attest_double_layer_set_matrix(&head.v, &large, 1, 1);
            attest_double_layer_set_matrix(&head.o, &large, 1, 1);
            two[0] = two[1] = head;
            layer.heads = 2;
            layer.head = two;
        }
        for (int a = 0; a < 2; a++) {
            attest_double_task task = {&layer, bad[i], NULL, 0, centre, radius, NULL};
            bool none = true;
            layer.activation = a ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
            none = attest_double_layer_attend(&task, 1, 4, &scratch, &error) == ATTEST_OK;
            for (int k = 0; k < 4; k++)
                none = none && radius[k] == INFINITY;
            TAP_OK(none, "case %zu of numbers that are not finite, %s", i,
                   a ? "hardmax" : "softmax");
        }
    }
    attest_double_layer_clear_scratch(&scratch);
}

TEST(double_layer)
{
    state = tap_seed(0x1a7e4);
    test_instances();
    test_rough();
    test_kernel_error();
    test_lanes();
    test_overflow();
    flint_cleanup();
    return 0;
}
