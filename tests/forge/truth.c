/* The oracle of the forging test, compared with signs that are known beforehand, and with balls
 * where these decide. */
#include "tests/forge/alter.h"
#include "tests/forge/instance.h"
#include "tests/ref/contextual.h"
#include "tests/tap.h"

enum { INSTANCES = 60, PRECISION = 6000 };

/* sum += c e^(m 10^power). */
static void add(ref_sum *sum, long c, long m, long power)
{
    fmpq_t coefficient, exponent;

    fmpq_init(coefficient), fmpq_init(exponent);
    fmpq_set_si(coefficient, c, 1);
    forge_decimal(exponent, m, power);
    ref_sum_add_term(sum, coefficient, exponent);
    fmpq_clear(coefficient), fmpq_clear(exponent);
}

static void check_signs(void)
{
    static const long binomial[] = {1, 5, 10, 10, 5, 1};
    ref_sum sum;

    ref_sum_init(&sum);
    TAP_OK(ref_sum_sign(&sum) == 0, "nothing");
    add(&sum, 3, 1, 0), add(&sum, -8, 0, 0);
    TAP_OK(ref_sum_sign(&sum) == 1, "3 e > 8");
    add(&sum, -1, 0, -300), add(&sum, 0, 7, 0), add(&sum, 9, 0, 0), add(&sum, -3, 1, 0);
    TAP_OK(ref_sum_sign(&sum) == 0 && sum.count == 0, "it all cancels");
    for (long h = -300; h <= 300; h += 60) { /* (1 - e^(10^h))^5 */
        for (long k = 0; k <= 5; k++)
            add(&sum, k % 2 ? -binomial[k] : binomial[k], k, h);
        TAP_OK(ref_sum_sign(&sum) == -1, "a fifth power at 1e%ld", h);
        add(&sum, 1, -1, 300);
        TAP_OK(ref_sum_sign(&sum) == -1, "the same plus e^-1e300");
        ref_sum_clear(&sum);
    }
    add(&sum, 1, -1, 300), add(&sum, -1, -2, 300);
    TAP_OK(ref_sum_sign(&sum) == 1, "e^-1e300 > e^-2e300");
    ref_sum_clear(&sum);
}

/* Returns whether the oracle says what balls say of one pair (or norm: a = b) and a number near
 * it. */
static bool agrees(long *decided, const forge_instance *instance, const ref_truth *truth,
                   size_t a, size_t b, uint64_t *state)
{
    const ref_square *square = a == b ? &truth->norm[a] : ref_truth_separation(truth, a, b);
    attest_place pair[2] = {attest_place_get(&instance->dataset, a),
                            attest_place_get(&instance->dataset, b)};
    bool required;
    ref_side side;
    fmpq_t x;
    int order;

    fmpq_init(x);
    forge_near(x, square, (int)forge_below(state, 3) - 1, state);
    order = ref_square_compare(square, x);
    side = ref_contextual_compare(&required, &instance->dataset, &instance->weights, pair, x,
                                  PRECISION);
    *decided += side != REF_UNKNOWN;
    fmpq_clear(x);
    return (side == REF_UNKNOWN || (int)side == order) &&
           (a == b || required == truth->required[a * truth->positions + b]);
}

static void check_against_balls(uint64_t *state)
{
    long tried = 0, decided = 0, wrong = 0;

    for (int i = 0; i < INSTANCES; i++) {
        forge_instance instance;
        ref_truth truth;
        forge_instance_init(&instance, state);
        ref_truth_init(&truth, &instance.dataset, &instance.weights);
        for (size_t a = 0; a < truth.positions; a++)
            for (size_t b = a; b < truth.positions; b++)
                if (a == b || truth.required[a * truth.positions + b]) {
                    tried++;
                    wrong += !agrees(&decided, &instance, &truth, a, b, state);
                }
        ref_truth_clear(&truth);
        forge_instance_clear(&instance);
    }
    TAP_OK(wrong == 0, "%ld of %ld comparisons contradict balls, which tell %ld", wrong, tried,
           decided);
    TAP_OK(2 * decided > tried, "balls decide most of them");
}

/* The universal pair under softmax with one key: 1/(e + 1), and e^-1e40 beside it. */
static void check_known(void)
{
    static const long token[] = {1, 1, 1, 1, 2}, power[] = {40, 0, 40, 0, 0};
    attest_dataset_builder builder;
    forge_instance instance;
    ref_truth truth;
    fmpq_t x;
    bool ok = true;

    fmpq_init(x);
    attest_dataset_init(&instance.dataset);
    attest_weights_init(&instance.weights);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (int i = 0; i < 5; i++) {
        forge_decimal(x, token[i], power[i]);
        ok = ok && attest_dataset_builder_add_token(&builder, x, NULL) == ATTEST_OK;
        if (i == 1 || i == 4)
            ok = ok && attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK;
    }
    ok = ok && attest_dataset_builder_finish(&instance.dataset, &builder, NULL) == ATTEST_OK &&
         attest_weights_resize(&instance.weights, 1) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    if (!ok)
        abort();
    instance.weights.dim = 1;
    attest_matrix *m[] = {&instance.weights.head->wq, &instance.weights.head->wk,
                          &instance.weights.head->wv, &instance.weights.head->wo};
    for (int i = 0; i < 4; i++) {
        attest_matrix_resize(m[i], 1, 1);
        fmpz_set_si(m[i]->entry, i == 1 ? -1 : 1);
    }
    ref_truth_init(&truth, &instance.dataset, &instance.weights);
    TAP_OK(truth.required_pairs == 10, "all pairs are required");
    fmpq_set_si(x, 268941421, 1000000000);
    TAP_OK(ref_square_compare(ref_truth_separation(&truth, 1, 3), x) == 1,
           "a bound just below 1/(e + 1)");
    fmpq_set_si(x, 268941422, 1000000000);
    TAP_OK(ref_square_compare(ref_truth_separation(&truth, 3, 1), x) == -1,
           "a bound just above 1/(e + 1)");
    forge_decimal(x, 1, -10000);
    TAP_OK(ref_square_compare(ref_truth_separation(&truth, 0, 2), x) == -1,
           "e^-1e40 < 1e-10000");
    fmpq_zero(x);
    TAP_OK(ref_square_compare(ref_truth_separation(&truth, 0, 2), x) == 1, "e^-1e40 > 0");
    ref_truth_clear(&truth);
    forge_instance_clear(&instance);
    fmpq_clear(x);
}

TEST(truth)
{
    uint64_t state = tap_seed(0x7247);

    check_signs();
    check_known();
    check_against_balls(&state);
    flint_cleanup();
    return 0;
}
