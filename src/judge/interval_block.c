/* interval_block.c -- a block of a matrix unit whose terms are known to lie between two ends.
 */
#include "judge/matrix_unit_terms.h"
#include "judge/interval_run.h"

enum { MOST_TERMS = ATTEST_JUDGE_UNIT_MOST_TERMS, NOTHING = ATTEST_JUDGE_UNIT_NOTHING };

/* The terms of both ends, the addends last. */
typedef struct ends {
    attest_judge_term lower[MOST_TERMS + 1], upper[MOST_TERMS + 1];
    size_t count;
    int least, most; /* the largest exponent that there is for certain, and that there may be */
} ends;

static void widen(ends *x, int one, int other)
{
    int least = one < other ? one : other, most = one < other ? other : one;

    x->least = least > x->least ? least : x->least;
    x->most = most > x->most ? most : x->most;
}

static void split(ends *x, double lo, double hi, const attest_judge_block *lower,
                  const attest_judge_block *upper, const attest_judge_unit *unit)
{
    attest_judge_term *c = &x->lower[lower->count], *d = &x->upper[lower->count];

    x->least = x->most = NOTHING;
    x->count = lower->count + 1;
    *c = attest_judge_term_split_addend(lo, unit);
    *d = attest_judge_term_split_addend(hi, unit);
    widen(x, c->exponent, d->exponent);
    if (lo <= 0 && hi >= 0)
        x->least = NOTHING;
    for (size_t i = 0; i < lower->count; i++) {
        attest_judge_term b =
            attest_judge_term_split(lower->b[i * lower->stride], unit->b_bits, unit->b_emin);

        c = &x->lower[i];
        d = &x->upper[i];
        *c = attest_judge_term_multiply(
            attest_judge_term_split(lower->a[i], unit->a_bits, unit->a_emin), b);
        *d = lower->a[i] == upper->a[i]
                 ? *c
                 : attest_judge_term_multiply(
                       attest_judge_term_split(upper->a[i], unit->a_bits, unit->a_emin), b);
        widen(x, c->exponent, d->exponent);
    }
}

/* What the unit would return for these terms if E were exponent, the exact sum moved by so many
 * units before it is rounded. */
static double sum_at(const attest_judge_term *term, size_t count, int exponent, long moved,
                     const attest_judge_unit *unit)
{
    int quantum = exponent - unit->fraction;
    int64_t sum = moved;

    for (size_t i = 0; i < count; i++)
        sum += attest_judge_term_align(&term[i], quantum);
    return attest_judge_unit_round(sum, quantum, unit);
}

bool attest_judge_interval_block(double *lo, double *hi, const attest_judge_block *lower,
                                 const attest_judge_block *upper, const attest_judge_unit *unit)
{
    ends x;
    long terms = (long)lower->count + 1;
    int from;

    split(&x, *lo, *hi, lower, upper, unit);
    if (x.most == NOTHING) {
        *lo = *hi = 0;
        return true;
    }
    from = x.most - ATTEST_JUDGE_UNIT_SPREAD;
    from = x.least < from ? from : x.least;
    /* E below from: every term is cut by less than a unit of from more or less. */
    *lo = sum_at(x.lower, x.count, from, x.least < from ? -terms : 0, unit);
    *hi = sum_at(x.upper, x.count, from, x.least < from ? terms : 0, unit);
    for (int e = from + 1; e <= x.most; e++) {
        *lo = fmin(*lo, sum_at(x.lower, x.count, e, 0, unit));
        *hi = fmax(*hi, sum_at(x.upper, x.count, e, 0, unit));
    }
    return isfinite(*lo) && isfinite(*hi);
}

/* One column, whose largest exponent is open: the sign of a value chooses the end. */
static bool add_column(double *lo, double *hi, const double *low, const double *high,
                       const attest_judge_block *b, const attest_judge_unit *unit)
{
    double lower[MOST_TERMS], upper[MOST_TERMS];
    attest_judge_block down = {lower, b->b, b->stride, b->count};
    attest_judge_block up = {upper, b->b, b->stride, b->count};

    for (size_t j = 0; j < b->count; j++) {
        bool negative = b->b[j * b->stride] < 0;

        lower[j] = negative ? high[j] : low[j];
        upper[j] = negative ? low[j] : high[j];
    }
    return attest_judge_interval_block(lo, hi, &down, &up, unit);
}

bool attest_judge_interval_columns(double *lo, double *hi, const double *low,
                                   const double *high, const attest_judge_block *b,
                                   size_t columns, const attest_judge_unit *unit)
{
    unsigned char open[ATTEST_JUDGE_UNIT_COLUMNS];
    attest_judge_block one = *b;
    bool ok = true;

    for (size_t c = 0; c < columns; c += ATTEST_JUDGE_UNIT_COLUMNS) {
        size_t left = columns - c;

        left = left < ATTEST_JUDGE_UNIT_COLUMNS ? left : ATTEST_JUDGE_UNIT_COLUMNS;
        attest_judge_loops()->unit_ends(lo + c, hi + c, open, &unit->columns, low, high,
                                        b->b + c, b->stride, b->count, left);
        for (size_t i = 0; i < left; i++) {
            one.b = b->b + c + i;
            if (open[i])
                ok = add_column(&lo[c + i], &hi[c + i], low, high, &one, unit) && ok;
        }
    }
    return ok;
}
