/* Two hardmax layers: the criterion against exact evaluation, on all universal pairs of small
 * numbers. Pairs that survive the criterion are merged by random layers and by all layers built
 * to separate such pairs; the other pairs are separated by the layers that are built for them.
 * Three layers separate the first universal pair. The lines "# |" are the table of
 * proofs-notes/two_layers.md. */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "theory/two_layers.h"

enum { MOST = 4, HIGH = 4, ROUNDS = 3, LISTS = 1024 };

static uint64_t state;

/* Ascending lists without 0; the first token is a shared one by choice of the caller. */
static long list[LISTS][MOST];
static size_t length[LISTS], lists;

static void enumerate(long *t, size_t n, long low, bool repeats)
{
    for (long x = low; x <= HIGH; x++) {
        if (x == 0)
            continue;
        t[n] = x;
        if (lists == LISTS)
            abort();
        memcpy(list[lists], t, (n + 1) * sizeof *t);
        length[lists++] = n + 1;
        if (n + 1 < MOST)
            enumerate(t, n + 1, repeats ? x : x + 1, repeats);
    }
}

/* out = the output of the layers at the position of one side, dim entries. */
static void evaluate(fmpq *out, const attest_weights *layer, size_t layers,
                     const attest_universal_pair *pair, size_t side, const long *u)
{
    size_t dim = layer[0].dim, n = pair->length[side];
    fmpq *all = _fmpq_vec_init((slong)(n * dim));
    attest_sequence sequence;
    attest_error error;

    attest_sequence_init(&sequence);
    attest_sequence_resize(&sequence, n, dim);
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < dim; c++)
            fmpz_set_si(sequence.entry + k * dim + c, pair->t[side][k] * u[c]);
    if (attest_two_layers_evaluate(all, layer, layers, &sequence, &error) != ATTEST_OK)
        abort();
    for (size_t c = 0; c < dim; c++)
        fmpq_set(out + c, all + pair->position[side] * dim + c);
    attest_sequence_clear(&sequence);
    _fmpq_vec_clear(all, (slong)(n * dim));
}

static bool merges(const attest_weights *layer, size_t layers,
                   const attest_universal_pair *pair, const long *u)
{
    fmpq *a = _fmpq_vec_init(3), *b = _fmpq_vec_init(3);
    bool equal = true;

    evaluate(a, layer, layers, pair, 0, u);
    evaluate(b, layer, layers, pair, 1, u);
    for (size_t c = 0; c < layer[0].dim; c++)
        equal = equal && fmpq_equal(a + c, b + c);
    _fmpq_vec_clear(a, 3), _fmpq_vec_clear(b, 3);
    return equal;
}

static bool merged_by_random(const attest_universal_pair *pair)
{
    attest_weights layer[2];
    attest_error error;
    bool ok = true;

    for (int round = 0; round < ROUNDS && ok; round++) {
        size_t dim = 1 + tap_random(&state) % 3;
        long u[3];

        for (size_t c = 0; c < 3; c++)
            u[c] = (long)(tap_random(&state) % 7) - 3;
        u[0] += u[0] == 0;
        for (int l = 0; l < 2; l++) {
            attest_weights_init(&layer[l]);
            if (attest_theorem1_gen_weights(&layer[l], 1 + tap_random(&state) % 3, dim, 2,
                                            tap_random(&state), &error) != ATTEST_OK)
                abort();
        }
        ok = merges(layer, 2, pair, u);
        attest_weights_clear(&layer[0]);
        attest_weights_clear(&layer[1]);
    }
    return ok;
}

/* By the layers that are made to tell pairs apart in this part. */
static bool merged_by_built(const attest_universal_pair *pair, attest_two_layers_part part)
{
    static const long u[2] = {1, 0};
    attest_weights layer[2];
    attest_error error;
    bool ok;

    attest_weights_init(&layer[0]);
    attest_weights_init(&layer[1]);
    if (attest_two_layers_separate(layer, pair, part, &error) != ATTEST_OK)
        abort();
    ok = merges(layer, 2, pair, u);
    attest_weights_clear(&layer[0]);
    attest_weights_clear(&layer[1]);
    return ok;
}

static bool both_signs(const attest_universal_pair *pair)
{
    return pair->t[0][0] < 0 && pair->t[0][pair->length[0] - 1] > 0;
}

static bool is_right(const attest_universal_pair *pair, attest_two_layers_part part)
{
    if (part != ATTEST_TWO_LAYERS_SURVIVES)
        return !merged_by_built(pair, part);
    for (int p = ATTEST_TWO_LAYERS_NEAREST;
         both_signs(pair) && p <= ATTEST_TWO_LAYERS_MULTIPLICITIES; p++)
        if (!merged_by_built(pair, (attest_two_layers_part)p))
            return false;
    return merged_by_random(pair);
}

