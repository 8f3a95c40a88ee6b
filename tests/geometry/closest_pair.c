/* Closest pairs: every pair at the least true distance is a candidate, in order, and the bound
 * holds. Points are small integers moved within their radii, so that the truth is known. */
#include <math.h>
#include <string.h>

#include "geometry/closest_pair.h"
#include "tests/tap.h"

enum { MOST = 700, MANY = 1500, AXES = 24 };

static int64_t point[MANY][AXES]; /* the true points */
static uint64_t state;

static size_t below(size_t n)
{
    return (size_t)(tap_random(&state) % n);
}

static int64_t square(size_t a, size_t b, size_t dim)
{
    int64_t s = 0;

    for (size_t c = 0; c < dim; c++)
        s += (point[a][c] - point[b][c]) * (point[a][c] - point[b][c]);
    return s;
}

/* Every point as doubles: exactly, or as a box of balls around a moved midpoint. */
static void load(attest_cloud *cloud, size_t dim, bool moved)
{
    double exact[AXES];
    arb_ptr ball = _arb_vec_init((slong)dim);

    for (size_t i = 0; i < cloud->count; i++) {
        for (size_t c = 0; c < dim; c++) {
            exact[c] = (double)point[i][c];
            arb_set_si(ball + c, point[i][c] * 1024 + (slong)below(7) - 3);
            arb_mul_2exp_si(ball + c, ball + c, -10);
            mag_set_ui_2exp_si(arb_radref(ball + c), 3, -10);
        }
        if (moved)
            attest_cloud_set_balls(cloud, i, ball);
        else
            attest_cloud_set_doubles(cloud, i, exact);
    }
    attest_cloud_finish(cloud);
    _arb_vec_clear(ball, (slong)dim);
}

/* One cloud; true when the candidates are right. */
static bool try_cloud(size_t count, size_t dim, size_t colours, size_t span, bool moved)
{
    attest_candidates candidates;
    attest_cloud cloud;
    attest_error error;
    int64_t least = INT64_MAX;
    size_t first, second, expected = 0, met = 0, last[2] = {0, 0};
    bool found, ok = attest_cloud_init(&cloud, count, dim, &error) == ATTEST_OK;

    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < dim; c++)
            point[i][c] = (int64_t)below(span);
        cloud.colour[i] = (uint32_t)below(colours);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (cloud.colour[i] != cloud.colour[j] && square(i, j, dim) <= least) {
                expected = square(i, j, dim) < least ? 1 : expected + 1;
                least = square(i, j, dim);
            }
    load(&cloud, dim, moved);
    ok = ok && attest_candidates_init(&candidates, &cloud, &error) == ATTEST_OK;
    if (expected == 0)
        ok = ok && candidates.bound == INFINITY;
    else
        ok = ok && ldexp(candidates.bound, (int)cloud.exponent) >=
                       sqrt((double)least) * (1 - 0x1p-50);
    while (ok &&
           attest_candidates_next(&found, &first, &second, &candidates, &error) == ATTEST_OK &&
           found) {
        ok = first < second && cloud.colour[first] != cloud.colour[second] &&
             (first > last[0] || (first == last[0] && second > last[1]));
        met += square(first, second, dim) == least;
        /* Without errors the only candidates are the closest pairs, as squares are integers. */
        ok = ok && (moved || square(first, second, dim) == least);
        last[0] = first;
        last[1] = second;
    }
    ok = ok && met == expected;
    attest_candidates_clear(&candidates);
    attest_cloud_clear(&cloud);
    return ok;
}

/* Pairs at exactly the same distance, which are equal to others in floats, in clouds of high
 * dimension: differences with the same entries in another order, far from the origin. */
static bool try_fine(size_t count, size_t dim, size_t pairs, int64_t offset)
{
    attest_candidates candidates;
    attest_cloud cloud;
    attest_error error;
    int64_t step[AXES], least = 0;
    size_t first, second, met = 0, more = 0;
    bool found, ok = attest_cloud_init(&cloud, count, dim, &error) == ATTEST_OK;

    for (size_t c = 0; c < dim; c++) {
        step[c] = (int64_t)below(1 << 15);
        least += step[c] * step[c];
    }
    for (size_t i = 0; i < count; i++) {
        cloud.colour[i] = (uint32_t)i;
        for (size_t c = 0; c < dim; c++)
            point[i][c] = offset + (int64_t)below(1 << 20);
        for (size_t c = 0; i % 2 && i / 2 < pairs && c < dim; c++)
            point[i][c] = point[i - 1][c] + step[(c + i / 2) % dim];
    }
    load(&cloud, dim, false);
    ok = ok && attest_candidates_init(&candidates, &cloud, &error) == ATTEST_OK;
    while (ok &&
           attest_candidates_next(&found, &first, &second, &candidates, &error) == ATTEST_OK &&
           found) {
        met += second == first + 1 && first % 2 == 0 && first / 2 < pairs;
        more += square(first, second, dim) != least;
    }
    ok = ok && met == pairs && more == 0;
    attest_candidates_clear(&candidates);
    attest_cloud_clear(&cloud);
    return ok;
}

