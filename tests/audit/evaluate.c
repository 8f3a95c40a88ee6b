/* Simulated layers: doubles against MPFR for every format, rounding and algorithm, bit for bit;
 * the defaults against attest_attention_mpfr; binary64 and binary32 against the processor;
 * other orders of operations against plain loops in float, and in many bits against balls. */
#include <math.h>
#include <string.h>

#include <attest/attention.h>

#include "audit/evaluate.h"
#include "format/simulate_in_double.h"
#include "tests/ref/audit_cases.h"
#include "tests/ref/hardware.h"

static attest_format get_format(const char *name)
{
    attest_format format;

    if (attest_format_parse(&format, name, NULL) != ATTEST_OK)
        abort();
    return format;
}

static attest_audit_outputs evaluate(const attest_audit_request *request,
                                     const attest_simulated_arithmetic *arithmetic)
{
    attest_audit_outputs outputs;
    attest_error error;

    if (attest_audit_evaluate(&outputs, request, arithmetic, &error) != ATTEST_OK)
        abort();
    return outputs;
}

static double entry(const attest_audit_outputs *outputs, size_t i)
{
    return outputs->real ? outputs->real[i] : mpfr_get_d(outputs->wide + i, MPFR_RNDN);
}

static bool same(double x, double y)
{
    return (isnan(x) && isnan(y)) || x == y;
}

static size_t count_different(const attest_audit_outputs *a, const attest_audit_outputs *b)
{
    size_t different = a->count != b->count;

    for (size_t i = 0; i < a->count * a->dim && a->count == b->count; i++)
        different += !same(entry(a, i), entry(b, i));
    return different;
}

/* A random algorithm. */
static void draw_algorithm(attest_simulated_arithmetic *a, uint64_t *state)
{
    a->softmax = (attest_simulated_softmax)(tap_random(state) % 3);
    a->pairwise = tap_random(state) % 2;
    a->fma = tap_random(state) % 2;
    a->block = 1 + tap_random(state) % 4;
    a->seed = tap_random(state);
    if (tap_random(state) % 4 == 0 && a->format.precision != 53) {
        static const char *const wider[] = {"binary32", "binary16", "p=20"};
        a->accumulates = true;
        a->accumulate = get_format(wider[tap_random(state) % 3]);
    }
}

static void draw_layer(audit_case *test, uint64_t *state)
{
    attest_weights *w = &test->layer.weights;

    w->activation = tap_random(state) % 5 ? ATTEST_SOFTMAX : ATTEST_HARDMAX;
    w->ties = (attest_ties)(tap_random(state) % 2);
    w->mask = (attest_mask)(tap_random(state) % 2);
    w->skip = tap_random(state) % 2;
}

static const char *const in_double[] = {
    "binary64",      "binary32",    "tfloat32", "bfloat16", "binary16",
    "float8_e4m3fn", "float8_e5m2", "p=25",     "p=7",      "p=3:emin=-5:emax=4"};

static void test_doubles(uint64_t *state)
{
    const ref_shape shape = {2, 9, 3, 6, 7, 6, true};

    for (size_t f = 0; f < sizeof in_double / sizeof in_double[0]; f++) {
        size_t wrong = 0, instances = 0, doubles = 0;
        for (int trial = 0; trial < 24; trial++) {
            attest_format format = get_format(in_double[f]);
            attest_simulated_arithmetic a;
            attest_audit_request request;
            attest_audit_outputs one, two;
            audit_case test;
            audit_case_init(&test, &shape, 4, 5, state);
            draw_layer(&test, state);
            attest_simulated_arithmetic_init(&a, &format);
            draw_algorithm(&a, state);
            a.rounding = format.precision == 53 ? ATTEST_SIMULATED_NEAREST
                                                : (attest_simulated_rounding)(trial % 3);
            attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
            one = evaluate(&request, &a);
            request.always_mpfr = true;
            two = evaluate(&request, &a);
            wrong += count_different(&one, &two);
            doubles += one.real != NULL;
            instances++;
            attest_audit_outputs_clear(&one);
            attest_audit_outputs_clear(&two);
            audit_case_clear(&test);
        }
        TAP_OK(wrong == 0 && doubles > instances / 5,
               "%s: %zu layers, %zu of them in doubles, as MPFR has them (%zu entries wrong)",
               in_double[f], instances, doubles, wrong);
    }
}