static void check_all(bool repeats)
{
    static const char *const name[] = {"survives", "one layer tells it apart", "nearest tokens",
                                       "means", "multiplicities"};
    size_t count[5] = {0}, signs[2] = {0, 0}, wrong = 0;
    long t[MOST];

    lists = 0;
    enumerate(t, 0, -HIGH, repeats);
    for (size_t i = 0; i < lists; i++)
        for (size_t j = 0; j < i; j++) {
            attest_universal_pair pair = {{length[i], length[j]}, {list[i], list[j]}, {0, 0}};
            attest_two_layers_part part;

            if (list[i][0] != list[j][0] ||
                (length[i] == length[j] &&
                 memcmp(list[i], list[j], length[i] * sizeof(long)) == 0))
                continue;
            part = attest_two_layers_check(&pair);
            count[part]++;
            if (part == ATTEST_TWO_LAYERS_UNIVERSAL)
                continue;
            signs[both_signs(&pair)]++;
            wrong += !is_right(&pair, part);
        }
    TAP_OK(wrong == 0 && count[0] > 0 && count[2] > 0,
           "%zu universal pairs %s repetitions: %zu are wrong", signs[0] + signs[1],
           repeats ? "with" : "without", wrong);
    printf("# | %s | %zu | %zu |", repeats ? "with" : "without", signs[0], signs[1]);
    for (size_t p = 0; p < 5; p++)
        if (p != ATTEST_TWO_LAYERS_UNIVERSAL)
            printf(" %s %zu |", name[p], count[p]);
    printf("\n");
}

static attest_two_layers_part part_of(const long *a, size_t n, const long *b, size_t m)
{
    attest_universal_pair pair = {{n, m}, {a, b}, {0, 0}};

    return attest_two_layers_check(&pair);
}

static void check_named(void)
{
    static const long p[] = {1, 3, 4, 6}, q[] = {1, 2, 5, 6}, mirror[] = {-3, -2, 2, 3},
                      mirrored[] = {-3, -1, 1, 3}, two[] = {-3, 1}, three[] = {-3, -1, 1},
                      five[] = {-1, 1, 3, 4, 6}, other[] = {-1, 1, 2, 5, 6},
                      near[] = {-1, 1, 5, 6}, far[] = {-1, 2, 4, 6},
                      mean[] = {-4, -2, -1, 1, 2, 4}, means[] = {-4, -3, -1, 1, 3, 4},
                      times[] = {-1, 1, 1, 3, 3}, once[] = {-1, 1, 2, 2, 3};

    TAP_OK(part_of(p, 4, q, 4) == ATTEST_TWO_LAYERS_SURVIVES, "the universal pair survives");
    TAP_OK(part_of(mirror, 4, mirrored, 4) == ATTEST_TWO_LAYERS_NEAREST, "the mirror not");
    TAP_OK(part_of(two, 2, three, 3) == ATTEST_TWO_LAYERS_NEAREST,
           "(-3, 1) and (-3, -1, 1) do not");
    TAP_OK(part_of(five, 5, other, 5) == ATTEST_TWO_LAYERS_SURVIVES,
           "five tokens of both signs do");
    TAP_OK(part_of(near, 4, far, 4) == ATTEST_TWO_LAYERS_NEAREST, "nearest tokens alone");
    TAP_OK(part_of(mean, 6, means, 6) == ATTEST_TWO_LAYERS_MEANS, "means alone");
    TAP_OK(part_of(times, 5, once, 5) == ATTEST_TWO_LAYERS_MULTIPLICITIES,
           "multiplicities alone");
}

static void set_scalar_layer(attest_weights *layer, long query, long value, long over)
{
    attest_matrix *m[4];

    attest_weights_init(layer);
    if (attest_weights_resize(layer, 1) != ATTEST_OK)
        abort();
    layer->activation = ATTEST_HARDMAX;
    layer->dim = 1;
    m[0] = &layer->head[0].wq, m[1] = &layer->head[0].wk;
    m[2] = &layer->head[0].wv, m[3] = &layer->head[0].wo;
    for (size_t i = 0; i < 4; i++) {
        attest_matrix_resize(m[i], 1, 1);
        fmpz_set_si(m[i]->entry, i == 0 ? query : i == 2 ? value : 1);
    }
    fmpz_set_si(layer->head[0].wv.denominator, over);
}

/* t - 5/2; then the largest to what is positive and the smallest to the rest; then the mean. */
static void check_three(void)
{
    static const long p[] = {1, 3, 4, 6}, q[] = {1, 2, 5, 6}, u[] = {1};
    attest_universal_pair pair = {{4, 4}, {p, q}, {0, 0}};
    attest_weights layer[3];
    bool two, three;

    set_scalar_layer(&layer[0], 1, -5, 12);
    set_scalar_layer(&layer[1], 1, 1, 1);
    set_scalar_layer(&layer[2], 0, 1, 1);
    two = merges(layer, 2, &pair, u);
    three = merges(layer, 3, &pair, u);
    TAP_OK(two && !three, "three layers tell the universal pair apart, the first two do not");
    for (size_t l = 0; l < 3; l++)
        attest_weights_clear(&layer[l]);
}

/* Every token twice changes no extreme, no mean and no ratio of multiplicities. */
static void check_copies(void)
{
    static const long once[] = {3, 1, 1, -1, -1, -4};
    static const long twice[] = {3, 3, 1, 1, 1, 1, -1, -1, -1, -1, -4, -4};
    const attest_universal_pair same = {{6, 12}, {once, twice}, {0, 0}};
    const attest_universal_pair back = {{12, 6}, {twice, once}, {0, 0}};

    TAP_OK(attest_two_layers_check(&same) == ATTEST_TWO_LAYERS_SURVIVES &&
               attest_two_layers_check(&back) == ATTEST_TWO_LAYERS_SURVIVES,
           "all tokens twice: nothing is told apart");
}

TEST(two_layers)
{
    state = tap_seed(0x2a1e);
    check_named();
    check_three();
    check_all(false);
    check_all(true);
    check_copies();
    flint_cleanup();
    return 0;
}
