/* hosted_combine.c -- many dot products at once in a hosted format, rounded to nearest.
 *
 * The vectors are those of the compiler, of the 16 bytes that every 64-bit machine has. Every
 * lane does what attest_hosted_nearest does. A rounded sum is one long chain of dependent
 * instructions, so several are in flight. */
#include "number/hosted.h"

enum { LANES = 2, CHAINS = 4, WIDTH = LANES * CHAINS };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef uint64_t words __attribute__((vector_size(LANES * sizeof(uint64_t))));
typedef float singles __attribute__((vector_size(LANES * sizeof(float))));

/* A hosted format spread over the lanes. */
typedef struct spread {
    words low, one, mask, sign;
    lanes tiny, magic, most, overflow;
    words no_nan, no_minus_zero; /* all ones: the format has none */
    words keep, keep_negative;   /* all ones: positive, negative results below tiny stay */
    lanes least; /* unbounded: below it, but for 0, a double cannot stand for the number */
    int shift;
} spread;

static inline lanes all(double x)
{
    return (lanes){x, x};
}

static inline words all_words(uint64_t x)
{
    return (words){x, x};
}

static void spread_init(spread *s, attest_hosted_flush flush, const attest_hosted *h)
{
    uint64_t half = h->plain ? 1 : (uint64_t)1 << (h->shift - 1);

    s->shift = (int)h->shift;
    s->low = all_words(half - 1);
    s->one = all_words(1);
    s->mask = all_words(~(2 * half - 1));
    s->sign = all_words((uint64_t)1 << 63);
    s->tiny = all(h->tiny);
    s->magic = all(h->magic);
    s->most = all(h->most);
    s->overflow = all(fabs(h->overflow));
    s->no_nan = all_words(h->format.no_nan ? ~(uint64_t)0 : 0);
    s->no_minus_zero = all_words(h->format.no_minus_zero ? ~(uint64_t)0 : 0);
    s->keep = all_words(flush.positive ? 0 : ~(uint64_t)0);
    s->keep_negative = all_words(flush.negative ? 0 : ~(uint64_t)0);
    s->least = all(0x1p-900);
}

static inline words choose(words condition, words yes, words no)
{
    return (condition & yes) | (~condition & no);
}

static inline lanes nearest(lanes x, const spread *s)
{
    words u = (words)x, sign = u & s->sign;
    words r = (u + s->low + ((u >> s->shift) & s->one)) & s->mask;
    words small = ((words)((x + s->magic) - s->magic) & ~s->sign) | sign;
    lanes size = (lanes)(u & ~s->sign);

    r = choose((words)(size < s->tiny), small, r);
    size = (lanes)(r & ~s->sign);
    return (lanes)choose((words)(size > s->most), (words)s->overflow | sign, r);
}

/* The same for binary32, which the hardware has. */
static inline lanes nearest_single(lanes x, const spread *s)
{
    (void)s;
    return __builtin_convertvector(__builtin_convertvector(x, singles), lanes);
}

static bool is_single(const attest_hosted *h)
{
    return h->shift == 53 - 24 && h->tiny == 0x1p-126 && h->most == 0x1.fffffep127 &&
           h->overflow == (double)INFINITY;
}

/* The same for a format without NaN or -0. */
static inline lanes nearest_special(lanes x, const spread *s)
{
    words r = (words)nearest(x, s);
    words number = (words)((lanes)(r & ~s->sign) <= all(INFINITY)); /* not NaN */

    r = choose(~number & s->no_nan, s->sign, r);
    return (lanes)choose((words)((lanes)r == all(0)) & s->no_minus_zero, all_words(0), r);
}

/* r of binary32, or 0 if it is below tiny. */
static inline lanes nearest_flushed(lanes x, const spread *s)
{
    words r = (words)nearest_single(x, s);
    words normal = ~(words)((lanes)(r & ~s->sign) < s->tiny); /* or NaN */
    words negative = (words)((r & s->sign) != all_words(0));

    return (lanes)(r & (normal | choose(negative, s->keep_negative, s->keep)));
}

/* The same for unbounded exponents; *outside gets the lanes that left the double's range. */
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

/* Row r of the sums, and what the others of a vector are. */
typedef struct place {
    const attest_hosted_sums *sums;
    size_t row;
} place;

