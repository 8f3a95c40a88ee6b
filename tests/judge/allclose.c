/* allclose.c -- the tolerance |y - o| <= atol + rtol |o| against exact rationals: undecided
 * only where errors reach across the limit. */
#include <math.h>
#include <string.h>

#include <attest/number.h>

#include "judge/tolerance.h"
#include "tests/tap.h"

static void set(attest_judge_allclose *tolerance, const char *atol, const char *rtol, fmpq_t a,
                fmpq_t r)
{
    if (attest_number_parse(a, atol, strlen(atol), NULL, NULL) ||
        attest_number_parse(r, rtol, strlen(rtol), NULL, NULL))
        abort();
    attest_judge_allclose_set(tolerance, a, r);
}

/* Returns whether the doubles are the next ones below and above. */
static bool is_next(double low, double high, const fmpq_t value)
{
    fmpq_t x[4];
    bool is;

    for (int i = 0; i < 4; i++)
        fmpq_init(x[i]);
    attest_number_set_double(x[0], low);
    attest_number_set_double(x[1], high);
    attest_number_set_double(x[2], nextafter(low, (double)INFINITY));
    attest_number_set_double(x[3], nextafter(high, -(double)INFINITY));
    is = fmpq_cmp(x[0], value) <= 0 && fmpq_cmp(x[1], value) >= 0 &&
         fmpq_cmp(x[2], value) > 0 && fmpq_cmp(x[3], value) < 0;
    for (int i = 0; i < 4; i++)
        fmpq_clear(x[i]);
    return is;
}

static void numbers(uint64_t *seed)
{
    size_t wrong = 0;
    attest_judge_allclose tolerance;
    fmpq_t atol, rtol;

    fmpq_init(atol);
    fmpq_init(rtol);
    for (int i = 0; i < 2000; i++) {
        fmpz_set_ui(fmpq_numref(atol), tap_random(seed) >> tap_random(seed) % 64);
        fmpz_set_ui(fmpq_denref(atol), 1 + (tap_random(seed) >> 1));
        fmpz_one_2exp(fmpq_numref(rtol), tap_random(seed) % 70); /* doubles, and one beside */
        fmpz_add_ui(fmpq_numref(rtol), fmpq_numref(rtol), tap_random(seed) % 3);
        fmpz_one_2exp(fmpq_denref(rtol), tap_random(seed) % 1100);
        fmpq_canonicalise(atol);
        fmpq_canonicalise(rtol);
        attest_judge_allclose_set(&tolerance, atol, rtol);
        wrong += !is_next(tolerance.atol_low, tolerance.atol_high, atol);
        wrong += !is_next(tolerance.rtol_low, tolerance.rtol_high, rtol);
    }
    fmpq_clear(atol);
    fmpq_clear(rtol);
    TAP_OK(wrong == 0, "tolerances lie between neighbouring doubles: %zu do not", wrong);
}

/* How far the distance is over what is allowed, exactly: every error for it if sign is 1,
 * against it if sign is -1. */
static void set_excess(fmpq_t excess, const double y[2], const double o[2], int sign,
                       const fmpq_t atol, const fmpq_t rtol)
{
    fmpq_t x, error;

    fmpq_init(x);
    fmpq_init(error);
    attest_number_set_double(excess, y[0]);
    attest_number_set_double(x, o[0]);
    fmpq_sub(excess, excess, x);
    fmpq_abs(excess, excess);
    fmpq_abs(x, x);
    attest_number_set_double(error, sign * o[1]);
    fmpq_sub(x, x, error);
    if (fmpq_sgn(x) < 0)
        fmpq_zero(x);
    fmpq_add(excess, excess, error);
    attest_number_set_double(error, sign * y[1]);
    fmpq_add(excess, excess, error);
    fmpq_mul(x, x, rtol);
    fmpq_add(x, x, atol);
    fmpq_sub(excess, excess, x);
    fmpq_clear(x);
    fmpq_clear(error);
}

typedef struct counts {
    size_t all, decided, wrong, needless;
} counts;

