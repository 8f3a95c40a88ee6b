/* arithmetic.c -- the rounding errors of a format, of sums in it, and of exp. */
#include "judge/arithmetic.h"

#include <attest/kernel.h>

#include <float.h>
#include <math.h>

#include "number/scope.h"

/* ---- unit roundoffs, limits, and exponentials rounded outward ---- */

void attest_judge_arithmetic_init(attest_judge_arithmetic *unit, const attest_format *format)
{
    int p = (int)format->precision;

    attest_in_double_init(&unit->in_double, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    unit->u = ldexp(1, -p);
    unit->least = unit->quantum = 0;
    unit->limit = (double)INFINITY;
    if (!format->bounded)
        return;
    unit->quantum = ldexp(1, (int)format->emin - p + 1);
    unit->least = format->emin <= -126 ? ldexp(1, (int)format->emin) : unit->quantum;
    unit->limit = format->emax >= 1023
                      ? DBL_MAX
                      : ldexp(2 - ldexp(format->top_is_nan ? 3 : 1, -p), (int)format->emax);
}

bool attest_judge_arithmetic_includes_limit(const attest_format *format)
{
    return format->top_is_nan;
}

struct judge_loops_format attest_judge_arithmetic_get_format(const attest_in_double *h,
                                                             bool flush)
{
    return (struct judge_loops_format){.unit = ldexp(2, (int)-h->format.precision),
                                       .quantum = h->quantum,
                                       .most = h->most,
                                       .overflow = h->overflow,
                                       .least = flush ? h->tiny : 0,
                                       .no_minus_zero = h->format.no_minus_zero};
}

double attest_judge_exp_up(double x)
{
    double y;

    attest_kernel_exp(&y, &x, 1);
    return y * (1 + ATTEST_TERM(exp_up, 0x1p-50)) + ATTEST_TERM(exp_least, 0x1p-1070);
}

double attest_judge_exp_down(double x)
{
    double y;

    attest_kernel_exp(&y, &x, 1);
    return y < 0x1p-1000 ? 0 : y * (1 - ATTEST_TERM(exp_down, 0x1p-50));
}

double attest_judge_grow(double u, double n)
{
    double x = n * u; /* exact: u is a power of two */

    /* (1+u)^n <= e^(nu), and e^x - 1 <= x + x^2 for x <= 1; judge.md, "Evaluation" */
    return x <= 0x1p-20 ? x + ATTEST_TERM(grow_square, x * x) : attest_judge_exp_up(x) - 1;
}

/* ---- (1): trees of roundings, and the blocks of a matrix unit ---- */

static bool is_tensor(attest_judge_order order)
{
    return order == ATTEST_JUDGE_ORDER_TENSOR || order == ATTEST_JUDGE_ORDER_TENSOR_FORWARD ||
           order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD;
}

/* The largest number of additions that a term passes; 0: as many as there are terms. A depth
 * has no meaning for sequential orders. */
static double depth_of(const attest_judge_dot *dot, double terms)
{
    double depth = 1;

    if (dot->order != ATTEST_JUDGE_ORDER_PAIRWISE)
        return dot->order == ATTEST_JUDGE_ORDER_ANY ? (double)dot->depth : 0;
    if (dot->depth > 0)
        return (double)dot->depth;
    for (double n = 1; n < terms; n *= 2)
        depth++;
    return depth;
}

/* Lemma 1 of proofs-notes/judge.md for the additions, with every term moved by the roundings of
 * its product and of its rescales before; the least numbers grow as the sums do. */
static void init_tree(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                      const attest_judge_arithmetic *unit, double rescales)
{
    double n = rule->terms, u = unit->u, depth = depth_of(dot, n);
    double moved =
        attest_judge_grow(u, ATTEST_TERM(tree_rescales, rescales) +
                                 ATTEST_TERM(tree_products, dot->exact_products ? 0 : 1));
    double lost = ATTEST_TERM(tree_least, (2 * n + rescales) * unit->least);
    double grown =
        attest_judge_grow(u, ATTEST_TERM(tree_additions, dot->exact_products ? n : n - 1));
    double deep = attest_judge_grow(u, ATTEST_TERM(tree_depth, depth + rescales + 1));

    rule->size_part = moved * (1 + grown) * ATTEST_JUDGE_UP;
    rule->most_part = grown * ATTEST_JUDGE_UP;
    rule->rest = lost * (1 + grown) * (1 + moved) * ATTEST_JUDGE_UP;
    rule->deep_size = depth > 0 ? deep * ATTEST_JUDGE_UP : (double)INFINITY;
    rule->deep_rest = lost * (1 + deep) * ATTEST_JUDGE_UP;
}

/* Lemma 2, groups: each errs by a part of the absolute values of its own terms, and their sums,
 * no more of them than blocks, are the leaves of a tree. Or every addend is a partial sum of a
 * group, and the additions of the groups round no more than Lemma 2 counts (judge.md). */
static void init_groups(attest_judge_sum_error *rule, double terms, double blocks, double u)
{
    double n = rule->terms < terms ? rule->terms : terms,
           cut = ATTEST_TERM(group_cut, (n + blocks) * rule->cut);
    double part = cut + ATTEST_TERM(group_kept, blocks * rule->kept),
           grown = attest_judge_grow(u, ATTEST_TERM(group_additions, rule->blocks));
    double factor = (1 + grown) / (1 - part) * ATTEST_JUDGE_UP;

    if (part < 0.5) {
        rule->promoted_size = part * factor * ATTEST_JUDGE_UP;
        rule->promoted_most = grown * ATTEST_JUDGE_UP;
        rule->promoted_rest = rule->blocks *
                              (ATTEST_TERM(group_raised, cut * rule->raised * factor) +
                               ATTEST_TERM(group_least, blocks * rule->least * factor +
                                                            rule->least * (1 + grown))) *
                              ATTEST_JUDGE_UP;
    }
}

void attest_judge_sum_error_init(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                 const attest_judge_arithmetic *unit, double terms,
                                 double blocks, double raised, double rescales)
{
    rule->tensor = is_tensor(dot->order);
    rule->limit = unit->limit;
    rule->terms = terms;
    rule->blocks = blocks;
    rule->raised = ATTEST_TERM(matrix_raised, raised);
    rule->least = ATTEST_TERM(matrix_least, unit->least);
    if (!rule->tensor) {
        init_tree(rule, dot, unit, rescales);
        return;
    }
    rule->cut = ATTEST_TERM(matrix_cut, ldexp(1, -(int)dot->fraction));
    rule->kept = ATTEST_TERM(
        matrix_kept, dot->accumulate.precision != 24 ? unit->u : fmax(rule->cut, 0x1p-23));
    rule->size_part = attest_judge_grow(unit->u, ATTEST_TERM(matrix_rescales, rescales));
    rule->rest = ATTEST_TERM(matrix_rest, (blocks + terms + rescales) * unit->least);
    rule->promoted_size = rule->promoted_most = 0;
    rule->promoted_rest = (double)INFINITY;
    if (dot->promote > 0)
        init_groups(rule, (double)dot->promote, (double)(dot->promote / dot->block), unit->u);
}

void attest_judge_sum_error_group(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                  const attest_judge_arithmetic *unit, size_t tile)
{
    double tiles = (double)dot->promote_tiles, size = (double)tile;

    if (!rule->tensor || dot->promote_tiles == 0)
        return;
    /* of any size: one group may have all blocks */
    init_groups(rule, tile > 0 ? tiles * size : rule->terms,
                tile > 0 ? tiles * ceil(size / (double)dot->block) : rule->blocks, unit->u);
}

/* ---- enclosures of exp and exp2, and their roundings to a format ---- */

/* Results for larger arguments are enclosed by [0, 2^-700] and [2^700, infinity]. */
static const double most_argument = 700;

/* The kernel's error is 0.60 ulp < 2^-52 of the value. For 2^x the argument f ln 2, |f| <= 1/2,
 * is off by less than 2^-53 (two roundings of 2^-53 of at most 0.35), which makes less than
 * 2^-52.9 of the value: together below 2^-51.3. The products round by 2^-53. */
void attest_judge_exp_enclose(double *lo, double *hi, double x, bool two)
{
    double whole = two ? rint(x) : 0, y, argument, power;

    if (!(x > -most_argument)) {
        *lo = 0;
        *hi = 0x1p-700;
        return;
    }
    if (!(x < most_argument)) {
        *lo = 0x1p700;
        *hi = INFINITY;
        return;
    }
    argument = two ? (x - whole) * 0x1.62e42fefa39efp-1 : x;
    attest_kernel_exp(&y, &argument, 1);
    if (argument == 0) {
        *lo = *hi = ldexp(1, (int)whole);
        return;
    }
    power = attest_in_double_double((uint64_t)(1023 + (int)whole) << 52);
    *lo = y * (1 - 0x1p-50) * power; /* exact: at least 2^-701 */
    *hi = y * (1 + 0x1p-50) * power;
}

/* By MPFR: a result rounded to odd with 53 bits rounds to the format like the exact value. */
static double exp_by_mpfr(double x, bool two, const attest_in_double *h)
{
    MPFR(53, y);
    double value;
    int inexact;

    mpfr_set_d(y, x, MPFR_RNDN);
    if (h->plain) {
        inexact = two ? mpfr_exp2(y, y, MPFR_RNDN) : mpfr_exp(y, y, MPFR_RNDN);
        value = mpfr_get_d(y, MPFR_RNDN);
    } else {
        inexact = two ? mpfr_exp2(y, y, MPFR_RNDZ) : mpfr_exp(y, y, MPFR_RNDZ);
        value = mpfr_get_d(y, MPFR_RNDZ);
        value = attest_in_double_convert(attest_in_double_to_odd(value, inexact ? 1 : 0), h);
    }
    return value;
}

/* The nearest number; the enclosure decides in most cases. */
static double nearest_of(double lo, double hi, double x, bool two, const attest_in_double *h)
{
    double low, high;

    if (h->plain)
        return lo == hi ? lo : exp_by_mpfr(x, two, h);
    low = attest_in_double_convert(lo, h);
    high = attest_in_double_convert(hi, h);
    return low == high ? low : exp_by_mpfr(x, two, h);
}

double attest_judge_exp_nearest(double x, bool two, const attest_in_double *h)
{
    double lo, hi;

    if (isnan(x))
        return x;
    attest_judge_exp_enclose(&lo, &hi, x, two);
    return nearest_of(lo, hi, x, two, h);
}

/* The neighbour of a positive number of the format, above or below. */
static double step(double x, bool up, const attest_in_double *h)
{
    uint64_t unit = (uint64_t)1 << h->shift;

    if (h->plain)
        return nextafter(x, up ? (double)INFINITY : 0);
    if (x < h->tiny || (x == h->tiny && !up))
        return up ? x + h->quantum : x - h->quantum;
    if (up && x >= h->most)
        return INFINITY;
    return attest_in_double_double(up ? attest_in_double_bits(x) + unit
                                      : attest_in_double_bits(x) - unit);
}

/* x rounded toward zero or away from it. Domain: x >= 0. */
static double round_magnitude(double x, bool up, const attest_in_double *h)
{
    double r;

    if (isinf(x) || h->plain)
        return x;
    if (x > h->most)
        return up ? (double)INFINITY : h->most;
    r = attest_in_double_nearest(x, h);
    if (up ? r < x : r > x)
        r = step(r, up, h);
    return r;
}

double attest_judge_round_down(double x, const attest_in_double *h)
{
    return x < 0 ? -round_magnitude(-x, true, h) : round_magnitude(x, false, h);
}

double attest_judge_round_up(double x, const attest_in_double *h)
{
    return -attest_judge_round_down(-x, h);
}

void attest_judge_exp_range(attest_judge_exponential *y, double x, bool two, double error,
                            bool outer, const attest_in_double *h)
{
    /* Each end is formed by three products that round by 2^-53: one factor covers them. */
    const double less = 1 - 0x1p-50, more = 1 + 0x1p-50;
    double low, high, lo, hi;

    y->nearest = y->lo = y->hi = x == 0 ? 1 : x;
    if (x == 0 || isnan(x))
        return;
    attest_judge_exp_enclose(&low, &high, x, two);
    y->nearest = nearest_of(low, high, x, two, h);
    lo = outer ? low * (1 - error) * less : high * (1 - error) * more;
    hi = outer ? high * (1 + error) * more : low * (1 + error) * less;
    y->lo = lo < 0x1p-126 ? 0 : attest_judge_round_up(lo, h);
    y->hi = attest_judge_round_down(hi, h);
    if (y->lo == 0)
        y->hi = fmax(y->hi, 0x1p-126);
    y->lo = fmin(y->lo, y->nearest);
    y->hi = fmax(y->hi, y->nearest);
}

double attest_judge_round_real(attest_judge_refine *refine, void *context,
                               const attest_in_double *h)
{
    ARB(value);
    ARF(low, high);
    double l, r;
    bool exact;

    for (slong bits = 128;; bits *= 2) {
        refine(value, context, bits);
        arb_get_lbound_arf(low, value, bits);
        arb_get_ubound_arf(high, value, bits);
        if (h->plain) {
            l = arf_get_d(low, ARF_RND_NEAR);
            r = arf_get_d(high, ARF_RND_NEAR);
            exact = true;
        } else {
            l = arf_get_d(low, ARF_RND_DOWN);
            r = arf_get_d(high, ARF_RND_DOWN);
            exact = arf_equal(low, high) && arf_cmp_d(low, l) == 0;
        }
        if (l == r)
            break;
    }
    return h->plain ? l
                    : attest_in_double_convert(attest_in_double_to_odd(l, exact ? 0 : l), h);
}
