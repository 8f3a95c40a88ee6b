/* collisions.c -- required pairs whose outputs are equal, and the least distance of the others,
 * exactly. */
#include "audit/collisions.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/term.h"
#include "geometry/closest_pair.h"
#include "number/scope.h"

void attest_audit_collisions_init(attest_audit_collisions *collisions)
{
    *collisions = (attest_audit_collisions){0};
    fmpz_init(collisions->pairs);
}

void attest_audit_collisions_clear(attest_audit_collisions *collisions)
{
    fmpz_clear(collisions->pairs);
}

/* Finite positions, sorted by output, then by class, then by position. */
typedef struct ranking {
    const attest_audit_outputs *outputs;
    const uint32_t *group;
    size_t *order, *room;
    size_t count;
} ranking;

static int compare(const ranking *r, size_t p, size_t q)
{
    int order = attest_audit_outputs_compare(r->outputs, p, q);

    if (order == 0)
        order = (r->group[p] > r->group[q]) - (r->group[p] < r->group[q]);
    return order ? order : (p > q) - (p < q);
}

/* Merge sort: comparisons are expensive, and qsort has no context. */
static void sort(const ranking *r, size_t begin, size_t end)
{
    size_t middle = begin + (end - begin) / 2, left = begin, right = middle;

    if (end - begin < 2)
        return;
    sort(r, begin, middle);
    sort(r, middle, end);
    for (size_t i = begin; i < end; i++)
        r->room[i] =
            left < middle && (right == end || compare(r, r->order[left], r->order[right]) <= 0)
                ? r->order[left++]
                : r->order[right++];
    for (size_t i = begin; i < end; i++)
        r->order[i] = r->room[i];
}

static void offer_pair(attest_audit_collisions *collisions, size_t p, size_t q)
{
    size_t first = p < q ? p : q, second = p < q ? q : p;

    if (collisions->has_pair &&
        (first > collisions->pair[0] ||
         (first == collisions->pair[0] && second >= collisions->pair[1])))
        return;
    collisions->has_pair = true;
    collisions->pair[0] = first;
    collisions->pair[1] = second;
}

/* Adds the pairs of different classes among order[begin..end), whose outputs are equal. */
static void count_run(attest_audit_collisions *collisions, const ranking *r, size_t begin,
                      size_t end)
{
    size_t first = begin, other = SIZE_MAX;
    FMPZ(pairs);

    fmpz_bin_uiui(pairs, end - begin, 2);
    fmpz_add(collisions->pairs, collisions->pairs, pairs);
    for (size_t i = begin, j; i < end; i = j) {
        for (j = i; j < end && r->group[r->order[j]] == r->group[r->order[i]]; j++)
            continue;
        fmpz_bin_uiui(pairs, j - i, 2);
        fmpz_sub(collisions->pairs, collisions->pairs, pairs);
        /* order[i] is the first position of its class. */
        if (r->order[i] < r->order[first]) {
            other = first;
            first = i;
        } else if (i != first && (other == SIZE_MAX || r->order[i] < r->order[other])) {
            other = i;
        }
    }
    if (other != SIZE_MAX)
        offer_pair(collisions, r->order[first], r->order[other]);
}

/* Adds all required pairs with a position that is not finite: all required pairs but those
 * among finite positions. */
static bool count_nonfinite(attest_audit_collisions *collisions, const ranking *r,
                            const attest_contexts *classes)
{
    size_t *finite ATTEST_FREED = attest_memory_alloc(classes->classes, sizeof *finite);
    FMPZ(pairs);

    if (!finite)
        return false;
    for (size_t i = 0; i < r->count; i++)
        finite[r->group[r->order[i]]]++;
    fmpz_add(collisions->pairs, collisions->pairs, classes->required_pairs);
    fmpz_bin_uiui(pairs, r->count, 2);
    fmpz_sub(collisions->pairs, collisions->pairs, pairs);
    for (size_t g = 0; g < classes->classes; g++) {
        fmpz_bin_uiui(pairs, finite[g], 2);
        fmpz_add(collisions->pairs, collisions->pairs, pairs);
    }
    return true;
}