/* The same outputs from attest_attention_mpfr. */
static size_t count_unlike_mpfr(const attest_audit_outputs *outputs, const audit_case *test,
                                const attest_format *format, mpfr_rnd_t rounding)
{
    size_t wrong = 0, at = 0;

    for (size_t i = 0; i < test->dataset.count; i++) {
        attest_sequence sequence;
        size_t count;
        mpfr_t *out;
        attest_sequence_init(&sequence);
        if (attest_dataset_get_sequence(&sequence, &test->dataset, i, NULL, NULL) != ATTEST_OK)
            abort();
        count = sequence.length * sequence.dim;
        out = malloc(count * sizeof *out);
        for (size_t e = 0; e < count; e++)
            mpfr_init2(out[e], 2);
        if (attest_attention_mpfr(out, &test->layer.weights, &sequence, format, rounding,
                                  NULL) != ATTEST_OK)
            abort();
        for (size_t e = 0; e < count; e++, at++) {
            wrong += outputs->real ? !same(outputs->real[at], mpfr_get_d(out[e], MPFR_RNDN))
                                   : !(mpfr_equal_p(outputs->wide + at, out[e]) ||
                                       (mpfr_nan_p(outputs->wide + at) && mpfr_nan_p(out[e])));
            mpfr_clear(out[e]);
        }
        free(out);
        attest_sequence_clear(&sequence);
    }
    return wrong;
}

/* Counts entries that are not within 2^-200 of the exact ones, where sizes are moderate. */
static size_t count_far(const attest_audit_outputs *outputs, const audit_case *test)
{
    size_t far = 0, at = 0;
    arf_t value;
    arb_t error;

    arf_init(value);
    arb_init(error);
    for (size_t i = 0; i < test->dataset.count; i++) {
        attest_sequence sequence;
        arb_ptr out;
        size_t count;

        attest_sequence_init(&sequence);
        if (attest_dataset_get_sequence(&sequence, &test->dataset, i, NULL, NULL) != ATTEST_OK)
            abort();
        count = sequence.length * sequence.dim;
        out = _arb_vec_init((slong)count);
        if (attest_attention_ball(out, &test->layer.weights, &sequence, 600, NULL) != ATTEST_OK)
            abort();
        for (size_t e = 0; e < count; e++, at++) {
            arf_set_mpfr(value, outputs->wide + at);
            arb_sub_arf(error, out + e, value, 600);
            far += !(arf_cmpabs_2exp_si(arb_midref(error), -200) < 0);
        }
        _arb_vec_clear(out, (slong)count);
        attest_sequence_clear(&sequence);
    }
    arf_clear(value);
    arb_clear(error);
    return far;
}

/* With many bits every algorithm gives the exact outputs. */
static void test_algorithms(uint64_t *state)
{
    const ref_shape shape = {2, 3, 3, 6, 9, 20, true};
    attest_format format = get_format("p=500");
    size_t far = 0;

    for (int trial = 0; trial < 60; trial++) {
        attest_simulated_arithmetic a;
        attest_audit_request request;
        attest_audit_outputs outputs;
        audit_case test;

        audit_case_init(&test, &shape, 3, 4, state);
        draw_layer(&test, state);
        test.layer.weights.activation = ATTEST_SOFTMAX;
        attest_simulated_arithmetic_init(&a, &format);
        draw_algorithm(&a, state);
        a.accumulates = false;
        attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
        outputs = evaluate(&request, &a);
        far += count_far(&outputs, &test);
        attest_audit_outputs_clear(&outputs);
        audit_case_clear(&test);
    }
    TAP_OK(far == 0, "algorithms in 500 bits: %zu entries are far from the exact ones", far);
}