/* One element: a verdict is right, and only a few roundings at the border leave it open. */
static void look(counts *n, const attest_judge_allclose *tolerance, const double y[2],
                 const double o[2], const fmpq_t atol, const fmpq_t rtol)
{
    double room = 32 * 0x1p-53 * (fabs(y[0]) + fabs(o[0]) + y[1] + o[1]) + 0x1p-1060;
    fmpq_t near, far;
    attest_judge_closeness closeness;
    size_t at;

    fmpq_init(near);
    fmpq_init(far);
    set_excess(near, y, o, 1, atol, rtol);
    set_excess(far, y, o, -1, atol, rtol);
    closeness = attest_judge_allclose_check(&at, tolerance, &y[0], y[1] > 0 ? &y[1] : NULL,
                                            &o[0], &o[1], 1);
    n->all++;
    n->decided += closeness != ATTEST_JUDGE_OPEN;
    n->wrong += closeness == ATTEST_JUDGE_CLOSE && fmpq_sgn(near) > 0;
    n->wrong += closeness == ATTEST_JUDGE_FAR && fmpq_sgn(far) <= 0;
    n->needless +=
        closeness == ATTEST_JUDGE_OPEN && (fmpq_get_d(near) < -room || fmpq_get_d(far) > room);
    fmpq_clear(near);
    fmpq_clear(far);
}

/* Values that are within a few units of the border, without errors and with them. */
static void border(uint64_t *seed)
{
    static const char *const pair[][2] = {
        {"1e-2", "1e-2"}, {"0", "1/3"}, {"1e-5", "0"}, {"0", "0"}, {"1e-300", "1e-300"}};
    counts n = {0};

    for (size_t p = 0; p < sizeof pair / sizeof pair[0]; p++) {
        attest_judge_allclose tolerance;
        fmpq_t atol, rtol;

        fmpq_init(atol);
        fmpq_init(rtol);
        set(&tolerance, pair[p][0], pair[p][1], atol, rtol);
        for (int i = 0; i < 20000; i++) {
            bool vague = i / 2 % 2, beyond = i / 4 % 2;
            double o[2] = {
                ldexp((double)(int64_t)tap_random(seed), -64 + (int)(tap_random(seed) % 8)),
                vague ? ldexp((double)(tap_random(seed) >> 1), -70) : 0};
            double y[2] = {0, vague ? ldexp((double)(tap_random(seed) >> 1), -71) : 0};
            double errors = beyond ? -(y[1] + o[1]) : y[1] + o[1];
            double size = fmax(fabs(o[0]) - (beyond ? -o[1] : o[1]), 0);

            y[0] = o[0] + tolerance.atol_low + tolerance.rtol_low * size - errors;
            for (uint64_t steps = tap_random(seed) % (i % 3 ? 6 : 40); steps > 0; steps--)
                y[0] = nextafter(y[0], i % 2 ? 10.0 : -10.0);
            look(&n, &tolerance, y, o, atol, rtol);
        }
        fmpq_clear(atol);
        fmpq_clear(rtol);
    }
    TAP_OK(
        n.wrong == 0 && n.needless == 0 && n.decided > 0 && n.decided < n.all,
        "%zu cases at the border, %zu decided, %zu of them wrongly, %zu left open needlessly",
        n.all, n.decided, n.wrong, n.needless);
}

/* Of several elements, the one that is farthest over what is allowed for it; the first of
 * equals. */
