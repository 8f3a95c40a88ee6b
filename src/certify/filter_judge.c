/* filter_judge.c -- the verdict on a small instance from outputs with radii; (9) of
 * proofs-notes/filter.md. */
#include <math.h>

#include "base/term.h"
#include "certify/filter_batch.h"

_Static_assert(ATTEST_DOUBLE_LANES == 8, "least() reduces eight squares");

/* The roundings of a computed square of a distance, dim + 6 at most, and 8 of the number that
 * it is compared with, in units of 2^-53. */
#define ROUNDINGS(dim) (((double)(dim) + 16) * 0x1p-53)
/* Squares lose less than this to underflow. */
#define TINY 0x1p-1000

/* A position: its sequence, its place there, and its number over all sequences. */
typedef struct spot {
    size_t sequence, position, at;
} spot;

static spot spot_of(const attest_filter_outputs *o, size_t at)
{
    spot p = {0, at, at};

    while (p.position >= o->instance->length[p.sequence])
        p.position -= o->instance->length[p.sequence++];
    return p;
}

static const double *token_of(const attest_filter_outputs *o, size_t at)
{
    return o->instance->token + at * o->shape->dim;
}

static bool same_token(const attest_filter_outputs *o, size_t a, size_t b)
{
    const double *x = token_of(o, a), *y = token_of(o, b);

    for (size_t c = 0; c < o->shape->dim; c++)
        if (x[c] != y[c])
            return false;
    return true;
}

/* How many tokens of its sequence, from the first on, a position sees. */
static size_t seen(const attest_filter_outputs *o, const spot *p)
{
    return o->shape->mask == ATTEST_MASK_CAUSAL ? p->position + 1
                                                : o->instance->length[p->sequence];
}

/* True if b sees each token that a sees. */
static bool sees_all(const attest_filter_outputs *o, const spot *a, const spot *b)
{
    size_t first = a->at - a->position, second = b->at - b->position;

    for (size_t i = first; i < first + seen(o, a); i++) {
        bool met = false;
        for (size_t j = second; j < second + seen(o, b) && !met; j++)
            met = same_token(o, i, j);
        if (!met)
            return false;
    }
    return true;
}

static bool is_required(const attest_filter_outputs *o, const spot *a, const spot *b)
{
    if (!same_token(o, a->at, b->at))
        return true;
    if (a->sequence == b->sequence && o->shape->mask == ATTEST_MASK_NONE)
        return false;
    return !sees_all(o, a, b) || !sees_all(o, b, a);
}

/* Hardmax: true if the outputs are sums of the same values. */
static bool is_equal(const attest_filter_outputs *o, const spot *a, const spot *b)
{
    size_t first = a->at - a->position, second = b->at - b->position;
    size_t m = o->instance->length[a->sequence], n = o->instance->length[b->sequence];
    const uint32_t *x = o->winner + first * o->shape->heads;
    const uint32_t *y = o->winner + second * o->shape->heads;

    if (o->tied[a->at] || o->tied[b->at]) /* winner is not set for ties */
        return false;
    if (o->shape->activation != ATTEST_HARDMAX || !(o->radius[a->at] < INFINITY) ||
        !(o->radius[b->at] < INFINITY) || (o->shape->skip && !same_token(o, a->at, b->at)))
        return false;
    for (size_t h = 0; h < o->shape->heads; h++)
        if (!same_token(o, first + x[h * m + a->position], second + y[h * n + b->position]))
            return false;
    return true;
}

/* The computed square of the norm of a centre. */
static double square_of(const attest_filter_outputs *o, size_t at)
{
    const double *x = o->centre + at * o->shape->dim;
    double s = 0;

    for (size_t c = 0; c < o->shape->dim; c++)
        s += x[c] * x[c];
    return s;
}

/* Softmax: true if the terms in which two contexts of one token differ prove its outputs to
 * be farther apart than the bound. */
static bool is_apart(const attest_filter_outputs *o, const spot *a, const spot *b, double bound)
{
    attest_filter_context x = {token_of(o, a->at - a->position), seen(o, a)};
    attest_filter_context y = {token_of(o, b->at - b->position), seen(o, b)};

    return o->shape->activation == ATTEST_SOFTMAX && same_token(o, a->at, b->at) &&
           attest_filter_difference(o->layer, token_of(o, a->at), &x, &y, bound);
}

