/* accumulator.c -- sums by chains, trees and the blocks of matrix units. */
#include "judge/accumulator.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

bool attest_judge_accumulator_alloc(attest_judge_accumulator *accumulator, size_t capacity)
{
    accumulator->leaf = attest_memory_alloc(capacity, sizeof *accumulator->leaf);
    accumulator->a = attest_memory_alloc(capacity, sizeof *accumulator->a);
    accumulator->b = attest_memory_alloc(capacity, sizeof *accumulator->b);
    return accumulator->leaf && accumulator->a && accumulator->b;
}

void attest_judge_accumulator_clear(attest_judge_accumulator *accumulator)
{
    free(accumulator->leaf);
    free(accumulator->a);
    free(accumulator->b);
    accumulator->leaf = accumulator->a = accumulator->b = NULL;
}

static size_t pick(attest_judge_accumulator *s, size_t choices)
{
    return (size_t)(attest_random_next(s->random) >> 32) % choices;
}

static void swap(double *x, double *y)
{
    double kept = *x;

    *x = *y;
    *y = kept;
}

/* The largest number of leaves of a tree of this depth. */
static size_t leaves_within(size_t depth)
{
    return depth > 62 ? (size_t)1 << 62 : (size_t)1 << depth;
}

static bool is_chain(attest_recipe_order order)
{
    return order == ATTEST_RECIPE_FORWARD || order == ATTEST_RECIPE_BACKWARD ||
           order == ATTEST_RECIPE_GROWING;
}

bool attest_judge_accumulator_allows(const attest_judge_accumulator *s, size_t count,
                                     size_t after, bool started)
{
    size_t above = after + (started ? 1 : 0);

    if (s->depth == 0 || s->order >= ATTEST_RECIPE_BLOCKS || count == 0)
        return true;
    if (s->depth < above)
        return false;
    if (is_chain(s->order))
        return count - 1 <= s->depth - above;
    return count <= leaves_within(s->depth - above);
}

/* The number of leaves on the left side of a tree; each side fits into one level less. */
static size_t divide(size_t count, size_t depth, attest_judge_accumulator *s)
{
    size_t most = leaves_within(depth - 1), least = 1;

    if (s->order == ATTEST_RECIPE_PAIRWISE)
        return count / 2;
    if (count > most)
        least = count - most;
    if (most > count - 1)
        most = count - 1;
    return least + pick(s, most - least + 1);
}

static double add_tree(size_t first, size_t count, size_t depth, attest_judge_accumulator *s)
{
    size_t half;
    double left, right;

    if (count == 1)
        return s->leaf[first];
    half = divide(count, depth, s);
    left = add_tree(first, half, depth - 1, s);
    right = add_tree(first + half, count - half, depth - 1, s);
    return attest_judge_accumulator_add(left, right, s);
}

static void add(attest_judge_running *running, double x, const attest_judge_accumulator *s)
{
    running->value = running->started ? attest_judge_accumulator_add(running->value, x, s)
                                      : attest_judge_accumulator_round(x, s);
    running->started = true;
}

static int by_magnitude(const void *x, const void *y)
{
    double a = fabs(*(const double *)x), b = fabs(*(const double *)y);

    return (a > b) - (a < b);
}

/* Domain: attest_judge_accumulator_allows it. */
void attest_judge_accumulator_add_leaves(attest_judge_running *running, size_t count,
                                         size_t after, attest_judge_accumulator *s)
{
    size_t above = after + (running->started ? 1 : 0);

    if (count == 0)
        return;
    if (s->order == ATTEST_RECIPE_GROWING)
        qsort(s->leaf, count, sizeof *s->leaf, by_magnitude);
    if (s->order == ATTEST_RECIPE_SHUFFLED)
        for (size_t i = count - 1; i > 0; i--)
            swap(&s->leaf[i], &s->leaf[pick(s, i + 1)]);
    if (is_chain(s->order)) {
        for (size_t i = 0; i < count; i++)
            add(running, s->leaf[s->order == ATTEST_RECIPE_BACKWARD ? count - 1 - i : i], s);
        return;
    }
    add(running, add_tree(0, count, s->depth > 0 ? s->depth - above : count, s), s);
}

/* A product as a leaf, (b): rounded, or exact. */
static double product(double a, double b, bool rounded, const attest_judge_accumulator *s)
{
    double x = a * b;

    if (s->wide && !s->format.plain)
        x = attest_in_double_to_odd(x, fma(a, b, -x));
    return rounded ? attest_judge_accumulator_round(x, s) : x;
}

static bool is_rounded(attest_judge_accumulator *s)
{
    return s->wide || s->products == ATTEST_RECIPE_ROUNDED ||
           (s->products == ATTEST_RECIPE_MIXED && pick(s, 2) == 0);
}

bool attest_judge_accumulator_is_simple(const attest_judge_accumulator *s)
{
    if (s->order == ATTEST_RECIPE_BLOCKS || s->order == ATTEST_RECIPE_BLOCKS_BACKWARD)
        return attest_judge_unit_has_columns(&s->unit);
    return (s->order == ATTEST_RECIPE_FORWARD || s->order == ATTEST_RECIPE_BACKWARD) &&
           s->products == ATTEST_RECIPE_ROUNDED && (s->format.plain || !s->wide);
}

static const double *reverse(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[count - 1 - i];
    return to;
}

void attest_judge_accumulator_promote(double *o, double *group, bool started, size_t columns,
                                      const attest_judge_accumulator *s)
{
    for (size_t c = 0; c < columns; c++) {
        attest_judge_running running = {started, o[c]};

        add(&running, group[c], s);
        o[c] = running.value;
        group[c] = 0;
    }
}

