/* accumulator.h -- sums in a format, in every order that a recipe can name.
 *
 * proofs-notes/judge-kernels.md (b) and (c). */
#ifndef ATTEST_JUDGE_ACCUMULATOR_H
#define ATTEST_JUDGE_ACCUMULATOR_H

#include "judge/matrix_unit.h"
#include "judge/recipe.h"

typedef struct attest_judge_accumulator {
    attest_in_double format;
    attest_in_double_flush flush;
    attest_recipe_order order;
    attest_recipe_products products;
    bool wide;              /* a product of two terms need not be a double */
    size_t depth;           /* additions above a term; 0: any number */
    attest_judge_unit unit; /* where the order is one of blocks */
    size_t block;
    size_t promote; /* blocks of so many products are summed from 0, then added; 0: all */
    uint64_t *random;
    double *leaf, *a, *b; /* room for capacity terms, or columns, each */
} attest_judge_accumulator;

/* Room for sums of up to capacity terms; false: no memory. Clear in any case. */
bool attest_judge_accumulator_alloc(attest_judge_accumulator *accumulator, size_t capacity);
void attest_judge_accumulator_clear(attest_judge_accumulator *accumulator);

static inline double attest_judge_accumulator_flush(double r, const attest_judge_accumulator *s)
{
    return attest_in_double_flushed(r, s->flush, &s->format);
}

/* The exact value rounded to the format, and flushed. */
static inline double attest_judge_accumulator_round(double exact,
                                                    const attest_judge_accumulator *s)
{
    return attest_judge_accumulator_flush(attest_in_double_convert(exact, &s->format), s);
}

/* x y, rounded once. */
static inline double attest_judge_accumulator_mul(double x, double y,
                                                  const attest_judge_accumulator *s)
{
    double product = x * y;

    if (!s->format.plain) /* exact already where both are of a small format */
        product = attest_in_double_to_odd(product, fma(x, y, -product));
    return attest_judge_accumulator_round(product, s);
}

/* x + y, rounded once. Domain: at most 53 bits each. */
static inline double attest_judge_accumulator_add(double x, double y,
                                                  const attest_judge_accumulator *s)
{
    double sum = x + y;

    if (s->format.plain)
        return sum;
    return attest_judge_accumulator_round(
        attest_in_double_to_odd(sum, attest_in_double_sum_error(sum, x, y)), s);
}

/* How many blocks of so many places hold the products, if they begin lead places into the first
 * one, and which products are in one of them. */
size_t attest_judge_block_count(const attest_judge_block *all, size_t lead, size_t size);
attest_judge_block attest_judge_block_get(const attest_judge_block *all, size_t lead,
                                          size_t number, size_t size);

/* Whether block number i of those that add_products visits, number n in place, is the first of
 * a group that is summed from 0. */
bool attest_judge_accumulator_promotes(const attest_judge_accumulator *s, size_t lead, size_t i,
                                       size_t n);

/* A running sum to which more is added, or none yet. */
typedef struct attest_judge_running {
    bool started;
    double value;
} attest_judge_running;

/* Whether count more terms can be added within the accumulator's depth, of which after are
 * still to come over the result. */
bool attest_judge_accumulator_allows(const attest_judge_accumulator *s, size_t count,
                                     size_t after, bool started);

/* running += the first count leaves, in the order of the accumulator, no leaf below more than
 * depth - after additions. */
void attest_judge_accumulator_add_leaves(attest_judge_running *running, size_t count,
                                         size_t after, attest_judge_accumulator *s);

/* Whether products are rounded one by one, and added one after another, or in the blocks of a
 * matrix unit, one after another: many sums can then be formed at once. */
bool attest_judge_accumulator_is_simple(const attest_judge_accumulator *s);

/* o[c] += the sum over j of a[j] b[j stride + c] for all columns, each as add_products does it,
 * with a_else in the place of a where b is negative (not by a matrix unit). Domain: simple,
 * count > 0. started: o has a value already. */
typedef struct attest_judge_columns {
    const double *a, *a_else, *b;
    size_t count, stride, columns;
    bool started;
    size_t lead;
} attest_judge_columns;

/* o += the sums of a group, which becomes 0: each by one addition. started: as above. */
void attest_judge_accumulator_promote(double *o, double *group, bool started, size_t columns,
                                      const attest_judge_accumulator *s);

void attest_judge_accumulator_add_columns(double *o, const attest_judge_columns *all,
                                          attest_judge_accumulator *s);

/* running += the products. lead: the places of the first block that come before the first of
 * them. */
void attest_judge_accumulator_add_products(attest_judge_running *running,
                                           const attest_judge_block *products, size_t lead,
                                           size_t after, attest_judge_accumulator *s);

#endif
