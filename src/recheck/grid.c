/* grid.c -- the pairs of positions that may be near, from a grid of cells and products of small
 * integers.
 *
 * A position falls into the cell floor(x_c / width) of its first entries; the width is at least
 * the reach and two errors, so that pairs within reach have cells that differ by at most 1 in
 * each axis. Positions are sorted by their cells, and two cells are compared in blocks of
 * integer products. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/term.h"
#include "base/workers.h"
#include "recheck/recheck.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define ATTEST_RECHECK_X86 1
#include <immintrin.h>
#endif

/* Products of small integers. */

enum { ROWS = ATTEST_RECHECK_ROWS, COLUMNS = ATTEST_RECHECK_COLUMNS, MOST_BITS = 13 };

/* The number of bits b such that 2^(2b) dim <= 2^28: integer distances squared are at most
 * 2^30.
 */
static int choose_bits(size_t dim)
{
    int bits = MOST_BITS;

    while (bits > 0 && ldexp((double)dim, 2 * bits) > 0x1p28)
        bits--;
    return bits;
}

/* Fills one point. Entries are rounded to the nearest integer, at most 1/2 off. */
static void fill(attest_recheck_product *product, size_t i, const double *x, size_t dim)
{
    int16_t *row = product->row + i * product->pairs * 2;
    int16_t *column = product->column + i / COLUMNS * product->pairs * COLUMNS * 2;
    int32_t norm = 0;

    for (size_t c = 0; c < dim; c++) {
        int16_t q = (int16_t)rint(x[c] * product->scale);
        row[c] = q;
        column[(c / 2 * COLUMNS + i % COLUMNS) * 2 + c % 2] = q;
        norm += (int32_t)q * q;
        if (c < 2 * product->first)
            product->norm[0][i] = norm;
    }
    product->norm[1][i] = norm;
}

