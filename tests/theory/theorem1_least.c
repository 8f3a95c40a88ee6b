/* The least sequences of given tokens: against all pairs of contexts of all sequences,
 * evaluated from the definition. Tokens have one or two small entries, so that ties,
 * repetitions and accidental equalities are frequent. */
#include <math.h>
#include <string.h>

#include "tests/ref/attention.h"
#include "tests/tap.h"
#include "theory/theorem1.h"

enum { DIM = 2, MOST_PLACES = 3, ROWS = 3, MOST_CONTEXTS = 256, ROUNDS = 2000 };

typedef struct instance {
    attest_weights weights;
    attest_dataset data;
    size_t places;
    long entry[ROWS][MOST_PLACES][DIM];
} instance;

static long small(uint64_t *state, long most)
{
    return (long)(tap_random(state) % (uint64_t)(2 * most + 1)) - most;
}

/* Heads that take back what the one before adds, over another denominator. */
static void cancel(attest_weights *weights)
{
    for (size_t h = 1; h < weights->heads; h += 2) {
        attest_head *head = &weights->head[h];
        attest_matrix *wv = &head->wv;

        attest_matrix_set(&head->wq, &head[-1].wq);
        attest_matrix_set(&head->wk, &head[-1].wk);
        attest_matrix_set(wv, &head[-1].wv);
        attest_matrix_set(&head->wo, &head[-1].wo);
        _fmpz_vec_scalar_mul_si(wv->entry, wv->entry, (slong)(wv->rows * wv->cols), -3);
        fmpz_mul_ui(wv->denominator, wv->denominator, 3);
    }
}

static void draw(instance *x, uint64_t *state)
{
    attest_dataset_builder builder;
    attest_error error;
    fmpq token[DIM];
    long most;
    bool ok;

    attest_weights_init(&x->weights);
    attest_dataset_init(&x->data);
    ok = attest_theorem1_gen_weights(&x->weights, 1 + tap_random(state) % 2, DIM,
                                     1 + tap_random(state) % 2, tap_random(state),
                                     &error) == ATTEST_OK;
    x->weights.ties = tap_random(state) % 2 ? ATTEST_TIES_LEFTMOST : ATTEST_TIES_UNIFORM;
    x->weights.mask = tap_random(state) % 2 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    x->weights.skip = tap_random(state) % 2;
    if (tap_random(state) % 3 == 0) /* a head that averages */
        _fmpz_vec_zero(x->weights.head[0].wk.entry,
                       (slong)(x->weights.head[0].wk.rows * x->weights.head[0].wk.cols));
    if (tap_random(state) % 4 == 0)
        cancel(&x->weights);
    most = 1 + (long)(tap_random(state) % 2);
    x->places = 1 + tap_random(state) % MOST_PLACES;
    for (size_t c = 0; c < DIM; c++)
        fmpq_init(token + c);
    attest_dataset_builder_init(&builder, DIM, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < x->places; k++) {
            for (size_t c = 0; c < DIM; c++) {
                x->entry[i][k][c] = small(state, most);
                fmpq_set_si(token + c, x->entry[i][k][c], 3);
            }
            ok = ok && attest_dataset_builder_add_token(&builder, token, &error) == ATTEST_OK;
        }
        ok = ok && attest_dataset_builder_end_sequence(&builder, &error) == ATTEST_OK;
    }
    if (!ok || attest_dataset_builder_finish(&x->data, &builder, &error) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    for (size_t c = 0; c < DIM; c++)
        fmpq_clear(token + c);
}

/* A context: which row each place's token is from, and what comes out. */
typedef struct place_output {
    size_t row[MOST_PLACES], length, position;
    fmpq out[DIM];
} place_output;

static bool same_token(const instance *x, size_t i, size_t k, size_t j, size_t l)
{
    return memcmp(x->entry[i][k], x->entry[j][l], sizeof x->entry[i][k]) == 0;
}

static bool sees(const instance *x, const place_output *a, size_t row, size_t place)
{
    size_t keys = x->weights.mask == ATTEST_MASK_CAUSAL ? a->position + 1 : a->length;

    for (size_t k = 0; k < keys; k++)
        if (same_token(x, a->row[k], k, row, place))
            return true;
    return false;
}

static bool sees_all(const instance *x, const place_output *a, const place_output *b)
{
    size_t keys = x->weights.mask == ATTEST_MASK_CAUSAL ? b->position + 1 : b->length;

    for (size_t k = 0; k < keys; k++)
        if (!sees(x, a, b->row[k], k))
            return false;
    return true;
}

static bool is_pair(const instance *x, const place_output *a, const place_output *b)
{
    bool equal =
        same_token(x, a->row[a->position], a->position, b->row[b->position], b->position);

    for (size_t c = 0; c < DIM; c++)
        equal = equal && fmpq_equal(a->out + c, b->out + c);
    return equal && !(sees_all(x, a, b) && sees_all(x, b, a));
}

