/* check.c -- is what a certificate says true? */
#include <attest/check.h>

#include "recheck/recheck.h"

#include "base/memory.h"
#include "base/progress.h"
#include "recheck/input.h"
#include "recheck/lemma.h"

/* One verification. */
typedef struct verification {
    const attest_certificate *certificate;
    const attest_check_options *options;
    attest_recheck check;
    attest_recheck_lemma lemma;
    bool has_lemma, has_sketch;
    long max_bits;     /* of the options */
    arf_t least, most; /* the ends of min_separation, */
    fmpq_t delta, r;   /* and the bounds, for the weights: without their slack */
    bool holds, open;  /* open: a comparison could not be decided */
    attest_error *error;
} verification;

#define SAYS_TOO_MUCH(v, ...)                                                                  \
    ((v)->holds = false, (void)attest_error_set((v)->error, ATTEST_DOMAIN, __VA_ARGS__))

/* Where midpoint and radius are this many bits apart, their sum is not formed. */
enum { MOST_APART_BITS = 26 };

/* Whether the exact ends of the ball can be formed: a few characters must not become gigabytes.
 */
static bool has_ends(const arb_t ball)
{
    arf_t radius;
    bool has;
    fmpz_t apart;

    if (arf_is_zero(arb_midref(ball)) || mag_is_zero(arb_radref(ball)))
        return true;
    arf_init(radius);
    fmpz_init(apart);
    arf_set_mag(radius, arb_radref(ball));
    fmpz_sub(apart, ARF_EXPREF(arb_midref(ball)), ARF_EXPREF(radius));
    has = fmpz_bits(apart) <= MOST_APART_BITS;
    arf_clear(radius);
    fmpz_clear(apart);
    return has;
}