static void test_defaults(uint64_t *state)
{
    static const char *const name[] = {
        "binary64", "binary32", "bfloat16", "float8_e4m3fn",
        "p=11",     "p=64",     "p=300",    "p=70:emin=-30:emax=9"};
    const ref_shape shape = {2, 3, 2, 5, 9, 20, true};

    for (size_t f = 0; f < sizeof name / sizeof name[0]; f++) {
        size_t wrong = 0;
        for (int trial = 0; trial < 12; trial++) {
            attest_format format = get_format(name[f]);
            attest_simulated_arithmetic a;
            attest_audit_request request;
            attest_audit_outputs outputs;
            audit_case test;
            audit_case_init(&test, &shape, 3, 4, state);
            draw_layer(&test, state);
            attest_simulated_arithmetic_init(&a, &format);
            a.rounding = trial % 2 ? ATTEST_SIMULATED_ZERO : ATTEST_SIMULATED_NEAREST;
            attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
            request.jobs = 1 + (size_t)trial % 3;
            outputs = evaluate(&request, &a);
            wrong +=
                count_unlike_mpfr(&outputs, &test, &format, trial % 2 ? MPFR_RNDZ : MPFR_RNDN);
            attest_audit_outputs_clear(&outputs);
            audit_case_clear(&test);
        }
        TAP_OK(wrong == 0, "%s: 12 layers as attest eval has them (%zu entries wrong)", name[f],
               wrong);
    }
}

/* Exponentials of binary64 are rounded to nearest where doubles host it, too: outputs are
 * weights, of which a rounding the other way moves some. */
static void test_exponentials(uint64_t *state)
{
    const ref_shape shape = {1, 2, 1, 2, 3, 16, false};
    attest_format format = get_format("binary64");
    attest_simulated_arithmetic a;
    size_t wrong = 0, compared = 0;

    attest_simulated_arithmetic_init(&a, &format);
    for (int trial = 0; trial < 20; trial++) {
        attest_audit_request request;
        attest_audit_outputs real, wide;
        audit_case test;

        audit_case_init(&test, &shape, 150, 150, state);
        test.layer.weights.activation = ATTEST_SOFTMAX;
        attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
        real = evaluate(&request, &a);
        request.always_mpfr = true;
        wide = evaluate(&request, &a);
        if (!real.real || !wide.wide)
            abort();
        for (size_t i = 0; i < real.count * real.dim; i++, compared++)
            wrong += real.real[i] != mpfr_get_d(wide.wide + i, MPFR_RNDN);
        attest_audit_outputs_clear(&real);
        attest_audit_outputs_clear(&wide);
        audit_case_clear(&test);
    }
    TAP_OK(wrong == 0, "binary64 as MPFR has it, %zu entries: %zu differ", compared, wrong);
}

/* The processor's own arithmetic, from doc/arithmetic.md, with MPFR's exp. */
static void test_hardware(bool single, uint64_t *state)
{
    const ref_shape shape = {2, 9, 10, 7, 9, 1, true};
    const ref_exp exp = {true, MPFR_RNDN};
    size_t wrong = 0;

    for (int trial = 0; trial < 30; trial++) {
        attest_format format = get_format(single ? "binary32" : "binary64");
        attest_simulated_arithmetic a;
        attest_audit_request request;
        attest_audit_outputs outputs;
        audit_case test;
        size_t at = 0;
        audit_case_init(&test, &shape, 4, 5, state);
        draw_layer(&test, state);
        attest_simulated_arithmetic_init(&a, &format);
        attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
        outputs = evaluate(&request, &a);
        wrong += outputs.real == NULL;
        for (size_t i = 0; i < test.dataset.count; i++) {
            double out[7 * 9];
            float small[7 * 9];
            attest_sequence sequence;
            attest_sequence_init(&sequence);
            if (attest_dataset_get_sequence(&sequence, &test.dataset, i, NULL, NULL))
                abort();
            if (single)
                ref_hardware_float(small, &test.layer.weights, &sequence, exp);
            else
                ref_hardware_double(out, &test.layer.weights, &sequence, exp);
            for (size_t e = 0; e < sequence.length * sequence.dim; e++, at++)
                wrong += !same(outputs.real[at], single ? small[e] : out[e]);
            attest_sequence_clear(&sequence);
        }
        attest_audit_outputs_clear(&outputs);
        audit_case_clear(&test);
    }
    TAP_OK(wrong == 0, "%s: 30 layers as the processor has them (%zu entries wrong)",
           single ? "binary32" : "binary64", wrong);
}

