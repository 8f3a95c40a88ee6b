/* approximate_error.c -- the functions that can be approximated, and the error of an
 * approximation. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/workers.h"
#include "number/scope.h"
#include "theory/approximate.h"

/* sum: x_kc sum_j x_jc. */
static int64_t get_sum(const int64_t *x, size_t d, size_t n)
{
    int64_t sum = 0;

    for (size_t j = 0; j < n; j++)
        sum += x[j * d];
    return x[0] * sum;
}

static int64_t scale_one(size_t d, size_t n)
{
    (void)d;
    (void)n;
    return 1;
}

static size_t degree_two(size_t n)
{
    (void)n;
    return 2;
}

static void bound_sum(attest_partial_bounds *first, attest_partial_bounds *second, long *range,
                      size_t d, size_t n)
{
    (void)d;
    *first = (attest_partial_bounds){.own = (long)n + 1, .token = 1};
    *second = (attest_partial_bounds){.own = 2};
    *range = (long)n;
}

static void slopes_sum(double *slope, const double *centre, double half, size_t d, size_t n)
{
    double sum = 0;

    for (size_t j = 0; j < n; j++) {
        sum += centre[j * d] + half;
        slope[j * d] = centre[0] + half;
    }
    slope[0] += sum;
}

/* product: the product of all x_jc. */
static int64_t get_product(const int64_t *x, size_t d, size_t n)
{
    int64_t product = 1;

    for (size_t j = 0; j < n; j++)
        product *= x[j * d];
    return product;
}

static size_t degree_length(size_t n)
{
    return n;
}

static void bound_product(attest_partial_bounds *first, attest_partial_bounds *second,
                          long *range, size_t d, size_t n)
{
    (void)d;
    (void)n;
    *first = (attest_partial_bounds){.own = 1, .token = 1};
    *second = (attest_partial_bounds){0};
    *range = 1;
}

static void slopes_product(double *slope, const double *centre, double half, size_t d, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        slope[j * d] = 1;
        for (size_t i = 0; i < n; i++)
            if (i != j)
                slope[j * d] *= centre[i * d] + half;
    }
}

/* variance: (x_kc - mean_j x_jc)^2. */
static int64_t get_variance(const int64_t *x, size_t d, size_t n)
{
    int64_t difference = (int64_t)n * x[0];

    for (size_t j = 0; j < n; j++)
        difference -= x[j * d];
    return difference * difference;
}

static int64_t scale_variance(size_t d, size_t n)
{
    (void)d;
    return (int64_t)(n * n);
}

static void bound_variance(attest_partial_bounds *first, attest_partial_bounds *second,
                           long *range, size_t d, size_t n)
{
    long m = (long)n - 1;

    (void)d;
    *first = (attest_partial_bounds){.own = 2 * m * m, .token = 2 * m};
    *second = (attest_partial_bounds){.own = 2 * m * m, .token = 2};
    *range = m * m;
}

/* |x_kc - mean| changes by at most 2 half (n - 1)/n inside the cube. */
static void slopes_variance(double *slope, const double *centre, double half, size_t d,
                            size_t n)
{
    double m = (double)n, mean = 0, most;

    for (size_t j = 0; j < n; j++)
        mean += centre[j * d] / m;
    most = fabs(centre[0] - mean) + 2 * half * (m - 1) / m;
    for (size_t j = 0; j < n; j++)
        slope[j * d] = 2 * most * (j == 0 ? m - 1 : 1) / m;
}

/* inner: x_kc mean_je x_ke x_je. */
static int64_t get_inner(const int64_t *x, size_t d, size_t n)
{
    int64_t sum = 0;

    for (size_t j = 0; j < n; j++)
        for (size_t e = 0; e < d; e++)
            sum += x[e] * x[j * d + e];
    return x[0] * sum;
}

static int64_t scale_inner(size_t d, size_t n)
{
    return (int64_t)(d * n);
}

static size_t degree_three(size_t n)
{
    (void)n;
    return 3;
}

