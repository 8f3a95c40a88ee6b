/* matrix_unit.c -- a block of products, aligned, cut and summed in 64-bit integers. */
#include "judge/matrix_unit.h"

enum {
    MOST_FACTOR_BITS = 25,
    MOST_TERMS = 512,
    MOST_BITS = 53 - ATTEST_JUDGE_UNIT_SPREAD, /* fraction + 2 and carries: sums are doubles */
    SINGLE_BITS = 24,
    SINGLE_EMIN = -126,
    SINGLE_QUANTUM = -149,
    HALF_EMIN = -14
};

static bool is_format(const attest_format *format, long precision, long emin, long emax)
{
    return format->bounded && !format->finite_only && format->precision == precision &&
           format->emin == emin && format->emax == emax;
}

static bool is_half(const attest_format *format)
{
    return is_format(format, 11, HALF_EMIN, 15);
}

static bool factor_fits(const attest_format *format)
{
    return format->bounded && format->precision <= MOST_FACTOR_BITS &&
           attest_hosted_fits(format, ATTEST_SIMULATED_NEAREST);
}

bool attest_judge_unit_fits(const attest_format *a, const attest_format *b,
                            const attest_format *result, size_t block, size_t fraction)
{
    size_t bits = fraction + 2;

    if (fraction < 1 || fraction > MOST_BITS || block < 1 || block > MOST_TERMS)
        return false;
    for (size_t terms = block; terms > 0; terms /= 2)
        bits++;
    return bits <= MOST_BITS && factor_fits(a) && factor_fits(b) &&
           (is_half(result) || is_format(result, SINGLE_BITS, SINGLE_EMIN, 127));
}

void attest_judge_unit_init(attest_judge_unit *unit, const attest_format *a,
                            const attest_format *b, const attest_format *result,
                            size_t fraction)
{
    *unit = (attest_judge_unit){.a_bits = (int)a->precision,
                                .a_emin = (int)a->emin,
                                .b_bits = (int)b->precision,
                                .b_emin = (int)b->emin,
                                .fraction = (int)fraction,
                                .half = is_half(result)};
    attest_hosted_init(&unit->result, result, ATTEST_SIMULATED_NEAREST, NULL, NULL);
}

/* |x| = magnitude 2^(exponent - bits + 1), with exponent at least emin. */
typedef struct number {
    uint64_t magnitude;
    int exponent;
} number;

static inline number split(double x, int bits, int emin)
{
    uint64_t u = attest_hosted_bits(x);
    int exponent = (int)(u >> 52 & 0x7ff) - 1023, below = emin - exponent, shift = 53 - bits;
    uint64_t significand = (u & 0xfffffffffffffu) | (uint64_t)1 << 52;

    if (below > 0) {
        shift += below;
        exponent = emin;
    }
    /* The least number of the format is shifted by 52; 0 lies far below it. */
    if (shift > 52)
        return (number){0, ATTEST_JUDGE_UNIT_NOTHING};
    return (number){significand >> shift, exponent};
}

static inline number split_product(double a, double b, const attest_judge_unit *unit)
{
    number x = split(a, unit->a_bits, unit->a_emin), y = split(b, unit->b_bits, unit->b_emin);

    if (x.magnitude == 0 || y.magnitude == 0)
        return (number){0, ATTEST_JUDGE_UNIT_NOTHING};
    return (number){x.magnitude * y.magnitude, x.exponent + y.exponent};
}

static inline number split_addend(double addend, const attest_judge_unit *unit)
{
    return unit->half ? split(addend, 11, HALF_EMIN) : split(addend, SINGLE_BITS, SINGLE_EMIN);
}

int attest_judge_unit_exponent(double a, double b, const attest_judge_unit *unit)
{
    return split_product(a, b, unit).exponent;
}

int attest_judge_unit_addend_exponent(double addend, const attest_judge_unit *unit)
{
    return split_addend(addend, unit).exponent;
}

