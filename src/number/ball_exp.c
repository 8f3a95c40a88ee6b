/* ball_exp.c -- exponentials as balls: of many rationals at once, the softmax weights of a head
 * from rounded scores, and e^{-depth} for depths of any size. The bounds are derived in
 * proofs-notes/attention.md, "Exponentials" and "Rounded scores". */
#include "number/ball_exp.h"

#include <math.h>

#include "number/rationals.h"
#include "number/scope.h"

/* The multipliers k_j of a lattice must fit in a word. */
enum { LATTICE_MAX_BITS = 62, LATTICE_MAX_WINDOW = 10 };

/* value = [0, 2^-2^(CUTOFF-1)]. */
static void set_tiny(arb_t value)
{
    FMPZ(exponent);

    fmpz_one(exponent);
    fmpz_mul_2exp(exponent, exponent, ATTEST_BALL_EXP_CUTOFF - 1);
    fmpz_neg(exponent, exponent);
    fmpz_sub_ui(exponent, exponent, 1); /* midpoint and radius are half of the bound */
    arf_one(arb_midref(value));
    arf_mul_2exp_fmpz(arb_midref(value), arb_midref(value), exponent);
    mag_one(arb_radref(value));
    mag_mul_2exp_fmpz(arb_radref(value), arb_radref(value), exponent);
}

/* An s with 2^(s-2) <= |numerator / denominator| < 2^s. */
static slong fraction_size(const fmpz_t numerator, const fmpz_t denominator)
{
    return (slong)fmpz_bits(numerator) - (slong)fmpz_bits(denominator) + 1;
}

/* value encloses exp(numerator / denominator), and radius <= 2^(2-precision) value.
 * Domain: numerator != 0 and a size of at most CUTOFF. */
static void exp_fraction(arb_t value, const fmpz_t numerator, const fmpz_t denominator,
                         slong precision)
{
    slong size = fraction_size(numerator, denominator);
    ARB(x);

    for (slong guard = 2;; guard *= 2) {
        /* |x| < 2^size, so its absolute error, which is a relative one of exp(x), is at most
         * 2^-(precision+guard). */
        arb_fmpz_div_fmpz(x, numerator, denominator,
                          precision + guard + 1 + (size > 0 ? size : 0));
        arb_exp(value, x, precision + guard);
        /* Arb does not bound the radius of its result. */
        if (arb_rel_accuracy_bits(value) >= precision - 1)
            break;
    }
}

/* value encloses exp(x), x = numerator times inverse, a ball for 1/denominator; false if it is
 * not as narrow as exp_fraction's. This spares the division of long integers. */
static bool exp_product(arb_t value, arb_t x, const fmpz_t numerator, const arb_t inverse,
                        slong size, slong precision)
{
    /* Three roundings of x < 2^size: an absolute error of at most 2^-(precision+2). */
    slong wide = precision + 5 + (size > 0 ? size : 0);

    arb_set_round_fmpz(x, numerator, wide);
    arb_mul(x, x, inverse, wide);
    arb_exp(value, x, precision + 2);
    return arb_rel_accuracy_bits(value) >= precision - 1;
}

/* Each exponential by itself. least is the least of the numerators. */
static void exp_each(arb_ptr value, const fmpz *numerator, const fmpz_t least,
                     const fmpz_t denominator, size_t count, slong precision)
{
    slong most = fmpz_is_zero(least) ? 0 : fraction_size(least, denominator);
    ARB(inverse, x);

    if (most > ATTEST_BALL_EXP_CUTOFF)
        most = ATTEST_BALL_EXP_CUTOFF;
    arb_set_round_fmpz(inverse, denominator, precision + 8 + (most > 0 ? most : 0));
    arb_inv(inverse, inverse, precision + 8 + (most > 0 ? most : 0));
    for (size_t j = 0; j < count; j++) {
        slong size;
        if (fmpz_is_zero(numerator + j)) {
            arb_one(value + j);
            continue;
        }
        size = fraction_size(numerator + j, denominator);
        if (size > ATTEST_BALL_EXP_CUTOFF)
            set_tiny(value + j); /* exp(x) < 2^x <= 2^-2^(size-2), size - 2 >= CUTOFF - 1 */
        else if (!exp_product(value + j, x, numerator + j, inverse, size, precision))
            exp_fraction(value + j, numerator + j, denominator, precision);
    }
}

/* numerator[j] = -k_j step with integers 0 <= k_j < 2^bits, and how the powers are made. */
typedef struct lattice {
    fmpz_t step;
    fmpz_t least;    /* of the numerators */
    ulong *multiple; /* k_j */
    ulong largest;
    slong bits;
    slong window; /* k_j is read in digits of this many bits, */
    slong digits; /* this many of them */
} lattice;

