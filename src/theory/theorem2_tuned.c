/* theorem2_tuned.c -- v, kappa and w for the largest separation, searched in double.
 *
 * Let D be the least difference of the averages of one token over contexts of different
 * classes, R the range of v.x over the tokens. Outputs of one token then differ by |w| D at
 * least, those of different tokens by eps - |w| R; both are eps D / (D + R) for |w| = eps / (D
 * + R). So D / (D + R) is what the search maximises. Nothing here is rigorous: the result is
 * certified afterwards. */
#include <math.h>
#include <stdlib.h>

#include "theory/contextual.h"

#include "base/memory.h"
#include "theory/theorem2_parts.h"

enum {
    MOST_DIRECTIONS = 200,
    LEAST_TRIALS = 40,
    MOST_TRIALS = 4000,
    KAPPAS = 12,
    KAPPA_BITS = 24,
    SIZE_BITS = 24
};
#define BUDGET 2e7 /* exponentials */

/* A context, as the search sees it. */
typedef struct average {
    double mean;
    uint32_t query, group;
} average;

typedef struct tuner {
    const attest_dataset *dataset;
    attest_contexts contexts;
    double *entry; /* count * dim, tokens as doubles */
    double *along; /* v.x */
    average *mean; /* per context */
} tuner;

static attest_status tuner_init(tuner *t, const attest_dataset *dataset, attest_mask mask,
                                attest_error *error)
{
    size_t count = dataset->tokens.count, dim = dataset->dim;
    attest_status status;
    fmpq_t entry;

    t->dataset = dataset;
    t->mean = NULL;
    attest_contexts_init(&t->contexts);
    t->entry = attest_memory_alloc(count * dim, sizeof *t->entry);
    t->along = attest_memory_alloc(count, sizeof *t->along);
    status = attest_contexts_get(&t->contexts, dataset, mask, ATTEST_TIES_UNIFORM, error);
    if (status != ATTEST_OK)
        return status;
    t->mean = attest_memory_alloc(t->contexts.count, sizeof *t->mean);
    if (!t->entry || !t->along || !t->mean)
        return attest_memory_fail(error);
    fmpq_init(entry);
    for (size_t e = 0; e < count * dim; e++) {
        attest_tokens_get_entry(entry, &dataset->tokens, e / dim, e % dim);
        t->entry[e] = fmpq_get_d(entry);
    }
    fmpq_clear(entry);
    return ATTEST_OK;
}

static void tuner_clear(tuner *t)
{
    attest_contexts_clear(&t->contexts);
    free(t->entry);
    free(t->along);
    free(t->mean);
}

/* v.x for all tokens; the range. */
static double project(tuner *t, const attest_direction *v)
{
    double divisor = fmpz_get_d(v->divisor), low = INFINITY, high = -INFINITY;

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

/* The average of v.y under the softmax of alpha v.y. */
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

static int compare_averages(const void *left, const void *right)
{
    const average *a = left, *b = right;

    if (a->query != b->query)
        return a->query < b->query ? -1 : 1;
    return (a->mean > b->mean) - (a->mean < b->mean);
}

/* D: the least difference of one token's averages over contexts of different classes. */
static double least_difference(tuner *t, double kappa)
{
    double least = INFINITY;
    size_t count = t->contexts.count;

    for (size_t i = 0; i < count; i++) {
        const attest_context *context = &t->contexts.context[i];

        t->mean[i] = (average){average_of(t, context, kappa), context->query, context->group};
    }
    qsort(t->mean, count, sizeof *t->mean, compare_averages);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && t->mean[j].query == t->mean[i].query; j++) {
            if (t->mean[j].group == t->mean[i].group)
                continue;
            least = fmin(least, t->mean[j].mean - t->mean[i].mean);
            break;
        }
    }
    return least;
}

/* What is being maximised, and where it is largest so far. */
typedef struct best {
    attest_direction v;
    double kappa, ratio, least, range;
} best;

static void offer(best *b, const attest_direction *v, double kappa, double least, double range)
{
    double ratio = isinf(least) ? 1 : least / (least + range);

    if (!(ratio > b->ratio) || !(range > 0))
        return;
    _fmpz_vec_set(b->v.numerator, v->numerator, (slong)v->dim);
    fmpz_set(b->v.divisor, v->divisor);
    b->kappa = kappa;
    b->ratio = ratio;
    b->least = isinf(least) ? range : least;
    b->range = range;
}

/* Scores of about 0.05 to 50: softmax is neither flat nor decided. */
static void try_direction(best *b, tuner *t, const attest_direction *v)
{
    double range = project(t, v), size = 0;

    for (size_t i = 0; i < t->dataset->tokens.count; i++)
        size = fmax(size, fabs(t->along[i]));
    for (int k = 0; k < KAPPAS && size > 0; k++) {
        double kappa = 0.05 * pow(1000, (double)k / (KAPPAS - 1)) / (size * size);

        offer(b, v, kappa, least_difference(t, kappa), range);
    }
}

/* Steps from the best so far, smaller and smaller: v moves by a random direction over 2^step.
 */