static void farthest(void)
{
    const double o[4] = {1000, 1, 1, 1}, zero[4] = {0};
    const double y[4] = {1011, 1.5, 3, -1}, bound[4] = {11, 0.5, 2, 2};
    const double vague[3] = {20, 0, 20};
    attest_judge_allclose tolerance;
    fmpq_t atol, rtol;
    size_t at = 7;

    fmpq_init(atol);
    fmpq_init(rtol);
    set(&tolerance, "1e-2", "1e-2", atol, rtol);
    TAP_OK(attest_judge_allclose_check(&at, &tolerance, y, NULL, o, zero, 4) ==
                   ATTEST_JUDGE_FAR &&
               at == 2,
           "the farthest, not the largest distance");
    TAP_OK(attest_judge_allclose_check(&at, &tolerance, o, NULL, o, zero, 4) ==
                   ATTEST_JUDGE_CLOSE &&
               at == 1,
           "all are close: the first with the least room");
    TAP_OK(attest_judge_allclose_check(&at, &tolerance, y, vague, o, zero, 3) ==
                   ATTEST_JUDGE_FAR &&
               at == 1,
           "one that is far counts more than open ones before and after");
    TAP_OK(!attest_judge_allclose_holds(&at, &tolerance, bound, o, zero, 4) && at == 2,
           "the largest excess of a bound");
    fmpq_clear(atol);
    fmpq_clear(rtol);
}

/* How many steps beside 1/4, in a direction. */
static double beside(double towards, int steps)
{
    double x = 0.25;

    while (steps-- > 0)
        x = nextafter(x, towards);
    return x;
}

/* No rounding is charged twice: a distance of 1/4 and what is allowed take two steps and one.
 */
static void steps(void)
{
    static const struct {
        double towards;
        int steps;
        attest_judge_closeness wanted;
    } c[] = {{0, 3, ATTEST_JUDGE_CLOSE},
             {0, 2, ATTEST_JUDGE_OPEN},
             {0, 0, ATTEST_JUDGE_OPEN},
             {1, 3, ATTEST_JUDGE_OPEN},
             {1, 4, ATTEST_JUDGE_FAR}};
    const double o = 0, exact = 0;
    attest_judge_allclose tolerance;
    fmpq_t atol, rtol;
    size_t wrong = 0, at;

    fmpq_init(atol);
    fmpq_init(rtol);
    set(&tolerance, "1/4", "0", atol, rtol);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        double y = beside(c[i].towards, c[i].steps);

        wrong += attest_judge_allclose_check(&at, &tolerance, &y, NULL, &o, &exact, 1) !=
                 c[i].wanted;
    }
    for (int i = 0; i < 2; i++) {
        double bound = beside(0, i);

        wrong += attest_judge_allclose_holds(&at, &tolerance, &bound, &o, &exact, 1) != (i > 0);
    }
    TAP_OK(wrong == 0, "steps beside a tolerance: %zu wrong", wrong);
    fmpq_clear(atol);
    fmpq_clear(rtol);
}

/* Where nothing is allowed, what is known to be the same is close, and nothing else. */
static void no_tolerance(void)
{
    static const struct {
        double y, y_error, o, o_error;
        attest_judge_closeness wanted;
    } c[] = {{3, 0, 3, 0, ATTEST_JUDGE_CLOSE}, {3, 1, 3, 0, ATTEST_JUDGE_OPEN},
             {3, 0, 3, 1, ATTEST_JUDGE_OPEN},  {3, 0x1p-60, 3, 0, ATTEST_JUDGE_OPEN},
             {4, 0, 3, 0, ATTEST_JUDGE_FAR},   {0, 0, 0, 0, ATTEST_JUDGE_CLOSE}};
    const double bound[] = {0, 1, 0x1p-60};
    attest_judge_allclose tolerance;
    fmpq_t atol, rtol;
    size_t wrong = 0, at;

    fmpq_init(atol);
    fmpq_init(rtol);
    set(&tolerance, "0", "0", atol, rtol);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        wrong += attest_judge_allclose_check(&at, &tolerance, &c[i].y, &c[i].y_error, &c[i].o,
                                             &c[i].o_error, 1) != c[i].wanted;
    for (size_t i = 0; i < 3; i++)
        wrong += attest_judge_allclose_holds(&at, &tolerance, &bound[i], &c[0].o, &c[0].o_error,
                                             1) != (i == 0);
    TAP_OK(wrong == 0, "without a tolerance: %zu wrong", wrong);
    fmpq_clear(atol);
    fmpq_clear(rtol);
}