/* Offers the first required pair with a position that is not finite. */
static void offer_nonfinite(attest_audit_collisions *collisions,
                            const attest_audit_outputs *outputs, const attest_contexts *classes)
{
    const uint32_t *group = classes->position;
    size_t bad[2], count = 0; /* the first such position, and the first of another class */

    for (size_t p = 0; p < classes->positions && count < 2; p++)
        if (!attest_audit_outputs_finite(outputs, p) &&
            (count == 0 || group[p] != group[bad[0]]))
            bad[count++] = p;
    if (count == 2)
        offer_pair(collisions, bad[0], bad[1]);
    /* The pair begins with the first position of all that has a partner. */
    for (size_t p = 0; count > 0 && p < classes->positions; p++)
        if (group[p] != group[bad[0]]) {
            offer_pair(collisions, p, bad[0]);
            break;
        }
    if (count == 2 && group[0] == group[bad[0]])
        offer_pair(collisions, 0, bad[1]);
}

attest_status attest_audit_collisions_get(attest_audit_collisions *collisions,
                                          const attest_audit_outputs *outputs,
                                          const attest_contexts *classes, attest_error *error)
{
    size_t count = classes->positions;
    size_t *order ATTEST_FREED = attest_memory_alloc(count, sizeof *order);
    size_t *room ATTEST_FREED = attest_memory_alloc(count, sizeof *room);
    ranking r = {outputs, .group = classes->position, .order = order, .room = room};

    fmpz_zero(collisions->pairs);
    collisions->has_pair = false;
    if (!order || !room)
        return attest_memory_fail(error);
    for (size_t p = 0; p < count; p++)
        if (attest_audit_outputs_finite(outputs, p))
            order[r.count++] = p;
    collisions->nonfinite = count - r.count;
    sort(&r, 0, r.count);
    for (size_t i = 0, j; i < r.count; i = j) {
        for (j = i + 1;
             j < r.count && attest_audit_outputs_compare(outputs, order[i], order[j]) == 0; j++)
            continue;
        if (j - i > 1)
            count_run(collisions, &r, i, j);
    }
    if (collisions->nonfinite == 0)
        return ATTEST_OK;
    if (!count_nonfinite(collisions, &r, classes))
        return attest_memory_fail(error);
    offer_nonfinite(collisions, outputs, classes);
    return ATTEST_OK;
}

/* The least distance of outputs that must differ, exactly. */

/* Bits of an exact difference; its square has twice as many. */
enum { MOST_SPREAD = 1 << 22 };

attest_status attest_audit_spread_check(const attest_audit_outputs *outputs,
                                        attest_error *error)
{
    mpfr_exp_t least = MPFR_EMAX_MAX, most = MPFR_EMIN_MIN;

    for (size_t i = 0; outputs->wide && i < outputs->count * outputs->dim; i++) {
        mpfr_srcptr x = outputs->wide + i;
        if (!mpfr_regular_p(x))
            continue;
        least = mpfr_get_exp(x) < least ? mpfr_get_exp(x) : least;
        most = mpfr_get_exp(x) > most ? mpfr_get_exp(x) : most;
    }
    if (most < least || most - least <= MOST_SPREAD)
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_UNABLE,
                            "outputs lie between 2^%ld and 2^%ld: their exact distances would "
                            "need more than %d bits; "
                            "use a format with bounded exponents",
                            (long)least, (long)most, MOST_SPREAD);
}

