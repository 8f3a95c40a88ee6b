/* pairs.c -- counts the required pairs that an arithmetic still distinguishes.
 *
 * Outputs a and b with errors e_a and e_b are apart for certain if the exact outputs are
 * farther apart than e_a + e_b. Doubles prove that for most pairs, balls for some of the others
 * (proofs-notes/audit.md, Pairs). */
#include "audit/errors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/term.h"
#include "base/workers.h"
#include "number/scope.h"

/* Limits: positions; pairs of one position that balls decide. */
enum { MOST_POSITIONS = 4096, MOST_BALLS = 512, STRIDE = 16 };

typedef struct comparison {
    const attest_audit_outputs *outputs;
    const attest_audit_reference *reference;
    const attest_audit_deviation *deviation;
    size_t count, dim;
    size_t *sampled;         /* by number: the position in the sample, ... */
    size_t *place;           /* ... in the outputs, ... */
    attest_place *spot;      /* ... in the dataset, ... */
    uint32_t *group;         /* ... and its class */
    double *middle;          /* dim each: the exact output up to slip */
    double *slip;            /* >= |middle - exact output| */
    double *reach;           /* >= slip + |computed - exact output|, rounded once */
    attest_audit_pairs *row; /* shared: by position, its pairs with those after it */
} comparison;

/* Returns whether |middle_a - middle_b| > reach_a + reach_b for certain: the sum of the squares
 * of dim differences has a relative error of (dim + 2) u, u = 2^-53; the right side, sums of
 * sums, of 6 u and the rounding of its factor; above 2^-900 nothing underflows. False for NaN.
 */
static bool doubles_show(const comparison *w, size_t a, size_t b)
{
    const double *x = w->middle + a * w->dim, *y = w->middle + b * w->dim;
    double far = w->reach[a] + w->reach[b], square = 0;
    double sums = ATTEST_TERM(pairs_sums, (double)w->dim * 0x1p-53);
    double ends = ATTEST_TERM(pairs_ends, 10 * 0x1p-53);

    far = fmax(far * far * (1 + (sums + ends)), ATTEST_TERM(pairs_underflow, 0x1p-900));
    for (size_t c = 0; c < w->dim; c += STRIDE) {
        size_t end = w->dim - c < STRIDE ? w->dim : c + STRIDE;
        for (size_t i = c; i < end; i++)
            square += (x[i] - y[i]) * (x[i] - y[i]);
        if (square > far)
            return square <=
                   DBL_MAX; /* infinite: outside the range of doubles, left to balls */
    }
    return false;
}

/* Returns whether balls may decide what doubles do not: because of the errors of the midpoints,
 * or the range of doubles. */
static bool balls_may_help(const comparison *w, size_t a, size_t b)
{
    double slip = w->slip[a] + w->slip[b], reach = w->reach[a] + w->reach[b];

    return !(slip < 0x1p-20 * reach) || !(reach > 0x1p-440);
}

static void get_entry(arb_t x, arf_t radius, const attest_audit_reference *reference, size_t i)
{
    arf_set_mpfr(arb_midref(x), reference->middle + i);
    arf_set_mpfr(radius, reference->radius + i);
    mag_zero(arb_radref(x));
    arb_add_error_arf(x, radius);
}

/* Returns whether the balls of the reference prove that the pair is apart. */
static bool balls_show(const comparison *w, size_t a, size_t b)
{
    const attest_audit_reference *r = w->reference;
    slong bits = r->bits + 64;
    ARB(x, y, sum);
    ARF(part, far);

    for (size_t c = 0; c < w->dim; c++) {
        get_entry(x, part, r, w->sampled[a] * w->dim + c);
        get_entry(y, part, r, w->sampled[b] * w->dim + c);
        arb_sub(x, x, y, bits);
        arb_addmul(sum, x, x, bits);
    }
    arf_set_mpfr(far, w->deviation->distance + w->sampled[a]);
    arf_set_mpfr(part, w->deviation->distance + w->sampled[b]);
    ATTEST_TERM_ARF(pairs_balls, part);
    arf_add(far, far, part, 64, ARF_RND_UP);
    arf_mul(far, far, far, 64, ARF_RND_UP);
    arb_set_arf(x, far);
    return arf_is_finite(far) && arb_gt(sum, x);
}

static bool is_merged(const comparison *w, size_t a, size_t b)
{
    return !mpfr_number_p(w->deviation->distance + w->sampled[a]) ||
           !mpfr_number_p(w->deviation->distance + w->sampled[b]) ||
           attest_audit_outputs_compare(w->outputs, w->place[a], w->place[b]) == 0;
}

/* Counts a pair that is not proved apart, and stores the first pair of the worst kind. */
static void note(const comparison *w, size_t a, size_t b, attest_audit_pair_kind kind,
                 uint64_t *count)
{
    attest_audit_pairs *row = &w->row[a];

    ++*count;
    if (kind <= row->kind)
        return;
    row->kind = kind;
    row->pair[0] = w->spot[a];
    row->pair[1] = w->spot[b];
}

