/* memorize.c -- Corollary 1: hypotheses, the network, its proof. */
#include "theory/memorize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "number/scope.h"
#include "theory/memorize_parts.h"
#include "theory/theorem2_parts.h"

enum { ATTEMPTS = 4, FIRST_ATTEMPT_BITS = 8192 };

void attest_memorization_init(attest_memorization *memorization)
{
    memset(memorization, 0, sizeof *memorization);
    memorization->strategy = ATTEST_STRATEGY_TUNED;
    memorization->seed = 1;
    memorization->max_bits = ATTEST_MEMORIZE_MOST_BITS;
    memorization->max_work = INFINITY;
    attest_network_init(&memorization->network);
    attest_positional_init(&memorization->encoding);
    arb_init(memorization->gap);
    fmpq_init(memorization->steepest);
}

void attest_memorization_clear(attest_memorization *memorization)
{
    attest_network_clear(&memorization->network);
    attest_positional_clear(&memorization->encoding);
    arb_clear(memorization->gap);
    fmpq_clear(memorization->steepest);
}

/* What one build needs besides the result. */
typedef struct builder {
    attest_memorization *result;
    const attest_dataset *dataset; /* with labels */
    attest_dataset own;            /* the encoded one, if it is another */
    const attest_dataset *encoded;
    attest_contexts contexts;
    attest_construction construction;
    attest_memorize_points points;
} builder;

static attest_status encode(builder *b, attest_error *error)
{
    attest_memorization *m = b->result;
    const attest_dataset *dataset = b->dataset;
    size_t dim = dataset->dim > dataset->label_dim ? dataset->dim : dataset->label_dim;

    m->network.dim = dim;
    m->network.input_dim = dataset->dim;
    m->network.output_dim = dataset->label_dim;
    b->encoded = dataset;
    if (m->positional) {
        ATTEST_TRY(attest_positional_get(&m->encoding, dataset, error));
        m->network.positional = true;
        m->network.axis = m->encoding.axis;
        fmpq_set(m->network.step, m->encoding.step);
    }
    if (m->positional || dim > dataset->dim) {
        b->encoded = &b->own;
        ATTEST_TRY(attest_positional_encode(&b->own, dataset, dim, m->encoding.axis,
                                            m->positional ? m->encoding.step : NULL, error));
    }
    return ATTEST_OK;
}

static bool same_label(const attest_dataset *dataset, size_t one, size_t other)
{
    for (size_t c = 0; c < dataset->label_dim; c++)
        if (!fmpq_equal(dataset->label + one * dataset->label_dim + c,
                        dataset->label + other * dataset->label_dim + c))
            return false;
    return true;
}

/* Equal classes must have equal labels. */
static attest_status check_consistent(builder *b, attest_error *error)
{
    const attest_contexts *contexts = &b->contexts;
    attest_memorization *m = b->result;
    size_t total = b->dataset->total;
    size_t *first ATTEST_FREED = attest_memory_alloc(contexts->count, sizeof *first);

    if (!first)
        return attest_memory_fail(error);
    for (size_t p = 0; p < total && !m->hypothesis; p++) {
        uint32_t context = contexts->position[p];
        size_t class = m->by_contexts ? context : contexts->context[context].group;

        if (first[class] == 0) {
            first[class] = p + 1;
        } else if (!same_label(b->dataset, first[class] - 1, p)) {
            m->hypothesis = "consistent";
            m->places = 2;
            m->place[0] = attest_place_get(b->dataset, first[class] - 1);
            m->place[1] = attest_place_get(b->dataset, p);
            snprintf(m->explanation, sizeof m->explanation,
                     "equal vocabulary and equal token, but different labels: tokens "
                     "[%zu,%zu] and [%zu,%zu]",
                     m->place[0].sequence, m->place[0].position, m->place[1].sequence,
                     m->place[1].position);
        }
    }
    return ATTEST_OK;
}

/* One class: any attention will do, and Theorem 2 has nothing to say. */
static attest_status build_any(attest_construction *c, size_t dim, attest_error *error)
{
    ATTEST_SCOPED(attest_rational_vector, direction, dim);

    c->dim = dim;
    c->direction = _fmpq_vec_init((slong)dim);
    c->output = _fmpq_vec_init((slong)dim);
    fmpq_one(c->kappa);
    fmpq_set_si(c->output, 1, 4);
    fmpz_one(direction.numerator);
    return attest_construction_finish(c, &direction, error);
}

static void take_hypothesis(attest_memorization *m, const attest_construction *c)
{
    m->hypothesis = c->hypothesis;
    snprintf(m->explanation, sizeof m->explanation, "%s", c->explanation);
    m->places = c->places;
    m->place[0] = c->place[0];
    m->place[1] = c->place[1];
}

/* The weights of Theorem 2 on the encoded tokens. */
static attest_status build_attention(builder *b, attest_error *error)
{
    attest_memorization *m = b->result;
    attest_construction *c = &b->construction;

    c->strategy = m->strategy;
    c->mask = m->mask;
    c->seed = m->seed;
    c->jobs = m->jobs;
    c->max_work = m->max_work;
    if (b->contexts.count == 1)
        return build_any(c, m->network.dim, error);
    if (m->positional) {
        c->eps.given = c->eps_holds = true;
        fmpq_set(c->eps.value, m->encoding.eps);
    }
    ATTEST_TRY(attest_construction_build(c, b->encoded, error));
    if (c->hypothesis)
        take_hypothesis(m, c);
    return ATTEST_OK;
}

