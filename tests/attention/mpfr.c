/* Simulated binary64 and binary32 attention against the processor, bit for bit, in the four
 * rounding modes of fenv; attention in double; formats of other shapes. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "tests/ref/cases.h"
#include "tests/ref/hardware.h"
#include "tests/tap.h"

static const mpfr_rnd_t roundings[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};
static const char *const rounding_name[] = {"nearest", "toward zero", "up", "down"};

static attest_format get_format(const char *name)
{
    attest_format format;

    if (attest_format_parse(&format, name, NULL) != ATTEST_OK)
        abort();
    return format;
}

static __mpfr_struct *numbers_init(size_t count)
{
    __mpfr_struct *number = malloc(count * sizeof *number);

    for (size_t i = 0; i < count; i++)
        mpfr_init2(number + i, 2);
    return number;
}

static void numbers_clear(__mpfr_struct *number, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mpfr_clear(number + i);
    free(number);
}

static bool same_bits(double x, double y)
{
    return (isnan(x) && isnan(y)) || (x == y && signbit(x) == signbit(y));
}

/* Multiplies every numerator by a random power of two, so that products overflow and underflow
 * while the inputs stay exact. */
static void spread(fmpz *entry, size_t count, fmpz_t denominator, int low, int high,
                   uint64_t *state)
{
    for (size_t i = 0; i < count; i++)
        fmpz_mul_2exp(entry + i, entry + i,
                      (ulong)(tap_random(state) % (uint64_t)(high - low)));
    fmpz_one(denominator);
    fmpz_mul_2exp(denominator, denominator, (ulong)-low);
}

static void spread_case(ref_case *test, int low, int high, uint64_t *state)
{
    for (size_t h = 0; h < test->weights.heads; h++) {
        attest_head *head = &test->weights.head[h];
        attest_matrix *const all[] = {&head->wq, &head->wk, &head->wv, &head->wo};
        for (int i = 0; i < 4; i++)
            if (!all[i]->factored)
                spread(all[i]->entry, all[i]->rows * all[i]->cols, all[i]->denominator, low,
                       high, state);
    }
    spread(test->sequence.entry, test->sequence.length * test->sequence.dim,
           test->sequence.denominator, low, high, state);
}

static void random_case(ref_case *test, uint64_t *state)
{
    ref_shape shape = {.heads = 1 + tap_random(state) % 3,
                       .dim = 1 + tap_random(state) % 4,
                       .size = 1 + tap_random(state) % 4,
                       .length = 1 + tap_random(state) % 5,
                       .bits = 1 + (unsigned)(tap_random(state) % 7),
                       .denominator = 1 + (unsigned)(tap_random(state) % 50),
                       .factored = tap_random(state) & 1};

    ref_case_init(test, &shape, state);
    test->weights.activation = tap_random(state) & 1 ? ATTEST_SOFTMAX : ATTEST_HARDMAX;
    test->weights.ties = tap_random(state) & 1 ? ATTEST_TIES_UNIFORM : ATTEST_TIES_LEFTMOST;
    test->weights.mask = tap_random(state) & 1 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    test->weights.skip = tap_random(state) & 1;
}

/* What the processor computes in this mode, as doubles. */
static void run_hardware(double *out, const ref_case *test, bool single, mpfr_rnd_t rounding)
{
    size_t count = test->sequence.length * test->sequence.dim;
    ref_exp exp_kind = {true, rounding};
    float *narrow = calloc(count, sizeof *narrow);

    fesetround(ref_fenv_rounding(rounding));
    if (single)
        ref_hardware_float(narrow, &test->weights, &test->sequence, exp_kind);
    else
        ref_hardware_double(out, &test->weights, &test->sequence, exp_kind);
    fesetround(FE_TONEAREST);
    for (size_t i = 0; single && i < count; i++)
        out[i] = (double)narrow[i];
    free(narrow);
}