static void bound_inner(attest_partial_bounds *first, attest_partial_bounds *second,
                        long *range, size_t d, size_t n)
{
    long all = (long)(d * n), more = (long)n + 1;

    *first = (attest_partial_bounds){
        .own = all + more, .own_other = more, .token = 1, .token_other = 1};
    *second = (attest_partial_bounds){.own = 2 * more + 2, .own_other = 2};
    *range = all;
}

static void slopes_inner(double *slope, const double *centre, double half, size_t d, size_t n)
{
    double all = (double)(d * n), own = centre[0] + half, mean = 0;

    for (size_t e = 0; e < d; e++) {
        double here = centre[e] + half, sum = 0;

        for (size_t j = 0; j < n; j++) {
            sum += centre[j * d + e] + half;
            slope[j * d + e] = own * here / all;
        }
        mean += here * sum / all;
        slope[e] = own * (sum + here) / all;
    }
    slope[0] += mean;
}

/* distance: mean_je (x_ke - x_je)^2. */
static int64_t get_distance(const int64_t *x, size_t d, size_t n)
{
    int64_t sum = 0;

    for (size_t j = 1; j < n; j++)
        for (size_t e = 0; e < d; e++)
            sum += (x[e] - x[j * d + e]) * (x[e] - x[j * d + e]);
    return sum;
}

static void bound_distance(attest_partial_bounds *first, attest_partial_bounds *second,
                           long *range, size_t d, size_t n)
{
    long m = (long)n - 1;

    *first =
        (attest_partial_bounds){.own = 2 * m, .own_other = 2 * m, .token = 2, .token_other = 2};
    *second = *first;
    *range = m * (long)d;
}

/* Differences of two entries change by at most 2 half. */
static void slopes_distance(double *slope, const double *centre, double half, size_t d,
                            size_t n)
{
    double all = (double)(d * n);

    for (size_t e = 0; e < d; e++) {
        double sum = 0;

        for (size_t j = 1; j < n; j++) {
            sum += centre[e] - centre[j * d + e];
            slope[j * d + e] = 2 * (fabs(centre[e] - centre[j * d + e]) + 2 * half) / all;
        }
        slope[e] = 2 * (fabs(sum) + 2 * half * (double)(n - 1)) / all;
    }
}

