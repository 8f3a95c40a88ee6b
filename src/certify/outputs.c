/* outputs.c -- the outputs of attention at contexts, evaluated sequence by sequence, and the
 * search for the pairs of them that may be closest. */
#include "certify/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/attention.h>
#include <attest/certify.h>

#include "attention/head_plan.h"
#include "base/memory.h"
#include "base/workers.h"
#include "number/scope.h"

attest_status attest_outputs_init(attest_outputs *outputs, const attest_weights *weights,
                                  const attest_dataset *dataset,
                                  const attest_contexts *contexts, attest_error *error)
{
    size_t count = contexts->count;

    *outputs = (attest_outputs){
        .weights = weights, .dataset = dataset, .contexts = contexts, .work_left = INFINITY};
    outputs->exact = attest_memory_alloc(count, sizeof *outputs->exact);
    outputs->ball = attest_memory_alloc(count, sizeof *outputs->ball);
    outputs->bits = attest_memory_alloc(count, sizeof *outputs->bits);
    if (outputs->exact && outputs->ball && outputs->bits)
        return ATTEST_OK;
    attest_outputs_clear(outputs);
    return attest_memory_fail(error);
}

void attest_outputs_clear(attest_outputs *outputs)
{
    slong dim = (slong)outputs->dataset->dim;

    for (size_t p = 0; p < outputs->contexts->count; p++) {
        if (outputs->exact && outputs->exact[p])
            _fmpq_vec_clear(outputs->exact[p], dim);
        if (outputs->ball && outputs->ball[p])
            _arb_vec_clear(outputs->ball[p], dim);
    }
    free(outputs->exact);
    free(outputs->ball);
    free(outputs->bits);
    outputs->exact = NULL;
    outputs->ball = NULL;
    outputs->bits = NULL;
}

/* One sequence, evaluated: length * dim entries of one of the two kinds. */
typedef struct evaluated {
    size_t entries;
    fmpq *exact;
    arb_ptr ball;
} evaluated;

static void evaluated_clear(evaluated *values)
{
    if (values->exact)
        _fmpq_vec_clear(values->exact, (slong)values->entries);
    if (values->ball)
        _arb_vec_clear(values->ball, (slong)values->entries);
}

/* Charges the work of the sequences of all contexts, before the first is evaluated. */
static attest_status charge_all(attest_outputs *outputs, long bits, attest_error *error)
{
    const attest_contexts *contexts = outputs->contexts;
    double work = 0;

    for (size_t p = 0; p < contexts->count; p++) {
        ATTEST_SCOPED(attest_sequence, s);

        if (p > 0 && contexts->context[p - 1].sequence == contexts->context[p].sequence)
            continue;
        ATTEST_TRY(attest_dataset_get_sequence(&s, outputs->dataset,
                                               contexts->context[p].sequence, NULL, error));
        work += attest_work_estimate(outputs->weights, &s, s.length, bits);
    }
    return attest_work_charge(&outputs->work_left, work, error);
}

/* Charges the work of one sequence. */
static attest_status charge(attest_outputs *outputs, const attest_sequence *s, size_t queries,
                            long bits, attest_error *error)
{
    return attest_work_charge(&outputs->work_left,
                              attest_work_estimate(outputs->weights, s, queries, bits), error);
}

/* Exact for bits = 0, else in balls. charged: its work has been charged already. */
static attest_status evaluate(evaluated *values, attest_outputs *outputs, size_t sequence,
                              long bits, bool charged, attest_error *error)
{
    ATTEST_SCOPED(attest_sequence, s);

    *values = (evaluated){0};
    ATTEST_TRY(attest_dataset_get_sequence(&s, outputs->dataset, sequence, NULL, error));
    if (!charged)
        ATTEST_TRY(charge(outputs, &s, s.length, bits, error));
    values->entries = s.length * s.dim;
    if (bits) {
        values->ball = _arb_vec_init((slong)values->entries);
        return attest_attention_ball(values->ball, outputs->weights, &s, bits, error);
    }
    values->exact = _fmpq_vec_init((slong)values->entries);
    return attest_attention_exact(values->exact, outputs->weights, &s, error);
}

