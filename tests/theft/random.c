/* Draws: one stream cut in slices, ranges, evenness, independence of streams. */
#include <string.h>

#include <theft.h>

#include "tests/tap.h"
#include "tests/theft/quiet.h"

static bool tiles = true, bulk_ok = true, double_ok = true, choice_ok = true, even = true;

/* Draws 192 bits in slices whose widths the seed decides, and puts them together again. */
static void slices(struct theft *t, const uint8_t *widths, uint64_t out[3])
{
    unsigned at = 0;
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = 0; at < 192; i++) {
        unsigned n = widths[i] <= 192 - at ? widths[i] : 192 - at;
        uint64_t v = theft_random_bits(t, (uint8_t)n);
        for (unsigned bit = 0; bit < n; bit++, at++)
            out[at / 64] |= (v >> bit & 1) << at % 64;
    }
}

struct draw {
    const uint8_t *widths;
    uint64_t out[3];
};

static enum theft_alloc_res slice_alloc(struct theft *t, void *env, void **output)
{
    struct draw *d = env;
    if (d->widths) {
        slices(t, d->widths, d->out);
    } else {
        memset(d->out, 0xff, sizeof d->out);
        theft_random_bits_bulk(t, 130, d->out);
        uint64_t rest = theft_random_bits(t, 62);
        bulk_ok &= (d->out[2] & ~UINT64_C(3)) == 0;
        d->out[2] |= rest << 2;
    }
    *output = d;
    return THEFT_ALLOC_OK;
}

static void test_tiling(void)
{
    static const uint8_t whole[] = {64, 64, 64}, odd[] = {11, 13, 15, 17, 19, 64, 1, 52},
                         bytes[24] = {8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
                                      8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
    const uint8_t *widths[] = {whole, odd, bytes, NULL};
    FILE *nowhere = fopen("/dev/null", "w");
    for (theft_seed seed = 0; seed < 1000; seed++) {
        struct draw first = {whole, {0}};
        for (size_t i = 0; i < 4; i++) {
            struct draw d = {widths[i], {0}};
            struct theft_type_info info = {.alloc = slice_alloc, .env = &d};
            theft_generate(nowhere, seed, &info, NULL);
            if (i == 0)
                first = d;
            else
                tiles &= memcmp(first.out, d.out, sizeof d.out) == 0;
        }
    }
    fclose(nowhere);
    TAP_OK(tiles, "draws of any widths cut the same stream");
    TAP_OK(bulk_ok, "bulk draws set the bits that they do not fill to zero");
}

static enum theft_alloc_res statistics_alloc(struct theft *t, void *env, void **output)
{
    (void)env;
    static size_t counts[300];
    *output = counts;
    for (uint64_t ceil = 1; ceil <= 300; ceil = ceil * 3 / 2 + 1) {
        memset(counts, 0, sizeof counts);
        for (size_t i = 0; i < 1000 * ceil; i++) {
            uint64_t v = theft_random_choice(t, ceil);
            if (v >= ceil) {
                choice_ok = false;
                break;
            }
            counts[v]++;
        }
        for (size_t i = 0; i < ceil; i++) /* six standard deviations */
            even &= counts[i] > 1000 - 190 && counts[i] < 1000 + 190;
    }
    choice_ok &= theft_random_choice(t, 0) == 0 && theft_random_choice(t, 1) == 0;
    uint64_t largest = 0;
    for (int i = 0; i < 1000; i++) {
        double x = theft_random_double(t);
        double_ok &= x >= 0 && x <= 1;
        uint64_t v = theft_random_choice(t, UINT64_MAX - 5);
        choice_ok &= v < UINT64_MAX - 5;
        largest = v > largest ? v : largest;
    }
    choice_ok &= largest > UINT64_MAX / 100 * 98;
    even &= theft_random(t) != theft_random(t);
    double_ok &= theft_random_bits(t, 0) == 0;
    return THEFT_ALLOC_OK;
}

static void test_ranges(void)
{
    struct theft_type_info info = {.alloc = statistics_alloc};
    FILE *nowhere = fopen("/dev/null", "w");
    TAP_OK(theft_generate(nowhere, tap_seed(12), &info, NULL) == THEFT_GENERATE_OK, "generate");
    fclose(nowhere);
    TAP_OK(choice_ok, "choices are below their ceiling");
    TAP_OK(even, "choices are even");
    TAP_OK(double_ok, "doubles are in [0, 1]");
}

/* A property that draws sees the same draws when it is called again for its trial. */
static uint64_t seen[2];
static size_t calls;

static enum theft_trial_res drawing(struct theft *t, void *arg)
{
    (void)arg;
    if (calls < 2)
        seen[calls] = theft_random_bits(t, 64);
    calls++;
    return THEFT_TRIAL_FAIL;
}

static enum theft_hook_trial_post_res once(const struct theft_hook_trial_post_info *info,
                                           void *env)
{
    (void)env;
    (void)info;
    return THEFT_HOOK_TRIAL_POST_REPEAT_ONCE;
}

static enum theft_alloc_res nothing(struct theft *t, void *env, void **output)
{
    (void)t;
    *output = env;
    return THEFT_ALLOC_OK;
}

TEST(random)
{
    struct theft_type_info info = {.alloc = nothing};
    struct theft_run_config cfg = {
        .prop1 = drawing, .type_info = {&info}, .trials = 1, .hooks = {.trial_post = once}};
    test_tiling();
    test_ranges();
    quieten(&cfg);
    theft_run(&cfg);
    TAP_OK(calls == 2 && seen[0] == seen[1], "a property's own draws repeat");
    return 0;
}