/* The sum of two radii, rounded up: close to a bound, the rounding of this sum decides. */
static double add_radii(double a, double b)
{
    return (a + b) * (1 + ATTEST_TERM(judge_radii, 0x1p-51));
}

/* A computed square above this limit proves that the true distance, which differs by at most
 * radii, is above the bound. There is no limit for infinite radii or NaN. The limit is
 * monotone in radii and bound. */
static double get_limit(double radii, double bound, size_t dim)
{
    double reach = bound + radii;

    return reach * reach * (1 + ATTEST_TERM(judge_above, ROUNDINGS(dim))) +
           ATTEST_TERM(judge_above_underflow, TINY);
}

static bool is_above(double square, double radii, double bound, size_t dim)
{
    return square > get_limit(radii, bound, dim);
}

/* True if a computed square proves that the distance is below the bound. */
static bool is_below(double square, double radii, double bound, size_t dim)
{
    double reach = bound - radii;

    return reach > 0 && square * (1 + ATTEST_TERM(judge_below, ROUNDINGS(dim))) +
                                ATTEST_TERM(judge_below_underflow, TINY) <
                            reach * reach;
}

/* The instance, the bounds, and the answer so far. */
typedef struct trial {
    const attest_filter_outputs *o;
    const attest_filter_bounds *bounds;
    attest_filter_answer *answer;
} trial;

static void refute(const trial *t, attest_claim_part part, const spot *a, const spot *b)
{
    *t->answer = (attest_filter_answer){
        .verdict = ATTEST_REFUTED,
        .part = part,
        .place = {{a->sequence, a->position}, {b->sequence, b->position}}};
}

static void leave_open(const trial *t, attest_claim_part part)
{
    if (t->answer->verdict == ATTEST_PROVED) {
        t->answer->verdict = ATTEST_UNDECIDED;
        t->answer->part = part;
    }
}

/* Compares a pair of small integers with delta: 1 above, -1 not above, 0 not known. */
static int compare_integers(const trial *t, const spot *a, const spot *b)
{
    size_t dim = t->o->shape->dim;
    bool equal;
    double square;

    if (!attest_filter_integers_compare(&equal, &square, t->o->integers, a->at, b->at)) {
        int apart = attest_filter_integers_compare_softmax(t->o->integers, a->at, b->at);
        return t->bounds->delta_upper == 0 || apart < 0 ? apart : 0;
    }
    if (equal)
        return -1;
    if (t->bounds->delta_upper == 0 || is_above(square, 0, t->bounds->delta_upper, dim))
        return 1;
    return is_below(square, 0, t->bounds->delta_lower, dim) ? -1 : 0;
}

/* Compares one pair with delta. */
static void judge_pair(const trial *t, const spot *a, const spot *b, double square)
{
    double radii = add_radii(t->o->radius[a->at], t->o->radius[b->at]);
    size_t dim = t->o->shape->dim;
    int order;

    if (is_above(square, radii, t->bounds->delta_upper, dim) || !is_required(t->o, a, b))
        return;
    order = compare_integers(t, a, b);
    if (order > 0 || (order == 0 && is_apart(t->o, a, b, t->bounds->delta_upper)))
        return;
    if (order < 0 || is_below(square, radii, t->bounds->delta_lower, dim) ||
        is_equal(t->o, a, b))
        refute(t, ATTEST_CLAIM_SEPARATION, a, b);
    else
        leave_open(t, ATTEST_CLAIM_SEPARATION);
}

/* s[lane] = the computed square of the distance of position i and position first + lane,
 * infinity where first + lane <= i. Centres may be anything. */
