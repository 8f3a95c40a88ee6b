/* The sharp gap: the limit and the bound; the order of all sets of at most n elements on a
 * lattice of quarter steps, just above g_n; a collision between g_n and just below. */
#include <string.h>

#include "tests/tap.h"
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

/* Returns whether the values of both together are a whole gap apart. */
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

/* below = the largest number of millionths that is less than g_n. */
static void check_size(size_t n, long below)
{
    set start = {.count = 1}, owner = {2, {0, STEPS}}, tail = {.count = n};
    size_t wrong = 0, pairs = 0;

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

TEST(sharp_gap)
{
    check_bound();
    check_size(2, 881373);
    check_size(3, 1213496);
    check_size(4, 1287515);
    check_size(5, 1308113);
    flint_cleanup();
    return 0;
}
