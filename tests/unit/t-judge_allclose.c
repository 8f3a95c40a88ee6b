/* The tolerance |y - o| <= atol + rtol |o|: decided against exact rationals, undecided only
 * where errors reach over the border. */
#include <math.h>
#include <string.h>

#include <attest/number.h>

#include "judge/allclose.h"
#include "tests/tap.h"

static void set(attest_judge_allclose *tolerance, const char *atol, const char *rtol, fmpq_t a,
                fmpq_t r)
{
    if (attest_number_parse(a, atol, strlen(atol), NULL, NULL) ||
        attest_number_parse(r, rtol, strlen(rtol), NULL, NULL))
        abort();
    attest_judge_allclose_set(tolerance, a, r);
}

/* sign of |y - o| - atol - rtol |o|, exactly. */
static int exact_sign(double y, double o, const fmpq_t atol, const fmpq_t rtol)
{
    fmpq_t left, right;
    int sign;

    fmpq_init(left);
    fmpq_init(right);
    attest_number_set_double(left, y);
    attest_number_set_double(right, o);
    fmpq_sub(left, left, right);
    fmpq_abs(left, left);
    fmpq_abs(right, right);
    fmpq_mul(right, right, rtol);
    fmpq_add(right, right, atol);
    sign = fmpq_cmp(left, right);
    fmpq_clear(left);
    fmpq_clear(right);
    return sign;
}

/* Values that are within a few units of the border: a verdict is right or not given. */
static void border(uint64_t *seed)
{
    static const char *const pair[][2] = {
        {"1e-2", "1e-2"}, {"0", "1/3"}, {"1e-5", "0"}, {"0", "0"}, {"1e-300", "1e-300"}};
    size_t wrong = 0, decided = 0, all = 0;

    for (size_t p = 0; p < sizeof pair / sizeof pair[0]; p++) {
        attest_judge_allclose tolerance;
        fmpq_t atol, rtol;

        fmpq_init(atol);
        fmpq_init(rtol);
        set(&tolerance, pair[p][0], pair[p][1], atol, rtol);
        for (int i = 0; i < 20000; i++) {
            double o =
                ldexp((double)(int64_t)tap_random(seed), -64 + (int)(tap_random(seed) % 8));
            double error = 0, y = o + tolerance.atol_low + tolerance.rtol_low * fabs(o);
            attest_judge_closeness closeness;
            size_t at;

            for (uint64_t steps = tap_random(seed) % 6; steps > 0; steps--)
                y = nextafter(y, i % 2 ? 10.0 : -10.0);
            closeness = attest_judge_allclose_check(&at, &tolerance, &y, NULL, &o, &error, 1);
            decided += closeness != ATTEST_JUDGE_OPEN;
            wrong += closeness == ATTEST_JUDGE_CLOSE && exact_sign(y, o, atol, rtol) > 0;
            wrong += closeness == ATTEST_JUDGE_FAR && exact_sign(y, o, atol, rtol) <= 0;
            all++;
        }
        fmpq_clear(atol);
        fmpq_clear(rtol);
    }
    TAP_OK(wrong == 0 && decided > 0 && decided < all,
           "%zu cases at the border, %zu decided, %zu of them wrongly", all, decided, wrong);
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
        {"beyond the border, but for an error", 1.1, 0.2, 1, 0, ATTEST_JUDGE_OPEN},
        {"but for the other", 1.1, 0, 1, 0.2, ATTEST_JUDGE_OPEN},
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
           "no bound is in no tolerance; a row of NaN is");
    error[1] = bound[1] = inf;
    TAP_OK(!attest_judge_allclose_holds(&at, &tolerance, bound + 1, o + 1, error + 1, 1),
           "nor is a value that is not known");
    fmpq_clear(atol);
    fmpq_clear(rtol);
}

int main(void)
{
    uint64_t seed = tap_seed(0xa11c);

    cases();
    border(&seed);
    flint_cleanup();
    return tap_done();
}