/* low and high = the exact ends of the ball. */
static void get_ends(arf_t low, arf_t high, const arb_t ball)
{
    arf_t radius;

    arf_init(radius);
    arf_set_mag(radius, arb_radref(ball));
    arf_sub(low, arb_midref(ball), radius, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(high, arb_midref(ball), radius, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_clear(radius);
}

/* Outputs of the layer that is meant lie within the slack of the weights of those evaluated
 * here: what is said of it must hold of these with so much less room. */
static void narrow(arf_t low, arf_t high, const verification *v, ulong count)
{
    const fmpq *slack = v->check.weights->slack;
    arf_t room;

    if (fmpq_is_zero(slack))
        return;
    arf_init(room);
    arf_set_fmpq(room, slack, 64, ARF_RND_CEIL);
    arf_mul_ui(room, room, count, ARF_PREC_EXACT, ARF_RND_CEIL);
    if (arf_sgn(low) >= 0) /* below 0 nothing is said */
        arf_add(low, low, room, ARF_PREC_EXACT, ARF_RND_UP);
    arf_sub(high, high, room, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_clear(room);
}

/* delta and r as the weights must meet them, to prove or to refute. */
static void set_bounds(verification *v)
{
    const attest_certificate *c = v->certificate;
    const fmpq *slack = v->check.weights->slack;

    fmpq_set(v->delta, c->delta);
    fmpq_set(v->r, c->r);
    if (fmpq_is_zero(slack))
        return;
    if (c->verdict == ATTEST_REFUTED) {
        fmpq_sub(v->delta, v->delta, slack);
        fmpq_sub(v->delta, v->delta, slack);
        fmpq_add(v->r, v->r, slack);
    } else {
        fmpq_add(v->delta, v->delta, slack);
        fmpq_add(v->delta, v->delta, slack);
        fmpq_sub(v->r, v->r, slack);
    }
}

/* Requires that |F_a - F_b| (|F_a| for b = a) lies between low and high. */
static void require_inside(verification *v, size_t a, size_t b, const arf_t low,
                           const arf_t high, const char *what)
{
    int above =
        arf_sgn(low) <= 0 ? 1 : attest_recheck_compare_end(&v->check, a, b, low, v->max_bits);
    int below =
        arf_sgn(high) < 0 ? 1 : attest_recheck_compare_end(&v->check, a, b, high, v->max_bits);

    v->open = v->open || above == 2 || below == 2;
    if (above == -1)
        SAYS_TOO_MUCH(v, "%s is smaller than certified", what);
    if (below == 1)
        SAYS_TOO_MUCH(v, "%s is larger than certified", what);
}

static void says_too_much_of_pair(verification *v, size_t a, size_t b, const char *what)
{
    attest_place x = attest_place_get(v->check.dataset, a);
    attest_place y = attest_place_get(v->check.dataset, b);

    SAYS_TOO_MUCH(v, "the outputs at [%zu,%zu] and [%zu,%zu] are %s", x.sequence, x.position,
                  y.sequence, y.position, what);
}

/* A near pair: its separation must not be below the enclosure, and above delta if proved. */
static bool visit_pair(void *state, size_t a, size_t b)
{
    verification *v = state;
    int order = arf_sgn(v->least) <= 0
                    ? 1
                    : attest_recheck_compare_end(&v->check, a, b, v->least, v->max_bits);

    v->open = v->open || order == 2;
    if (order == -1)
        says_too_much_of_pair(v, a, b, "closer than certified");
    if (v->holds && v->certificate->verdict == ATTEST_PROVED) {
        order = attest_recheck_compare(&v->check, a, b, v->delta, v->max_bits);
        v->open = v->open || order == 2;
        if (order == -1 || order == 0)
            says_too_much_of_pair(v, a, b, "not more than delta apart");
    }
    return v->holds;
}

/* The number of a place through all sequences; false when there is none. */
static bool locate(size_t *position, const attest_dataset *dataset, attest_place place)
{
    if (place.sequence >= dataset->count ||
        place.position >= attest_dataset_length(dataset, place.sequence))
        return false;
    *position = dataset->start[place.sequence] + place.position;
    return true;
}

/* No required pair at all: all positions are of one class. */
static bool one_class(const attest_recheck *check)
{
    for (size_t p = 1; p < check->positions; p++)
        if (check->group[p] != check->group[0])
            return false;
    return true;
}

/* All outputs in doubles, once they are needed. */
static attest_status need_sketch(verification *v)
{
    attest_status status =
        v->has_sketch ? ATTEST_OK : attest_recheck_make_sketch(&v->check, v->error);

    v->has_sketch = true;
    return status;
}

/* Looks at every required pair that may be as near as the lower end of min_separation or, where
 * that is claimed to be too near, delta. */
static attest_status check_near(verification *v)
{
    const attest_certificate *c = v->certificate;
    attest_status status = ATTEST_OK;
    bool covers = false;
    arb_t delta;
    arf_t reach;

    arb_init(delta);
    arf_init(reach);
    arb_set_fmpq(delta, v->delta, 128);
    if (c->verdict == ATTEST_PROVED)
        arb_get_ubound_arf(reach, delta, 128);
    if (arf_cmp(v->least, reach) > 0)
        arf_set(reach, v->least);
    if (v->has_lemma)
        status =
            attest_recheck_lemma_visit_near(&covers, &v->lemma, reach, visit_pair, v, v->error);
    if (status == ATTEST_OK && !covers)
        status = need_sketch(v);
    if (status == ATTEST_OK && !covers)
        status = attest_recheck_visit_near(&v->check, reach, visit_pair, v, v->error);
    arb_clear(delta);
    arf_clear(reach);
    return status;
}

static attest_status check_separation(verification *v)
{
    const attest_certificate *c = v->certificate;
    size_t a, b;

    if (!c->has_pair) {
        if (c->verdict != ATTEST_UNDECIDED && !one_class(&v->check))
            SAYS_TOO_MUCH(v, "there are required pairs, but no pair is named");
        return ATTEST_OK;
    }
    if (!locate(&a, v->check.dataset, c->pair[0]) ||
        !locate(&b, v->check.dataset, c->pair[1]) || v->check.group[a] == v->check.group[b]) {
        SAYS_TOO_MUCH(v, "the pair is not a required pair of the dataset");
        return ATTEST_OK;
    }
    require_inside(v, a, b, v->least, v->most, "the separation of the pair");
    return v->holds ? check_near(v) : ATTEST_OK;
}

/* What the certificate says of the order of Lemma F. */
static attest_status check_witness(verification *v)
{
    const char *what = "the witness is of a lemma that does not apply";
    attest_status status = ATTEST_OK;

    if (!v->certificate->witness.present)
        return ATTEST_OK;
    if (v->has_lemma)
        status =
            attest_recheck_lemma_witness(&what, &v->lemma, &v->certificate->witness, v->error);
    if (status == ATTEST_OK && what)
        SAYS_TOO_MUCH(v, "%s", what);
    return status;
}

/* Norms up to these can be passed over: in units of the sketch, or as they are with the lemma.
 */
typedef struct norm_limits {
    double high, r;
} norm_limits;

static double limit_below(const verification *v, const arf_t x)
{
    return v->has_sketch ? attest_recheck_scale(&v->check, x, -1) : arf_get_d(x, ARF_RND_FLOOR);
}

static bool may_reach(const verification *v, size_t p, double limit)
{
    return v->has_sketch ? attest_recheck_may_reach(&v->check, p, limit)
                         : !(attest_recheck_lemma_norm(&v->lemma, p) < limit);
}

/* The largest norm lies in max_norm: none is above, and one is inside. Under "proved", all are
 * below r. */
static void check_norms(verification *v)
{
    const attest_certificate *c = v->certificate;
    bool below_r = c->has_r && c->verdict == ATTEST_PROVED;
    arf_t low, high, r;
    norm_limits limit;
    size_t at = 0;

    arf_init(low), arf_init(high), arf_init(r);
    get_ends(low, high, c->max_norm);
    narrow(low, high, v, 1);
    arf_set_fmpq(r, v->r, 64, ARF_RND_FLOOR);
    limit.high = limit_below(v, high);
    limit.r = limit_below(v, r);
    if (!locate(&at, v->check.dataset, c->largest))
        SAYS_TOO_MUCH(v, "max_norm_at is not in the dataset");
    else
        require_inside(v, at, at, low, high, "the largest norm");
    attest_progress_report(&v->check.progress, "norms", 0, v->check.positions, NULL);
    for (size_t p = 0; p < v->check.positions && v->holds; p++) {
        int order = -1;
        attest_progress_report(&v->check.progress, "norms", p, v->check.positions, NULL);
        if (may_reach(v, p, limit.high))
            order = attest_recheck_compare_end(&v->check, p, p, high, v->max_bits);
        v->open = v->open || order == 2;
        if (order == 1)
            SAYS_TOO_MUCH(v, "the output at position %zu is larger than certified", p);
        if (!v->holds || !below_r || !may_reach(v, p, limit.r))
            continue;
        order =
            fmpq_sgn(v->r) < 0 ? 1 : attest_recheck_compare(&v->check, p, p, v->r, v->max_bits);
        v->open = v->open || order == 2;
        if (order == 0 || order == 1)
            SAYS_TOO_MUCH(v, "the output at position %zu is not below r", p);
    }
    attest_progress_end(&v->check.progress);
    arf_clear(low), arf_clear(high), arf_clear(r);
}

/* Under "refuted", the pair or the largest output violates its bound. */
static void check_refutation(verification *v)
{
    const attest_certificate *c = v->certificate;
    size_t a = 0, b = 0;
    int pair = 1, norm = -1;

    if (c->has_pair && locate(&a, v->check.dataset, c->pair[0]) &&
        locate(&b, v->check.dataset, c->pair[1]))
        pair = fmpq_sgn(v->delta) < 0
                   ? 1
                   : attest_recheck_compare(&v->check, a, b, v->delta, v->max_bits);
    if (pair == -1 || pair == 0)
        return;
    if (c->has_r && locate(&a, v->check.dataset, c->largest))
        norm = attest_recheck_compare(&v->check, a, a, v->r, v->max_bits);
    if (norm == 0 || norm == 1)
        return;
    if (pair == 2 || norm == 2)
        v->open = true;
    else
        SAYS_TOO_MUCH(v, "neither the pair nor the largest output refutes the claim");
}

static attest_status verify(verification *v, const attest_dataset *dataset,
                            const attest_weights *weights)
{
    attest_status status = attest_recheck_init(&v->check, dataset, weights, v->error);

    if (status != ATTEST_OK)
        return status;
    v->check.max_terms = v->options->max_terms;
    v->check.work_left = v->options->max_work;
    v->check.progress = v->options->progress;
    v->check.jobs = v->options->jobs;
    arf_init(v->least);
    arf_init(v->most);
    fmpq_init(v->delta);
    fmpq_init(v->r);
    if (v->certificate->has_pair)
        get_ends(v->least, v->most, v->certificate->min_separation);
    narrow(v->least, v->most, v, 2);
    set_bounds(v);
    v->has_lemma = !dataset->meant && attest_recheck_lemma_init(&v->lemma, &v->check);
    status = v->lemma.starved ? attest_memory_fail(v->error) : check_separation(v);
    if (status == ATTEST_OK && v->holds)
        status = check_witness(v);
    if (status == ATTEST_OK && v->holds && !v->has_lemma)
        status = need_sketch(v);
    if (status == ATTEST_OK && v->holds && arb_is_finite(v->certificate->max_norm))
        check_norms(v);
    if (status == ATTEST_OK && v->holds && v->certificate->verdict == ATTEST_REFUTED)
        check_refutation(v);
    if (status == ATTEST_OK && v->holds && v->certificate->untrue)
        SAYS_TOO_MUCH(v, "%s", v->certificate->untrue);
    arf_clear(v->least);
    arf_clear(v->most);
    fmpq_clear(v->delta);
    fmpq_clear(v->r);
    if (v->has_lemma)
        attest_recheck_lemma_clear(&v->lemma);
    attest_recheck_clear(&v->check);
    if (status == ATTEST_OK && v->holds && v->open && v->check.met_work)
        return attest_error_set(
            v->error, ATTEST_UNABLE,
            "a comparison stays open, and the work that is allowed does not suffice");
    if (status == ATTEST_OK && v->holds && v->open && v->check.met_terms)
        return attest_error_set(v->error, ATTEST_UNABLE,
                                "a comparison stays open, and %zu terms do not suffice",
                                v->options->max_terms);
    if (status == ATTEST_OK && v->holds && v->open)
        return attest_error_set(v->error, ATTEST_UNABLE,
                                "a comparison stays open, and %ld bits do not suffice",
                                v->max_bits);
    if (status == ATTEST_OK && v->holds && v->certificate->verdict == ATTEST_UNDECIDED)
        return attest_error_set(v->error, ATTEST_UNABLE, "as it says");
    return status;
}

/* What no file can hold, but a caller's certificate can. */
static bool is_malformed(const attest_certificate *c)
{
    return fmpq_sgn(c->delta) < 0 || (c->has_r && fmpq_sgn(c->r) < 0) ||
           (c->has_pair &&
            (!arb_is_finite(c->min_separation) || !has_ends(c->min_separation))) ||
           (c->verdict != ATTEST_UNDECIDED && !arb_is_finite(c->max_norm)) ||
           (arb_is_finite(c->max_norm) && !has_ends(c->max_norm));
}

void attest_check_options_init(attest_check_options *options)
{
    *options = (attest_check_options){.max_bits = ATTEST_CERTIFY_MAX_BITS,
                                      .max_terms = ATTEST_CERTIFY_MAX_TERMS,
                                      .max_work = ATTEST_CERTIFY_MAX_WORK};
}

attest_status attest_check_run(bool *holds, const attest_certificate *certificate,
                               const attest_check_options *options, attest_error *error)
{
    verification v = {.certificate = certificate,
                      .options = options,
                      .max_bits = options->max_bits,
                      .holds = true};
    attest_dataset dataset;
    attest_weights weights;
    attest_error unread;
    attest_status status;

    v.error = error ? error : &unread;
    *holds = false;
    if (is_malformed(certificate))
        return attest_error_set(v.error, ATTEST_DOMAIN,
                                "a certificate needs bounds >= 0 and finite figures");
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    status = attest_check_read(&dataset, &weights, &v.holds, certificate, options->folder,
                               options->budget, v.error);
    if (status == ATTEST_OK && v.holds)
        status = verify(&v, &dataset, &weights);
    *holds = v.holds;
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    return status;
}

attest_status attest_check_certificate(bool *holds, const attest_certificate *certificate,
                                       const char *folder, long max_bits, attest_budget *budget,
                                       attest_error *error)
{
    attest_check_options options;

    attest_check_options_init(&options);
    options.folder = folder;
    options.max_bits = max_bits;
    options.budget = budget;
    return attest_check_run(holds, certificate, &options, error);
}