static inline lanes load_product(place p, size_t c, int i)
{
    const attest_hosted_sums *t = p.sums;
    lanes m = load(t->m + (ptrdiff_t)c * t->stride + p.row + i * LANES);

    if (t->x == t->x_else)
        return m * all(t->x[c]);
    return m *
           (lanes)choose((words)(m < all(0)), (words)all(t->x_else[c]), (words)all(t->x[c]));
}

typedef lanes (*rounding)(lanes, const spread *);

/* Inlined, so that the rounding is known. */
static inline __attribute__((always_inline)) void combine_as(double *y, place p,
                                                             const spread *given, rounding fit)
{
    const spread s = *given;
    const attest_hosted_sums t = *p.sums;
    const place here = {&t, p.row};
    lanes sum[CHAINS];

    memcpy(sum, y, sizeof sum);
    for (int i = 0; i < CHAINS && !t.started; i++)
        sum[i] = fit(load_product(here, 0, i), &s);
    for (size_t c = t.started ? 0 : 1; c < t.cols; c++) {
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++)
            sum[i] = fit(sum[i] + fit(load_product(here, c, i), &s), &s);
    }
    memcpy(y, sum, sizeof sum);
}

static void combine_rounded(double *y, place p, const spread *s)
{
    combine_as(y, p, s, nearest);
}

static void combine_single(double *y, place p, const spread *s)
{
    combine_as(y, p, s, nearest_single);
}

static void combine_special(double *y, place p, const spread *s)
{
    combine_as(y, p, s, nearest_special);
}

static void combine_flushed(double *y, place p, const spread *s)
{
    combine_as(y, p, s, nearest_flushed);
}

static inline lanes leave(lanes x, const spread *s)
{
    (void)s;
    return x;
}

static void combine_plain(double *y, place p, const spread *s)
{
    combine_as(y, p, s, leave);
}

/* False: a double could not stand for some number. */
static bool combine_watched(double *y, place p, const spread *given)
{
    const spread s = *given;
    const attest_hosted_sums t = *p.sums;
    const place here = {&t, p.row};
    lanes sum[CHAINS];
    words outside = all_words(0);

    memcpy(sum, y, sizeof sum);
    for (int i = 0; i < CHAINS && !t.started; i++)
        sum[i] = nearest_watched(load_product(here, 0, i), &s, &outside);
    for (size_t c = t.started ? 0 : 1; c < t.cols; c++) {
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++) {
            lanes term = nearest_watched(load_product(here, c, i), &s, &outside);
            sum[i] = nearest_watched(sum[i] + term, &s, &outside);
        }
    }
    memcpy(y, sum, sizeof sum);
    return (outside[0] | outside[1]) == 0;
}

/* One sum, by the operations of hosted.h. */
static double combine_one(double sum, place p, const attest_hosted *h)
{
    const attest_hosted_sums *t = p.sums;

    for (size_t c = 0; c < t->cols; c++) {
        double m = t->m[(ptrdiff_t)c * t->stride + (ptrdiff_t)p.row];
        double term = attest_hosted_mul(m, m < 0 ? t->x_else[c] : t->x[c], h);

        term = attest_hosted_flushed(term, t->flush, h);
        sum = t->started || c > 0
                  ? attest_hosted_flushed(attest_hosted_add(sum, term, h), t->flush, h)
                  : term;
    }
    return sum;
}

void attest_hosted_accumulate(double *y, const attest_hosted_sums *sums, const attest_hosted *h)
{
    bool flushes = sums->flush.positive || sums->flush.negative;
    place p = {sums, 0};
    spread s;

    if (sums->rows >= WIDTH && (!flushes || is_single(h))) {
        spread_init(&s, sums->flush, h);
        for (; p.row + WIDTH <= sums->rows; p.row += WIDTH)
            if (h->unbounded)
                *h->escaped |= !combine_watched(y + p.row, p, &s);
            else
                (h->plain       ? combine_plain
                 : flushes      ? combine_flushed
                 : is_single(h) ? combine_single
                 : h->special   ? combine_special
                                : combine_rounded)(y + p.row, p, &s);
    }
    for (; p.row < sums->rows; p.row++)
        y[p.row] = combine_one(sums->started ? y[p.row] : 0, p, h);
}

void attest_hosted_combine(double *y, const double *m, size_t rows, size_t cols, size_t stride,
                           const double *x, const attest_hosted *h)
{
    const attest_hosted_sums sums = {
        .m = m, .rows = rows, .cols = cols, .stride = (ptrdiff_t)stride, .x = x, .x_else = x};

    attest_hosted_accumulate(y, &sums, h);
}
