/* bounded_points.c -- the outputs at all contexts: sequences of equal length, one after
 * another, are evaluated together. */
#include "certify/bounded_points.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/progress.h"
#include "base/workers.h"

/* A group of sequences has about so many positions. */
enum { GROUP_ROWS = 512 };

/* A worker takes about so many contexts at a time. */
enum { BLOCK_CONTEXTS = 4096 };

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
    const attest_progress *progress;
    pid_t parent; /* the process that reports */
} pass;

static void group_clear(group *g)
{
    free(g->first);
    free(g->task);
    free(g->memory);
    *g = (group){0};
}

/* Makes an empty group for sequences of this length, of which there are at most so many. */
static attest_status group_open(pass *p, size_t length, size_t most, attest_error *error)
{
    group *g = &p->group;
    size_t dim = p->dataset->dim, each = length * (2 * dim + 1);

    group_clear(g);
    g->length = length;
    g->room = length < GROUP_ROWS ? GROUP_ROWS / length : 1;
    g->room = most < g->room ? most : g->room;
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
    size_t dim = p->dataset->dim, count = g->count;

    g->count = 0;
    if (count == 0)
        return ATTEST_OK;
    ATTEST_TRY(attest_bounded_attend(g->task, count, g->length, &p->scratch, error));
    for (size_t t = 0; t < count; t++) {
        uint32_t sequence = context[g->first[t]].sequence;
        for (size_t c = g->first[t]; c < p->contexts->count && context[c].sequence == sequence;
             c++) {
            size_t k = attest_context_place(&context[c], p->dataset).position;
            memcpy(p->points->centre + c * dim, g->task[t].centre + k * dim,
                   dim * sizeof(double));
            p->points->radius[c] = g->task[t].radius[k];
        }
    }
    return ATTEST_OK;
}

/* Enters the sequence of context c, its first. */
static attest_status enter(pass *p, size_t c, attest_error *error)
{
    const attest_dataset *dataset = p->dataset;
    group *g = &p->group;
    size_t i = p->contexts->context[c].sequence, dim = dataset->dim;
    size_t length = attest_dataset_length(dataset, i);
    double *token;

    if (g->count == g->room || g->length != length)
        ATTEST_TRY(group_evaluate(p, error));
    if (g->length != length)
        ATTEST_TRY(group_open(p, length, dataset->count - i, error));
    token = g->memory + g->count * length * (2 * dim + 1);
    for (size_t k = 0; k < length; k++)
        memcpy(token + k * dim, p->tokens.value + attest_dataset_token(dataset, i, k) * dim,
               dim * sizeof *token);
    g->task[g->count].name = dataset->token + dataset->start[i];
    g->first[g->count++] = c;
    return ATTEST_OK;
}

/* The first context of a block: the first of a sequence from there on. */
static size_t block_begin(const attest_contexts *contexts, size_t block)
{
    size_t c = block * BLOCK_CONTEXTS;

    while (c > 0 && c < contexts->count &&
           contexts->context[c].sequence == contexts->context[c - 1].sequence)
        c++;
    return c < contexts->count ? c : contexts->count;
}

static bool evaluate_block(void *context, size_t block)
{
    pass *p = context;
    const attest_contexts *contexts = p->contexts;
    size_t end = block_begin(contexts, block + 1);
    bool tell = getpid() == p->parent;
    attest_error unread;

    for (size_t c = block_begin(contexts, block); c < end; c++) {
        if (c > 0 && contexts->context[c].sequence == contexts->context[c - 1].sequence)
            continue;
        if (enter(p, c, &unread) != ATTEST_OK)
            return false;
        if (tell)
            attest_progress_report(p->progress, "contexts", c, contexts->count, NULL);
    }
    return group_evaluate(p, &unread) == ATTEST_OK;
}

static attest_status evaluate(pass *p, attest_error *error)
{
    size_t count = p->contexts->count;
    attest_status status;

    p->parent = getpid();
    attest_progress_report(p->progress, "contexts", 0, count, NULL);
    status =
        attest_workers_run(evaluate_block, p, (count + BLOCK_CONTEXTS - 1) / BLOCK_CONTEXTS,
                           p->points->jobs, error);
    attest_progress_end(p->progress);
    return status;
}

static bool allocate(attest_bounded_points *points)
{
    if (points->contexts <= SIZE_MAX / points->dim)
        points->centre = attest_workers_alloc(points->contexts * points->dim,
                                              sizeof *points->centre, points->jobs);
    points->radius =
        attest_workers_alloc(points->contexts, sizeof *points->radius, points->jobs);
    return points->centre && points->radius;
}

static void pass_clear(pass *p)
{
    group_clear(&p->group);
    attest_bounded_scratch_clear(&p->scratch);
    attest_bounded_tokens_clear(&p->tokens);
    attest_bounded_layer_clear(&p->layer);
}

attest_status
attest_bounded_points_init(attest_bounded_points *points, const attest_weights *weights,
                           const attest_dataset *dataset, const attest_contexts *contexts,
                           const attest_progress *progress, size_t jobs, attest_error *error)
{
    pass p ATTEST_CLEARED_BY(pass_clear) = {
        .dataset = dataset, .contexts = contexts, .points = points, .progress = progress};
    attest_status status;

    *points = (attest_bounded_points){
        .contexts = contexts->count,
        .dim = dataset->dim,
        .jobs = jobs > 1 && contexts->count > BLOCK_CONTEXTS ? jobs : 1};
    ATTEST_TRY(attest_bounded_layer_init(&p.layer, weights, error));
    ATTEST_TRY(attest_bounded_tokens_init(&p.tokens, &dataset->tokens, error));
    status = allocate(points) ? evaluate(&p, error) : attest_memory_fail(error);
    if (status != ATTEST_OK)
        attest_bounded_points_clear(points);
    return status;
}

void attest_bounded_points_clear(attest_bounded_points *points)
{
    attest_workers_free(points->centre, points->contexts * points->dim, sizeof *points->centre,
                        points->jobs);
    attest_workers_free(points->radius, points->contexts, sizeof *points->radius, points->jobs);
    *points = (attest_bounded_points){0};
}