/* Evaluates, projects, proves that the classes are apart. */
static attest_status separate(builder *b, attest_error *error)
{
    attest_memorization *m = b->result;
    attest_memorize_points *points = &b->points;
    size_t pair[2] = {0, 0};
    bool apart = false, last = false;
    attest_place one, other;

    ATTEST_TRY(attest_memorize_points_evaluate(points, ATTEST_MEMORIZE_BITS, error));
    for (int i = 0; !apart && !last; i++) {
        long most = m->max_bits;

        last = i == ATTEMPTS - 1 || m->projection || points->dim == 1 ||
               m->strategy != ATTEST_STRATEGY_TUNED;
        if (!last && most > FIRST_ATTEMPT_BITS)
            most = FIRST_ATTEMPT_BITS;
        if (m->projection)
            _fmpz_vec_set(points->projection, m->projection, (slong)points->dim);
        else
            ATTEST_TRY(attest_memorize_points_choose(points, b->construction.output,
                                                     m->seed + (uint64_t)i, error));
        ATTEST_TRY(attest_memorize_points_separate(points, &apart, pair, most, error));
    }
    if (apart)
        return ATTEST_OK;
    one = attest_context_place(b->contexts.context + pair[0], b->encoded);
    other = attest_context_place(b->contexts.context + pair[1], b->encoded);
    return attest_error_set(error, ATTEST_UNABLE,
                            "within %ld bits the projection does not tell the classes of "
                            "tokens [%zu,%zu] and [%zu,%zu] apart",
                            points->bits, one.sequence, one.position, other.sequence,
                            other.position);
}

/* reach = a whole number with |z_c| < reach for all contexts, and above Theorem 2's r. */
static void get_reach(fmpz_t reach, const builder *b)
{
    const attest_memorize_points *points = &b->points;
    ARF(most, own);
    FMPZ(r);

    for (size_t e = 0; e < points->count * points->dim; e++) {
        arb_get_abs_ubound_arf(own, points->z + e, ATTEST_MEMORIZE_BITS);
        if (arf_cmp(own, most) > 0)
            arf_set(most, own);
    }
    arf_get_fmpz(reach, most, ARF_RND_CEIL);
    fmpz_cdiv_q(r, fmpq_numref(b->construction.r), fmpq_denref(b->construction.r));
    if (fmpz_cmp(r, reach) > 0)
        fmpz_set(reach, r);
    fmpz_add_ui(reach, reach, 1); /* strictly: at 0 a unit is inactive */
}

static attest_status build_network(builder *b, attest_error *error)
{
    attest_memorization *m = b->result;
    FMPZ(reach);
    ARF(gap);

    get_reach(reach, b);
    ATTEST_TRY(attest_memorize_ramps(&m->network.after, gap, &b->points, b->dataset->label,
                                     b->dataset->label_dim, reach, error));
    m->network.has_after = true;
    m->network.attention = b->construction.weights;
    attest_weights_init(&b->construction.weights); /* moved */
    m->pieces = b->points.pieces;
    m->has_gap = m->pieces > 1;
    arb_set_arf(m->gap, gap);
    m->precision_bits = b->points.bits;
    attest_memorize_set_size(m, b->dataset);
    return ATTEST_OK;
}

static attest_status find_classes(builder *b, attest_error *error)
{
    attest_memorization *m = b->result;

    b->contexts.keep_positions = true;
    ATTEST_TRY(
        attest_contexts_get(&b->contexts, b->encoded, m->mask, ATTEST_TIES_UNIFORM, error));
    m->contexts = b->contexts.count;
    m->classes = m->by_contexts ? m->contexts : b->contexts.classes;
    return check_consistent(b, error);
}

static void builder_clear(builder *b)
{
    attest_memorize_points_clear(&b->points);
    attest_construction_clear(&b->construction);
    attest_contexts_clear(&b->contexts);
    attest_dataset_clear(&b->own);
}

static attest_status build(attest_memorization *m, const attest_dataset *dataset,
                           attest_error *error)
{
    builder b ATTEST_CLEARED_BY(builder_clear) = {.result = m, .dataset = dataset};

    attest_dataset_init(&b.own);
    attest_contexts_init(&b.contexts);
    attest_construction_init(&b.construction);
    ATTEST_TRY(encode(&b, error));
    ATTEST_TRY(find_classes(&b, error));
    if (!m->hypothesis)
        ATTEST_TRY(build_attention(&b, error));
    if (m->hypothesis)
        return ATTEST_OK;
    ATTEST_TRY(
        attest_memorize_check_size(&b.construction, &b.encoded->tokens, &b.contexts, error));
    ATTEST_TRY(attest_memorize_points_init(&b.points, b.encoded, &b.construction.weights,
                                           &b.contexts, m->by_contexts, error));
    b.points.progress = m->progress;
    b.points.jobs = m->jobs;
    b.points.work_left = m->max_work;
    ATTEST_TRY(separate(&b, error));
    return build_network(&b, error);
}

attest_status attest_memorization_build(attest_memorization *memorization,
                                        const attest_dataset *dataset, attest_error *error)
{
    if (!dataset->label)
        return attest_error_set(error, ATTEST_USAGE,
                                "the dataset has no \"labels\": as \"sequences\", with "
                                "an array of numbers for each token");
    ATTEST_TRY(build(memorization, dataset, error));
    if (memorization->hypothesis)
        return ATTEST_OK;
    return attest_memorize_check_labels(&memorization->proof, &memorization->network, dataset,
                                        memorization->max_bits, &memorization->progress,
                                        memorization->jobs, error);
}
