/* Simplified data: the fixed points that single steps lead to, worked out by hand. */
#include "campaign/simplify.h"

#include <attest/dataset.h>
#include "tests/tap.h"

/* One sequence per row of tokens, each of one entry n/d; rows end with d = 0. */
typedef struct number {
    long n;
    unsigned long d;
} number;

static void set(attest_instance *instance, const number *entry, size_t rows)
{
    attest_dataset_builder builder;
    bool ok = true;
    fmpq_t x;

    attest_instance_init(instance);
    fmpq_init(x);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t row = 0; row < rows; row++, entry++) {
        for (; entry->d != 0; entry++) {
            fmpq_set_si(x, entry->n, entry->d);
            ok = attest_dataset_builder_add_token(&builder, x, NULL) == ATTEST_OK && ok;
        }
        ok = attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK && ok;
    }
    ok = attest_dataset_builder_finish(&instance->dataset, &builder, NULL) == ATTEST_OK && ok;
    attest_dataset_builder_clear(&builder);
    fmpq_clear(x);
    if (!ok)
        abort();
}

static void get(fmpq_t x, const attest_instance *instance, size_t i, size_t k)
{
    const attest_dataset *dataset = &instance->dataset;

    attest_tokens_get_entry(x, &dataset->tokens, attest_dataset_token(dataset, i, k), 0);
}

static bool is(const attest_instance *instance, size_t i, size_t k, long n)
{
    bool equal;
    fmpq_t x;

    fmpq_init(x);
    get(x, instance, i, k);
    equal = fmpq_cmp_si(x, n) == 0;
    fmpq_clear(x);
    return equal;
}

/* The condition that candidates must meet, and the number of candidates before the test stops.
 */
typedef struct wish {
    bool (*holds)(const attest_instance *instance);
    size_t left;
} wish;

static attest_simplify_answer keep(void *env, const attest_instance *candidate)
{
    wish *w = env;

    if (w->left-- == 0)
        return ATTEST_SIMPLIFY_STOP;
    return w->holds(candidate) ? ATTEST_SIMPLIFY_KEEP : ATTEST_SIMPLIFY_REJECT;
}

static bool always(const attest_instance *instance)
{
    return instance->dataset.count > 0;
}

/* Some token is at least 5. */
static bool large(const attest_instance *instance)
{
    bool found = false;
    fmpq_t x;

    fmpq_init(x);
    for (size_t i = 0; i < instance->dataset.count; i++)
        for (size_t k = 0; k < attest_dataset_length(&instance->dataset, i); k++) {
            get(x, instance, i, k);
            found = found || fmpq_cmp_si(x, 5) >= 0;
        }
    fmpq_clear(x);
    return found;
}

/* The first two tokens have the ratio 2 : 3, and are not 0. */
static bool two_to_three(const attest_instance *instance)
{
    bool holds = attest_dataset_length(&instance->dataset, 0) == 2;
    fmpq_t x, y;

    fmpq_init(x);
    fmpq_init(y);
    if (holds) {
        get(x, instance, 0, 0);
        get(y, instance, 0, 1);
        fmpq_mul_si(x, x, 3);
        fmpq_mul_si(y, y, 2);
        holds = !fmpq_is_zero(x) && fmpq_equal(x, y);
    }
    fmpq_clear(x);
    fmpq_clear(y);
    return holds;
}

/* All numbers are odd integers, and there are two sequences. */
static bool odd(const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;
    bool holds = dataset->count == 2;
    fmpq_t x;

    fmpq_init(x);
    for (size_t i = 0; i < dataset->count; i++)
        for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
            get(x, instance, i, k);
            holds = holds && fmpz_is_one(fmpq_denref(x)) && fmpz_is_odd(fmpq_numref(x));
        }
    fmpq_clear(x);
    return holds;
}

/* The first token is one of two numbers, and the second is 7: no common factor helps. */
static number allowed[2];

static bool is_allowed(const attest_instance *instance)
{
    bool holds = attest_dataset_length(&instance->dataset, 0) == 2 && is(instance, 0, 1, 7);
    fmpq_t x, y;

    fmpq_init(x);
    fmpq_init(y);
    if (holds)
        get(x, instance, 0, 0);
    for (size_t i = 0, found = 0; i < 2 && holds; i++) {
        fmpq_set_si(y, allowed[i].n, allowed[i].d);
        found += fmpq_equal(x, y) != 0;
        holds = i == 0 || found > 0;
    }
    fmpq_clear(x);
    fmpq_clear(y);
    return holds;
}

static const number mixed[] = {{7, 3}, {100, 1}, {-4, 1}, {0, 0}, {100, 1}, {9, 2}, {0, 0}};
static const number ratio[] = {{2, 7}, {3, 7}, {0, 0}};
static const number even[] = {{20, 1}, {30, 1}, {0, 0}};
static const number hundred[] = {{100, 1}, {0, 0}};
static const number odds[] = {{-77, 1}, {5, 1}, {0, 0}, {9, 1}, {0, 0}};

