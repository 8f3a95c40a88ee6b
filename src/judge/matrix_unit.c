/* matrix_unit.c -- the sum of a block of products: aligned, cut and added in 64-bit integers.
 * */
#include "judge/matrix_unit.h"

enum {
    MOST_FACTOR_BITS = 25,
    MOST_TERMS = ATTEST_JUDGE_UNIT_MOST_TERMS,
    MOST_BITS = 53 - ATTEST_JUDGE_UNIT_SPREAD, /* fraction + 2 and carries: sums are doubles */
    NOTHING = ATTEST_JUDGE_UNIT_NOTHING,
    SINGLE_BITS = ATTEST_JUDGE_UNIT_SINGLE_BITS,
    SINGLE_EMIN = ATTEST_JUDGE_UNIT_SINGLE_EMIN,
    SINGLE_QUANTUM = -149
};

static bool is_format(const attest_format *format, long precision, long emin, long emax)
{
    return format->bounded && attest_format_is_ieee(format) && format->precision == precision &&
           format->emin == emin && format->emax == emax;
}

static bool is_half(const attest_format *format)
{
    return is_format(format, ATTEST_JUDGE_UNIT_HALF_BITS, ATTEST_JUDGE_UNIT_HALF_EMIN, 15);
}

static bool factor_fits(const attest_format *format)
{
    return format->bounded && format->precision <= MOST_FACTOR_BITS &&
           attest_in_double_fits(format, ATTEST_SIMULATED_NEAREST);
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

/* The bits of a result in binary32. */
static int get_bits(const attest_judge_unit *unit)
{
    return 1 + unit->fraction < SINGLE_BITS ? 1 + unit->fraction : SINGLE_BITS;
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
                                .least = NOTHING,
                                .half = is_half(result)};
    attest_in_double_init(&unit->result, result, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    unit->columns =
        (struct judge_loops_unit){.a_least = ldexp(1, unit->a_emin),
                                  .b_least = ldexp(1, unit->b_emin),
                                  .cut = ldexp(1, -unit->fraction),
                                  .kept = ~(((uint64_t)1 << (53 - get_bits(unit))) - 1)};
}

bool attest_judge_unit_has_columns(const attest_judge_unit *unit)
{
    return !unit->half && unit->least == NOTHING;
}

/* u 2^quantum. Exact: u is below 2^53, and the result not below 2^-1022 if the quantum is not.
 */
static double scale(uint64_t u, int quantum)
{
    return quantum > -1000
               ? (double)u * attest_in_double_double((uint64_t)(quantum + 1023) << 52)
               : ldexp((double)u, quantum);
}

/* Returns sum 2^quantum, cut toward zero to this many bits and to the quantum of binary32. */
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
    r = scale(u, quantum);
    if (r > 0x1.fffffep127)
        r = INFINITY;
    return sum < 0 ? -r : r;
}

double attest_judge_unit_round(int64_t sum, int quantum, const attest_judge_unit *unit)
{
    if (unit->half) /* a zero result is +0, here as in binary32 */
        return attest_in_double_nearest(ldexp((double)sum, quantum), &unit->result) + 0.0;
    return round_single(sum, quantum, get_bits(unit));
}

double attest_judge_unit_sum(double addend, const attest_judge_block *block,
                             const attest_judge_unit *unit)
{
    attest_judge_term term[MOST_TERMS + 1], *c = &term[block->count];
    int exponent;
    int64_t sum = 0;
    double invalid = 0 * addend; /* NaN if the addend or a factor is not finite */

    *c = attest_judge_term_split_addend(addend, unit);
    exponent = c->exponent;
    for (size_t i = 0; i < block->count; i++) {
        double a = block->a[i], b = block->b[i * block->stride];

        term[i] =
            attest_judge_term_multiply(attest_judge_term_split(a, unit->a_bits, unit->a_emin),
                                       attest_judge_term_split(b, unit->b_bits, unit->b_emin));
        invalid += 0 * a;
        if (term[i].exponent > exponent)
            exponent = term[i].exponent;
    }
    if (isnan(invalid))
        return isnan(addend) || isfinite(addend) ? invalid : addend;
    if (exponent == NOTHING)
        return 0;
    if (exponent < unit->least)
        exponent = unit->least;
    for (size_t i = 0; i <= block->count; i++)
        sum += attest_judge_term_align(&term[i], exponent - unit->fraction);
    return attest_judge_unit_round(sum, exponent - unit->fraction, unit);
}

void attest_judge_unit_add_columns(double *o, const attest_judge_block *block, size_t columns,
                                   const attest_judge_unit *unit)
{
    unsigned char open[ATTEST_JUDGE_UNIT_COLUMNS];
    attest_judge_block one = *block;

    for (size_t c = 0; c < columns; c += ATTEST_JUDGE_UNIT_COLUMNS) {
        size_t left = columns - c;

        left = left < ATTEST_JUDGE_UNIT_COLUMNS ? left : ATTEST_JUDGE_UNIT_COLUMNS;
        attest_judge_loops()->unit_ends(o + c, o + c, open, &unit->columns, block->a, block->a,
                                        block->b + c, block->stride, block->count, left);
        for (size_t i = 0; i < left; i++) {
            one.b = block->b + c + i;
            if (open[i])
                o[c + i] = attest_judge_unit_sum(o[c + i], &one, unit);
        }
    }
}
