/* The built-in types: ranges, limits, special values, shrinking, printing. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include <theft.h>

#include "tests/tap.h"
#include "tests/theft/quiet.h"

/* The values of a run over a type as doubles, exact except for the largest integers. */
struct seen {
    double low, high, final;
    size_t fractions, subnormals, nans, infinities, negatives;
    size_t longest, empties, embedded;
    size_t zeros;
    double fail_from; /* fail when |x| >= this; 0: never */
    enum theft_builtin_type_info type;
};

static double value_of(enum theft_builtin_type_info type, const void *p)
{
    switch (type) {
    case THEFT_BUILTIN_bool:
        return *(const bool *)p;
    case THEFT_BUILTIN_uint:
        return *(const unsigned *)p;
    case THEFT_BUILTIN_uint8_t:
        return *(const uint8_t *)p;
    case THEFT_BUILTIN_uint16_t:
        return *(const uint16_t *)p;
    case THEFT_BUILTIN_uint32_t:
        return *(const uint32_t *)p;
    case THEFT_BUILTIN_uint64_t:
        return *(const uint64_t *)p;
    case THEFT_BUILTIN_size_t:
        return *(const size_t *)p;
    case THEFT_BUILTIN_int:
        return *(const int *)p;
    case THEFT_BUILTIN_int8_t:
        return *(const int8_t *)p;
    case THEFT_BUILTIN_int16_t:
        return *(const int16_t *)p;
    case THEFT_BUILTIN_int32_t:
        return *(const int32_t *)p;
    case THEFT_BUILTIN_int64_t:
        return *(const int64_t *)p;
    case THEFT_BUILTIN_float:
        return *(const float *)p;
    case THEFT_BUILTIN_double:
        return *(const double *)p;
    default:
        return strlen(p);
    }
}

static enum theft_trial_res count_value(struct theft *t, void *arg)
{
    struct seen *s = theft_hook_get_env(t);
    double v = value_of(s->type, arg);
    double m = fabs(v);
    if (isnan(v)) {
        s->nans++;
    } else if (isinf(v)) {
        s->infinities++;
    } else {
        s->low = v < s->low ? v : s->low;
        s->high = v > s->high ? v : s->high;
        s->fractions += v != floor(v);
        s->negatives += v < 0;
        s->zeros += v == 0;
        s->subnormals += m > 0 && m < (s->type == THEFT_BUILTIN_float ? FLT_MIN : DBL_MIN);
    }
    return s->fail_from > 0 && m >= s->fail_from ? THEFT_TRIAL_FAIL : THEFT_TRIAL_PASS;
}

