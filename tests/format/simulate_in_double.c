/* simulate_in_double.c -- formats simulated in doubles: all 8-bit sums, products, quotients and
 * fused sums, all 16-bit conversions and exponentials, against roundings found in the list of
 * the numbers of a format; binary32 against the processor; everything else against MPFR, bit
 * for bit. */
#include <math.h>
#include <string.h>

#include <attest/kernel.h>

#include "format/simulate_in_double.h"
#include "format/simulate_in_mpfr.h"
#include "tests/ref/rounding.h"
#include "tests/tap.h"

static bool escaped;
static uint64_t stream;

static attest_format get_format(const char *name)
{
    attest_format format;

    if (attest_format_parse(&format, name, NULL) != ATTEST_OK)
        abort();
    return format;
}

static attest_in_double host(const char *name, attest_simulated_rounding rounding)
{
    attest_format format = get_format(name);
    attest_in_double h;

    if (!attest_in_double_fits(&format, rounding))
        abort();
    attest_in_double_init(&h, &format, rounding, &escaped, &stream);
    return h;
}

/* Number i of the list counted with both signs. */
static double signed_number(const ref_numbers *list, size_t i)
{
    return i & 1 ? -list->number[i / 2] : list->number[i / 2];
}

/* The quotient, cut to odd: a rounding of it to few bits is one of the exact quotient. */
static double odd_quotient(double x, double y)
{
    double q = x / y, remainder;
    uint64_t bits;

    if (isnan(q) || isinf(q) || q == 0)
        return q;
    remainder = fma(-q, y, x);
    if (remainder == 0)
        return q;
    if ((remainder / y < 0) != (q < 0)) /* |q| was rounded up: step back */
        q = nextafter(q, 0);
    memcpy(&bits, &q, sizeof q);
    bits |= 1;
    memcpy(&q, &bits, sizeof q);
    return q;
}

/* All pairs of an 8-bit format: + and * are exact in double, and so is x y + z. */
static void test_tables(const char *name, attest_simulated_rounding rounding)
{
    attest_in_double h = host(name, rounding);
    mpfr_rnd_t mode = rounding == ATTEST_SIMULATED_NEAREST ? MPFR_RNDN : MPFR_RNDZ;
    ref_numbers list;
    size_t wrong[4] = {0}, pairs = 0;
    uint64_t state = 5;

    ref_numbers_init(&list, &h.format);
    for (size_t i = 0; i < 2 * list.count; i++)
        for (size_t j = 0; j < 2 * list.count; j++, pairs++) {
            double a = signed_number(&list, i), b = signed_number(&list, j);
            double c = signed_number(&list, tap_random(&state) % (2 * list.count));
            wrong[0] +=
                !ref_same(attest_in_double_add(a, b, &h), ref_round(a + b, mode, &list));
            wrong[1] +=
                !ref_same(attest_in_double_mul(a, b, &h), ref_round(a * b, mode, &list));
            wrong[2] +=
                !ref_same(attest_in_double_fma(a, b, c, &h), ref_round(a * b + c, mode, &list));
            if (rounding == ATTEST_SIMULATED_ZERO || b == 0)
                continue;
            wrong[3] += !ref_same(attest_in_double_div(a, b, &h),
                                  ref_round(odd_quotient(a, b), mode, &list));
        }
    TAP_OK(wrong[0] == 0 && wrong[1] == 0 && wrong[2] == 0 && wrong[3] == 0,
           "%s, %s: %zu pairs under +, *, fma, / (%zu, %zu, %zu, %zu wrong)", name,
           attest_simulated_rounding_name(rounding), pairs, wrong[0], wrong[1], wrong[2],
           wrong[3]);
    ref_numbers_clear(&list);
}

/* Every number of one format, and the middles between them, to another. */
static void test_conversion(const char *from, const char *to)
{
    attest_in_double nearest = host(to, ATTEST_SIMULATED_NEAREST),
                     zero = host(to, ATTEST_SIMULATED_ZERO);
    attest_format source = get_format(from);
    ref_numbers all, list;
    size_t wrong = 0;

    ref_numbers_init(&all, &source);
    ref_numbers_init(&list, &nearest.format);
    for (size_t i = 0; i < 2 * all.count; i++) {
        double x = signed_number(&all, i), y = signed_number(&all, (i + 2) % (2 * all.count));
        double middle = x / 2 + y / 2;
        wrong +=
            !ref_same(attest_in_double_convert(x, &nearest), ref_round(x, MPFR_RNDN, &list));
        wrong += !ref_same(attest_in_double_convert(x, &zero), ref_round(x, MPFR_RNDZ, &list));
        wrong += !ref_same(attest_in_double_convert(middle, &nearest),
                           ref_round(middle, MPFR_RNDN, &list));
    }
    TAP_OK(wrong == 0, "all of %s, and the middles, to %s (%zu wrong)", from, to, wrong);
    ref_numbers_clear(&all);
    ref_numbers_clear(&list);
}