/* The term in units of 2^(exponent - fraction), cut toward zero. Its last bit is worth
 * 2^(term.exponent - last). */
static inline int64_t align(number term, int last, bool negative, int exponent, int fraction)
{
    int shift = exponent - fraction - (term.exponent - last);
    uint64_t units = shift > 63   ? 0
                     : shift >= 0 ? term.magnitude >> shift
                                  : term.magnitude << -shift;

    return negative ? -(int64_t)units : (int64_t)units;
}

/* sum 2^quantum toward zero, to so many bits and to binary32's quantum. */
static double round_single(int64_t sum, int quantum, int bits)
{
    uint64_t u = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
    int length = u == 0 ? 0 : 64 - __builtin_clzll(u), drop = length - bits;
    double r;

    if (drop < SINGLE_QUANTUM - quantum)
        drop = SINGLE_QUANTUM - quantum;
    if (drop > 0)
        u = drop > 63 ? 0 : u >> drop << drop;
    if (u == 0)
        return 0;
    r = ldexp((double)u, quantum); /* exact: at most 24 bits */
    if (r > 0x1.fffffep127)
        r = INFINITY;
    return sum < 0 ? -r : r;
}

static double round_sum(int64_t sum, int exponent, const attest_judge_unit *unit)
{
    int quantum = exponent - unit->fraction;

    if (unit->half)
        return sum == 0 ? 0 : attest_hosted_nearest(ldexp((double)sum, quantum), &unit->result);
    return round_single(
        sum, quantum,
        1 + (unit->fraction < SINGLE_BITS - 1 ? unit->fraction : SINGLE_BITS - 1));
}

double attest_judge_unit_sum_at(double addend, const attest_judge_block *block, int exponent,
                                long moved, const attest_judge_unit *unit)
{
    int last = unit->a_bits + unit->b_bits - 2,
        addend_last = (unit->half ? 11 : SINGLE_BITS) - 1;
    int64_t sum = moved;

    for (size_t i = 0; i < block->count; i++) {
        double a = block->a[i], b = block->b[i * block->stride];

        sum += align(split_product(a, b, unit), last, signbit(a) != signbit(b), exponent,
                     unit->fraction);
    }
    sum += align(split_addend(addend, unit), addend_last, signbit(addend), exponent,
                 unit->fraction);
    return round_sum(sum, exponent, unit);
}

double attest_judge_unit_sum(double addend, const attest_judge_block *block,
                             const attest_judge_unit *unit)
{
    int last = unit->a_bits + unit->b_bits - 2,
        addend_last = (unit->half ? 11 : SINGLE_BITS) - 1;
    number term[MOST_TERMS], c = split_addend(addend, unit);
    bool negative[MOST_TERMS];
    int exponent = c.exponent;
    int64_t sum;

    if (!isfinite(addend))
        return addend;
    for (size_t i = 0; i < block->count; i++) {
        double a = block->a[i], b = block->b[i * block->stride];

        term[i] = split_product(a, b, unit);
        negative[i] = signbit(a) != signbit(b);
        if (term[i].exponent > exponent)
            exponent = term[i].exponent;
    }
    if (exponent == ATTEST_JUDGE_UNIT_NOTHING)
        return 0;
    sum = align(c, addend_last, signbit(addend), exponent, unit->fraction);
    for (size_t i = 0; i < block->count; i++)
        sum += align(term[i], last, negative[i], exponent, unit->fraction);
    return round_sum(sum, exponent, unit);
}

double attest_judge_unit_chain(double addend, const attest_judge_block *all, size_t size,
                               const attest_judge_unit *unit)
{
    for (size_t i = 0; i < all->count; i += size) {
        size_t left = all->count - i;
        attest_judge_block block = {all->a + i, all->b + i * all->stride, all->stride,
                                    left < size ? left : size};

        addend = attest_judge_unit_sum(addend, &block, unit);
    }
    return addend;
}
