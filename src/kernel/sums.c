/* sums.c -- sums.h for vectors of VECTOR_LANES doubles; without an instruction set two, which
 * every 64-bit machine has. The rows that do not fill vectors go to narrower ones.
 *
 * The vectors are those of the compiler (vector_size). A rounded sum is one long chain of
 * dependent instructions, so several are in flight. */
#include "kernel/sums.h"

#include <math.h>
#include <string.h>

#ifndef VECTOR_LANES
#define VECTOR_LANES 2
#endif

#if VECTOR_LANES == 8
#define SUMS attest_avx512_sums
#define SUMS_OF_REST attest_avx2_sums
#elif VECTOR_LANES == 4
#define SUMS attest_avx2_sums
#define SUMS_OF_REST attest_scalar_sums
#else
#define SUMS attest_scalar_sums
#define SUMS_OF_REST(y, rest, rounding, outside) ((void)(rest), (size_t)0)
#endif

enum { LANES = VECTOR_LANES, CHAINS = 4, WIDTH = LANES * CHAINS };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef uint64_t words __attribute__((vector_size(LANES * sizeof(uint64_t))));
typedef float singles __attribute__((vector_size(LANES * sizeof(float))));

/* A rounding spread over the lanes. */
typedef struct spread {
    words low, one, mask, sign;
    lanes tiny, magic, least, most, overflow;
    words no_nan, no_minus_zero; /* all ones: the format has none */
    words keep, keep_negative;   /* all ones: positive, negative results below tiny stay */
    int shift;
} spread;

static inline lanes all(double x)
{
    return x - (lanes){0}; /* not +, which would lose the sign of -0 */
}

static inline words all_words(uint64_t x)
{
    return x + (words){0};
}

static inline words all_if(bool condition)
{
    return all_words(condition ? ~(uint64_t)0 : 0);
}

static void spread_init(spread *s, const struct kernel_rounding *r)
{
    uint64_t half = r->shift > 0 ? (uint64_t)1 << (r->shift - 1) : 1;

    s->shift = r->shift;
    s->low = all_words(half - 1);
    s->one = all_words(1);
    s->mask = all_words(~(2 * half - 1));
    s->sign = all_words((uint64_t)1 << 63);
    s->tiny = all(r->tiny);
    s->magic = all(r->magic);
    s->least = all(r->least);
    s->most = all(r->most);
    s->overflow = all(r->overflow);
    s->no_nan = all_if(r->no_nan);
    s->no_minus_zero = all_if(r->no_minus_zero);
    s->keep = all_if(!r->flush_positive);
    s->keep_negative = all_if(!r->flush_negative);
}

static inline words choose(words condition, words yes, words no)
{
    return (condition & yes) | (~condition & no);
}

/* The roundings; *outside gets the lanes whose results are outside least..most. */
typedef lanes (*rounding_of)(lanes x, const spread *s, words *outside);

static inline lanes leave(lanes x, const spread *s, words *outside)
{
    (void)s;
    (void)outside;
    return x;
}

static inline lanes nearest(lanes x, const spread *s, words *outside)
{
    words u = (words)x, sign = u & s->sign;
    words r = (u + s->low + ((u >> s->shift) & s->one)) & s->mask;
    words small = ((words)((x + s->magic) - s->magic) & ~s->sign) | sign;
    lanes size = (lanes)(u & ~s->sign);

    (void)outside;
    r = choose((words)(size >= s->tiny), r, small); /* small where x is a NaN: it stays one */
    size = (lanes)(r & ~s->sign);
    return (lanes)choose((words)(size > s->most), (words)s->overflow | sign, r);
}

static inline lanes nearest_single(lanes x, const spread *s, words *outside)
{
    (void)s;
    (void)outside;
    return __builtin_convertvector(__builtin_convertvector(x, singles), lanes);
}

static inline lanes nearest_special(lanes x, const spread *s, words *outside)
{
    words r = (words)nearest(x, s, outside);
    words number = (words)((lanes)(r & ~s->sign) <= all(INFINITY)); /* not NaN */

    r = choose(~number & s->no_nan, s->sign, r);
    return (lanes)choose((words)((lanes)r == all(0)) & s->no_minus_zero, all_words(0), r);
}