/* The same as add_blocks, for all columns. */
static void add_block_columns(double *o, const attest_judge_columns *x,
                              attest_judge_accumulator *s)
{
    attest_judge_block all = {x->a, x->b, x->stride, x->count};
    size_t blocks = attest_judge_block_count(&all, x->lead, s->block);
    double *sum = s->promote > 0 ? s->leaf : o;
    bool started = x->started;

    for (size_t c = 0; c < x->columns; c++)
        sum[c] = s->promote > 0 || !started ? 0 : o[c];
    for (size_t i = 0; i < blocks; i++) {
        size_t n = s->order == ATTEST_RECIPE_BLOCKS_BACKWARD ? blocks - 1 - i : i;
        attest_judge_block one = attest_judge_block_get(&all, x->lead, n, s->block);

        if (attest_judge_accumulator_promotes(s, x->lead, i, n) && i > 0) {
            attest_judge_accumulator_promote(o, sum, started, x->columns, s);
            started = true;
        }
        attest_judge_unit_add_columns(sum, &one, x->columns, &s->unit);
    }
    if (s->promote > 0)
        attest_judge_accumulator_promote(o, sum, started, x->columns, s);
}

void attest_judge_accumulator_add_columns(double *o, const attest_judge_columns *all,
                                          attest_judge_accumulator *s)
{
    attest_in_double_sums sums = {.m = all->b,
                                  .rows = all->columns,
                                  .cols = all->count,
                                  .stride = (ptrdiff_t)all->stride,
                                  .x = all->a,
                                  .x_else = all->a_else,
                                  .started = all->started,
                                  .flush = s->flush};

    if (s->order >= ATTEST_RECIPE_BLOCKS) {
        add_block_columns(o, all, s);
        return;
    }
    if (s->order == ATTEST_RECIPE_BACKWARD) {
        sums.x = reverse(s->a, all->a, all->count);
        sums.x_else = all->a == all->a_else ? sums.x : reverse(s->b, all->a_else, all->count);
        sums.m += (all->count - 1) * all->stride;
        sums.stride = -sums.stride;
    }
    attest_in_double_accumulate(o, &sums, &s->format);
}

size_t attest_judge_block_count(const attest_judge_block *all, size_t lead, size_t size)
{
    return (lead % size + all->count + size - 1) / size;
}

attest_judge_block attest_judge_block_get(const attest_judge_block *all, size_t lead,
                                          size_t number, size_t size)
{
    size_t first, last;

    lead %= size;
    first = number * size > lead ? number * size - lead : 0;
    last = (number + 1) * size - lead;
    if (last > all->count)
        last = all->count;
    return (attest_judge_block){all->a + first, all->b + first * all->stride, all->stride,
                                last - first};
}

/* A random permutation of the products, packed. */
static attest_judge_block shuffle(const attest_judge_block *all, attest_judge_accumulator *s)
{
    for (size_t i = 0; i < all->count; i++) {
        s->a[i] = all->a[i];
        s->b[i] = all->b[i * all->stride];
    }
    for (size_t i = all->count; i > 1; i--) {
        size_t other = pick(s, i);

        swap(&s->a[i - 1], &s->a[other]);
        swap(&s->b[i - 1], &s->b[other]);
    }
    return (attest_judge_block){s->a, s->b, 1, all->count};
}

bool attest_judge_accumulator_promotes(const attest_judge_accumulator *s, size_t lead, size_t i,
                                       size_t n)
{
    size_t size = s->promote > 0 ? s->promote / s->block : 1, place = lead / s->block + n;

    if (s->promote == 0 || i == 0)
        return s->promote > 0;
    return s->order == ATTEST_RECIPE_BLOCKS_BACKWARD ? place % size == size - 1
                                                     : place % size == 0;
}

static void add_blocks(attest_judge_running *running, const attest_judge_block *all,
                       size_t lead, attest_judge_accumulator *s)
{
    attest_judge_block shuffled;
    double sum = s->promote > 0 ? 0 : running->value;
    size_t blocks;

    if (s->order == ATTEST_RECIPE_BLOCKS_SHUFFLED) {
        shuffled = shuffle(all, s);
        all = &shuffled;
        lead = 0;
    }
    blocks = attest_judge_block_count(all, lead, s->block);
    for (size_t i = 0; i < blocks; i++) {
        size_t n = s->order == ATTEST_RECIPE_BLOCKS_BACKWARD ? blocks - 1 - i : i;
        attest_judge_block one = attest_judge_block_get(all, lead, n, s->block);

        if (attest_judge_accumulator_promotes(s, lead, i, n) && i > 0) {
            add(running, sum, s);
            sum = 0;
        }
        sum = attest_judge_unit_sum(sum, &one, &s->unit);
    }
    if (s->promote > 0)
        add(running, sum, s);
    else
        *running = (attest_judge_running){true, sum};
}

void attest_judge_accumulator_add_products(attest_judge_running *running,
                                           const attest_judge_block *products, size_t lead,
                                           size_t after, attest_judge_accumulator *s)
{
    if (products->count == 0)
        return;
    if (s->order >= ATTEST_RECIPE_BLOCKS) {
        add_blocks(running, products, lead, s);
        return;
    }
    if (attest_judge_accumulator_is_simple(s)) {
        attest_judge_columns one = {
            products->a,      products->a, products->b,      products->count,
            products->stride, 1,           running->started, 0};

        attest_judge_accumulator_add_columns(&running->value, &one, s);
        running->started = true;
        return;
    }
    for (size_t i = 0; i < products->count; i++)
        s->leaf[i] =
            product(products->a[i], products->b[i * products->stride], is_rounded(s), s);
    attest_judge_accumulator_add_leaves(running, products->count, after, s);
}
