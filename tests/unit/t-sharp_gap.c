/* The sharp gap: thresholds against closed forms and their equation in rationals; the order of
 * all sets on a lattice of quarter steps, just above g_n; collisions just below. */
#include <string.h>

#include "tests/tap.h"
#include "theory/boltzmann_difference.h"
#include "theory/lemma_f.h"
#include "theory/sharp_gap.h"

enum { STEPS = 4, DEEPEST = 6 * STEPS, MOST = 5, MOST_SETS = 4096, SCALE = 1000000 };

/* Depths in quarters of the gap, ascending, the first one 0. */
typedef struct set {
    size_t count;
    long depth[MOST];
} set;

static set all[MOST_SETS];
static size_t sets;

static void enumerate(const set *prefix, size_t most)
{
    if (sets == MOST_SETS)
        abort();
    all[sets++] = *prefix;
    if (prefix->count == most)
        return;
    for (long s = prefix->depth[prefix->count - 1] + STEPS; s <= DEEPEST; s++) {
        set longer = *prefix;

        longer.depth[longer.count++] = s;
        enumerate(&longer, most);
    }
}

/* Whether the values of both together are a whole gap apart. */
static bool spread(const set *a, const set *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            long distance = labs(a->depth[i] - b->depth[j]);

            if (distance > 0 && distance < STEPS)
                return false;
        }
    return true;
}

/* The sign of boltz(a) - boltz(b) at the gap g/SCALE. */
static int sign_of(const set *a, const set *b, long g)
{
    fmpz *x = _fmpz_vec_init(2 * MOST);
    attest_multiset left = {a->count, x, NULL}, right = {b->count, x + MOST, NULL};
    attest_boltz_difference difference;
    fmpz_t over;
    int sign;

    for (size_t i = 0; i < a->count; i++)
        fmpz_set_si(x + i, -a->depth[i] * g);
    for (size_t i = 0; i < b->count; i++)
        fmpz_set_si(x + MOST + i, -b->depth[i] * g);
    fmpz_init_set_si(over, (long)SCALE * STEPS);
    attest_boltz_difference_init(&difference);
    if (attest_boltz_difference_bound(&difference, &left, &right, over, 16, 0, NULL) !=
        ATTEST_OK)
        abort();
    sign = difference.sign;
    attest_boltz_difference_clear(&difference);
    fmpz_clear(over);
    _fmpz_vec_clear(x, 2 * MOST);
    return sign;
}

/* Who owns the first difference has the smaller value. */
static int expected(const set *a, const set *b)
{
    for (size_t i = 0; i < a->count || i < b->count; i++) {
        if (i == a->count)
            return 1;
        if (i == b->count)
            return -1;
        if (a->depth[i] != b->depth[i])
            return a->depth[i] < b->depth[i] ? -1 : 1;
    }
    return 0;
}

static long in_millionths(const arb_t g)
{
    arb_t x;
    fmpz_t floor;
    long result;

    arb_init(x);
    fmpz_init(floor);
    arb_mul_ui(x, g, SCALE, 128);
    arb_floor(x, x, 128);
    if (!arb_get_unique_fmpz(floor, x))
        abort();
    result = fmpz_get_si(floor);
    fmpz_clear(floor);
    arb_clear(x);
    return result;
}

static void check_size(size_t n)
{
    set start = {.count = 1}, owner = {2, {0, STEPS}}, tail = {.count = n};
    size_t wrong = 0, pairs = 0;
    long below;
    arb_t g;

    arb_init(g);
    attest_sharp_gap_threshold(g, n, 64);
    below = in_millionths(g);
    arb_clear(g);
    for (size_t k = 1; k < n; k++)
        tail.depth[k] = (long)(k + 1) * STEPS;
    TAP_OK(sign_of(&owner, &tail, below) == 1 && sign_of(&owner, &tail, below + 1) == -1,
           "n = %zu: the order turns at %ld.%06ld", n, below / SCALE, below % SCALE);
    sets = 0;
    enumerate(&start, n);
    for (size_t i = 0; i < sets; i++)
        for (size_t j = 0; j < i; j++)
            if (spread(&all[i], &all[j])) {
                pairs++;
                wrong += sign_of(&all[i], &all[j], below + 1) != expected(&all[i], &all[j]);
            }
    TAP_OK(wrong == 0, "n = %zu: %zu pairs of sets just above are in order (%zu are not)", n,
           pairs, wrong);
}

