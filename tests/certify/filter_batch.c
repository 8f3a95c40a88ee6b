/* attest_filter_check: verdicts on small instances of doubles are those of certify, and what
 * refutes a claim does so by brute force, too. */
#include <math.h>
#include <string.h>

#include <attest/filter.h>
#include <attest/number.h>

#include "certify/filter_batch.h"
#include "tests/ref/contextual.h"
#include "tests/tap.h"

#ifndef ROUNDS
#define ROUNDS 6 /* batches of each kind */
#endif

enum { BATCH = 9, MOST_SEQUENCES = 4, MOST_LENGTH = 6, WIDE = 3, HEADS = 2, BITS = 900 };
enum { MOST_TOKENS = MOST_SEQUENCES * MOST_LENGTH, MAX_BITS = 4096 };

typedef enum kind {
    KIND_NORMAL = 0, /* doubles around 1 */
    KIND_SHARP,      /* large scores: outputs differ by little */
    KIND_INTEGERS,   /* ties and equalities */
    KIND_NEAR,       /* tokens that differ in their last bits */
    KIND_SCALES,     /* from 2^-600 to 2^600, some products overflow */
    KINDS
} kind;

static const char *const kind_name[KINDS] = {"around 1", "large scores", "integers",
                                             "last bits", "all scales"};

static uint64_t state;

static long below(long n)
{
    return (long)(tap_random(&state) % (uint64_t)n);
}

typedef struct batch {
    attest_filter_shape shape;
    attest_filter_instance instance[BATCH];
    attest_filter_answer answer[BATCH];
    size_t length[BATCH][MOST_SEQUENCES];
    double token[BATCH][MOST_TOKENS * WIDE], weight[BATCH][HEADS * 4 * WIDE * WIDE];
} batch;

/* An entry; weights are never scaled so far that all of an instance is lost. */
static double entry(kind k, bool weight)
{
    double x = (double)((long)(tap_random(&state) >> 10) - (1L << 53)) * 0x1p-52;

    if (k == KIND_INTEGERS)
        return (double)(below(5) - 2);
    if (k == KIND_SHARP && weight)
        return 3 * x;
    if (k == KIND_SCALES)
        return ldexp(x, (int)(weight ? below(9) - 4 : below(1201) - 600));
    return x;
}

/* Sequences draw from six tokens, so that they share some and repeat some. */
static void fill_tokens(batch *b, size_t i, kind k)
{
    double pool[6 * WIDE];
    size_t dim = b->shape.dim, at = 0;

    for (size_t e = 0; e < 6 * dim; e++) {
        pool[e] = entry(k, false);
        if (k == KIND_NEAR && e >= dim && below(3))
            pool[e] = pool[e - dim] * (1 + (double)(below(5) - 2) * 0x1p-52);
    }
    for (size_t s = 0; s < b->instance[i].sequences; s++) {
        long order = below(2), first = below(6);
        for (size_t j = 0; j < b->length[i][s]; j++, at++) {
            size_t t = order ? (size_t)(first + (long)j) % 6 : (size_t)below(6);
            memcpy(b->token[i] + at * dim, pool + t * dim, dim * sizeof *pool);
        }
    }
}

static void fill(batch *b, kind k, attest_activation activation)
{
    b->shape =
        (attest_filter_shape){.activation = activation,
                              .ties = below(2) ? ATTEST_TIES_UNIFORM : ATTEST_TIES_LEFTMOST,
                              .mask = below(3) ? ATTEST_MASK_NONE : ATTEST_MASK_CAUSAL,
                              .skip = below(3) > 0,
                              .dim = 1 + (size_t)below(WIDE),
                              .heads = 1 + (size_t)below(HEADS),
                              .size = 1 + (size_t)below(WIDE)};
    for (size_t i = 0; i < BATCH; i++) {
        b->instance[i] = (attest_filter_instance){1 + (size_t)below(MOST_SEQUENCES),
                                                  b->length[i], b->token[i], b->weight[i]};
        for (size_t s = 0; s < MOST_SEQUENCES; s++)
            b->length[i][s] = 1 + (size_t)below(MOST_LENGTH);
        fill_tokens(b, i, k);
        for (size_t e = 0; e < b->shape.heads * 4 * b->shape.size * b->shape.dim; e++)
            b->weight[i][e] = entry(k, true);
    }
}

