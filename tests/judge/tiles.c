/* tiles.c -- the number of rescales of a weight: known tiles against all earlier ones, unknown
 * tiles against every place where they can begin, parts whose sums are joined against random
 * parts; and how large a sum of weights becomes in a part. */
#include <math.h>
#include <stdlib.h>

#include "judge/row.h"
#include "tests/tap.h"

enum { MOST = 40, PAD = 64 };

static double t[MOST + PAD], delta[MOST + PAD], tile_low[MOST + 1], tile_high[MOST + 1];
static double g[MOST + PAD], high[MOST + PAD];
static size_t tile_raises[MOST + 1], tile_next[MOST + 1];

/* The range of the largest score of consecutive tiles; -INFINITY without tiles. */
typedef struct extent {
    double low, high;
} extent;

static extent extent_of(const size_t *tile_of, size_t count, size_t from, size_t to)
{
    extent e = {-(double)INFINITY, -(double)INFINITY};

    for (size_t j = 0; j < count; j++)
        if (tile_of[j] >= from && tile_of[j] <= to) {
            e.low = fmax(e.low, t[j] - delta[j]);
            e.high = fmax(e.high, t[j] + delta[j]);
        }
    return e;
}

/* Returns whether tile i may raise what the tiles before it leave. */
static bool may_raise(const size_t *tile_of, size_t count, size_t i, size_t tiles,
                      bool backward, bool sink)
{
    bool first = backward ? i + 1 == tiles : i == 0;
    extent before = {-(double)INFINITY, -(double)INFINITY};

    if (first)
        return sink;
    before = backward ? extent_of(tile_of, count, i + 1, tiles)
                      : extent_of(tile_of, count, 0, i - 1);
    return extent_of(tile_of, count, i, i).high > before.low;
}

/* Returns whether the results for the row agree with a comparison of all pairs of tiles. */
static bool holds(const attest_judge_work *x, size_t tile, bool backward)
{
    size_t tile_of[MOST], tiles = 0, raises = 0, last;
    bool ok = true;

    for (size_t j = 0; j < x->count; j++)
        tile_of[j] = (x->first + j) / tile - x->first / tile;
    tiles = tile_of[x->count - 1] + 1;
    last = x->sink && x->sink_logit > extent_of(tile_of, x->count, 0, tiles).low;
    for (size_t i = 0; i < tiles; i++) {
        extent e = backward ? extent_of(tile_of, x->count, i, tiles)
                            : extent_of(tile_of, x->count, 0, i);
        size_t later = 0;

        raises += may_raise(tile_of, x->count, i, tiles, backward, x->sink);
        for (size_t k = 0; k < tiles; k++)
            if (backward ? k < i : k > i)
                later += may_raise(tile_of, x->count, k, tiles, backward, x->sink);
        ok = ok && tile_low[i] == e.low && tile_high[i] == e.high &&
             tile_raises[i] == later + last;
    }
    return ok && x->raises == (double)raises;
}

static attest_judge_work draw_row(uint64_t *seed)
{
    attest_judge_work x = {.t = t,
                           .delta = delta,
                           .tile_low = tile_low,
                           .tile_high = tile_high,
                           .tile_raises = tile_raises,
                           .tile_next = tile_next,
                           .g = g,
                           .high = high,
                           .sink_logit = (double)(tap_random(seed) % 9) - 4,
                           .first = tap_random(seed) % 20,
                           .count = 1 + tap_random(seed) % MOST,
                           .sink = tap_random(seed) % 2};
    double slope = (double)(int)(tap_random(seed) % 5) - 2;

    for (size_t j = 0; j < MOST + PAD; j++) {
        t[j] = -(double)INFINITY; /* what is beyond the keys */
        delta[j] = 0;
    }
    for (size_t j = 0; j < x.count; j++) {
        t[j] = slope * (double)j + (double)(tap_random(seed) % 8) / 2;
        delta[j] = (double)(tap_random(seed) % 4) / 4;
    }
    x.seen = x.count;
    return x;
}

