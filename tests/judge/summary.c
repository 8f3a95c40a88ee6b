/* summary.c -- the summary of an output and its bounds: verdicts, the worst element, wrong
 * rows, the histogram, and two outputs compared. */
#include <math.h>
#include <string.h>

#include "judge/judgement.h"
#include "judge/tolerance.h"
#include "tests/tap.h"

enum { BATCH = 2, HEADS = 3, ROWS = 8, COLUMNS = 4, ALL = BATCH * HEADS * ROWS * COLUMNS };

static const attest_judge_rows rows = {.batch = BATCH,
                                       .heads = HEADS,
                                       .columns = COLUMNS,
                                       .queries = ROWS,
                                       .all = BATCH * HEADS * ROWS,
                                       .count = BATCH * HEADS * ROWS};
static const attest_judge_options options;
static double lo[ALL], hi[ALL], exact[ALL], bound_error[ALL], bound[ALL], output[ALL],
    other[ALL];

static size_t place(size_t b, size_t h, size_t i, size_t c)
{
    return ((b * HEADS + h) * ROWS + i) * COLUMNS + c;
}

/* Exact values 1, what is returned lies between 0.75 and 1.5, and is 1.25. */
static attest_judge_bounds reset(void)
{
    for (size_t i = 0; i < ALL; i++) {
        exact[i] = 1;
        bound_error[i] = 0;
        lo[i] = 0.75;
        hi[i] = 1.5;
        bound[i] = 0.5;
        output[i] = other[i] = 1.25;
    }
    return (attest_judge_bounds){lo, hi, exact, bound_error, bound, NULL};
}

/* Any double is a number of its output format. */
static attest_judge_model *free_model(void)
{
    static attest_judge_variant variant;
    static attest_judge_model model = {.variant = &variant, .variants = 1};

    attest_judge_variant_init(&variant);
    variant.output = (attest_format){.name = "binary64", 53, true, -1022, 1023, 64};
    return &model;
}