static void cases(void)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    static const struct {
        const char *what;
        double y, y_error, o, o_error;
        attest_judge_closeness wanted;
    } c[] = {
        {"the same", 1, 0, 1, 0, ATTEST_JUDGE_CLOSE},
        {"far", 2, 0, 1, 0, ATTEST_JUDGE_FAR},
        {"near", 1.01, 0, 1, 1e-9, ATTEST_JUDGE_CLOSE},
        {"an error reaches over the border", 1.01, 0.1, 1, 0, ATTEST_JUDGE_OPEN},
        {"the other error does", 1.01, 0, 1, 0.1, ATTEST_JUDGE_OPEN},
        {"beyond the border by less than the error of the output", 1.1, 0.2, 1, 0,
         ATTEST_JUDGE_OPEN},
        {"beyond the border by less than the error of the exact value", 1.1, 0, 1, 0.2,
         ATTEST_JUDGE_OPEN},
        {"beyond both errors", 3, 0.1, 1, 0.1, ATTEST_JUDGE_FAR},
        {"nothing is known of it", 3, 0, 1, (double)INFINITY, ATTEST_JUDGE_OPEN},
        {"infinite", (double)INFINITY, 0, 1, 0, ATTEST_JUDGE_FAR},
        {"NaN", (double)NAN, 0, 1, 0, ATTEST_JUDGE_FAR},
        {"NaN for NaN", (double)NAN, (double)NAN, (double)NAN, (double)NAN, ATTEST_JUDGE_CLOSE},
        {"a value that is not known", 0, 0, (double)NAN, (double)INFINITY, ATTEST_JUDGE_OPEN},
        {"two of them", (double)NAN, (double)INFINITY, (double)NAN, (double)INFINITY,
         ATTEST_JUDGE_OPEN},
        {"one of a fault", (double)NAN, (double)INFINITY, 1, 0, ATTEST_JUDGE_OPEN},
        {"a number for NaN", 0, 0, (double)NAN, (double)NAN, ATTEST_JUDGE_FAR},
    };
    attest_judge_allclose tolerance;
    fmpq_t atol, rtol;
    double y[3] = {1, 5, 9}, o[3] = {1, 1, 1}, error[3] = {0, 0, 0}, bound[3] = {0, 0.01, 0.3};
    size_t at = 7;

    fmpq_init(atol);
    fmpq_init(rtol);
    set(&tolerance, "1e-2", "1e-2", atol, rtol);
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        TAP_OK(attest_judge_allclose_check(&at, &tolerance, &c[i].y, &c[i].y_error, &c[i].o,
                                           &c[i].o_error, 1) == c[i].wanted,
               "%s", c[i].what);
    TAP_OK(attest_judge_allclose_check(&at, &tolerance, y, NULL, o, error, 3) ==
                   ATTEST_JUDGE_FAR &&
               at == 2,
           "the farthest of three");
    TAP_OK(!attest_judge_allclose_holds(&at, &tolerance, bound, o, error, 3) && at == 2 &&
               attest_judge_allclose_holds(&at, &tolerance, bound, o, error, 2),
           "bounds within a tolerance");
    bound[0] = inf;
    o[1] = nan;
    bound[1] = nan;
    TAP_OK(!attest_judge_allclose_holds(&at, &tolerance, bound, o, error, 2) && at == 0 &&
               attest_judge_allclose_holds(&at, &tolerance, bound + 1, o + 1, error, 1),
           "an infinite bound is outside every tolerance, a row of NaN inside");
    error[1] = bound[1] = inf;
    TAP_OK(!attest_judge_allclose_holds(&at, &tolerance, bound + 1, o + 1, error + 1, 1),
           "a value that is not known is outside every tolerance");
    fmpq_clear(atol);
    fmpq_clear(rtol);
}

TEST(allclose)
{
    uint64_t seed = tap_seed(0xa11c);

    cases();
    farthest();
    steps();
    no_tolerance();
    numbers(&seed);
    border(&seed);
    flint_cleanup();
    return 0;
}