/* exp of every number of a 16-bit format. */
static void test_exp(const char *name, attest_simulated_rounding rounding)
{
    attest_in_double h = host(name, rounding);
    attest_in_mpfr wide;
    ref_numbers list;
    size_t wrong = 0;
    mpfr_t x;

    ref_numbers_init(&list, &h.format);
    attest_in_mpfr_init(&wide, &h.format, rounding, &stream);
    mpfr_init2(x, h.format.precision);
    for (size_t i = 0; i < 2 * list.count; i++) {
        double a = signed_number(&list, i);
        mpfr_set_d(wide.operand, a, MPFR_RNDN);
        attest_in_mpfr_exp(x, wide.operand, &wide);
        wrong += !ref_same(attest_in_double_exp(a, &h), mpfr_get_d(x, MPFR_RNDN));
    }
    TAP_OK(wrong == 0, "%s, %s: exp of all %zu numbers (%zu wrong)", name,
           attest_simulated_rounding_name(rounding), 2 * list.count, wrong);
    mpfr_clear(x);
    attest_in_mpfr_clear(&wide);
    ref_numbers_clear(&list);
}

/* A random number of the format: now and then 0, subnormal, huge or a power of two. */
static double random_number(const attest_in_double *h, uint64_t *state)
{
    const attest_format *f = &h->format;
    long low = f->bounded ? f->emin - f->precision + 1 : -60, high = f->bounded ? f->emax : 60;
    uint64_t r = tap_random(state);
    long e = r % 3 ? (long)(tap_random(state) % 9) - 4
                   : low + (long)(tap_random(state) % (uint64_t)(high - low + 1));
    double m = 1 + (double)(tap_random(state) >> 12) * 0x1p-52;

    if (r % 17 == 0)
        m = 1;
    if (r % 31 == 0)
        m = 0;
    if (e < low || e > high)
        e = 0;
    stream = tap_random(state);
    return attest_in_double_convert(ldexp(r & 64 ? -m : m, (int)e), h);
}

/* Random operands against MPFR, the same stream of random roundings for both. */
static void test_random(const char *name, attest_simulated_rounding rounding, uint64_t *state)
{
    attest_in_double h = host(name, rounding);
    uint64_t other;
    attest_in_mpfr wide;
    size_t wrong[5] = {0};
    mpfr_t a, b, c, z;

    attest_in_mpfr_init(&wide, &h.format, rounding, &other);
    mpfr_inits2(h.format.precision, a, b, c, z, (mpfr_ptr)0);
    escaped = false;
    for (int trial = 0; trial < 20000; trial++) {
        double x = random_number(&h, state), y = random_number(&h, state);
        double w = random_number(&h, state), got[5];
        mpfr_set_d(a, x, MPFR_RNDN);
        mpfr_set_d(b, y, MPFR_RNDN);
        mpfr_set_d(c, w, MPFR_RNDN);
        stream = other = tap_random(state);
        got[0] = attest_in_double_add(x, y, &h);
        got[1] = attest_in_double_mul(x, y, &h);
        got[2] = attest_in_double_div(x, y, &h);
        got[3] = attest_in_double_fma(x, y, w, &h);
        for (int op = 0; op < 4; op++) {
            if (op == 0)
                attest_in_mpfr_add(z, a, b, &wide);
            else if (op == 1)
                attest_in_mpfr_mul(z, a, b, &wide);
            else if (op == 2)
                attest_in_mpfr_div(z, a, b, &wide);
            else
                attest_in_mpfr_fma(z, a, b, c, &wide);
            wrong[op] += !ref_same(got[op], mpfr_get_d(z, MPFR_RNDN));
        }
        if (fabs(x) > 500 || trial % 8)
            continue;
        stream = other = tap_random(state);
        got[4] = attest_in_double_exp(x, &h);
        attest_in_mpfr_exp(z, a, &wide);
        wrong[4] += !ref_same(got[4], mpfr_get_d(z, MPFR_RNDN));
    }
    mpfr_clears(a, b, c, z, (mpfr_ptr)0);
    attest_in_mpfr_clear(&wide);
    TAP_OK(wrong[0] + wrong[1] + wrong[2] + wrong[3] + wrong[4] == 0,
           "%s, %s: 20000 random +, *, /, fma, exp against MPFR (%zu %zu %zu %zu %zu wrong)",
           name, attest_simulated_rounding_name(rounding), wrong[0], wrong[1], wrong[2],
           wrong[3], wrong[4]);
}

