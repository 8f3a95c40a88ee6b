/* approximate.c -- universal approximation: a network for a function. */
#include "base/hint.h"
#include "theory/approximate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attention/feed_forward.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/scope.h"
#include "number/rationals.h"
#include "number/scope.h"

enum { SAMPLES = 64, MOST_ENTRIES = 16 };

void attest_approximation_init(attest_approximation *approximation)
{
    memset(approximation, 0, sizeof *approximation);
    approximation->dim = 1;
    approximation->length = 2;
    approximation->grid = 16;
    approximation->seed = 1;
    attest_network_init(&approximation->network);
    fmpq_init(approximation->ramp);
    fmpq_init(approximation->measure);
    arb_init(approximation->l1);
    arb_init(approximation->l2);
    arb_init(approximation->l1_bound);
    arb_init(approximation->l2_bound);
}

void attest_approximation_clear(attest_approximation *approximation)
{
    attest_network_clear(&approximation->network);
    fmpq_clear(approximation->ramp);
    fmpq_clear(approximation->measure);
    arb_clear(approximation->l1);
    arb_clear(approximation->l2);
    arb_clear(approximation->l1_bound);
    arb_clear(approximation->l2_bound);
}

static attest_status check_limits(const attest_approximation *a, attest_error *error)
{
    double cells = pow((double)a->grid, (double)(a->dim * a->length));

    if (a->dim < 1 || a->dim > ATTEST_APPROXIMATE_MOST_DIM || a->length < 1 ||
        a->length > ATTEST_APPROXIMATE_MOST_LENGTH)
        return attest_error_set(
            error, ATTEST_USAGE,
            "tokens have 1 to %d entries, sequences 1 to %d tokens: " ATTEST_HINT_SHAPE,
            ATTEST_APPROXIMATE_MOST_DIM, ATTEST_APPROXIMATE_MOST_LENGTH);
    if (a->grid < 2)
        return attest_error_set(error, ATTEST_USAGE, "a grid has at least 2 cells per axis");
    if (cells > (double)ATTEST_APPROXIMATE_MOST_CELLS)
        return attest_error_set(error, ATTEST_USAGE,
                                "a grid has at most 2^20 cells, and %zu^(%zu*%zu) = %.0f are "
                                "more",
                                a->grid, a->dim, a->length, cells);
    return ATTEST_OK;
}

/* Sequences of points with odd numerators over 2 G, the centres of cells, and the values of f.
 */
typedef struct labelled {
    const attest_approximation *a;
    attest_dataset_builder builder;
    fmpq *token;
    fmpq *label;
    size_t labels, room;
} labelled;

static attest_status labelled_init(labelled *l, const attest_approximation *a, size_t room,
                                   attest_error *error)
{
    l->a = a;
    l->labels = 0;
    l->room = room * a->length * a->dim;
    attest_dataset_builder_init(&l->builder, a->dim, ATTEST_TABLE_RATIONAL, NULL);
    l->token = attest_rationals_alloc(a->dim);
    l->label = attest_rationals_alloc(l->room);
    return l->token && l->label ? ATTEST_OK : attest_memory_fail(error);
}

static void labelled_clear(labelled *l)
{
    attest_dataset_builder_clear(&l->builder);
    attest_rationals_free(l->token, l->a->dim);
    attest_rationals_free(l->label, l->room);
}

/* dataset = the added sequences with their labels. */
static attest_status labelled_finish(attest_dataset *dataset, labelled *l, attest_error *error)
{
    ATTEST_TRY(attest_dataset_builder_finish(dataset, &l->builder, error));
    dataset->label_dim = l->a->dim;
    dataset->label = l->label;
    l->label = NULL;
    return ATTEST_OK;
}

/* Adds the sequence of points x / unit, labelled by f at the centres of these cells. */
static attest_status add_sequence(labelled *l, const int64_t *x, int64_t unit,
                                  const int64_t *centre, attest_error *error)
{
    size_t d = l->a->dim, n = l->a->length;

    for (size_t k = 0; k < n; k++) {
        for (size_t c = 0; c < d; c++) {
            fmpq_set_si(l->token + c, x[k * d + c], (ulong)unit);
            attest_equivariant_value(l->label + l->labels++, l->a->function, centre,
                                     2 * (int64_t)l->a->grid, d, n, k, c);
        }
        ATTEST_TRY(attest_dataset_builder_add_token(&l->builder, l->token, error));
    }
    return attest_dataset_builder_end_sequence(&l->builder, error);
}