/* Sequences of one token each, W_V = W_O = I without skip: the layer is a sum by halves. */
static void test_pairwise(void)
{
    const float token[5] = {1.0f, 0x1p-24f, 0x1p-24f, 0x1p-24f, 0x1p-24f};
    attest_dataset_builder builder;
    attest_simulated_arithmetic a;
    attest_audit_request request;
    attest_audit_outputs outputs;
    attest_format format = get_format("binary32");
    attest_dataset dataset;
    attest_weights w;
    double entry_of[5];
    float halves;

    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, 5, ATTEST_TABLE_REAL, NULL);
    for (int c = 0; c < 5; c++)
        entry_of[c] = token[c];
    if (attest_dataset_builder_add_doubles(&builder, entry_of, 1, NULL) ||
        attest_dataset_builder_end_sequence(&builder, NULL) ||
        attest_dataset_builder_finish(&dataset, &builder, NULL))
        abort();
    attest_dataset_builder_clear(&builder);
    attest_weights_init(&w);
    if (attest_weights_resize(&w, 1) != ATTEST_OK)
        abort();
    w.dim = 5;
    w.skip = false;
    attest_matrix_resize(&w.head[0].wq, 1, 5);
    attest_matrix_resize(&w.head[0].wk, 1, 5);
    attest_matrix_resize(&w.head[0].wv, 1, 5);
    attest_matrix_resize(&w.head[0].wo, 5, 1);
    for (int c = 0; c < 5; c++) {
        fmpz_one(w.head[0].wv.entry + c);
        fmpz_one(w.head[0].wo.entry + c);
    }
    attest_simulated_arithmetic_init(&a, &format);
    attest_audit_request_init(&request, &dataset, &w);
    outputs = evaluate(&request, &a);
    TAP_OK(outputs.real[0] == 1, "from the first to the last every small term is lost");
    attest_audit_outputs_clear(&outputs);
    a.pairwise = true;
    outputs = evaluate(&request, &a);
    /* ((t0 + t1) + t2) + (t3 + t4): the halves are 3 and 2 terms, the first of them 2 and 1. */
    halves = (float)((float)((float)(token[0] + token[1]) + token[2]) +
                     (float)(token[3] + token[4]));
    TAP_OK(outputs.real[0] == (double)halves && halves > 1, "halves keep some: %a",
           outputs.real[0]);
    attest_audit_outputs_clear(&outputs);
    a.pairwise = false;
    a.accumulates = true;
    a.accumulate = get_format("binary64");
    outputs = evaluate(&request, &a);
    TAP_OK(outputs.real[0] == 1 + 0x1p-22, "accumulated in binary64 nothing is lost");
    attest_audit_outputs_clear(&outputs);
    attest_weights_clear(&w);
    attest_dataset_clear(&dataset);
}

