/* truth.c -- whether a certificate is true, from the oracle's outputs alone. */
#include "props/truth.h"

#include "number/scope.h"

/* The square of a distance or of a norm: a rational, or a ball. */
typedef struct square {
    bool exact;
    fmpq_t rational;
    arb_t ball;
} square;

static void square_init(square *x)
{
    fmpq_init(x->rational);
    arb_init(x->ball);
    x->exact = false;
}

static void square_clear(square *x)
{
    fmpq_clear(x->rational);
    arb_clear(x->ball);
}

attest_status attest_truth_init(attest_truth *truth, const attest_dataset *dataset,
                                const attest_weights *weights)
{
    slong entries = (slong)(dataset->total * dataset->dim), at = 0;
    attest_place place = {0, 0};

    attest_brute_init(&truth->brute);
    truth->exact = NULL;
    truth->ball = NULL;
    ATTEST_TRY(attest_oracle_init(&truth->oracle, dataset, weights));
    ATTEST_TRY(attest_brute_get(&truth->brute, dataset, weights));
    if (weights->activation == ATTEST_HARDMAX)
        truth->exact = _fmpq_vec_init(entries);
    else
        truth->ball = _arb_vec_init(entries);
    do {
        if (truth->exact)
            attest_oracle_hardmax(truth->exact + at, &truth->oracle, place);
        else
            attest_oracle_softmax(truth->ball + at, &truth->oracle, place, ATTEST_BRUTE_BITS);
        at += (slong)dataset->dim;
    } while (attest_oracle_next(&place, dataset));
    return ATTEST_OK;
}

void attest_truth_clear(attest_truth *truth)
{
    slong entries = (slong)(truth->oracle.dataset->total * truth->oracle.dataset->dim);

    if (truth->exact)
        _fmpq_vec_clear(truth->exact, entries);
    if (truth->ball)
        _arb_vec_clear(truth->ball, entries);
    attest_oracle_clear(&truth->oracle);
    attest_brute_clear(&truth->brute);
}

static bool is_inside(const attest_dataset *dataset, attest_place place)
{
    return place.sequence < dataset->count &&
           place.position < attest_dataset_length(dataset, place.sequence);
}

/* x = |F_a - F_b|^2, or |F_a|^2 for b = a. */
static void measure(square *x, const attest_truth *truth, attest_place a, attest_place b)
{
    const attest_dataset *d = truth->oracle.dataset;
    slong at = (slong)((d->start[a.sequence] + a.position) * d->dim);
    slong to = (slong)((d->start[b.sequence] + b.position) * d->dim);
    bool norm = a.sequence == b.sequence && a.position == b.position;
    FMPQ(q, sum);
    ARB(z);

    arb_zero(x->ball);
    for (slong c = 0; c < (slong)d->dim; c++)
        if (truth->exact) {
            fmpq_set(q, truth->exact + at + c);
            if (!norm)
                fmpq_sub(q, q, truth->exact + to + c);
            fmpq_addmul(sum, q, q);
        } else {
            arb_set(z, truth->ball + at + c);
            if (!norm)
                arb_sub(z, z, truth->ball + to + c, ATTEST_BRUTE_BITS);
            arb_addmul(x->ball, z, z, ATTEST_BRUTE_BITS);
        }
    fmpq_swap(x->rational, sum);
    x->exact = truth->exact != NULL;
    if (!x->exact && !norm && arb_contains_zero(x->ball) &&
        attest_oracle_equal(&truth->oracle, a, b) == 1)
        x->exact = true; /* the rational is 0 */
}

void attest_truth_square(arb_t ball, const attest_truth *truth, attest_place a, attest_place b)
{
    ATTEST_SCOPED(square, x);

    measure(&x, truth, a, b);
    if (x.exact)
        arb_set_fmpq(ball, x.rational, ATTEST_BRUTE_BITS);
    else
        arb_set(ball, x.ball);
}

/* The root of x against a rational: -1, 0, 1; 2 if the ball does not decide it. */
static int compare(const square *x, const fmpq_t with)
{
    int order = 2;

    if (fmpq_sgn(with) < 0)
        return 1;
    FMPQ(bound);
    ARB(ball);
    fmpq_mul(bound, with, with);
    arb_set_fmpq(ball, bound, ATTEST_BRUTE_BITS);
    if (x->exact) {
        order = fmpq_cmp(x->rational, bound);
        order = (order > 0) - (order < 0);
    } else if (arb_gt(x->ball, ball))
        order = 1;
    else if (arb_lt(x->ball, ball))
        order = -1;
    return order;
}

typedef struct finding {
    bool wrong;   /* some part of the certificate is wrong */
    bool unknown; /* some part could not be decided */
} finding;