bool attest_recheck_product_init(attest_recheck_product *product, const double *x,
                                 const uint32_t *order, size_t count, size_t dim)
{
    size_t blocks = (count + COLUMNS - 1) / COLUMNS;

    *product = (attest_recheck_product){.count = blocks * COLUMNS, .pairs = (dim + 1) / 2};
    product->find = attest_recheck_product_way(0);
    product->first = product->pairs > 8 ? (product->pairs + 1) / 2 : product->pairs;
    product->scale = ldexp(1, choose_bits(dim));
    product->rounding = 0.5 * sqrt((double)dim);
    product->row = attest_memory_alloc((product->count + ROWS) * product->pairs * 2, 2);
    product->column = attest_memory_alloc(product->count * product->pairs * 2, 2);
    product->norm[0] = attest_memory_alloc(product->count + ROWS, sizeof(int32_t));
    product->norm[1] = attest_memory_alloc(product->count + ROWS, sizeof(int32_t));
    if (!product->row || !product->column || !product->norm[0] || !product->norm[1]) {
        attest_recheck_product_clear(product);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        fill(product, i, x + order[i] * dim, dim);
    return true;
}

void attest_recheck_product_clear(attest_recheck_product *product)
{
    free(product->row);
    free(product->column);
    free(product->norm[0]);
    free(product->norm[1]);
}

bool attest_recheck_product_set_limit(attest_recheck_product *product, double reach)
{
    /* The largest distance of the integer points of two points within reach. The roundings of
     * the root, the sum, the square and the last product are at most 6 u of the square, and 2 u
     * more if the reach is a rounded sum. */
    double limit = reach * product->scale + 2 * product->rounding;

    limit = limit * limit * (1 + ATTEST_TERM(product_roundings, 16 * 0x1p-53));
    if (!(limit < 0x1p30))
        return false;
    product->limit = (int32_t)limit;
    return true;
}

/* near if norm + norm' - 2 x.x' <= limit, that is 2 x.x' + (limit - norm) >= norm'. All numbers
 * stay below 2^31: |2 x.x'| <= 2^29, the limit is below 2^30, norms are at most 2^28. */
static void find_plain(uint32_t *near, const attest_recheck_product *product, size_t row,
                       size_t block, size_t from, size_t to, int stage,
                       int32_t sum[ROWS][COLUMNS])
{
    const int16_t *column = product->column + block * product->pairs * COLUMNS * 2;
    const int32_t *norm = product->norm[stage] + block * COLUMNS;

    for (size_t r = 0; r < ROWS; r++) {
        const int16_t *x = product->row + (row + r) * product->pairs * 2;
        int32_t base = product->limit - product->norm[stage][row + r];
        for (size_t t = from; t < to; t++)
            for (size_t c = 0; c < COLUMNS; c++)
                sum[r][c] += x[2 * t] * column[(t * COLUMNS + c) * 2] +
                             x[2 * t + 1] * column[(t * COLUMNS + c) * 2 + 1];
        near[r] = 0;
        for (size_t c = 0; c < COLUMNS; c++)
            near[r] |= (uint32_t)(2 * sum[r][c] + base >= norm[c]) << c;
    }
}

#ifdef ATTEST_RECHECK_X86
static int32_t pair_at(const int16_t *x)
{
    int32_t pair;

    memcpy(&pair, x, sizeof pair);
    return pair;
}

__attribute__((target("avx2"))) static void
find_avx2(uint32_t *near, const attest_recheck_product *product, size_t row, size_t block,
          size_t from, size_t to, int stage, int32_t sum[ROWS][COLUMNS])
{
    size_t width = product->pairs * 2;
    const int16_t *column = product->column + block * product->pairs * COLUMNS * 2;

    for (size_t half = 0; half < ROWS; half += 4) { /* 4 rows: 8 sums stay in registers */
        const int16_t *x = product->row + (row + half) * width;
        __m256i s[4][2];
        for (int r = 0; r < 4; r++)
            for (int v = 0; v < 2; v++)
                s[r][v] = _mm256_loadu_si256((const __m256i *)(sum[half + (size_t)r] + 8 * v));
        for (size_t t = from; t < to; t++) {
            const __m256i *c = (const __m256i *)(column + t * COLUMNS * 2);
            __m256i low = _mm256_loadu_si256(c), high = _mm256_loadu_si256(c + 1);
            for (size_t r = 0; r < 4; r++) {
                __m256i pair = _mm256_set1_epi32(pair_at(x + r * width + 2 * t));
                s[r][0] = _mm256_add_epi32(s[r][0], _mm256_madd_epi16(pair, low));
                s[r][1] = _mm256_add_epi32(s[r][1], _mm256_madd_epi16(pair, high));
            }
        }
        for (size_t r = 0; r < 4; r++) {
            int32_t base = product->limit - product->norm[stage][row + half + r];
            const int32_t *norm = product->norm[stage] + block * COLUMNS;
            uint32_t far = 0;
            for (int v = 0; v < 2; v++) {
                __m256i twice = _mm256_add_epi32(_mm256_add_epi32(s[r][v], s[r][v]),
                                                 _mm256_set1_epi32(base));
                __m256i n = _mm256_loadu_si256((const __m256i *)(norm + 8 * v));
                __m256i less = _mm256_cmpgt_epi32(n, twice);
                far |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(less)) << 8 * v;
                _mm256_storeu_si256((__m256i *)(sum[half + r] + 8 * v), s[r][v]);
            }
            near[half + r] = ~far & 0xffff;
        }
    }
}

__attribute__((target("avx512f,avx512bw"))) static void
find_avx512(uint32_t *near, const attest_recheck_product *product, size_t row, size_t block,
            size_t from, size_t to, int stage, int32_t sum[ROWS][COLUMNS])
{
    size_t width = product->pairs * 2;
    const int16_t *column = product->column + block * product->pairs * COLUMNS * 2;
    const int16_t *x = product->row + row * width;
    __m512i n = _mm512_loadu_si512(product->norm[stage] + block * COLUMNS), s[ROWS];

    for (size_t r = 0; r < ROWS; r++)
        s[r] = _mm512_loadu_si512(sum[r]);
    for (size_t t = from; t < to; t++) {
        __m512i c = _mm512_loadu_si512(column + t * COLUMNS * 2);
        for (size_t r = 0; r < ROWS; r++) {
            __m512i pair = _mm512_set1_epi32(pair_at(x + r * width + 2 * t));
            s[r] = _mm512_add_epi32(s[r], _mm512_madd_epi16(pair, c));
        }
    }
    for (size_t r = 0; r < ROWS; r++) {
        int32_t base = product->limit - product->norm[stage][row + r];
        __m512i twice = _mm512_add_epi32(_mm512_add_epi32(s[r], s[r]), _mm512_set1_epi32(base));
        near[r] = _mm512_cmpge_epi32_mask(twice, n);
        _mm512_storeu_si512(sum[r], s[r]);
    }
}