/* Counts outputs that differ, and adds to *special those that are not normal numbers. */
static size_t count_differences(const ref_case *test, const char *format_name,
                                mpfr_rnd_t rounding, size_t *special)
{
    size_t count = test->sequence.length * test->sequence.dim, differences = 0;
    attest_format format = get_format(format_name);
    __mpfr_struct *simulated = numbers_init(count);
    double *real = calloc(count, sizeof *real);

    run_hardware(real, test, strcmp(format_name, "binary32") == 0, rounding);
    if (attest_attention_mpfr((mpfr_t *)simulated, &test->weights, &test->sequence, &format,
                              rounding, NULL) != ATTEST_OK)
        differences++;
    for (size_t i = 0; i < count; i++) {
        differences += mpfr_get_prec(simulated + i) != format.precision ||
                       !same_bits(mpfr_get_d(simulated + i, MPFR_RNDN), real[i]);
        *special += !isnormal(real[i]);
    }
    free(real);
    numbers_clear(simulated, count);
    return differences;
}

static void test_hardware(const char *format_name, int low, int high, uint64_t *state)
{
    for (int r = 0; r < 4; r++) {
        size_t differences = 0, special = 0;
        for (int i = 0; i < 300; i++) {
            ref_case test;
            random_case(&test, state);
            if (low < high)
                spread_case(&test, low, high, state);
            differences += count_differences(&test, format_name, roundings[r], &special);
            ref_case_clear(&test);
        }
        TAP_OK(differences == 0, "%s is the processor's, rounding %s%s: %zu of them differ",
               format_name, rounding_name[r], low < high ? ", wide exponents" : "",
               differences);
        if (low < high)
            TAP_OK(special > 50, "and %zu outputs are zero, subnormal, infinite or NaN",
                   special);
    }
}

/* attest_attention_double with the C library's exp. */
static void test_double(uint64_t *state)
{
    size_t differences = 0;

    for (int i = 0; i < 500; i++) {
        ref_case test;
        double computed[20], expected[20];
        random_case(&test, state);
        if (i % 4 == 0)
            spread_case(&test, -500, 480, state);
        if (attest_attention_double(computed, &test.weights, &test.sequence, NULL) != ATTEST_OK)
            differences++;
        ref_hardware_double(expected, &test.weights, &test.sequence, (ref_exp){false});
        for (size_t j = 0; j < test.sequence.length * test.sequence.dim; j++)
            differences += !same_bits(computed[j], expected[j]);
        ref_case_clear(&test);
    }
    TAP_OK(differences == 0, "double is the processor's with the C library's exp");
}

/* A head of size 1 on tokens 0, x, y, without skip: scores 0 for query 0. */
static void set_line(ref_case *test, slong x, slong y, uint64_t *state)
{
    ref_shape shape = {1, 1, 1, 3, 2, 1, false};

    ref_case_init(test, &shape, state);
    attest_head *head = &test->weights.head[0];
    fmpz_one(head->wq.entry);
    fmpz_one(head->wk.entry);
    fmpz_one(head->wv.entry);
    fmpz_one(head->wo.entry);
    fmpz_set_si(test->sequence.entry, 0);
    fmpz_set_si(test->sequence.entry + 1, x);
    fmpz_set_si(test->sequence.entry + 2, y);
    test->weights.skip = false;
}

/* The output of query k in the format, rounded to nearest. */
static double line_output(const ref_case *test, const char *format_name, size_t k)
{
    attest_format format = get_format(format_name);
    __mpfr_struct *out = numbers_init(3);
    double result;

    if (attest_attention_mpfr((mpfr_t *)out, &test->weights, &test->sequence, &format,
                              MPFR_RNDN, NULL) != ATTEST_OK)
        abort();
    result = mpfr_get_d(out + k, MPFR_RNDN);
    numbers_clear(out, 3);
    return result;
}

static void test_special_values(uint64_t *state)
{
    ref_case test;

    set_line(&test, 300, 400, state); /* 300 * 400 overflows binary16 and float8 */
    TAP_OK(isnan(line_output(&test, "binary16", 1)), "softmax of infinite scores is NaN");
    test.weights.activation = ATTEST_HARDMAX;
    TAP_OK(line_output(&test, "binary16", 1) == 350, "two infinite scores tie in hardmax");
    TAP_OK(isnan(line_output(&test, "float8_e4m3fn", 1)),
           "a NaN score makes hardmax NaN, wherever it stands");
    test.weights.ties = ATTEST_TIES_LEFTMOST;
    TAP_OK(line_output(&test, "binary16", 1) == 300, "the leftmost of two infinite scores");
    TAP_OK(line_output(&test, "binary16", 0) == 0, "all scores 0: the first token");
    ref_case_clear(&test);

    set_line(&test, 1, 2, state);
    test.weights.activation = ATTEST_HARDMAX;
    TAP_OK(line_output(&test, "p=1", 2) == 2, "p=1");
    TAP_OK(line_output(&test, "p=100", 0) == 1, "p=100, the mean of 0, 1, 2");
    ref_case_clear(&test);
}