/* binary32 against the processor's float. */
static void test_hardware(uint64_t *state)
{
    attest_in_double h = host("binary32", ATTEST_SIMULATED_NEAREST);
    size_t wrong = 0;

    for (int trial = 0; trial < 200000; trial++) {
        volatile float x = (float)random_number(&h, state), y = (float)random_number(&h, state);
        volatile float w = (float)random_number(&h, state);
        volatile float sum = x + y, product = x * y, quotient = x / y;
        wrong += !ref_same(attest_in_double_add(x, y, &h), sum);
        wrong += !ref_same(attest_in_double_mul(x, y, &h), product);
        wrong += !ref_same(attest_in_double_div(x, y, &h), quotient);
        wrong += !ref_same(attest_in_double_fma(x, y, w, &h), fmaf(x, y, w));
    }
    TAP_OK(wrong == 0,
           "binary32: 200000 random +, *, /, fma as the processor has them "
           "(%zu wrong)",
           wrong);
}

/* Sums at midpoints: near 1 + 2^-p + tiny, where rounding twice goes wrong. */
static void test_midpoints(const char *name)
{
    attest_in_double h = host(name, ATTEST_SIMULATED_NEAREST);
    double half = ldexp(1, -(int)h.format.precision), tiny = ldexp(1, -100);

    TAP_OK(attest_in_double_fma(half, 1, 1, &h) == 1, "%s: the middle above 1 goes to 1", name);
    TAP_OK(attest_in_double_fma(tiny, 1, 1 + 2 * half, &h) == 1 + 2 * half, "%s: no drift",
           name);
    /* (2^-p)(1 + 2^(1-p)) + 1 lies above the middle by less than a double can hold. */
    TAP_OK(attest_in_double_fma(half, 1 + 2 * half, 1, &h) == 1 + 2 * half,
           "%s: just above the middle goes up", name);
}

/* Rows of all widths of vectors, and some that fill none: 32 + 16 + 8 + 5. */
enum { ROWS = 61 };

static const char *kernel; /* the one that is tested */

/* Many dot products at once against one at a time. */
static void test_combine(const char *name, uint64_t *state)
{
    enum { COLS = 9 };
    attest_in_double h = host(name, ATTEST_SIMULATED_NEAREST);
    double m[ROWS * COLS], x[COLS], y[ROWS];
    size_t wrong = 0;

    for (int trial = 0; trial < 500; trial++) {
        escaped = false;
        for (int i = 0; i < ROWS * COLS; i++)
            m[i] = random_number(&h, state);
        for (int i = 0; i < COLS; i++)
            x[i] = random_number(&h, state);
        attest_in_double_combine(y, m, ROWS, COLS, ROWS, x, &h);
        for (int r = 0; r < ROWS; r++) {
            double sum = attest_in_double_mul(m[r], x[0], &h);
            for (int c = 1; c < COLS; c++)
                sum = attest_in_double_add(sum, attest_in_double_mul(m[c * ROWS + r], x[c], &h),
                                           &h);
            wrong += !ref_same(sum, y[r]) && !(h.unbounded && escaped);
        }
    }
    TAP_OK(wrong == 0, "%s, %s: 500 matrices at once as one sum at a time (%zu wrong)", kernel,
           name, wrong);
}

static float flushed(float r, attest_in_double_flush flush)
{
    return fabsf(r) < 0x1p-126f && (r > 0 ? flush.positive : flush.negative) ? 0 : r;
}