static enum theft_hook_trial_post_res keep(const struct theft_hook_trial_post_info *info,
                                           void *env)
{
    struct seen *s = env;
    if (info->result == THEFT_TRIAL_FAIL)
        s->final = value_of(s->type, info->args[0]);
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

static struct seen run(enum theft_builtin_type_info type, void *limit, double fail_from)
{
    struct theft_type_info info;
    struct seen s = {.type = type, .fail_from = fail_from, .final = -1};
    theft_copy_builtin_type_info(type, &info);
    if (limit)
        info.env = limit;
    struct theft_run_config cfg = {.prop1 = count_value,
                                   .type_info = {&info},
                                   .trials = 4000,
                                   .hooks = {.trial_post = keep, .env = &s}};
    if (fail_from > 0)
        cfg.hooks.trial_pre = theft_hook_first_fail_halt;
    quieten(&cfg);
    theft_run(&cfg);
    return s;
}

#define TEST_UNSIGNED(NAME, TYPE, MAX, LIMIT)                                                  \
    do {                                                                                       \
        TYPE limit = LIMIT;                                                                    \
        struct seen all = run(THEFT_BUILTIN_##NAME, NULL, 0);                                  \
        struct seen some = run(THEFT_BUILTIN_##NAME, &limit, 0);                               \
        TAP_OK(all.low == 0 && all.high == (double)(MAX), #NAME " covers its range");          \
        TAP_OK(some.low == 0 && some.high == (LIMIT)-1, #NAME " keeps below its limit");       \
        TAP_OK(run(THEFT_BUILTIN_##NAME, NULL, 100).final == 100, #NAME " shrinks");           \
    } while (0)

#define TEST_SIGNED(NAME, TYPE, MIN, MAX, LIMIT)                                               \
    do {                                                                                       \
        TYPE limit = LIMIT;                                                                    \
        struct seen all = run(THEFT_BUILTIN_##NAME, NULL, 0);                                  \
        struct seen some = run(THEFT_BUILTIN_##NAME, &limit, 0);                               \
        TAP_OK(all.low == (MIN) && all.high >= (double)(MAX)-1 && all.negatives > 50,          \
               #NAME " covers its range");                                                     \
        TAP_OK(some.low == -(LIMIT) && some.high == (LIMIT)-1, #NAME " keeps its limit");      \
        TAP_OK(run(THEFT_BUILTIN_##NAME, NULL, 100).final == 100, #NAME " shrinks");           \
    } while (0)

static void test_floating(void)
{
    double limit = 1;
    float single_limit = 4;
    struct seen s = run(THEFT_BUILTIN_double, NULL, 0);
    TAP_OK(s.nans && s.infinities && s.subnormals && s.fractions > 500 && s.negatives > 500 &&
               s.high == DBL_MAX,
           "double: fractions, subnormals, infinities, NaN");
    s = run(THEFT_BUILTIN_double, &limit, 0);
    TAP_OK(s.low >= -1 && s.high <= 1 && s.fractions > 1000 && !s.nans && !s.infinities,
           "double keeps its limit, with fractions");
    s = run(THEFT_BUILTIN_float, NULL, 0);
    TAP_OK(s.nans && s.infinities && s.fractions > 500 && s.high == FLT_MAX, "float");
    s = run(THEFT_BUILTIN_float, &single_limit, 0);
    TAP_OK(s.low >= -4 && s.high <= 4 && s.fractions > 500 && !s.nans, "float keeps its limit");
    TAP_OK(run(THEFT_BUILTIN_double, NULL, 1).final == 1, "|x| >= 1 shrinks to 1");
    TAP_OK(run(THEFT_BUILTIN_double, NULL, 1e300).final >= 1e300, "a large double shrinks");
    TAP_OK(run(THEFT_BUILTIN_float, NULL, 100.5).final == 101, "|x| >= 100.5 shrinks to 101");
    s = run(THEFT_BUILTIN_double, &limit, 0.3);
    TAP_OK(fabs(s.final) == 1 || s.final == 0.5, "|x| >= 0.3 below 1 shrinks to 1 or 1/2");
}

static void test_arrays(void)
{
    static const enum theft_builtin_type_info types[] = {THEFT_BUILTIN_char_ARRAY,
                                                         THEFT_BUILTIN_uint8_t_ARRAY};
    for (int i = 0; i < 2; i++) {
        size_t limit = 5, one = 1;
        struct seen all = run(types[i], NULL, 0), some = run(types[i], &limit, 0);
        TAP_OK(all.high > 100 && all.low == 0, "arrays of many lengths");
        TAP_OK(some.high == 4 && some.low == 0,
               "arrays of at most `limit` bytes, including the terminating zero");
        TAP_OK(run(types[i], &one, 0).high == 0, "a limit that leaves room for the zero only");
        TAP_OK(run(types[i], NULL, 3).final == 3, "arrays shrink");
    }
}

/* The text that a type prints for some instance is not empty, and strings are escaped. */
static void test_printing(void)
{
    for (int type = THEFT_BUILTIN_bool; type <= THEFT_BUILTIN_uint8_t_ARRAY; type++) {
        char *text = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&text, &size);
        const struct theft_type_info *info =
            theft_get_builtin_type_info((enum theft_builtin_type_info)type);
        theft_generate(f, 5, info, NULL);
        fclose(f);
        TAP_OK(info && info->autoshrink_config.enable && strstr(text, "0x0000000000000005") &&
                   strchr(text, '\n')[1] != '\0',
               "type %d prints", type);
        free(text);
    }
    struct theft_type_info none = {.alloc = NULL};
    TAP_OK(theft_generate(stdout, 1, &none, NULL) == THEFT_GENERATE_ERROR_BAD_ARGS, "no alloc");
    TAP_OK(theft_get_builtin_type_info((enum theft_builtin_type_info)99) == NULL,
           "no such type");
}

TEST(builtin)
{
    struct seen s = run(THEFT_BUILTIN_bool, NULL, 0);
    TAP_OK(s.low == 0 && s.high == 1, "bool");
    TEST_UNSIGNED(uint, unsigned, UINT_MAX, 1000);
    TEST_UNSIGNED(uint8_t, uint8_t, UINT8_MAX, 64);
    TEST_UNSIGNED(uint16_t, uint16_t, UINT16_MAX, 1000);
    TEST_UNSIGNED(uint32_t, uint32_t, UINT32_MAX, 1000);
    TEST_UNSIGNED(uint64_t, uint64_t, UINT64_MAX, 1000);
    TEST_UNSIGNED(size_t, size_t, SIZE_MAX, 1000);
    TEST_SIGNED(int, int, INT_MIN, INT_MAX, 100);
    TEST_SIGNED(int8_t, int8_t, INT8_MIN, INT8_MAX, 100);
    TEST_SIGNED(int16_t, int16_t, INT16_MIN, INT16_MAX, 1000);
    TEST_SIGNED(int32_t, int32_t, INT32_MIN, INT32_MAX, 100);
    TEST_SIGNED(int64_t, int64_t, INT64_MIN, INT64_MAX, 100);
    test_floating();
    test_arrays();
    test_printing();
    return 0;
}
