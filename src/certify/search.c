/* search.c -- the outputs of a claim in a cloud, and the pairs that may be closest. */
#include "certify/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

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
