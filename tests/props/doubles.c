/* Instances as doubles: which numbers are doubles, matrices in every form, verdicts of many
 * shapes at once. */
#include <float.h>
#include <math.h>

#include <attest/number.h>

#include "props/doubles.h"
#include "props/registry.h"
#include "tests/props/quiet.h"
#include "tests/tap.h"

/* Returns whether text is a double, and which. */
static bool get(double *x, const char *text)
{
    fmpq_t value;
    bool is;

    fmpq_init(value);
    is = attest_number_parse(value, text, strlen(text), NULL, NULL) == ATTEST_OK &&
         attest_doubles_get(x, fmpq_numref(value), fmpq_denref(value));
    fmpq_clear(value);
    return is;
}

static void test_numbers(void)
{
    static const char *const yes[] = {
        "0",        "-3/4",         "9007199254740992",      "0x1p-1074",
        "0x1p1023", "-0x1.8p-1060", "0x1.fffffffffffffp1023"};
    static const double value[] = {0,        -0.75,        0x1p53, 0x1p-1074,
                                   0x1p1023, -0x1.8p-1060, DBL_MAX};
    static const char *const no[] = {"1/3",      "0.1",        "9007199254740993",
                                     "0x1p1024", "0x1p-1075",  "0x3p-1075",
                                     "1e400",    "0x1.8p-1074"};
    bool right = true;
    double x;

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        right = right && get(&x, yes[i]) && x == value[i];
    TAP_OK(right, "numbers that are doubles, also subnormal");
    right = true;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        right = right && !get(&x, no[i]);
    TAP_OK(right, "numbers that are not doubles");
}

/* Every weight and every token, one by one. */
typedef struct tally {
    size_t fitting, others, wrong, factored, padded;
} tally;

static bool is_value(double x, const fmpq_t value)
{
    fmpq_t y;
    bool same;

    fmpq_init(y);
    attest_number_set_double(y, x);
    same = fmpq_equal(y, value);
    fmpq_clear(y);
    return same;
}

static bool same_matrix(const double *x, const attest_matrix *m, size_t rows, size_t cols)
{
    bool same = true;
    fmpq_t value;

    fmpq_init(value);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) {
            fmpq_zero(value);
            if (r < m->rows && c < m->cols)
                attest_matrix_get_entry(value, m, r, c);
            same = same && is_value(x[r * cols + c], value);
        }
    fmpq_clear(value);
    return same;
}

static bool same_instance(const attest_doubles *d, const attest_instance *instance)
{
    const attest_dataset *data = &instance->dataset;
    const attest_weights *w = &instance->weights;
    size_t size = d->shape->size, dim = w->dim;
    const double *x = d->instance->weight;
    bool same = d->instance->sequences == data->count;
    fmpq_t value;

    for (size_t h = 0; h < w->heads; h++, x += 4 * size * dim)
        same = same && same_matrix(x, &w->head[h].wq, size, dim) &&
               same_matrix(x + size * dim, &w->head[h].wk, size, dim) &&
               same_matrix(x + 2 * size * dim, &w->head[h].wv, size, dim) &&
               same_matrix(x + 3 * size * dim, &w->head[h].wo, dim, size);
    fmpq_init(value);
    for (size_t i = 0; same && i < data->count; i++)
        same = d->instance->length[i] == attest_dataset_length(data, i);
    for (size_t e = 0; same && e < data->total * dim; e++) {
        attest_tokens_get_entry(value, &data->tokens, data->token[e / dim], e % dim);
        same = is_value(d->instance->token[e], value);
    }
    fmpq_clear(value);
    return same;
}

static void check_instance(const attest_instance *instance, void *env)
{
    const attest_weights *w = &instance->weights;
    tally *t = env;
    attest_doubles d;

    attest_doubles_init(&d);
    if (attest_doubles_set(&d, instance, 1) != ATTEST_OK || d.count != 1)
        t->wrong++;
    else if (!*d.fits)
        t->others++;
    else {
        t->fitting++;
        t->wrong += !same_instance(&d, instance);
        for (size_t h = 0; h < w->heads; h++) {
            t->factored += w->head[h].wq.factored;
            t->padded += w->head[h].wq.rows < d.shape->size;
        }
    }
    attest_doubles_clear(&d);
}

/* Many instances, of different shapes, at once and one by one. */
enum { MANY = 300 };

typedef struct many {
    attest_instance instance[MANY];
    size_t count;
} many;

static void keep_instance(const attest_instance *instance, void *env)
{
    many *m = env;

    m->instance[m->count++] = *instance;
    attest_instance_init((attest_instance *)instance); /* taken over */
}

static void test_verdicts(uint64_t seed)
{
    static const attest_setting plain;
    static many m;
    static attest_filter_answer answer[MANY], alone;
    static bool asked[MANY];
    size_t same = 0, proved = 0, untouched = 0;
    attest_verdicts verdicts;
    attest_doubles doubles;
    bool ran;

    if (!quiet_run(&attest_property_filter, &plain, keep_instance, &m, seed, MANY))
        TAP_OK(false, "instances");
    attest_doubles_init(&doubles);
    attest_verdicts_init(&verdicts);
    TAP_OK(attest_doubles_set(&doubles, m.instance, m.count) == ATTEST_OK, "%zu instances",
           m.count);
    for (size_t i = 0; i < m.count; i++)
        asked[i] = doubles.fits[i] && i % 7 != 3;
    ran = attest_verdicts_get(answer, &verdicts, &doubles, asked, NULL) == ATTEST_OK;
    TAP_OK(ran && verdicts.filters > 10, "of %zu shapes", verdicts.filters);
    for (size_t i = 0; i < m.count; i++) {
        if (!asked[i]) {
            untouched += !answer[i].method;
            continue;
        }
        same += attest_verdicts_get_one(&alone, &m.instance[i], NULL) == ATTEST_OK &&
                alone.verdict == answer[i].verdict &&
                strcmp(alone.method, answer[i].method) == 0 &&
                alone.place[0].sequence == answer[i].place[0].sequence &&
                alone.place[1].position == answer[i].place[1].position;
        proved += answer[i].verdict == ATTEST_PROVED;
    }
    TAP_OK(same + untouched == m.count && untouched > 20,
           "the same verdicts together and alone, and none without a request");
    TAP_OK(proved > 50 && proved < same - 20, "%zu of %zu are proved", proved, same);
    attest_verdicts_clear(&verdicts);
    attest_doubles_clear(&doubles);
    for (size_t i = 0; i < m.count; i++)
        attest_instance_clear(&m.instance[i]);
}

TEST(doubles)
{
    static const attest_setting plain;
    uint64_t seed = tap_seed(0xd0b1e);
    tally t = {0};
    bool ran;

    test_numbers();
    ran = quiet_run(&attest_property_contextual, &plain, check_instance, &t, seed, 2000);
    TAP_OK(ran && t.wrong == 0 && t.others > 500,
           "%zu instances with numbers that are no doubles", t.others);
    ran = quiet_run(&attest_property_filter, &plain, check_instance, &t, seed, 1000) &&
          quiet_run(&attest_property_tuned, &plain, check_instance, &t, seed, 1000);
    TAP_OK(ran && t.wrong == 0 && t.fitting >= 2000, "%zu instances of doubles", t.fitting);
    TAP_OK(t.factored > 100 && t.padded > 50, "%zu factored matrices, %zu smaller heads",
           t.factored, t.padded);
    test_verdicts(seed);
    flint_cleanup();
    return 0;
}