/* One of the sums below in the processor's own binary32. */
static float add_floats(float sum, const attest_in_double_sums *t, size_t r)
{
    for (size_t c = 0; c < t->cols; c++) {
        float m = (float)t->m[(ptrdiff_t)c * t->stride + (ptrdiff_t)r];
        float term = flushed(m * (float)(m < 0 ? t->x_else[c] : t->x[c]), t->flush);

        sum = t->started || c > 0 ? flushed(sum + term, t->flush) : term;
    }
    return sum;
}

/* Sums that go on, backward, flushed, with two factors: against the processor. */
static void test_sums(uint64_t *state)
{
    enum { COLS = 9 };
    attest_in_double h = host("binary32", ATTEST_SIMULATED_NEAREST);
    double m[ROWS * COLS], x[2][COLS], y[ROWS];
    float expected[ROWS];
    size_t wrong = 0;

    for (unsigned trial = 0; trial < 1600; trial++) {
        int low = trial % 3 == 0 ? -80 : -140, spread = trial % 3 == 0 ? 40 : 20;
        attest_in_double_sums t = {.m = m,
                                   .rows = ROWS,
                                   .cols = COLS,
                                   .stride = ROWS,
                                   .x = x[0],
                                   .x_else = x[trial >> 1 & 1],
                                   .started = trial >> 2 & 1,
                                   .flush = {trial >> 3 & 1, trial >> 4 & 1}};

        /* products and sums around the least normal number */
        for (int i = 0; i < ROWS * COLS; i++)
            m[i] = (float)ldexp((double)(int64_t)attest_random_next(state), -63) * 4;
        for (int i = 0; i < 2 * COLS; i++)
            x[i / COLS][i % COLS] =
                (float)ldexp((double)(attest_random_next(state) >> 40),
                             low + (int)(attest_random_next(state) % (unsigned)spread));
        if (trial & 1) {
            t.m += (COLS - 1) * ROWS;
            t.stride = -ROWS;
        }
        for (size_t r = 0; r < ROWS; r++) {
            y[r] = (float)ldexp((double)(int64_t)attest_random_next(state), low - 40);
            expected[r] = add_floats((float)y[r], &t, r);
        }
        attest_in_double_accumulate(y, &t, &h);
        for (size_t r = 0; r < ROWS; r++)
            wrong += !ref_same(expected[r], y[r]);
    }
    TAP_OK(wrong == 0, "%s, binary32: 1600 kinds of sums as the processor's (%zu wrong)",
           kernel, wrong);
}

/* A NaN of any bits is not rounded to a number, alone and in a sum. */
static void test_nan(const char *name)
{
    static const uint64_t nan[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7fffe00000000000,
                                   0x7fffffffe0000000, 0x7fffffffffffffff, 0xffffffffffffffff};
    attest_in_double h = host(name, ATTEST_SIMULATED_NEAREST);
    double m[2 * ROWS], x[2] = {1, 1}, y[ROWS];
    size_t wrong = 0;

    for (size_t i = 0; i < sizeof nan / sizeof nan[0]; i++)
        for (size_t cols = 1; cols <= 2; cols++) {
            for (size_t r = 0; r < 2 * ROWS; r++)
                m[r] = r % 3 ? 1 : attest_in_double_double(nan[i]);
            attest_in_double_combine(y, m, ROWS, cols, ROWS, x, &h);
            for (size_t r = 0; r < ROWS; r++) {
                double sum = attest_in_double_mul(m[r], 1, &h);
                if (cols == 2)
                    sum =
                        attest_in_double_add(sum, attest_in_double_mul(m[ROWS + r], 1, &h), &h);
                wrong += !ref_same(sum, y[r]);
            }
        }
    TAP_OK(wrong == 0, "%s, %s: NaNs at once as one at a time (%zu wrong)", kernel, name,
           wrong);
}

static void test_escape(void)
{
    attest_in_double h = host("p=12", ATTEST_SIMULATED_NEAREST);
    double m[ROWS], x = 0x1p-500, y[ROWS];
    size_t seen = 0, wrong = 0;

    escaped = false;
    attest_in_double_mul(0x1p400, 0x1p400, &h);
    TAP_OK(!escaped, "2^800 is inside");
    attest_in_double_mul(0x1p500, 0x1p500, &h);
    TAP_OK(escaped, "2^1000 is outside");
    for (int lane = 0; lane < ROWS; lane++) {
        for (int i = 0; i < ROWS; i++)
            m[i] = i == lane ? 0x1p-450 : 1;
        escaped = false;
        attest_in_double_combine(y, m, ROWS, 1, ROWS, &x, &h);
        seen += escaped;
        m[lane] = 0;
        escaped = false;
        attest_in_double_combine(y, m, ROWS, 1, ROWS, &x, &h);
        wrong += escaped;
    }
    TAP_OK(seen == ROWS, "a lane that leaves the range is seen (%zu of %d)", seen, ROWS);
    TAP_OK(wrong == 0, "0 is inside");
}