/* The index of the output at context p among the values of its sequence. */
static size_t offset(const attest_outputs *outputs, size_t p)
{
    const attest_context *context = &outputs->contexts->context[p];

    return attest_context_place(context, outputs->dataset).position * outputs->dataset->dim;
}

static void set_point(attest_cloud *cloud, size_t p, const evaluated *values, size_t at,
                      arb_ptr ball)
{
    if (values->ball) {
        attest_cloud_set_balls(cloud, p, values->ball + at);
        return;
    }
    for (size_t c = 0; c < cloud->dim; c++)
        arb_set_fmpq(ball + c, values->exact + at + c, 64);
    attest_cloud_set_balls(cloud, p, ball);
}

/* All outputs, coloured by class; the cloud is not finished. */
static attest_status fill_cloud(attest_cloud *cloud, attest_outputs *outputs,
                                attest_error *error)
{
    const attest_contexts *contexts = outputs->contexts;
    size_t dim = outputs->dataset->dim, p = 0;
    long bits = outputs->weights->activation == ATTEST_HARDMAX ? 0 : ATTEST_CERTIFY_BITS;

    ATTEST_TRY(charge_all(outputs, bits, error));
    ATTEST_TRY(attest_cloud_init(cloud, contexts->count, dim, error));
    ARB_VEC(ball, (slong)dim);
    ATTEST_PROGRESS_STAGE(progress, &outputs->progress);
    attest_progress_report(progress, "contexts", 0, contexts->count, NULL);
    while (p < contexts->count) {
        size_t sequence = contexts->context[p].sequence;
        evaluated values ATTEST_CLEARED_BY(evaluated_clear) = {0};
        ATTEST_TRY_OR(evaluate(&values, outputs, sequence, bits, true, error),
                      attest_cloud_clear(cloud));
        for (; p < contexts->count && contexts->context[p].sequence == sequence; p++) {
            cloud->colour[p] = contexts->context[p].group;
            set_point(cloud, p, &values, offset(outputs, p), ball);
        }
        attest_progress_report(progress, "contexts", p, contexts->count, NULL);
    }
    return ATTEST_OK;
}

attest_status attest_outputs_get_cloud(attest_cloud *cloud, attest_outputs *outputs,
                                       attest_error *error)
{
    ATTEST_TRY(fill_cloud(cloud, outputs, error));
    attest_cloud_finish(cloud);
    return ATTEST_OK;
}

attest_status attest_outputs_get_heads(attest_cloud *cloud, attest_outputs *outputs,
                                       attest_error *error)
{
    attest_weights heads = *outputs->weights;
    attest_outputs alone = *outputs;
    attest_status status;

    heads.skip = false;
    alone.weights = &heads;
    status = fill_cloud(cloud, &alone, error);
    outputs->work_left = alone.work_left;
    return status;
}

/* The first context of the sequence of context p. */
static size_t first_of_sequence(const attest_contexts *contexts, size_t p)
{
    while (p > 0 && contexts->context[p - 1].sequence == contexts->context[p].sequence)
        p--;
    return p;
}

attest_status attest_outputs_get_exact(const fmpq **value, attest_outputs *outputs, size_t p,
                                       attest_error *error)
{
    const attest_contexts *contexts = outputs->contexts;
    size_t dim = outputs->dataset->dim, sequence = contexts->context[p].sequence;
    evaluated values ATTEST_CLEARED_BY(evaluated_clear) = {0};

    if (!outputs->exact[p]) {
        ATTEST_TRY(evaluate(&values, outputs, sequence, 0, false, error));
        for (size_t q = first_of_sequence(contexts, p);
             q < contexts->count && contexts->context[q].sequence == sequence; q++) {
            outputs->exact[q] = _fmpq_vec_init((slong)dim);
            for (size_t c = 0; c < dim; c++)
                fmpq_swap(outputs->exact[q] + c, values.exact + offset(outputs, q) + c);
        }
    }
    *value = outputs->exact[p];
    return ATTEST_OK;
}