/* Sequences of two tokens (score, 1): e^-45, and then e^(k/1024) for many k. */
static void close_weights_init(attest_dataset *dataset, attest_weights *w)
{
    attest_dataset_builder builder;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_REAL, NULL);
    for (int k = 1; k <= 64; k++) {
        const double token[4] = {-45, 1, k / 1024.0, 1};
        if (attest_dataset_builder_add_doubles(&builder, token, 2, NULL) ||
            attest_dataset_builder_end_sequence(&builder, NULL))
            abort();
    }
    if (attest_dataset_builder_finish(dataset, &builder, NULL))
        abort();
    attest_dataset_builder_clear(&builder);
    attest_weights_init(w);
    if (attest_weights_resize(w, 1) != ATTEST_OK)
        abort();
    w->dim = 2;
    w->skip = false;
    attest_matrix_resize(&w->head[0].wq, 1, 2);
    attest_matrix_resize(&w->head[0].wk, 1, 2);
    attest_matrix_resize(&w->head[0].wv, 1, 2);
    attest_matrix_resize(&w->head[0].wo, 2, 1);
    fmpz_one(w->head[0].wq.entry + 1);
    fmpz_one(w->head[0].wk.entry);
    fmpz_one(w->head[0].wv.entry + 1);
    fmpz_one(w->head[0].wo.entry);
}

/* Weights of more bits than the accumulator, some of them midpoints of it, are added to what is
 * far below them. */
static void test_narrow_accumulator(void)
{
    attest_format format = get_format("p=25");
    attest_simulated_arithmetic a;
    attest_audit_request request;
    attest_audit_outputs one, two;
    attest_dataset dataset;
    attest_weights w;
    size_t wrong;

    close_weights_init(&dataset, &w);
    attest_simulated_arithmetic_init(&a, &format);
    a.softmax = ATTEST_SIMULATED_NAIVE;
    a.accumulates = true;
    a.accumulate = get_format("p=22");
    attest_audit_request_init(&request, &dataset, &w);
    one = evaluate(&request, &a);
    request.always_mpfr = true;
    two = evaluate(&request, &a);
    wrong = count_different(&one, &two);
    TAP_OK(one.real && wrong == 0, "an accumulator of fewer bits rounds once (%zu wrong)",
           wrong);
    attest_audit_outputs_clear(&one);
    attest_audit_outputs_clear(&two);
    attest_weights_clear(&w);
    attest_dataset_clear(&dataset);
}

static float exp_float(float x)
{
    mpfr_t y;
    float result;

    mpfr_init2(y, 24);
    mpfr_set_flt(y, x, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN); /* scores are small: nothing is subnormal */
    result = mpfr_get_flt(y, MPFR_RNDN);
    mpfr_clear(y);
    return result;
}

/* The mean of x under the softmax of query * x, by blocks, from doc/arithmetic.md. */
static float online(const float *x, size_t count, float query, size_t block)
{
    float most = 0, total = 0, sum = 0;

    for (size_t begin = 0; begin < count; begin += block) {
        size_t end = begin + block < count ? begin + block : count;
        float before = most, part_total = 0, part_sum = 0;

        for (size_t j = begin; j < end; j++)
            most = j == 0 ? query * x[j] : fmaxf(most, query * x[j]);
        for (size_t j = begin; j < end; j++) {
            float score = query * x[j], weight = exp_float(score - most), product;

            product = weight * x[j];
            part_total = j == begin ? weight : part_total + weight;
            part_sum = j == begin ? product : part_sum + product;
        }
        if (begin > 0) {
            float factor = exp_float(before - most);

            total *= factor;
            sum *= factor;
        }
        total = begin > 0 ? total + part_total : part_total;
        sum = begin > 0 ? sum + part_sum : part_sum;
    }
    return sum / total;
}

/* Tokens of one entry, all matrices 1, without skip. The maximum is in the first block of some,
 * in a later one of others. */