static void known(uint64_t *seed)
{
    size_t wrong = 0, raised = 0, kept = 0;

    for (int trial = 0; trial < 3000; trial++) {
        bool backward = trial % 2;
        attest_judge_variant v = {.tile = 1 + tap_random(seed) % 9,
                                  .direction = backward ? ATTEST_JUDGE_DIRECTION_BACKWARD
                                                        : ATTEST_JUDGE_DIRECTION_FORWARD};
        attest_judge_rule rule = {.variant = &v, .known_tiles = true, .rescaled = true};
        attest_judge_work x = draw_row(seed);

        attest_judge_weights_set_raises(&x, &rule);
        wrong += !holds(&x, v.tile, backward);
        raised += x.raises > 0;
        kept += x.raises == 0;
    }
    TAP_OK(wrong == 0 && raised > 1000 && kept > 100,
           "tiles that are known: %zu rows are raised, %zu are not, %zu are wrong", raised,
           kept, wrong);
}

/* The rescales by factors other than 1 of every tile of a row that is cut into parts: made[k]
 * in order of visit. m: the largest scores of the tiles, cut[k]: a part begins with tile k. */
static void count_rescales(size_t *made, const double *m, const bool *cut, size_t tiles)
{
    double whole = -(double)INFINITY, part = whole;
    size_t begin = 0;

    for (size_t k = 0; k <= tiles; k++) {
        if (k == tiles || (k > 0 && cut[k])) { /* joined, in either direction */
            for (size_t i = 0; i < k; i++)
                made[i] += i >= begin ? whole > part : begin > 0 && part > whole;
            whole = fmax(whole, part);
            part = -(double)INFINITY;
            begin = k;
        }
        if (k == tiles)
            break;
        for (size_t i = begin; i < k; i++)
            made[i] += m[k] > part;
        made[k] = 0;
        part = fmax(part, m[k]);
    }
}

/* Parts that begin with any tile, and scores anywhere in their ranges. */
static void parts(uint64_t *seed)
{
    size_t wrong = 0, reached = 0, rows = 0;

    for (int trial = 0; trial < 3000; trial++) {
        bool backward = trial % 2, cut[MOST + 1];
        attest_judge_variant v = {.tile = 1 + tap_random(seed) % 3,
                                  .splits = 2,
                                  .direction = backward ? ATTEST_JUDGE_DIRECTION_BACKWARD
                                                        : ATTEST_JUDGE_DIRECTION_FORWARD};
        attest_judge_rule rule = {.variant = &v,
                                  .known_tiles = true,
                                  .rescaled = true,
                                  .joined_sums = true,
                                  .quotients = 1};
        attest_judge_work x = draw_row(seed);
        size_t tile_of[MOST], made[MOST + 1], tiles, most = 0;
        double m[MOST + 1];
        bool attained = false;

        x.sink = false;
        attest_judge_weights_set_raises(&x, &rule);
        for (size_t j = 0; j < x.count; j++)
            tile_of[j] = (x.first + j) / v.tile - x.first / v.tile;
        tiles = tile_of[x.count - 1] + 1;
        for (int kernel = 0; kernel < 20; kernel++) {
            for (size_t k = 0; k < tiles; k++) {
                extent e = extent_of(tile_of, x.count, backward ? tiles - 1 - k : k,
                                     backward ? tiles - 1 - k : k);

                m[k] = tap_random(seed) % 2 ? e.low : e.high;
                cut[k] = tap_random(seed) % (kernel < 10 ? 2 : 8) == 0;
            }
            count_rescales(made, m, cut, tiles);
            for (size_t k = 0; k < tiles; k++) {
                size_t i = backward ? tiles - 1 - k : k;

                wrong += made[k] > tile_raises[i] || (double)made[k] > x.raises;
                most = tile_raises[i] > most ? tile_raises[i] : most;
                attained = attained || made[k] == tile_raises[i];
            }
        }
        wrong += x.raises != (double)most;
        reached += attained;
        rows++;
    }
    TAP_OK(wrong == 0 && 2 * reached > rows,
           "parts whose sums are joined: %zu of %zu rows attain the number of rescales, %zu "
           "exceed it",
           reached, rows, wrong);
}

