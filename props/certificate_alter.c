/* certificate_alter.c -- what may be wrong with a certificate, one thing at a time. */
#include "number/scope.h"
#include "props/certificate.h"
#include "props/roots.h"

enum { BITS = 320 };

/* The place of this number, counted through all sequences and around. */
static attest_place get_place(const attest_dataset *dataset, size_t number)
{
    attest_place place = {0, 0};

    for (number %= dataset->total; number > 0; number--)
        (void)attest_oracle_next(&place, dataset);
    return place;
}

/* Another pair of the kind that is wanted, counted from `choice` on; false: there is none. */
static bool find_pair(attest_place pair[2], const attest_truth *truth, size_t choice,
                      bool required)
{
    const attest_dataset *d = truth->oracle.dataset;

    for (size_t i = 0; i < d->total * d->total; i++) {
        size_t number = (choice + i) % (d->total * d->total);
        attest_place a = get_place(d, number / d->total), b = get_place(d, number % d->total);
        if (number / d->total >= number % d->total ||
            attest_oracle_required(&truth->oracle, a, b) != required)
            continue;
        pair[0] = a, pair[1] = b;
        return true;
    }
    return false;
}

/* ball = an enclosure of the root of the square, wider than that of the square by 2^-100. */
static void set_root(arb_t ball, const arb_t square)
{
    MAG(more);

    arb_sqrtpos(ball, square, BITS);
    arb_get_mag(more, ball);
    mag_mul_2exp_si(more, more, -100);
    mag_add(arb_radref(ball), arb_radref(ball), more);
}

static void set_separation(attest_certificate *c, const attest_truth *truth)
{
    ARB(square);

    attest_truth_square(square, truth, c->pair[0], c->pair[1]);
    set_root(c->min_separation, square);
}

static void set_norm(attest_certificate *c, const attest_truth *truth)
{
    ARB(square);

    attest_truth_square(square, truth, c->largest, c->largest);
    set_root(c->max_norm, square);
}

/* x = a rational just below or above the root, not below 0. */
static void set_beside(fmpq_t x, const attest_truth *truth, const arb_t square, bool above)
{
    FMPQ(low, high);

    attest_root_bounds_ball(low, high, square, truth->exact);
    fmpq_set(x, above ? high : low);
    if (fmpq_sgn(x) < 0)
        fmpq_zero(x);
}

/* x = the least separation itself; false where it is not known to be rational. */
static bool set_met(fmpq_t x, const attest_truth *truth)
{
    bool rational;

    if (!truth->exact)
        return false;
    FMPQ(low, root, high);
    rational = attest_root_bounds(low, root, high, truth->brute.exact_separation);
    if (rational)
        fmpq_set(x, root);
    return rational;
}

/* ball = its middle times (1 + 2^-20) or (1 - 2^-20), and no radius. */
static void move(arb_t ball, bool up)
{
    ARF(step);

    arf_mul_2exp_si(step, arb_midref(ball), -20);
    if (up)
        arf_add(arb_midref(ball), arb_midref(ball), step, BITS, ARF_RND_UP);
    else
        arf_sub(arb_midref(ball), arb_midref(ball), step, BITS, ARF_RND_DOWN);
    mag_zero(arb_radref(ball));
}

/* ball = from a quarter of it to more than twice as much. */
static void widen(arb_t ball)
{
    MAG(radius);

    arb_get_mag(radius, ball);
    arb_mul_ui(ball, ball, 5, BITS);
    arb_mul_2exp_si(ball, ball, -2);
    mag_add(arb_radref(ball), arb_radref(ball), radius);
}

static attest_verdict other(attest_verdict verdict)
{
    return verdict == ATTEST_PROVED ? ATTEST_REFUTED : ATTEST_PROVED;
}

/* ----- the pair and its separation ----- */

static const char *alter_pair(attest_certificate *c, size_t which, size_t choice,
                              const attest_truth *truth)
{
    const attest_brute *brute = &truth->brute;

    if (!c->has_pair)
        return NULL;
    switch (which) {
    case 2:
        c->verdict = ATTEST_PROVED;
        if (choice % 2 && set_met(c->delta, truth))
            return "proved for a delta that is met";
        set_beside(c->delta, truth, brute->separation, true);
        return "proved for a delta just above the separation";
    case 3:
        set_beside(c->delta, truth, brute->separation, false);
        c->verdict = ATTEST_REFUTED;
        return "refuted for a delta just below the separation";
    case 4: /* delta lies between the lower end and twice the separation */
        widen(c->min_separation);
        arf_get_fmpq(c->delta, arb_midref(c->min_separation));
        c->verdict = ATTEST_PROVED;
        return "proved for a delta inside a wide enclosure";
    case 5:
        return find_pair(c->pair, truth, choice, true) ? "another required pair" : NULL;
    case 6:
        if (!find_pair(c->pair, truth, choice, true))
            return NULL;
        set_separation(c, truth);
        return "another required pair and its separation";
    case 7:
        return find_pair(c->pair, truth, choice, false) ? "a pair that is not required" : NULL;
    case 8:
        c->has_pair = false;
        return "no pair";
    case 9:
        move(c->min_separation, true);
        return "a larger separation";
    case 10:
        move(c->min_separation, false);
        return "a smaller separation";
    default:
        widen(c->min_separation);
        return "a wide separation";
    }
}

/* ----- norms ----- */

static const char *alter_norm(attest_certificate *c, size_t which, size_t choice,
                              const attest_truth *truth)
{
    const attest_dataset *d = truth->oracle.dataset;

    switch (which) {
    case 12:
        c->largest = get_place(d, choice);
        return "another largest output";
    case 13:
        c->largest = get_place(d, choice);
        set_norm(c, truth);
        return "another largest output and its norm";
    case 14:
        set_beside(c->r, truth, truth->brute.norm, false);
        c->has_r = true;
        c->verdict = ATTEST_PROVED;
        return "proved for an r just below the largest norm";
    case 15:
        set_beside(c->r, truth, truth->brute.norm, true);
        c->has_r = true;
        c->verdict = ATTEST_PROVED;
        return "proved for an r just above the largest norm";
    case 16:
        move(c->max_norm, choice % 2);
        return "another largest norm";
    default:
        widen(c->max_norm);
        return "a wide largest norm";
    }
}

const char *attest_props_certificate_alter(attest_certificate *c, size_t which, size_t choice,
                                           const attest_truth *truth)
{
    if (which == 0)
        return "as certified";
    if (which == 1) {
        c->verdict = other(c->verdict);
        return "the other verdict";
    }
    if (which == ATTEST_ALTERATIONS - 1) {
        c->largest = (attest_place){truth->oracle.dataset->count, 0};
        return "a largest output outside the dataset";
    }
    return which <= 11 ? alter_pair(c, which, choice, truth)
                       : alter_norm(c, which, choice, truth);
}
