/* filter.c -- the method "filter": doubles with error bounds exclude what they can, and exact
 * arithmetic or balls decide the rest.
 *
 * The cloud of outputs comes from doubles; outputs without a bound, and those that too many
 * candidates have a part in, are evaluated exactly or in balls. From there on the claim is
 * decided as by the methods exact and ball, so verdict and finding are theirs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "certify/ball.h"
#include "certify/exact.h"
#include "certify/filter_points.h"
#include "certify/method.h"

/* With more candidates than this the outputs that take part are enclosed anew. */
enum { MANY_CANDIDATES = 4096 };

static const char *objection(const attest_weights *weights)
{
    (void)weights;
    return NULL;
}

/* What is being searched: outputs, enclosed from doubles and, where sharp, more closely. */
typedef struct sieve {
    attest_outputs outputs;
    attest_filter_points points;
    bool *sharp; /* by context */
    attest_cloud cloud;
    attest_candidates candidates;
    bool has_cloud, has_candidates;
} sieve;

static void sieve_clear(sieve *s)
{
    if (s->has_candidates)
        attest_candidates_clear(&s->candidates);
    if (s->has_cloud)
        attest_cloud_clear(&s->cloud);
    s->has_candidates = s->has_cloud = false;
}

/* Point p = the output at context p, evaluated exactly (hardmax) or in balls. */
static attest_status set_sharp(sieve *s, size_t p, arb_ptr ball, attest_error *error)
{
    size_t dim = s->cloud.dim;
    const fmpq *exact = NULL;
    arb_srcptr value = ball;
    attest_status status;

    if (s->outputs.weights->activation == ATTEST_HARDMAX) {
        status = attest_outputs_get_exact(&exact, &s->outputs, p, error);
        for (size_t c = 0; status == ATTEST_OK && c < dim; c++)
            arb_set_fmpq(ball + c, exact + c, 64);
    } else {
        status = attest_outputs_get_ball(&value, &s->outputs, p, ATTEST_CERTIFY_BITS, error);
    }
    if (status == ATTEST_OK)
        attest_cloud_set_balls(&s->cloud, p, value);
    return status;
}

/* The cloud of all outputs, from doubles and from what is sharp. */
static attest_status mix_cloud(sieve *s, attest_error *error)
{
    const attest_contexts *contexts = s->outputs.contexts;
    size_t dim = s->outputs.dataset->dim;
    attest_status status = attest_cloud_init(&s->cloud, contexts->count, dim, error);
    arb_ptr ball;

    if (status != ATTEST_OK)
        return status;
    ball = _arb_vec_init((slong)dim);
    for (size_t p = 0; p < contexts->count && status == ATTEST_OK; p++) {
        s->cloud.colour[p] = contexts->context[p].group;
        if (s->sharp[p])
            status = set_sharp(s, p, ball, error);
        else
            attest_cloud_set_rounded(&s->cloud, p, s->points.centre + p * dim,
                                     s->points.radius[p]);
    }
    _arb_vec_clear(ball, (slong)dim);
    if (status == ATTEST_OK)
        attest_cloud_finish(&s->cloud);
    else
        attest_cloud_clear(&s->cloud);
    return status;
}

/* Makes the cloud and finds its candidates. Where doubles bound less than half of the outputs,
 * evaluating all of them needs less memory. */
static attest_status search(sieve *s, attest_error *error)
{
    size_t count = s->outputs.contexts->count, sharp = 0;
    attest_status status;

    for (size_t p = 0; p < count; p++)
        sharp += s->sharp[p];
    for (size_t p = 0; p < count && sharp > count / 2; p++)
        s->sharp[p] = true;
    status = sharp > count / 2 ? attest_outputs_get_cloud(&s->cloud, &s->outputs, error)
                               : mix_cloud(s, error);
    s->has_cloud = status == ATTEST_OK;
    if (status == ATTEST_OK)
        status = attest_candidates_init(&s->candidates, &s->cloud, error);
    s->has_candidates = s->has_cloud && status == ATTEST_OK;
    return status;
}

