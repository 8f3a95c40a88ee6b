/* tiles.c -- the number of rescales of a weight: known tiles against all earlier ones, unknown
 * tiles against every place where they can begin. */
#include <math.h>
#include <stdlib.h>

#include "judge/row.h"
#include "tests/tap.h"

enum { MOST = 40, PAD = 64 };

static double t[MOST + PAD], delta[MOST + PAD], tile_low[MOST + 1], tile_high[MOST + 1];
static size_t tile_raises[MOST + 1];

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
    size_t tile_of[MOST], tiles = 0, raises = 0;
    bool ok = true;

    for (size_t j = 0; j < x->count; j++)
        tile_of[j] = (x->first + j) / tile - x->first / tile;
    tiles = tile_of[x->count - 1] + 1;
    for (size_t i = 0; i < tiles; i++) {
        extent e = backward ? extent_of(tile_of, x->count, i, tiles)
                            : extent_of(tile_of, x->count, 0, i);
        size_t later = 0;

        raises += may_raise(tile_of, x->count, i, tiles, backward, x->sink);
        for (size_t k = 0; k < tiles; k++)
            if (backward ? k < i : k > i)
                later += may_raise(tile_of, x->count, k, tiles, backward, x->sink);
        ok = ok && tile_low[i] == e.low && tile_high[i] == e.high && tile_raises[i] == later;
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
    return 0;
}