/* All points are equal except for their colours: more candidates than a list can hold. */
static void try_many(void)
{
    enum { COUNT = 1500 };
    attest_candidates candidates;
    attest_cloud cloud;
    attest_error error;
    double x[2] = {0.25, 0.5};
    size_t first, second, met = 0;
    bool found, ok = attest_cloud_init(&cloud, COUNT, 2, &error) == ATTEST_OK;

    for (size_t i = 0; i < COUNT; i++) {
        attest_cloud_set_doubles(&cloud, i, x);
        cloud.colour[i] = (uint32_t)i;
    }
    attest_cloud_finish(&cloud);
    ok = ok && attest_candidates_init(&candidates, &cloud, &error) == ATTEST_OK;
    TAP_OK(ok && !candidates.complete, "more candidates than a list takes");
    while (attest_candidates_next(&found, &first, &second, &candidates, &error) == ATTEST_OK &&
           found) {
        size_t row = met++;
        size_t i = 0;
        while (row >= COUNT - 1 - i)
            row -= COUNT - 1 - i++;
        ok = ok && first == i && second == i + 1 + row;
        if (met > 5000)
            break;
    }
    TAP_OK(ok && met == 5001, "they still come in lexicographic order");
    attest_candidates_clear(&candidates);
    attest_cloud_clear(&cloud);
}

/* Distances and coordinates that doubles can hardly hold. */
static void try_extremes(void)
{
    const double x[4][2] = {{0x1p1000, 0}, {0x1p1000, 0x1p-1000}, {0, 0}, {0x1p-1074, 0}};
    attest_candidates candidates;
    attest_cloud cloud;
    attest_error error;
    size_t first, second, met = 0;
    bool found, ok = attest_cloud_init(&cloud, 4, 2, &error) == ATTEST_OK;

    for (size_t i = 0; i < 4; i++) {
        attest_cloud_set_doubles(&cloud, i, x[i]);
        cloud.colour[i] = (uint32_t)i;
    }
    attest_cloud_finish(&cloud);
    ok = ok && attest_candidates_init(&candidates, &cloud, &error) == ATTEST_OK;
    while (ok &&
           attest_candidates_next(&found, &first, &second, &candidates, &error) == ATTEST_OK &&
           found)
        met |= (size_t)1 << (first == 0 && second == 1 ? 0 : first == 2 && second == 3 ? 1 : 2);
    TAP_OK(ok && met == 3, "differences below the range of doubles stay candidates");
    attest_candidates_clear(&candidates);
    attest_cloud_clear(&cloud);
}

/* Two pairs at true distance 1, one with centres moved together and one with centres moved
 * apart as far as their radii allow: the second is farther than the bound, and a candidate. */
static void try_edges(void)
{
    static const slong centre[4] = {1, 1023, 10 * 1024 - 1, 11 * 1024 + 1};
    attest_candidates candidates;
    attest_cloud cloud;
    attest_error error;
    size_t first, second, met = 0;
    bool found, ok = attest_cloud_init(&cloud, 4, 1, &error) == ATTEST_OK;
    arb_t x;

    arb_init(x);
    for (size_t i = 0; i < 4; i++) {
        arb_set_si(x, centre[i]);
        mag_one(arb_radref(x));
        arb_mul_2exp_si(x, x, -10);
        attest_cloud_set_balls(&cloud, i, x);
        cloud.colour[i] = (uint32_t)i;
    }
    attest_cloud_finish(&cloud);
    ok = ok && attest_candidates_init(&candidates, &cloud, &error) == ATTEST_OK;
    while (ok &&
           attest_candidates_next(&found, &first, &second, &candidates, &error) == ATTEST_OK &&
           found)
        met += second == first + 1 && first % 2 == 0;
    TAP_OK(ok && met == 2, "radii are allowed for in full");
    arb_clear(x);
    attest_candidates_clear(&candidates);
    attest_cloud_clear(&cloud);
}

/* The points of a large cloud, in an order of their own: point i is at place at[i]. Some have
 * wide radii, so that many pairs stay candidates. */