/* centre[...] = the cells of token number t, as numerators over 2 G. */
static void set_centre(int64_t *centre, size_t t, size_t d, size_t grid)
{
    for (size_t c = 0; c < d; c++, t /= grid)
        centre[c] = 2 * (int64_t)(t % grid) + 1;
}

/* The next multiset of n of the numbers below count, in ascending order; false after the last.
 */
static bool next_multiset(size_t *t, size_t n, size_t count)
{
    size_t i = n;

    while (i > 0 && t[i - 1] == count - 1)
        i--;
    if (i == 0)
        return false;
    t[i - 1]++;
    for (size_t j = i; j < n; j++)
        t[j] = t[i - 1];
    return true;
}

/* C(count + n - 1, n). */
static size_t count_multisets(size_t count, size_t n)
{
    size_t total = 1;

    for (size_t i = 0; i < n; i++)
        total = total * (count + i) / (i + 1);
    return total;
}

/* All multisets of n cells, with the values of f at the centres. */
static attest_status make_cells(attest_dataset *dataset, const attest_approximation *a,
                                attest_error *error)
{
    size_t count = 1, t[ATTEST_APPROXIMATE_MOST_LENGTH] = {0};
    int64_t centre[MOST_ENTRIES];
    labelled l ATTEST_CLEARED_BY(labelled_clear) = {.a = a};

    for (size_t c = 0; c < a->dim; c++)
        count *= a->grid;
    ATTEST_TRY(labelled_init(&l, a, count_multisets(count, a->length), error));
    do {
        for (size_t k = 0; k < a->length; k++)
            set_centre(centre + k * a->dim, t[k], a->dim, a->grid);
        ATTEST_TRY(add_sequence(&l, centre, 2 * (int64_t)a->grid, centre, error));
    } while (next_multiset(t, a->length, count));
    return labelled_finish(dataset, &l, error);
}

/* Random points of [0, 1]^{d x n} outside the ramps, unordered, with the values of f at the
 * centres of their cells. Entries are multiples of 1/(2^10 G) other than borders: a ramp is
 * narrower. */
static attest_status make_samples(attest_dataset *dataset, const attest_approximation *a,
                                  attest_error *error)
{
    size_t entries = a->length * a->dim;
    uint64_t state = a->seed;
    labelled l ATTEST_CLEARED_BY(labelled_clear) = {.a = a};

    ATTEST_TRY(labelled_init(&l, a, SAMPLES, error));
    for (int i = 0; i < SAMPLES; i++) {
        int64_t x[MOST_ENTRIES], centre[MOST_ENTRIES];

        for (size_t e = 0; e < entries; e++) {
            int64_t cell = (int64_t)(attest_random_next(&state) % a->grid);
            x[e] = 1024 * cell + 1 + (int64_t)(attest_random_next(&state) % 1023);
            centre[e] = 2 * cell + 1;
        }
        ATTEST_TRY(add_sequence(&l, x, 1024 * (int64_t)a->grid, centre, error));
    }
    return labelled_finish(dataset, &l, error);
}

/* F_SA and F_FF2, by memorisation of all multisets of cells. */
static attest_status build_values(attest_approximation *a, attest_error *error)
{
    ATTEST_SCOPED(attest_memorization, m);
    ATTEST_SCOPED(attest_dataset, cells);

    m.seed = a->seed;
    m.by_contexts = true;
    m.progress = a->progress;
    m.jobs = a->jobs;
    ATTEST_TRY(make_cells(&cells, a, error));
    ATTEST_TRY(attest_memorization_build(&m, &cells, error));
    attest_network_clear(&a->network);
    a->network = m.network;
    attest_network_init(&m.network); /* moved */
    a->contexts = m.contexts;
    a->value_units = m.hidden_units;
    a->proved = m.hypothesis ? ATTEST_UNDECIDED : m.proof.verdict;
    a->precision_bits = m.proof.precision_bits;
    snprintf(a->reason, sizeof a->reason, "%s", m.hypothesis ? m.explanation : m.proof.reason);
    return ATTEST_OK;
}