/* values = the balls of context p at a precision. */
static attest_status enclose(arb_ptr value, attest_outputs *outputs, size_t p, long bits,
                             attest_error *error)
{
    const attest_context *context = &outputs->contexts->context[p];
    attest_place place = attest_context_place(context, outputs->dataset);
    ATTEST_SCOPED(attest_sequence, s);

    ATTEST_TRY(attest_dataset_get_sequence(&s, outputs->dataset, place.sequence, NULL, error));
    ATTEST_TRY(charge(outputs, &s, 1, bits, error));
    return attest_attention_ball_at(value, outputs->weights, &s, place.position, bits, error);
}

/* Evaluates the sequence of context p at the first precision and keeps all its outputs: at
 * this precision the products of tokens and matrices, which all queries share, cost more
 * than the exponentials. */
static attest_status enclose_sequence(attest_outputs *outputs, size_t p, attest_error *error)
{
    const attest_contexts *contexts = outputs->contexts;
    size_t dim = outputs->dataset->dim, sequence = contexts->context[p].sequence;
    evaluated values ATTEST_CLEARED_BY(evaluated_clear) = {0};

    ATTEST_TRY(evaluate(&values, outputs, sequence, ATTEST_CERTIFY_BITS, false, error));
    for (size_t q = first_of_sequence(contexts, p);
         q < contexts->count && contexts->context[q].sequence == sequence; q++) {
        if (outputs->bits[q] >= ATTEST_CERTIFY_BITS)
            continue;
        if (!outputs->ball[q])
            outputs->ball[q] = _arb_vec_init((slong)dim);
        outputs->bits[q] = ATTEST_CERTIFY_BITS;
        for (size_t c = 0; c < dim; c++)
            arb_swap(outputs->ball[q] + c, values.ball + offset(outputs, q) + c);
    }
    return ATTEST_OK;
}

attest_status attest_outputs_get_ball(arb_srcptr *value, attest_outputs *outputs, size_t p,
                                      long bits, attest_error *error)
{
    if (bits > outputs->most_bits)
        outputs->most_bits = bits;
    if (outputs->bits[p] < bits && bits <= ATTEST_CERTIFY_BITS) {
        ATTEST_TRY(enclose_sequence(outputs, p, error));
    } else if (outputs->bits[p] < bits) {
        if (!outputs->ball[p])
            outputs->ball[p] = _arb_vec_init((slong)outputs->dataset->dim);
        ATTEST_TRY(enclose(outputs->ball[p], outputs, p, bits, error));
        outputs->bits[p] = bits;
    }
    *value = outputs->ball[p];
    return ATTEST_OK;
}

/* The search. */

attest_status attest_search_init(attest_search *search, const attest_claim *claim,
                                 const attest_contexts *contexts, attest_error *error)
{
    *search = (attest_search){.jobs = claim->jobs};
    ATTEST_TRY(
        attest_outputs_init(&search->outputs, claim->weights, claim->dataset, contexts, error));
    search->outputs.progress = claim->progress;
    search->outputs.work_left = claim->max_work;
    return ATTEST_OK;
}

void attest_search_restart(attest_search *search)
{
    if (search->has_candidates)
        attest_candidates_clear(&search->candidates);
    if (search->has_cloud)
        attest_cloud_clear(&search->cloud);
    search->has_candidates = search->has_cloud = false;
}

void attest_search_clear(attest_search *search)
{
    attest_search_restart(search);
    attest_outputs_clear(&search->outputs);
}

attest_status attest_search_evaluate(attest_search *search, attest_error *error)
{
    ATTEST_TRY(attest_outputs_get_cloud(&search->cloud, &search->outputs, error));
    search->has_cloud = true;
    return ATTEST_OK;
}