#endif

attest_recheck_find *attest_recheck_product_way(size_t i)
{
#ifdef ATTEST_RECHECK_X86
    if (__builtin_cpu_supports("avx512bw") && i-- == 0)
        return find_avx512;
    if (__builtin_cpu_supports("avx2") && i-- == 0)
        return find_avx2;
#endif
    return i == 0 ? find_plain : NULL;
}

void attest_recheck_product_find(uint32_t near[ROWS], const attest_recheck_product *product,
                                 size_t row, size_t block)
{
    int32_t sum[ROWS][COLUMNS] = {{0}};
    uint32_t any = 0;

    product->find(near, product, row, block, 0, product->first, 0, sum);
    for (size_t r = 0; r < ROWS; r++)
        any |= near[r];
    if (any && product->first <
                   product->pairs) /* points that are far apart in some entries are far apart */
        product->find(near, product, row, block, product->first, product->pairs, 1, sum);
    for (size_t r = 0; r < ROWS; r++)
        if (row + r >= product->count)
            near[r] = 0;
}

/* The grid. */

enum { AXES = 3, STRIDE = 8, BLOCK = 512, PART = 64 * ATTEST_RECHECK_ROWS };

typedef struct placed {
    int64_t cell[AXES];
    uint32_t position;
} placed;

typedef struct grid {
    const attest_recheck *check;
    placed *order;                  /* by cell, then by position */
    attest_recheck_product product; /* of the outputs in this order, */
    bool has_product;               /* false if all of them are near */
    double reach, slack;
    size_t done;           /* places that have been compared with all others */
    double share, columns; /* for the progress of the current rows: the share of one column, and
                              the columns done */
    bool quiet;            /* a process that does not report */
    bool (*visit)(void *state, size_t a, size_t b);
    void *state;
} grid;

static int compare_cells(const int64_t *a, const int64_t *b)
{
    for (int axis = 0; axis < AXES; axis++)
        if (a[axis] != b[axis])
            return a[axis] < b[axis] ? -1 : 1;
    return 0;
}

static int by_cell(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    int order = compare_cells(x->cell, y->cell);

    return order ? order : (x->position > y->position) - (x->position < y->position);
}

/* More than the reach and the errors of two positions. Entries are at most 1, so quotients stay
 * within 2^30 and fit the cells; their roundings are below 2^-22, less than the factor leaves.
 * Where the reach or an error is infinite, so is the width: all positions share one cell. */
static double choose_width(const grid *g)
{
    double most = 0, width;

    for (size_t p = 0; p < g->check->positions; p++)
        if (!(g->check->error[p] <= most)) /* a NaN is infinite, and stays so */
            most = g->check->error[p] < INFINITY ? g->check->error[p] : INFINITY;
    width = (g->reach + ATTEST_TERM(grid_errors, 2 * most)) *
            (1 + ATTEST_TERM(grid_width, 0x1p-20));
    if (!(width < INFINITY))
        return INFINITY;
    return width > 0x1p-30 ? width : 0x1p-30;
}

static void place_all(grid *g)
{
    size_t dim = g->check->dim, axes = dim < AXES ? dim : AXES;
    double width = choose_width(g);

    for (size_t p = 0; p < g->check->positions; p++) {
        g->order[p] = (placed){.position = (uint32_t)p};
        for (size_t a = 0; a < axes; a++)
            g->order[p].cell[a] = (int64_t)floor(g->check->output[p * dim + a] / width);
    }
    qsort(g->order, g->check->positions, sizeof *g->order, by_cell);
}