/* Marks what takes part in a candidate; true when some of it was not sharp before. */
static bool sharpen(sieve *s)
{
    bool more = false;

    for (size_t i = 0; i < s->candidates.pairs; i++) {
        const attest_candidate *pair = &s->candidates.pair[i];
        more = more || !s->sharp[pair->first] || !s->sharp[pair->second];
        s->sharp[pair->first] = s->sharp[pair->second] = true;
    }
    for (size_t p = 0; !s->candidates.complete && p < s->cloud.count; p++) {
        more = more || (s->candidates.active[p] && !s->sharp[p]);
        s->sharp[p] = s->sharp[p] || s->candidates.active[p];
    }
    return more;
}

static attest_status sift(sieve *s, attest_error *error)
{
    attest_status status;

    for (size_t p = 0; p < s->outputs.contexts->count; p++)
        s->sharp[p] = !(s->points.radius[p] < INFINITY);
    status = search(s, error);
    if (status == ATTEST_OK &&
        (!s->candidates.complete || s->candidates.pairs > MANY_CANDIDATES) && sharpen(s)) {
        sieve_clear(s);
        status = search(s, error);
    }
    return status;
}

/* Doubles around bound / 2^exponent. They serve to count, not to decide. */
static void get_bound(double *lower, double *upper, const fmpq_t bound, slong exponent)
{
    arb_t ball;
    arf_t end;

    arb_init(ball);
    arf_init(end);
    arb_set_fmpq(ball, bound, 64);
    arb_mul_2exp_si(ball, ball, -exponent);
    arb_get_lbound_arf(end, ball, 64);
    *lower = arf_get_d(end, ARF_RND_DOWN);
    arb_get_ubound_arf(end, ball, 64);
    *upper = arf_get_d(end, ARF_RND_UP);
    arf_clear(end);
    arb_clear(ball);
}

/* pairs = the number of pairs of different classes among contexts, size[g] of class g. */
static void count_between(fmpz_t pairs, const size_t *size, size_t classes)
{
    size_t contexts = 0;
    fmpz_t inside;

    fmpz_init(inside);
    fmpz_zero(pairs);
    for (size_t g = 0; g < classes; g++) {
        fmpz_bin_uiui(inside, size[g], 2);
        fmpz_sub(pairs, pairs, inside);
        contexts += size[g];
    }
    fmpz_bin_uiui(inside, contexts, 2);
    fmpz_add(pairs, pairs, inside);
    fmpz_clear(inside);
}

/* pairs = how many pairs of contexts of different classes have a sharp one. */
static attest_status count_sharp(fmpz_t pairs, const sieve *s, attest_error *error)
{
    const attest_contexts *contexts = s->outputs.contexts;
    size_t *all = attest_memory_alloc(contexts->classes, sizeof *all);
    size_t *dull = attest_memory_alloc(contexts->classes, sizeof *dull);
    bool ok = all && dull;
    fmpz_t n;

    for (size_t p = 0; ok && p < contexts->count; p++) {
        all[contexts->context[p].group]++;
        dull[contexts->context[p].group] += !s->sharp[p];
    }
    fmpz_init(n);
    if (ok) {
        count_between(pairs, all, contexts->classes);
        count_between(n, dull, contexts->classes);
        fmpz_sub(pairs, pairs, n);
    }
    fmpz_clear(n);
    free(all);
    free(dull);
    return ok ? ATTEST_OK : attest_memory_fail(error);
}

/* open = how many required pairs doubles did not compare with delta: those with an output that
 * they do not bound, and candidates. A pair of contexts counts once; where there are too many
 * candidates to be listed all required pairs count. */