/* square = |output p - output q|^2, exactly. */
static void get_distance(arf_t square, const attest_audit_outputs *outputs, size_t p, size_t q)
{
    ARF(x, y);

    arf_zero(square);
    for (size_t c = 0; c < outputs->dim; c++) {
        attest_audit_outputs_get(x, outputs, p, c);
        attest_audit_outputs_get(y, outputs, q, c);
        arf_sub(x, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul(x, x, x, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_add(square, square, x, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
}

static attest_status make_cloud(attest_cloud *cloud, const attest_audit_outputs *outputs,
                                const attest_contexts *classes, attest_error *error)
{
    ARB_VEC(ball, (slong)outputs->dim);

    ATTEST_TRY(attest_cloud_init(cloud, outputs->count, outputs->dim, error));
    for (size_t p = 0; p < outputs->count; p++) {
        cloud->colour[p] = classes->position[p];
        if (outputs->real) {
            attest_cloud_set_doubles(cloud, p, outputs->real + p * outputs->dim);
            continue;
        }
        for (size_t c = 0; c < outputs->dim; c++)
            attest_audit_outputs_get(arb_midref(ball + c), outputs, p, c);
        attest_cloud_set_balls(cloud, p, ball);
    }
    attest_cloud_finish(cloud);
    return ATTEST_OK;
}

/* Finds candidates by the tree of geometry/closest_pair.h, in doubles with error bounds, and
 * compares them exactly. */
static attest_status search_tree(arf_t square, size_t pair[2], bool *found,
                                 const attest_audit_outputs *outputs,
                                 const attest_contexts *classes, attest_error *error)
{
    attest_cloud cloud ATTEST_CLEARED_BY(attest_cloud_clear) = {0};
    attest_candidates candidates ATTEST_CLEARED_BY(attest_candidates_clear) = {0};
    ARF(other);

    ATTEST_TRY(make_cloud(&cloud, outputs, classes, error));
    *found = false;
    ATTEST_TRY(attest_candidates_init(&candidates, &cloud, error));
    for (;;) {
        size_t first, second;
        bool more;

        ATTEST_TRY(attest_candidates_next(&more, &first, &second, &candidates, error));
        if (!more)
            return ATTEST_OK;
        get_distance(other, outputs, first, second);
        if (*found && arf_cmp(other, square) >= 0)
            continue;
        *found = true;
        arf_set(square, other);
        pair[0] = first;
        pair[1] = second;
    }
}

/* Returns an upper bound of the square of the norm at position p: a sum of up to 2^20 squares
 * is off by one rounding for each square and each addition but the first, and by what
 * underflows; the last product and sum round, too. Infinite where there is no bound. */
static double square_above(const attest_audit_outputs *outputs, size_t p)
{
    const double *x = outputs->real ? outputs->real + p * outputs->dim : NULL;
    double sum = 0;

    if (!x || outputs->dim > (size_t)1 << 20)
        return INFINITY;
    for (size_t c = 0; c < outputs->dim; c++)
        sum += x[c] * x[c];
    return sum * (1 + ATTEST_TERM(square_sums, ((double)outputs->dim + 8) * 0x1p-53)) +
           ATTEST_TERM(square_underflow, 0x1p-1000);
}

void attest_audit_norm_get(arf_t square, const attest_audit_outputs *outputs)
{
    double most = 0; /* at most the largest square so far */
    ARF(x, norm);

    arf_zero(square);
    for (size_t p = 0; p < outputs->count; p++) {
        if (!attest_audit_outputs_finite(outputs, p) || square_above(outputs, p) < most)
            continue;
        arf_zero(norm);
        for (size_t c = 0; c < outputs->dim; c++) {
            attest_audit_outputs_get(x, outputs, p, c);
            arf_mul(x, x, x, ARF_PREC_EXACT, ARF_RND_DOWN);
            arf_add(norm, norm, x, ARF_PREC_EXACT, ARF_RND_DOWN);
        }
        if (arf_cmp(norm, square) > 0) {
            arf_set(square, norm);
            most = arf_get_d(square, ARF_RND_FLOOR);
        }
    }
}

attest_status attest_audit_separation_get(arf_t square, size_t pair[2], bool *found,
                                          const attest_audit_outputs *outputs,
                                          const attest_contexts *classes, attest_error *error)
{
    ATTEST_TRY(attest_audit_spread_check(outputs, error));
    /* Many outputs of a wide format are equal as doubles. */
    if (outputs->wide && attest_audit_separation_sweep(square, pair, found, outputs, classes))
        return ATTEST_OK;
    return search_tree(square, pair, found, outputs, classes, error);
}

attest_status attest_audit_separation_log2(double *log2, bool *known,
                                           const attest_audit_outputs *outputs,
                                           const attest_contexts *classes, attest_error *error)
{
    attest_status status;
    size_t pair[2];
    ARF(square);
    ARB(ball);

    status = attest_audit_separation_get(square, pair, known, outputs, classes, error);
    *known = status == ATTEST_OK && *known && arf_sgn(square) > 0;
    if (*known) {
        arb_set_arf(ball, square);
        arb_log_base_ui(ball, ball, 2, 64);
        *log2 = arf_get_d(arb_midref(ball), ARF_RND_NEAR) / 2;
    }
    return status == ATTEST_UNABLE ? ATTEST_OK : status;
}

/* The least separation of outputs that doubles do not tell apart.
 *
 * The positions are sorted along the axis on which they are spread most, and each is compared
 * with those that follow while the gap along the axis alone is not above the least distance.
 * Gaps are rounded down, distances exact. */

/* Limit on the comparisons per position; outputs that need more have no simple order. */
enum { MOST_VISITS = 200 };

typedef struct point {
    mpfr_srcptr key;
    size_t position;
} point;

static int compare_points(const void *a, const void *b)
{
    const point *p = a, *q = b;
    int order = mpfr_cmp(p->key, q->key);

    return order ? order : (p->position > q->position) - (p->position < q->position);
}

/* Returns the entry in which the outputs differ most. */
static size_t widest_axis(const attest_audit_outputs *outputs)
{
    size_t best = 0;
    double widest = -1;

    for (size_t c = 0; c < outputs->dim; c++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t p = 0; p < outputs->count; p++) {
            double x = mpfr_get_d(outputs->wide + p * outputs->dim + c, MPFR_RNDN);
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (high - low > widest) {
            widest = high - low;
            best = c;
        }
    }
    return best;
}

/* Sorts the pair, and returns whether it comes before the other one. */
static bool comes_first(size_t pair[2], size_t p, size_t q, const size_t other[2])
{
    pair[0] = p < q ? p : q;
    pair[1] = p < q ? q : p;
    return pair[0] < other[0] || (pair[0] == other[0] && pair[1] < other[1]);
}

/* The best pair so far. */
typedef struct best {
    bool found;
    size_t pair[2];
    arf_ptr square;
} best;

static void offer(best *b, arf_t square, const attest_audit_outputs *outputs, size_t p,
                  size_t q)
{
    size_t pair[2];
    bool first = comes_first(pair, p, q, b->pair);
    int order;

    get_distance(square, outputs, p, q);
    order = b->found ? arf_cmp(square, b->square) : -1;
    if (order > 0 || (order == 0 && !first))
        return;
    b->found = true;
    b->pair[0] = pair[0];
    b->pair[1] = pair[1];
    arf_swap(b->square, square);
}

/* Returns whether the square of the gap along the axis, rounded down, is above the least
 * square. */
static bool is_beyond(arf_t gap, mpfr_t work, const point *near, const point *far,
                      const best *b)
{
    if (!b->found)
        return false;
    mpfr_sub(work, far->key, near->key, MPFR_RNDD);
    arf_set_mpfr(gap, work);
    arf_mul(gap, gap, gap, 53, ARF_RND_DOWN);
    return arf_cmp(gap, b->square) > 0;
}

bool attest_audit_separation_sweep(arf_t square, size_t pair[2], bool *found,
                                   const attest_audit_outputs *outputs,
                                   const attest_contexts *classes)
{
    point *order ATTEST_FREED = attest_memory_alloc(outputs->count, sizeof *order);
    size_t axis = widest_axis(outputs), visits = 0, most = outputs->count * MOST_VISITS;
    best b = {.square = square};
    ARF(work);
    MPFR(53, gap);

    if (!order)
        return false;
    for (size_t p = 0; p < outputs->count; p++)
        order[p] = (point){outputs->wide + p * outputs->dim + axis, p};
    qsort(order, outputs->count, sizeof *order, compare_points);
    for (size_t i = 0; i < outputs->count && visits < most; i++)
        for (size_t j = i + 1; j < outputs->count && visits < most; j++, visits++) {
            if (is_beyond(work, gap, &order[i], &order[j], &b))
                break;
            if (classes->position[order[i].position] != classes->position[order[j].position])
                offer(&b, work, outputs, order[i].position, order[j].position);
        }
    *found = b.found;
    pair[0] = b.pair[0];
    pair[1] = b.pair[1];
    return visits < most;
}