static void refine(best *b, tuner *t, attest_direction *v, attest_direction *move, int step,
                   uint64_t *state)
{
    double kappa, range;

    attest_direction_gen(move, state);
    for (size_t c = 0; c < v->dim; c++) {
        fmpz_tdiv_q_2exp(move->numerator + c, move->numerator + c, (ulong)step);
        fmpz_add(v->numerator + c, b->v.numerator + c, move->numerator + c);
    }
    if (_fmpz_vec_is_zero(v->numerator, (slong)v->dim))
        return;
    attest_direction_normalise(v);
    kappa = b->kappa * exp2(((double)(*state >> 40) / 0x1p24 - 0.5) * 4 / (1 + step));
    range = project(t, v);
    offer(b, v, kappa, least_difference(t, kappa), range);
}

static void search(best *b, tuner *t, uint64_t seed)
{
    double work = 0;
    uint64_t state = seed;
    attest_direction v, move;
    int trials, directions;

    for (size_t i = 0; i < t->contexts.count; i++)
        work += t->contexts.context[i].seen;
    trials = (int)fmin(fmax(BUDGET / work, LEAST_TRIALS), MOST_TRIALS);
    directions = t->dataset->dim == 1 ? 1 : trials / 2 / KAPPAS + 1;
    attest_direction_init(&v, t->dataset->dim);
    attest_direction_init(&move, t->dataset->dim);
    for (int i = 0; i < directions; i++) {
        attest_direction_gen(&v, &state);
        try_direction(b, t, &v);
    }
    for (int i = 0; i < trials / 2; i++)
        refine(b, t, &v, &move, 1 + i * 8 / (trials / 2), &state);
    attest_direction_clear(&v);
    attest_direction_clear(&move);
}

/* x = a double, rounded to so many bits. Domain: x > 0, finite. */
static void set_rounded(fmpq_t x, double value, long bits, bool up)
{
    arf_t exact;

    arf_init(exact);
    arf_set_d(exact, value);
    arf_get_fmpq(x, exact);
    if (up)
        attest_round_up(x, bits);
    else
        attest_round_down(x, bits);
    arf_clear(exact);
}

/* |w| = eps / (D + R), and r = r_max + |w| r_max. */
static attest_status take_best(attest_construction *construction, const best *b,
                               attest_error *error)
{
    attest_status status;
    fmpq_t size;

    fmpq_init(size);
    set_rounded(construction->kappa, b->kappa, KAPPA_BITS, true);
    set_rounded(size, 1 / (b->least + b->range), SIZE_BITS, false);
    fmpq_mul(size, size, construction->eps.value);
    attest_round_down(size, SIZE_BITS);
    attest_direction_output(construction->output, &b->v, size);
    status = attest_construction_finish(construction, &b->v, error);
    fmpq_mul(size, size, construction->r_max.value);
    fmpq_add(construction->r, construction->r_max.value, size);
    fmpq_clear(size);
    return status;
}

/* Doubles may see too little: tokens that agree in 53 bits, or a direction that merges two of
 * them but for rounding. Then any direction that keeps the tokens and 0 apart, exactly, has to
 * do, as the proof of `tuned` asks for no more; |w| is at most half of what keeps different
 * tokens apart, doubles being off by less than 2^-50 of the largest |v.x|. */
static attest_status take_any(best *b, tuner *t, uint64_t seed, attest_error *error)
{
    attest_direction *v = &b->v;
    attest_status status = ATTEST_OK;
    uint64_t state = seed;
    bool apart = false;

    for (int i = 0; i < MOST_DIRECTIONS && !apart && status == ATTEST_OK; i++) {
        attest_direction_gen(v, &state);
        status = attest_direction_check(&apart, v, &t->dataset->tokens, error);
    }
    if (status == ATTEST_OK && !apart)
        status = attest_error_set(error, ATTEST_UNABLE, "no direction keeps all tokens apart");
    if (status == ATTEST_OK) {
        double size = 0, range = project(t, v);

        for (size_t i = 0; i < t->dataset->tokens.count; i++)
            size = fmax(size, fabs(t->along[i]));
        b->range = b->least = range + size * 0x1p-50;
        b->kappa = 1 / (size * size);
        if (!(b->range > 0) || isinf(b->range) || isinf(b->kappa) || !(b->kappa > 0))
            status =
                attest_error_set(error, ATTEST_UNABLE, "tokens beyond the range of doubles");
    }
    return status;
}

attest_status attest_theorem2_build_tuned(attest_construction *construction,
                                          const attest_dataset *dataset, attest_error *error)
{
    attest_status status;
    best b = {.ratio = 0};
    tuner t;

    if (construction->eps_by_direction)
        return attest_error_set(error, ATTEST_UNABLE,
                                "too many tokens to find their least distance; give eps");
    attest_direction_init(&b.v, dataset->dim);
    status = tuner_init(&t, dataset, construction->mask, error);
    if (status == ATTEST_OK) {
        bool apart = false;

        search(&b, &t, construction->seed);
        if (b.ratio > 0)
            status = attest_direction_check(&apart, &b.v, &dataset->tokens, error);
        if (status == ATTEST_OK && !apart)
            status = take_any(&b, &t, construction->seed, error);
        if (status == ATTEST_OK)
            status = take_best(construction, &b, error);
    }
    if (status == ATTEST_OK && dataset->longest > 1)
        attest_theorem2_formula(construction, dataset->longest, dataset->tokens.count);
    tuner_clear(&t);
    attest_direction_clear(&b.v);
    return status;
}
