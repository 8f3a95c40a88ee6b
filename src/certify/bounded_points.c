/* bounded_points.c -- the outputs at all contexts: sequences of equal length, one after
 * another, are evaluated together. */
#include "certify/bounded_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"

/* A group of sequences has about so many positions. */
enum { GROUP_ROWS = 512 };

/* Sequences that wait for their evaluation. */
typedef struct group {
    size_t length, count, room; /* room tasks of this length */
    size_t *first;              /* by task: its first context */
    attest_bounded_task *task;
    double *memory; /* of the tasks: tokens, centres, radii */
} group;

/* Everything that one pass over the contexts needs. */
typedef struct pass {
    const attest_dataset *dataset;
    const attest_contexts *contexts;
    attest_bounded_layer layer;
    attest_bounded_tokens tokens;
    attest_bounded_scratch scratch;
    attest_bounded_points *points;
    group group;
} pass;

static void group_clear(group *g)
{
    free(g->first);
    free(g->task);
    free(g->memory);
    *g = (group){0};
}

/* Makes an empty group for sequences of this length. */
static attest_status group_open(pass *p, size_t length, attest_error *error)
{
    group *g = &p->group;
    size_t dim = p->dataset->dim, each = length * (2 * dim + 1);

    group_clear(g);
    g->length = length;
    g->room = length < GROUP_ROWS ? GROUP_ROWS / length : 1;
    g->first = attest_memory_alloc(g->room, sizeof *g->first);
    g->task = attest_memory_alloc(g->room, sizeof *g->task);
    if ((double)g->room * (double)length * (2 * (double)dim + 1) < 0x1p56)
        g->memory = attest_memory_alloc(g->room * each, sizeof *g->memory);
    if (!g->first || !g->task || !g->memory)
        return attest_memory_fail(error);
    for (size_t t = 0; t < g->room; t++) {
        double *token = g->memory + t * each;
        g->task[t] = (attest_bounded_task){.layer = &p->layer,
                                           .token = token,
                                           .error = p->tokens.error,
                                           .centre = token + length * dim,
                                           .radius = token + 2 * length * dim};
    }
    return ATTEST_OK;
}

/* Evaluates the group and stores the outputs of its contexts; it is empty then. */
static attest_status group_evaluate(pass *p, attest_error *error)
{
    group *g = &p->group;
    const attest_context *context = p->contexts->context;
    size_t dim = p->dataset->dim;
    attest_status status;

    if (g->count == 0)
        return ATTEST_OK;
    status = attest_bounded_attend(g->task, g->count, g->length, &p->scratch, error);
    for (size_t t = 0; t < g->count && status == ATTEST_OK; t++) {
        uint32_t sequence = context[g->first[t]].sequence;
        for (size_t c = g->first[t]; c < p->contexts->count && context[c].sequence == sequence;
             c++) {
            size_t k = attest_context_place(&context[c], p->dataset).position;
            memcpy(p->points->centre + c * dim, g->task[t].centre + k * dim,
                   dim * sizeof(double));
            p->points->radius[c] = g->task[t].radius[k];
        }
    }
    g->count = 0;
    return status;
}

/* Enters the sequence of context c, its first. */
static attest_status enter(pass *p, size_t c, attest_error *error)
{
    const attest_dataset *dataset = p->dataset;
    group *g = &p->group;
    size_t i = p->contexts->context[c].sequence, dim = dataset->dim;
    size_t length = attest_dataset_length(dataset, i);
    attest_status status = ATTEST_OK;
    double *token;

    if (g->count == g->room || g->length != length)
        status = group_evaluate(p, error);
    if (status == ATTEST_OK && g->length != length)
        status = group_open(p, length, error);
    if (status != ATTEST_OK)
        return status;
    token = g->memory + g->count * length * (2 * dim + 1);
    for (size_t k = 0; k < length; k++)
        memcpy(token + k * dim, p->tokens.value + attest_dataset_token(dataset, i, k) * dim,
               dim * sizeof *token);
    g->task[g->count].name = dataset->token + dataset->start[i];
    g->first[g->count++] = c;
    return ATTEST_OK;
}

static attest_status evaluate(pass *p, const attest_progress *progress, attest_error *error)
{
    const attest_contexts *contexts = p->contexts;
    attest_status status = ATTEST_OK;

    attest_progress_report(progress, "contexts", 0, contexts->count, NULL);
    for (size_t c = 0; c < contexts->count && status == ATTEST_OK; c++) {
        if (c > 0 && contexts->context[c].sequence == contexts->context[c - 1].sequence)
            continue;
        status = enter(p, c, error);
        attest_progress_report(progress, "contexts", c, contexts->count, NULL);
    }
    if (status == ATTEST_OK)
        status = group_evaluate(p, error);
    attest_progress_end(progress);
    return status;
}

attest_status attest_bounded_points_init(attest_bounded_points *points,
                                         const attest_weights *weights,
                                         const attest_dataset *dataset,
                                         const attest_contexts *contexts,
                                         const attest_progress *progress, attest_error *error)
{
    pass p = {.dataset = dataset, .contexts = contexts, .points = points};
    attest_status status = attest_bounded_layer_init(&p.layer, weights, error);

    *points = (attest_bounded_points){0};
    if (status != ATTEST_OK)
        return status;
    status = attest_bounded_tokens_init(&p.tokens, &dataset->tokens, error);
    if (status == ATTEST_OK) {
        if (contexts->count <= SIZE_MAX / dataset->dim)
            points->centre =
                attest_memory_alloc(contexts->count * dataset->dim, sizeof *points->centre);
        points->radius = attest_memory_alloc(contexts->count, sizeof *points->radius);
        status = points->centre && points->radius ? evaluate(&p, progress, error)
                                                  : attest_memory_fail(error);
    }
    group_clear(&p.group);
    attest_bounded_scratch_clear(&p.scratch);
    attest_bounded_tokens_clear(&p.tokens);
    attest_bounded_layer_clear(&p.layer);
    if (status != ATTEST_OK)
        attest_bounded_points_clear(points);
    return status;
}

void attest_bounded_points_clear(attest_bounded_points *points)
{
    free(points->centre);
    free(points->radius);
    *points = (attest_bounded_points){0};
}
