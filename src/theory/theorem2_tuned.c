/* theorem2_tuned.c -- v, kappa and w for the largest separation, searched in double.
 *
 * Let D be the least difference of the averages of one token over contexts of different
 * classes, R the range of v.x over the tokens. Then outputs of one token differ by at least |w|
 * D, and outputs of different tokens by at least eps - |w| R; both bounds are eps D / (D + R)
 * for |w| = eps / (D + R). The search therefore maximises D / (D + R). It is not rigorous: the
 * result is certified afterwards. */
#include <math.h>
#include <stdlib.h>

#include "base/hint.h"
#include "theory/contextual.h"

#include "base/memory.h"
#include "base/workers.h"
#include "geometry/projection.h"
#include "number/scope.h"
#include "theory/theorem2.h"

enum {
    MOST_DIRECTIONS = 200,
    LEAST_TRIALS = 40,
    MOST_TRIALS = 4000,
    KAPPAS = 12,
    KAPPA_BITS = 24,
    SIZE_BITS = 24
};
#define BUDGET 2e7     /* exponentials */
#define SMALL_WORK 1e6 /* exponentials; fewer are computed in one process */

typedef struct tuner {
    const attest_dataset *dataset;
    attest_contexts contexts;
    double *entry;           /* count * dim, tokens as doubles */
    double *along;           /* v.x */
    uint32_t *order;         /* contexts by their queries, then by number */
    double *mean;            /* per context */
    attest_radix_item *line; /* the means of one query, to be sorted */
    const attest_rational_vector
        *direction; /* the directions to try, and their results; in shared memory */
    struct outcome *outcome;
} tuner;

/* The result for a direction with its best kappa. */
typedef struct outcome {
    double kappa, ratio, least, range;
} outcome;

/* order = the contexts by query, stable. */
static bool order_contexts(tuner *t)
{
    size_t count = t->contexts.count, tokens = t->dataset->tokens.count;
    size_t *begin ATTEST_FREED = attest_memory_alloc(tokens + 1, sizeof *begin);

    if (!begin)
        return false;
    for (size_t i = 0; i < count; i++)
        begin[t->contexts.context[i].query + 1]++;
    for (size_t q = 0; q < tokens; q++)
        begin[q + 1] += begin[q];
    for (size_t i = 0; i < count; i++)
        t->order[begin[t->contexts.context[i].query]++] = (uint32_t)i;
    return true;
}

static attest_status tuner_init(tuner *t, const attest_dataset *dataset, attest_mask mask,
                                attest_error *error)
{
    size_t count = dataset->tokens.count, dim = dataset->dim;
    FMPQ(entry);

    t->dataset = dataset;
    attest_contexts_init(&t->contexts);
    t->entry = attest_memory_alloc(count * dim, sizeof *t->entry);
    t->along = attest_memory_alloc(count, sizeof *t->along);
    ATTEST_TRY(attest_contexts_get(&t->contexts, dataset, mask, ATTEST_TIES_UNIFORM, error));
    t->mean = attest_memory_alloc(t->contexts.count, sizeof *t->mean);
    t->order = attest_memory_alloc(t->contexts.count, sizeof *t->order);
    t->line = attest_memory_alloc(t->contexts.count, sizeof *t->line);
    if (!t->entry || !t->along || !t->mean || !t->order || !t->line || !order_contexts(t))
        return attest_memory_fail(error);
    for (size_t e = 0; e < count * dim; e++) {
        attest_tokens_get_entry(entry, &dataset->tokens, e / dim, e % dim);
        t->entry[e] = fmpq_get_d(entry);
    }
    return ATTEST_OK;
}

static void tuner_clear(tuner *t)
{
    attest_contexts_clear(&t->contexts);
    free(t->entry);
    free(t->along);
    free(t->mean);
    free(t->order);
    free(t->line);
}

/* Sets along to v.x for all tokens and returns their range. */
static double project(tuner *t, const attest_rational_vector *v)
{
    double divisor = fmpz_get_d(v->denominator), low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < t->dataset->tokens.count; i++) {
        double sum = 0;

        for (size_t c = 0; c < v->dim; c++)
            sum += fmpz_get_d(v->numerator + c) * t->entry[i * v->dim + c];
        t->along[i] = sum / divisor;
        low = fmin(low, t->along[i]);
        high = fmax(high, t->along[i]);
    }
    return high - low;
}

/* Returns the average of v.y under the softmax of alpha v.y. */
static double average_of(const tuner *t, const attest_context *context, double kappa)
{
    const uint32_t *token = t->dataset->token + t->dataset->start[context->sequence];
    double alpha = kappa * t->along[context->query], top = -INFINITY, mass = 0, sum = 0;

    for (size_t k = 0; k < context->seen; k++)
        top = fmax(top, alpha * t->along[token[k]]);
    for (size_t k = 0; k < context->seen; k++) {
        double weight = exp(alpha * t->along[token[k]] - top);

        mass += weight;
        sum += weight * t->along[token[k]];
    }
    return sum / mass;
}