/* In monotone layers, where every operation increases with its operands, directed roundings
 * bracket the exact result: hardmax with one winner and data >= 0. */
static void test_monotone(uint64_t *state)
{
    attest_format format = get_format("p=12");
    size_t failures = 0, strict = 0;

    for (int i = 0; i < 200; i++) {
        ref_shape shape = {2, 3, 2, 4, 20, 9, false};
        ref_case test;
        fmpq *exact = _fmpq_vec_init(12);
        __mpfr_struct *low = numbers_init(12), *high = numbers_init(12);
        ref_case_init(&test, &shape, state);
        test.weights.activation = ATTEST_HARDMAX;
        test.weights.mask = ATTEST_MASK_CAUSAL;
        test.weights.ties = ATTEST_TIES_LEFTMOST;
        for (size_t h = 0; h < 2; h++) {
            attest_head *head = &test.weights.head[h];
            for (int e = 0; e < 6; e++) {
                fmpz_zero(head->wk.entry + e); /* all scores tie: the first token wins */
                fmpz_abs(head->wv.entry + e, head->wv.entry + e);
                fmpz_abs(head->wo.entry + e, head->wo.entry + e);
            }
        }
        for (int e = 0; e < 12; e++)
            fmpz_abs(test.sequence.entry + e, test.sequence.entry + e);
        if (attest_attention_exact(exact, &test.weights, &test.sequence, NULL) != ATTEST_OK ||
            attest_attention_mpfr((mpfr_t *)low, &test.weights, &test.sequence, &format,
                                  MPFR_RNDD, NULL) != ATTEST_OK ||
            attest_attention_mpfr((mpfr_t *)high, &test.weights, &test.sequence, &format,
                                  MPFR_RNDU, NULL) != ATTEST_OK)
            abort();
        for (int e = 0; e < 12; e++) {
            mpq_t value;
            mpq_init(value);
            fmpq_get_mpq(value, exact + e);
            failures += mpfr_cmp_q(low + e, value) > 0 || mpfr_cmp_q(high + e, value) < 0;
            strict += mpfr_less_p(low + e, high + e) != 0;
            mpq_clear(value);
        }
        numbers_clear(low, 12);
        numbers_clear(high, 12);
        _fmpq_vec_clear(exact, 12);
        ref_case_clear(&test);
    }
    TAP_OK(failures == 0 && strict > 1000,
           "in monotone layers down and up bracket the exact value (%zu apart)", strict);
}

/* Tokens of another dimension than the weights' are refused, before anything is computed. */
static void test_refusals(uint64_t *state)
{
    attest_format format = get_format("binary64");
    ref_shape shape = {2, 2, 3, 3, 8, 3, false};
    __mpfr_struct *out = numbers_init(6);
    double real[6] = {0};
    attest_error error;
    ref_case test;

    ref_case_init(&test, &shape, state);
    test.weights.dim++;
    TAP_OK(attest_attention_mpfr((mpfr_t *)out, &test.weights, &test.sequence, &format,
                                 MPFR_RNDN, &error) == ATTEST_DOMAIN,
           "in a format, other dimensions are refused: %s", error.text);
    TAP_OK(attest_attention_double(real, &test.weights, &test.sequence, &error) ==
               ATTEST_DOMAIN,
           "in double, too");
    ref_case_clear(&test);
    numbers_clear(out, 6);
}

TEST(mpfr)
{
    uint64_t state = tap_seed(0x5eed0003);

    test_hardware("binary64", 0, 0, &state);
    test_hardware("binary32", 0, 0, &state);
    test_hardware("binary64", -500, 480, &state);
    test_hardware("binary32", -60, 58, &state);
    test_double(&state);
    test_special_values(&state);
    test_monotone(&state);
    test_refusals(&state);
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}
