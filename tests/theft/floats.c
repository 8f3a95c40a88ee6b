/* The guarantees of the float generators, with the draws of this engine and with zeros. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "theft/theft_extensions.h"

#include "tests/tap.h"
#include "tests/theft/quiet.h"

struct seen {
    size_t total, finite, subnormal, negative, tiny, huge;
    size_t near_exact, near_bad, ties, near_ties, far;
    size_t dyadic_bad, integers, rational_bad, whole;
    size_t float_bad;
    bool minimal;
};

static int64_t gcd(int64_t a, int64_t b)
{
    return b ? gcd(b, a % b) : a < 0 ? -a : a;
}

static void look(struct theft *t, struct seen *s)
{
    double x = theft_gen_double_bits(t), y[6];
    s->total++;
    s->finite += isfinite(x);
    s->negative += signbit(x) != 0;
    s->tiny += fabs(x) < 1e-200;
    s->huge += fabs(x) > 1e200;
    s->float_bad += !isfinite(theft_gen_float_bits(t));
    double z = theft_gen_double_subnormal(t);
    s->subnormal += fabs(z) < DBL_MIN;
    double near = theft_gen_double_near(t, 1.5, 3);
    s->near_exact += near == 1.5;
    s->near_bad += fabs(near - 1.5) > 3 * DBL_EPSILON;
    theft_gen_double_near_ties(t, y, 6, 2, 8, 1);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double d = fabs(y[i] - y[j]);
            s->ties += d == 0;
            s->near_ties += d > 0 && d <= 2 * DBL_EPSILON * fabs(y[i]);
        }
    double dyadic = theft_gen_double_dyadic(t, 10, -5, 3);
    double scaled = ldexp(dyadic, 5);
    s->dyadic_bad += scaled != floor(scaled) || fabs(dyadic) >= 1024 * 8;
    s->integers += dyadic == floor(dyadic);
    int64_t num, den;
    theft_gen_rational(t, &num, &den, 12);
    s->rational_bad += den < 1 || den > 12 || num < -12 || num > 12 || gcd(num, den) != 1;
    s->whole += den == 1;
    s->minimal = x == 0 && !signbit(x) && z == 0 && near == 1.5 && y[5] == 0 && dyadic == 0 &&
                 num == 0 && den == 1;
}

static enum theft_alloc_res alloc(struct theft *t, void *env, void **output)
{
    look(t, env);
    *output = env;
    return THEFT_ALLOC_OK;
}

static enum theft_trial_res fails(struct theft *t, void *arg)
{
    (void)t;
    (void)arg;
    return THEFT_TRIAL_FAIL;
}

static enum theft_trial_res passes(struct theft *t, void *arg)
{
    (void)t;
    (void)arg;
    return THEFT_TRIAL_PASS;
}

static void test_steps(void)
{
    TAP_OK(theft_double_step(0, 1) == 0x1p-1074 && theft_double_step(0, -1) == -0x1p-1074 &&
               theft_double_step(0x1p-1074, -2) == -0x1p-1074 &&
               theft_double_step(-0x1p-1074, 1) == 0,
           "steps go through zero");
    TAP_OK(theft_double_step(1, 1) == nextafter(1, 2) &&
               theft_double_step(1, -1) == nextafter(1, 0) &&
               theft_double_step(-1, 1) == nextafter(-1, 0),
           "one step is nextafter");
    TAP_OK(theft_double_step(DBL_MAX, 5) == DBL_MAX &&
               theft_double_step(-DBL_MAX, -5) == -DBL_MAX &&
               theft_double_step(DBL_MAX, INT64_MIN + 1) < 0,
           "steps stop at the largest finite doubles");
}

TEST(floats)
{
    struct seen s = {0};
    struct theft_type_info info = {.alloc = alloc, .env = &s};
    struct theft_run_config cfg = {.prop1 = passes, .type_info = {&info}, .trials = 3000};
    quieten(&cfg);
    theft_run(&cfg);
    TAP_OK(s.finite == s.total && s.negative > s.total / 3 && s.tiny > s.total / 10 &&
               s.huge > s.total / 10 && !s.float_bad,
           "bit-uniform doubles and floats");
    TAP_OK(s.subnormal == s.total, "subnormals");
    TAP_OK(s.near_bad == 0 && s.near_exact > s.total / 10, "neighbours");
    TAP_OK(s.ties > s.total && s.near_ties > s.total, "ties and near-ties");
    TAP_OK(s.dyadic_bad == 0 && s.integers > s.total / 4, "short dyadics");
    TAP_OK(s.rational_bad == 0 && s.whole > 0, "rationals in lowest terms");
    test_steps();
    s = (struct seen){0};
    info.autoshrink_config.enable = true;
    cfg.prop1 = fails;
    cfg.trials = 1;
    theft_run(&cfg);
    TAP_OK(s.minimal, "draws of zero give zeros");
    return 0;
}