static void set_matrix(attest_matrix *m, const double *x, size_t rows, size_t cols)
{
    fmpq_t value, scaled;

    fmpq_init(value);
    fmpq_init(scaled);
    attest_matrix_resize(m, rows, cols);
    fmpz_one_2exp(m->denominator, 1074);
    for (size_t e = 0; e < rows * cols; e++) {
        attest_number_set_double(value, x[e]);
        fmpq_mul_2exp(value, value, 1074);
        fmpz_set(m->entry + e, fmpq_numref(value));
    }
    fmpq_clear(value);
    fmpq_clear(scaled);
}

/* The instance as certify takes it. */
static void load(attest_dataset *dataset, attest_weights *weights, const batch *b, size_t i)
{
    const attest_filter_shape *s = &b->shape;
    size_t each = s->size * s->dim, at = 0;
    attest_dataset_builder builder;
    attest_error error;
    bool ok = attest_weights_resize(weights, s->heads) == ATTEST_OK;

    weights->activation = s->activation;
    weights->ties = s->ties;
    weights->mask = s->mask;
    weights->skip = s->skip;
    weights->dim = s->dim;
    for (size_t h = 0; h < s->heads; h++) {
        const double *w = b->weight[i] + 4 * each * h;
        set_matrix(&weights->head[h].wq, w, s->size, s->dim);
        set_matrix(&weights->head[h].wk, w + each, s->size, s->dim);
        set_matrix(&weights->head[h].wv, w + 2 * each, s->size, s->dim);
        set_matrix(&weights->head[h].wo, w + 3 * each, s->dim, s->size);
    }
    attest_dataset_builder_init(&builder, s->dim, ATTEST_TABLE_REAL, NULL);
    for (size_t q = 0; q < b->instance[i].sequences; q++) {
        ok = ok && attest_dataset_builder_add_sequences(&builder, b->token[i] + at * s->dim, 1,
                                                        b->length[i][q], &error) == ATTEST_OK;
        at += b->length[i][q];
    }
    if (!ok || attest_dataset_builder_finish(dataset, &builder, &error) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
}

/* Returns whether what the answer names violates the claim, by brute force; balls that overlap
 * tell nothing. */
static bool names_truth(const attest_filter_answer *answer, const attest_claim *claim)
{
    bool norm = answer->part == ATTEST_CLAIM_NORM, is_required;
    attest_place pair[2] = {answer->place[0], norm ? answer->place[0] : answer->place[1]};
    ref_side side;

    if (answer->verdict != ATTEST_REFUTED)
        return true;
    side = ref_contextual_compare(&is_required, claim->dataset, claim->weights, pair,
                                  norm ? claim->r : claim->delta, BITS);
    return norm ? side != REF_BELOW : side != REF_ABOVE && is_required;
}

/* One answer against certify; keeps a bound near the truth for the next claim. */
static bool try_answer(fmpq_t delta, fmpq_t r, const batch *b, size_t i,
                       const attest_claim *with)
{
    attest_claim claim = *with;
    attest_dataset dataset;
    attest_weights weights;
    attest_finding finding;
    attest_error error;
    bool ok;

    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    attest_finding_init(&finding);
    load(&dataset, &weights, b, i);
    claim.dataset = &dataset;
    claim.weights = &weights;
    claim.method = b->shape.activation == ATTEST_HARDMAX ? "exact" : "ball";
    ok = attest_certify(&finding, &claim, &error) == ATTEST_OK &&
         (b->answer[i].verdict == finding.verdict || finding.verdict == ATTEST_UNDECIDED) &&
         names_truth(&b->answer[i], &claim);
    if (arb_is_finite(finding.min_separation) &&
        arf_cmpabs_2exp_si(arb_midref(finding.min_separation), -(1L << 20)) > 0)
        arf_get_fmpq(delta, arb_midref(finding.min_separation));
    arf_get_fmpq(r, arb_midref(finding.max_norm));
    attest_finding_clear(&finding);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    return ok;
}

/* All answers for the claim of the filter. */
static bool try_claim(attest_filter *filter, batch *b, fmpq_t delta, fmpq_t r, size_t count[2])
{
    attest_error error;
    bool ok = attest_filter_check(b->answer, filter, b->instance, BATCH, &error) == ATTEST_OK;

    for (size_t i = 0; i < BATCH && ok; i++) {
        ok = try_answer(delta, r, b, i, &filter->claim);
        count[0]++;
        count[1] += strcmp(b->answer[i].method, "filter") == 0;
    }
    return ok;
}

/* bound = x (1 +- 2^-60). */
static void set_near(fmpq_t bound, const fmpq_t x)
{
    fmpq_t little;

    fmpq_init(little);
    fmpq_div_2exp(little, x, 60);
    if (below(2))
        fmpq_add(bound, x, little);
    else
        fmpq_sub(bound, x, little);
    fmpq_clear(little);
}

static bool try_batch(kind k, attest_activation activation, size_t count[2])
{
    size_t near[2] = {0};
    attest_filter filter;
    attest_error error;
    fmpq_t delta, r;
    batch b;
    bool ok;

    fmpq_init(delta);
    fmpq_init(r);
    fill(&b, k, activation);
    ok = attest_filter_init(&filter, &b.shape, &error) == ATTEST_OK;
    filter.claim.max_bits = MAX_BITS;
    ok = ok && try_claim(&filter, &b, delta, r, count);
    /* Bounds of the last instance, less or more by what no double sees. */
    set_near(filter.claim.delta, delta);
    filter.claim.has_r = below(2);
    set_near(filter.claim.r, r);
    ok = ok && try_claim(&filter, &b, delta, r, near);
    attest_filter_clear(&filter);
    fmpq_clear(delta);
    fmpq_clear(r);
    return ok;
}

static void test_verdicts(void)
{
    const int rounds = tap_budget(ROUNDS);

    for (int a = 0; a < 2; a++) {
        for (int k = 0; k < KINDS; k++) {
            size_t failed = 0, count[2] = {0};
            for (int i = 0; i < rounds; i++) {
                uint64_t before = state;
                if (try_batch((kind)k, a ? ATTEST_HARDMAX : ATTEST_SOFTMAX, count))
                    continue;
                failed++;
                printf("# batch %d fails: ATTEST_SEED=0x%llx\n", i, (unsigned long long)before);
            }
            TAP_OK(failed == 0, "%s, %s: verdicts of certify, %zu of %zu by doubles",
                   a ? "hardmax" : "softmax", kind_name[k], count[1], count[0]);
            if (k == KIND_NORMAL || k == KIND_SHARP || k == KIND_INTEGERS)
                TAP_OK(5 * count[1] + BATCH > 4 * count[0], "doubles decide most of them");
        }
    }
}

/* More instances than are evaluated at once: each has its own answer. A delta and a norm of 0
 * are bounds. */
static void test_many(void)
{
    enum { MANY = 2 * ATTEST_FILTER_BATCH + 3 };
    attest_filter_shape shape = {.skip = true, .dim = 1, .heads = 1, .size = 1};
    double token[2] = {1, 2}, weight[2][4] = {{1, 1, 1, 1}, {0, 0, -1, 1}};
    size_t length[2] = {1, 1}, wrong = 0;
    attest_filter_instance instance[MANY];
    attest_filter_answer answer[MANY];
    attest_filter filter;
    attest_error error;
    bool ok = attest_filter_init(&filter, &shape, &error) == ATTEST_OK;

    for (size_t i = 0; i < MANY; i++) /* outputs 2 x, or all 0 */
        instance[i] = (attest_filter_instance){2, length, token, weight[i % 3 == 2]};
    fmpq_set_ui(filter.claim.delta, 1, 2);
    ok = ok && attest_filter_check(answer, &filter, instance, MANY, &error) == ATTEST_OK;
    for (size_t i = 0; i < MANY; i++)
        wrong += answer[i].verdict != (i % 3 == 2 ? ATTEST_REFUTED : ATTEST_PROVED);
    TAP_OK(ok && wrong == 0, "%d instances, %zu of the answers are wrong", MANY, wrong);
    instance[MANY - 2].token = (double[2]){NAN, 2};
    TAP_OK(attest_filter_check(answer, &filter, instance, MANY, &error) == ATTEST_FORMAT &&
               strncmp(error.text, "instance 129", 12) == 0,
           "the number of an instance: %s", error.text);
    fmpq_zero(filter.claim.delta);
    filter.claim.has_r = true;
    fmpq_zero(filter.claim.r);
    TAP_OK(attest_filter_check(answer, &filter, instance, 1, &error) == ATTEST_OK &&
               answer[0].verdict == ATTEST_REFUTED && answer[0].part == ATTEST_CLAIM_NORM,
           "no norm is below 0");
    fmpq_set_si(filter.claim.r, -1, 2);
    TAP_OK(attest_filter_check(answer, &filter, instance, 1, &error) == ATTEST_DOMAIN,
           "a negative norm: %s", error.text);
    filter.claim.has_r = false;
    TAP_OK(attest_filter_check(answer, &filter, instance, 1, &error) == ATTEST_OK &&
               answer[0].verdict == ATTEST_PROVED,
           "which is not read without has_r");
    attest_filter_clear(&filter);
}

/* More positions than the filter looks at. */
static void test_large(void)
{
    attest_filter_shape shape = {.skip = true, .dim = 1, .heads = 1, .size = 1};
    double token[70], weight[4] = {1, 1, 1, 1};
    size_t length[2] = {65, 5};
    attest_filter_instance instance = {2, length, token, weight};
    attest_filter_answer answer;
    attest_filter filter;
    attest_error error;
    bool ok = attest_filter_init(&filter, &shape, &error) == ATTEST_OK;

    for (int i = 0; i < 70; i++)
        token[i] = i;
    ok = ok && attest_filter_check(&answer, &filter, &instance, 1, &error) == ATTEST_OK;
    TAP_OK(ok && answer.verdict == ATTEST_PROVED && strcmp(answer.method, "ball") == 0,
           "70 positions: left to certify");
    attest_filter_clear(&filter);
}

static void test_refused(void)
{
    attest_filter_shape shape = {.skip = true, .dim = 1, .heads = 1, .size = 1};
    double token[2][3] = {{1, 2, 4}, {1, NAN, 4}},
           weight[2][4] = {{1, 1, 1, 1}, {1, 1, INFINITY, 1}};
    size_t length[1] = {3}, none[1] = {0};
    attest_filter_instance instance[2] = {{1, length, token[0], weight[0]},
                                          {1, length, token[1], weight[0]}};
    attest_filter_answer answer[2];
    attest_filter filter;
    attest_error error;
    bool ok = attest_filter_init(&filter, &shape, &error) == ATTEST_OK;

    TAP_OK(ok && attest_filter_check(answer, &filter, instance, 2, &error) == ATTEST_FORMAT &&
               strncmp(error.text, "instance 1", 10) == 0,
           "a token that is not a number: %s", error.text);
    instance[1] = (attest_filter_instance){1, length, token[0], weight[1]};
    TAP_OK(attest_filter_check(answer, &filter, instance, 2, &error) == ATTEST_FORMAT,
           "an infinite weight: %s", error.text);
    instance[1] = (attest_filter_instance){1, none, token[0], weight[0]};
    TAP_OK(attest_filter_check(answer, &filter, instance, 2, &error) == ATTEST_FORMAT,
           "an empty sequence: %s", error.text);
    TAP_OK(attest_filter_check(answer, &filter, instance, 0, &error) == ATTEST_OK,
           "no instance");
    fmpq_set_si(filter.claim.delta, -1, 2);
    TAP_OK(attest_filter_check(answer, &filter, instance, 1, &error) == ATTEST_DOMAIN,
           "a negative delta: %s", error.text);
    attest_filter_clear(&filter);
    shape.size = 0;
    TAP_OK(attest_filter_init(&filter, &shape, &error) == ATTEST_USAGE, "a head of no size: %s",
           error.text);
    attest_filter_clear(&filter);
}

/* The verdict on two outputs on a line, so far apart, each known to within the radius. */
static attest_verdict judge_two(double apart, double radius, double delta, double r)
{
    const attest_filter_shape shape = {
        .activation = ATTEST_SOFTMAX, .dim = 1, .heads = 1, .size = 1};
    const size_t length[] = {1, 1};
    const double token[] = {1 / 3.0, 2 / 3.0}, weight[] = {1, 1, 1, 1}; /* no small integers */
    attest_filter_integers integers;
    double centre[] = {1, 1 + apart}, radii[] = {radius, radius};
    const attest_filter_instance instance = {2, length, token, weight};
    attest_filter_outputs outputs = {.shape = &shape,
                                     .integers = &integers,
                                     .instance = &instance,
                                     .positions = 2,
                                     .centre = centre,
                                     .radius = radii};
    const attest_filter_bounds bounds = {r > 0, r, r, delta, delta};
    double packed[ATTEST_FILTER_POSITIONS];
    attest_filter_answer answer;

    attest_filter_judge(&answer, &outputs, &bounds, packed);
    return answer.verdict;
}

/* Radii count twice in a distance and once in a norm: what they reach is open. */
static void test_radii(void)
{
    TAP_OK(judge_two(2.125, 1, 0, 0) == ATTEST_PROVED &&
               judge_two(2.625, 1, 0.5, 0) == ATTEST_PROVED,
           "outputs that their radii leave apart");
    TAP_OK(judge_two(1.875, 1, 0, 0) == ATTEST_UNDECIDED &&
               judge_two(2.375, 1, 0.5, 0) == ATTEST_UNDECIDED &&
               judge_two(1.125, 1, 0, 0) == ATTEST_UNDECIDED,
           "outputs whose radii meet");
    TAP_OK(judge_two(1, 0.25, 1.625, 0) == ATTEST_REFUTED &&
               judge_two(1, 0.25, 1.375, 0) == ATTEST_UNDECIDED,
           "outputs that are too close, surely or perhaps");
    TAP_OK(judge_two(4, 0.5, 0, 5.625) == ATTEST_PROVED &&
               judge_two(4, 0.5, 0, 5.375) == ATTEST_UNDECIDED &&
               judge_two(4, 0.5, 0, 4.375) == ATTEST_REFUTED,
           "norms");
    TAP_OK(judge_two(4, NAN, 0, 0) == ATTEST_UNDECIDED &&
               judge_two(4, INFINITY, 0, 0) == ATTEST_UNDECIDED,
           "radii that are not known");
}

/* The verdict on sequences of integers in softmax of one head, W_V = value and the rest 1,
 * where the outputs are unknown in doubles. */
static attest_verdict judge_integers(const double *token, size_t sequences, size_t length,
                                     double value, double delta)
{
    enum { MOST = 4 };
    const attest_filter_shape shape = {
        .activation = ATTEST_SOFTMAX, .dim = 1, .heads = 1, .size = 1};
    const size_t lengths[MOST] = {length, length, length, length};
    const double weight[] = {1, 1, value, 1};
    const attest_filter_instance instance = {sequences, lengths, token, weight};
    const attest_filter_bounds bounds = {.delta_lower = delta, .delta_upper = delta};
    double centre[MOST] = {0}, radius[MOST] = {10, 10, 10, 10}, packed[ATTEST_FILTER_POSITIONS];
    static attest_filter_integers integers;
    attest_filter_answer answer;
    attest_filter_outputs outputs = {.shape = &shape,
                                     .integers = &integers,
                                     .instance = &instance,
                                     .positions = sequences * length,
                                     .centre = centre,
                                     .radius = radius};

    attest_filter_judge(&answer, &outputs, &bounds, packed);
    return answer.verdict;
}

/* 1 and 3 alone, whose outputs are 1 and 3 times the value; and each beside another token,
 * where outputs are means of different weights. */
static void test_integers(void)
{
    static const double alone[] = {1, 3}, beside[] = {1, 2, 1, 3}, same[] = {1, 2, 2, 1};

    TAP_OK(judge_integers(alone, 2, 1, 1, 0) == ATTEST_PROVED &&
               judge_integers(alone, 2, 1, 1, 1.875) == ATTEST_PROVED &&
               judge_integers(alone, 2, 1, 1, 2) == ATTEST_UNDECIDED &&
               judge_integers(alone, 2, 1, 1, 2.125) == ATTEST_REFUTED &&
               judge_integers(alone, 2, 1, 0, 0) == ATTEST_REFUTED,
           "integers decide distances, and a distance of 0");
    TAP_OK(judge_integers(beside, 2, 2, 1, 0) == ATTEST_PROVED &&
               judge_integers(same, 2, 2, 1, 0) == ATTEST_PROVED &&
               judge_integers(same, 2, 2, 0, 0) == ATTEST_REFUTED &&
               judge_integers(alone, 1, 2, 1, 0.25) == ATTEST_UNDECIDED,
           "integers decide whether sums of exponentials differ, not by how much");
}

TEST(filter_batch)
{
    state = tap_seed(0xba7c4);
    test_verdicts();
    test_many();
    test_large();
    test_refused();
    test_radii();
    test_integers();
    flint_cleanup();
    return 0;
}
