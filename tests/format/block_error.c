/* block_error.c -- the errors of quantised rows of numbers >= 0 are within the proved bounds,
 * and come near to them. */
#include <math.h>

#include "base/random.h"
#include "format/block_error.h"
#include "tests/tap.h"

enum { MOST = 40 };

static double uniform(uint64_t *state)
{
    return (double)(attest_random_next(state) >> 11) * 0x1p-53;
}

/* Numbers of a group: of all sizes, at ties, the largest one of many kinds. */
static void draw(double *x, size_t count, const attest_block_error *e, uint64_t *state)
{
    int power = (int)(uniform(state) * 60) - 45, kind = (int)(uniform(state) * 4);
    double most;

    x[0] = ldexp(1 + uniform(state), power);
    if (kind == 0)
        x[0] = ldexp(2 - 0x1p-20 * uniform(state), power);
    if (kind == 1)
        x[0] = ldexp(1 + 0x1p-20 * uniform(state), power);
    most = fmin(x[0], e->most * (1 - 0x1p-20));
    x[0] = most;
    for (size_t i = 1; i < count; i++)
        x[i] = most * (kind == 2 ? uniform(state)
                                 : fmin(ldexp(uniform(state), -(int)(uniform(state) * 20)), 1));
    for (size_t i = 0; i < count; i++)
        x[i] = fmin((double)(float)x[i], (double)(float)most);
}

/* The largest error over its bound. */
static double try_scheme(const char *name, double part[2], uint64_t *state)
{
    attest_block_format format;
    attest_block_error e;
    attest_quantised q;
    attest_error error = {0};
    double worst = 0, x[MOST];

    if (attest_block_parse(&format, name, &error) != ATTEST_OK ||
        attest_block_error_init(&e, &format, &error) != ATTEST_OK)
        return INFINITY;
    for (int t = 0; t < 3000; t++) {
        size_t count = 1 + (size_t)(uniform(state) * MOST), group = format.channels;

        group = group == 0 || group > count ? count : group;
        draw(x, count, &e, state);
        if (attest_quantised_init(&q, x, 1, 1, count, &format, &error) != ATTEST_OK)
            return INFINITY;
        for (size_t i = 0; i < count; i++) {
            double most = 0, bound, off = fabs(attest_quantised_get(&q, i) - x[i]);

            for (size_t j = i / group * group; j < count && j < (i / group + 1) * group; j++)
                most = fmax(most, x[j]);
            bound = e.relative * x[i] + e.of_largest * most + e.tiny;
            worst = fmax(worst, off == 0 ? 0 : off / bound);
            if (x[i] < 0.07 * most) /* what is small errs by the part of the largest */
                part[0] = fmax(part[0], off / (e.of_largest * most + e.tiny));
            else
                part[1] = fmax(part[1], off / bound);
        }
        attest_quantised_clear(&q);
    }
    return worst;
}

/* A weight below the least number of a scheme is none, and schemes of several rows are refused.
 */
static void check_refused(void)
{
    static const char *const name[] = {
        "float8_e4m3fn", "int8:per-head", "int8:per-tensor",          "nvfp4:te",
        "kivi4:v",       "int16:ct2",     "float8_e4m3fn:per-channel"};
    attest_block_format unknown;
    size_t refused = 0;

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        attest_block_format format;
        attest_block_error e;
        attest_error error = {0};

        refused += attest_block_parse(&format, name[i], &error) == ATTEST_OK &&
                   attest_block_error_init(&e, &format, &error) == ATTEST_USAGE;
    }
    TAP_OK(refused == sizeof name / sizeof *name, "schemes that are of more than a row");
    TAP_OK(attest_block_parse(&unknown, "bf17:per-head", NULL) == ATTEST_USAGE,
           "an unknown format, and nowhere to report it");
}

/* Nothing to quantise: one of the three sizes is 0. */
static void test_empty(void)
{
    attest_block_format format;
    attest_quantised q;
    attest_error error;
    const double x = 1;
    size_t refused = 0;

    if (attest_block_parse(&format, "int8:per-token", &error) != ATTEST_OK)
        abort();
    for (int empty = 0; empty < 3; empty++)
        refused += attest_quantised_init(&q, &x, empty != 0, empty != 1, empty != 2, &format,
                                         &error) == ATTEST_FORMAT;
    TAP_OK(refused == 3, "no head, no token or no entry: %s", error.text);
}

/* The codes of the largest element and of the least: those of its format, and none for a format
 * without bits or with more than 32. */
static void test_codes(void)
{
    static const struct {
        const char *name;
        uint32_t code[2];
    } of[] = {{"e4m3:per-token", {0x7e, 0xfe}},
              {"binary16:per-token", {0x7bff, 0xfbff}},
              {"q4_0", {0, 15}},
              {"q8_0", {127, 0x81}},
              {"int8:per-token", {127, 0x81}},
              {"binary32:scale=1", {0x3f800000, 0xbf800000}},
              {"binary64:scale=1", {0, 0}},
              {"p=5:emin=-6:emax=7:scale=1", {0, 0}}};

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        attest_block_format format;
        attest_quantised q;
        attest_error error;
        double x[32] = {1, -1};
        uint32_t code[2];

        if (attest_block_parse(&format, of[i].name, &error) != ATTEST_OK ||
            attest_quantised_init(&q, x, 1, 1, 32, &format, &error) != ATTEST_OK) {
            TAP_OK(false, "%s: %s", of[i].name, error.text);
            continue;
        }
        for (size_t e = 0; e < 2; e++)
            code[e] = attest_quantised_get_code(&q, e);
        TAP_OK(code[0] == of[i].code[0] && code[1] == of[i].code[1],
               "%s: the codes of 1 and -1 are 0x%x and 0x%x", of[i].name, code[0], code[1]);
        attest_quantised_clear(&q);
    }
}

TEST(block_error)
{
    static const char *const name[] = {"mxfp8_e4m3fn:mx",
                                       "mxfp8_e4m3fn:mx-even",
                                       "mxfp8_e4m3fn:te",
                                       "mxfp8_e5m2:mx",
                                       "mxfp8_e5m2:te",
                                       "mxfp6_e3m2fn:mx",
                                       "mxfp6_e2m3fn:mx-even",
                                       "mxfp4:mx",
                                       "mxfp4:vllm",
                                       "mxfp4:llama",
                                       "nvfp4:llama",
                                       "q8_0",
                                       "q8_0:x86",
                                       "q8_0:arm",
                                       "q4_0",
                                       "int8:per-token",
                                       "int8:ct2",
                                       "int8:ct2-trunc",
                                       "e4m3:per-token",
                                       "e4m3:per-token:range=600",
                                       "e2m1:scale=0.5"};
    uint64_t state = tap_seed(1);

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        double part[2] = {0, 0}, worst = try_scheme(name[i], part, &state);

        TAP_OK(
            worst <= 1 && part[0] > 0.4 && part[1] > 0.4,
            "%s: errors come to %.3f of their bounds, to %.3f of small numbers and to %.3f of "
            "others",
            name[i], worst, part[0], part[1]);
    }
    check_refused();
    test_empty();
    test_codes();
    return 0;
}