static void ranges(void)
{
    attest_judge_bounds bounds = reset();
    attest_judge_summary summary;
    attest_error error;

    /* a tile: rows 2-5 of head 1, all columns; one element of another head, two rows later */
    for (size_t i = 2; i < 6; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            output[place(0, 1, i, c)] = 2;
    output[place(1, 2, 0, 3)] = -1;
    output[place(1, 2, 2, 1)] = output[place(1, 2, 2, 2)] = 1.6;
    output[place(1, 2, 3, 0)] = 1.6; /* a column before those of the row above */
    /* the last row of a head and the first of the next one are not neighbours */
    output[place(1, 0, 7, 0)] = output[place(1, 1, 0, 0)] = 9;
    if (attest_judge_summary_init(&summary, output, &bounds, &rows, free_model(), &options,
                                  &error))
        abort();
    TAP_OK(summary.all.wrong == 22 && summary.all.within == ALL - 22 &&
               summary.all.undecided == 0 &&
               attest_judge_counts_verdict(&summary.all) == ATTEST_JUDGE_WRONG,
           "counts");
    TAP_OK(summary.ranges == 5 && summary.range[0].head == 1 && summary.range[0].first == 2 &&
               summary.range[0].last == 5 && summary.range[0].wrong == 16 &&
               summary.range[0].first_column == 0 && summary.range[0].last_column == 3,
           "a tile is one range");
    TAP_OK(summary.range[1].first == 7 && summary.range[1].last == 7 &&
               summary.range[2].head == 1 && summary.range[2].first == 0,
           "heads do not share one");
    TAP_OK(summary.range[4].first == 2 && summary.range[4].last == 3 &&
               summary.range[4].first_column == 0 && summary.range[4].last_column == 2 &&
               summary.range[4].wrong == 3,
           "columns of a range");
    TAP_OK(summary.head[1].wrong == 16 && summary.head[0].wrong == 0 &&
               summary.head[0].within == 32 && summary.head[0].max_ratio == 0.5 &&
               summary.head[1].max_ratio == 2,
           "heads");
    TAP_OK(summary.has_worst && summary.worst.place == place(1, 0, 7, 0) &&
               summary.worst.ratio == 16,
           "the worst element");
    attest_judge_summary_clear(&summary);
}

static void worst(void)
{
    attest_judge_bounds bounds = reset();
    attest_judge_summary summary;
    attest_error error;
    size_t undecided = place(0, 0, 0, 0), one_sided = place(0, 0, 1, 0);
    size_t nan = place(1, 1, 1, 1), counted = 0;

    lo[undecided] = (double)-INFINITY;
    hi[undecided] = bound[undecided] = (double)INFINITY;
    output[undecided] = 1e300;
    output[one_sided] = 0.7; /* the ratio is 0.6, less than that of 1.5 */
    output[place(0, 0, 2, 0)] = 1.5;
    if (attest_judge_summary_init(&summary, output, &bounds, &rows, free_model(), &options,
                                  &error))
        abort();
    TAP_OK(summary.all.undecided == 1 && summary.all.wrong == 1 &&
               summary.worst.place == one_sided && summary.worst.verdict == ATTEST_JUDGE_WRONG,
           "a wrong element is worse than one that is farther off within its bounds");
    for (size_t k = 0; k < ATTEST_JUDGE_BINS; k++)
        counted += summary.bin[k];
    TAP_OK(counted == ALL - 1 && summary.bin[1 - ATTEST_JUDGE_LEAST_EXPONENT] == 1 &&
               summary.bin[-ATTEST_JUDGE_LEAST_EXPONENT] == ALL - 2,
           "the histogram: ratios 0.5 and 0.6 below 1, and one of 1");
    attest_judge_summary_clear(&summary);
    output[nan] = (double)NAN;
    output[one_sided] = -1e300;
    if (attest_judge_summary_init(&summary, output, &bounds, &rows, free_model(), &options,
                                  &error))
        abort();
    TAP_OK(summary.all.wrong == 2 && summary.worst.place == nan && isinf(summary.worst.ratio) &&
               summary.bin[ATTEST_JUDGE_BINS - 1] == 2,
           "a value that is not finite is the worst");
    attest_judge_summary_clear(&summary);
    for (size_t c = 0; c < COLUMNS; c++) {
        size_t i = place(0, 2, 3, c);
        lo[i] = hi[i] = exact[i] = bound[i] = bound_error[i] = (double)NAN;
        output[i] = c ? (double)NAN : 0;
    }
    if (attest_judge_summary_init(&summary, output, &bounds, &rows, free_model(), &options,
                                  &error))
        abort();
    TAP_OK(summary.head[2].wrong == 1 && summary.head[2].within == 31,
           "a row that is to be NaN, and is not");
    attest_judge_summary_clear(&summary);
    output[one_sided] = exact[one_sided];
    output[nan] = exact[nan] + ldexp(bound[nan], ATTEST_JUDGE_LEAST_EXPONENT - 1);
    if (attest_judge_summary_init(&summary, output, &bounds, &rows, free_model(), &options,
                                  &error))
        abort();
    TAP_OK(summary.bin[0] == 2 + COLUMNS - 1 && summary.bin[1] == 0,
           "ratios of 0, and below the least of the histogram");
    attest_judge_summary_clear(&summary);
}

static void difference(void)
{
    attest_judge_bounds bounds = reset();
    attest_judge_difference d;

    attest_judge_difference_get(&d, output, other, &bounds, ALL);
    TAP_OK(d.differ == 0 && d.beyond == 0 && !d.has_at, "the same outputs");
    output[3] = other[5] = 1.5;
    other[3] = 0.75; /* exactly what is allowed */
    attest_judge_difference_get(&d, output, other, &bounds, ALL);
    TAP_OK(d.differ == 2 && d.beyond == 0 && d.ratio == 1 && d.at == 3 && d.allowed == 0.75,
           "as far apart as two kernels can be");
    other[3] = nextafter(0.75, 0);
    output[7] = (double)NAN;
    lo[9] = (double)-INFINITY;
    output[9] = 1e9;
    attest_judge_difference_get(&d, output, other, &bounds, ALL);
    TAP_OK(d.differ == 4 && d.beyond == 2 && isinf(d.ratio) && d.at == 7,
           "farther, and NaN; where nothing is known, nothing is said");
}

static void elements(void)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        double output, lo, hi;
        attest_judge_verdict verdict;
    } c[] = {{1, 1, 1, ATTEST_JUDGE_WITHIN},
             {1, 1, 2, ATTEST_JUDGE_WITHIN},
             {2, 1, 2, ATTEST_JUDGE_WITHIN},
             {nextafter(2, 3), 1, 2, ATTEST_JUDGE_WRONG},
             {nextafter(1, 0), 1, 2, ATTEST_JUDGE_WRONG},
             {-0.0, 0, 0, ATTEST_JUDGE_WITHIN},
             {nan, 1, 2, ATTEST_JUDGE_WRONG},
             {inf, 1, 2, ATTEST_JUDGE_WRONG},
             {-inf, 1, 2, ATTEST_JUDGE_WRONG},
             {1, -inf, inf, ATTEST_JUDGE_UNDECIDED},
             {nan, -inf, inf, ATTEST_JUDGE_UNDECIDED},
             {inf, -inf, inf, ATTEST_JUDGE_UNDECIDED},
             {3, -inf, 2, ATTEST_JUDGE_WRONG},
             {1, -inf, 2, ATTEST_JUDGE_UNDECIDED},
             {nan, nan, nan, ATTEST_JUDGE_WITHIN},
             {0, nan, nan, ATTEST_JUDGE_WRONG}};

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        TAP_OK(attest_judge_element(c[i].output, c[i].lo, c[i].hi) == c[i].verdict,
               "%g in [%g, %g]", c[i].output, c[i].lo, c[i].hi);
}

