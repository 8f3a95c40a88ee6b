/* interval_block.c -- many columns of a matrix unit at once equal single columns, bit for bit,
 * in every kernel: sums and intervals. */
#include <math.h>

#include <attest/kernel.h>

#include "tests/judge/judge_cases.h"

enum { MOST_COLUMNS = 19, MOST_PRODUCTS = 40 };

/* A block of many columns between two ends, of numbers of all sizes. */
typedef struct column_case {
    attest_judge_unit unit;
    double low[MOST_PRODUCTS], high[MOST_PRODUCTS], b[MOST_PRODUCTS * MOST_COLUMNS];
    double lo[MOST_COLUMNS], hi[MOST_COLUMNS];
    size_t terms, columns;
} column_case;

static void draw_columns(column_case *x, uint64_t *state)
{
    static const char *const name[] = {"bfloat16", "binary16", "float8_e4m3fn", "tfloat32",
                                       "binary32"};
    attest_format a = case_format(name[case_pick(state, 5)]),
                  b = case_format(name[case_pick(state, 5)]), single = case_format("binary32");
    int wide = case_pick(state, 3) ? 4 : 250;
    bool same = case_pick(state, 2), tiny = case_pick(state, 6) == 0;

    attest_judge_unit_init(&x->unit, &a, &b, &single, 3 + case_pick(state, 23));
    x->terms = 1 + case_pick(state, MOST_PRODUCTS);
    x->columns = 1 + case_pick(state, MOST_COLUMNS);
    for (size_t i = 0; i < x->terms * x->columns; i++)
        x->b[i] = case_number(state, &b, (int)case_pick(state, (size_t)wide) - wide / 2);
    for (size_t i = 0; i < x->terms; i++) {
        x->low[i] = fabs(case_number(state, &a, tiny ? -120 : 0));
        x->high[i] = same ? x->low[i] : fmax(x->low[i], fabs(case_number(state, &a, 0)));
        if (case_pick(state, 3))
            x->high[i] = x->low[i];
        if (same && case_pick(state, 2))
            x->low[i] = x->high[i] = -x->low[i];
        if (case_pick(state, 400) == 0)
            x->low[i] = x->high[i] = case_pick(state, 2) ? INFINITY : NAN;
    }
    for (size_t c = 0; c < x->columns; c++) {
        x->lo[c] = case_number(state, &single, tiny ? -140 : (int)case_pick(state, 12) - 6);
        x->hi[c] =
            case_pick(state, 3) ? x->lo[c] : fmax(x->lo[c], case_number(state, &single, 0));
        if (case_pick(state, 300) == 0)
            x->lo[c] = x->hi[c] = case_pick(state, 2) ? 0x1.fffffep127 : -(double)INFINITY;
    }
}

static bool same_bits(double x, double y)
{
    return (isnan(x) && isnan(y)) || (x == y && !signbit(x) == !signbit(y));
}

/* Compares with the sums of the columns one by one; returns the number of wrong ones. */
static size_t count_wrong(const column_case *x, size_t *open)
{
    double lo[MOST_COLUMNS], hi[MOST_COLUMNS], sum[MOST_COLUMNS], lower[MOST_PRODUCTS],
        upper[MOST_PRODUCTS];
    attest_judge_block all = {x->low, x->b, x->columns, x->terms};
    size_t wrong = 0;
    bool ok, finite = true, each = true;

    memcpy(lo, x->lo, sizeof lo);
    memcpy(hi, x->hi, sizeof hi);
    memcpy(sum, x->lo, sizeof sum);
    ok = attest_judge_interval_columns(lo, hi, x->low, x->high, &all, x->columns, &x->unit);
    attest_judge_unit_add_columns(sum, &all, x->columns, &x->unit);
    for (size_t j = 0; j < x->terms; j++)
        finite = finite && isfinite(x->low[j]);
    for (size_t c = 0; c < x->columns; c++) {
        attest_judge_block down = {lower, x->b + c, x->columns, x->terms}, up = down,
                           one = {x->low, x->b + c, x->columns, x->terms};
        double l = x->lo[c], h = x->hi[c];

        up.a = upper;
        for (size_t j = 0; j < x->terms; j++) {
            bool negative = x->b[j * x->columns + c] < 0;

            lower[j] = negative ? x->high[j] : x->low[j];
            upper[j] = negative ? x->low[j] : x->high[j];
        }
        each = attest_judge_interval_block(&l, &h, &down, &up, &x->unit) && each;
        if (finite && isfinite(x->lo[c]))
            wrong += !same_bits(lo[c], l) || !same_bits(hi[c], h);
        *open += l < h;
        wrong += !same_bits(sum[c], attest_judge_unit_sum(x->lo[c], &one, &x->unit));
    }
    return wrong + (ok != each && finite);
}

static void check_columns(uint64_t *state)
{
    const char *kernel;
    uint64_t start = *state;

    for (size_t k = 0; (kernel = attest_kernel_list(k)); k++) {
        size_t wrong = 0, open = 0;

        if (attest_kernel_select(kernel) != ATTEST_OK)
            abort();
        *state = start;
        for (size_t t = 0; t < 8000; t++) {
            column_case x;

            draw_columns(&x, state);
            wrong += count_wrong(&x, &open);
        }
        TAP_OK(wrong == 0 && open > 4000,
               "%s: columns at once are columns one by one (%zu are not, %zu are open)", kernel,
               wrong, open);
    }
    if (attest_kernel_select(NULL) != ATTEST_OK)
        abort();
}

TEST(interval_block)
{
    uint64_t state = tap_seed(1);

    check_columns(&state);
    return 0;
}