/* The least cost of an exponential in multiplications; measured: 11 at 64 to 256 bits, 20 and
 * more from 512 on. A wrong value costs time, never correctness. */
static double exp_in_multiplications(slong precision)
{
    return precision < 192 ? 8 : precision < 448 ? 10 : 18;
}

/* The most bits of a multiple with which count powers can be cheaper than exponentials: every
 * digit but one costs a table and count products (power_cost), for any window. */
static slong longest_multiple(size_t count, slong precision)
{
    double worth = exp_in_multiplications(precision) * (double)count;
    slong longest = 0;

    for (slong window = 1; window <= LATTICE_MAX_WINDOW; window++) {
        double digit = (double)(((ulong)1 << window) - 1) + (double)count;
        slong bits = window * (1 + (slong)(worth / digit));
        longest = bits > longest ? bits : longest;
    }
    return longest < LATTICE_MAX_BITS ? longest : LATTICE_MAX_BITS;
}

/* step = the greatest common divisor of the numerators, or 1 as soon as some multiple has more
 * than longest bits; least = the least of the numerators. Returns the number of nonzero ones.
 */
static size_t find_step(fmpz_t step, fmpz_t least, const fmpz *numerator, size_t count,
                        slong longest)
{
    size_t nonzero = 0;

    fmpz_zero(step);
    fmpz_zero(least);
    for (size_t j = 0; j < count; j++) {
        if (fmpz_is_zero(numerator + j))
            continue;
        nonzero++;
        if (!fmpz_is_one(step))
            fmpz_gcd(step, step, numerator + j);
        if (fmpz_bits(numerator + j) > fmpz_bits(step) + (mp_bitcnt_t)longest + 1)
            fmpz_one(step);
        if (fmpz_cmp(numerator + j, least) < 0)
            fmpz_set(least, numerator + j);
    }
    return nonzero;
}

/* True if the numerators, of any sign, are multiples k_j g of one integer g with k_j so short
 * that powers may be cheaper than exponentials; also true if at most two of them are nonzero,
 * which is too few to decide. */
static bool is_lattice(const fmpz *numerator, size_t count, slong precision)
{
    bool found;
    FMPZ(step, least);

    found = find_step(step, least, numerator, count, longest_multiple(count, precision)) <= 2 ||
            !fmpz_is_one(step);
    return found;
}

/* Multiplications for count powers with digits of window bits: a table for each digit but 0,
 * and one product per power and further digit. */
static double power_cost(const lattice *l, size_t count, slong window, slong digits)
{
    double table = (double)(((ulong)1 << window) - 1);
    double top = (double)(l->largest >> (window * (digits - 1)));

    return top + (double)(digits - 1) * (table + (double)count);
}

/* Chooses the digits; returns the least cost in multiplications. */
static double choose_window(lattice *l, size_t count)
{
    double least = HUGE_VAL;

    for (slong window = 1; window <= LATTICE_MAX_WINDOW; window++) {
        slong digits = (l->bits + window - 1) / window;
        double cost = power_cost(l, count, window, digits);
        if (cost < least) {
            least = cost;
            l->window = window;
            l->digits = digits;
        }
    }
    return least;
}

/* The k_j. */
static void set_multiples(lattice *l, const fmpz *numerator, size_t count)
{
    FMPZ(k);

    l->multiple = flint_malloc(count * sizeof *l->multiple);
    for (size_t j = 0; j < count; j++) {
        fmpz_divexact(k, numerator + j, l->step);
        l->multiple[j] = (ulong)-fmpz_get_si(k);
    }
}

/* True if the numerators are multiples of a step whose powers are cheaper than exponentials.
 * l->least is set in any case. */
static bool lattice_init(lattice *l, const fmpz *numerator, const fmpz_t denominator,
                         size_t count, slong precision)
{
    size_t nonzero;
    bool useful = false;
    FMPZ(largest);

    fmpz_init(l->step);
    fmpz_init(l->least);
    l->multiple = NULL;
    nonzero =
        find_step(l->step, l->least, numerator, count, longest_multiple(count, precision));
    if (nonzero <= 2 || fraction_size(l->least, denominator) > ATTEST_BALL_EXP_CUTOFF)
        return false;
    fmpz_divexact(largest, l->least, l->step);
    l->bits = (slong)fmpz_bits(largest);
    if (l->bits <= LATTICE_MAX_BITS) {
        /* The powers are made with l->bits more bits than the exponentials would be. */
        double cost_ratio = 1 + 1.5 * (double)(l->bits + 3) / (double)precision;
        double one = exp_in_multiplications(precision);
        l->largest = (ulong)-fmpz_get_si(largest);
        useful = cost_ratio * (choose_window(l, nonzero) + one) < 0.9 * one * (double)nonzero;
    }
    if (useful)
        set_multiples(l, numerator, count);
    return useful;
}