/* Returns the least difference of the averages in t->line (those of one query) between
 * different classes. */
static double least_of_query(const tuner *t, size_t count)
{
    double least = INFINITY;

    for (size_t i = 0; i < count; i++) {
        uint32_t group = t->contexts.context[t->line[i].index].group;

        for (size_t j = i + 1; j < count; j++) {
            if (t->contexts.context[t->line[j].index].group == group)
                continue;
            least = fmin(least, t->mean[t->line[j].index] - t->mean[t->line[i].index]);
            break;
        }
    }
    return least;
}

/* *least = D: the least difference of one token's averages over contexts of different classes.
 * False: out of memory. */
static bool find_least(double *least, tuner *t, double kappa)
{
    const attest_context *context = t->contexts.context;
    size_t count = t->contexts.count;

    *least = INFINITY;
    for (size_t i = 0; i < count; i++)
        t->mean[i] = average_of(t, &context[i], kappa);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from;
             to < count && context[t->order[to]].query == context[t->order[from]].query; to++)
            t->line[to - from] =
                (attest_radix_item){attest_radix_key(t->mean[t->order[to]]), t->order[to]};
        if (attest_radix_sort(t->line, to - from) != ATTEST_OK)
            return false;
        *least = fmin(*least, least_of_query(t, to - from));
    }
    return true;
}

/* The best direction so far and its result. */
typedef struct best {
    attest_rational_vector v;
    outcome of;
} best;

static void best_clear(best *b)
{
    attest_rational_vector_clear(&b->v);
}

/* Replaces the outcome if this one is better; returns whether it was replaced. */
static bool improve(outcome *of, double kappa, double least, double range)
{
    double ratio = isinf(least) ? 1 : least / (least + range);

    if (!(ratio > of->ratio) || !(range > 0))
        return false;
    *of = (outcome){kappa, ratio, isinf(least) ? range : least, range};
    return true;
}

static void set_direction(best *b, const attest_rational_vector *v)
{
    _fmpz_vec_set(b->v.numerator, v->numerator, (slong)v->dim);
    fmpz_set(b->v.denominator, v->denominator);
}

/* Tries one direction with several kappas that give scores of about 0.05 to 50, where softmax
 * is neither flat nor one-hot. */
static bool try_direction(void *context, size_t number)
{
    tuner *t = context;
    double range = project(t, &t->direction[number]), size = 0, least;

    for (size_t i = 0; i < t->dataset->tokens.count; i++)
        size = fmax(size, fabs(t->along[i]));
    for (int k = 0; k < KAPPAS && size > 0; k++) {
        double kappa = 0.05 * pow(1000, (double)k / (KAPPAS - 1)) / (size * size);

        if (!find_least(&least, t, kappa))
            return false;
        improve(&t->outcome[number], kappa, least, range);
    }
    return true;
}

typedef struct direction_list {
    attest_rational_vector *v;
    size_t count;
} direction_list;

static void direction_list_clear(direction_list *d)
{
    for (size_t i = 0; d->v && i < d->count; i++)
        attest_rational_vector_clear(&d->v[i]);
    free(d->v);
}

/* Tries random directions, in jobs processes; the first of the best is taken. Status: NOMEM,
 * IO. */
static attest_status try_directions(best *b, tuner *t, size_t count, size_t jobs,
                                    uint64_t *state, attest_error *error)
{
    ATTEST_WORKERS(outcome, result, count, jobs);
    direction_list d ATTEST_CLEARED_BY(direction_list_clear) = {
        attest_memory_alloc(count, sizeof *d.v), count};

    if (!d.v || !result)
        return attest_memory_fail(error);
    for (size_t i = 0; i < count; i++) {
        attest_rational_vector_init(&d.v[i], t->dataset->dim);
        attest_direction_gen(&d.v[i], state);
    }
    t->direction = d.v;
    t->outcome = result;
    ATTEST_TRY(attest_workers_run(try_direction, t, count, jobs, error));
    for (size_t i = 0; i < count; i++) {
        if (!(result[i].ratio > b->of.ratio))
            continue;
        b->of = result[i];
        set_direction(b, &d.v[i]);
    }
    return ATTEST_OK;
}

/* Tries a smaller and smaller change of the best direction so far: v plus a random direction
 * over 2^step. */
static bool refine(best *b, tuner *t, attest_rational_vector *v, attest_rational_vector *move,
                   int step, uint64_t *state)
{
    double kappa, range, least;

    attest_direction_gen(move, state);
    for (size_t c = 0; c < v->dim; c++) {
        fmpz_tdiv_q_2exp(move->numerator + c, move->numerator + c, (ulong)step);
        fmpz_add(v->numerator + c, b->v.numerator + c, move->numerator + c);
    }
    if (_fmpz_vec_is_zero(v->numerator, (slong)v->dim))
        return true;
    attest_direction_normalise(v);
    kappa = b->of.kappa * exp2(((double)(*state >> 40) / 0x1p24 - 0.5) * 4 / (1 + step));
    range = project(t, v);
    if (!find_least(&least, t, kappa))
        return false;
    if (improve(&b->of, kappa, least, range))
        set_direction(b, v);
    return true;
}