attest_status attest_search_find_candidates(attest_search *search, attest_error *error)
{
    search->cloud.progress = search->outputs.progress;
    search->cloud.jobs = search->jobs;
    ATTEST_TRY(attest_candidates_init(&search->candidates, &search->cloud, error));
    search->has_candidates = true;
    return ATTEST_OK;
}

enum { MANY_PER_POINT = 8, MANY = 4096 };

/* x = fraction * 2^exponent, 0 or with 1/2 <= |fraction| < 1; infinity has the largest
 * exponent.
 */
typedef struct scaled {
    double fraction;
    slong exponent;
} scaled;

static scaled scale(double x, slong exponent)
{
    int own;
    scaled s;

    if (isinf(x))
        return (scaled){x, WORD_MAX};
    s.fraction = frexp(x, &own);
    s.exponent = exponent + own;
    return s;
}

/* a > b, for b > 0. */
static bool exceeds(scaled a, scaled b)
{
    if (a.fraction <= 0)
        return false;
    return a.exponent != b.exponent ? a.exponent > b.exponent : a.fraction > b.fraction;
}

typedef struct gathered {
    attest_candidate *pair; /* lower: in units of 2^exponent */
    slong *exponent;        /* by pair */
    size_t pairs, pair_room, exponent_room;
    scaled bound; /* the least upper bound on a distance */
    bool overflow;
} gathered;

static attest_status need_room(gathered *all, size_t more, attest_error *error)
{
    size_t count = all->pairs + more;

    if (!attest_memory_grow(&all->pair, &all->pair_room, count, sizeof *all->pair) ||
        !attest_memory_grow(&all->exponent, &all->exponent_room, count, sizeof *all->exponent))
        return attest_memory_fail(error);
    return ATTEST_OK;
}

/* True if all pairs of the cloud, whose least upper bound is own.bound, are farther apart
 * than the bound: upper and lower bound of a pair differ by at most four radii, by twice the
 * relative error of its square, and by less than 2^-500 through underflow. */
static bool is_far(const gathered *all, const attest_candidates *own)
{
    const attest_cloud *cloud = own->tree.cloud;
    double radius = 0, lower;

    for (size_t p = 0; p < cloud->count; p++)
        radius = fmax(radius, cloud->radius[p]);
    lower = own->bound * (1 - 4 * own->tree.slack - 0x1p-40) - 5 * radius - 0x1p-500;
    return lower > 0 && exceeds(scale(lower, cloud->exponent), all->bound);
}

/* Adds the candidates of a finished cloud; point[i] is the number of its point i (NULL: i). */
static attest_status gather(gathered *all, const attest_cloud *cloud, const uint32_t *point,
                            attest_error *error)
{
    attest_candidates own ATTEST_CLEARED_BY(attest_candidates_clear) = {0};

    ATTEST_TRY(attest_candidates_init(&own, cloud, error));
    if (!own.complete && is_far(all, &own))
        return ATTEST_OK;
    all->overflow = all->overflow || !own.complete;
    if (own.complete)
        ATTEST_TRY(need_room(all, own.pairs, error));
    if (exceeds(all->bound, scale(own.bound, cloud->exponent)))
        all->bound = scale(own.bound, cloud->exponent);
    for (size_t i = 0; i < own.pairs; i++) {
        attest_candidate pair = own.pair[i];
        if (point) {
            pair.first = point[pair.first];
            pair.second = point[pair.second];
        }
        all->exponent[all->pairs] = cloud->exponent;
        all->pair[all->pairs++] = pair;
    }
    return ATTEST_OK;
}

/* The pairs of different tokens: the cloud as it is, coloured by token. */
static attest_status gather_others(gathered *all, const attest_cloud *cloud,
                                   const attest_contexts *contexts, attest_error *error)
{
    attest_cloud by_token = *cloud;
    uint32_t *colour ATTEST_FREED = attest_memory_alloc(cloud->count, sizeof *colour);

    if (!colour)
        return attest_memory_fail(error);
    for (size_t p = 0; p < cloud->count; p++)
        colour[p] = contexts->context[p].query;
    by_token.colour = colour;
    return gather(all, &by_token, NULL, error);
}