/* The sums of the weights of all runs of tiles, each on the scale of its largest lower bound.
 */
static void runs(uint64_t *seed)
{
    double worst = 0, least = (double)INFINITY;

    for (int trial = 0; trial < 500; trial++) {
        attest_judge_variant v = {
            .tile = 1 + tap_random(seed) % 3, .splits = 2, .direction = trial % 2 + 1};
        attest_judge_rule rule = {.variant = &v,
                                  .known_tiles = true,
                                  .rescaled = true,
                                  .joined_sums = true,
                                  .quotients = 1};
        attest_judge_work x = draw_row(seed);
        double largest = 0, bound;

        for (size_t j = 0; j < x.count; j++)
            g[j] = delta[j];
        x.top = 100;
        x.bottom = 0;
        x.lowest = -200;
        attest_judge_weights_set_raises(&x, &rule);
        bound = attest_judge_weights_sum_so_far(&x, &rule);
        for (size_t first = 0; first < x.count; first++) {
            double low = -(double)INFINITY;

            if (first > 0 && (x.first + first) % v.tile != 0)
                continue;
            for (size_t j = first; j < x.count; j++) {
                double sum = 0;

                low = fmax(low, t[j] - delta[j]);
                if (j + 1 < x.count && (x.first + j + 1) % v.tile != 0)
                    continue;
                for (size_t i = first; i <= j; i++)
                    sum += exp(t[i] + g[i] - low);
                largest = fmax(largest, sum);
            }
        }
        worst = fmax(worst, largest / bound);
        least = fmin(least, largest / bound);
    }
    TAP_OK(worst <= 1 && least > 1 - 0x1p-30,
           "the largest sum in a part: between %.12g and %.12g of the bound", least, worst);
}

/* Returns the largest number of tiles that count consecutive keys can touch. */
static size_t most_tiles(size_t count, size_t tile)
{
    size_t most = 0;

    for (size_t first = 0; first < tile; first++) {
        size_t tiles = (first + count - 1) / tile + 1;

        most = tiles > most ? tiles : most;
    }
    return most;
}

static void unknown(void)
{
    size_t wrong = 0, loose = 0;

    for (size_t count = 1; count < 60; count++)
        for (size_t tile = 1; tile < 20; tile++)
            for (size_t seen = 1; seen <= count; seen++) {
                attest_judge_variant v = {.tile = tile};
                attest_judge_rule rule = {.variant = &v, .rescaled = true};
                attest_judge_work x = {.count = count, .seen = seen};
                size_t most = most_tiles(count, tile);

                most = most < seen ? most : seen;
                attest_judge_weights_set_raises(&x, &rule);
                wrong += x.raises < (double)(most - 1);
                loose += x.raises > (double)most || x.raises > (double)(seen - 1);
                x.sink = true;
                attest_judge_weights_set_raises(&x, &rule);
                wrong += x.raises < (double)most;
                v.tile = 0;
                attest_judge_weights_set_raises(&x, &rule);
                wrong += x.raises != (double)seen;
                rule.rescaled = false;
                attest_judge_weights_set_raises(&x, &rule);
                wrong += x.raises != 0;
            }
    TAP_OK(wrong == 0 && loose == 0,
           "tiles that are not: %zu too few, %zu more than one too many", wrong, loose);
}

TEST(tiles)
{
    uint64_t seed = tap_seed(0x711e5);

    known(&seed);
    unknown();
    parts(&seed);
    runs(&seed);
    return 0;
}