/* Compares position a with all after it. */
static bool compare_row(void *context, size_t a)
{
    const comparison *w = context;
    attest_audit_pairs *row = &w->row[a];
    size_t balls = 0;

    for (size_t b = a + 1; b < w->count; b++) {
        if (w->group[a] == w->group[b])
            continue;
        row->required++;
        if (doubles_show(w, a, b) ||
            (balls_may_help(w, a, b) && balls++ < MOST_BALLS && balls_show(w, a, b)))
            row->apart++;
        else if (is_merged(w, a, b))
            note(w, a, b, ATTEST_AUDIT_MERGED, &row->merged);
        else
            note(w, a, b, ATTEST_AUDIT_BY_ROUNDING, &row->by_rounding);
    }
    return true;
}

/* middle = the exact output at position p of the sample up to *slip. */
static void get_middle(double *middle, double *slip, const attest_audit_reference *r, size_t p)
{
    MPFR(64, off, sum);

    mpfr_set_zero(sum, 1);
    for (size_t c = 0; c < r->dim; c++) {
        mpfr_srcptr exact = r->middle + p * r->dim + c;
        middle[c] = mpfr_get_d(exact, MPFR_RNDN);
        mpfr_set_d(off, middle[c], MPFR_RNDN);
        mpfr_sub(off, off, exact, MPFR_RNDA);
        mpfr_abs(off, off, MPFR_RNDU);
        mpfr_add(off, off, r->radius + p * r->dim + c, MPFR_RNDU);
        mpfr_sqr(off, off, MPFR_RNDU);
        mpfr_add(sum, sum, off, MPFR_RNDU);
    }
    mpfr_sqrt(sum, sum, MPFR_RNDU);
    *slip = mpfr_get_d(sum, MPFR_RNDU);
}

static double get_reach(double slip, mpfr_srcptr distance)
{
    return ATTEST_TERM(pairs_slip, slip) + mpfr_get_d(distance, MPFR_RNDU);
}

static bool comparison_init(comparison *w, const attest_dataset *dataset,
                            const attest_contexts *classes)
{
    const attest_audit_reference *r = w->reference;
    size_t step = (r->positions + MOST_POSITIONS - 1) / MOST_POSITIONS, i = 0;

    w->dim = r->dim;
    w->count = step ? (r->positions + step - 1) / step : 0;
    w->sampled = attest_memory_alloc(w->count, sizeof *w->sampled);
    w->place = attest_memory_alloc(w->count, sizeof *w->place);
    w->spot = attest_memory_alloc(w->count, sizeof *w->spot);
    w->group = attest_memory_alloc(w->count, sizeof *w->group);
    w->middle = attest_memory_alloc(w->count * w->dim, sizeof *w->middle);
    w->slip = attest_memory_alloc(w->count, sizeof *w->slip);
    w->reach = attest_memory_alloc(w->count, sizeof *w->reach);
    w->row = attest_shared_alloc(w->count, sizeof *w->row);
    if (!w->sampled || !w->place || !w->spot || !w->group || !w->middle || !w->slip ||
        !w->reach || !w->row)
        return false;
    for (size_t a = 0; a < w->count; a++) {
        size_t p = a * step;
        while (p >= r->start[i + 1])
            i++;
        w->sampled[a] = p;
        w->place[a] = attest_audit_reference_place(r, dataset, i, p);
        w->spot[a] = (attest_place){r->sequence[i], p - r->start[i]};
        w->group[a] = classes->position[w->place[a]];
        get_middle(w->middle + a * w->dim, &w->slip[a], r, p);
        w->reach[a] = get_reach(w->slip[a], w->deviation->distance + p);
    }
    return true;
}

static void comparison_clear(comparison *w)
{
    free(w->sampled);
    free(w->place);
    free(w->spot);
    free(w->group);
    free(w->middle);
    free(w->slip);
    free(w->reach);
    attest_shared_free(w->row, w->count, sizeof *w->row);
}

attest_status
attest_audit_pairs_get(attest_audit_pairs *pairs, const attest_audit_outputs *outputs,
                       const attest_dataset *dataset, const attest_audit_reference *reference,
                       const attest_audit_deviation *deviation, const attest_contexts *classes,
                       size_t jobs, attest_error *error)
{
    comparison w ATTEST_CLEARED_BY(comparison_clear) = {
        .outputs = outputs, .reference = reference, .deviation = deviation};
    bool ok = comparison_init(&w, dataset, classes);

    *pairs = (attest_audit_pairs){.positions = w.count};
    if (!ok)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_workers_run(compare_row, &w, w.count, w.count > 200 ? jobs : 1, error));
    for (size_t a = 0; a < w.count; a++) {
        pairs->required += w.row[a].required;
        pairs->apart += w.row[a].apart;
        pairs->by_rounding += w.row[a].by_rounding;
        pairs->merged += w.row[a].merged;
        if (w.row[a].kind > pairs->kind) {
            pairs->kind = w.row[a].kind;
            memcpy(pairs->pair, w.row[a].pair, sizeof pairs->pair);
        }
    }
    return ATTEST_OK;
}
