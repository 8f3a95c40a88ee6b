/* hosted_combine.c -- many dot products at once in a hosted format, rounded to nearest.
 *
 * The vectors are those of the compiler, of the 16 bytes that every 64-bit machine has. Every
 * lane does what attest_hosted_nearest does. A rounded sum is one long chain of dependent
 * instructions, so several are in flight. */
#include "number/hosted.h"

enum { LANES = 2, CHAINS = 4, WIDTH = LANES * CHAINS };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef uint64_t words __attribute__((vector_size(LANES * sizeof(uint64_t))));

/* A hosted format spread over the lanes. */
typedef struct spread {
    words low, one, mask, sign;
    lanes tiny, magic, most, overflow;
    words no_nan, no_minus_zero; /* all ones: the format has none */
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

static void spread_init(spread *s, const attest_hosted *h)
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

/* The same for a format without NaN or -0. */
static inline lanes nearest_special(lanes x, const spread *s)
{
    words r = (words)nearest(x, s);
    words number = (words)((lanes)(r & ~s->sign) <= all(INFINITY)); /* not NaN */

    r = choose(~number & s->no_nan, s->sign, r);
    return (lanes)choose((words)((lanes)r == all(0)) & s->no_minus_zero, all_words(0), r);
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

/* Inlined, so that special is known. */
static inline __attribute__((always_inline)) void combine_as(double *y, const double *m,
                                                             size_t cols, size_t stride,
                                                             const double *x,
                                                             const spread *given, bool special)
{
    lanes (*const fit)(lanes, const spread *) = special ? nearest_special : nearest;
    const spread s = *given;
    lanes sum[CHAINS];

    for (int i = 0; i < CHAINS; i++)
        sum[i] = fit(load(m + i * LANES) * all(x[0]), &s);
    for (size_t c = 1; c < cols; c++) {
        const double *column = m + c * stride;
        lanes factor = all(x[c]);
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++)
            sum[i] = fit(sum[i] + fit(load(column + i * LANES) * factor, &s), &s);
    }
    memcpy(y, sum, sizeof sum);
}

static void combine_rounded(double *y, const double *m, size_t cols, size_t stride,
                            const double *x, const spread *s)
{
    combine_as(y, m, cols, stride, x, s, false);
}

static void combine_special(double *y, const double *m, size_t cols, size_t stride,
                            const double *x, const spread *s)
{
    combine_as(y, m, cols, stride, x, s, true);
}

/* False: a double could not stand for some number. */
static bool combine_watched(double *y, const double *m, size_t cols, size_t stride,
                            const double *x, const spread *given)
{
    const spread s = *given;
    lanes sum[CHAINS];
    words outside = all_words(0);

    for (int i = 0; i < CHAINS; i++)
        sum[i] = nearest_watched(load(m + i * LANES) * all(x[0]), &s, &outside);
    for (size_t c = 1; c < cols; c++) {
        const double *column = m + c * stride;
        lanes factor = all(x[c]);
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++) {
            lanes term = nearest_watched(load(column + i * LANES) * factor, &s, &outside);
            sum[i] = nearest_watched(sum[i] + term, &s, &outside);
        }
    }
    memcpy(y, sum, sizeof sum);
    return (outside[0] | outside[1]) == 0;
}

static void combine_plain(double *y, const double *m, size_t cols, size_t stride,
                          const double *x)
{
    lanes sum[CHAINS];

    for (int i = 0; i < CHAINS; i++)
        sum[i] = load(m + i * LANES) * all(x[0]);
    for (size_t c = 1; c < cols; c++) {
        const double *column = m + c * stride;
        lanes factor = all(x[c]);
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++)
            sum[i] = sum[i] + load(column + i * LANES) * factor;
    }
    memcpy(y, sum, sizeof sum);
}

void attest_hosted_combine(double *y, const double *m, size_t rows, size_t cols, size_t stride,
                           const double *x, const attest_hosted *h)
{
    size_t r = 0;
    spread s;

    if (rows >= WIDTH) {
        spread_init(&s, h);
        for (; r + WIDTH <= rows; r += WIDTH)
            if (h->plain)
                combine_plain(y + r, m + r, cols, stride, x);
            else if (h->unbounded)
                *h->escaped |= !combine_watched(y + r, m + r, cols, stride, x, &s);
            else
                (h->special ? combine_special : combine_rounded)(y + r, m + r, cols, stride, x,
                                                                 &s);
    }
    for (; r < rows; r++) {
        double sum = attest_hosted_mul(m[r], x[0], h);
        for (size_t c = 1; c < cols; c++)
            sum = attest_hosted_add(sum, attest_hosted_mul(m[c * stride + r], x[c], h), h);
        y[r] = sum;
    }
}