static void lattice_clear(lattice *l)
{
    fmpz_clear(l->step);
    fmpz_clear(l->least);
    flint_free(l->multiple);
}

/* power[i] = base^i for 1 <= i <= most; power[1] is the base. */
static void fill_powers(arb_ptr power, ulong most, slong precision)
{
    for (ulong i = 2; i <= most; i++)
        if (i % 2 == 0)
            arb_sqr(power + i, power + i / 2, precision);
        else
            arb_mul(power + i, power + i - 1, power + 1, precision);
}

/* All exponentials as powers of exp(-step/denominator): digit by digit of the multiples,
 * value[j] is multiplied by the table's entry. */
static void exp_lattice(arb_ptr value, const lattice *l, const fmpz_t denominator, size_t count,
                        slong precision)
{
    /* A power's relative error is at most k < 2^bits times 2^(2-wide) for the base and
     * 2^(1-wide) for the products: together below 2^(1-precision). */
    slong wide = precision + l->bits + 3;
    ulong entries = (ulong)1 << l->window;
    ARB_VEC(power, (slong)entries);
    FMPZ(step);

    fmpz_neg(step, l->step);
    exp_fraction(power + 1, step, denominator, wide);
    for (size_t j = 0; j < count; j++)
        arb_one(value + j);
    for (slong digit = 0; digit < l->digits; digit++) {
        slong shift = digit * l->window;
        ulong most = digit + 1 < l->digits ? entries - 1 : l->largest >> shift;
        fill_powers(power, most, wide);
        for (size_t j = 0; j < count; j++) {
            ulong i = (l->multiple[j] >> shift) & (entries - 1);
            if (i && digit && !arb_is_one(value + j))
                arb_mul(value + j, value + j, power + i, wide);
            else if (i)
                arb_set(value + j, power + i);
        }
        if (digit + 1 < l->digits)
            arb_mul(power + 1, power + 1, power + most, wide);
    }
    for (size_t j = 0; j < count; j++)
        arb_set_round(value + j, value + j, precision + 1);
}

void attest_ball_exp_fractions(arb_ptr value, const fmpz *numerator, const fmpz_t denominator,
                               size_t count, slong precision)
{
    lattice l;

    if (lattice_init(&l, numerator, denominator, count, precision))
        exp_lattice(value, &l, denominator, count, precision);
    else
        exp_each(value, numerator, l.least, denominator, count, precision);
    lattice_clear(&l);
}

/* Weights from rounded scores. */

/* Scores of 2^MOST_SIZE and more stay exact, since the exponents of unshifted weights would not
 * fit a word. With at most FEWEST keys exact differences are short anyway, and one or two equal
 * scores give weights without an error. */
enum { MOST_SIZE = 30, FEWEST = 2 };

void attest_ball_scores_init(attest_ball_scores *scores)
{
    *scores = (attest_ball_scores){0};
    arb_init(scores->one);
    arb_one(scores->one);
    arb_init(scores->inverse);
    arb_init(scores->score);
}

static void drop_keys(attest_ball_scores *scores)
{
    if (scores->count) {
        _arb_vec_clear(scores->key, (slong)(scores->count * scores->width));
        _arb_vec_clear(scores->query, (slong)scores->width);
    }
    scores->count = 0;
}

void attest_ball_scores_clear(attest_ball_scores *scores)
{
    drop_keys(scores);
    arb_clear(scores->one);
    arb_clear(scores->inverse);
    arb_clear(scores->score);
}

static slong most_bits(const fmpz *vector, size_t count)
{
    slong bits = _fmpz_vec_max_bits(vector, (slong)count);

    return bits < 0 ? -bits : bits;
}

/* The precision of a query's rounded scores, or 0 if exact ones are not longer or too large. */
static slong rounded_bits(slong key_bits, slong query_bits, size_t width,
                          const fmpz_t denominator, slong precision)
{
    /* |key . query| < 2^exact, and 2^(bits-1) <= denominator: |score| < 2^size. */
    slong exact = key_bits + query_bits + (slong)FLINT_BIT_COUNT(width);
    slong size = exact - (slong)fmpz_bits(denominator) + 1;
    slong wide = precision + 6 + (size > 0 ? size : 0);

    return wide < exact && size <= MOST_SIZE ? wide : 0;
}