static void simplify(attest_instance *simple, const number *entry, size_t rows,
                     bool holds(const attest_instance *), size_t most)
{
    attest_instance instance;
    wish w = {holds, most};

    set(&instance, entry, rows);
    attest_instance_init(simple);
    if (attest_simplify(simple, &instance, keep, &w) != ATTEST_OK)
        abort();
    attest_instance_clear(&instance);
}

static bool shape_is(const attest_instance *instance, size_t count, size_t length)
{
    return instance->dataset.count == count &&
           attest_dataset_length(&instance->dataset, 0) == length;
}

/* Each number from which one step leads to a simpler one: the step is taken. */
static void test_steps(void)
{
    static const struct {
        number from, to;
        bool taken;
    } row[] = {
        {{-9, 1}, {0, 1}, true},     {{-9, 1}, {1, 1}, true},      {{-9, 1}, {-1, 1}, true},
        {{-9, 1}, {-4, 1}, true},    {{-9, 1}, {-8, 1}, true},     {{-9, 1}, {-7, 1}, false},
        {{-9, 1}, {9, 1}, false},    {{9, 1}, {4, 1}, true},       {{9, 1}, {8, 1}, true},
        {{9, 1}, {-1, 1}, false},    {{-29, 3}, {-9, 1}, true},    {{-29, 3}, {-4, 1}, true},
        {{-29, 3}, {-26, 3}, true},  {{29, 3}, {9, 1}, true},      {{29, 3}, {26, 3}, true},
        {{29, 3}, {10, 1}, false},   {{1, 3}, {0, 1}, true},       {{1, 3}, {1, 1}, true},
        {{-1, 3}, {-1, 1}, true},    {{1, 3}, {-2, 3}, false},     {{-1, 1}, {1, 1}, true},
        {{1, 1}, {-1, 1}, false},    {{63, 1}, {62, 1}, true},     {{64, 1}, {63, 1}, true},
        {{1000, 1}, {500, 1}, true}, {{1000, 1}, {999, 1}, false}, {{1024, 1}, {1023, 1}, true},
        {{1001, 2}, {500, 1}, true},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const number data[] = {row[i].from, {7, 1}, {0, 0}};
        const number *end;
        attest_instance x;
        fmpq_t value, expected;

        allowed[0] = row[i].from;
        allowed[1] = row[i].to;
        end = &allowed[row[i].taken];
        fmpq_init(value);
        fmpq_init(expected);
        simplify(&x, data, 1, is_allowed, SIZE_MAX);
        get(value, &x, 0, 0);
        fmpq_set_si(expected, end->n, end->d);
        TAP_OK(fmpq_equal(value, expected), "%ld/%lu to %ld/%lu: %staken", row[i].from.n,
               row[i].from.d, row[i].to.n, row[i].to.d, row[i].taken ? "" : "not ");
        fmpq_clear(value);
        fmpq_clear(expected);
        attest_instance_clear(&x);
    }
}

TEST(simplify)
{
    attest_instance x;

    test_steps();

    simplify(&x, mixed, 2, always, SIZE_MAX);
    TAP_OK(shape_is(&x, 1, 1) && is(&x, 0, 0, 0), "anything: one token, 0");
    attest_instance_clear(&x);
    simplify(&x, hundred, 1, large, SIZE_MAX);
    TAP_OK(shape_is(&x, 1, 1) && is(&x, 0, 0, 5),
           "100, 50, 25, 12, 6, 5: a pass after another");
    attest_instance_clear(&x);
    simplify(&x, mixed, 2, large, SIZE_MAX);
    TAP_OK(shape_is(&x, 1, 1) && is(&x, 0, 0, 5), "fewer tokens, then smaller ones");
    attest_instance_clear(&x);
    simplify(&x, ratio, 1, two_to_three, SIZE_MAX);
    TAP_OK(shape_is(&x, 1, 2) && is(&x, 0, 0, 2) && is(&x, 0, 1, 3), "times the denominator");
    attest_instance_clear(&x);
    simplify(&x, even, 1, two_to_three, SIZE_MAX);
    TAP_OK(is(&x, 0, 0, 2) && is(&x, 0, 1, 3), "over the common divisor");
    attest_instance_clear(&x);
    simplify(&x, odds, 2, odd, SIZE_MAX);
    TAP_OK(shape_is(&x, 2, 1) && is(&x, 0, 0, 1) && is(&x, 1, 0, 1),
           "1 is the least odd number");
    attest_instance_clear(&x);
    simplify(&x, hundred, 1, large, 0);
    TAP_OK(is(&x, 0, 0, 100), "stopped at once: unchanged");
    attest_instance_clear(&x);
    simplify(&x, hundred, 1, large, 8);
    TAP_OK(large(&x) && !is(&x, 0, 0, 5), "stopped later: the last value that was kept");
    attest_instance_clear(&x);
    return 0;
}