/* A returned value must be a number of the output format, or of one of them where the model
 * lists several, with (known) and without bounds. */
static void formats(void)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        const char *name[2];
        double output;
        bool known, uncast;
        attest_judge_verdict verdict;
    } c[] = {
        {{"bfloat16"}, 1.2578125, true, false, ATTEST_JUDGE_WITHIN},
        {{"bfloat16"}, 1.26171875, true, true, ATTEST_JUDGE_WRONG},
        {{"bfloat16"}, 1.26171875, false, true, ATTEST_JUDGE_WRONG},
        {{"bfloat16"}, 1.2578125, false, false, ATTEST_JUDGE_UNDECIDED},
        {{"bfloat16"}, 2.0078125, true, true, ATTEST_JUDGE_WRONG}, /* also beyond hi */
        {{"bfloat16"}, -0.0, false, false, ATTEST_JUDGE_UNDECIDED},
        {{"bfloat16"}, 0x1p-133, false, false, ATTEST_JUDGE_UNDECIDED}, /* subnormal */
        {{"bfloat16"}, 0x1.8p-133, false, true, ATTEST_JUDGE_WRONG},
        {{"bfloat16"}, inf, false, false, ATTEST_JUDGE_UNDECIDED},
        {{"bfloat16"}, 1e300, false, true, ATTEST_JUDGE_WRONG},
        {{"bfloat16"}, nan, true, false, ATTEST_JUDGE_WRONG},
        {{"bfloat16"}, nan, false, false, ATTEST_JUDGE_UNDECIDED},
        {{"binary16", "bfloat16"}, 1.2578125, true, false, ATTEST_JUDGE_WITHIN},
        {{"bfloat16", "binary16"}, 1.2509765625, true, false, ATTEST_JUDGE_WITHIN},
        {{"bfloat16", "binary16"}, 0x1.4008p0, true, true, ATTEST_JUDGE_WRONG},
        {{"binary32"}, 1.2, true, true, ATTEST_JUDGE_WRONG},
        {{"binary64"}, 1.2, true, false, ATTEST_JUDGE_WITHIN},
        {{"float8_e4m3fn"}, 1.25, true, false, ATTEST_JUDGE_WITHIN},
        {{"float8_e4m3fn"}, inf, false, true, ATTEST_JUDGE_WRONG}, /* it has none */
        {{"float8_e4m3fn"}, 480, false, true, ATTEST_JUDGE_WRONG},
        {{"float8_e4m3fn:saturating"}, 448, false, false, ATTEST_JUDGE_UNDECIDED},
        {{"float8_e4m3fn:saturating"}, inf, false, true, ATTEST_JUDGE_WRONG},
        {{"float8_e4m3fnuz"}, -0.0, false, false, ATTEST_JUDGE_UNDECIDED},
    };

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        attest_judge_bounds bounds = reset();
        attest_judge_variant variant[2];
        attest_judge_model model = {.variant = variant, .variants = c[i].name[1] ? 2 : 1};
        attest_judge_summary summary;
        attest_error error;

        for (size_t k = 0; k < model.variants; k++) {
            attest_judge_variant_init(&variant[k]);
            if (attest_format_parse(&variant[k].output, c[i].name[k], &error))
                abort();
        }
        output[0] = c[i].output;
        for (size_t k = 1; k < ALL; k++)
            output[k] = 1.25; /* in all of them */
        if (!c[i].known) {
            lo[0] = -inf;
            hi[0] = bound[0] = inf;
        }
        if (attest_judge_summary_init(&summary, output, &bounds, &rows, &model, &options,
                                      &error))
            abort();
        TAP_OK(attest_judge_counts_verdict(&summary.all) == c[i].verdict &&
                   summary.all.uncast == c[i].uncast && summary.head[0].uncast == c[i].uncast &&
                   summary.worst.uncast == c[i].uncast,
               "%g as a result in %s%s%s, bounds %s", c[i].output, c[i].name[0],
               c[i].name[1] ? " or " : "", c[i].name[1] ? c[i].name[1] : "",
               c[i].known ? "known" : "not known");
        attest_judge_summary_clear(&summary);
    }
}

TEST(summary)
{
    elements();
    formats();
    ranges();
    worst();
    difference();
    return 0;
}
