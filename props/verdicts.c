/* verdicts.c -- Definition 2 for many instances of doubles, grouped by shape. */
#include "props/verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

void attest_verdicts_init(attest_verdicts *verdicts)
{
    memset(verdicts, 0, sizeof *verdicts);
}

void attest_verdicts_clear(attest_verdicts *verdicts)
{
    for (size_t f = 0; f < verdicts->filters; f++)
        attest_filter_clear(&verdicts->filter[f]);
    free(verdicts->filter);
    free(verdicts->which);
    free(verdicts->some);
    free(verdicts->place);
    free(verdicts->answer);
    attest_verdicts_init(verdicts);
}

static bool same_shape(const attest_filter_shape *a, const attest_filter_shape *b)
{
    return a->activation == b->activation && a->ties == b->ties && a->mask == b->mask &&
           a->skip == b->skip && a->dim == b->dim && a->heads == b->heads && a->size == b->size;
}

/* A filter of this shape. */
static attest_status find_filter(size_t *which, attest_verdicts *v,
                                 const attest_filter_shape *shape, attest_error *error)
{
    for (*which = 0; *which < v->filters; ++*which)
        if (same_shape(&v->filter[*which].shape, shape))
            return ATTEST_OK;
    if (!attest_memory_grow(&v->filter, &v->filter_room, v->filters + 1, sizeof *v->filter))
        return attest_memory_fail(error);
    v->filters++; /* it must be cleared in any case */
    return attest_filter_init(&v->filter[*which], shape, error);
}

static attest_status reserve(attest_verdicts *v, size_t count, attest_error *error)
{
    if (count <= v->room)
        return ATTEST_OK;
    free(v->which);
    free(v->some);
    free(v->place);
    free(v->answer);
    v->which = attest_memory_alloc(count, sizeof *v->which);
    v->some = attest_memory_alloc(count, sizeof *v->some);
    v->place = attest_memory_alloc(count, sizeof *v->place);
    v->answer = attest_memory_alloc(count, sizeof *v->answer);
    v->room = v->which && v->some && v->place && v->answer ? count : 0;
    return v->room ? ATTEST_OK : attest_memory_fail(error);
}

/* The instances of filter f. */
static attest_status check_some(attest_filter_answer *answer, attest_verdicts *v, size_t f,
                                const attest_doubles *doubles, const bool *wanted,
                                attest_error *error)
{
    size_t some = 0;

    for (size_t i = 0; i < doubles->count; i++)
        if (wanted[i] && v->which[i] == f) {
            v->some[some] = doubles->instance[i];
            v->place[some++] = i;
        }
    ATTEST_TRY(attest_filter_check(v->answer, &v->filter[f], v->some, some, error));
    for (size_t s = 0; s < some; s++)
        answer[v->place[s]] = v->answer[s];
    return ATTEST_OK;
}

attest_status attest_verdicts_get(attest_filter_answer *answer, attest_verdicts *verdicts,
                                  const attest_doubles *doubles, const bool *wanted,
                                  attest_error *error)
{
    ATTEST_TRY(reserve(verdicts, doubles->count, error));
    for (size_t i = 0; i < doubles->count; i++)
        if (wanted[i])
            ATTEST_TRY(find_filter(&verdicts->which[i], verdicts, &doubles->shape[i], error));
    for (size_t f = 0; f < verdicts->filters; f++)
        ATTEST_TRY(check_some(answer, verdicts, f, doubles, wanted, error));
    return ATTEST_OK;
}

static attest_status certify(attest_filter_answer *answer, const attest_instance *instance,
                             attest_error *error)
{
    ATTEST_SCOPED(attest_claim, claim);
    ATTEST_SCOPED(attest_finding, finding);

    claim.dataset = &instance->dataset;
    claim.weights = &instance->weights;
    ATTEST_TRY(attest_certify(&finding, &claim, error));
    *answer = (attest_filter_answer){.verdict = finding.verdict,
                                     .part = finding.part,
                                     .place = {finding.pair[0], finding.pair[1]},
                                     .method = finding.method};
    return ATTEST_OK;
}

/* For larger layers a filter takes too much memory. */
static bool is_small(const attest_weights *weights)
{
    enum { MOST = 1024 };
    size_t size = weights->dim <= MOST ? weights->dim : MOST + 1;

    for (size_t h = 0; h < weights->heads && size <= MOST; h++)
        size += weights->head[h].wq.rows <= MOST ? weights->head[h].wq.rows * weights->dim
                                                 : MOST + 1;
    return size <= MOST;
}

attest_status attest_verdicts_get_one(attest_filter_answer *answer,
                                      const attest_instance *instance, attest_error *error)
{
    attest_status status;

    if (!is_small(&instance->weights))
        return certify(answer, instance, error);
    ATTEST_SCOPED(attest_doubles, doubles);
    ATTEST_SCOPED(attest_verdicts, verdicts);
    status = attest_doubles_set(&doubles, instance, 1);
    if (status != ATTEST_OK)
        return attest_error_set(error, status, "out of memory");
    if (!*doubles.fits)
        return certify(answer, instance, error);
    return attest_verdicts_get(answer, &verdicts, &doubles, doubles.fits, error);
}
