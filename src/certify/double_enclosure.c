/* double_enclosure.c -- the outputs of attention at all contexts of a dataset, in doubles with
 * error bounds. Sequences of equal length that follow one another are evaluated together.
 * Outputs without a bound, and those of too many candidate pairs, are evaluated exactly or in
 * balls. */
#include "certify/double_enclosure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "number/double.h"
#include "number/scope.h"

/* Integers of up to 53 bits over 2^900 at most are doubles, and none of them is subnormal. */
enum { EXACT_BITS = 53, EXACT_SHIFT = 900 };

/* x = numerator / 2^shift, for a result of get_shift; false if that is not exact. */
static bool set_exact(double *x, const fmpz_t numerator, long shift)
{
    if (shift < 0 || fmpz_bits(numerator) > EXACT_BITS)
        return false;
    *x = ldexp(fmpz_get_d(numerator), (int)-shift);
    return true;
}

/* Returns k if the denominator is 2^k and k is not too large, else -1. */
static long get_shift(const fmpz_t denominator)
{
    flint_bitcnt_t bits = fmpz_bits(denominator);

    return bits <= EXACT_SHIFT && fmpz_val2(denominator) == bits - 1 ? (long)bits - 1 : -1;
}

/* Sets the entries of a matrix, and *rounded if one of them had to be rounded. */
static void set_entries(double *entry, bool *rounded, const attest_matrix *matrix)
{
    long shift = matrix->factored ? -1 : get_shift(matrix->denominator);
    FMPQ(value);

    for (size_t e = 0; e < matrix->rows * matrix->cols; e++) {
        if (!matrix->factored && set_exact(entry + e, matrix->entry + e, shift))
            continue;
        attest_matrix_get_entry(value, matrix, e / matrix->cols, e % matrix->cols);
        entry[e] = attest_double_get_fraction(fmpq_numref(value), fmpq_denref(value));
        *rounded = true;
    }
}

static const attest_matrix *matrix_of(const attest_head *head, int which)
{
    const attest_matrix *const all[] = {&head->wq, &head->wk, &head->wv, &head->wo};

    return all[which];
}

static attest_double_matrix *set_of(attest_double_head *head, int which)
{
    attest_double_matrix *const all[] = {&head->q, &head->k, &head->v, &head->o};

    return all[which];
}

static void layer_clear(attest_double_layer *layer)
{
    for (size_t h = 0; layer->head && h < layer->heads; h++)
        for (int which = 0; which < 4; which++)
            free((double *)set_of(&layer->head[h], which)->entry);
    free(layer->head);
    layer->head = NULL;
}

/* layer = the weights, rounded where they are not doubles. Status: NOMEM. */
static attest_status layer_init(attest_double_layer *layer, const attest_weights *weights,
                                attest_error *error)
{
    bool rounded = false;

    *layer = (attest_double_layer){.activation = weights->activation,
                                   .mask = weights->mask,
                                   .skip = weights->skip,
                                   .skip_from = weights->skip_from,
                                   .output_dim = weights->output_dim,
                                   .dim = weights->dim,
                                   .heads = weights->heads};
    layer->head = attest_memory_alloc(weights->heads, sizeof *layer->head);
    if (!layer->head)
        return attest_memory_fail(error);
    for (size_t h = 0; h < weights->heads; h++) {
        for (int which = 0; which < 4; which++) {
            const attest_matrix *matrix = matrix_of(&weights->head[h], which);
            double *entry = attest_memory_alloc(matrix->rows * matrix->cols, sizeof *entry);
            if (!entry) {
                layer_clear(layer);
                return attest_memory_fail(error);
            }
            set_entries(entry, &rounded, matrix);
            attest_double_layer_set_matrix(set_of(&layer->head[h], which), entry, matrix->rows,
                                           matrix->cols);
        }
    }
    layer->error = rounded ? ATTEST_DOUBLE_ROUNDED : 0;
    return ATTEST_OK;
}