/* The first place in order whose cell does not precede the given one. */
static size_t find_cell(const grid *g, const int64_t *cell)
{
    size_t low = 0, high = g->check->positions;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_cells(g->order[middle].cell, cell) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The place after the last one, up to limit, of the cell of begin. */
static size_t row_end(const grid *g, size_t begin, size_t limit)
{
    size_t end = begin + 1;

    while (end < limit && compare_cells(g->order[end].cell, g->order[begin].cell) == 0)
        end++;
    return end;
}

/* The place after the last one of the cell of begin, by bisection: cells may be large, and each
 * part looks them up. */
static size_t cell_end(const grid *g, size_t begin)
{
    size_t low = begin + 1, high = g->check->positions;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_cells(g->order[middle].cell, g->order[begin].cell) == 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* False if the doubles prove that the distance exceeds the reach. Roundings by u = 2^-53: a
 * term of the sum passes through 3 of its own and at most dim / STRIDE + 14 additions, and the
 * limit through 8; slack counts 7 more. Squares that underflow lose at most dim 2^-1074. */
static bool may_be_near(const grid *g, size_t a, size_t b)
{
    size_t dim = g->check->dim;
    const double *x = g->check->output + a * dim, *y = g->check->output + b * dim;
    double far =
        g->reach + ATTEST_TERM(grid_pair_errors, g->check->error[a] + g->check->error[b]);
    double limit = far * far * g->slack + ATTEST_TERM(grid_underflow, 0x1p-1000);
    double s[STRIDE] = {0}, sum = 0;
    size_t c = 0;

    for (; dim - c >= STRIDE; c += STRIDE) { /* sums side by side, for vectors */
        for (size_t i = 0; i < STRIDE; i++)
            s[i] += (x[c + i] - y[c + i]) * (x[c + i] - y[c + i]);
        if (s[0] > limit) /* partial sums only grow */
            return false;
    }
    for (; c < dim; c++)
        sum += (x[c] - y[c]) * (x[c] - y[c]);
    for (size_t i = 0; i < STRIDE; i++)
        sum += s[i];
    return !(sum > limit);
}

/* Visits a pair of places if it is required and may be near. */
static bool visit_places(const grid *g, size_t one, size_t two)
{
    uint32_t p = g->order[one].position, q = g->order[two].position;

    return g->check->group[p] == g->check->group[q] || !may_be_near(g, p, q) ||
           g->visit(g->state, p < q ? p : q, p < q ? q : p);
}

/* Visits the pairs of ROWS places from at on with the places of a block that the product
 * does not exclude: rows before last, columns from begin to before end, and only columns
 * before their row. */
static bool visit_tile(const grid *g, size_t at, size_t last, size_t block, size_t begin,
                       size_t end)
{
    uint32_t near[ATTEST_RECHECK_ROWS];
    size_t base = block * ATTEST_RECHECK_COLUMNS;

    attest_recheck_product_find(near, &g->product, at, block);
    for (size_t r = 0; r < ATTEST_RECHECK_ROWS && at + r < last; r++)
        for (size_t c = 0; near[r] >> c && c < ATTEST_RECHECK_COLUMNS; c++) {
            size_t other = base + c;
            if (near[r] >> c & 1 && other >= begin && other < end && other < at + r &&
                !visit_places(g, at + r, other))
                return false;
        }
    return true;
}

/* Reports that the current rows were compared with more columns. */
static void report(grid *g, size_t columns)
{
    const attest_recheck *check = g->check;

    g->columns += (double)columns;
    if (!g->quiet)
        attest_progress_report(&check->progress, "positions compared with those near them",
                               g->done + (size_t)(g->columns * g->share), check->positions,
                               NULL);
}

/* Visits the pairs of rows with a cell by the product, in squares that stay in the cache. */
static bool visit_tiles(grid *g, size_t first, size_t first_end, size_t second,
                        size_t second_end)
{
    for (size_t begin = second - second % COLUMNS; begin < second_end; begin += BLOCK) {
        for (size_t at = first; at < first_end; at += ROWS)
            for (size_t b = begin; b < begin + BLOCK && b < second_end && b < at + ROWS;
                 b += COLUMNS)
                if (!visit_tile(g, at, first_end, b / COLUMNS, second, second_end))
                    return false;
        report(g, second_end - begin < BLOCK ? second_end - begin : BLOCK);
    }
    return true;
}

/* Visits the pairs of rows, of one cell, with a cell that does not follow it. */
static bool visit_cells(grid *g, size_t first, size_t first_end, size_t second,
                        size_t second_end)
{
    if (g->has_product && first_end - first > 2 && second_end - second > 2)
        return visit_tiles(g, first, first_end, second, second_end);
    for (size_t at = first; at < first_end; at++)
        for (size_t other = second; other < second_end && other < at; other++)
            if (!visit_places(g, at, other))
                return false;
    report(g, second_end - second);
    return true;
}

/* Visits the pairs of rows of one cell with its neighbours up to itself. */
static bool visit_neighbours(grid *g, size_t first, size_t first_end)
{
    const int64_t *own = g->order[first].cell;
    size_t begin[27], end[27], cells = 0, columns = 0;

    for (int n = 0; n < 27; n++) {
        int64_t cell[AXES] = {own[0] + n % 3 - 1, own[1] + n / 3 % 3 - 1, own[2] + n / 9 - 1};
        size_t second;
        if (compare_cells(cell, own) > 0)
            continue;
        second = find_cell(g, cell);
        if (second < g->check->positions && compare_cells(g->order[second].cell, cell) == 0) {
            begin[cells] = second;
            end[cells] = cell_end(g, second);
            columns += end[cells] - begin[cells];
            cells++;
        }
    }
    g->done = first;
    g->columns = 0;
    g->share = (double)(first_end - first) / (double)columns; /* the cell itself is there */
    for (size_t i = 0; i < cells; i++)
        if (!visit_cells(g, first, first_end, begin[i], end[i]))
            return false;
    return true;
}

/* Positions are cut into parts; the pairs of a part's positions with earlier ones are visited
 * together. */
static size_t count_parts(const grid *g)
{
    return (g->check->positions + PART - 1) / PART;
}

/* Visits the pairs of one part; false if a visit returned false. */
static bool visit_part(grid *g, size_t part)
{
    size_t last = (part + 1) * PART, end;

    if (last > g->check->positions)
        last = g->check->positions;
    for (size_t first = part * PART; first < last; first = end) {
        end = row_end(g, first, last);
        if (!visit_neighbours(g, first, end))
            return false;
    }
    return true;
}

/* The outputs as small integers, with a limit for the reach and the largest errors; if that
 * exceeds all distances, or there is no memory, the product is not used. */
static void make_product(grid *g)
{
    size_t count = g->check->positions;
    uint32_t *position ATTEST_FREED = attest_memory_alloc(count, sizeof *position);
    double most = 0;

    for (size_t p = 0; position && p < count; p++) {
        position[p] = g->order[p].position;
        if (!(g->check->error[p] <= most)) /* a NaN is infinite, and beyond every limit */
            most = g->check->error[p] < INFINITY ? g->check->error[p] : INFINITY;
    }
    g->has_product = position && attest_recheck_product_init(&g->product, g->check->output,
                                                             position, count, g->check->dim);
    if (g->has_product &&
        !attest_recheck_product_set_limit(
            &g->product, g->reach + ATTEST_TERM(grid_product_errors, 2 * most))) {
        attest_recheck_product_clear(&g->product);
        g->has_product = false;
    }
}

/* With fewer products than this in total, a fork costs more than it gains. */
static const double small_work = 0x1p28;

static size_t choose_jobs(const attest_recheck *check)
{
    double count = (double)check->positions;

    return count * count * (double)check->dim < small_work || check->jobs < 2 ? 1 : check->jobs;
}

/* In several processes: they find the pairs, and this one visits them, because a visit may use
 * what earlier visits decided; in the order in which one process would have found them. */

/* Near pairs that are kept, of all parts and of one. */
enum { MOST_PAIRS = 1 << 20, MOST_OF_PART = 1 << 17 };

typedef struct near_pair {
    uint32_t a, b;
} near_pair;

/* Where the pairs of a part are. */
typedef struct found_part {
    size_t begin, count;
} found_part;

typedef struct collection {
    grid *grid;
    near_pair *own; /* of the part that is being visited */
    size_t count;
    /* Shared: */
    near_pair *pair;
    found_part *part;
    struct {
        atomic_size_t pairs;
        atomic_bool overflow;
    } * shared;
    pid_t parent;
} collection;

static bool keep(void *state, size_t a, size_t b)
{
    collection *c = state;

    if (c->count == MOST_OF_PART)
        atomic_store(&c->shared->overflow, true);
    else
        c->own[c->count++] = (near_pair){(uint32_t)a, (uint32_t)b};
    return !atomic_load_explicit(&c->shared->overflow, memory_order_relaxed);
}

static bool find_part(void *context, size_t part)
{
    collection *c = context;
    size_t at;

    c->grid->quiet = getpid() != c->parent;
    c->count = 0;
    if (atomic_load(&c->shared->overflow) || !visit_part(c->grid, part))
        return true;
    at = atomic_fetch_add(&c->shared->pairs, c->count);
    if (c->count > MOST_PAIRS - (at < MOST_PAIRS ? at : MOST_PAIRS))
        atomic_store(&c->shared->overflow, true);
    else if (c->count)
        memcpy(c->pair + at, c->own, c->count * sizeof *c->pair);
    c->part[part] = (found_part){at, c->count};
    return true;
}

/* Visits the pairs that were found; stops when a visit returns false. */
static void visit_all(const collection *c, bool (*visit)(void *state, size_t a, size_t b),
                      void *state, size_t parts)
{
    for (size_t p = 0; p < parts; p++)
        for (size_t i = 0; i < c->part[p].count; i++)
            if (!visit(state, c->pair[c->part[p].begin + i].a, c->pair[c->part[p].begin + i].b))
                return;
}

static void collection_clear(collection *c)
{
    free(c->own);
    attest_shared_free(c->pair, MOST_PAIRS, sizeof *c->pair);
    attest_shared_free(c->part, count_parts(c->grid), sizeof *c->part);
    attest_shared_free(c->shared, 1, sizeof *c->shared);
}

/* Visits all parts in order, their pairs being found by several processes. *done is false, and
 * nothing was visited, if there are too many pairs to keep. Status: NOMEM, IO. */
static attest_status visit_in_parallel(bool *done, grid *g, size_t jobs, attest_error *error)
{
    collection c ATTEST_CLEARED_BY(collection_clear) = {.grid = g, .parent = getpid()};
    size_t parts = count_parts(g);
    bool (*visit)(void *state, size_t a, size_t b) = g->visit;
    void *state = g->state;
    attest_status status;

    *done = false;
    c.own = attest_memory_alloc(MOST_OF_PART, sizeof *c.own);
    c.pair = attest_shared_alloc(MOST_PAIRS, sizeof *c.pair);
    c.part = attest_shared_alloc(parts, sizeof *c.part);
    c.shared = attest_shared_alloc(1, sizeof *c.shared);
    if (!c.own || !c.pair || !c.part || !c.shared)
        return attest_memory_fail(error);
    g->visit = keep;
    g->state = &c;
    status = attest_workers_run(find_part, &c, parts, jobs, error);
    g->visit = visit;
    g->state = state;
    ATTEST_TRY(status);
    if (!atomic_load(&c.shared->overflow)) {
        visit_all(&c, visit, state, parts);
        *done = true;
    }
    return ATTEST_OK;
}

static void grid_clear(grid *g)
{
    if (g->has_product)
        attest_recheck_product_clear(&g->product);
    free(g->order);
}

attest_status attest_recheck_visit_near(attest_recheck *check, const arf_t reach,
                                        bool (*visit)(void *state, size_t a, size_t b),
                                        void *state, attest_error *error)
{
    grid g ATTEST_CLEARED_BY(grid_clear) = {.check = check, .visit = visit, .state = state};
    bool done = false;

    g.order = attest_memory_alloc(check->positions, sizeof *g.order);
    if (!g.order)
        return attest_memory_fail(error);
    g.reach = attest_recheck_scale(check, reach, 1);
    g.slack = 1 + ATTEST_TERM(grid_sums, ((double)check->dim / STRIDE + 32) * 0x1p-53);
    place_all(&g);
    make_product(&g);
    ATTEST_PROGRESS_STAGE(progress, &check->progress);
    report(&g, 0);
    if (choose_jobs(check) > 1)
        ATTEST_TRY(visit_in_parallel(&done, &g, check->jobs, error));
    for (size_t p = 0; !done && p < count_parts(&g); p++)
        done = !visit_part(&g, p);
    return ATTEST_OK;
}