static attest_status count_open(fmpz_t open, const sieve *s, const attest_claim *claim,
                                const attest_finding *finding, attest_error *error)
{
    attest_status status = count_sharp(open, s, error);
    double lower, upper, delta[2];

    get_bound(&delta[0], &delta[1], claim->delta, s->cloud.exponent);
    for (size_t i = 0; i < s->candidates.pairs; i++) {
        const attest_candidate *pair = &s->candidates.pair[i];
        attest_cloud_distance(&lower, &upper, &s->cloud, pair->first, pair->second);
        if (!s->sharp[pair->first] && !s->sharp[pair->second] && lower <= delta[1] &&
            upper > delta[0])
            fmpz_add_ui(open, open, 1);
    }
    if (!s->candidates.complete)
        fmpz_set(open, finding->required_pairs);
    return status;
}

/* Whether doubles do not compare the largest norm with r. */
static bool norm_is_open(const sieve *s, const attest_claim *claim)
{
    double lower, upper, most[2] = {0, 0}, r[2];
    bool sharp = false;

    if (!claim->has_r)
        return false;
    get_bound(&r[0], &r[1], claim->r, s->cloud.exponent);
    for (size_t p = 0; p < s->cloud.count; p++) {
        attest_cloud_norm(&lower, &upper, &s->cloud, p);
        most[0] = fmax(most[0], lower);
        most[1] = fmax(most[1], upper);
        sharp = sharp || s->sharp[p];
    }
    return sharp || (most[1] >= r[0] && most[0] < r[1]);
}

/* Parts the required pairs into those that doubles compared with delta and the others. */
static void count_pairs(attest_finding *finding, const fmpz_t open)
{
    if (fmpz_cmp(finding->by_exact, open) > 0)
        fmpz_set(finding->by_exact, open);
    fmpz_sub(finding->by_ball, open, finding->by_exact);
    fmpz_sub(finding->by_ball, finding->by_ball, finding->by_nobody);
    if (fmpz_sgn(finding->by_ball) < 0)
        fmpz_zero(finding->by_ball);
    fmpz_sub(finding->by_filter, finding->required_pairs, finding->by_exact);
    fmpz_sub(finding->by_filter, finding->by_filter, finding->by_ball);
    fmpz_sub(finding->by_filter, finding->by_filter, finding->by_nobody);
}

/* Under "auto" the method is the one without which the verdict would be open. */
static attest_status settle(attest_finding *finding, const attest_claim *claim, sieve *s,
                            attest_error *error)
{
    bool hardmax = claim->weights->activation == ATTEST_HARDMAX;
    attest_status status =
        hardmax
            ? attest_exact_settle(finding, claim, &s->outputs, &s->cloud, &s->candidates, error)
            : attest_ball_settle(finding, claim, &s->outputs, &s->cloud, &s->candidates, error);
    fmpz_t open;

    if (status != ATTEST_OK)
        return status;
    fmpz_init(open);
    status = count_open(open, s, claim, finding, error);
    if (status == ATTEST_OK)
        count_pairs(finding, open);
    if (strcmp(claim->method, "auto") == 0 && (!fmpz_is_zero(open) || norm_is_open(s, claim)))
        finding->method = hardmax ? attest_method_exact.name : attest_method_ball.name;
    fmpz_clear(open);
    return status;
}

static attest_status decide(attest_finding *finding, const attest_claim *claim,
                            const attest_contexts *contexts, attest_error *error)
{
    sieve s = {0};
    attest_status status =
        attest_outputs_init(&s.outputs, claim->weights, claim->dataset, contexts, error);

    if (status != ATTEST_OK)
        return status;
    s.outputs.progress = claim->progress;
    status = attest_filter_points_init(&s.points, claim->weights, claim->dataset, contexts,
                                       &claim->progress, error);
    if (status == ATTEST_OK) {
        s.sharp = attest_memory_alloc(contexts->count, sizeof *s.sharp);
        status = s.sharp ? sift(&s, error) : attest_memory_fail(error);
    }
    if (status == ATTEST_OK)
        status = settle(finding, claim, &s, error);
    sieve_clear(&s);
    free(s.sharp);
    attest_filter_points_clear(&s.points);
    attest_outputs_clear(&s.outputs);
    return status;
}

const attest_method attest_method_filter = {"filter", objection, decide, true};