/* Width and measure of the ramps. */
static void set_ramp(attest_approximation *a)
{
    fmpq_set_si(a->ramp, 1, a->grid * a->grid);
    fmpq_div_2exp(a->ramp, a->ramp, -ATTEST_RAMP_LOG2);
    fmpq_mul_ui(a->measure, a->ramp, (a->grid - 1) * a->dim * a->length);
}

/* F_FF1, and the proof that it is flat. */
static attest_status build_stairs(attest_approximation *a, attest_error *error)
{
    attest_network *network = &a->network;
    bool flat = false;

    network->has_before = true;
    ATTEST_TRY(attest_stairs_build(&network->before, a->dim, a->grid, a->ramp, error));
    ATTEST_TRY(attest_stairs_check(&flat, a->reason, sizeof a->reason, &network->before,
                                   a->grid, a->ramp, error));
    a->stair_units = attest_feed_forward_units(&network->before);
    if (!flat)
        a->proved = ATTEST_REFUTED;
    return ATTEST_OK;
}

/* The whole network on points it was not built from. */
static attest_status check_samples(attest_approximation *a, attest_error *error)
{
    attest_label_finding finding;
    ATTEST_SCOPED(attest_dataset, samples);

    ATTEST_TRY(make_samples(&samples, a, error));
    ATTEST_TRY(attest_memorize_check_labels(&finding, &a->network, &samples,
                                            ATTEST_MEMORIZE_MOST_BITS, &a->progress, a->jobs,
                                            error));
    if (finding.verdict != ATTEST_PROVED) {
        a->proved = finding.verdict;
        snprintf(a->reason, sizeof a->reason, "%s", finding.reason);
    }
    return ATTEST_OK;
}

attest_status attest_approximation_build(attest_approximation *approximation,
                                         attest_error *error)
{
    ATTEST_TRY(check_limits(approximation, error));
    set_ramp(approximation);
    ATTEST_TRY(build_values(approximation, error));
    if (approximation->proved == ATTEST_PROVED)
        ATTEST_TRY(build_stairs(approximation, error));
    if (approximation->proved == ATTEST_PROVED)
        ATTEST_TRY(check_samples(approximation, error));
    if (approximation->proved == ATTEST_PROVED)
        ATTEST_TRY(attest_approximation_bound(approximation, error));
    return ATTEST_OK;
}

/* The stair that maps entries to the centres of their cells. */

/* x = i/G + side ramp/2: the end of the flat part of a cell at border i. */
static void get_edge(fmpq_t x, size_t i, int side, size_t grid, const fmpq_t ramp)
{
    FMPQ(half);

    fmpq_div_2exp(half, ramp, 1);
    fmpq_set_si(x, (slong)i, grid);
    if (side < 0)
        fmpq_sub(x, x, half);
    else if (side > 0)
        fmpq_add(x, x, half);
}

/* Units of one axis: two for each border, of slopes +-1/(G ramp), and one that cancels the
 * skip, which is active for entries above -1. */
static attest_status build_axis(attest_units *units, size_t axis, size_t dim, size_t grid,
                                const fmpq_t ramp, attest_error *error)
{
    size_t count = 2 * (grid - 1) + 1, bytes;
    ATTEST_RATIONALS(bias, count);
    FMPQ(slope);

    if (attest_units_resize(units, dim, count) != ATTEST_OK || !bias)
        return attest_memory_fail(error);
    fmpq_mul_ui(slope, ramp, grid);
    fmpq_inv(slope, slope);
    fmpz_one(units->direction + axis);
    fmpz_set(units->output_denominator, fmpq_denref(slope));
    for (size_t i = 1; i < grid; i++) {
        for (int side = -1; side <= 1; side += 2) {
            size_t h = 2 * i - 1 + (side > 0);
            get_edge(bias + h, i, side, grid, ramp);
            fmpq_neg(bias + h, bias + h);
            fmpz_mul_si(units->output + h * dim + axis, fmpq_numref(slope), -side);
        }
    }
    fmpq_set_si(bias, 1, 1);
    fmpz_neg(units->output + axis, fmpq_denref(slope));
    ATTEST_TRY(attest_rationals_bound_common(units->bias_denominator, &bytes, bias, count, NULL,
                                             error));
    attest_rationals_get_numerators(units->bias, units->bias_denominator, bias, count);
    return ATTEST_OK;
}