/* The distinct tokens of a dataset as doubles, and their relative error. */
typedef struct double_tokens {
    const double *value; /* count * dim */
    double *own;         /* value, unless it belongs to the dataset */
    double error;        /* 0 or ATTEST_DOUBLE_ROUNDED */
} double_tokens;

static attest_status tokens_init(double_tokens *table, const attest_tokens *tokens,
                                 attest_error *error)
{
    *table = (double_tokens){.value = tokens->real};
    if (tokens->real)
        return ATTEST_OK;
    /* The numerators are in memory, so this product does not overflow. */
    table->own = attest_memory_alloc(tokens->count * tokens->dim, sizeof *table->own);
    if (!table->own)
        return attest_memory_fail(error);
    table->value = table->own;
    for (size_t t = 0; t < tokens->count; t++) {
        const fmpz *numerator = tokens->numerator + t * tokens->dim;
        long shift = get_shift(tokens->denominator + t);
        for (size_t c = 0; c < tokens->dim; c++) {
            double *x = table->own + t * tokens->dim + c;
            if (set_exact(x, numerator + c, shift))
                continue;
            *x = attest_double_get_fraction(numerator + c, tokens->denominator + t);
            table->error = ATTEST_DOUBLE_ROUNDED;
        }
    }
    return ATTEST_OK;
}

/* About how many positions a group of sequences has. */
enum { GROUP_ROWS = 512 };

/* About how many contexts a worker takes at a time. */
enum { BLOCK_CONTEXTS = 4096 };

/* Sequences that are evaluated together. */
typedef struct group {
    size_t length, count, room; /* room tasks of this length */
    size_t *first;              /* by task: its first context */
    attest_double_task *task;
    double *memory; /* of the tasks: tokens, centres, radii */
} group;

/* Everything that one pass over the contexts needs. */
typedef struct pass {
    const attest_dataset *dataset;
    const attest_contexts *contexts;
    attest_double_layer layer;
    double_tokens tokens;
    attest_double_scratch scratch;
    attest_double_points *points;
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

/* Makes an empty group for at most `most` sequences of this length. */
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
        g->task[t] = (attest_double_task){.layer = &p->layer,
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
    ATTEST_TRY(attest_double_layer_attend(g->task, count, g->length, &p->scratch, error));
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

/* Adds the sequence whose first context is c. */
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

/* The first context of a block: the first one from there on that begins a sequence. */
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
    bool reports = getpid() == p->parent;
    attest_error unread;

    for (size_t c = block_begin(contexts, block); c < end; c++) {
        if (c > 0 && contexts->context[c].sequence == contexts->context[c - 1].sequence)
            continue;
        if (enter(p, c, &unread) != ATTEST_OK)
            return false;
        if (reports)
            attest_progress_report(p->progress, "contexts", c, contexts->count, NULL);
    }
    return group_evaluate(p, &unread) == ATTEST_OK;
}

static attest_status evaluate(pass *p, attest_error *error)
{
    size_t count = p->contexts->count;

    p->parent = getpid();
    ATTEST_PROGRESS_STAGE(progress, p->progress);
    attest_progress_report(progress, "contexts", 0, count, NULL);
    return attest_workers_run(evaluate_block, p, (count + BLOCK_CONTEXTS - 1) / BLOCK_CONTEXTS,
                              p->points->jobs, error);
}

static bool allocate(attest_double_points *points)
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
    attest_double_layer_clear_scratch(&p->scratch);
    free(p->tokens.own);
    layer_clear(&p->layer);
}

