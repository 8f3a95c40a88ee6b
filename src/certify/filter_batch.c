/* filter_batch.c -- many small instances: evaluated together in doubles, decided one by one,
 * by attest_certify where doubles do not suffice. */
#include "certify/filter_batch.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include <attest/number.h>

#include "base/memory.h"
#include "number/scope.h"

/* dim * heads * size is at most this. */
#define MOST_SIZE ((size_t)1 << 20)

enum { POSITIONS = ATTEST_FILTER_BATCH * ATTEST_FILTER_POSITIONS };

/* Memory for one batch; tasks are sorted by the length of their sequences. */
struct attest_filter_work {
    attest_double_layer layer[ATTEST_FILTER_BATCH];
    attest_double_head *head;                  /* heads for each instance */
    size_t first[ATTEST_FILTER_BATCH];         /* the first position of each instance, */
    size_t positions[ATTEST_FILTER_BATCH];     /* how many it has: 0, too many, */
    attest_double_task task[POSITIONS];        /* and all their sequences */
    size_t begin[ATTEST_FILTER_POSITIONS + 2]; /* of the tasks of each length */
    double *centre, *radius, *packed;
    uint32_t *winner;
    attest_filter_integers integers;
    attest_double_scratch scratch;
};

attest_status attest_filter_init(attest_filter *filter, const attest_filter_shape *shape,
                                 attest_error *error)
{
    struct attest_filter_work *work;

    *filter = (attest_filter){.shape = *shape};
    attest_claim_init(&filter->claim);
    if (shape->dim == 0 || shape->heads == 0 || shape->size == 0 || shape->dim > MOST_SIZE ||
        shape->heads > MOST_SIZE / shape->dim ||
        shape->size > MOST_SIZE / (shape->dim * shape->heads))
        return attest_error_set(error, ATTEST_USAGE, "%zu heads of %zu x %zu: must be 1 to %zu",
                                shape->heads, shape->size, shape->dim, MOST_SIZE);
    work = filter->work = attest_memory_alloc(1, sizeof *work);
    if (!work)
        return attest_memory_fail(error);
    work->head = attest_memory_alloc(ATTEST_FILTER_BATCH * shape->heads, sizeof *work->head);
    work->centre = attest_memory_alloc(POSITIONS * shape->dim, sizeof *work->centre);
    work->radius = attest_memory_alloc(POSITIONS, sizeof *work->radius);
    work->packed =
        attest_memory_alloc(ATTEST_FILTER_POSITIONS * shape->dim, sizeof *work->packed);
    work->winner = attest_memory_alloc(POSITIONS * shape->heads, sizeof *work->winner);
    if (!work->head || !work->centre || !work->radius || !work->packed || !work->winner)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

void attest_filter_clear(attest_filter *filter)
{
    struct attest_filter_work *work = filter->work;

    attest_claim_clear(&filter->claim);
    if (work) {
        attest_double_layer_clear_scratch(&work->scratch);
        free(work->head);
        free(work->centre);
        free(work->radius);
        free(work->packed);
        free(work->winner);
        free(work);
    }
    filter->work = NULL;
}

/* Doubles around a rational, at most one unit in the last place apart. */
static void bound_rational(double *lower, double *upper, const fmpq *value)
{
    ARB(ball);
    ARF(end);

    arb_set_fmpq(ball, value, 64);
    arb_get_lbound_arf(end, ball, 64);
    *lower = arf_get_d(end, ARF_RND_DOWN);
    arb_get_ubound_arf(end, ball, 64);
    *upper = arf_get_d(end, ARF_RND_UP);
    if (*upper == 0 && !fmpq_is_zero(value)) /* keeps a positive bound positive */
        *upper = DBL_TRUE_MIN;
}

static attest_status get_bounds(attest_filter_bounds *bounds, const attest_claim *claim,
                                attest_error *error)
{
    if (fmpq_sgn(claim->delta) < 0 || (claim->has_r && fmpq_sgn(claim->r) < 0))
        return attest_error_set(error, ATTEST_DOMAIN, "a bound must not be negative");
    bounds->has_r = claim->has_r;
    bound_rational(&bounds->delta_lower, &bounds->delta_upper, claim->delta);
    bound_rational(&bounds->r_lower, &bounds->r_upper, claim->r);
    return ATTEST_OK;
}

/* The layer of instance b of the batch. */
static void set_layer(const attest_filter *filter, size_t b, const double *weight)
{
    const attest_filter_shape *shape = &filter->shape;
    size_t each = shape->size * shape->dim;
    attest_double_head *head = filter->work->head + b * shape->heads;

    filter->work->layer[b] = (attest_double_layer){.activation = shape->activation,
                                                   .mask = shape->mask,
                                                   .skip = shape->skip,
                                                   .dim = shape->dim,
                                                   .heads = shape->heads,
                                                   .head = head};
    for (size_t h = 0; h < shape->heads; h++, weight += 4 * each) {
        attest_double_layer_set_matrix(&head[h].q, weight, shape->size, shape->dim);
        attest_double_layer_set_matrix(&head[h].k, weight + each, shape->size, shape->dim);
        attest_double_layer_set_matrix(&head[h].v, weight + 2 * each, shape->size, shape->dim);
        attest_double_layer_set_matrix(&head[h].o, weight + 3 * each, shape->dim, shape->size);
    }
}

/* Finds how many positions the instances have and how many sequences there are of each length.
 */
static void survey(struct attest_filter_work *work, const attest_filter_instance *instance,
                   size_t count)
{
    size_t at = 0;

    for (size_t n = 0; n < ATTEST_FILTER_POSITIONS + 2; n++)
        work->begin[n] = 0;
    for (size_t b = 0; b < count; b++) {
        size_t positions = 0;
        for (size_t i = 0; i < instance[b].sequences && positions <= ATTEST_FILTER_POSITIONS;
             i++) {
            /* A length of 0 wraps around and counts as too long; certify reports it. */
            bool small = instance[b].length[i] - 1 < ATTEST_FILTER_POSITIONS;
            positions += small ? instance[b].length[i] : POSITIONS;
        }
        work->first[b] = at;
        work->positions[b] = positions <= ATTEST_FILTER_POSITIONS ? positions : 0;
        at += work->positions[b];
        for (size_t i = 0; work->positions[b] && i < instance[b].sequences; i++)
            work->begin[instance[b].length[i] + 1]++;
    }
    for (size_t n = 1; n < ATTEST_FILTER_POSITIONS + 2; n++)
        work->begin[n] += work->begin[n - 1];
}

/* Adds a task for each sequence of instance b, at the next free place of its length. */
static void enter(const attest_filter *filter, size_t b, const attest_filter_instance *instance,
                  size_t *next)
{
    struct attest_filter_work *work = filter->work;
    size_t dim = filter->shape.dim, at = 0;

    for (size_t i = 0; i < instance->sequences; i++) {
        size_t place = work->first[b] + at;
        work->task[next[instance->length[i]]++] =
            (attest_double_task){.layer = &work->layer[b],
                                 .token = instance->token + at * dim,
                                 .centre = work->centre + place * dim,
                                 .radius = work->radius + place,
                                 .winner = work->winner + place * filter->shape.heads};
        at += instance->length[i];
    }
}

/* Evaluates all instances of the batch that are not too large. */
static attest_status evaluate(const attest_filter *filter,
                              const attest_filter_instance *instance, size_t count,
                              attest_error *error)
{
    struct attest_filter_work *work = filter->work;
    size_t next[ATTEST_FILTER_POSITIONS + 1];

    survey(work, instance, count);
    for (size_t n = 0; n <= ATTEST_FILTER_POSITIONS; n++)
        next[n] = work->begin[n];
    for (size_t b = 0; b < count; b++) {
        if (!work->positions[b])
            continue;
        set_layer(filter, b, instance[b].weight);
        enter(filter, b, &instance[b], next);
    }
    for (size_t n = 1; n <= ATTEST_FILTER_POSITIONS; n++)
        if (next[n] > work->begin[n])
            ATTEST_TRY(attest_double_layer_attend(work->task + work->begin[n],
                                                  next[n] - work->begin[n], n, &work->scratch,
                                                  error));
    return ATTEST_OK;
}

/* Decides instance b of the batch. */
static attest_status judge(attest_filter_answer *answer, const attest_filter *filter, size_t b,
                           const attest_filter_instance *instance,
                           const attest_filter_bounds *bounds, attest_error *error)
{
    struct attest_filter_work *work = filter->work;
    attest_filter_outputs outputs = {
        .shape = &filter->shape,
        .instance = instance,
        .layer = &work->layer[b],
        .positions = work->positions[b],
        .centre = work->centre + work->first[b] * filter->shape.dim,
        .radius = work->radius + work->first[b],
        .winner = work->winner + work->first[b] * filter->shape.heads,
        .integers = &work->integers};

    answer->verdict = ATTEST_UNDECIDED;
    if (outputs.positions)
        attest_filter_judge(answer, &outputs, bounds, work->packed);
    if (answer->verdict == ATTEST_UNDECIDED)
        return attest_filter_escalate(answer, filter, instance, error);
    answer->method = "filter";
    return ATTEST_OK;
}

static attest_status name_instance(attest_error *error, attest_status status, size_t i)
{
    char prefix[32];

    snprintf(prefix, sizeof prefix, "instance %zu", i);
    return attest_error_prefix(error, status, prefix);
}

attest_status attest_filter_check(attest_filter_answer *answer, attest_filter *filter,
                                  const attest_filter_instance *instance, size_t count,
                                  attest_error *error)
{
    attest_filter_bounds bounds;

    ATTEST_TRY(get_bounds(&bounds, &filter->claim, error));
    for (size_t first = 0; first < count; first += ATTEST_FILTER_BATCH) {
        size_t now = count - first < ATTEST_FILTER_BATCH ? count - first : ATTEST_FILTER_BATCH;
        ATTEST_TRY(evaluate(filter, instance + first, now, error));
        for (size_t b = 0; b < now; b++) {
            attest_status status =
                judge(&answer[first + b], filter, b, &instance[first + b], &bounds, error);
            if (status != ATTEST_OK)
                return name_instance(error, status, first + b);
        }
    }
    return ATTEST_OK;
}

/* matrix = rows * cols doubles, exactly, over one denominator. */
static void set_matrix(attest_matrix *matrix, const double *entry, size_t rows, size_t cols)
{
    slong count = (slong)(rows * cols);
    FMPQ_VEC(value, count);

    attest_matrix_resize(matrix, rows, cols);
    for (slong e = 0; e < count; e++) {
        attest_number_set_double(value + e, entry[e]);
        if (fmpz_cmp(fmpq_denref(value + e), matrix->denominator) > 0) /* powers of two */
            fmpz_set(matrix->denominator, fmpq_denref(value + e));
    }
    for (slong e = 0; e < count; e++) {
        fmpz_divexact(matrix->entry + e, matrix->denominator, fmpq_denref(value + e));
        fmpz_mul(matrix->entry + e, matrix->entry + e, fmpq_numref(value + e));
    }
}

static attest_status set_weights(attest_weights *weights, const attest_filter_shape *shape,
                                 const double *entry, attest_error *error)
{
    size_t each = shape->size * shape->dim;

    for (size_t e = 0; e < 4 * each * shape->heads; e++)
        if (!(entry[e] - entry[e] == 0))
            return attest_error_set(error, ATTEST_FORMAT, "weight %zu is not finite", e);
    if (attest_weights_resize(weights, shape->heads) != ATTEST_OK)
        return attest_memory_fail(error);
    weights->activation = shape->activation;
    weights->ties = shape->ties;
    weights->mask = shape->mask;
    weights->skip = shape->skip;
    weights->dim = shape->dim;
    for (size_t h = 0; h < shape->heads; h++, entry += 4 * each) {
        set_matrix(&weights->head[h].wq, entry, shape->size, shape->dim);
        set_matrix(&weights->head[h].wk, entry + each, shape->size, shape->dim);
        set_matrix(&weights->head[h].wv, entry + 2 * each, shape->size, shape->dim);
        set_matrix(&weights->head[h].wo, entry + 3 * each, shape->dim, shape->size);
    }
    return ATTEST_OK;
}

static attest_status set_dataset(attest_dataset *dataset,
                                 const attest_filter_instance *instance, size_t dim,
                                 attest_error *error)
{
    const double *token = instance->token;
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_REAL, NULL);

    for (size_t i = 0; i < instance->sequences; i++) {
        ATTEST_TRY(
            attest_dataset_builder_add_doubles(&builder, token, instance->length[i], error));
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, error));
        token += instance->length[i] * dim;
    }
    return attest_dataset_builder_finish(dataset, &builder, error);
}