/* 1 - r - (1 + q) d changes its sign between q = (k - 1)/10^12 and (k + 1)/10^12, exactly. */
static bool solves(size_t n, const arb_t g)
{
    fmpq_t q, power, r, d, term;
    int sign[2];
    arb_t x;
    fmpz_t k;

    fmpq_init(q), fmpq_init(power), fmpq_init(r), fmpq_init(d), fmpq_init(term);
    arb_init(x);
    fmpz_init(k);
    arb_neg(x, g);
    arb_exp(x, x, 128);
    arb_mul_ui(x, x, 1000000000000, 128);
    arf_get_fmpz(k, arb_midref(x), ARF_RND_NEAR);
    for (int side = 0; side < 2; side++) {
        fmpz_add_si(fmpq_numref(q), k, side ? 1 : -1);
        fmpz_set_ui(fmpq_denref(q), 1000000000000);
        fmpq_canonicalise(q);
        fmpq_one(power), fmpq_zero(r), fmpq_zero(d);
        for (size_t i = 1; i < n; i++) {
            fmpq_mul(power, power, q);
            fmpq_add(r, r, power);
            fmpq_mul_ui(term, power, i);
            fmpq_add(d, d, term);
        }
        fmpq_add_si(term, q, 1);
        fmpq_mul(term, term, d);
        fmpq_add(term, term, r);
        sign[side] = fmpq_cmp_si(term, 1);
    }
    fmpq_clear(q), fmpq_clear(power), fmpq_clear(r), fmpq_clear(d), fmpq_clear(term);
    arb_clear(x);
    fmpz_clear(k);
    return sign[0] < 0 && sign[1] > 0;
}

static void check_thresholds(void)
{
    arb_t g, closed;
    bool ok = true;

    arb_init(g);
    arb_init(closed);
    for (size_t n = 2; n <= 20; n++) {
        attest_sharp_gap_threshold(g, n, 200);
        ok = ok && arb_rel_accuracy_bits(g) >= 195 && solves(n, g);
    }
    TAP_OK(ok, "g_2 to g_20 solve their equation");
    attest_sharp_gap_threshold(g, 2, 200);
    arb_sqrt_ui(closed, 2, 256);
    arb_add_ui(closed, closed, 1, 256);
    arb_log(closed, closed, 256);
    TAP_OK(arb_overlaps(g, closed), "g_2 = log(1 + sqrt 2)");
    attest_sharp_gap_threshold(g, 0, 200);
    arb_set_ui(closed, 2);
    arb_acosh(closed, closed, 256);
    TAP_OK(arb_overlaps(g, closed), "the limit is arcosh 2");
    attest_sharp_gap_threshold(closed, 40, 200);
    TAP_OK(arb_lt(closed, g), "g_40 is below it");
    arb_clear(g);
    arb_clear(closed);
}

static bool reaches(long numerator, ulong denominator)
{
    fmpq_t gap;
    bool yes;

    fmpq_init(gap);
    fmpq_set_si(gap, numerator, denominator);
    yes = attest_sharp_gap_check(gap);
    fmpq_clear(gap);
    return yes;
}

static attest_status bound(arb_t value, double g, double t)
{
    attest_status status;
    attest_error error;
    arb_t gap, depth, log2;

    arb_init(gap), arb_init(depth), arb_init(log2);
    arb_set_d(gap, g), arb_set_d(depth, t);
    status = attest_sharp_gap_bound(value, log2, gap, false, depth, 128, &error);
    arb_clear(gap), arb_clear(depth), arb_clear(log2);
    return status;
}

static void check_bound(void)
{
    arb_t value, other;
    bool ok = true;

    arb_init(value);
    arb_init(other);
    TAP_OK(reaches(1316957897, 1000000000) && !reaches(1316957896, 1000000000) &&
               !reaches(-1, 1) && !reaches(0, 1),
           "rationals on both sides of the limit");
    TAP_OK(bound(value, 1.3169578, 3) == ATTEST_DOMAIN && bound(value, 2, 1) == ATTEST_DOMAIN,
           "no bound below the limit, nor for t < g");
    /* e^{-t} [(t - m)(1 - 2q) - mu] at g = 2, with m = g q/(1+q) at t = 3 and nu at t = 5. */
    ok = bound(value, 2, 3) == ATTEST_OK;
    arb_set_str(other, "0.08469162 +/- 1e-7", 64);
    ok = ok && arb_overlaps(value, other);
    ok = ok && bound(value, 2, 5) == ATTEST_OK;
    arb_set_str(other, "0.02068261 +/- 1e-7", 64);
    TAP_OK(ok && arb_overlaps(value, other), "values of the bound");
    ok = bound(value, 1.4, 6) == ATTEST_OK && bound(other, 1.5, 6) == ATTEST_OK;
    TAP_OK(ok && arb_lt(value, other), "a smaller gap gives a smaller bound");
    arb_clear(value);
    arb_clear(other);
}

int main(void)
{
    check_thresholds();
    check_bound();
    for (size_t n = 2; n <= MOST; n++)
        check_size(n);
    flint_cleanup();
    return tap_done();
}