static inline lanes nearest_flushed(lanes x, const spread *s, words *outside)
{
    words r = (words)nearest_single(x, s, outside);
    words normal = ~(words)((lanes)(r & ~s->sign) < s->tiny); /* or NaN */
    words negative = (words)((r & s->sign) != all_words(0));

    return (lanes)(r & (normal | choose(negative, s->keep_negative, s->keep)));
}

static inline lanes nearest_watched(lanes x, const spread *s, words *outside)
{
    words u = (words)x;
    lanes size = (lanes)(u & ~s->sign);

    *outside |= ((words)(size < s->least) & (words)(size > all(0))) | ~(words)(size <= s->most);
    return (lanes)((u + s->low + ((u >> s->shift) & s->one)) & s->mask);
}

static inline lanes load(const double *x)
{
    lanes v;

    memcpy(&v, x, sizeof v);
    return v;
}

/* A product; if watched, *outside also gets the lanes where it underflows to 0. */
static inline lanes load_product(const struct kernel_sums *t, size_t row, size_t c,
                                 bool watched, words *outside)
{
    lanes m = load(t->m + (ptrdiff_t)c * t->stride + row), x = all(t->x[c]), product;

    if (t->x != t->x_else)
        x = (lanes)choose((words)(m < all(0)), (words)all(t->x_else[c]), (words)x);
    product = m * x;
    if (watched)
        *outside |= (words)(product == all(0)) & (words)(m != all(0)) & (words)(x != all(0));
    return product;
}

/* WIDTH sums from a row on. Inlined, so that the rounding is known. */
static inline __attribute__((always_inline)) words add(double *y,
                                                       const struct kernel_sums *given,
                                                       size_t row, const spread *spread_given,
                                                       rounding_of fit)
{
    const spread s = *spread_given;
    const struct kernel_sums t = *given;
    const bool watched = fit == nearest_watched;
    words outside = all_words(0);
    lanes sum[CHAINS];

    memcpy(sum, y + row, sizeof sum);
    for (int i = 0; i < CHAINS && !t.started; i++)
        sum[i] =
            fit(load_product(&t, row + (size_t)i * LANES, 0, watched, &outside), &s, &outside);
    for (size_t c = t.started ? 0 : 1; c < t.cols; c++) {
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++) {
            lanes product = load_product(&t, row + (size_t)i * LANES, c, watched, &outside);
            lanes term = fit(product, &s, &outside);
            sum[i] = fit(sum[i] + term, &s, &outside);
        }
    }
    memcpy(y + row, sum, sizeof sum);
    return outside;
}

static words add_rounded(double *y, const struct kernel_sums *t, size_t row, const spread *s,
                         enum kernel_rounding_way way)
{
    switch (way) {
    case KERNEL_ROUND_NOT:
        return add(y, t, row, s, leave);
    case KERNEL_ROUND_SINGLE:
        return add(y, t, row, s, nearest_single);
    case KERNEL_ROUND_FLUSHED:
        return add(y, t, row, s, nearest_flushed);
    case KERNEL_ROUND_SPECIAL:
        return add(y, t, row, s, nearest_special);
    case KERNEL_ROUND_WATCHED:
        return add(y, t, row, s, nearest_watched);
    default:
        return add(y, t, row, s, nearest);
    }
}

size_t SUMS(double *y, const struct kernel_sums *sums, const struct kernel_rounding *rounding,
            bool *outside)
{
    struct kernel_sums rest = *sums;
    size_t row = 0;
    spread s;

    if (sums->cols == 0)
        return 0;
    if (sums->rows >= WIDTH)
        spread_init(&s, rounding);
    for (; row + WIDTH <= sums->rows; row += WIDTH) {
        words lanes_outside = add_rounded(y, sums, row, &s, rounding->way);

        for (int i = 0; i < LANES; i++)
            *outside |= lanes_outside[i] != 0;
    }
    rest.m += row;
    rest.rows -= row;
    return row + SUMS_OF_REST(y + row, &rest, rounding, outside);
}