attest_status
attest_double_points_init(attest_double_points *points, const attest_weights *weights,
                          const attest_dataset *dataset, const attest_contexts *contexts,
                          const attest_progress *progress, size_t jobs, attest_error *error)
{
    pass p ATTEST_CLEARED_BY(pass_clear) = {
        .dataset = dataset, .contexts = contexts, .points = points, .progress = progress};

    *points =
        (attest_double_points){.contexts = contexts->count,
                               .dim = dataset->dim,
                               .jobs = jobs > 1 && contexts->count > BLOCK_CONTEXTS ? jobs : 1};
    ATTEST_TRY(layer_init(&p.layer, weights, error));
    ATTEST_TRY(tokens_init(&p.tokens, &dataset->tokens, error));
    ATTEST_TRY_OR(allocate(points) ? evaluate(&p, error) : attest_memory_fail(error),
                  attest_double_points_clear(points));
    return ATTEST_OK;
}

void attest_double_points_clear(attest_double_points *points)
{
    attest_workers_free(points->centre, points->contexts * points->dim, sizeof *points->centre,
                        points->jobs);
    attest_workers_free(points->radius, points->contexts, sizeof *points->radius, points->jobs);
    *points = (attest_double_points){0};
}

/* With more candidates than this, their outputs are evaluated. */
enum { MANY_CANDIDATES = 4096 };

attest_status attest_double_enclosure_init(attest_double_enclosure *doubles,
                                           const attest_claim *claim,
                                           const attest_contexts *contexts, attest_error *error)
{
    *doubles = (attest_double_enclosure){0};
    ATTEST_TRY(attest_double_points_init(&doubles->points, claim->weights, claim->dataset,
                                         contexts, &claim->progress, claim->jobs, error));
    doubles->evaluated = attest_memory_alloc(contexts->count, sizeof *doubles->evaluated);
    if (!doubles->evaluated)
        return attest_memory_fail(error);
    for (size_t p = 0; p < contexts->count; p++)
        doubles->evaluated[p] = !(doubles->points.radius[p] < INFINITY);
    return ATTEST_OK;
}