static bool fill_large(attest_cloud *cloud, size_t count, size_t dim, size_t same,
                       const uint32_t *at, uint64_t seed)
{
    attest_error error;
    double x[AXES];

    if (attest_cloud_init(cloud, count, dim, &error) != ATTEST_OK)
        return false;
    state = seed;
    for (size_t i = 0; i < count; i++) {
        double radius = ldexp((double)below(1000), -12);
        for (size_t c = 0; c < dim; c++)
            x[c] = i < same ? 0.25 : ldexp((double)below(1 << 20), -20);
        attest_cloud_set_rounded(cloud, at[i], x, i % 4 ? 0 : radius);
        cloud->colour[at[i]] = (uint32_t)i;
    }
    attest_cloud_finish(cloud);
    return true;
}

/* The result depends neither on the number of processes nor on the order of the points, by
 * which trees and visits differ: bound, lower bounds and all candidates to the bit. */
static void try_jobs(size_t count, size_t dim, size_t same, const char *what)
{
    enum { ROUNDS = 4, LARGE = 5000 };
    static const size_t jobs[ROUNDS] = {1, 2, 3, 2};
    static uint32_t at[LARGE], point_at[LARGE];
    attest_candidates candidates[ROUNDS];
    attest_cloud cloud[ROUNDS];
    attest_error error;
    uint64_t seed = state;
    size_t differ = 0;
    bool ok = true;

    for (int r = 0; r < ROUNDS && ok; r++) {
        for (size_t i = 0; i < count; i++) {
            at[i] = (uint32_t)(r < ROUNDS - 1 ? i : (i * 7 + 3) % count);
            point_at[at[i]] = (uint32_t)i;
        }
        ok = fill_large(&cloud[r], count, dim, same, at, seed);
        cloud[r].jobs = jobs[r];
        ok = ok && attest_candidates_init(&candidates[r], &cloud[r], &error) == ATTEST_OK;
        ok = ok && candidates[r].complete == (same < 1500) &&
             candidates[r].bound == candidates[0].bound &&
             candidates[r].pairs == candidates[0].pairs;
        for (size_t p = 0; ok && r < ROUNDS - 1 && p < candidates[r].pairs; p++)
            differ += memcmp(&candidates[r].pair[p], &candidates[0].pair[p],
                             sizeof(attest_candidate)) != 0;
        for (size_t i = 0; ok && !candidates[r].complete && i < count; i++)
            differ += candidates[r].active[at[i]] != candidates[0].active[i];
    }
    for (size_t p = 0; ok && p < candidates[ROUNDS - 1].pairs; p++) { /* names moved back */
        attest_candidate pair = candidates[ROUNDS - 1].pair[p];
        uint32_t a = point_at[pair.first], b = point_at[pair.second];
        size_t q = 0;
        while (q < candidates[0].pairs && (candidates[0].pair[q].first != (a < b ? a : b) ||
                                           candidates[0].pair[q].second != (a < b ? b : a)))
            q++;
        differ += q == candidates[0].pairs || candidates[0].pair[q].lower != pair.lower;
    }
    TAP_OK(ok && differ == 0, "%s: %zu candidates for 1, 2 and 3 processes and another order",
           what, ok ? candidates[0].pairs : 0);
    for (int r = 0; r < ROUNDS && ok; r++) {
        attest_candidates_clear(&candidates[r]);
        attest_cloud_clear(&cloud[r]);
    }
}

TEST(closest_pair)
{
    size_t failed = 0;

    state = tap_seed(0xc105e57);
    for (int round = 0; round < 400; round++) {
        size_t dim = 1 + below(round % 4 ? 5 : AXES);
        size_t count = 1 + below(round % 8 ? 80 : MOST);
        bool moved = below(2);
        failed += !try_cloud(count, dim, 1 + below(3) * below(40), 2 + below(1000), moved);
    }
    TAP_OK(failed == 0, "candidates of 400 clouds (%zu failed)", failed);
    failed = 0;
    for (int round = 0; round < 40; round++)
        failed += !try_fine(300 + below(MOST - 300), 9 + below(AXES - 9), 1 + below(150),
                            round % 2 ? (int64_t)1 << 29 : 0);
    TAP_OK(failed == 0, "ties of 40 clouds of high dimension (%zu failed)", failed);
    failed = 0;
    for (int round = 0; round < 6; round++)
        failed += !try_cloud(MANY, AXES - below(8), 40, 1000, round % 2);
    TAP_OK(failed == 0, "products that take part of the coordinates (%zu failed)", failed);
    try_many();
    try_extremes();
    try_edges();
    try_jobs(4999, 16, 0, "floats propose");
    try_jobs(4999, 16, 60, "equal points");
    try_jobs(4999, 16, 1500, "more than a list takes");
    flint_cleanup();
    return 0;
}