/* Status: NOMEM, IO. */
static attest_status search(best *b, tuner *t, uint64_t seed, size_t jobs, attest_error *error)
{
    double work = 0;
    uint64_t state = seed;
    int trials, directions;
    ATTEST_SCOPED(attest_rational_vector, v, t->dataset->dim);
    ATTEST_SCOPED(attest_rational_vector, move, t->dataset->dim);

    for (size_t i = 0; i < t->contexts.count; i++)
        work += t->contexts.context[i].seen;
    trials = (int)fmin(fmax(BUDGET / work, LEAST_TRIALS), MOST_TRIALS);
    directions = t->dataset->dim == 1 ? 1 : trials / 2 / KAPPAS + 1;
    if (work * directions * KAPPAS < SMALL_WORK)
        jobs = 1;
    ATTEST_TRY(try_directions(b, t, (size_t)directions, jobs, &state, error));
    for (int i = 0; i < trials / 2; i++)
        if (!refine(b, t, &v, &move, 1 + i * 8 / (trials / 2), &state))
            return attest_memory_fail(error);
    return ATTEST_OK;
}

/* x = value, rounded up or down to this many bits. Domain: value > 0, finite. */
static void set_rounded(fmpq_t x, double value, long bits, bool up)
{
    ARF(exact);

    arf_set_d(exact, value);
    arf_get_fmpq(x, exact);
    if (up)
        attest_round_up(x, bits);
    else
        attest_round_down(x, bits);
}

/* |w| = eps / (D + R), and r = r_max + |w| r_max. */
static attest_status take_best(attest_construction *construction, const best *b,
                               attest_error *error)
{
    attest_status status;
    FMPQ(size);

    set_rounded(construction->kappa, b->of.kappa, KAPPA_BITS, true);
    set_rounded(size, 1 / (b->of.least + b->of.range), SIZE_BITS, false);
    fmpq_mul(size, size, construction->eps.value);
    attest_round_down(size, SIZE_BITS);
    attest_direction_output(construction->output, &b->v, size);
    status = attest_construction_finish(construction, &b->v, error);
    fmpq_mul(size, size, construction->r_max.value);
    fmpq_add(construction->r, construction->r_max.value, size);
    return status;
}

/* Takes any direction that separates the tokens and 0 exactly. The search in doubles fails if
 * tokens agree in 53 bits, or if a direction separates two of them by rounding errors only; the
 * proof of `tuned` needs no more than an exactly separating direction. |w| is at most half of
 * the largest value that keeps different tokens apart, since doubles are off by less than 2^-50
 * of the largest |v.x|. */
static attest_status take_any(best *b, tuner *t, uint64_t seed, attest_error *error)
{
    attest_rational_vector *v = &b->v;
    uint64_t state = seed;
    double size = 0, range;
    bool apart = false;

    for (int i = 0; i < MOST_DIRECTIONS && !apart; i++) {
        attest_direction_gen(v, &state);
        ATTEST_TRY(attest_direction_check(&apart, v, &t->dataset->tokens, error));
    }
    if (!apart)
        return attest_error_set(error, ATTEST_UNABLE, "no direction separates all tokens");
    range = project(t, v);
    for (size_t i = 0; i < t->dataset->tokens.count; i++)
        size = fmax(size, fabs(t->along[i]));
    b->of.range = b->of.least = range + size * 0x1p-50;
    b->of.kappa = 1 / (size * size);
    if (!(b->of.range > 0) || isinf(b->of.range) || isinf(b->of.kappa) || !(b->of.kappa > 0))
        return attest_error_set(error, ATTEST_UNABLE, "tokens are beyond the range of doubles");
    return ATTEST_OK;
}

attest_status attest_theorem2_build_tuned(attest_construction *construction,
                                          const attest_dataset *dataset, attest_error *error)
{
    bool apart = false;
    tuner t ATTEST_CLEARED_BY(tuner_clear) = {.dataset = NULL};
    best b ATTEST_CLEARED_BY(best_clear) = {.of = {0}};

    attest_rational_vector_init(&b.v, dataset->dim);
    if (construction->eps_by_direction)
        return attest_error_set(
            error, ATTEST_UNABLE,
            "too many tokens to find their least distance; " ATTEST_HINT_EPS);
    ATTEST_TRY(tuner_init(&t, dataset, construction->mask, error));
    ATTEST_TRY(search(&b, &t, construction->seed, construction->jobs, error));
    if (b.of.ratio > 0)
        ATTEST_TRY(attest_direction_check(&apart, &b.v, &dataset->tokens, error));
    if (!apart)
        ATTEST_TRY(take_any(&b, &t, construction->seed, error));
    ATTEST_TRY(take_best(construction, &b, error));
    if (dataset->longest > 1)
        attest_theorem2_formula(construction, dataset->longest, dataset->tokens.count);
    return ATTEST_OK;
}
