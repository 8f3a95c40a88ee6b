/* memorize.c -- Corollaries 1 and 2: a network that memorises labelled data. */
#include "base/hint.h"
#include "theory/memorize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "theory/theorem2.h"

/* Ramps in the gaps, and the units that cancel the skip.
 *
 * In the gap (low, high) of width g the ramp rises from l to u = l + 2^-k, where 2^-k <= g/4
 * and l is the least multiple of 2^-k that is at least low + g/4: so low < low + g/4 <= l and
 * u <= low + g/4 + 2 * 2^-k <= low + 3 g/4 < high, strictly inside, and both numbers are
 * short. */

/* Sets mantissa and k with l = mantissa 2^-k for the ramp in the gap of width g that begins at
 * low; overwrites g. */
static void place_ramp(fmpz_t mantissa, fmpz_t k, const arf_t low, arf_t g)
{
    ARF(l);

    /* 2^(e-1) <= g < 2^e, so 2^(e-3) <= g/4 */
    arf_abs_bound_lt_2exp_fmpz(k, g);
    fmpz_sub_ui(k, k, 3);
    fmpz_neg(k, k);
    arf_mul_2exp_si(g, g, -2);
    arf_add(l, low, g, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul_2exp_fmpz(l, l, k);
    arf_get_fmpz(mantissa, l, ARF_RND_CEIL);
}

/* x = mantissa 2^-k. */
static void set_dyadic(fmpq_t x, const fmpz_t mantissa, const fmpz_t k)
{
    slong shift = fmpz_get_si(k);

    fmpq_set_fmpz(x, mantissa);
    if (shift >= 0)
        fmpq_div_2exp(x, x, (ulong)shift);
    else
        fmpq_mul_2exp(x, x, (ulong)-shift);
}

/* Sets the two units of a ramp: biases -l and -u, outputs +-(y' - y) 2^k. */
static void set_ramp(fmpq *bias, fmpq *output, size_t dim, const fmpz_t mantissa,
                     const fmpz_t k, const fmpq *from, const fmpq *to, size_t label_dim)
{
    FMPZ(minus, one);
    FMPQ(slope);

    fmpz_one(one);
    fmpz_neg(minus, mantissa);
    set_dyadic(bias, minus, k);
    fmpz_sub_ui(minus, minus, 1);
    set_dyadic(bias + 1, minus, k);
    fmpz_neg(minus, k);
    set_dyadic(slope, one, minus); /* 2^k */
    for (size_t c = 0; c < label_dim; c++) {
        fmpq_sub(output + c, to + c, from + c);
        fmpq_mul(output + c, output + c, slope);
        fmpq_neg(output + dim + c, output + c);
    }
}

/* The numbers of a group over common denominators. */
static attest_status take_numbers(attest_units *units, const fmpq *bias, const fmpq *output,
                                  attest_error *error)
{
    size_t bytes;

    ATTEST_TRY(attest_rationals_bound_common(units->bias_denominator, &bytes, bias,
                                             units->count, NULL, error));
    ATTEST_TRY(attest_rationals_bound_common(units->output_denominator, &bytes, output,
                                             units->count * units->dim, NULL, error));
    attest_rationals_get_numerators(units->bias, units->bias_denominator, bias, units->count);
    attest_rationals_get_numerators(units->output, units->output_denominator, output,
                                    units->count * units->dim);
    return ATTEST_OK;
}

/* The label of the contexts of piece j. */
static const fmpq *label_of(const attest_memorize_points *points, const fmpq *label,
                            size_t label_dim, size_t j)
{
    size_t at = j > 0 ? points->border[j - 1] : 0;

    return label + points->contexts->context[points->order[at]].first * label_dim;
}

static void set_ramps(fmpq *bias, fmpq *output, arf_t gap, const attest_memorize_points *points,
                      const fmpq *label, size_t label_dim)
{
    size_t dim = points->dim;
    FMPZ(mantissa, k);
    ARF(low, high);

    for (size_t j = 1; j < points->pieces; j++) {
        size_t h = 2 * (j - 1);

        attest_memorize_points_gap(low, high, points, j);
        arf_sub(high, high, low, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (j == 1 || arf_cmp(high, gap) < 0)
            arf_set(gap, high);
        place_ramp(mantissa, k, low, high);
        set_ramp(bias + h, output + h * dim, dim, mantissa, k,
                 label_of(points, label, label_dim, j - 1),
                 label_of(points, label, label_dim, j), label_dim);
    }
}

/* Subtracts relu(z_c + reach): -reach remains of the skip, which b_2 adds back. */
static attest_status set_cancelling(attest_feed_forward *layer, size_t c, const fmpz_t reach)
{
    attest_units *units = &layer->group[1 + c];

    if (attest_units_resize(units, layer->dim, 1) != ATTEST_OK)
        return ATTEST_NOMEM;
    fmpz_one(units->direction + c);
    fmpz_set(units->bias, reach);
    fmpz_set_si(units->output + c, -1);
    return ATTEST_OK;
}

/* layer = ramps in the gaps, and the units that cancel the skip where z_c >= -reach. The label
 * of a context is that of its first position. gap = a lower bound of the least gap, exactly;
 * unset where there is one piece. Domain: separate points. Status: NOMEM. */
static attest_status build_ramps(attest_feed_forward *layer, arf_t gap,
                                 const attest_memorize_points *points, const fmpq *label,
                                 size_t label_dim, const fmpz_t reach, attest_error *error)
{
    size_t dim = points->dim, count = 2 * (points->pieces - 1);
    ATTEST_RATIONALS(bias, count);
    ATTEST_RATIONALS(output, count * dim);

    if (attest_feed_forward_resize(layer, dim, 1 + dim) != ATTEST_OK || !bias || !output ||
        attest_units_resize(&layer->group[0], dim, count) != ATTEST_OK)
        return attest_memory_fail(error);
    for (size_t c = 0; c < dim; c++)
        if (set_cancelling(layer, c, reach) != ATTEST_OK)
            return attest_memory_fail(error);
    _fmpz_vec_set(layer->group[0].direction, points->projection, (slong)dim);
    set_ramps(bias, output, gap, points, label, label_dim);
    for (size_t c = 0; c < dim; c++) {
        if (c < label_dim)
            fmpq_set(layer->bias + c, label_of(points, label, label_dim, 0) + c);
        fmpq_add_fmpz(layer->bias + c, layer->bias + c, reach);
    }
    return take_numbers(&layer->group[0], bias, output, error);
}

/* The size of a memorisation, and a check that its proof is feasible. */

/* Returns about the number of bits over which the weights of softmax range: contexts differ by
 * 2^-bits at worst. */
static double bits_expected(const attest_construction *c, const attest_tokens *tokens)
{
    double low = INFINITY, high = -INFINITY, size;
    FMPQ(along, entry);

    for (size_t t = 0; t < tokens->count; t++) {
        fmpq_zero(along);
        for (size_t e = 0; e < c->dim; e++) {
            attest_tokens_get_entry(entry, tokens, t, e);
            fmpq_addmul(along, entry, c->direction + e);
        }
        low = fmin(low, fmpq_get_d(along));
        high = fmax(high, fmpq_get_d(along));
    }
    size = fmax(fabs(low), fabs(high));
    fmpq_set(along, c->kappa);
    size *= fmpq_get_d(along) * (high - low) / log(2);
    return size;
}

/* Refuses constructions for which the strategies theorem and gap would need too many bits.
 * Status: UNABLE. */
static attest_status check_size(const attest_construction *construction,
                                const attest_tokens *tokens, const attest_contexts *contexts,
                                attest_error *error)
{
    double bits, work = 0;

    if (construction->strategy == ATTEST_STRATEGY_TUNED || contexts->count == 1)
        return ATTEST_OK;
    bits = bits_expected(construction, tokens);
    for (size_t j = 0; j < contexts->count; j++)
        work += contexts->context[j].seen;
    if (bits <= ATTEST_MEMORIZE_MOST_BITS && bits * work <= ATTEST_MEMORIZE_MOST_WORK)
        return ATTEST_OK;
    return attest_error_set(
        error, ATTEST_UNABLE,
        "strategy %s puts scores over a range of 2^%.1f bits, and a proof takes that precision "
        "in each of %.0f exponentials: the limits are 2^20 bits and 2^28 bits in "
        "all; " ATTEST_HINT_TUNED,
        attest_strategy_name(construction->strategy), log2(bits), work);
}

/* steepest = the largest |entry| of W_2 in this group. */
static void get_steepest(fmpq_t steepest, const attest_units *units)
{
    FMPZ(most);

    for (size_t e = 0; e < units->count * units->dim; e++)
        if (fmpz_cmpabs(units->output + e, most) > 0)
            fmpz_abs(most, units->output + e);
    fmpq_set_fmpz_frac(steepest, most, units->output_denominator);
}

/* steepest = the largest |entry| of W_2 in all groups: ramps may be less steep than the units
 * that cancel the skip. */
static void get_steepest_of_all(fmpq_t steepest, const attest_feed_forward *layer)
{
    FMPQ(own);

    fmpq_zero(steepest);
    for (size_t g = 0; g < layer->groups; g++) {
        get_steepest(own, &layer->group[g]);
        if (fmpq_cmp(own, steepest) > 0)
            fmpq_set(steepest, own);
    }
}

/* Sets steepest, hidden_units and the numbers of parameters, for a network that is built. */
static void set_size(attest_memorization *m, const attest_dataset *dataset)
{
    uint64_t d = m->network.dim, s = 1, h = attest_feed_forward_units(&m->network.after);

    get_steepest_of_all(m->steepest, &m->network.after);
    m->hidden_units = (size_t)h;
    m->parameters = 4 * (s + d) + d * h;
    m->parameters_dense = 4 * s * d + 2 * d * h + h + d;
    m->paper_parameters =
        4 * (s + d) + d * (2 * (uint64_t)dataset->longest * (uint64_t)dataset->count + d);
}

/* The network and its proof. */

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

/* The state of one build. */
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

/* Checks that positions of one class have one label; else sets the violated hypothesis. */
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

/* There is one class: any attention layer will do, and Theorem 2 does not apply. */
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

/* Evaluates the contexts, projects them to a line, and proves that the classes are apart. */
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
                            "within %ld bits the projection does not separate the classes of "
                            "tokens [%zu,%zu] and [%zu,%zu]",
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
    ATTEST_TRY(build_ramps(&m->network.after, gap, &b->points, b->dataset->label,
                           b->dataset->label_dim, reach, error));
    m->network.has_after = true;
    m->network.attention = b->construction.weights;
    attest_weights_init(&b->construction.weights); /* moved */
    m->pieces = b->points.pieces;
    m->has_gap = m->pieces > 1;
    arb_set_arf(m->gap, gap);
    m->precision_bits = b->points.bits;
    set_size(m, b->dataset);
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
    ATTEST_TRY(check_size(&b.construction, &b.encoded->tokens, &b.contexts, error));
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
                                "the dataset has no \"labels\": add them in the shape of "
                                "\"sequences\", with an array of "
                                "numbers for each token");
    ATTEST_TRY(build(memorization, dataset, error));
    if (memorization->hypothesis)
        return ATTEST_OK;
    return attest_memorize_check_labels(&memorization->proof, &memorization->network, dataset,
                                        memorization->max_bits, &memorization->progress,
                                        memorization->jobs, error);
}
