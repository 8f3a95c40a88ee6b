/* simulate_in_double_combine.c -- many dot products at once in a hosted format, rounded to
 * nearest. */
#include "kernel/sums.h"
#include "format/simulate_in_double.h"

static bool is_single(const attest_in_double *h)
{
    return h->shift == 53 - 24 && h->tiny == 0x1p-126 && h->most == 0x1.fffffep127 &&
           h->overflow == (double)INFINITY;
}

static enum kernel_rounding_way get_way(bool flushes, const attest_in_double *h)
{
    return h->unbounded   ? KERNEL_ROUND_WATCHED
           : h->plain     ? KERNEL_ROUND_NOT
           : flushes      ? KERNEL_ROUND_FLUSHED
           : is_single(h) ? KERNEL_ROUND_SINGLE
           : h->special   ? KERNEL_ROUND_SPECIAL
                          : KERNEL_ROUND;
}

/* As many of the sums as vectors take; returns how many. */
static size_t combine_many(double *y, const attest_in_double_sums *t, const attest_in_double *h)
{
    bool flushes = t->flush.positive || t->flush.negative, outside = false;
    const struct kernel_sums sums = {.m = t->m,
                                     .rows = t->rows,
                                     .cols = t->cols,
                                     .stride = t->stride,
                                     .x = t->x,
                                     .x_else = t->x_else,
                                     .started = t->started};
    const struct kernel_rounding rounding = {.way = get_way(flushes, h),
                                             .shift = h->plain ? 0 : (int)h->shift,
                                             .tiny = h->tiny,
                                             .magic = h->magic,
                                             .least = 0x1p-900,
                                             .most = h->most,
                                             .overflow = fabs(h->overflow),
                                             .no_nan = h->format.no_nan,
                                             .no_minus_zero = h->format.no_minus_zero,
                                             .flush_positive = t->flush.positive,
                                             .flush_negative = t->flush.negative};
    size_t done;

    if (flushes && !is_single(h))
        return 0;
    done = attest_kernel_sums(y, &sums, &rounding, &outside);
    if (outside) /* a double could not stand for some number */
        *h->escaped = true;
    return done;
}

/* One sum, by the operations of hosted.h. */
static double combine_one(double sum, const attest_in_double_sums *t, size_t row,
                          const attest_in_double *h)
{
    for (size_t c = 0; c < t->cols; c++) {
        double m = t->m[(ptrdiff_t)c * t->stride + (ptrdiff_t)row];
        double term = attest_in_double_mul(m, m < 0 ? t->x_else[c] : t->x[c], h);

        term = attest_in_double_flushed(term, t->flush, h);
        sum = t->started || c > 0
                  ? attest_in_double_flushed(attest_in_double_add(sum, term, h), t->flush, h)
                  : term;
    }
    return sum;
}

void attest_in_double_accumulate(double *y, const attest_in_double_sums *sums,
                                 const attest_in_double *h)
{
    for (size_t row = combine_many(y, sums, h); row < sums->rows; row++)
        y[row] = combine_one(sums->started ? y[row] : 0, sums, row, h);
}

void attest_in_double_combine(double *y, const double *m, size_t rows, size_t cols,
                              size_t stride, const double *x, const attest_in_double *h)
{
    const attest_in_double_sums sums = {
        .m = m, .rows = rows, .cols = cols, .stride = (ptrdiff_t)stride, .x = x, .x_else = x};

    attest_in_double_accumulate(y, &sums, h);
}