static void test_online(uint64_t *state)
{
    enum { SEQUENCES = 40, LENGTH = 7, BLOCK = 2 };
    attest_format format = get_format("binary32");
    attest_dataset_builder builder;
    attest_simulated_arithmetic a;
    attest_audit_request request;
    attest_audit_outputs outputs;
    attest_dataset dataset;
    attest_weights w;
    float token[SEQUENCES][LENGTH];
    size_t wrong = 0;

    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_REAL, NULL);
    for (size_t i = 0; i < SEQUENCES; i++) {
        for (size_t k = 0; k < LENGTH; k++) {
            double x = (double)(tap_random(state) % 0x3000001) * 0x1p-24;
            token[i][k] = (float)x;
            x = token[i][k];
            if (attest_dataset_builder_add_doubles(&builder, &x, 1, NULL))
                abort();
        }
        if (attest_dataset_builder_end_sequence(&builder, NULL))
            abort();
    }
    if (attest_dataset_builder_finish(&dataset, &builder, NULL))
        abort();
    attest_dataset_builder_clear(&builder);
    attest_weights_init(&w);
    if (attest_weights_resize(&w, 1) != ATTEST_OK)
        abort();
    w.dim = 1;
    w.skip = false;
    attest_matrix_resize(&w.head[0].wq, 1, 1);
    attest_matrix_resize(&w.head[0].wk, 1, 1);
    attest_matrix_resize(&w.head[0].wv, 1, 1);
    attest_matrix_resize(&w.head[0].wo, 1, 1);
    fmpz_one(w.head[0].wq.entry);
    fmpz_one(w.head[0].wk.entry);
    fmpz_one(w.head[0].wv.entry);
    fmpz_one(w.head[0].wo.entry);
    attest_simulated_arithmetic_init(&a, &format);
    a.softmax = ATTEST_SIMULATED_ONLINE;
    a.block = BLOCK;
    attest_audit_request_init(&request, &dataset, &w);
    outputs = evaluate(&request, &a);
    for (size_t i = 0; i < SEQUENCES; i++)
        for (size_t k = 0; k < LENGTH; k++)
            wrong += !same(entry(&outputs, i * LENGTH + k),
                           online(token[i], LENGTH, token[i][k], BLOCK));
    TAP_OK(wrong == 0, "softmax by blocks, as a loop in float has it (%zu of %d wrong)", wrong,
           SEQUENCES * LENGTH);
    attest_audit_outputs_clear(&outputs);
    attest_weights_clear(&w);
    attest_dataset_clear(&dataset);
}

/* Stages: none rounded is the reference, all rounded the format. */
static void test_stages(uint64_t *state)
{
    const ref_shape shape = {1, 3, 2, 4, 6, 5, false};
    attest_format format = get_format("bfloat16"), reference = get_format("binary64");
    attest_simulated_arithmetic a;
    attest_audit_request request;
    attest_audit_outputs none, exact, input;
    audit_case test;

    audit_case_init(&test, &shape, 5, 6, state);
    attest_simulated_arithmetic_init(&a, &format);
    attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
    request.rounded = 0;
    none = evaluate(&request, &a);
    request.rounded = 1u << ATTEST_STAGE_INPUT;
    input = evaluate(&request, &a);
    request.rounded = ATTEST_AUDIT_ALL_STAGES;
    attest_simulated_arithmetic_init(&a, &reference);
    exact = evaluate(&request, &a);
    TAP_OK(count_different(&none, &exact) == 0, "no stage rounded: the reference");
    TAP_OK(count_different(&input, &exact) > 0, "a rounded stage shows");
    attest_audit_outputs_clear(&none);
    attest_audit_outputs_clear(&exact);
    attest_audit_outputs_clear(&input);
    audit_case_clear(&test);
}

TEST(evaluate)
{
    uint64_t state = tap_seed(0xe7a1);

    test_doubles(&state);
    test_defaults(&state);
    test_exponentials(&state);
    test_algorithms(&state);
    test_hardware(true, &state);
    test_hardware(false, &state);
    test_pairwise();
    test_narrow_accumulator();
    test_online(&state);
    test_stages(&state);
    return 0;
}
