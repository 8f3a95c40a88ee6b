/* bounded.c -- a cloud from doubles with error bounds; outputs without a bound, and those that
 * too many candidates have a part in, are evaluated exactly or in balls. */
#include "certify/bounded.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

/* With more candidates than this the outputs that take part are enclosed anew. */
enum { MANY_CANDIDATES = 4096 };

attest_status attest_bounded_init(attest_bounded *doubles, const attest_claim *claim,
                                  const attest_contexts *contexts, attest_error *error)
{
    *doubles = (attest_bounded){0};
    ATTEST_TRY(attest_bounded_points_init(&doubles->points, claim->weights, claim->dataset,
                                          contexts, &claim->progress, claim->jobs, error));
    doubles->evaluated = attest_memory_alloc(contexts->count, sizeof *doubles->evaluated);
    if (!doubles->evaluated)
        return attest_memory_fail(error);
    for (size_t p = 0; p < contexts->count; p++)
        doubles->evaluated[p] = !(doubles->points.radius[p] < INFINITY);
    return ATTEST_OK;
}

void attest_bounded_clear(attest_bounded *doubles)
{
    attest_bounded_points_clear(&doubles->points);
    free(doubles->evaluated);
    *doubles = (attest_bounded){0};
}

/* Point p = the output at context p, evaluated exactly (hardmax) or in balls. */
static attest_status set_evaluated(attest_search *search, size_t p, arb_ptr ball,
                                   attest_error *error)
{
    size_t dim = search->cloud.dim;
    const fmpq *exact = NULL;
    arb_srcptr value = ball;

    if (search->outputs.weights->activation == ATTEST_HARDMAX) {
        ATTEST_TRY(attest_outputs_get_exact(&exact, &search->outputs, p, error));
        for (size_t c = 0; c < dim; c++)
            arb_set_fmpq(ball + c, exact + c, 64);
    } else {
        ATTEST_TRY(
            attest_outputs_get_ball(&value, &search->outputs, p, ATTEST_CERTIFY_BITS, error));
    }
    attest_cloud_set_balls(&search->cloud, p, value);
    return ATTEST_OK;
}

/* The cloud of all outputs, from doubles and from what is evaluated. */
static attest_status mix_cloud(attest_search *search, const attest_bounded *doubles,
                               attest_error *error)
{
    const attest_contexts *contexts = search->outputs.contexts;
    size_t dim = search->outputs.dataset->dim;
    ARB_VEC(ball, (slong)dim);

    ATTEST_TRY(attest_cloud_init(&search->cloud, contexts->count, dim, error));
    search->has_cloud = true;
    for (size_t p = 0; p < contexts->count; p++) {
        search->cloud.colour[p] = contexts->context[p].group;
        if (doubles->evaluated[p])
            ATTEST_TRY(set_evaluated(search, p, ball, error));
        else
            attest_cloud_set_rounded(&search->cloud, p, doubles->points.centre + p * dim,
                                     doubles->points.radius[p]);
    }
    attest_cloud_finish(&search->cloud);
    return ATTEST_OK;
}

/* Where doubles bound less than half of the outputs, evaluating all of them needs less memory.
 */
attest_status attest_bounded_enclose(attest_search *search, attest_bounded *doubles,
                                     attest_error *error)
{
    size_t count = search->outputs.contexts->count, evaluated = 0;

    for (size_t p = 0; p < count; p++)
        evaluated += doubles->evaluated[p];
    if (evaluated <= count / 2)
        return mix_cloud(search, doubles, error);
    for (size_t p = 0; p < count; p++)
        doubles->evaluated[p] = true;
    return attest_search_evaluate(search, error);
}

bool attest_bounded_refine(attest_bounded *doubles, const attest_search *search)
{
    const attest_candidates *candidates = &search->candidates;
    bool *evaluated = doubles->evaluated, more = false;

    if (candidates->complete && candidates->pairs <= MANY_CANDIDATES)
        return false;
    for (size_t i = 0; i < candidates->pairs; i++) {
        const attest_candidate *pair = &candidates->pair[i];
        more = more || !evaluated[pair->first] || !evaluated[pair->second];
        evaluated[pair->first] = evaluated[pair->second] = true;
    }
    for (size_t p = 0; !candidates->complete && p < search->cloud.count; p++) {
        more = more || (candidates->active[p] && !evaluated[p]);
        evaluated[p] = evaluated[p] || candidates->active[p];
    }
    return more;
}