void attest_double_enclosure_clear(attest_double_enclosure *doubles)
{
    attest_double_points_clear(&doubles->points);
    free(doubles->evaluated);
    *doubles = (attest_double_enclosure){0};
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

/* Fills the cloud from the doubles and from the outputs that are evaluated. */
static attest_status mix_cloud(attest_search *search, const attest_double_enclosure *doubles,
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

/* If doubles bound less than half of the outputs, evaluating all of them needs less memory. */
attest_status attest_double_enclosure_enclose(attest_search *search,
                                              attest_double_enclosure *doubles,
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

bool attest_double_enclosure_refine(attest_double_enclosure *doubles,
                                    const attest_search *search)
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

/* Doubles around bound / 2^exponent. They serve to count, not to decide. */
static void get_bound(double *lower, double *upper, const fmpq_t bound, slong exponent)
{
    ARB(ball);
    ARF(end);

    arb_set_fmpq(ball, bound, 64);
    arb_mul_2exp_si(ball, ball, -exponent);
    arb_get_lbound_arf(end, ball, 64);
    *lower = arf_get_d(end, ARF_RND_DOWN);
    arb_get_ubound_arf(end, ball, 64);
    *upper = arf_get_d(end, ARF_RND_UP);
}

/* pairs = the number of pairs of different classes among contexts, size[g] of class g. */
static void count_between(fmpz_t pairs, const size_t *size, size_t classes)
{
    size_t contexts = 0;
    FMPZ(inside);

    fmpz_zero(pairs);
    for (size_t g = 0; g < classes; g++) {
        fmpz_bin_uiui(inside, size[g], 2);
        fmpz_sub(pairs, pairs, inside);
        contexts += size[g];
    }
    fmpz_bin_uiui(inside, contexts, 2);
    fmpz_add(pairs, pairs, inside);
}

/* pairs = the number of pairs of contexts of different classes of which one is evaluated. */
static attest_status count_evaluated(fmpz_t pairs, const attest_search *search,
                                     const attest_double_enclosure *doubles,
                                     attest_error *error)
{
    const attest_contexts *contexts = search->outputs.contexts;
    size_t *all ATTEST_FREED = attest_memory_alloc(contexts->classes, sizeof *all);
    size_t *bounded ATTEST_FREED = attest_memory_alloc(contexts->classes, sizeof *bounded);
    bool ok = all && bounded;
    FMPZ(n);

    for (size_t p = 0; ok && p < contexts->count; p++) {
        all[contexts->context[p].group]++;
        bounded[contexts->context[p].group] += !doubles->evaluated[p];
    }
    if (ok) {
        count_between(pairs, all, contexts->classes);
        count_between(n, bounded, contexts->classes);
        fmpz_sub(pairs, pairs, n);
    }
    return ok ? ATTEST_OK : attest_memory_fail(error);
}

/* open = the number of required pairs that doubles did not compare with delta: those with an
 * evaluated output, and undecided candidates. A pair of contexts counts once. If there are
 * too many candidates to list, all required pairs count. */
static attest_status count_open(fmpz_t open, const attest_search *search,
                                const attest_double_enclosure *doubles,
                                const attest_claim *claim, const attest_finding *finding,
                                attest_error *error)
{
    attest_status status = count_evaluated(open, search, doubles, error);
    double lower, upper, delta[2];

    get_bound(&delta[0], &delta[1], claim->delta, search->cloud.exponent);
    for (size_t i = 0; i < search->candidates.pairs; i++) {
        const attest_candidate *pair = &search->candidates.pair[i];
        attest_cloud_distance(&lower, &upper, &search->cloud, pair->first, pair->second);
        if (!doubles->evaluated[pair->first] && !doubles->evaluated[pair->second] &&
            lower <= delta[1] && upper > delta[0])
            fmpz_add_ui(open, open, 1);
    }
    if (!search->candidates.complete)
        fmpz_set(open, finding->required_pairs);
    return status;
}

/* True if doubles leave open how the largest norm compares with r. */
static bool norm_is_open(const attest_search *search, const attest_double_enclosure *doubles,
                         const attest_claim *claim)
{
    double lower, upper, most[2] = {0, 0}, r[2];
    bool evaluated = false;

    if (!claim->has_r)
        return false;
    get_bound(&r[0], &r[1], claim->r, search->cloud.exponent);
    for (size_t p = 0; p < search->cloud.count; p++) {
        attest_cloud_norm(&lower, &upper, &search->cloud, p);
        most[0] = fmax(most[0], lower);
        most[1] = fmax(most[1], upper);
        evaluated = evaluated || doubles->evaluated[p];
    }
    return evaluated || (most[1] >= r[0] && most[0] < r[1]);
}

/* Splits the required pairs into those that doubles compared with delta and the others. */
static void count_pairs(attest_finding *finding, const fmpz_t open)
{
    if (fmpz_cmp(finding->by_exact, open) > 0)
        fmpz_set(finding->by_exact, open);
    fmpz_sub(finding->by_ball, open, finding->by_exact);
    fmpz_sub(finding->by_ball, finding->by_ball, finding->undecided_pairs);
    if (fmpz_sgn(finding->by_ball) < 0)
        fmpz_zero(finding->by_ball);
    fmpz_sub(finding->by_filter, finding->required_pairs, finding->by_exact);
    fmpz_sub(finding->by_filter, finding->by_filter, finding->by_ball);
    fmpz_sub(finding->by_filter, finding->by_filter, finding->undecided_pairs);
}

attest_status attest_double_enclosure_count(attest_finding *finding, bool *open,
                                            const attest_claim *claim,
                                            const attest_search *search,
                                            const attest_double_enclosure *doubles,
                                            attest_error *error)
{
    FMPZ(pairs);

    ATTEST_TRY(count_open(pairs, search, doubles, claim, finding, error));
    count_pairs(finding, pairs);
    *open = !fmpz_is_zero(pairs) || norm_is_open(search, doubles, claim);
    return ATTEST_OK;
}