/* True if the differences of the scores of query are multiples of one step. */
static bool has_step(const fmpz *key, size_t count, size_t width, const fmpz *query,
                     slong precision)
{
    FMPZ_VEC(difference, (slong)count);

    for (size_t j = 0; j < count; j++) {
        attest_integer_dot(difference + j, key + j * width, query, width);
        if (j > 0)
            fmpz_sub(difference + j, difference + j, difference);
    }
    return is_lattice(difference + 1, count - 1, precision);
}

void attest_ball_scores_set(attest_ball_scores *scores, const fmpz *key, size_t count,
                            size_t width, const fmpz *first, const fmpz_t denominator,
                            slong precision)
{
    slong bits = most_bits(key, count * width);

    drop_keys(scores);
    if (count <= FEWEST ||
        !rounded_bits(bits, most_bits(first, width), width, denominator, precision) ||
        has_step(key, count, width, first, precision))
        return;
    scores->count = count;
    scores->width = width;
    scores->bits = bits;
    scores->key = _arb_vec_init((slong)(count * width));
    scores->query = _arb_vec_init((slong)width);
    for (size_t i = 0; i < count * width; i++)
        arb_set_fmpz(scores->key + i, key + i);
}

/* scores->query encloses query / denominator: four roundings each. */
static void set_query(attest_ball_scores *scores, const fmpz *query, const fmpz_t denominator,
                      slong wide)
{
    arb_set_round_fmpz(scores->inverse, denominator, wide);
    arb_inv(scores->inverse, scores->inverse, wide);
    for (size_t i = 0; i < scores->width; i++) {
        arb_set_round_fmpz(scores->query + i, query + i, wide);
        arb_mul(scores->query + i, scores->query + i, scores->inverse, wide);
    }
}

bool attest_ball_scores_exp(arb_ptr value, arb_ptr total, attest_ball_scores *scores,
                            const fmpz *query, const fmpz_t denominator, size_t count,
                            slong precision)
{
    size_t width = scores->width;
    slong wide;

    if (scores->count == 0 || count <= FEWEST)
        return false;
    wide = rounded_bits(scores->bits, most_bits(query, width), width, denominator, precision);
    if (wide == 0)
        return false;
    set_query(scores, query, denominator, wide);
    for (size_t j = 0; j < count; j++) {
        arb_dot(scores->score, NULL, 0, scores->key + j * width, 1, scores->query, 1,
                (slong)width, wide);
        arb_exp(value + j, scores->score, precision + 2);
        /* Arb does not bound the radius of its result. */
        if (arb_rel_accuracy_bits(value + j) < precision - 1)
            return false;
    }
    arb_dot(total, NULL, 0, value, 1, scores->one, 0, (slong)count, precision);
    return true;
}

/* For depths where arb_exp gives up. With k an integer near depth / log 2, e^{-depth} = 2^{-k}
 * e^{k log 2 - depth}. The bits of k are added to the precision of log 2, so the exponent left
 * has an absolute error near 2^-bits. Any integer k is right. */
static void reduce_and_exp(arb_t weight, const arb_t depth, long bits)
{
    long long_bits = bits + arf_abs_bound_lt_2exp_si(arb_midref(depth));
    ARB(quotient, rest);
    FMPZ(k);

    arb_const_log2(rest, long_bits);
    arb_div(quotient, depth, rest, long_bits);
    arf_get_fmpz(k, arb_midref(quotient), ARF_RND_NEAR);
    arb_mul_fmpz(rest, rest, k, long_bits);
    arb_sub(rest, rest, depth, long_bits);
    arb_exp(weight, rest, bits);
    fmpz_neg(k, k);
    arb_mul_2exp_fmpz(weight, weight, k);
}

void attest_huge_exp(arb_t weight, const arb_t depth, long bits)
{
    if (arf_cmpabs_2exp_si(arb_midref(depth), 62) >= 0) {
        reduce_and_exp(weight, depth, bits);
    } else {
        arb_neg(weight, depth);
        arb_exp(weight, weight, bits);
    }
}

bool attest_huge_exp_scale(arb_t value, arb_t log2, const arb_t factor, const arb_t depth,
                           long bits)
{
    ARB(ln2);

    if (!arb_is_positive(factor))
        return false;
    arb_one(value);
    if (depth)
        attest_huge_exp(value, depth, bits);
    arb_mul(value, value, factor, bits);
    arb_const_log2(ln2, bits);
    arb_log(log2, factor, bits);
    if (depth)
        arb_sub(log2, log2, depth, ARF_PREC_EXACT);
    arb_div(log2, log2, ln2, bits);
    return true;
}