/* The pairs of one token, whose count contexts are at point, in ascending order. */
static attest_status gather_token(gathered *all, const attest_cloud *heads,
                                  const uint32_t *point, size_t count, attest_error *error)
{
    size_t dim = heads->dim, row = dim * sizeof *heads->centre;
    attest_cloud cloud ATTEST_CLEARED_BY(attest_cloud_clear) = {0};

    ATTEST_TRY(attest_cloud_init(&cloud, count, dim, error));
    for (size_t i = 0; i < count; i++) {
        memcpy(cloud.centre + i * dim, heads->centre + point[i] * dim, row);
        cloud.radius[i] = heads->radius[point[i]];
        cloud.colour[i] = heads->colour[point[i]];
        cloud.own[i] = heads->own[point[i]];
    }
    attest_cloud_finish(&cloud);
    return gather(all, &cloud, point, error);
}

/* The pairs of equal tokens, token by token. */
static attest_status gather_tokens(gathered *all, attest_outputs *outputs, attest_error *error)
{
    const attest_contexts *contexts = outputs->contexts;
    size_t tokens = outputs->dataset->tokens.count;
    size_t *start ATTEST_FREED = attest_memory_alloc(tokens + 2, sizeof *start);
    uint32_t *point ATTEST_FREED = attest_memory_alloc(contexts->count, sizeof *point);
    attest_cloud heads ATTEST_CLEARED_BY(attest_cloud_clear) = {0};

    if (!start || !point)
        return attest_memory_fail(error);
    for (size_t p = 0; p < contexts->count; p++)
        start[contexts->context[p].query + 2]++;
    for (size_t t = 2; t < tokens + 2; t++)
        start[t] += start[t - 1];
    for (size_t p = 0; p < contexts->count; p++)
        point[start[contexts->context[p].query + 1]++] = (uint32_t)p;
    /* Now token t begins at start[t]. */
    ATTEST_TRY(attest_outputs_get_heads(&heads, outputs, error));
    for (size_t t = 0; t < tokens && !all->overflow; t++)
        if (start[t + 1] - start[t] > 1)
            ATTEST_TRY(
                gather_token(all, &heads, point + start[t], start[t + 1] - start[t], error));
    return ATTEST_OK;
}

static int by_points(const void *a, const void *b)
{
    const attest_candidate *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

/* Sets the candidates to the gathered pairs that the least bound does not exclude. */
static void replace(attest_candidates *candidates, gathered *all)
{
    size_t kept = 0;

    for (size_t i = 0; i < all->pairs; i++) {
        if (exceeds(scale(all->pair[i].lower, all->exponent[i]), all->bound))
            continue;
        all->pair[kept] = all->pair[i];
        all->pair[kept++].lower = 0; /* units differ; 0 is a lower bound in any */
    }
    qsort(all->pair, kept, sizeof *all->pair, by_points);
    free(candidates->pair);
    candidates->pair = all->pair;
    candidates->pairs = kept;
    candidates->complete = true;
    all->pair = NULL;
}

static void gathered_clear(gathered *all)
{
    free(all->pair);
    free(all->exponent);
}

attest_status attest_search_split_by_token(attest_candidates *candidates,
                                           attest_outputs *outputs, attest_error *error)
{
    const attest_cloud *cloud = candidates->tree.cloud;
    gathered all ATTEST_CLEARED_BY(gathered_clear) = {.bound = {INFINITY, WORD_MAX}};

    if (!attest_weights_skip_is_plain(outputs->weights) ||
        (candidates->complete && candidates->pairs <= MANY_PER_POINT * cloud->count + MANY))
        return ATTEST_OK;
    ATTEST_TRY(gather_tokens(&all, outputs, error));
    if (!all.overflow) /* many of these may be as far apart as their tokens */
        ATTEST_TRY(gather_others(&all, cloud, outputs->contexts, error));
    if (!all.overflow && (!candidates->complete || all.pairs < candidates->pairs))
        replace(candidates, &all);
    return ATTEST_OK;
}