attest_status attest_stairs_build(attest_feed_forward *stairs, size_t dim, size_t grid,
                                  const fmpq_t ramp, attest_error *error)
{
    if (attest_feed_forward_resize(stairs, dim, dim) != ATTEST_OK)
        return attest_memory_fail(error);
    for (size_t axis = 0; axis < dim; axis++) {
        ATTEST_TRY(build_axis(&stairs->group[axis], axis, dim, grid, ramp, error));
        /* the cancelled skip leaves -1, the lowest stair is 1/(2G) */
        fmpq_set_si(stairs->bias + axis, 2 * (slong)grid + 1, 2 * grid);
    }
    return ATTEST_OK;
}

/* True if a unit of the group begins strictly between low and high; its direction is the
 * axis. */
static bool has_corner(const attest_units *units, const fmpq_t low, const fmpq_t high)
{
    bool found = false;
    FMPQ(at);

    for (size_t h = 0; h < units->count && !found; h++) {
        fmpq_set_fmpz_frac(at, units->bias + h, units->bias_denominator);
        fmpq_neg(at, at);
        found = fmpq_cmp(at, low) > 0 && fmpq_cmp(at, high) < 0;
    }
    return found;
}

/* The layer at the point whose entries are all x is the centre of cell i in all entries. */
static bool is_centre(fmpq *z, attest_pattern *pattern, const attest_feed_forward_plan *plan,
                      const fmpq_t x, size_t i, size_t grid)
{
    size_t dim = plan->layer->dim;
    bool equal = true;
    FMPQ(centre);

    fmpq_set_si(centre, 2 * (slong)i + 1, 2 * grid);
    for (size_t c = 0; c < dim; c++)
        fmpq_set(z + c, x);
    attest_feed_forward_exact(z + dim, pattern, plan, z);
    for (size_t c = 0; c < dim; c++)
        equal = equal && fmpq_equal(z + dim + c, centre);
    return equal;
}

/* Each group must have the unit vector of its own axis as direction and move no other entry. */
static bool is_by_axis(const attest_feed_forward *stairs)
{
    for (size_t g = 0; g < stairs->groups; g++) {
        if (!fmpz_is_one(stairs->group[g].direction_denominator) ||
            !fmpz_is_one(stairs->group[g].direction + g))
            return false;
        for (size_t c = 0; c < stairs->dim; c++) {
            if (c == g)
                continue;
            if (!fmpz_is_zero(stairs->group[g].direction + c))
                return false;
            for (size_t h = 0; h < stairs->group[g].count; h++)
                if (!fmpz_is_zero(stairs->group[g].output + h * stairs->dim + c))
                    return false;
        }
    }
    return true;
}

attest_status attest_stairs_check(bool *flat, char *reason, size_t size,
                                  const attest_feed_forward *stairs, size_t grid,
                                  const fmpq_t ramp, attest_error *error)
{
    size_t dim = stairs->dim;
    attest_feed_forward_plan plan ATTEST_CLEARED_BY(attest_feed_forward_plan_clear) = {0};
    attest_pattern pattern ATTEST_CLEARED_BY(attest_pattern_clear) = {0};
    ATTEST_RATIONALS(z, 2 * dim);
    FMPQ(low, high);

    ATTEST_TRY(attest_feed_forward_plan_init(&plan, stairs, error));
    if (attest_pattern_init(&pattern, stairs) != ATTEST_OK || !z)
        return attest_memory_fail(error);
    *flat = stairs->groups == dim && is_by_axis(stairs);
    if (!*flat)
        snprintf(reason, size, "the stair mixes entries");
    for (size_t i = 0; i < grid && *flat; i++) {
        get_edge(low, i, i > 0, grid, ramp);
        get_edge(high, i + 1, i + 1 < grid ? -1 : 0, grid, ramp);
        *flat = is_centre(z, &pattern, &plan, low, i, grid) &&
                is_centre(z, &pattern, &plan, high, i, grid);
        for (size_t g = 0; g < stairs->groups && *flat; g++)
            *flat = !has_corner(&stairs->group[g], low, high);
        if (!*flat)
            snprintf(reason, size, "the stair is not flat on cell %zu", i);
    }
    return ATTEST_OK;
}