/* Products and quotients that are 0 in doubles only. */
static void test_vanishing(attest_simulated_rounding rounding)
{
    attest_in_double h = host("p=12", rounding);
    const char *name = attest_simulated_rounding_name(rounding);

    escaped = false;
    attest_in_double_mul(0, 0x1p-600, &h);
    attest_in_double_mul(-0x1p-600, 0, &h);
    attest_in_double_fma(0, 0x1p-600, 1, &h);
    attest_in_double_div(0, 0x1p600, &h);
    TAP_OK(!escaped, "%s: products and quotients of 0 are 0", name);
    attest_in_double_mul(0x1p-600, -0x1p-600, &h);
    TAP_OK(escaped, "%s: a product that is 0 in doubles is seen", name);
    escaped = false;
    attest_in_double_fma(0x1p-600, -0x1p-600, 0, &h);
    TAP_OK(escaped, "%s: a fused one, too", name);
    escaped = false;
    attest_in_double_div(0x1p-600, 0x1p600, &h);
    TAP_OK(escaped, "%s: a quotient, too", name);
}

static void test_vanishing_lanes(void)
{
    attest_in_double h = host("p=12", ATTEST_SIMULATED_NEAREST);
    double m[2 * ROWS], x[2], y[ROWS];
    size_t seen = 0, wrong = 0;

    for (int lane = 0; lane < 2 * ROWS; lane++) {
        x[lane / ROWS] = 0x1p-800;
        x[1 - lane / ROWS] = 1;
        for (int i = 0; i < 2 * ROWS; i++)
            m[i] = i == lane ? 0x1p-400 : i / ROWS == lane / ROWS ? 0 : 1;
        escaped = false;
        attest_in_double_combine(y, m, ROWS, 2, ROWS, x, &h);
        seen += escaped;
        m[lane] = 0;
        escaped = false;
        attest_in_double_combine(y, m, ROWS, 2, ROWS, x, &h);
        wrong += escaped;
    }
    TAP_OK(seen == 2 * ROWS && wrong == 0,
           "%s: a lane's product that is 0 in doubles is seen (%zu of %d, %zu wrong)", kernel,
           seen, 2 * ROWS, wrong);
}

/* Exponentials at random, which MPFR rounds, are watched as well. */
static void test_random_exp(void)
{
    attest_in_double h = host("p=12", ATTEST_SIMULATED_STOCHASTIC);

    escaped = false;
    attest_in_double_exp(-600, &h);
    attest_in_double_exp(600, &h);
    TAP_OK(!escaped, "exponentials inside, rounded at random");
    for (int sign = -1; sign <= 1; sign += 2) {
        escaped = false;
        attest_in_double_exp(650 * sign, &h);
        TAP_OK(escaped, "e^%d at random is seen", 650 * sign);
        escaped = false;
        attest_in_double_exp(800 * sign, &h);
        TAP_OK(escaped, "e^%d, which is no double, too", 800 * sign);
    }
}

/* Terms of more bits than their accumulator: a midpoint of it, and what is far below that. */
static void test_wider_terms(const char *accumulator, double midpoint, double above)
{
    attest_in_double h = host(accumulator, ATTEST_SIMULATED_NEAREST);
    attest_in_double cut = host(accumulator, ATTEST_SIMULATED_ZERO);

    TAP_OK(attest_in_double_add_wider(0x1p-80, midpoint, &h) == above &&
               attest_in_double_add_wider(-0x1p-80, midpoint, &h) == 1 &&
               attest_in_double_add_wider(0x1p-80, -midpoint, &h) == -1 &&
               attest_in_double_add_wider(-0x1p-80, -midpoint, &h) == -above,
           "%s: a sum next to a midpoint is rounded once", accumulator);
    TAP_OK(attest_in_double_add_wider(0x1p-80, midpoint, &cut) == 1 &&
               attest_in_double_add_wider(-0x1p-80, above, &cut) == 1,
           "%s: toward zero", accumulator);
}