/* All contexts of sequences of this length, appended; rows that repeat a token are harmless. */
static size_t evaluate(place_output *all, size_t count, const instance *x, size_t length)
{
    size_t sequences = 1;

    for (size_t k = 0; k < length; k++)
        sequences *= ROWS;
    for (size_t number = 0; number < sequences; number++) {
        fmpq *out = _fmpq_vec_init((slong)(length * DIM));
        attest_sequence sequence;
        size_t row[MOST_PLACES], rest = number;

        attest_sequence_init(&sequence);
        attest_sequence_resize(&sequence, length, DIM);
        fmpz_set_ui(sequence.denominator, 3);
        for (size_t k = 0; k < length; k++, rest /= ROWS) {
            row[k] = rest % ROWS;
            for (size_t c = 0; c < DIM; c++)
                fmpz_set_si(sequence.entry + k * DIM + c, x->entry[row[k]][k][c]);
        }
        ref_hardmax(out, &x->weights, &sequence);
        for (size_t k = 0; k < length; k++, count++) {
            memcpy(all[count].row, row, sizeof row);
            all[count].length = length;
            all[count].position = k;
            for (size_t c = 0; c < DIM; c++)
                fmpq_set(all[count].out + c, out + k * DIM + c);
        }
        attest_sequence_clear(&sequence);
        _fmpq_vec_clear(out, (slong)(length * DIM));
    }
    return count;
}

/* The lengths of the least pair, the longer one first; 0, 0: there is none. */
static void find(size_t least[2], const instance *x)
{
    static place_output all[MOST_CONTEXTS];
    size_t count = 0;

    for (size_t i = 0; i < MOST_CONTEXTS; i++)
        for (size_t c = 0; c < DIM; c++)
            fmpq_init(all[i].out + c);
    least[0] = least[1] = 0;
    for (size_t n = 1; n <= x->places && least[0] == 0; n++) {
        count = evaluate(all, count, x, n);
        for (size_t j = 0; j < count; j++) {
            for (size_t i = 0; i < j; i++) {
                if (!is_pair(x, &all[i], &all[j]) || (least[0] && all[i].length >= least[1]))
                    continue;
                least[0] = all[j].length;
                least[1] = all[i].length;
            }
        }
    }
    for (size_t i = 0; i < MOST_CONTEXTS; i++)
        for (size_t c = 0; c < DIM; c++)
            fmpq_clear(all[i].out + c);
}

/* The tokens that stand at the first places, each counted once. */
static size_t tokens_at(const instance *x, size_t from, size_t to)
{
    size_t count = 0;

    for (size_t k = from; k < to; k++) {
        for (size_t i = 0; i < ROWS; i++) {
            bool seen = false;

            for (size_t l = from; l <= k; l++)
                for (size_t j = 0; j < (l < k ? ROWS : i); j++)
                    seen = seen || same_token(x, i, k, j, l);
            count += !seen;
        }
    }
    return count;
}

static bool space_is_right(const instance *x, const attest_theorem1_space *space)
{
    size_t shorter = 0, longest = 1;

    for (size_t k = 0; k < space->length; k++) {
        shorter += k ? longest : 0;
        longest *= tokens_at(x, k, k + 1);
    }
    return space->whole && space->shorter == shorter && space->longest == longest &&
           space->tokens == tokens_at(x, 0, space->length);
}

TEST(theorem1_least)
{
    uint64_t state = tap_seed(0x1ea57);
    size_t with = 0, without = 0, long_ones = 0;
    bool right = true, spaces = true;

    for (int round = 0; round < ROUNDS; round++) {
        attest_counterexample c;
        attest_theorem1_space space;
        attest_error error;
        size_t least[2], n, m;
        instance x;
        bool found = false;

        draw(&x, &state);
        attest_counterexample_init(&c);
        find(least, &x);
        right = right && attest_weights_set(&c.weights, &x.weights) == ATTEST_OK &&
                attest_theorem1_build_least(&c, &found, &space, &x.data, NULL, INFINITY,
                                            &error) == ATTEST_OK &&
                found == (least[0] > 0);
        if (right && found) {
            n = attest_dataset_length(&c.dataset, c.pair[1][0]);
            m = attest_dataset_length(&c.dataset, c.pair[0][0]);
            right = n == least[0] && m == least[1] && space.length == n;
        }
        spaces = spaces && right && space_is_right(&x, &space);
        with += found;
        without += !found;
        long_ones += found && least[0] == MOST_PLACES;
        attest_counterexample_clear(&c);
        attest_weights_clear(&x.weights);
        attest_dataset_clear(&x.data);
    }
    TAP_OK(right, "the least lengths are those of all pairs of contexts");
    TAP_OK(spaces, "the sequences that were searched are counted");
    TAP_OK(with > ROUNDS / 5 && without > ROUNDS / 5 && long_ones > ROUNDS / 50,
           "%zu with a pair, %zu of them with the longest sequences; %zu without", with,
           long_ones, without);
    flint_cleanup();
    return 0;
}