static void get_squares(double s[ATTEST_DOUBLE_LANES], const attest_filter_outputs *o, size_t i,
                        size_t first, const double *packed)
{
    enum { LANES = ATTEST_DOUBLE_LANES };
    size_t dim = o->shape->dim;
    const double *x = o->centre + i * dim, *block = packed + first * dim;

    for (int lane = 0; lane < LANES; lane++)
        s[lane] = 0;
    for (size_t c = 0; c < dim; c++, block += LANES)
        for (int lane = 0; lane < LANES; lane++)
            s[lane] += (x[c] - block[lane]) * (x[c] - block[lane]);
    if (first <= i || first + LANES > o->positions)
        for (size_t lane = 0; lane < LANES; lane++)
            s[lane] = first + lane > i && first + lane < o->positions ? s[lane] : INFINITY;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* The least of them; NaNs, which come with an infinite limit, may be lost. */
static double least(const double s[ATTEST_DOUBLE_LANES])
{
    double m[4];

    for (int lane = 0; lane < 4; lane++)
        m[lane] = smaller(s[lane], s[lane + 4]);
    return smaller(smaller(m[0], m[1]), smaller(m[2], m[3]));
}

/* All pairs in lexicographic order, up to the first that refutes. Pairs whose square exceeds
 * the limit are proved apart. Mostly that holds for all pairs, and whether they are required
 * is not determined. */
static void judge_pairs(const trial *t, double limit, const double *packed)
{
    enum { LANES = ATTEST_DOUBLE_LANES };
    double s[LANES];

    for (size_t i = 0; i + 1 < t->o->positions; i++) {
        for (size_t first = i / LANES * LANES; first < t->o->positions; first += LANES) {
            get_squares(s, t->o, i, first, packed);
            if (least(s) > limit)
                continue;
            for (size_t lane = 0; lane < LANES; lane++)
                if (!(s[lane] > limit) && first + lane > i && first + lane < t->o->positions) {
                    spot a = spot_of(t->o, i), b = spot_of(t->o, first + lane);
                    judge_pair(t, &a, &b, s[lane]);
                    if (t->answer->verdict == ATTEST_REFUTED)
                        return;
                }
        }
    }
}

static void judge_norms(const trial *t)
{
    size_t dim = t->o->shape->dim;

    for (size_t at = 0; at < t->o->positions; at++) {
        double square = square_of(t->o, at), radius = t->o->radius[at];
        if (is_below(square, radius, t->bounds->r_lower, dim))
            continue;
        if (is_above(square, radius, t->bounds->r_upper, dim)) {
            spot a = spot_of(t->o, at);
            refute(t, ATTEST_CLAIM_NORM, &a, &a);
            return;
        }
        leave_open(t, ATTEST_CLAIM_NORM);
    }
}

static bool has_finite_tokens(const attest_filter_outputs *o)
{
    for (size_t e = 0; e < o->positions * o->shape->dim; e++)
        if (!isfinite(o->instance->token[e]))
            return false;
    return true;
}

/* Hardmax scores that tie, or nearly: finds the winner if all numbers are small integers. */
static void settle_ties(attest_filter_outputs *o)
{
    for (size_t at = 0; at < o->positions; at++)
        if (!(o->radius[at] < INFINITY) && o->shape->activation == ATTEST_HARDMAX)
            o->tied[at] = attest_filter_integers_get(o->centre + at * o->shape->dim,
                                                     &o->radius[at], o->integers, at);
}

void attest_filter_judge(attest_filter_answer *answer, attest_filter_outputs *outputs,
                         const attest_filter_bounds *bounds, double *packed)
{
    trial t = {outputs, bounds, answer};
    size_t dim = outputs->shape->dim;
    double radius = 0;

    *answer = (attest_filter_answer){.verdict = ATTEST_PROVED};
    attest_filter_integers_begin(outputs->integers, outputs->shape, outputs->instance,
                                 outputs->positions);
    settle_ties(outputs);
    for (size_t i = 0; i < outputs->positions; i++)
        if (!(outputs->radius[i] <= radius)) /* a NaN counts as infinite */
            radius = outputs->radius[i] < INFINITY ? outputs->radius[i] : INFINITY;
    if (!(radius < INFINITY) && !has_finite_tokens(outputs)) {
        leave_open(&t, ATTEST_CLAIM_SEPARATION);
        return;
    }
    attest_double_layer_pack(packed, outputs->centre, dim, outputs->positions);
    /* With this limit s > limit implies is_above(s, radii, delta) for every pair. */
    judge_pairs(&t, get_limit(add_radii(radius, radius), bounds->delta_upper, dim), packed);
    if (bounds->has_r && answer->verdict != ATTEST_REFUTED)
        judge_norms(&t);
}