static attest_status certify(attest_filter_answer *answer, const attest_claim *claim,
                             attest_error *error)
{
    attest_status status;
    bool norm;
    ATTEST_SCOPED(attest_finding, finding);

    status = attest_certify(&finding, claim, error);
    norm = finding.part == ATTEST_CLAIM_NORM;
    *answer = (attest_filter_answer){
        .verdict = finding.verdict,
        .part = finding.part,
        .place = {norm ? finding.largest : finding.pair[0], finding.pair[1]},
        .method = finding.method};
    return status;
}

attest_status attest_filter_escalate(attest_filter_answer *answer, const attest_filter *filter,
                                     const attest_filter_instance *instance,
                                     attest_error *error)
{
    attest_claim claim = filter->claim; /* shares r and delta */
    ATTEST_SCOPED(attest_dataset, dataset);
    ATTEST_SCOPED(attest_weights, weights);

    ATTEST_TRY(set_weights(&weights, &filter->shape, instance->weight, error));
    ATTEST_TRY(set_dataset(&dataset, instance, filter->shape.dim, error));
    claim.dataset = &dataset;
    claim.weights = &weights;
    /* Doubles did not suffice. */
    claim.method = filter->shape.activation == ATTEST_HARDMAX ? "exact" : "ball";
    return certify(answer, &claim, error);
}