const attest_equivariant attest_equivariants[] = {
    {"sum", "x_kc sum_j x_jc", get_sum, scale_one, degree_two, bound_sum, slopes_sum},
    {"product", "product_j x_jc", get_product, scale_one, degree_length, bound_product,
     slopes_product},
    {"variance", "(x_kc - mean_j x_jc)^2", get_variance, scale_variance, degree_two,
     bound_variance, slopes_variance},
    {"inner", "x_kc mean_je x_ke x_je", get_inner, scale_inner, degree_three, bound_inner,
     slopes_inner},
    {"distance", "mean_je (x_ke - x_je)^2", get_distance, scale_inner, degree_two,
     bound_distance, slopes_distance},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

static void exchange(int64_t *x, int64_t *y)
{
    int64_t held = *x;

    *x = *y;
    *y = held;
}

void attest_equivariant_value(fmpq_t value, const attest_equivariant *function,
                              const int64_t *x, int64_t unit, size_t d, size_t n, size_t k,
                              size_t c)
{
    int64_t own[ATTEST_APPROXIMATE_MOST_DIM * ATTEST_APPROXIMATE_MOST_LENGTH];

    memcpy(own, x, n * d * sizeof *own);
    for (size_t e = 0; e < d && k > 0; e++)
        exchange(&own[e], &own[k * d + e]);
    for (size_t j = 0; j < n && c > 0; j++)
        exchange(&own[j * d], &own[j * d + c]);
    fmpz_set_si(fmpq_numref(value), function->get(own, d, n));
    fmpz_set_si(fmpq_denref(value), unit);
    fmpz_pow_ui(fmpq_denref(value), fmpq_denref(value), function->get_degree(n));
    fmpz_mul_si(fmpq_denref(value), fmpq_denref(value), function->get_scale(d, n));
    fmpq_canonicalise(value);
}

enum { MOST_SUBDIVISIONS = 32, BITS = 128, MOST_ENTRIES = 16, PARTS = 256 };
#define MOST_BOXES 2e8
#define ENOUGH_BOXES 4e6
#define ENOUGH_PER_CELL 1024
#define SMALL_BOXES 1e6 /* fewer are for one process */

/* Constants are multiplied by UPWARD, which is more than their few roundings; slopes by
 * SLOPE_UPWARD, as attest_equivariant requires. */
#define UPWARD (1 + 0x1p-40)
#define SLOPE_UPWARD (1 + 0x1p-20)

typedef struct quadrature {
    const attest_equivariant *function;
    size_t d, n, m, grid, q;
    double unit; /* of g: 1 / denominator */
    double mean; /* K, in units */
    const attest_progress *progress;
    pid_t parent;         /* the process that reports */
    size_t cells;         /* grid^m */
    size_t part;          /* cells of a part */
    struct sums *partial; /* by part; shared */
} quadrature;

/* Sums over boxes. */
typedef struct sums {
    double low1, high1, low2, high2;
} sums;

/* The sum of the bounds over all entries of a sequence. */
static double sum_over_entries(const attest_partial_bounds *b, size_t d, size_t n)
{
    double others = (double)(d - 1), tokens = (double)(n - 1);

    return (double)b->own + others * (double)b->own_other + tokens * (double)b->token +
           tokens * others * (double)b->token_other;
}

static void set_constants(quadrature *s)
{
    attest_partial_bounds first, second;
    double h = 1 / (double)(s->grid * s->q);
    long range;

    s->function->bound(&first, &second, &range, s->d, s->n);
    /* bounds are over the scale, and g is over scale (2 G q)^degree */
    s->unit = pow(2 * (double)(s->grid * s->q), (double)s->function->get_degree(s->n));
    s->mean = sum_over_entries(&second, s->d, s->n) * h * h / 24 * s->unit * UPWARD;
}

/* flat = sum L_i h / 2 and square = S^2 on this cell, in units. */
static void bound_cell(double *flat, double *square, const quadrature *s, const size_t *cell)
{
    double centre[MOST_ENTRIES], slope[MOST_ENTRIES] = {0}, grid = (double)s->grid;
    double h = 1 / (grid * (double)s->q) * SLOPE_UPWARD;
    double unit = s->unit * (double)s->function->get_scale(s->d, s->n);

    for (size_t i = 0; i < s->m; i++)
        centre[i] = ((double)cell[i] + 0.5) / grid;
    s->function->bound_slopes(slope, centre, 0.5 / grid, s->d, s->n);
    *flat = *square = 0;
    for (size_t i = 0; i < s->m; i++) {
        *flat += slope[i] * h / 2 * unit;
        *square += slope[i] * slope[i] * h * h / 12 * unit * unit;
    }
    *flat *= UPWARD;
    *square *= UPWARD;
}

/* The next value of an odometer of digits digits; false after the last. */
static bool next(size_t *digit, size_t digits, size_t base)
{
    for (size_t i = 0; i < digits; i++) {
        if (++digit[i] < base)
            return true;
        digit[i] = 0;
    }
    return false;
}

/* Adds the boxes of one cell. Midpoints are odd multiples of 1/(2 G q), the centre is one of q.
 */
static void add_cell(sums *sum, const quadrature *s, const size_t *cell)
{
    int64_t x[MOST_ENTRIES], base[MOST_ENTRIES], centre;
    double low1 = 0, high1 = 0, low2 = 0, high2 = 0, flat, square;
    size_t box[MOST_ENTRIES] = {0};

    bound_cell(&flat, &square, s, cell);
    for (size_t i = 0; i < s->m; i++) {
        base[i] = (int64_t)(2 * cell[i] * s->q + 1);
        x[i] = (int64_t)((2 * cell[i] + 1) * s->q);
    }
    centre = s->function->get(x, s->d, s->n);
    do {
        double g, above, below;

        for (size_t i = 0; i < s->m; i++)
            x[i] = base[i] + 2 * (int64_t)box[i];
        g = fabs((double)(s->function->get(x, s->d, s->n) - centre));
        above = g + s->mean;
        below = fmax(g - s->mean, 0);
        low1 += below;
        low2 += below * below;
        high2 += above * above + square;
        high1 += g > flat ? above : sqrt(above * above + square);
    } while (next(box, s->m, s->q));
    sum->low1 += low1;
    sum->high1 += high1;
    sum->low2 += low2;
    sum->high2 += high2;
}

/* Returns whether all numbers fit into 62 bits: x^degree d n n with x <= 2 G q, and differences
 * of two.
 */
static bool fits(const quadrature *s, size_t q)
{
    double bits = (double)s->function->get_degree(s->n) * log2(2 * (double)(s->grid * q)) +
                  log2((double)(s->d * s->n * s->n));

    return bits < 61.9;
}

/* q as large as the number of boxes allows, at least 2. */
static size_t choose_subdivisions(const quadrature *s, double cells)
{
    double boxes = fmin(fmax(ENOUGH_PER_CELL * cells, ENOUGH_BOXES), MOST_BOXES);
    size_t q = MOST_SUBDIVISIONS;

    while (q > 2 && (cells * pow((double)q, (double)s->m) > boxes || !fits(s, q)))
        q--;
    return q;
}

/* ball = [low, high] / divisor, the ends moved out by 2^-24 of high for the roundings of at
 * most 2^28 terms, all of them >= 0. */
static void set_ball(arb_t ball, double low, double high, const arb_t divisor)
{
    ARB(top);
    ARF(end);

    arf_set_d(end, fmax(low - high * 0x1p-24, 0));
    arb_set_arf(ball, end);
    arf_set_d(end, high * (1 + 0x1p-24));
    arb_set_arf(top, end);
    arb_union(ball, ball, top, BITS);
    arb_div(ball, ball, divisor, BITS);
}

/* ball += [-inside, outside] measure, not below 0. */
static void add_ramps(arb_t ball, const arb_t inside, const arb_t outside, const arb_t measure)
{
    ARB(low, high, zero);

    arb_mul(low, inside, measure, BITS);
    arb_sub(low, ball, low, BITS);
    arb_mul(high, outside, measure, BITS);
    arb_add(high, ball, high, BITS);
    arb_union(ball, low, high, BITS);
    arb_max(ball, ball, zero, BITS);
}

/* Errors and bounds from the sums. */
static void conclude(attest_approximation *a, const quadrature *s, const sums *sum)
{
    attest_partial_bounds first, second;
    long reach;
    ARB(divisor, omega, range, measure, square);

    s->function->bound(&first, &second, &reach, s->d, s->n);
    arb_set_d(omega, sum_over_entries(&first, s->d, s->n)); /* a small whole number */
    arb_div_ui(omega, omega, 2 * s->grid, BITS);
    arb_div_si(omega, omega, (slong)s->function->get_scale(s->d, s->n), BITS);
    arb_set_si(range, reach);
    arb_div_si(range, range, (slong)s->function->get_scale(s->d, s->n), BITS);
    arb_set_fmpq(measure, a->measure, BITS);
    /* L^1: sums / (unit boxes), d n entries of equal error */
    arb_set_ui(divisor, s->grid * s->q);
    arb_pow_ui(divisor, divisor, s->m, BITS);
    arb_set_ui(square, 2 * s->grid * s->q);
    arb_pow_ui(square, square, s->function->get_degree(s->n), BITS);
    arb_mul_si(square, square, (slong)s->function->get_scale(s->d, s->n), BITS);
    arb_mul(divisor, divisor, square, BITS);
    set_ball(a->l1, sum->low1, sum->high1, divisor);
    arb_mul(divisor, divisor, square, BITS);
    set_ball(a->l2, sum->low2, sum->high2, divisor);
    add_ramps(a->l1, omega, range, measure);
    arb_mul(divisor, omega, omega, BITS);
    arb_mul(square, range, range, BITS);
    add_ramps(a->l2, divisor, square, measure);
    arb_mul_ui(a->l1, a->l1, s->m, BITS);
    arb_mul_ui(a->l2, a->l2, s->m, BITS);
    arb_sqrtpos(a->l2, a->l2, BITS); /* a ball of 0 and more reaches below 0 by its rounding */
    /* the bounds */
    arb_mul(a->l1_bound, range, measure, BITS);
    arb_add(a->l1_bound, a->l1_bound, omega, BITS);
    arb_mul_ui(a->l1_bound, a->l1_bound, s->m, BITS);
    arb_sqrt(measure, measure, BITS);
    arb_mul(a->l2_bound, range, measure, BITS);
    arb_add(a->l2_bound, a->l2_bound, omega, BITS);
    arb_sqrt_ui(square, s->m, BITS);
    arb_mul(a->l2_bound, a->l2_bound, square, BITS);
}

static bool add_part(void *context, size_t part)
{
    const quadrature *s = context;
    size_t cell[MOST_ENTRIES], end = (part + 1) * s->part, left = part * s->part;
    bool reports = getpid() == s->parent;

    for (size_t i = 0; i < s->m; i++, left /= s->grid)
        cell[i] = left % s->grid;
    for (size_t c = part * s->part; c < end && c < s->cells; c++) {
        add_cell(&s->partial[part], s, cell);
        (void)next(cell, s->m, s->grid);
        if (reports)
            attest_progress_report(s->progress, "cells", c + 1, s->cells, NULL);
    }
    return true;
}

/* The sums over all cells: parts of a size that does not depend on the number of processes, in
 * their order. Status: NOMEM, IO. */
static attest_status add_all(sums *sum, quadrature *s, size_t jobs, attest_error *error)
{
    size_t parts;

    s->part = (s->cells + PARTS - 1) / PARTS;
    parts = (s->cells + s->part - 1) / s->part;
    ATTEST_WORKERS(sums, partial, parts, jobs);
    if (!partial)
        return attest_memory_fail(error);
    s->partial = partial;
    ATTEST_TRY(attest_workers_run(add_part, s, parts, jobs, error));
    for (size_t p = 0; p < parts; p++) {
        sum->low1 += partial[p].low1;
        sum->high1 += partial[p].high1;
        sum->low2 += partial[p].low2;
        sum->high2 += partial[p].high2;
    }
    return ATTEST_OK;
}

attest_status attest_approximation_bound(attest_approximation *approximation,
                                         attest_error *error)
{
    quadrature s = {.function = approximation->function,
                    .d = approximation->dim,
                    .n = approximation->length,
                    .m = approximation->dim * approximation->length,
                    .grid = approximation->grid,
                    .progress = &approximation->progress,
                    .parent = getpid()};
    double cells = pow((double)s.grid, (double)s.m), boxes;
    sums sum = {0};

    s.q = choose_subdivisions(&s, cells);
    boxes = cells * pow((double)s.q, (double)s.m);
    if (!fits(&s, s.q) || boxes > 0x1p28)
        return attest_error_set(error, ATTEST_USAGE, "the quadrature is too large");
    s.cells = (size_t)cells;
    approximation->subdivisions = s.q;
    set_constants(&s);
    ATTEST_PROGRESS_STAGE(progress, s.progress);
    attest_progress_report(progress, "cells", 0, s.cells, NULL);
    ATTEST_TRY(add_all(&sum, &s, boxes < SMALL_BOXES ? 1 : approximation->jobs, error));
    conclude(approximation, &s, &sum);
    return ATTEST_OK;
}