/* Numbers without bounds, in sums of a format with bounds: cut, their products become neither
 * infinities nor 0. */
static void test_cut_products(void)
{
    attest_in_double h = host("binary32", ATTEST_SIMULATED_ZERO);

    TAP_OK(attest_in_double_mul(0x1p600, -0x1p600, &h) == -0x1.fffffep127 &&
               attest_in_double_fma(0x1p600, 0x1p600, 1, &h) == 0x1.fffffep127,
           "a product beyond doubles, cut to binary32, is its largest number");
    TAP_OK(isinf(attest_in_double_mul(INFINITY, 2, &h)), "an infinity stays one");
    TAP_OK(attest_in_double_fma(0x1p-600, -0x1p-600, 1, &h) == 1 - 0x1p-24 &&
               attest_in_double_fma(0x1p-600, 0x1p-600, 1, &h) == 1,
           "1 less what is below all doubles, cut, is below 1");
    TAP_OK(signbit(attest_in_double_mul(0x1p-600, -0x1p-600, &h)) &&
               attest_in_double_mul(0x1p-600, -0x1p-600, &h) == 0,
           "such a product alone is -0");
}

TEST(simulate_in_double)
{
    static const char *const small[] = {"float8_e4m3fn",         "float8_e5m2",
                                        "float8_e5m2fnuz",       "float6_e2m3fn",
                                        "float4_e2m1fn",         "float8_e4m3fn:saturating",
                                        "float8_e5m2:saturating"};
    enum { SMALL = sizeof small / sizeof small[0] };
    static const char *const random[] = {"binary32",
                                         "tfloat32",
                                         "bfloat16",
                                         "binary16",
                                         "float8_e4m3fn",
                                         "float8_e5m2",
                                         "p=25",
                                         "p=2",
                                         "p=17:emin=-9:emax=6",
                                         "float8_e4m3fnuz",
                                         "float6_e3m2fn",
                                         "binary16:saturating"};
    /* binary32 but for one of its properties, by which kernels that round to it choose */
    static const char *const near[] = {"p=23:emin=-126:emax=127", "p=25:emin=-126:emax=127",
                                       "p=24:emin=-100:emax=127", "p=24:emin=-126:emax=100",
                                       "binary32:saturating"};
    uint64_t state = tap_seed(0xa0d17);

    for (int i = 0; i < SMALL; i++) {
        test_tables(small[i], ATTEST_SIMULATED_NEAREST);
        test_tables(small[i], ATTEST_SIMULATED_ZERO);
    }
    for (int i = 0; i < SMALL; i++) {
        test_conversion("binary16", small[i]);
        test_conversion("bfloat16", small[i]);
    }
    test_conversion("binary16", "bfloat16");
    test_conversion("bfloat16", "binary16");
    test_conversion("float8_e5m2", "float8_e4m3fn");
    for (int r = 0; r < 2; r++) {
        test_exp("binary16", (attest_simulated_rounding)r);
        test_exp("bfloat16", (attest_simulated_rounding)r);
    }
    for (size_t i = 0; i < sizeof random / sizeof random[0]; i++) {
        for (int r = 0; r < 3; r++)
            test_random(random[i], (attest_simulated_rounding)r, &state);
    }
    test_hardware(&state);
    test_midpoints("binary32");
    test_midpoints("p=25");
    for (int r = 0; r < 3; r++)
        test_vanishing((attest_simulated_rounding)r);
    test_cut_products();
    test_random_exp();
    test_wider_terms("p=5", 1 + 0x1p-5, 1 + 0x1p-4);
    test_wider_terms("bfloat16", 1 + 0x1p-8, 1 + 0x1p-7);
    for (size_t k = 0; (kernel = attest_kernel_list(k)); k++) {
        if (attest_kernel_select(kernel) != ATTEST_OK)
            printf("Bail out! %s\n", kernel);
        for (size_t i = 0; i < sizeof random / sizeof random[0]; i++)
            test_combine(random[i], &state);
        for (size_t i = 0; i < sizeof near / sizeof near[0]; i++)
            test_combine(near[i], &state);
        test_combine("binary64", &state);
        test_nan("p=2:emin=-20:emax=20");
        test_nan("float8_e5m2");
        test_nan("bfloat16");
        test_nan("float4_e2m1fn");
        test_sums(&state);
        test_escape();
        test_vanishing_lanes();
    }
    return 0;
}