/* Demands order <= most, or order >= least. */
static void at_most(finding *f, int order, int most)
{
    f->unknown = f->unknown || order == 2;
    f->wrong = f->wrong || (order != 2 && order > most);
}

static void at_least(finding *f, int order, int least)
{
    f->unknown = f->unknown || order == 2;
    f->wrong = f->wrong || (order != 2 && order < least);
}

/* x = the end; if that is too small to be written, a number beyond it: 0 or 2^-2^20. */
static void get_end(fmpq_t x, const arf_t end, bool upper)
{
    if (arf_is_zero(end) || arf_cmpabs_2exp_si(end, -(1L << 20)) > 0) {
        arf_get_fmpq(x, end);
    } else {
        fmpq_set_si(x, upper == (arf_sgn(end) > 0) ? arf_sgn(end) : 0, 1);
        fmpq_div_2exp(x, x, 1L << 20);
    }
}

static void get_ends(fmpq_t low, fmpq_t high, const arb_t ball)
{
    ARF(end);

    arf_set_mag(end, arb_radref(ball));
    arf_sub(end, arb_midref(ball), end, ARF_PREC_EXACT, ARF_RND_DOWN);
    get_end(low, end, false);
    arf_set_mag(end, arb_radref(ball));
    arf_add(end, arb_midref(ball), end, ARF_PREC_EXACT, ARF_RND_DOWN);
    get_end(high, end, true);
}

/* The least separation and the largest norm. */
static void get_extremes(square *least, square *largest, const attest_brute *brute, bool exact)
{
    least->exact = exact || brute->collision;
    largest->exact = exact;
    fmpq_set(least->rational, brute->exact_separation);
    fmpq_set(largest->rational, brute->exact_norm);
    arb_set(least->ball, brute->separation);
    arb_set(largest->ball, brute->norm);
}

static void check_enclosures(finding *f, const attest_truth *truth, const attest_certificate *c,
                             const square *least, const square *largest, const square *pair,
                             const square *norm)
{
    FMPQ(low, high);

    if (c->has_pair) {
        get_ends(low, high, c->min_separation);
        at_least(f, compare(pair, low), 0);
        at_most(f, compare(pair, high), 0);
        at_least(f, compare(least, low), 0);
    } else
        f->wrong = f->wrong || truth->brute.required > 0;
    get_ends(low, high, c->max_norm);
    at_least(f, compare(norm, low), 0);
    at_most(f, compare(norm, high), 0);
    at_most(f, compare(largest, high), 0);
}

static void check_verdict(finding *f, const attest_truth *truth, const attest_certificate *c,
                          const square *least, const square *largest, const square *pair,
                          const square *norm)
{
    int apart = truth->brute.required ? compare(least, c->delta) : 1;
    int below = c->has_r ? compare(largest, c->r) : -1;
    bool pair_shows, norm_shows;

    if (c->verdict == ATTEST_PROVED) {
        at_least(f, apart, 1);
        at_most(f, below, -1);
        return;
    }
    if (apart == 1 && below == -1)
        f->wrong = true;
    pair_shows = c->has_pair && compare(pair, c->delta) <= 0;
    norm_shows = c->has_r && compare(norm, c->r) >= 0 && compare(norm, c->r) != 2;
    f->unknown = f->unknown || !(pair_shows || norm_shows);
}

attest_truth_answer attest_truth_check(const attest_truth *truth, const attest_certificate *c)
{
    const attest_dataset *d = truth->oracle.dataset;
    finding f = {0};
    ATTEST_SCOPED(square, least);
    ATTEST_SCOPED(square, largest);
    ATTEST_SCOPED(square, pair);
    ATTEST_SCOPED(square, norm);

    if (!is_inside(d, c->largest) ||
        (c->has_pair && (!is_inside(d, c->pair[0]) || !is_inside(d, c->pair[1]) ||
                         !attest_oracle_required(&truth->oracle, c->pair[0], c->pair[1]))))
        return ATTEST_TRUTH_FALSE;
    get_extremes(&least, &largest, &truth->brute, truth->exact != NULL);
    if (c->has_pair)
        measure(&pair, truth, c->pair[0], c->pair[1]);
    measure(&norm, truth, c->largest, c->largest);
    check_enclosures(&f, truth, c, &least, &largest, &pair, &norm);
    check_verdict(&f, truth, c, &least, &largest, &pair, &norm);
    if (f.wrong)
        return ATTEST_TRUTH_FALSE;
    return f.unknown ? ATTEST_TRUTH_UNKNOWN : ATTEST_TRUTH_TRUE;
}
